//! Overlay configuration: `StreamedFile` is what a person writes, `StreamedConfig` what can be built.
//! Every width and depth that follows from a field is derived here, once.

use crate::fields;
use crate::layout::Beat;
use sagen_config::{Board, ConfigId, Family, canonical};
use sagen_streamed_isa::{BLOCK_ROWS, WORD_BYTES};
use serde::{Deserialize, Serialize};

/// Systolic arrays.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct ArrayFile {
    /// Rows and columns of one array.
    pub side: u32,
    /// Arrays side by side.
    pub count: u32,
}

/// Memory ports.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct PortsFile {
    /// Data bits of each port.
    pub width: u32,
    /// Ports in all.
    pub total: u32,
    /// Ports that feed the weight stream.
    pub stream: u32,
}

/// On-chip memories.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct ScratchpadFile {
    /// Words of 64 bytes for 32-bit elements.
    pub vector_words: u32,
    /// Words of 64 int8 codes.
    pub code_words: u32,
    /// Keys that the score buffer holds.
    pub score_rows: u32,
}

/// An overlay config as written.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct StreamedFile {
    /// Must end with the name derived from the fields.
    pub name: String,
    /// Always this one.
    #[serde(default)]
    pub family: Family,
    /// Board, by name.
    pub board: String,
    /// Clock in MHz.
    pub clock_mhz: u32,
    /// Systolic arrays.
    pub array: ArrayFile,
    /// Memory ports.
    pub ports: PortsFile,
    /// Lanes of the vector unit.
    pub vector_lanes: u32,
    /// Bytes of the prefetch FIFO over all stream ports.
    pub prefetch_bytes: u32,
    /// On-chip memories.
    pub scratchpad: ScratchpadFile,
}

/// A buildable overlay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamedConfig {
    file: StreamedFile,
    board: Board,
}

/// Why an overlay cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StreamedError {
    /// A field has a value outside its list.
    #[error("{field} = {found} is not one of {allowed}")]
    NotAllowed {
        /// Field path.
        field: &'static str,
        /// Value found.
        found: String,
        /// Values allowed.
        allowed: String,
    },
    /// A field lies outside its range.
    #[error("{field} = {found} is outside {min}..={max}")]
    OutOfRange {
        /// Field path.
        field: &'static str,
        /// Value found.
        found: u32,
        /// Least value.
        min: u32,
        /// Greatest value.
        max: u32,
    },
    /// More stream ports than ports.
    #[error("ports.stream = {stream} is more than ports.total = {total}")]
    StreamPorts {
        /// Stream ports.
        stream: u32,
        /// Ports.
        total: u32,
    },
    /// Ports that nothing would use.
    #[error(
        "ports.total = {total} leaves {spare} port(s) unused: ports.stream = {stream} plus at most one load/store and one command port"
    )]
    SparePorts {
        /// Ports.
        total: u32,
        /// Stream ports.
        stream: u32,
        /// Unused ones.
        spare: u32,
    },
    /// A beat wider than a group.
    #[error("ports.stream = {stream} x ports.width = {width} bits make a beat of {beat} bytes, at most 64 are allowed")]
    BeatTooWide {
        /// Stream ports.
        stream: u32,
        /// Port width.
        width: u32,
        /// Bytes.
        beat: u32,
    },
    /// Name and fields disagree.
    #[error(
        "name = {found} does not match the fields, which make {derived}; `{derived}` and `word_{derived}` are allowed"
    )]
    Name {
        /// Name found.
        found: String,
        /// Name derived.
        derived: String,
    },
    /// The field and the board named disagree.
    #[error("board = {found}, but the board given is {given}")]
    Board {
        /// Board named.
        found: String,
        /// Board given.
        given: String,
    },
    /// A board that is wrong in itself.
    #[error("board {board}: {field}: {rule}")]
    BoardFile {
        /// Board.
        board: String,
        /// Field path.
        field: &'static str,
        /// The rule broken, with the values involved.
        rule: String,
    },
    /// A value that the rest of the config does not allow.
    #[error("{field} = {found}: {rule}")]
    Rule {
        /// Field path.
        field: &'static str,
        /// Value found.
        found: String,
        /// The rule broken, with the values involved.
        rule: String,
    },
}

