# A strict stand-in for Vivado: tclsh stubs.tcl VERSION BOARD_FILES FOLDER [argument of build.tcl ...]
#
# Knows the commands that the flow uses, with their options; anything else is an error, as is a file that does not
# exist, a pin, interface, segment or parameter that an IP does not have, a double driver, a clock pin left open, a
# port of the wrong width. BOARD_FILES is 1 where the board files are installed. Versions of the IPs are made up and
# differ by release. It knows nothing of timing, and of Vivado only what these tables say.

namespace eval ipx {}
namespace eval stub {
    variable version
    variable board_files
    variable folder
    variable properties [dict create \
        project {board_part ip_repo_paths} fileset {top} core {name version display_name} \
        bus {master_address_space_ref slave_memory_map_ref} parameter {value} space {range width} block {range width} \
        map {physical_name} run {STATUS PROGRESS DIRECTORY} path {SLACK} segment {OFFSET RANGE} \
        design {BITSTREAM.GENERAL.COMPRESS BITSTREAM.CONFIG.OVERTEMPSHUTDOWN}]
    variable kind [dict create]
    variable value [dict create]
    # Cells (name to IP), nets (pin to driver), interface nets (pin to pin), addresses (space to segments), done things.
    variable cells [dict create]
    variable driver [dict create]
    variable joined [dict create]
    variable mapped [dict create]
    variable excluded [dict create]
    variable files [dict create sources_1 {} constrs_1 {}]
    variable packaged {}
    variable ports {}
    variable state [dict create]
}

# ---- arguments and objects

proc stub::fail {text} { return -code error "stub: $text" }

# Splits arguments into options and the rest; every option must be known.
proc stub::parse {command flags values least most arguments} {
    set found [dict create]
    set rest {}
    while {$arguments ne {}} {
        set arguments [lassign $arguments word]
        if {![regexp {^-[a-z]} $word]} {
            lappend rest $word
        } elseif {$word in $flags} {
            dict set found $word 1
        } elseif {$word in $values} {
            if {$arguments eq {}} { fail "$command: $word needs a value" }
            set arguments [lassign $arguments argument]
            dict set found $word $argument
        } else {
            fail "$command: unknown option $word"
        }
    }
    set count [llength $rest]
    if {$count < $least || $count > $most} { fail "$command: $count arguments, $least to $most are allowed" }
    dict set found rest $rest
    return $found
}

proc stub::option {options name {default ""}} {
    if {[dict exists $options $name]} { return [dict get $options $name] }
    return $default
}

proc stub::object {name what} { dict set stub::kind $name $what; return $name }
proc stub::is {name what} {
    if {![dict exists $stub::kind $name] || [dict get $stub::kind $name] ne $what} { fail "`$name` is no $what" }
    return $name
}
proc stub::is_file {path} { if {![file isfile $path]} { fail "no file $path" }; return $path }
proc stub::config {cell name} { return [dict get $stub::value $cell CONFIG.$name] }

# Answer of a get_ command: found, or empty with -quiet, or an error.
proc stub::found {command options name what} {
    if {[dict exists $stub::kind $name] && [dict get $stub::kind $name] eq $what} { return $name }
    if {[option $options -quiet 0]} { return "" }
    fail "$command: no $what `$name`"
}

