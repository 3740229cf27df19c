# Projects, files, board files; runs, reports and constraints.

proc version {args} {
    if {$args ne "-short"} { stub::fail "version: -short is expected" }
    return $stub::version
}
proc create_project {args} {
    set o [stub::parse create_project {-force -in_memory} {-part} 2 2 $args]
    lassign [dict get $o rest] name path
    if {[dict exists $stub::state project]} { stub::fail "create_project: a project is open" }
    file mkdir $path
    close [open $path/$name.xpr w]
    stub::enter $name $path
    dict set stub::state part [stub::option $o -part]
    dict set stub::files sources_1 {}
    dict set stub::files constrs_1 {}
}
proc open_project {path} {
    if {[dict exists $stub::state project]} { stub::fail "open_project: a project is open" }
    stub::is_file $path
    stub::enter [file rootname [file tail $path]] [file dirname $path]
}
proc stub::enter {name path} {
    dict set stub::state project [object project:$name project]
    dict set stub::state path $path
    if {[file isfile $path/system.bd]} { dict set stub::state system.bd $path/system.bd }
    foreach set {sources_1 constrs_1} { object fileset:$set fileset }
    foreach run {synth_1 impl_1} {
        object $run run
        dict set stub::value $run [dict create STATUS {Not started} PROGRESS 0% DIRECTORY $path/$name.runs/$run]
    }
}
proc close_project {} { dict unset stub::state project }
proc current_project {args} {
    set o [stub::parse current_project {-quiet} {} 0 0 $args]
    if {[dict exists $stub::state project]} { return [dict get $stub::state project] }
    if {[stub::option $o -quiet 0]} { return "" }
    stub::fail "current_project: none is open"
}
proc current_fileset {} { return fileset:sources_1 }
proc add_files {args} {
    set o [stub::parse add_files {-norecurse} {-fileset} 1 1 $args]
    set fileset [stub::option $o -fileset sources_1]
    foreach path [lindex [dict get $o rest] 0] {
        stub::is_file $path
        dict with stub::files { lappend $fileset $path }
    }
}
proc update_compile_order {args} { stub::parse update_compile_order {} {-fileset} 0 0 $args; return }
proc get_files {name} {
    if {![dict exists $stub::state $name]} { stub::fail "get_files: no $name" }
    return [list [dict get $stub::state $name]]
}
proc get_board_parts {args} {
    set o [stub::parse get_board_parts {-quiet} {} 1 1 $args]
    if {!$stub::board_files} { return {} }
    set all {}
    foreach board {xilinx.com:kv260_som:part0 xilinx.com:zcu104:part0 www.digilentinc.com:pynq-z1:part0} {
        lappend all $board:1.10 $board:1.9
    }
    return [lsearch -all -inline -glob $all [lindex [dict get $o rest] 0]]
}
proc update_ip_catalog {} {}

proc get_runs {name} { return [stub::is $name run] }
proc reset_runs {name} { stub::is $name run; return }
proc launch_runs {args} {
    set o [stub::parse launch_runs {} {-jobs -to_step} 1 1 $args]
    set run [stub::is [dict get $o rest] run]
    if {[info exists ::env(STUB_FAILS)] && $::env(STUB_FAILS) eq $run} {
        dict set stub::value $run STATUS {synth_design ERROR}
        return
    }
    set folder [dict get $stub::value $run DIRECTORY]
    file mkdir $folder
    if {$run eq "synth_1"} { stub::constraints }
    if {[dict exists $o -to_step]} {
        if {[dict get $o -to_step] ne "write_bitstream"} { stub::fail "launch_runs: no step [dict get $o -to_step]" }
        close [open $folder/system_wrapper.bit w]
    }
    dict set stub::value $run STATUS {write_bitstream Complete!}
    dict set stub::value $run PROGRESS 100%
}
proc wait_on_run {args} { stub::is [dict get [stub::parse wait_on_run {} {-timeout} 1 1 $args] rest] run; return }
proc open_run {name} { dict set stub::state open [stub::is $name run] }
proc close_design {} { dict unset stub::state open }
foreach {command flags values} {
    report_timing_summary {-report_unconstrained -check_timing_verbose} {-delay_type -max_paths -file}
    check_timing {-verbose} {-file} report_clocks {} {-file} report_utilization {-hierarchical} {-file}
    report_drc {} {-file} report_methodology {} {-file}
} {
    proc $command {args} [string map [list %c $command %f $flags %v $values] {
        set o [stub::parse %c {%f} {%v} 0 0 $args]
        if {![dict exists $stub::state open]} { stub::fail "%c: no design is open" }
        close [open [dict get $o -file] w]
    }]
}
proc get_timing_paths {args} {
    stub::parse get_timing_paths {-setup -hold} {-max_paths -nworst} 0 0 $args
    stub::object path path
    dict set stub::value path SLACK 0.125
    return path
}
proc write_hw_platform {args} {
    set o [stub::parse write_hw_platform {-fixed -include_bit -force} {-file} 0 0 $args]
    close [open [dict get $o -file] w]
}

# Constraints see the wrapper, which has no ports of the fabric.
proc current_design {} { return [stub::object design design] }
proc get_ports {args} { stub::fail "get_ports: the design has no port $args" }
proc stub::constraints {} { foreach path [dict get $stub::files constrs_1] { uplevel #0 [list source $path] } }
