//! A compiled program: DDR map, initial image, routines of descriptors. It is the same for every token.

use crate::device::DeviceError;
use crate::overlay::StreamedConfig;
use crate::step::Slot;
use sagen_config::ConfigId;
use sagen_streamed_isa::{DESCRIPTOR_BYTES, Descriptor, FieldError};

/// What a region holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RegionKind {
    /// Descriptors.
    Descriptors,
    /// Streamed weight blocks of one port.
    Weights,
    /// Keys and values of one port.
    KvCache,
    /// Norm gains and other per-layer parameters.
    Parameters,
    /// Embedding and rotary tables.
    Tables,
    /// Logits and other results.
    Output,
}

/// A contiguous part of DDR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// For people.
    pub name: String,
    /// What it holds.
    pub kind: RegionKind,
    /// Byte address.
    pub base: u64,
    /// Length.
    pub bytes: u64,
}

impl Region {
    /// The overlay may write here.
    pub fn writable(&self) -> bool {
        matches!(self.kind, RegionKind::KvCache | RegionKind::Output)
    }
    /// Bytes that were never written read as zero instead of being an error: attention streams whole
    /// blocks of 16 keys.
    pub fn zeroed(&self) -> bool {
        self.kind == RegionKind::KvCache
    }
}

/// Initial contents of part of a region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Byte address.
    pub base: u64,
    /// Contents.
    pub bytes: Vec<u8>,
}

/// Where a descriptor comes from, for reports.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Label {
    /// Layer, where there is one.
    pub layer: Option<u32>,
    /// Tensor or operation.
    pub tensor: String,
}

impl std::fmt::Display for Label {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.layer {
            Some(layer) => write!(f, "layer {layer} {}", self.tensor),
            None => write!(f, "{}", self.tensor),
        }
    }
}

/// One descriptor and its origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// The descriptor.
    pub descriptor: Descriptor,
    /// Its origin.
    pub label: Label,
}

/// What a routine computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RoutineKind {
    /// All layers for 16 rows, no head.
    Prefill,
    /// Head of row `HEAD_ROW` of the last chunk.
    Head,
    /// All layers for one row of each of so many sequences, then the head.
    Decode {
        /// Sequences.
        rows: usize,
    },
    /// A test program.
    Test,
}

impl RoutineKind {
    /// The decode of one sequence.
    pub const DECODE: Self = Self::Decode { rows: 1 };
}

impl std::fmt::Display for RoutineKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Prefill => f.write_str("Prefill"),
            Self::Head => f.write_str("Head"),
            Self::Decode { rows: 1 } => f.write_str("Decode"),
            Self::Decode { rows } => write!(f, "Decode of {rows} rows"),
            Self::Test => f.write_str("Test"),
        }
    }
}

/// A sequence of descriptors that is started as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routine {
    /// What it computes.
    pub kind: RoutineKind,
    /// The sequence whose keys and values it works on; of several, the first.
    pub slot: Slot,
    /// Address of its descriptors in DDR.
    pub address: u64,
    /// Its descriptors.
    pub steps: Vec<Instruction>,
}

impl Routine {
    /// The bytes at `address`.
    pub fn encode(&self) -> Result<Vec<u8>, FieldError> {
        let mut bytes = Vec::with_capacity(self.steps.len() * DESCRIPTOR_BYTES);
        for step in &self.steps {
            for word in step.descriptor.encode()? {
                bytes.extend_from_slice(&word.to_le_bytes());
            }
        }
        Ok(bytes)
    }
}

/// Everything that a device needs to run a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Name of the overlay that it was compiled for.
    pub overlay: String,
    /// The overlay's identity.
    pub id: ConfigId,
    /// DDR map, ascending, not overlapping.
    pub regions: Vec<Region>,
    /// Initial contents, descriptors included.
    pub image: Vec<Segment>,
    /// Routines.
    pub routines: Vec<Routine>,
}

impl Program {
    /// An empty one for an overlay.
    pub fn of(overlay: &StreamedConfig) -> Self {
        Self { overlay: overlay.name().to_string(), id: overlay.id(), ..Self::default() }
    }
    /// A device runs programs of its own overlay only: names may be alike, identities are not.
    pub fn belongs_to(&self, overlay: &StreamedConfig) -> Result<(), DeviceError> {
        if self.id == overlay.id() {
            return Ok(());
        }
        let (found, own) = (&self.overlay, overlay.name());
        let (id, own_id) = (self.id.short(), overlay.id().short());
        Err(DeviceError::Failed(format!("the program is for overlay {found} ({id}), this is {own} ({own_id})")))
    }
    /// The routine of a kind that works on a slot.
    pub fn routine(&self, kind: RoutineKind, slot: Slot) -> Option<&Routine> {
        self.routines.iter().find(|r| r.kind == kind && r.slot == slot)
    }
    /// The region that holds an address.
    pub fn region_of(&self, address: u64) -> Option<&Region> {
        self.regions.iter().find(|r| (r.base..r.base + r.bytes).contains(&address))
    }
}
