# Stage `package`: the Verilog as an IP with one AXI4-Lite slave, the AXI4 masters, one clock and one reset.

proc sagen::stage_package {} {
    variable part
    variable masters
    variable slave_ports
    create_project package [work package] -part $part -force
    add_sources
    ipx::package_project -root_dir [work ip] -vendor sagen -library overlay -taxonomy /UserIP -import_files -force
    set core [ipx::current_core]
    set_property -dict {name overlay version 1.0 display_name {sagen overlay}} $core

    package_signal $core clk xilinx.com:signal:clock_rtl:1.0
    package_signal $core rst xilinx.com:signal:reset_rtl:1.0
    bus_parameter [ipx::get_bus_interfaces rst -of_objects $core] POLARITY ACTIVE_HIGH
    ipx::associate_bus_interfaces -clock clk -reset rst $core

    package_bus $core s_axi $slave_ports READ_WRITE
    package_registers $core
    foreach master $masters {
        lassign $master bus mode ps_port ps_clock direct segments ports parameters
        package_bus $core $bus $ports $mode
        foreach {name value} $parameters { bus_parameter [ipx::get_bus_interfaces $bus -of_objects $core] $name $value }
        package_address_space $core $bus
    }
    ipx::create_xgui_files $core
    ipx::update_checksums $core
    ipx::check_integrity $core
    ipx::save_core $core
    close_project
}

proc sagen::add_sources {} {
    variable folder
    variable sources
    variable top
    set files {}
    foreach {path hash} $sources { lappend files [file normalize [file join $folder .. $path]] }
    add_files -norecurse $files
    set_property top $top [current_fileset]
    update_compile_order -fileset sources_1
}

proc sagen::package_signal {core name definition} {
    if {[ipx::get_bus_interfaces $name -of_objects $core -quiet] eq ""} {
        ipx::infer_bus_interface $name $definition $core
    }
}

# Inferred by name; every port of the bus must have found its place in it.
proc sagen::package_bus {core bus ports mode} {
    if {[ipx::get_bus_interfaces $bus -of_objects $core -quiet] eq ""} {
        ipx::infer_bus_interface $ports xilinx.com:interface:aximm_rtl:1.0 $core
    }
    set interface [ipx::get_bus_interfaces $bus -of_objects $core]
    set mapped {}
    foreach map [ipx::get_port_maps -of_objects $interface] { lappend mapped [get_property physical_name $map] }
    foreach port $ports {
        if {$port ni $mapped} { error "port $port was not recognised as part of bus $bus" }
    }
    bus_parameter $interface READ_WRITE_MODE $mode
    ipx::associate_bus_interfaces -busif $bus -clock clk $core
}

proc sagen::bus_parameter {interface name value} {
    set parameter [ipx::get_bus_parameters $name -of_objects $interface -quiet]
    if {$parameter eq ""} { set parameter [ipx::add_bus_parameter $name $interface] }
    set_property value $value $parameter
}

proc sagen::package_registers {core} {
    variable control
    lassign $control port clock base range
    set map [ipx::get_memory_maps s_axi -of_objects $core -quiet]
    if {$map eq ""} { set map [ipx::add_memory_map s_axi $core] }
    set_property slave_memory_map_ref s_axi [ipx::get_bus_interfaces s_axi -of_objects $core]
    set block [ipx::get_address_blocks reg0 -of_objects $map -quiet]
    if {$block eq ""} { set block [ipx::add_address_block reg0 $map] }
    set_property range [expr {$range}] $block
    set_property width 32 $block
}

proc sagen::package_address_space {core bus} {
    set space [ipx::get_address_spaces $bus -of_objects $core -quiet]
    if {$space eq ""} { set space [ipx::add_address_space $bus $core] }
    set_property range [expr {1 << 40}] $space
    set_property master_address_space_ref $bus [ipx::get_bus_interfaces $bus -of_objects $core]
}
