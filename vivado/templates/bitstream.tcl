# Stage `bit`: bitstream, hardware handoff, platform; and what is written down about the build after any stage.

proc sagen::stage_bit {} {
    variable config
    use_project
    finish_run impl_1 -to_step write_bitstream
    set run [get_property DIRECTORY [get_runs impl_1]]
    file copy -force [file join $run system_wrapper.bit] [work out $config.bit]
    file copy -force [handoff] [work out $config.hwh]
    write_hw_platform -fixed -include_bit -force -file [work out $config.xsa]
}

proc sagen::handoff {} {
    set found [glob -nocomplain -directory [work project] system.*/sources_1/bd/system/hw_handoff/system.hwh]
    if {[llength $found] != 1} { error "expected one system.hwh below [work project], found [llength $found]" }
    return [lindex $found 0]
}

proc sagen::write_build_info {} {
    variable config
    variable build_hash
    variable key
    variable board
    variable part
    variable requested_khz
    variable sources
    set wns null
    set whs null
    if {[file exists [work reports slack.txt]]} { lassign [read_text [work reports slack.txt]] wns whs }
    set hashes {}
    foreach {path hash} $sources { lappend hashes "    \"$path\": \"$hash\"" }
    set lines [list \
        "  \"config\": \"$config\"" "  \"build_hash\": \"$build_hash\"" "  \"key\": \"$key\"" \
        "  \"board\": \"$board\"" "  \"part\": \"$part\"" "  \"vivado\": \"[version -short]\"" \
        "  \"date\": \"[clock format [clock seconds] -format %Y-%m-%dT%H:%M:%SZ -gmt 1]\"" \
        "  \"requested_mhz\": [expr {$requested_khz / 1000.0}]" "  \"actual_mhz\": [actual_mhz]" \
        "  \"wns_ns\": $wns" "  \"whs_ns\": $whs" "  \"sources\": {\n[join $hashes ",\n"]\n  }"]
    write_text [work out build_info.json] "{\n[join $lines ",\n"]\n}"
}

proc sagen::actual_mhz {} {
    if {![file exists [work actual_mhz]]} { return null }
    return [read_text [work actual_mhz]]
}