proc set_property {args} {
    set o [stub::parse set_property {} {-dict} 1 3 $args]
    set rest [dict get $o rest]
    if {[dict exists $o -dict]} { set pairs [dict get $o -dict] } else { set pairs [lrange $rest 0 1] }
    set object [lindex $rest end]
    if {![dict exists $stub::kind $object]} { stub::fail "set_property: no object `$object`" }
    foreach {name value} $pairs {
        if {$name ni [list_property $object]} { stub::fail "set_property: $object has no property $name" }
        dict set stub::value $object $name $value
        stub::changed $object $name $value
    }
}
proc get_property {name object} {
    if {![dict exists $stub::kind $object]} { stub::fail "get_property: no object `$object`" }
    if {$name ni [list_property $object]} { stub::fail "get_property: $object has no property $name" }
    return [dict get $stub::value $object $name]
}
proc list_property {object} {
    set what [dict get $stub::kind $object]
    if {$what eq "cell"} { return [dict keys [dict get $stub::value $object]] }
    return [dict get $stub::properties $what]
}
proc stub::changed {object name value} {
    switch -- $name {
        CONFIG.PSU__CRL_APB__PL0_REF_CTRL__FREQMHZ { made_clock $object CONFIG.PSU__CRL_APB__PL0_REF_CTRL__ACT_FREQMHZ 1499.985 $value }
        CONFIG.PCW_FPGA0_PERIPHERAL_FREQMHZ { made_clock $object CONFIG.PCW_ACT_FPGA0_PERIPHERAL_FREQMHZ 1000.0 $value }
        board_part { if {$value ni [get_board_parts *]} { fail "no board part $value" } }
        ip_repo_paths { if {![file isfile $value/component.xml]} { fail "no IP in $value" } }
        top { if {$value ni {overlay system_wrapper}} { fail "no module $value" } }
    }
}
# The greatest frequency at or below the one asked for.
proc stub::made_clock {cell name pll wanted} {
    set best 0
    for {set a 1} {$a < 64} {incr a} {
        for {set b 1} {$b < 64} {incr b} {
            set f [expr {$pll / ($a * $b)}]
            if {$f <= $wanted + 1e-9 && $f > $best} { set best $f }
        }
    }
    dict set stub::value $cell $name [format %.6f $best]
}

# ---- project

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
    return [dict get $stub::state $name]
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

# ---- IP packager

