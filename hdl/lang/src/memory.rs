//! Memories and ROMs. Every read sees the contents before the clock edge (old data), also of a word that is being written.
//!
//! A memory has either one write port ([`Mem::write`]) and reads with addresses of their own, or it is a true dual-port
//! block RAM: two ports of one address each, [`Mem::port`] or [`Mem::read`]. Writes of one word by two ports at once are
//! undefined in hardware; an assertion of the module tells. An address at or above `depth` is undefined in hardware; the
//! interpreter reads zero and ignores the write. [`Mem::init`] takes effect when the device is configured, not by reset.
//! A second registered read port beside a write port on block or ultra RAM makes the printer emit a second copy of the array.

mod check;

pub(crate) use check::check;

use crate::bits::Bits;
use crate::builder::{self, Builder, Line};
use crate::errors::Problem;
use crate::module::Module;
use crate::node::{NodeId, Op};
use crate::signal::Signal;
use crate::types::{Value, bit, unsigned};
use serde::Serialize;
use std::panic::Location;

/// Which FPGA memory holds the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RamStyle {
    /// The synthesiser decides.
    #[default]
    Auto,
    /// Block RAM.
    Block,
    /// UltraRAM.
    Ultra,
    /// LUT RAM; the only one with asynchronous reads.
    Distributed,
}

/// A memory of the module under construction.
#[derive(Clone, Copy, Debug)]
pub struct Mem {
    serial: u32,
    index: u32,
}