impl StreamedConfig {
    /// Check a config against its board.
    pub fn new(file: StreamedFile, board: Board) -> Result<Self, StreamedError> {
        if file.board != board.name {
            return Err(StreamedError::Board { found: file.board, given: board.name });
        }
        if let Some((field, rule)) = board.fault(sagen_streamed_isa::CSR_BYTES) {
            return Err(StreamedError::BoardFile { board: board.name, field, rule });
        }
        fields::check(&file)?;
        check_ports(&file, &board)?;
        let overlay = Self { file, board };
        let derived = overlay.derived_name();
        if !named_after(&overlay.file.name, &derived) {
            return Err(StreamedError::Name { found: overlay.file.name, derived });
        }
        overlay.check_clock()?;
        Ok(overlay)
    }

    fn check_clock(&self) -> Result<(), StreamedError> {
        let (mhz, board) = (self.clock_mhz(), &self.board);
        if board.fabric_clock.nearest(1000 * mhz).is_some() {
            return Ok(());
        }
        let around = board.fabric_clock.around(1000 * mhz);
        let made: Vec<String> = [around.0, around.1].iter().flatten().map(|f| format!("{} kHz", f)).collect();
        let rule = format!("board {} cannot make it; the nearest clocks are {}", board.name, made.join(" and "));
        Err(StreamedError::Rule { field: "clock_mhz", found: mhz.to_string(), rule })
    }

    fn derived_name(&self) -> String {
        let f = &self.file;
        let mut name = format!("d{}_{}mhz", f.array.side, f.clock_mhz);
        if (f.ports.width, f.ports.total) != (64, 1) {
            name += &format!("_w{}_p{}", f.ports.width, f.ports.total);
        }
        if f.ports.stream != f.ports.total.saturating_sub(2).max(1) {
            name += &format!("_np{}", f.ports.stream);
        }
        if f.array.count > 1 {
            name += &format!("_a{}", f.array.count);
        }
        if !self.board.suffix.is_empty() {
            name += &format!("_{}", self.board.suffix);
        }
        name
    }

    /// The same values on another board, called `stem` where that is a name for them, after it otherwise.
    pub fn on_board(&self, board: &Board, stem: &str) -> Result<Self, StreamedError> {
        let called = |name: String| {
            let file = StreamedFile { name, board: board.name.clone(), ..self.file.clone() };
            Self::new(file, board.clone())
        };
        match called(stem.to_string()) {
            Err(StreamedError::Name { derived, .. }) => {
                called(format!("{stem}_{derived}")).or_else(|_| called(derived))
            }
            other => other,
        }
    }

