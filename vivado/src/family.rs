//! Facts about the processing systems, by the port names that board files use: the only table of its kind.
//! Vivado's names are those of the IP `zynq_ultra_ps_e` (PG201) and of `processing_system7` (PG082).

use sagen_config::DeviceFamily;

/// A memory port of the processing system: a slave of the fabric's masters.
pub(crate) struct MemoryPort {
    pub(crate) name: &'static str,
    pub(crate) interface: &'static str,
    pub(crate) clock: &'static str,
    pub(crate) enable: &'static str,
    /// Parameter of the width; the port is left at the board's width.
    pub(crate) width: &'static str,
    /// Address segments of DDR: from zero, and above 4 GiB.
    pub(crate) low: &'static str,
    pub(crate) high: Option<&'static str>,
}

/// A master of the processing system that can reach the CSRs.
pub(crate) struct ControlPort {
    pub(crate) name: &'static str,
    pub(crate) interface: &'static str,
    pub(crate) clock: &'static str,
    pub(crate) enable: &'static str,
}

/// One family.
pub(crate) struct Facts {
    /// Name of the IP and of its automation rule.
    pub(crate) ps: &'static str,
    pub(crate) clock: &'static str,
    pub(crate) reset: &'static str,
    /// Memory ports speak AXI4; otherwise AXI3, with bursts of at most 16 beats.
    pub(crate) axi4: bool,
    /// What the automation rule makes external.
    pub(crate) external: &'static str,
    /// Parameter of the fabric clock's frequency in MHz, and the one that says what became of it.
    pub(crate) frequency: &'static str,
    pub(crate) actual_frequency: &'static str,
    /// Parameters set on every board.
    pub(crate) always: &'static [(&'static str, &'static str)],
    pub(crate) memory: &'static [MemoryPort],
    pub(crate) control: &'static [ControlPort],
    /// Ports outside the two tables that some preset enables and whose clock would stay open.
    pub(crate) disable: &'static [&'static str],
}

/// Facts about a family.
pub(crate) fn facts(family: DeviceFamily) -> &'static Facts {
    match family {
        DeviceFamily::ZynqUltrascale => &ZYNQ_ULTRASCALE,
        DeviceFamily::Zynq7000 => &ZYNQ_7000,
    }
}

macro_rules! ultrascale_port {
    ($name:literal, $interface:literal, $clock:literal, $gp:literal) => {
        MemoryPort {
            name: $name,
            interface: $interface,
            clock: $clock,
            enable: concat!("PSU__USE__S_AXI_GP", $gp),
            width: concat!("PSU__SAXIGP", $gp, "__DATA_WIDTH"),
            low: concat!("SAXIGP", $gp, "/", $name, "_DDR_LOW"),
            high: Some(concat!("SAXIGP", $gp, "/", $name, "_DDR_HIGH")),
        }
    };
}

static ZYNQ_ULTRASCALE: Facts = Facts {
    ps: "zynq_ultra_ps_e",
    clock: "pl_clk0",
    reset: "pl_resetn0",
    axi4: true,
    external: "",
    frequency: "PSU__CRL_APB__PL0_REF_CTRL__FREQMHZ",
    actual_frequency: "PSU__CRL_APB__PL0_REF_CTRL__ACT_FREQMHZ",
    always: &[
        ("PSU__FPGA_PL0_ENABLE", "1"),
        ("PSU__CRL_APB__PL0_REF_CTRL__SRCSEL", "IOPLL"),
        ("PSU__USE__FABRIC__RST", "1"),
        ("PSU__NUM_FABRIC_RESETS", "1"),
    ],
    memory: &[
        ultrascale_port!("HPC0", "S_AXI_HPC0_FPD", "saxihpc0_fpd_aclk", "0"),
        ultrascale_port!("HPC1", "S_AXI_HPC1_FPD", "saxihpc1_fpd_aclk", "1"),
        ultrascale_port!("HP0", "S_AXI_HP0_FPD", "saxihp0_fpd_aclk", "2"),
        ultrascale_port!("HP1", "S_AXI_HP1_FPD", "saxihp1_fpd_aclk", "3"),
        ultrascale_port!("HP2", "S_AXI_HP2_FPD", "saxihp2_fpd_aclk", "4"),
        ultrascale_port!("HP3", "S_AXI_HP3_FPD", "saxihp3_fpd_aclk", "5"),
    ],
    control: &[
        control("HPM0_FPD", "M_AXI_HPM0_FPD", "maxihpm0_fpd_aclk", "PSU__USE__M_AXI_GP0"),
        control("HPM1_FPD", "M_AXI_HPM1_FPD", "maxihpm1_fpd_aclk", "PSU__USE__M_AXI_GP1"),
        control("HPM0_LPD", "M_AXI_HPM0_LPD", "maxihpm0_lpd_aclk", "PSU__USE__M_AXI_GP2"),
    ],
    disable: &["PSU__USE__S_AXI_GP6", "PSU__USE__S_AXI_ACP", "PSU__USE__S_AXI_ACE"],
};

macro_rules! zynq_7000_port {
    ($name:literal) => {
        MemoryPort {
            name: $name,
            interface: concat!("S_AXI_", $name),
            clock: concat!("S_AXI_", $name, "_ACLK"),
            enable: concat!("PCW_USE_S_AXI_", $name),
            width: concat!("PCW_S_AXI_", $name, "_DATA_WIDTH"),
            low: concat!("S_AXI_", $name, "/", $name, "_DDR_LOWOCM"),
            high: None,
        }
    };
}

static ZYNQ_7000: Facts = Facts {
    ps: "processing_system7",
    clock: "FCLK_CLK0",
    reset: "FCLK_RESET0_N",
    axi4: false,
    external: "FIXED_IO, DDR",
    frequency: "PCW_FPGA0_PERIPHERAL_FREQMHZ",
    actual_frequency: "PCW_ACT_FPGA0_PERIPHERAL_FREQMHZ",
    always: &[
        ("PCW_EN_CLK0_PORT", "1"),
        ("PCW_FPGA_FCLK0_ENABLE", "1"),
        ("PCW_FCLK0_PERIPHERAL_CLKSRC", "IO PLL"),
        ("PCW_EN_RST0_PORT", "1"),
    ],
    memory: &[zynq_7000_port!("HP0"), zynq_7000_port!("HP1"), zynq_7000_port!("HP2"), zynq_7000_port!("HP3")],
    control: &[
        control("GP0", "M_AXI_GP0", "M_AXI_GP0_ACLK", "PCW_USE_M_AXI_GP0"),
        control("GP1", "M_AXI_GP1", "M_AXI_GP1_ACLK", "PCW_USE_M_AXI_GP1"),
    ],
    disable: &["PCW_USE_S_AXI_GP0", "PCW_USE_S_AXI_GP1", "PCW_USE_S_AXI_ACP"],
};

const fn control(
    name: &'static str,
    interface: &'static str,
    clock: &'static str,
    enable: &'static str,
) -> ControlPort {
    ControlPort { name, interface, clock, enable }
}
