//! A board: part, what the processing system offers to the fabric, DDR. A new board is one file in `configs/boards`.

use crate::ddr::DdrTiming;
use serde::{Deserialize, Serialize};

/// Device families that the flow knows. They differ in the processing system, the DSP block and the memories.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum DeviceFamily {
    /// Zynq UltraScale+: DSP48E2, UltraRAM on some parts, ports of up to 128 bits.
    ZynqUltrascale,
    /// Zynq-7000: DSP48E1, no UltraRAM, ports of up to 64 bits.
    #[serde(rename = "zynq_7000")]
    Zynq7000,
}

impl DeviceFamily {
    /// Bits of the wider signed operand of one DSP block.
    pub fn multiplier_bits(self) -> u32 {
        match self {
            Self::ZynqUltrascale => 27,
            Self::Zynq7000 => 25,
        }
    }
    /// How the names of its parts begin.
    pub fn part_prefixes(self) -> &'static [&'static str] {
        match self {
            Self::ZynqUltrascale => &["xck", "xczu"],
            Self::Zynq7000 => &["xc7z"],
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

/// Dividers have six bits in both families.
const MAX_DIVIDER: u32 = 63;

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
        let dividers = move || 1..=self.max_divider.min(MAX_DIVIDER);
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
        self.base.saturating_add(self.bytes)
    }
    /// Whether an address lies in both.
    pub fn overlaps(self, other: Self) -> bool {
        self.base < other.end() && other.base < self.end()
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
    pub family: DeviceFamily,
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

    /// What is wrong with the description itself, for an overlay whose registers take so many bytes.
    pub fn fault(&self, csr_bytes: u32) -> Option<(&'static str, String)> {
        self.name_fault()
            .or_else(|| self.fabric_fault())
            .or_else(|| self.port_fault(csr_bytes))
            .or_else(|| self.memory_fault())
    }

    /// Names end up in file names and scripts.
    fn name_fault(&self) -> Option<(&'static str, String)> {
        let plain = |text: &str, more: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || more.contains(c));
        let rule = |found: &str, allowed: &str| format!("{found:?} is not made of {allowed}");
        let word = "letters, digits, - and _";
        if self.name.is_empty() || !plain(&self.name, "-_") {
            return Some(("name", rule(&self.name, word)));
        }
        if !plain(&self.suffix, "") {
            return Some(("suffix", rule(&self.suffix, "letters and digits")));
        }
        if !plain(&self.part, "-_") || !self.family.part_prefixes().iter().any(|p| self.part.starts_with(p)) {
            let prefixes = self.family.part_prefixes().join(" or ");
            return Some((
                "part",
                format!("{:?}: a part of this family begins with {prefixes}, {word} follow", self.part),
            ));
        }
        let board_part = self.board_part.as_ref().filter(|b| b.is_empty() || !plain(b, "-_.:"));
        board_part.map(|b| ("board_part", rule(b, "letters, digits, -, _, . and :")))
    }

    fn fabric_fault(&self) -> Option<(&'static str, String)> {
        let (r, clock) = (&self.resources, self.fabric_clock);
        if [r.lut, r.ff, r.dsp, r.bram36].contains(&0) {
            return Some(("resources", "every part has lut, ff, dsp and bram36; only uram may be 0".to_string()));
        }
        if clock.pll_khz == 0 || !(1..=MAX_DIVIDER).contains(&clock.max_divider) {
            let rule =
                format!("pll_khz must not be 0, and max_divider = {} is outside 1..={MAX_DIVIDER}", clock.max_divider);
            return Some(("fabric_clock", rule));
        }
        None
    }

    fn port_fault(&self, csr_bytes: u32) -> Option<(&'static str, String)> {
        let ports = &self.ports;
        if ports.is_empty() {
            return Some(("ports", "a board needs at least one memory port".to_string()));
        }
        if let Some(port) = ports.iter().find(|p| ![32, 64, 128].contains(&p.width)) {
            return Some(("ports", format!("{} has a width of {}; 32, 64 and 128 are allowed", port.name, port.width)));
        }
        let twice = (1..ports.len()).find(|i| ports[..*i].iter().any(|p| p.name == ports[*i].name));
        if let Some(i) = twice {
            return Some(("ports", format!("{} is listed twice", ports[i].name)));
        }
        let w = self.control.window;
        let legal = w.bytes.is_power_of_two() && w.bytes >= u64::from(csr_bytes) && w.base.is_multiple_of(w.bytes);
        if !legal || w.end() > 1 << self.family.address_bits() {
            let rule = format!(
                "{:#x} bytes at {:#x}: a power of two of at least {csr_bytes:#x}, at a multiple of itself, below {:#x} is needed",
                w.bytes,
                w.base,
                1u64 << self.family.address_bits()
            );
            return Some(("control.window", rule));
        }
        None
    }

    fn memory_fault(&self) -> Option<(&'static str, String)> {
        let ddr = &self.ddr;
        let hex = |w: Window| format!("{:#x}..{:#x}", w.base, w.end());
        if let Some(w) = ddr.windows.iter().find(|w| w.end() > 1 << self.family.address_bits()) {
            let rule = format!("{}: addresses of this family have {} bits", hex(*w), self.family.address_bits());
            return Some(("ddr.windows", rule));
        }
        let control = self.control.window;
        if let Some(w) = ddr.windows.iter().find(|w| w.overlaps(control)) {
            return Some(("ddr.windows", format!("{} meets control.window ({})", hex(*w), hex(control))));
        }
        let twice = (1..ddr.windows.len()).find(|i| ddr.windows[..*i].iter().any(|w| w.overlaps(ddr.windows[*i])));
        if let Some(i) = twice {
            return Some(("ddr.windows", format!("{} meets another one", hex(ddr.windows[i]))));
        }
        if ddr.reserved.bytes == 0 || !ddr.windows.iter().any(|w| w.contains(ddr.reserved)) {
            let windows: Vec<String> = ddr.windows.iter().map(|w| hex(*w)).collect();
            let rule = format!("{} lies in none of ddr.windows ({})", hex(ddr.reserved), windows.join(", "));
            return Some(("ddr.reserved", rule));
        }
        if !ddr.reserved.base.is_multiple_of(4096) {
            return Some(("ddr.reserved", format!("{:#x} is not a multiple of 4096", ddr.reserved.base)));
        }
        let t = ddr.timing;
        if t.mb_per_s == 0 || t.outstanding == 0 || t.refresh_stall_ns >= t.refresh_period_ns {
            let rule = "mb_per_s and outstanding must not be 0, refresh_stall_ns is less than refresh_period_ns";
            return Some(("ddr.timing", rule.to_string()));
        }
        None
    }
}