    /// The config as JSON without spaces, keys in the order of `StreamedFile`: what it is identified by.
    pub fn canonical(&self) -> String {
        canonical(&self.file)
    }
    /// Its identity, which programs carry.
    pub fn id(&self) -> ConfigId {
        ConfigId::of(&self.canonical(), &self.board)
    }
    /// The config as written.
    pub fn file(&self) -> &StreamedFile {
        &self.file
    }
    /// The board.
    pub fn board(&self) -> &Board {
        &self.board
    }
    /// Name.
    pub fn name(&self) -> &str {
        &self.file.name
    }
    /// Clock in MHz.
    pub fn clock_mhz(&self) -> u32 {
        self.file.clock_mhz
    }
    /// LUT levels that may lie between two registers at this clock.
    pub fn logic_levels(&self) -> u32 {
        if self.clock_mhz() <= 125 { 12 } else { 6 }
    }
    /// The clock asks for registers where a slower one needs none: after multipliers, between wide adders, in long
    /// chains of decisions.
    pub fn deep_pipeline(&self) -> bool {
        self.logic_levels() < 12
    }
    /// Lanes of the vector unit; a word of 16 elements takes `16 / lanes` cycles.
    pub fn vector_lanes(&self) -> usize {
        self.file.vector_lanes as usize
    }
    /// Rows and columns of one systolic array.
    pub fn side(&self) -> usize {
        self.file.array.side as usize
    }
    /// Systolic arrays.
    pub fn arrays(&self) -> usize {
        self.file.array.count as usize
    }
    /// Ports in all.
    pub fn ports(&self) -> usize {
        self.file.ports.total as usize
    }
    /// Ports of the weight stream: masters 0..n.
    pub fn stream_ports(&self) -> usize {
        self.file.ports.stream as usize
    }
    /// Master that loads and stores go through.
    pub fn data_port(&self) -> usize {
        self.stream_ports().min(self.ports() - 1)
    }
    /// Master that descriptors are fetched through.
    pub fn command_port(&self) -> usize {
        (self.stream_ports() + 1).min(self.ports() - 1)
    }
    /// Bytes of one transfer of one port.
    pub fn port_bytes(&self) -> usize {
        self.file.ports.width as usize / 8
    }
    /// Bytes of one beat: one transfer of every stream port.
    pub fn beat_bytes(&self) -> usize {
        self.stream_ports() * self.port_bytes()
    }
    /// The cut of a beat over the ports.
    pub fn beat(&self) -> Beat {
        Beat { port_bytes: self.port_bytes(), ports: self.stream_ports() }
    }
    /// Beats that the prefetch FIFO of each port holds.
    pub fn prefetch_beats(&self) -> usize {
        self.file.prefetch_bytes as usize / self.beat_bytes()
    }
    /// Scratchpad words of 64 bytes.
    pub fn scratch_words(&self) -> usize {
        self.file.scratchpad.vector_words as usize
    }
    /// Code-memory words of 64 codes.
    pub fn code_words(&self) -> usize {
        self.file.scratchpad.code_words as usize
    }
    /// Keys that the score buffer holds.
    pub fn score_rows(&self) -> usize {
        self.file.scratchpad.score_rows as usize
    }
}

/// Names tell the main fields; overlays that agree in these are told apart by a word before.
fn named_after(name: &str, derived: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-".contains(c);
    let word = |before: &str| before.strip_suffix('_').is_some_and(|w| !w.is_empty() && w.chars().all(plain));
    name.strip_suffix(derived).is_some_and(|before| before.is_empty() || word(before))
}

fn within(field: &'static str, found: u32, min: u32, max: u32) -> Result<(), StreamedError> {
    if (min..=max).contains(&found) {
        return Ok(());
    }
    Err(StreamedError::OutOfRange { field, found, min, max })
}

fn check_ports(f: &StreamedFile, board: &Board) -> Result<(), StreamedError> {
    let p = &f.ports;
    if p.stream > p.total {
        return Err(StreamedError::StreamPorts { stream: p.stream, total: p.total });
    }
    if p.total > p.stream + 2 {
        let spare = p.total - p.stream - 2;
        return Err(StreamedError::SparePorts { total: p.total, stream: p.stream, spare });
    }
    within("ports.total", p.total, 1, board.ports.len() as u32)?;
    if let Some(narrow) = board.ports[..p.total as usize].iter().find(|b| p.width > b.width) {
        let rule = format!("port {} of board {} has {} bits", narrow.name, board.name, narrow.width);
        return Err(StreamedError::Rule { field: "ports.width", found: p.width.to_string(), rule });
    }
    let beat = p.stream * p.width / 8;
    if beat > WORD_BYTES as u32 {
        return Err(StreamedError::BeatTooWide { stream: p.stream, width: p.width, beat });
    }
    // A weight block has 16 rows: a wider array is halves side by side that take different channels.
    let channels = f.array.side * (f.array.side / BLOCK_ROWS as u32).max(1);
    let step = channels * f.array.count;
    if step > beat.max(channels) {
        let rule = format!(
            "arrays of side {} take {channels} channels each, {step} together, and a beat has {beat}",
            f.array.side
        );
        return Err(StreamedError::Rule { field: "array.count", found: f.array.count.to_string(), rule });
    }
    Ok(())
}