/// A constant table of the module under construction.
#[derive(Clone, Copy, Debug)]
pub struct Rom {
    mem: Mem,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MemDef {
    pub(crate) name: String,
    pub(crate) depth: u32,
    pub(crate) width: u32,
    pub(crate) style: RamStyle,
    /// Bits per write-enable lane.
    pub(crate) lane: Option<u32>,
    pub(crate) writes: Vec<MemWrite>,
    pub(crate) reads: Vec<MemRead>,
    pub(crate) asynchronous: bool,
    pub(crate) rom: bool,
    /// The first words; all of a ROM's.
    pub(crate) contents: Option<Vec<Bits>>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MemWrite {
    pub(crate) enable: NodeId,
    pub(crate) addr: NodeId,
    pub(crate) data: NodeId,
    pub(crate) mask: Option<NodeId>,
    /// Of a read-write port: the read that shares the address and whose enable guards the write.
    pub(crate) port: Option<usize>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MemRead {
    /// Of the output register.
    pub(crate) name: String,
    pub(crate) node: NodeId,
    pub(crate) enable: NodeId,
    pub(crate) addr: NodeId,
}

impl MemDef {
    pub(crate) fn addr_width(&self) -> u32 {
        (self.depth.max(2) - 1).ilog2() + 1
    }

    /// Arrays: block and ultra RAM have one read port each.
    pub(crate) fn copies(&self) -> usize {
        if self.replicated() { self.reads.len().max(1) } else { 1 }
    }

    /// Whether its ports read and write.
    pub(crate) fn dual_port(&self) -> bool {
        self.writes.iter().any(|w| w.port.is_some())
    }

    pub(crate) fn replicated(&self) -> bool {
        matches!(self.style, RamStyle::Block | RamStyle::Ultra) && !self.dual_port()
    }
}

impl Module {
    /// A memory of `depth` words of `width` bits; without [`Mem::init`] its contents are undefined at first.
    #[track_caller]
    pub fn memory(&self, name: &str, depth: u32, width: u32) -> Mem {
        declare(self.serial, Location::caller(), name, depth, width, None)
    }

    /// A constant table; the values are reduced to `width` bits, two's complement.
    #[track_caller]
    pub fn rom<T: Value + Copy>(&self, name: &str, values: &[T], width: u32) -> Rom {
        let ty = unsigned(width.max(1));
        let contents = values.iter().map(|&v| Bits::of(ty, v)).collect();
        let depth = values.len() as u32;
        Rom { mem: declare(self.serial, Location::caller(), name, depth, width, Some(contents)) }
    }
}

fn declare(serial: u32, line: Line, name: &str, depth: u32, width: u32, contents: Option<Vec<Bits>>) -> Mem {
    builder::of(serial, |b| {
        b.take_name(line, name, "a memory");
        let fits = b.width_ok(line, &format!("memory `{name}`"), width.into());
        if fits && depth == 0 {
            b.fail(line, Problem::Memory { memory: name.into(), reason: "depth is 0; at least 1 is needed".into() });
        }
        b.def.mems.push(MemDef {
            name: name.into(),
            depth: depth.max(1),
            width: width.max(1),
            style: RamStyle::Auto,
            lane: None,
            writes: Vec::new(),
            reads: Vec::new(),
            asynchronous: false,
            rom: contents.is_some(),
            contents,
        });
        Mem { serial, index: b.def.mems.len() as u32 - 1 }
    })
}

impl Mem {
    /// Asks for a kind of FPGA memory.
    #[must_use]
    pub fn style(self, style: RamStyle) -> Mem {
        builder::of(self.serial, |b| b.def.mems[self.index as usize].style = style);
        self
    }

    /// Initial contents: the first words; the others are zero. The values are reduced to the width, two's complement.
    #[track_caller]
    #[must_use]
    pub fn init<T: Value + Copy>(self, values: &[T]) -> Mem {
        let line = Location::caller();
        builder::of(self.serial, |b| {
            let MemDef { name, depth, width, .. } = self.def(b).clone();
            if values.len() > depth as usize {
                let reason = format!("{} initial words; it has {depth}", values.len());
                return b.fail(line, Problem::Memory { memory: name, reason });
            }
            let contents = values.iter().map(|&v| Bits::of(unsigned(width), v)).collect();
            if b.def.mems[self.index as usize].contents.replace(contents).is_some() {
                b.fail(line, Problem::Twice { kind: "memory", name, verb: "initialised" });
            }
        });
        self
    }

    /// Divides words into write-enable lanes of `lane_bits`, for [`Mem::write_masked`] and [`Mem::port_masked`].
    #[track_caller]
    #[must_use]
    pub fn byte_enable(self, lane_bits: u32) -> Mem {
        let line = Location::caller();
        builder::of(self.serial, |b| {
            let width = self.def(b).width;
            if lane_bits == 0 || !width.is_multiple_of(lane_bits) {
                return b.fail(line, Problem::Lanes { from: unsigned(width), lane: lane_bits });
            }
            b.def.mems[self.index as usize].lane = Some(lane_bits);
        });
        self
    }

    /// Width of the address: enough bits for the last word.
    pub fn addr_width(self) -> u32 {
        builder::of(self.serial, |b| self.def(b).addr_width())
    }

    /// The write port: stores whole words while `enable` is 1.
    #[track_caller]
    pub fn write(self, enable: impl Into<Signal>, addr: impl Into<Signal>, data: impl Into<Signal>) {
        let line = Location::caller();
        builder::of(self.serial, |b| {
            b.expect_unconditional(line, "a memory write");
            let (enable, addr) = (b.resolve(line, enable.into()), self.address(b, line, addr.into()));
            self.write_port(b, line, Write { enable, addr, data: data.into(), mask: None, port: None });
        });
    }

    /// The write port: stores the lanes whose bit of `mask` is 1 while `enable` is 1.
    #[track_caller]
    pub fn write_masked(
        self,
        enable: impl Into<Signal>,
        addr: impl Into<Signal>,
        data: impl Into<Signal>,
        mask: impl Into<Signal>,
    ) {
        let line = Location::caller();
        builder::of(self.serial, |b| {
            b.expect_unconditional(line, "a memory write");
            let (enable, addr) = (b.resolve(line, enable.into()), self.address(b, line, addr.into()));
            self.write_port(b, line, Write { enable, addr, data: data.into(), mask: Some(mask.into()), port: None });
        });
    }

    /// A read-write port of a block RAM. While `enable` is 1 it reads like [`Mem::read`], and stores `data` if `write` is 1.
    #[track_caller]
    pub fn port(
        self,
        enable: impl Into<Signal>,
        write: impl Into<Signal>,
        addr: impl Into<Signal>,
        data: impl Into<Signal>,
    ) -> Signal {
        self.dual_port(Location::caller(), enable.into(), addr.into(), data.into(), Stores::Word(write.into()))
    }

    /// A read-write port of a block RAM that stores the lanes whose bit of `mask` is 1; none if it only reads.
    #[track_caller]
    pub fn port_masked(
        self,
        enable: impl Into<Signal>,
        mask: impl Into<Signal>,
        addr: impl Into<Signal>,
        data: impl Into<Signal>,
    ) -> Signal {
        self.dual_port(Location::caller(), enable.into(), addr.into(), data.into(), Stores::Lanes(mask.into()))
    }

    /// A registered read port: one cycle later the word as it was before the clock edge; holds while `enable` is 0.
    #[track_caller]
    pub fn read(self, enable: impl Into<Signal>, addr: impl Into<Signal>) -> Signal {
        let (line, enable, addr) = (Location::caller(), enable.into(), addr.into());
        builder::of(self.serial, |b| {
            b.expect_unconditional(line, "a memory read");
            let (enable, addr) = (b.resolve(line, enable), self.address(b, line, addr));
            self.read_port(b, line, enable, addr)
        })
    }

    /// An asynchronous read port; the style must be distributed.
    #[track_caller]
    pub fn read_async(self, addr: impl Into<Signal>) -> Signal {
        let (line, addr) = (Location::caller(), addr.into());
        builder::of(self.serial, |b| {
            let def = self.def(b);
            let ty = unsigned(def.width);
            if !def.rom && def.style != RamStyle::Distributed {
                let reason = format!("read_async with style {:?}; it must be Distributed", def.style);
                b.fail(line, Problem::Memory { memory: self.def(b).name.clone(), reason });
            }
            let addr = self.address(b, line, addr);
            b.def.mems[self.index as usize].asynchronous = true;
            let node = b.node(Op::AsyncRead { mem: self.index, addr }, ty);
            b.signal(node)
        })
    }

    fn def(self, b: &Builder) -> &MemDef {
        &b.def.mems[self.index as usize]
    }

    fn address(self, b: &mut Builder, line: Line, addr: Signal) -> NodeId {
        let addr = b.resolve(line, addr);
        let (name, ty) = (self.def(b).name.clone(), unsigned(self.def(b).addr_width()));
        let fits = b.expect_type(line, addr, &format!("the address of memory `{name}`"), ty);
        if fits { addr } else { b.quiet_poison(ty) }
    }

    fn read_port(self, b: &mut Builder, line: Line, enable: NodeId, addr: NodeId) -> Signal {
        let MemDef { name, width, reads, .. } = self.def(b).clone();
        b.expect_bit(line, enable, &format!("the read enable of memory `{name}`"));
        let register = b.names.free(&format!("{name}_q"), "a memory's read register");
        let node = b.fresh(Op::SyncRead { mem: self.index, port: reads.len() as u32 }, unsigned(width));
        b.def.nodes[node as usize].name = Some(register.clone());
        b.def.mems[self.index as usize].reads.push(MemRead { name: register, node, enable, addr });
        b.def.clocked = true;
        b.signal(node)
    }

    fn write_port(self, b: &mut Builder, line: Line, write: Write) {
        let (data, mask) = (b.resolve(line, write.data), write.mask.map(|m| b.resolve(line, m)));
        let MemDef { name, width, lane, writes, .. } = self.def(b).clone();
        b.expect_bit(line, write.enable, &format!("the write enable of memory `{name}`"));
        b.expect_type(line, data, &format!("the data of memory `{name}`"), unsigned(width));
        match (mask, lane) {
            (Some(_), None) => {
                let reason = "a mask needs byte_enable".to_string();
                b.fail(line, Problem::Memory { memory: name.clone(), reason });
            }
            (Some(m), Some(lane)) => {
                b.expect_type(line, m, &format!("the mask of memory `{name}`"), unsigned(width / lane));
            }
            (None, _) => {}
        }
        if write.port.is_none() && writes.iter().any(|w| w.port.is_none()) {
            b.fail(line, Problem::Twice { kind: "memory", name, verb: "written" });
        }
        let Write { enable, addr, port, .. } = write;
        b.def.mems[self.index as usize].writes.push(MemWrite { enable, addr, data, mask, port });
        b.def.clocked = true;
    }

    fn dual_port(self, line: Line, enable: Signal, addr: Signal, data: Signal, stores: Stores) -> Signal {
        builder::of(self.serial, |b| {
            b.expect_unconditional(line, "a memory port");
            let (enable, addr) = (b.resolve(line, enable), self.address(b, line, addr));
            let port = Some(self.def(b).reads.len());
            let q = self.read_port(b, line, enable, addr);
            let (write, mask) = match stores {
                Stores::Word(write) => (b.resolve(line, write), None),
                Stores::Lanes(mask) => (b.constant(Bits::of(bit(), 1)), Some(mask)),
            };
            self.write_port(b, line, Write { enable: write, addr, data, mask, port });
            q
        })
    }
}

/// A write port to be checked.
struct Write {
    enable: NodeId,
    addr: NodeId,
    data: Signal,
    mask: Option<Signal>,
    port: Option<usize>,
}

/// What a read-write port stores while it is enabled.
enum Stores {
    /// The whole word while this is 1.
    Word(Signal),
    /// The lanes of this mask.
    Lanes(Signal),
}

impl Rom {
    /// Width of the address: enough bits for the last value.
    pub fn addr_width(self) -> u32 {
        self.mem.addr_width()
    }

    /// The value at `addr`, in the same cycle.
    #[track_caller]
    pub fn lookup(self, addr: impl Into<Signal>) -> Signal {
        self.mem.read_async(addr)
    }

    /// The value at `addr`, one cycle later; holds while `enable` is 0.
    #[track_caller]
    pub fn read(self, enable: impl Into<Signal>, addr: impl Into<Signal>) -> Signal {
        self.mem.read(enable, addr)
    }

    /// Asks for a kind of FPGA memory.
    #[must_use]
    pub fn style(self, style: RamStyle) -> Rom {
        Rom { mem: self.mem.style(style) }
    }
}
