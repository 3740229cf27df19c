# Options, folders, stamps: what every stage needs.
namespace eval sagen {
    variable stages {package design synth impl bit}
    variable until bit
    variable jobs 2
    variable timeout_minutes 720
    variable folder
}

proc sagen::say {text} { puts "sagen: $text" }
proc sagen::warn {text} { puts "WARNING: \[sagen\] $text" }

# A path below the folder of results.
proc sagen::work {args} {
    variable folder
    variable key
    return [file join $folder work $key {*}$args]
}

proc sagen::prepare {where arguments} {
    variable folder $where
    parse_options $arguments
    check_version
    check_sources
    foreach part {stamps reports out} { file mkdir [work $part] }
    check_stamps
    file copy -force [file join $folder flow.json] [work reports expected.json]
}

proc sagen::parse_options {arguments} {
    variable stages
    foreach {option value} $arguments {
        switch -- $option {
            --until {
                if {$value ni $stages} { error "--until $value: one of [join $stages {, }] is expected" }
                variable until $value
            }
            --jobs - --timeout-minutes {
                if {![string is integer -strict $value] || $value < 1} { error "$option $value: a number from 1 is expected" }
                variable [string map {- _} [string range $option 2 end]] $value
            }
            default { error "unknown option $option; known: --until, --jobs, --timeout-minutes" }
        }
    }
}

# Written for 2023.2 to 2025.x; another version may still do.
proc sagen::check_version {} {
    set found [version -short]
    if {![regexp {^(\d+)\.(\d+)} $found -> year minor]} {
        warn "cannot read the version `$found`; written for 2023.2 to 2025.x"
    } elseif {$year < 2023 || $year > 2025 || ($year == 2023 && $minor < 2)} {
        warn "Vivado $found is outside 2023.2 to 2025.x; going on"
    }
}

proc sagen::check_sources {} {
    variable folder
    variable sources
    foreach {path hash} $sources {
        if {![file isfile [file join $folder .. $path]]} { error "$path is missing; renew the folder with `sagen build`" }
    }
}

# A stamp that carries another key was put there by hand, or the folder was renamed.
proc sagen::check_stamps {} {
    variable key
    foreach stamp [glob -nocomplain -directory [work stamps] *] {
        set found [read_text $stamp]
        if {$found ne $key} {
            error "$stamp belongs to $found, these scripts are $key; move [work] away, nothing in it is reused"
        }
    }
}

proc sagen::read_text {path} {
    set file [open $path]
    set text [string trim [read $file]]
    close $file
    return $text
}

proc sagen::write_text {path text} {
    set file [open $path w]
    puts $file $text
    close $file
}

proc sagen::run_stages {} {
    variable stages
    variable until
    variable key
    foreach stage $stages {
        set stamp [work stamps $stage]
        if {[file exists $stamp]} {
            say "stage $stage: kept"
        } else {
            say "stage $stage: started"
            stage_$stage
            write_build_info
            write_text $stamp $key
            say "stage $stage: finished"
        }
        if {$stage eq $until} break
    }
    say "results: [work]"
}

# The project of this build, opened once.
proc sagen::use_project {} {
    if {[current_project -quiet] eq ""} { open_project [work project system.xpr] }
}

# Runs a run of the project to its end, or says where its log lies.
proc sagen::finish_run {run args} {
    variable jobs
    variable timeout_minutes
    launch_runs $run -jobs $jobs {*}$args
    wait_on_run -timeout $timeout_minutes $run
    set run [get_runs $run]
    set status [get_property STATUS $run]
    if {[get_property PROGRESS $run] ne "100%"} {
        error "$run stopped: $status; its log is [file join [get_property DIRECTORY $run] runme.log]"
    }
    say "$run: $status"
}

# The newest version of an IP that this Vivado has.
proc sagen::newest_ip {name} {
    set found [lsort -dictionary [get_ipdefs -all "xilinx.com:ip:$name:*"]]
    if {$found eq ""} { error "this Vivado has no IP $name; is the device family installed?" }
    return [lindex $found end]
}

# The newest version of the board file, or nothing.
proc sagen::newest_board_part {} {
    variable board_part
    if {$board_part eq ""} { return "" }
    return [lindex [lsort -dictionary [get_board_parts -quiet "$board_part:*"]] end]
}

# Sets those parameters that this version of the IP has.
proc sagen::configure {cell parameters} {
    set known [list_property $cell]
    set present {}
    foreach {name value} $parameters {
        if {$name in $known} { lappend present $name $value } else { warn "$cell has no $name; left out" }
    }
    set_property -dict $present $cell
}