proc stub::read_ports {} {
    variable ports {}
    foreach path [dict get $stub::files sources_1] {
        if {[file tail $path] ne "overlay.v"} continue
        set file [open $path]
        set text [read $file]
        close $file
        foreach {line direction range high name} \
            [regexp -all -inline -line {^  (input|output) wire (\[(\d+):0\] )?(\w+),?$} $text] {
            dict set ports $name [list $direction [expr {$high eq "" ? 1 : $high + 1}]]
        }
    }
    if {$ports eq {}} { fail "the sources hold no module overlay" }
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
    set known {araddr arlen arsize arburst arvalid arready rdata rresp rlast rvalid rready
        awaddr awlen awsize awburst awvalid awready wdata wstrb wlast wvalid wready bresp bvalid bready}
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
    if {$name ni {POLARITY READ_WRITE_MODE}} { stub::fail "unknown bus parameter $name" }
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
foreach command {create_xgui_files update_checksums check_integrity save_core} {
    proc ipx::$command {core} { stub::is $core core; return }
}

# ---- block design

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
# Parameters of an IP with their defaults.
proc stub::parameters {ip} {
    switch -- $ip {
        overlay { return {} }
        smartconnect { return {NUM_SI 1 NUM_MI 1 NUM_CLKS 1} }
        proc_sys_reset { return {C_EXT_RESET_HIGH 1 C_AUX_RESET_HIGH 0} }
        zynq_ultra_ps_e {
            set all {PSU__FPGA_PL0_ENABLE 0 PSU__CRL_APB__PL0_REF_CTRL__SRCSEL RPLL
                PSU__CRL_APB__PL0_REF_CTRL__FREQMHZ 100 PSU__CRL_APB__PL0_REF_CTRL__ACT_FREQMHZ 0
                PSU__USE__FABRIC__RST 0 PSU__NUM_FABRIC_RESETS 1 PSU__USE__S_AXI_ACP 0 PSU__USE__S_AXI_ACE 0
                PSU__USE__M_AXI_GP0 1 PSU__USE__M_AXI_GP1 1 PSU__USE__M_AXI_GP2 1 PSU__PSS_REF_CLK__FREQMHZ 33.333
                PSU__DDRC__MEMORY_TYPE {DDR 4} PSU__DDRC__BUS_WIDTH {32 Bit} PSU__DDRC__DRAM_WIDTH {8 Bits}
                PSU__DDRC__DEVICE_CAPACITY {4096 MBits} PSU__DDRC__BG_ADDR_COUNT 2 PSU__DDRC__ROW_ADDR_COUNT 15
                PSU__HIGH_ADDRESS__ENABLE 0 PSU__DDR_HIGH_ADDRESS_GUI_ENABLE 0}
            for {set i 0} {$i < 7} {incr i} { lappend all PSU__USE__S_AXI_GP$i 0 PSU__SAXIGP${i}__DATA_WIDTH 128 }
            return $all
        }
        processing_system7 {
            set all {PCW_EN_CLK0_PORT 0 PCW_FPGA_FCLK0_ENABLE 0 PCW_FCLK0_PERIPHERAL_CLKSRC {ARM PLL} PCW_EN_RST0_PORT 0
                PCW_FPGA0_PERIPHERAL_FREQMHZ 50 PCW_ACT_FPGA0_PERIPHERAL_FREQMHZ 0 PCW_USE_M_AXI_GP0 1
                PCW_USE_M_AXI_GP1 0 PCW_USE_S_AXI_GP0 0 PCW_USE_S_AXI_GP1 0 PCW_USE_S_AXI_ACP 0
                PCW_CRYSTAL_PERIPHERAL_FREQMHZ 33.333333 PCW_UIPARAM_DDR_BUS_WIDTH {32 Bit}
                PCW_UIPARAM_DDR_PARTNO {} PCW_UIPARAM_DDR_FREQ_MHZ 533}
            for {set i 0} {$i < 4} {incr i} { lappend all PCW_USE_S_AXI_HP$i 0 PCW_S_AXI_HP${i}_DATA_WIDTH 64 }
            return $all
        }
        default { fail "no IP $ip" }
    }
}
# Pins of a cell as it is set up: name, direction (I, O, clock, or slave, master for interfaces).
proc stub::pins {cell} {
    switch -- [dict get $stub::cells $cell] {
        smartconnect { return {aclk clock aresetn I S00_AXI slave M00_AXI master} }
        proc_sys_reset {
            return {slowest_sync_clk clock ext_reset_in I aux_reset_in I mb_debug_sys_rst I dcm_locked I mb_reset O
                bus_struct_reset O peripheral_reset O interconnect_aresetn O peripheral_aresetn O}
        }
        overlay {
            set pins {clk clock rst I}
            foreach bus [buses] { lappend pins $bus [expr {$bus eq "s_axi" ? "slave" : "master"}] }
            return $pins
        }
        zynq_ultra_ps_e {
            set pins {}
            if {[config $cell PSU__FPGA_PL0_ENABLE]} { lappend pins pl_clk0 O }
            if {[config $cell PSU__USE__FABRIC__RST]} { lappend pins pl_resetn0 O }
            foreach {port i} {HPM0_FPD 0 HPM1_FPD 1 HPM0_LPD 2} {
                if {[config $cell PSU__USE__M_AXI_GP$i]} { lappend pins M_AXI_$port master maxi[string tolower $port]_aclk clock }
            }
            foreach {port i} {HPC0 0 HPC1 1 HP0 2 HP1 3 HP2 4 HP3 5} {
                if {[config $cell PSU__USE__S_AXI_GP$i]} {
                    lappend pins S_AXI_${port}_FPD slave saxi[string tolower $port]_fpd_aclk clock
                }
            }
            return $pins
        }
        processing_system7 {
            set pins {}
            if {[config $cell PCW_EN_CLK0_PORT]} { lappend pins FCLK_CLK0 O }
            if {[config $cell PCW_EN_RST0_PORT]} { lappend pins FCLK_RESET0_N O }
            foreach port {M_AXI_GP0 M_AXI_GP1} {
                if {[config $cell PCW_USE_$port]} { lappend pins $port master ${port}_ACLK clock }
            }
            foreach port {S_AXI_HP0 S_AXI_HP1 S_AXI_HP2 S_AXI_HP3} {
                if {[config $cell PCW_USE_$port]} { lappend pins $port slave ${port}_ACLK clock }
            }
            return $pins
        }
    }
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

# ---- addresses

# Segments behind a slave port: name, base, bytes.
proc stub::segments {cell} {
    set all {}
    switch -- [dict get $stub::cells $cell] {
        zynq_ultra_ps_e {
            foreach {port i} {HPC0 0 HPC1 1 HP0 2 HP1 3 HP2 4 HP3 5} {
                if {![config $cell PSU__USE__S_AXI_GP$i]} continue
                lappend all SAXIGP$i/${port}_DDR_LOW 0 [expr {1 << 31}]
                if {[config $cell PSU__DDR_HIGH_ADDRESS_GUI_ENABLE]} {
                    lappend all SAXIGP$i/${port}_DDR_HIGH [expr {1 << 35}] [expr {1 << 35}]
                }
                lappend all SAXIGP$i/${port}_LPS_OCM 0xff000000 [expr {1 << 24}] SAXIGP$i/${port}_QSPI 0xc0000000 [expr {1 << 29}]
            }
        }
        processing_system7 {
            foreach port {HP0 HP1 HP2 HP3} {
                if {[config $cell PCW_USE_S_AXI_$port]} { lappend all S_AXI_$port/${port}_DDR_LOWOCM 0 [expr {1 << 29}] }
            }
        }
        overlay { lappend all s_axi/reg0 0 65536 }
    }
    return $all
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

# ---- judgement of the block design

proc stub::width {pin} {
    set cell [file dirname $pin]
    set name [file tail $pin]
    switch -- [dict get $stub::cells $cell] {
        overlay { return [lindex [dict get $stub::ports ${name}_rdata] 1] }
        zynq_ultra_ps_e {
            if {![regexp {^S_AXI_(\w+)_FPD} $name -> port]} { return 128 }
            return [config $cell PSU__SAXIGP[dict get {HPC0 0 HPC1 1 HP0 2 HP1 3 HP2 4 HP3 5} $port]__DATA_WIDTH]
        }
        processing_system7 { return [expr {[string match S_AXI_HP* $name] ? [config $cell PCW_${name}_DATA_WIDTH] : 32}] }
        smartconnect { return any }
    }
}
proc stub::axi3 {pin} { return [expr {[dict get $stub::cells [file dirname $pin]] eq "processing_system7"}] }
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
    stub::is_file $path
    if {![dict exists $stub::state validated]} { stub::fail "generate_target: the design was not validated" }
    set folder [dict get $stub::state path]/system.gen/sources_1/bd/system/hw_handoff
    file mkdir $folder
    close [open $folder/system.hwh w]
}
proc make_wrapper {args} {
    set o [stub::parse make_wrapper {-top} {-files} 0 0 $args]
    set wrapper [dict get $stub::state path]/system_wrapper.v
    stub::is_file [dict get $o -files]
    close [open $wrapper w]
    return $wrapper
}

# ---- runs and reports

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

# ---- constraints: they see the wrapper, which has no ports of the fabric

proc current_design {} { return [stub::object design design] }
proc get_ports {args} { stub::fail "get_ports: the design has no port $args" }
proc stub::constraints {} { foreach path [dict get $stub::files constrs_1] { uplevel #0 [list source $path] } }

# ---- run

# Tcl loads its own calendar on first use.
clock format 0 -gmt 1
proc unknown {name args} { stub::fail "unknown command $name" }
rename exit stub::leave
proc exit {args} { stub::fail "unknown command exit" }

set argv [lassign $argv stub::version stub::board_files stub::folder]
set argc [llength $argv]
cd $stub::folder
if {[catch {source build.tcl} message options]} {
    puts stderr [dict get $options -errorinfo]
    stub::leave 1
}
if {$stub::packaged ne {}} { puts "stub: packaged [join $stub::packaged]" }
stub::leave 0
