//! What one descriptor left behind, in a form that does not depend on the order of its writes.

use super::Machine;
use super::extent::Extent;
use sagen_streamed_isa::{GROUP, WORD_BYTES};
use std::collections::{BTreeMap, BTreeSet};

/// One piece of changed state. `canonical` gives the order and granularity that comparisons rely on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Write {
    /// A run of DDR bytes.
    Ddr {
        /// Byte address.
        address: u64,
        /// Contents.
        bytes: Vec<u8>,
    },
    /// A scratchpad word, lanes little endian.
    Scratch {
        /// Word.
        word: u32,
        /// Bit i: byte i was written; other bytes are zero here.
        mask: u64,
        /// Contents.
        bytes: [u8; WORD_BYTES],
    },
    /// A code word.
    Code {
        /// Word.
        word: u32,
        /// Codes.
        codes: [i8; GROUP],
        /// Group shift.
        shift: u8,
    },
    /// An entry of the scale file.
    Scale {
        /// Entry.
        entry: u32,
        /// Mantissa, and the exponent's 8 bits above it.
        value: u32,
    },
    /// A step register.
    Register {
        /// Index.
        index: u32,
        /// Contents.
        value: u32,
    },
}

/// Sort writes, join those to one word, and join adjacent DDR runs. Where two writes meet the later one wins.
pub fn canonical(writes: impl IntoIterator<Item = Write>) -> Vec<Write> {
    let mut ddr: BTreeMap<u64, u8> = BTreeMap::new();
    let mut words: BTreeMap<(u8, u32), Write> = BTreeMap::new();
    for write in writes {
        let key = match &write {
            Write::Ddr { address, bytes } => {
                ddr.extend(bytes.iter().enumerate().map(|(i, b)| (address + i as u64, *b)));
                continue;
            }
            Write::Scratch { word, .. } => (0, *word),
            Write::Code { word, .. } => (1, *word),
            Write::Scale { entry, .. } => (2, *entry),
            Write::Register { index, .. } => (3, *index),
        };
        let joined = match words.remove(&key) {
            Some(earlier) => over(earlier, write),
            None => write,
        };
        words.insert(key, joined);
    }
    runs(ddr).into_iter().chain(words.into_values()).collect()
}

/// The later of two writes to one word, completed by the bytes that only the earlier one wrote.
fn over(earlier: Write, later: Write) -> Write {
    match (earlier, later) {
        (Write::Scratch { mask: old, bytes: below, .. }, Write::Scratch { word, mask, mut bytes }) => {
            for (i, byte) in bytes.iter_mut().enumerate().filter(|(i, _)| mask >> i & 1 == 0) {
                *byte = below[i];
            }
            Write::Scratch { word, mask: mask | old, bytes }
        }
        (_, later) => later,
    }
}

fn runs(bytes: BTreeMap<u64, u8>) -> Vec<Write> {
    let mut all: Vec<Write> = Vec::new();
    for (at, byte) in bytes {
        match all.last_mut() {
            Some(Write::Ddr { address, bytes }) if *address + bytes.len() as u64 == at => bytes.push(byte),
            _ => all.push(Write::Ddr { address: at, bytes: vec![byte] }),
        }
    }
    all
}

/// Where the present descriptor wrote. Contents are read back when it has finished.
#[derive(Default)]
pub(crate) struct Touched {
    pub(crate) on: bool,
    ddr: Vec<(u64, u64)>,
    scratch: BTreeMap<usize, u64>,
    code: BTreeSet<usize>,
    scale: BTreeSet<usize>,
    registers: BTreeSet<usize>,
}

impl Touched {
    pub(crate) fn ddr(&mut self, address: u64, bytes: u64) {
        if self.on {
            self.ddr.push((address, bytes));
        }
    }
    pub(crate) fn scratch(&mut self, of: Extent) {
        if self.on {
            let words = (0..of.rows as usize).flat_map(|r| of.start(r)..of.start(r) + of.length as usize);
            self.scratch.extend(words.map(|w| (w, u64::MAX)));
        }
    }
    /// Part of a word, by byte mask.
    pub(crate) fn scratch_part(&mut self, word: usize, mask: u64) {
        if self.on {
            *self.scratch.entry(word).or_default() |= mask;
        }
    }
    pub(crate) fn code(&mut self, word: usize) {
        if self.on {
            self.code.insert(word);
        }
    }
    pub(crate) fn scale(&mut self, entry: usize) {
        if self.on {
            self.scale.insert(entry);
        }
    }
    pub(crate) fn register(&mut self, index: usize) {
        if self.on {
            self.registers.insert(index);
        }
    }
}

impl Machine {
    /// Read back everything touched, and forget it.
    pub(super) fn collect(&mut self) -> Vec<Write> {
        let touched = std::mem::take(&mut self.touched);
        let ddr = touched.ddr.iter().map(|&(address, bytes)| Write::Ddr {
            address,
            bytes: self.ddr.read(address, bytes).expect("a store wrote here").to_vec(),
        });
        let scratch = touched.scratch.iter().map(|(&word, &mask)| {
            let bytes = self.scratch_bytes(word);
            let bytes = std::array::from_fn(|i| if mask >> i & 1 == 1 { bytes[i] } else { 0 });
            Write::Scratch { word: word as u32, mask, bytes }
        });
        let code = touched.code.iter().map(|&word| {
            let (codes, shift) = self.code_word(word);
            Write::Code { word: word as u32, codes: *codes, shift }
        });
        let scale = touched
            .scale
            .iter()
            .map(|&entry| Write::Scale { entry: entry as u32, value: self.scales[entry].to_word() });
        let registers = touched
            .registers
            .iter()
            .map(|&index| Write::Register { index: index as u32, value: self.registers[index] });
        canonical(ddr.chain(scratch).chain(code).chain(scale).chain(registers))
    }
}
