//! What a device cell costs and how many logic levels it adds. `docs/estimate.md` states the same rules in words, and a
//! test compares the two.

use super::netlist::{Cell, Registers};

/// Levels of a look-up table.
pub const LUT: u32 = 1;
/// Levels of a carry chain, counted where it is entered.
pub const CARRY: u32 = 1;
/// Levels from the address of a distributed RAM to its data, and from its contents.
pub const DISTRIBUTED_RAM: u32 = 1;
/// Levels at the output of a shift register in LUTs.
pub const SHIFT_REGISTER: u32 = 1;
/// Levels at the output of a block RAM or UltraRAM.
pub const MEMORY_OUTPUT: u32 = 2;
/// Levels of a DSP block from operand to output without registers.
pub const DSP: u32 = 4;
/// Levels of each half of a DSP block: before and after the register behind the multiplier; also from C to the output.
pub const DSP_HALF: u32 = 2;

/// Rows of the table in `docs/estimate.md`: what is passed, levels.
pub const TABLE: [(&str, u32); 9] = [
    ("look-up table", LUT),
    ("carry chain, counted where it is entered", CARRY),
    ("wide multiplexer (MUXF7, MUXF8, MUXF9), inverter, buffer", 0),
    ("distributed RAM, address or contents to output", DISTRIBUTED_RAM),
    ("shift register in LUTs, output", SHIFT_REGISTER),
    ("block RAM or UltraRAM, output", MEMORY_OUTPUT),
    ("DSP block, operand (or its register) to output without a register in between", DSP),
    ("DSP block, each side of the register behind the multiplier", DSP_HALF),
    ("flip-flop, DSP output register, DSP operand register, memory input", 0),
];

/// What a cell is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A look-up table.
    Lut,
    /// Logic that is not counted: wide multiplexers, inverters, buffers.
    Free,
    /// Four or eight bits of a carry chain.
    Carry,
    /// A flip-flop.
    FlipFlop,
    /// A memory made of this many LUTs.
    DistributedRam(u64),
    /// A shift register in one LUT.
    ShiftRegister,
    /// A block RAM of this many halves.
    BlockRam(u64),
    /// An UltraRAM.
    UltraRam,
    /// A DSP block.
    Dsp(Registers),
}

/// What a cell is; nothing for an unknown one.
pub fn kind(cell: &Cell) -> Option<Kind> {
    Some(match cell.kind.as_str() {
        "LUT1" | "LUT2" | "LUT3" | "LUT4" | "LUT5" | "LUT6" => Kind::Lut,
        "MUXF7" | "MUXF8" | "MUXF9" | "INV" | "BUFG" | "GND" | "VCC" => Kind::Free,
        "CARRY4" | "CARRY8" => Kind::Carry,
        "FDRE" | "FDSE" | "FDCE" | "FDPE" => Kind::FlipFlop,
        "RAM32X1S" | "RAM64X1S" => Kind::DistributedRam(1),
        "RAM32X1D" | "RAM64X1D" => Kind::DistributedRam(2),
        "RAM32M" | "RAM64M" | "RAM128X1D" => Kind::DistributedRam(4),
        "RAM32M16" | "RAM64M8" | "RAM256X1D" => Kind::DistributedRam(8),
        "SRL16E" | "SRLC32E" => Kind::ShiftRegister,
        "RAMB18E1" | "RAMB18E2" => Kind::BlockRam(1),
        "RAMB36E1" | "RAMB36E2" => Kind::BlockRam(2),
        "URAM288" | "URAM288_BASE" => Kind::UltraRam,
        "DSP48E1" | "DSP48E2" => Kind::Dsp(cell.parameters),
        _ => return None,
    })
}

/// Where a value goes once it has reached a pin of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Nowhere: the pin is a clock.
    Clock,
    /// Into a register, this many levels behind the pin.
    Register(u32),
    /// To every output, this many levels further.
    Outputs(u32),
    /// Both: into the contents, and to every output.
    Both(u32),
}

impl Kind {
    /// What happens behind an input pin.
    pub fn entry(self, pin: &str) -> Entry {
        match self {
            Self::Lut => Entry::Outputs(LUT),
            Self::Carry if matches!(pin, "DI" | "S") => Entry::Outputs(CARRY),
            Self::Carry | Self::Free => Entry::Outputs(0),
            Self::FlipFlop if pin == "C" => Entry::Clock,
            Self::Dsp(_) | Self::ShiftRegister if pin == "CLK" => Entry::Clock,
            Self::BlockRam(_) | Self::UltraRam if pin.contains("CLK") => Entry::Clock,
            Self::DistributedRam(_) if pin == "WCLK" => Entry::Clock,
            Self::DistributedRam(_) if reads(pin) => Entry::Both(DISTRIBUTED_RAM),
            Self::FlipFlop | Self::DistributedRam(_) | Self::ShiftRegister => Entry::Register(0),
            Self::BlockRam(_) | Self::UltraRam => Entry::Register(0),
            Self::Dsp(registers) => registers.entry(pin),
        }
    }

    /// Levels at an output that starts at a clock edge inside the cell.
    pub fn start(self) -> Option<u32> {
        match self {
            Self::Lut | Self::Free | Self::Carry => None,
            Self::FlipFlop => Some(0),
            Self::DistributedRam(_) => Some(DISTRIBUTED_RAM),
            Self::ShiftRegister => Some(SHIFT_REGISTER),
            Self::BlockRam(_) | Self::UltraRam => Some(MEMORY_OUTPUT),
            Self::Dsp(registers) => registers.start(),
        }
    }
}

fn reads(pin: &str) -> bool {
    ["ADDR", "DPRA"].iter().any(|p| pin.starts_with(p)) || matches!(pin, "A" | "A0" | "A1" | "A2" | "A3" | "A4" | "A5")
}

impl Registers {
    fn entry(self, pin: &str) -> Entry {
        let multiplied = matches!(pin, "A" | "B");
        let registered = match pin {
            "A" => self.areg.0 > 0,
            "B" => self.breg.0 > 0,
            "C" => self.creg.0 > 0,
            control => control.starts_with("CE") || control.starts_with("RST"),
        };
        let (product, output) = (self.mreg.0 > 0, self.preg.0 > 0);
        match (registered, product, output) {
            (true, _, _) => Entry::Register(0),
            (false, true, _) => Entry::Register(if multiplied { DSP_HALF } else { 0 }),
            (false, false, true) => Entry::Register(if pin == "C" { 0 } else { DSP }),
            (false, false, false) => Entry::Outputs(if multiplied { DSP } else { DSP_HALF }),
        }
    }

    fn start(self) -> Option<u32> {
        let operand = self.areg.0 > 0 || self.breg.0 > 0 || self.creg.0 > 0;
        match (self.preg.0 > 0, self.mreg.0 > 0, operand) {
            (true, _, _) => Some(0),
            (false, true, _) => Some(DSP_HALF),
            (false, false, true) => Some(DSP),
            (false, false, false) => None,
        }
    }
}
