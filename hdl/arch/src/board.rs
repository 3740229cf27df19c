//! A board: part, what the processing system offers to the fabric, DDR. A new board is one file in `configs/boards`.

use crate::ddr::DdrTiming;
use serde::{Deserialize, Serialize};

/// Device families that the flow knows. They differ in the processing system, the DSP block and the memories.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// Zynq UltraScale+: DSP48E2, UltraRAM on some parts, ports of up to 128 bits.
    ZynqUltrascale,
    /// Zynq-7000: DSP48E1, no UltraRAM, ports of up to 64 bits.
    #[serde(rename = "zynq_7000")]
    Zynq7000,
}

impl Family {
    /// Bits of the wider signed operand of one DSP block.
    pub fn multiplier_bits(self) -> u32 {
        match self {
            Self::ZynqUltrascale => 27,
            Self::Zynq7000 => 25,
        }
    }
    /// Bits of an AXI address that the processing system decodes.
    pub fn address_bits(self) -> u32 {
        match self {
            Self::ZynqUltrascale => 40,
            Self::Zynq7000 => 32,
        }
    }
}

/// What the part holds.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Resources {
    /// Look-up tables.
    pub lut: u32,
    /// Flip-flops.
    pub ff: u32,
    /// DSP blocks.
    pub dsp: u32,
    /// Block RAMs of 36 Kbit.
    pub bram36: u32,
    /// UltraRAMs of 288 Kbit.
    pub uram: u32,
}

/// The fabric clock that the processing system makes: a PLL behind two dividers.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct FabricClock {
    /// Frequency of the PLL in kHz.
    pub pll_khz: u32,
    /// Each divider is 1 ..= this.
    pub max_divider: u32,
}

impl FabricClock {
    /// The greatest frequency in kHz at or below the one asked for (0.1 % of overshoot allowed), and the next above.
    pub fn around(self, khz: u32) -> (Option<u32>, Option<u32>) {
        let limit = khz + khz / 1000;
        let below = self.frequencies().filter(|f| *f <= limit).max();
        let above = self.frequencies().filter(|f| *f > limit).min();
        (below, above)
    }

    /// The frequency in kHz made for `khz`, where one lies within 0.1 %.
    pub fn nearest(self, khz: u32) -> Option<u32> {
        self.around(khz).0.filter(|f| f.abs_diff(khz) <= khz / 1000)
    }

    fn frequencies(self) -> impl Iterator<Item = u32> {
        let dividers = move || 1..=self.max_divider;
        dividers().flat_map(move |a| dividers().map(move |b| self.pll_khz / (a * b)))
    }
}

/// A memory port of the processing system, in the order in which overlays use them.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct BoardPort {
    /// Name, as the processing system's documentation gives it: HP0, HPC0.
    pub name: String,
    /// Widest data path in bits.
    pub width: u32,
}

/// A range of addresses.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// First address.
    pub base: u64,
    /// Bytes.
    pub bytes: u64,
}

impl Window {
    /// First address after it.
    pub fn end(self) -> u64 {
        self.base + self.bytes
    }
    /// Whether the other range lies inside.
    pub fn contains(self, other: Self) -> bool {
        self.base <= other.base && other.end() <= self.end()
    }
}

/// The processing system's master port that reaches the CSRs.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct ControlPort {
    /// Name, as the processing system's documentation gives it: HPM0_FPD, GP0.
    pub name: String,
    /// Where the CSRs lie.
    pub window: Window,
}

/// The DDR behind the memory ports.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct BoardDdr {
    /// Ranges in which the memory ports see it.
    pub windows: Vec<Window>,
    /// The part of it that the operating system leaves to the overlay: programs, weights, caches.
    pub reserved: Window,
    /// How it answers.
    pub timing: DdrTiming,
}

/// A board, as written in `configs/boards/<name>.yaml`.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Board {
    /// Name, as the file's.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// FPGA part.
    pub part: String,
    /// Vivado's board part without its version, used where the board files are installed.
    pub board_part: Option<String>,
    /// Device family.
    pub family: Family,
    /// Short form used in overlay names; empty for the default board.
    pub suffix: String,
    /// What the part holds.
    pub resources: Resources,
    /// The clock of the fabric.
    pub fabric_clock: FabricClock,
    /// Memory ports.
    pub ports: Vec<BoardPort>,
    /// Where the CSRs are reached.
    pub control: ControlPort,
    /// Memory.
    pub ddr: BoardDdr,
}

impl Board {
    /// The part has UltraRAM.
    pub fn ultra_ram(&self) -> bool {
        self.resources.uram > 0
    }

    /// What is wrong with the description itself.
    pub(crate) fn fault(&self) -> Option<(&'static str, String)> {
        let ddr = &self.ddr;
        let hex = |w: Window| format!("{:#x}..{:#x}", w.base, w.end());
        if self.ports.is_empty() {
            return Some(("ports", "a board needs at least one memory port".to_string()));
        }
        if let Some(port) = self.ports.iter().find(|p| ![32, 64, 128].contains(&p.width)) {
            return Some(("ports", format!("{} has a width of {}; 32, 64 and 128 are allowed", port.name, port.width)));
        }
        if !ddr.windows.iter().any(|w| w.contains(ddr.reserved)) {
            let windows: Vec<String> = ddr.windows.iter().map(|w| hex(*w)).collect();
            let rule = format!("{} lies in none of ddr.windows ({})", hex(ddr.reserved), windows.join(", "));
            return Some(("ddr.reserved", rule));
        }
        if !ddr.reserved.base.is_multiple_of(4096) {
            return Some(("ddr.reserved", format!("{:#x} is not a multiple of 4096", ddr.reserved.base)));
        }
        if ddr.windows.iter().any(|w| w.end() > 1 << self.family.address_bits()) {
            let rule = format!("addresses of this family have {} bits", self.family.address_bits());
            return Some(("ddr.windows", rule));
        }
        if self.fabric_clock.pll_khz == 0 || self.fabric_clock.max_divider == 0 {
            return Some(("fabric_clock", "the PLL and the dividers must not be zero".to_string()));
        }
        None
    }
}
