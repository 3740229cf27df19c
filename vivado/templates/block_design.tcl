# Stage `design`: processing system, reset, overlay and interconnect, in a project made anew.

proc sagen::stage_design {} {
    variable folder
    variable constraints
    new_project
    create_bd_design system
    place_processing_system
    place_reset
    create_bd_cell -type ip -vlnv sagen:overlay:overlay:1.0 sagen
    drive_clock sagen/clk
    connect_bd_net [get_bd_pins reset/peripheral_reset] [get_bd_pins sagen/rst]
    connect_control
    connect_masters
    map_addresses
    validate_bd_design
    save_bd_design
    set design [lindex [get_files system.bd] 0]
    # What takes several files takes a list: a path may have blanks.
    generate_target all [list $design]
    add_files -norecurse [list [make_wrapper -files [list $design] -top]]
    set_property top system_wrapper [current_fileset]
    update_compile_order -fileset sources_1
    foreach file [lsearch -all -inline $constraints *.xdc] {
        add_files -fileset constrs_1 -norecurse [list [file join $folder constraints $file]]
    }
}

proc sagen::new_project {} {
    variable part
    variable board_part
    create_project system [work project] -part $part -force
    set found [newest_board_part]
    if {$found ne ""} {
        set_property board_part $found [current_project]
        say "board files: $found"
    } elseif {$board_part ne ""} {
        warn "no board files for $board_part: part-only flow, the processing system is set up from constraints/ps.tcl"
    }
    set_property ip_repo_paths [list [work ip]] [current_project]
    update_ip_catalog
}

proc sagen::place_processing_system {} {
    variable ps_ip
    variable ps_external
    variable ps_parameters
    variable ps_frequency
    variable folder
    set ps [create_bd_cell -type ip -vlnv [newest_ip $ps_ip] ps]
    set preset [expr {[newest_board_part] ne ""}]
    set rule [list apply_board_preset $preset]
    if {$ps_external ne ""} { lappend rule make_external $ps_external }
    if {$preset || $ps_external ne ""} {
        apply_bd_automation -rule xilinx.com:bd_rule:$ps_ip -config $rule $ps
    }
    if {!$preset} {
        variable ps_config {}
        source [file join $folder constraints ps.tcl]
        configure $ps $ps_config
    }
    configure $ps $ps_parameters
    lassign $ps_frequency wanted mhz actual
    set_property $wanted $mhz $ps
    check_clock [get_property $actual $ps]
}

# The dividers must make the clock that the config and every prediction stand for.
proc sagen::check_clock {mhz} {
    variable clock_khz
    if {![string is double -strict $mhz]} { error "the processing system reports `$mhz` as its fabric clock" }
    if {abs(1000.0 * $mhz - $clock_khz) > $clock_khz / 1000.0} {
        error "the processing system makes $mhz MHz, [expr {$clock_khz / 1000.0}] MHz are expected"
    }
    write_text [work actual_mhz] $mhz
}

proc sagen::drive_clock {pin} {
    variable ps_clock
    connect_bd_net [get_bd_pins ps/$ps_clock] [get_bd_pins $pin]
}

proc sagen::place_reset {} {
    variable ps_reset
    set reset [create_bd_cell -type ip -vlnv [newest_ip proc_sys_reset] reset]
    set_property CONFIG.C_EXT_RESET_HIGH 0 $reset
    drive_clock reset/slowest_sync_clk
    connect_bd_net [get_bd_pins ps/$ps_reset] [get_bd_pins reset/ext_reset_in]
}

# A SmartConnect between two interface pins: protocol, width and burst length are its business.
proc sagen::bridge {name from to} {
    set cell [create_bd_cell -type ip -vlnv [newest_ip smartconnect] $name]
    set_property -dict {CONFIG.NUM_SI 1 CONFIG.NUM_MI 1} $cell
    drive_clock $name/aclk
    connect_bd_net [get_bd_pins reset/interconnect_aresetn] [get_bd_pins $name/aresetn]
    connect_bd_intf_net [get_bd_intf_pins $from] [get_bd_intf_pins $name/S00_AXI]
    connect_bd_intf_net [get_bd_intf_pins $name/M00_AXI] [get_bd_intf_pins $to]
}

proc sagen::connect_control {} {
    variable control
    lassign $control port clock
    drive_clock ps/$clock
    bridge control ps/$port sagen/s_axi
}

proc sagen::connect_masters {} {
    variable masters
    foreach master $masters {
        lassign $master bus mode port clock direct
        drive_clock ps/$clock
        if {$direct} {
            connect_bd_intf_net [get_bd_intf_pins sagen/$bus] [get_bd_intf_pins ps/$port]
        } else {
            bridge ${bus}_bridge sagen/$bus ps/$port
        }
    }
}

proc sagen::map_addresses {} {
    variable control
    variable masters
    lassign $control port clock base range
    assign_bd_address -offset $base -range $range -target_address_space [get_bd_addr_spaces ps/Data] \
        [get_bd_addr_segs sagen/s_axi/reg0] -force
    foreach master $masters {
        lassign $master bus mode port clock direct segments
        set space [get_bd_addr_spaces sagen/$bus]
        set mapped {}
        foreach {segment base range} $segments {
            set found [get_bd_addr_segs -quiet ps/$segment]
            if {$found eq ""} { error "the processing system offers no ps/$segment: its DDR is set up smaller than the board's" }
            assign_bd_address -offset $base -range $range -target_address_space $space $found -force
            lappend mapped $segment
        }
        exclude_others $space [file dirname [lindex $mapped 0]] $mapped
    }
}

# What else the port could reach (OCM, flash, the other end of DDR) is no business of the overlay.
proc sagen::exclude_others {space port mapped} {
    foreach segment [get_bd_addr_segs -quiet ps/$port/*] {
        if {[string map {/ps/ ""} $segment] ni $mapped} {
            exclude_bd_addr_seg -target_address_space $space $segment
        }
    }
}
