# What the IPs have: parameters, pins, segments. Versions are made up.

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

# Width of an interface, and whether it speaks AXI3.
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
