# Stage `impl`: place, route, and every report that is judged afterwards.

proc sagen::stage_impl {} {
    use_project
    reset_runs impl_1
    finish_run impl_1
    open_run impl_1
    report_timing_summary -delay_type min_max -report_unconstrained -check_timing_verbose -max_paths 10 \
        -file [work reports timing_summary.rpt]
    check_timing -verbose -file [work reports check_timing.rpt]
    report_clocks -file [work reports clocks.rpt]
    report_utilization -file [work reports utilization.rpt]
    report_utilization -hierarchical -file [work reports utilization_hierarchical.rpt]
    report_drc -file [work reports drc.rpt]
    report_methodology -file [work reports methodology.rpt]
    write_text [work reports slack.txt] "[slack -setup] [slack -hold]"
    close_design
    report_addresses
}

# Worst slack in ns, or null without paths.
proc sagen::slack {delay} {
    set path [get_timing_paths $delay -max_paths 1 -nworst 1]
    if {$path eq ""} { return null }
    set slack [get_property SLACK $path]
    return [expr {[string is double -strict $slack] ? $slack : "null"}]
}

proc sagen::report_addresses {} {
    open_bd_design [lindex [get_files system.bd] 0]
    set lines {}
    foreach space [get_bd_addr_spaces] {
        foreach segment [get_bd_addr_segs -quiet -of_objects $space] {
            lappend lines "$segment [get_property OFFSET $segment] [get_property RANGE $segment]"
        }
    }
    # The last line tells a whole map from a cut one.
    set count "segments [llength $lines]"
    write_text [work reports address_map.rpt] [join [list {*}[lsort $lines] $count] \n]
}
