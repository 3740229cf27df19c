//! Store unit: scratchpad to DDR in pieces of one port width. Runs are contiguous in DDR and gathered from the
//! scratchpad with a stride; three outer loops step both addresses. Runs are cut at 4 KiB and at 256 beats.
//! A descriptor is done when every burst has its response.

use crate::dma::offset::register_offset;
use crate::fields::Decode;
use crate::interface::{AxiWrite, ScratchTurn, StepRead, WORD, unit_port};
use sagen_blocks::axi::{ADDRESS_BITS, PAGE_BYTES};
use sagen_blocks::fifo::{Queue, fifo};
use sagen_lang::{
    Design, Fsm, Instance, Layout, Module, ModuleId, Output, Reg, Signal, Type, bit, bundle, cat, high, lit, low,
    unsigned,
};
use sagen_streamed_arch::StreamedConfig;
use sagen_streamed_isa::{Field, Loop, StoreFields};

/// Pieces that may be on their way from the scratchpad to the bus.
const IN_FLIGHT: u32 = 8;
/// Bursts that may wait for a response.
pub(crate) const OUTSTANDING: u64 = 15;
const SCRATCH_BITS: u32 = 22;
const FIELDS: StoreFields = sagen_streamed_isa::Store::FIELDS;
/// Innermost first.
const LOOPS: [Loop<Field>; 3] = [FIELDS.inner, FIELDS.middle, FIELDS.outer];
/// Bursts end at pages or, with narrow ports, where addresses are multiples of as many beats.
const LONGEST: u32 = 256;

bundle! {
    /// A burst for the address channel.
    struct Announced() {
        addr: unsigned(ADDRESS_BITS),
        /// Beats - 1.
        len: unsigned(8),
    }
}

bundle! {
    /// A beat for the data channel.
    struct Piece(bytes: u32) {
        data: unsigned(8 * bytes),
        /// Of its burst.
        last: bit(),
    }
}

bundle! {
    /// A piece whose word is being read.
    struct Tag(bits: u32) {
        /// Of the word.
        which: unsigned(bits),
        last: bit(),
    }
}

/// The store unit: unit port, scratchpad read, one write channel.
pub fn store_unit(d: &mut Design, overlay: &StreamedConfig) -> ModuleId {
    let bytes = overlay.port_bytes() as u32;
    let addresses = fifo(d, Announced::layout(), 4);
    let pieces = fifo(d, Piece::layout(bytes), IN_FLIGHT);
    let offset = register_offset(d, 2, 32);
    d.module("store_unit", |m| {
        m.doc("Copies pieces of scratchpad words to DDR.");
        let (unit, axi) = (unit_port(m), m.master("", AxiWrite::layout(bytes)));
        let scratch = m.master("s_", ScratchTurn::layout());
        let (desc, desc_valid) = (unit.desc, unit.valid);
        let stage = m.fsm("stage", &["idle", "multiply", "run", "size", "address", "beats", "drain"]);
        let take = m.net("take", desc_valid & stage.is("idle"));
        let held = m.reg_en("held", take, desc).q();
        let (aw, w) = (addresses.place(m, "u_addresses"), pieces.place(m, "u_pieces"));
        let store = Store { m, bytes, stage: &stage, held, scratch };
        let base = store.base(m.instance("u_offset", offset), take);

        let outstanding = m.reg("outstanding", unsigned(4)).reset(0);
        let can_announce = aw.room() & outstanding.lt_lit(OUTSTANDING);
        let room = m.reg("room", unsigned(IN_FLIGHT.ilog2() + 1)).reset(IN_FLIGHT);
        // A place is taken one cycle after its read, so one is kept.
        let burst = store.burst(can_announce, room.ge_lit(2));
        let last_run = store.loops(base, &burst);
        store.transitions(take, base, &burst, last_run, outstanding.is_zero());
        aw.push(burst.announce, Announced { addr: burst.ddr.q(), len: burst.len.extend(8) });

        let asked = store.fetch(&burst, &w);
        let sent = m.net("sent", w.holds() & axi.w_ready);
        m.when(asked & !sent, || m.set(room, room.sub_lit(1)));
        m.when(sent & !asked, || m.set(room, room.add_lit(1)));
        w.pop(m.net("w_taken", sent));
        channel(&axi, bytes, &aw, &w);
        m.when(burst.announce & !axi.b_valid, || m.set(outstanding, outstanding.add_lit(1)));
        m.when(axi.b_valid & !burst.announce, || m.set(outstanding, outstanding.sub_lit(1)));
        axi.b_ready.drive(high());
        let error = m.reg("error", bit()).reset(0);
        m.set(error, axi.b_valid & axi.b_resp.bit(1));
        m.output("bus_error", error);
        unit.ready.drive(stage.is("idle"));
        m.output("busy", !stage.is("idle"));
        unit.done.drive(stage.is("drain") & outstanding.is_zero());
    })
}

