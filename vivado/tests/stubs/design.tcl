# Block designs: cells, connections, addresses, and the judgement of the whole.

proc get_ipdefs {args} {
    set o [stub::parse get_ipdefs {-all} {} 1 1 $args]
    set minor [string map {. ""} [string range $stub::version 2 5]]
    set all {}
    foreach ip {zynq_ultra_ps_e processing_system7 smartconnect proc_sys_reset} {
        lappend all xilinx.com:ip:$ip:3.$minor xilinx.com:ip:$ip:3.9
    }
    return [lsearch -all -inline -glob $all [lindex [dict get $o rest] 0]]
}
proc create_bd_design {name} {
    dict set stub::state $name.bd [dict get $stub::state path]/$name.bd
    foreach table {cells driver joined mapped excluded} { set stub::$table [dict create] }
}
proc create_bd_cell {args} {
    set o [stub::parse create_bd_cell {} {-type -vlnv} 1 1 $args]
    if {[stub::option $o -type] ne "ip"} { stub::fail "create_bd_cell: -type ip is expected" }
    set name /[dict get $o rest]
    lassign [split [dict get $o -vlnv] :] vendor library ip version
    if {[dict exists $stub::cells $name]} { stub::fail "create_bd_cell: $name exists" }
    if {$vendor eq "sagen"} {
        if {$version ne "1.0" || ![dict exists $stub::kind core]} { stub::fail "no IP [dict get $o -vlnv]" }
    } elseif {$version ne "3.[string map {. {}} [string range $stub::version 2 5]]"} {
        stub::fail "[dict get $o -vlnv] is not the newest version"
    }
    dict set stub::cells $name $ip
    set defaults [dict create]
    foreach {parameter value} [stub::parameters $ip] { dict set defaults CONFIG.$parameter $value }
    dict set stub::value $name $defaults
    return [stub::object $name cell]
}
proc stub::pin {command path kinds} {
    set path /[string trimleft $path /]
    set cell [file dirname $path]
    if {![dict exists $stub::cells $cell]} { fail "$command: no cell $cell" }
    set pins [pins $cell]
    set name [file tail $path]
    if {![dict exists $pins $name] || [dict get $pins $name] ni $kinds} { fail "$command: $cell has no pin $name" }
    return $path
}
proc stub::pin_kind {path} { return [dict get [pins [file dirname $path]] [file tail $path]] }
proc get_bd_pins {path} { return [stub::pin get_bd_pins $path {I O clock}] }
proc get_bd_intf_pins {path} { return [stub::pin get_bd_intf_pins $path {slave master}] }
proc connect_bd_net {from to} {
    stub::pin connect_bd_net $from {O}
    stub::pin connect_bd_net $to {I clock}
    if {[dict exists $stub::driver $to]} { stub::fail "connect_bd_net: $to has a driver" }
    dict set stub::driver $to $from
}
proc connect_bd_intf_net {from to} {
    stub::pin connect_bd_intf_net $from {master}
    stub::pin connect_bd_intf_net $to {slave}
    foreach pin [list $from $to] {
        if {[dict exists $stub::joined $pin]} { stub::fail "connect_bd_intf_net: $pin is connected" }
    }
    dict set stub::joined $from $to
    dict set stub::joined $to $from
}
proc apply_bd_automation {args} {
    set o [stub::parse apply_bd_automation {} {-rule -config} 1 1 $args]
    set cell [stub::is [dict get $o rest] cell]
    set ip [dict get $stub::cells $cell]
    if {[dict get $o -rule] ne "xilinx.com:bd_rule:$ip"} { stub::fail "apply_bd_automation: no rule [dict get $o -rule]" }
    set config [dict get $o -config]
    foreach {name value} $config {
        if {$name ni {apply_board_preset make_external}} { stub::fail "apply_bd_automation: unknown setting $name" }
    }
    if {[dict get $config apply_board_preset]} {
        if {!$stub::board_files} { stub::fail "apply_bd_automation: no board files" }
        if {$ip eq "zynq_ultra_ps_e"} { dict set stub::value $cell CONFIG.PSU__DDR_HIGH_ADDRESS_GUI_ENABLE 1 }
    }
    if {[dict exists $config make_external]} { dict set stub::state external 1 }
}

