# The IP packager: buses are those that the ports of the real top make.

proc stub::read_ports {} {
    variable ports {}
    foreach path [dict get $stub::files sources_1] {
        if {[file tail $path] ne "[get_property top [current_fileset]].v"} continue
        set file [open $path]
        set text [read $file]
        close $file
        foreach {line direction range high name} \
            [regexp -all -inline -line {^  (input|output) wire (\[(\d+):0\] )?(\w+),?(?: //.*)?$} $text] {
            dict set ports $name [list $direction [expr {$high eq "" ? 1 : $high + 1}]]
        }
    }
    if {$ports eq {}} { fail "the sources hold no top with ports" }
}
proc ipx::package_project {args} {
    stub::parse ipx::package_project {-import_files -force} {-root_dir -vendor -library -taxonomy} 0 0 $args
    set root [dict get $args -root_dir]
    stub::read_ports
    set stub::packaged [dict get $stub::files sources_1]
    file mkdir $root
    close [open $root/component.xml w]
    stub::object core core
    # One release finds no memory mapped bus by itself, so that both ways are taken.
    if {![string match 2024.1* $stub::version]} {
        foreach bus [stub::buses] { stub::new_bus $bus }
        foreach bus {clk rst} { stub::object bus:$bus bus }
    }
}
proc stub::buses {} {
    set found {}
    foreach port [dict keys $stub::ports] { if {[regexp {^(\w+_axi)_} $port -> bus]} { dict set found $bus 1 } }
    return [dict keys $found]
}
proc stub::new_bus {bus} {
    object bus:$bus bus
    set known {araddr arlen arsize arburst arcache arprot arvalid arready rdata rresp rlast rvalid rready
        awaddr awlen awsize awburst awcache awprot awvalid awready wdata wstrb wlast wvalid wready bresp bvalid bready}
    foreach port [dict keys $stub::ports ${bus}_*] {
        if {[string range $port [string length ${bus}_] end] ni $known} { fail "$port is no AXI signal" }
        object map:$bus:$port map
        dict set stub::value map:$bus:$port physical_name $port
    }
}
proc ipx::current_core {} { return [stub::is core core] }
proc ipx::infer_bus_interface {ports definition core} {
    stub::is $core core
    switch -- $definition {
        xilinx.com:signal:clock_rtl:1.0 - xilinx.com:signal:reset_rtl:1.0 {
            if {![dict exists $stub::ports $ports]} { stub::fail "infer: no port $ports" }
            stub::object bus:$ports bus
        }
        xilinx.com:interface:aximm_rtl:1.0 {
            foreach port $ports { if {![dict exists $stub::ports $port]} { stub::fail "infer: no port $port" } }
            regexp {^(\w+_axi)_} [lindex $ports 0] -> bus
            stub::new_bus $bus
        }
        default { stub::fail "infer: unknown definition $definition" }
    }
}
foreach {command prefix what of} {
    get_bus_interfaces bus: bus core get_memory_maps memory: memory core get_address_spaces space: space core
} {
    proc ipx::$command {args} [string map [list %c $command %p $prefix %w $what %o $of] {
        set o [stub::parse ipx::%c {-quiet} {-of_objects} 1 1 $args]
        stub::is [dict get $o -of_objects] %o
        stub::found ipx::%c $o %p[dict get $o rest] %w
    }]
}
proc ipx::get_bus_parameters {args} {
    set o [stub::parse ipx::get_bus_parameters {-quiet} {-of_objects} 1 1 $args]
    stub::found ipx::get_bus_parameters $o parameter:[stub::is [dict get $o -of_objects] bus]:[dict get $o rest] parameter
}
proc ipx::add_bus_parameter {name bus} {
    if {$name ni "POLARITY READ_WRITE_MODE $stub::limits"} { stub::fail "unknown bus parameter $name" }
    return [stub::object parameter:[stub::is $bus bus]:$name parameter]
}
proc ipx::get_port_maps {args} {
    set o [stub::parse ipx::get_port_maps {} {-of_objects} 0 1 $args]
    set bus [string range [stub::is [dict get $o -of_objects] bus] 4 end]
    return [dict keys $stub::kind map:$bus:*]
}
proc ipx::associate_bus_interfaces {args} {
    set o [stub::parse ipx::associate_bus_interfaces {} {-busif -clock -reset} 1 1 $args]
    stub::is [dict get $o rest] core
    foreach name {-busif -clock -reset} {
        if {[dict exists $o $name]} { stub::is bus:[dict get $o $name] bus }
    }
    if {[dict exists $o -busif]} { dict set stub::state clocked:[dict get $o -busif] 1 }
}
proc ipx::add_memory_map {name core} { stub::is $core core; return [stub::object memory:$name memory] }
proc ipx::add_address_space {name core} { stub::is $core core; return [stub::object space:$name space] }
proc ipx::get_address_blocks {args} {
    set o [stub::parse ipx::get_address_blocks {-quiet} {-of_objects} 1 1 $args]
    stub::found ipx::get_address_blocks $o block:[stub::is [dict get $o -of_objects] memory]:[dict get $o rest] block
}
proc ipx::add_address_block {name map} { return [stub::object block:[stub::is $map memory]:$name block] }
foreach command {create_xgui_files update_checksums check_integrity} {
    proc ipx::$command {core} { stub::is $core core; return }
}
# A master that says nothing gets an interconnect for two bursts at a time.
set stub::limits {NUM_READ_OUTSTANDING NUM_WRITE_OUTSTANDING MAX_BURST_LENGTH SUPPORTS_NARROW_BURST}
proc ipx::save_core {core} {
    stub::is $core core
    foreach bus [dict keys $stub::kind bus:m*_axi] {
        foreach name {NUM_READ_OUTSTANDING MAX_BURST_LENGTH SUPPORTS_NARROW_BURST} {
            if {![dict exists $stub::kind parameter:$bus:$name]} { stub::fail "$bus has no parameter $name" }
        }
    }
}