fn channel(axi: &AxiWrite<Output, Signal>, bytes: u32, aw: &Queue<Announced<Type>>, w: &Queue<Piece<Type>>) {
    aw.pop(axi.aw_ready);
    let Announced { addr, len } = aw.front();
    axi.aw_addr.drive(addr);
    axi.aw_len.drive(len);
    axi.aw_valid.drive(aw.holds());
    let Piece { data, last } = w.front();
    axi.w_data.drive(data);
    axi.w_last.drive(last);
    axi.w_strb.drive(high().repeat(bytes));
    axi.w_valid.drive(w.holds());
}

struct Store<'a> {
    m: &'a Module,
    bytes: u32,
    stage: &'a Fsm,
    held: Signal,
    scratch: ScratchTurn<Output, Signal>,
}

/// The first address of a descriptor, there while `valid`.
#[derive(Clone, Copy)]
struct Base {
    valid: Signal,
    ddr: Signal,
}

struct Burst {
    /// Next byte in DDR and in the scratchpad.
    ddr: Reg,
    v: Reg,
    /// Pieces of the run after the present one, not yet announced.
    left: Reg,
    /// Pieces of the burst - 1.
    len: Signal,
    /// The burst is announced to the address queue.
    announce: Signal,
    /// A piece is read from the scratchpad.
    read: Signal,
    last_piece: Signal,
    burst_ends: Signal,
    run_ends: Signal,
}