proc get_bd_addr_spaces {{path ""}} {
    if {$path eq ""} { return [dict keys $stub::mapped] }
    set path /[string trimleft $path /]
    if {$path eq "/ps/Data"} { return $path }
    if {[dict get $stub::cells [file dirname $path]] ne "overlay"} { stub::fail "no address space $path" }
    return [stub::pin get_bd_addr_spaces $path {master}]
}
proc get_bd_addr_segs {args} {
    set o [stub::parse get_bd_addr_segs {-quiet} {-of_objects} 0 1 $args]
    if {[dict exists $o -of_objects]} {
        set found {}
        foreach {segment base range} [dict get $stub::mapped [dict get $o -of_objects]] {
            set name [dict get $o -of_objects]/SEG_[file tail $segment]
            stub::object $name segment
            dict set stub::value $name [dict create OFFSET $base RANGE $range]
            lappend found $name
        }
        return $found
    }
    set path /[string trimleft [lindex [dict get $o rest] 0] /]
    set cell /[lindex [split $path /] 1]
    set found {}
    if {![dict exists $stub::cells $cell]} { stub::fail "get_bd_addr_segs: no cell $cell" }
    foreach {name base bytes} [stub::segments $cell] {
        if {[string match $path $cell/$name]} { lappend found $cell/$name }
    }
    if {$found eq {} && ![stub::option $o -quiet 0]} { stub::fail "get_bd_addr_segs: no segment $path" }
    return $found
}
proc assign_bd_address {args} {
    set o [stub::parse assign_bd_address {-force} {-offset -range -target_address_space} 1 1 $args]
    set segment [lindex [dict get $o rest] 0]
    set offset [dict get $o -offset]
    set range [dict get $o -range]
    set cell /[lindex [split $segment /] 1]
    foreach {name base bytes} [stub::segments $cell] {
        if {"$cell/$name" ne $segment} continue
        if {$range & ($range - 1)} { stub::fail "range $range is no power of two" }
        if {$offset % $range} { stub::fail "offset $offset is not aligned to $range" }
        if {$range > $bytes} { stub::fail "$segment has $bytes bytes, not $range" }
        if {$cell eq "/ps" && ($offset < $base || $offset + $range > $base + $bytes)} { stub::fail "$segment does not hold $offset" }
        dict lappend stub::mapped [dict get $o -target_address_space] $segment $offset $range
        return
    }
    stub::fail "assign_bd_address: no segment $segment"
}
proc exclude_bd_addr_seg {args} {
    set o [stub::parse exclude_bd_addr_seg {} {-target_address_space} 1 1 $args]
    dict lappend stub::excluded [dict get $o -target_address_space] [lindex [dict get $o rest] 0]
}

proc validate_bd_design {} {
    foreach cell [dict keys $stub::cells] {
        foreach {pin kind} [stub::pins $cell] {
            set path $cell/$pin
            if {$kind eq "clock" && ![dict exists $stub::driver $path]} { stub::fail "clock $path is open" }
            if {$kind in {slave master} && ![dict exists $stub::joined $path]} { stub::fail "$path is not connected" }
        }
    }
    foreach {pin driver} [list /sagen/rst /reset/peripheral_reset /reset/ext_reset_in /ps/[stub::reset_pin]] {
        if {![dict exists $stub::driver $pin] || [dict get $stub::driver $pin] ne $driver} { stub::fail "$pin is not driven by $driver" }
    }
    if {[get_property CONFIG.C_EXT_RESET_HIGH /reset]} { stub::fail "ext_reset_in is active low" }
    dict for {from to} $stub::joined {
        if {[stub::pin_kind $from] ne "master"} continue
        set widths [lsort -unique [list [stub::width $from] [stub::width $to]]]
        if {"any" in $widths} continue
        if {[llength $widths] > 1} { stub::fail "$from and $to differ in width" }
        if {[stub::axi3 $to]} { stub::fail "$to speaks AXI3, $from AXI4" }
    }
    stub::validate_addresses
    dict set stub::state validated 1
}
proc stub::reset_pin {} { return [dict get {zynq_ultra_ps_e pl_resetn0 processing_system7 FCLK_RESET0_N} [dict get $stub::cells /ps]] }
proc stub::validate_addresses {} {
    if {![dict exists $stub::mapped /ps/Data]} { fail "the CSRs have no address" }
    foreach bus [buses] {
        if {$bus eq "s_axi"} continue
        set space /sagen/$bus
        if {![dict exists $stub::mapped $space]} { fail "$space sees nothing" }
        set end [dict get $stub::joined $space]
        if {[dict get $stub::cells [file dirname $end]] eq "smartconnect"} {
            set end [dict get $stub::joined [file dirname $end]/M00_AXI]
        }
        set port [regsub {^S_AXI_(HPC?\d)(_FPD)?$} [file tail $end] {\1}]
        set known {}
        foreach {segment offset range} [dict get $stub::mapped $space] {
            if {![string match */${port}_* $segment]} { fail "$space is mapped to $segment but connected to $end" }
            lappend known $segment
        }
        if {[dict exists $stub::excluded $space]} { lappend known {*}[dict get $stub::excluded $space] }
        foreach {name base bytes} [segments /ps] {
            if {[string match */${port}_* $name] && "/ps/$name" ni $known} { fail "$space: /ps/$name is neither mapped nor excluded" }
        }
        if {![dict exists $stub::state clocked:$bus]} { fail "$bus has no clock" }
    }
    if {[dict get $stub::cells /ps] eq "processing_system7" && ![dict exists $stub::state external]} { fail "DDR is not external" }
}
proc save_bd_design {} { close [open [dict get $stub::state system.bd] w] }
proc open_bd_design {path} { stub::is_file $path }
proc generate_target {what path} {
    if {$what ne "all"} { stub::fail "generate_target: all is expected" }
    foreach file $path { stub::is_file $file }
    if {![dict exists $stub::state validated]} { stub::fail "generate_target: the design was not validated" }
    set folder [dict get $stub::state path]/system.gen/sources_1/bd/system/hw_handoff
    file mkdir $folder
    close [open $folder/system.hwh w]
}
proc make_wrapper {args} {
    set o [stub::parse make_wrapper {-top} {-files} 0 0 $args]
    set wrapper [dict get $stub::state path]/system_wrapper.v
    foreach file [dict get $o -files] { stub::is_file $file }
    close [open $wrapper w]
    return $wrapper
}
