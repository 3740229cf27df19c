# Used only where Vivado has no board files: what the block design and the address map need to know about the DDR, four
# 4 Gbit chips of 16 bits. Timings that only the boot loader programs are left at the IP's defaults: the board's own
# boot image sets up the memory, an overlay is loaded later.
set ps_config {
    CONFIG.PSU__PSS_REF_CLK__FREQMHZ {33.333}
    CONFIG.PSU__DDRC__MEMORY_TYPE {DDR 4}
    CONFIG.PSU__DDRC__BUS_WIDTH {64 Bit}
    CONFIG.PSU__DDRC__DRAM_WIDTH {16 Bits}
    CONFIG.PSU__DDRC__DEVICE_CAPACITY {4096 MBits}
    CONFIG.PSU__DDRC__BG_ADDR_COUNT {1}
    CONFIG.PSU__DDRC__ROW_ADDR_COUNT {15}
}