impl Store<'_> {
    fn get(&self, field: Field) -> Signal {
        self.held.get(field)
    }

    /// base + register a * stride a + register b * stride b.
    fn base(&self, offset: Instance, take: Signal) -> Base {
        let m = self.m;
        let (a, b) = (self.get(FIELDS.register_1), self.get(FIELDS.register_2));
        offset.input("start", take);
        offset.input("stride0", self.get(FIELDS.register_1_stride));
        offset.input("stride1", self.get(FIELDS.register_2_stride));
        offset.input("single", b.is_zero());
        let step = m.master("step_", StepRead::layout());
        step.index.drive(offset.output("second").mux(b, a));
        offset.input("value", step.value);
        Base { valid: offset.output("done"), ddr: m.net("base", self.get(FIELDS.base).add(offset.output("total"))) }
    }

    /// Cuts a run into bursts and reads their pieces, one a cycle while there is room.
    fn burst(&self, can_announce: Signal, piece_room: Signal) -> Burst {
        let (m, stage) = (self.m, self.stage);
        let (ddr, v) = (m.reg("ddr", unsigned(ADDRESS_BITS)), m.reg("v", unsigned(SCRATCH_BITS)));
        let shift = self.bytes.ilog2();
        let bits = (PAGE_BYTES / self.bytes).min(LONGEST).ilog2();
        let left = m.reg("left", unsigned(16));
        let (len, more) = (m.reg("len", unsigned(bits)), m.reg("more", bit()));
        let at = m.net("at", ddr.slice(shift, bits));
        let beyond = m.net("beyond", left.add_full(at.extend(16)).slice(bits, 17 - bits).reduce_or());
        m.when(stage.is("size"), || {
            m.set(len, beyond.mux(!at, left.trunc(bits)));
            m.set(more, beyond);
        });
        let announce = m.net("announce", stage.is("address") & can_announce);
        let len16 = len.extend(16);
        m.when(announce, || m.set(left, left.add(!len16)));

        let (to_read, last_piece) = (m.reg("to_read", unsigned(bits)), m.reg("last_piece", bit()));
        m.when(announce, || {
            m.set(to_read, len);
            m.set(last_piece, len.is_zero());
        });
        let wanted = stage.is("beats") & piece_room;
        self.scratch.en.drive(wanted);
        self.scratch.addr.drive(v.slice(6, 16));
        let read = m.net("read", wanted & self.scratch.ready);
        m.when(read, || {
            m.set(v, v.add(self.get(FIELDS.from_stride).extend(SCRATCH_BITS)));
            m.set(to_read, to_read.sub_lit(1));
            m.set(last_piece, to_read.eq_lit(1));
        });
        let burst_ends = m.net("burst_ends", read & last_piece);
        // Where a run goes on, the next burst starts at a boundary.
        let high = shift + bits;
        let page = ddr.slice(high, ADDRESS_BITS - high).add_lit(1);
        m.when(burst_ends, || m.set(ddr, cat(&[page, lit(high, 0)])));
        let run_ends = m.net("run_ends", burst_ends & !more);
        Burst { ddr, v, left, len: len.q(), announce, read, last_piece: last_piece.q(), burst_ends, run_ends }
    }

    /// The three loops: in `run`, the innermost one that has not ended makes its step and the next run starts there.
    /// Returns whether the present run is the last.
    fn loops(&self, base: Base, burst: &Burst) -> Signal {
        let m = self.m;
        let names = ["1", "2", "3"];
        let count = names.map(|n| m.reg(&format!("i{n}"), unsigned(8)));
        let ddr_at = names.map(|n| m.reg(&format!("ddr_at{n}"), unsigned(ADDRESS_BITS)));
        let v_at = names.map(|n| m.reg(&format!("v_at{n}"), unsigned(SCRATCH_BITS)));
        // A run takes several cycles, so the comparison may be one late.
        let ends = |i: usize| count[i].add_lit(1).eq(self.get(LOOPS[i].count));
        let ended = [0, 1].map(|i| m.reg_next(&format!("ended{}", names[i]), ends(i)).q());
        let fresh = m.reg("fresh", bit());
        let level = [!ended[0] | fresh, !ended[1]];
        let choose = |of: [Signal; 3]| level[0].mux(of[0], level[1].mux(of[1], of[2]));
        let step = |stride: fn(Loop<Field>) -> Field, width: u32| {
            let steps = choose(LOOPS.map(|l| self.get(stride(l))));
            fresh.mux(m.lit(steps.ty(), 0), steps).extend(width)
        };
        let ddr = m.net("next_ddr", choose(ddr_at.map(|r| r.q())).add(step(|l| l.ddr_stride, ADDRESS_BITS)));
        let v = m.net("next_v", choose(v_at.map(|r| r.q())).add(step(|l| l.scratch_stride, SCRATCH_BITS)));
        let here = |ddr: Signal, v: Signal, levels: usize| {
            ddr_at[..levels].iter().for_each(|r| m.set(*r, ddr));
            v_at[..levels].iter().for_each(|r| m.set(*r, v));
            count[..levels - 1].iter().for_each(|i| m.set(*i, lit(8, 0)));
        };
        m.when(self.stage.is("run"), || {
            m.set(burst.ddr, ddr);
            m.set(burst.v, v);
            m.set(burst.left, self.get(FIELDS.beats).sub_lit(1));
            m.set(fresh, low());
            let next = |i: usize| {
                here(ddr, v, i + 1);
                m.set(count[i], count[i].add((!fresh).extend(8)));
            };
            m.when(level[0], || next(0)).elsewhen(level[1], || next(1)).otherwise(|| next(2));
        });
        m.when(base.valid, || {
            here(base.ddr, self.get(FIELDS.from), 3);
            m.set(count[2], lit(8, 0));
            m.set(fresh, high());
        });
        m.reg_next("last_run", ended[0] & ended[1] & ends(2)).q()
    }

    fn transitions(&self, take: Signal, base: Base, burst: &Burst, last_run: Signal, answered: Signal) {
        let (m, stage) = (self.m, self.stage);
        m.switch_state(stage)
            .case("idle", || {
                m.when(take, || m.set_state(stage, "multiply"));
            })
            .case("multiply", || {
                m.when(base.valid, || m.set_state(stage, "run"));
            })
            .case("run", || m.set_state(stage, "size"))
            .case("size", || m.set_state(stage, "address"))
            .case("address", || {
                m.when(burst.announce, || m.set_state(stage, "beats"));
            })
            .case("beats", || {
                m.when(burst.run_ends & last_run, || m.set_state(stage, "drain"))
                    .elsewhen(burst.run_ends, || m.set_state(stage, "run"))
                    .elsewhen(burst.burst_ends, || m.set_state(stage, "size"));
            })
            .otherwise(|| {
                m.when(answered, || m.set_state(stage, "idle"));
            });
    }

    /// From the granted read to the piece queue: the memory answers two cycles later. Returns whether one was read in
    /// the cycle before.
    fn fetch(&self, burst: &Burst, w: &Queue<Piece<Type>>) -> Signal {
        let m = self.m;
        let word = m.input("s_data", unsigned(WORD));
        let shift = self.bytes.ilog2();
        let tag = Tag { which: burst.v.slice(shift, 6 - shift), last: burst.last_piece };
        let tag = Tag::layout(6 - shift).pack(tag).reg_en(m, "tag1", burst.read);
        let valid1 = m.reg("valid1", bit()).reset(0);
        let valid2 = m.reg("valid2", bit()).reset(0);
        m.set(valid1, burst.read);
        m.set(valid2, valid1);
        let tag = tag.reg_en(m, "tag2", valid1);
        let data = tag.get(|t| t.which).select(&word.lanes(self.bytes * 8));
        w.push(valid2, Piece { data, last: tag.get(|t| t.last) });
        m.assert(!(valid2 & !w.room()), "a piece finds its queue full");
        valid1.q()
    }
}
