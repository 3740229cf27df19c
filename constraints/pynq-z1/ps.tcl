# Used only where Vivado has no board files: crystal and DDR, one 4 Gbit chip of 16 bits. Delays of the board's traces
# are left at the IP's defaults: the board's own boot image sets up the memory, an overlay is loaded later.
set ps_config {
    CONFIG.PCW_CRYSTAL_PERIPHERAL_FREQMHZ {50}
    CONFIG.PCW_UIPARAM_DDR_BUS_WIDTH {16 Bit}
    CONFIG.PCW_UIPARAM_DDR_PARTNO {MT41J256M16 RE-125}
    CONFIG.PCW_UIPARAM_DDR_FREQ_MHZ {525}
}
