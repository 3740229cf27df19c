//! Store unit: scratchpad to DDR in pieces of one port width. Runs are contiguous in DDR and gathered from the
//! scratchpad with a stride; three outer loops step both addresses. Runs are cut at 4 KiB and at 256 beats.
//! A descriptor is done when every burst has its response.

use crate::dma::burst::ADDRESS_BITS;
use crate::fields::{field, register};
use crate::fifo::fifo;
use sagen_arch::Overlay;
use sagen_isa::WORD_BYTES;
use sagen_lang::{Design, Instance, Module, ModuleId, Signal, bit, cat, high, lit, unsigned};

/// Pieces that may be on their way from the scratchpad to the bus.
const IN_FLIGHT: u32 = 8;
/// Bursts that may wait for a response.
const OUTSTANDING: u64 = 15;
const SCRATCH_BITS: u32 = 22;
const LONGEST: u32 = 256;

/// The store unit: unit port, scratchpad read, one write channel.
pub fn store_unit(d: &mut Design, overlay: &Overlay) -> ModuleId {
    let bytes = overlay.port_bytes() as u32;
    let addresses = fifo(d, ADDRESS_BITS + 8, 4);
    let pieces = fifo(d, bytes * 8 + 1, IN_FLIGHT);
    d.module("store_unit", |m| {
        m.doc("Copies pieces of scratchpad words to DDR.");
        let (desc, regs) = (m.input("desc", unsigned(512)), m.input("regs", unsigned(1024)));
        let desc_valid = m.input("desc_valid", bit());
        let stage = m.fsm("stage", &["idle", "product", "sum", "run", "size", "address", "beats", "drain"]);
        let take = m.net("take", desc_valid & stage.is("idle"));
        let held = m.reg_en("held", take, desc).q();
        let (aw, w) = (m.instance("u_addresses", addresses), m.instance("u_pieces", pieces));

        let outstanding = m.reg("outstanding", unsigned(4)).reset(0);
        let ports = Ports { m, bytes, stage: &stage, held, regs, outstanding: outstanding.q() };
        let room = m.reg("room", unsigned(IN_FLIGHT.ilog2() + 1)).reset(IN_FLIGHT);
        let walk = ports.walk(take, aw.output("in_ready"), !room.is_zero());
        aw.input("in_data", cat(&[walk.length.sub_lit(1).trunc(8), walk.ddr]));
        aw.input("in_valid", walk.announce);

        ports.fetch(&walk, w);
        let sent = m.net("sent", w.output("out_valid") & m.input("w_ready", bit()));
        m.when(walk.read & !sent, || m.set(room, room.sub_lit(1)));
        m.when(sent & !walk.read, || m.set(room, room.add_lit(1)));
        w.input("out_ready", m.net("w_taken", sent));
        channel(m, bytes, aw, w);
        let (b_valid, b_resp) = (m.input("b_valid", bit()), m.input("b_resp", unsigned(2)));
        m.when(walk.announce & !b_valid, || m.set(outstanding, outstanding.add_lit(1)));
        m.when(b_valid & !walk.announce, || m.set(outstanding, outstanding.sub_lit(1)));
        m.output("b_ready", high());
        let error = m.reg("error", bit()).reset(0);
        m.set(error, b_valid & b_resp.bit(1));
        m.output("bus_error", error);
        m.output("desc_ready", stage.is("idle"));
        m.output("busy", !stage.is("idle"));
        m.output("done", stage.is("drain") & outstanding.is_zero());
    })
}

fn channel(m: &Module, bytes: u32, aw: Instance, w: Instance) {
    aw.input("out_ready", m.input("aw_ready", bit()));
    let request = aw.output("out_data");
    m.output("aw_addr", request.slice(0, ADDRESS_BITS));
    m.output("aw_len", request.slice(ADDRESS_BITS, 8));
    m.output("aw_valid", aw.output("out_valid"));
    let piece = w.output("out_data");
    m.output("w_data", piece.slice(0, bytes * 8));
    m.output("w_last", piece.bit(bytes * 8));
    m.output("w_strb", high().repeat(bytes));
    m.output("w_valid", w.output("out_valid"));
}

struct Ports<'a> {
    m: &'a Module,
    bytes: u32,
    stage: &'a sagen_lang::Fsm,
    held: Signal,
    regs: Signal,
    outstanding: Signal,
}

struct Walk {
    /// A burst is announced to the address queue.
    announce: Signal,
    ddr: Signal,
    length: Signal,
    /// A piece is read from the scratchpad.
    read: Signal,
    scratch: Signal,
    last_of_burst: Signal,
}

impl Ports<'_> {
    fn get(&self, name: &str) -> Signal {
        field(self.held, "Store", name)
    }

    /// The loops: one piece a cycle while there is room, a few cycles between bursts.
    fn walk(&self, take: Signal, address_room: Signal, piece_room: Signal) -> Walk {
        let (m, stage) = (self.m, self.stage);
        let base = self.base();
        let [i1, i2, i3] = ["i1", "i2", "i3"].map(|n| m.reg(n, unsigned(8)));
        let [ddr1, ddr2, ddr3] = ["ddr_at1", "ddr_at2", "ddr_at3"].map(|n| m.reg(n, unsigned(ADDRESS_BITS)));
        let [v1, v2, v3] = ["v_at1", "v_at2", "v_at3"].map(|n| m.reg(n, unsigned(SCRATCH_BITS)));
        let (ddr, v) = (m.reg("ddr", unsigned(ADDRESS_BITS)), m.reg("v", unsigned(SCRATCH_BITS)));
        let left = m.reg("left", unsigned(16));
        let length = m.reg("length", unsigned(9));
        let in_burst = m.reg("in_burst", unsigned(9));
        let granted = m.input("s_ready", bit());

        let read = m.net("read", stage.is("beats") & piece_room & granted);
        m.output("s_en", stage.is("beats") & piece_room);
        m.output("s_addr", v.slice(6, 16));
        let last_of_burst = m.net("last_of_burst", in_burst.eq_lit(1));
        let burst_ends = m.net("burst_ends", read & last_of_burst);
        let run_ends = m.net("run_ends", burst_ends & left.is_zero());
        let end = |i: Signal, count: &str| i.add_lit(1).eq(self.get(count));
        let (end1, end2, end3) = (end(i1.q(), "count1"), end(i2.q(), "count2"), end(i3.q(), "count3"));
        let all_issued = m.net("all_issued", run_ends & end1 & end2 & end3);

        m.when(stage.is("sum"), || {
            [i1, i2, i3].iter().for_each(|i| m.set(*i, lit(8, 0)));
            [ddr1, ddr2, ddr3].iter().for_each(|a| m.set(*a, base));
            [v1, v2, v3].iter().for_each(|a| m.set(*a, self.get("v")));
        });
        m.when(stage.is("run"), || {
            m.set(ddr, ddr1);
            m.set(v, v1);
            m.set(left, self.get("beats"));
        });
        let page_beats = 4096 / self.bytes;
        let shift = self.bytes.ilog2();
        let to_page = lit(16, u64::from(page_beats)).sub(ddr.slice(shift, page_beats.ilog2()).extend(16));
        let next = m.net("next_length", left.min(to_page).min(lit(16, u64::from(LONGEST))).trunc(9));
        m.when(stage.is("size"), || {
            m.set(length, next);
            m.set(in_burst, next);
            m.set(left, left.sub(next.extend(16)));
        });
        let announce = m.net("announce", stage.is("address") & address_room & self.outstanding.lt_lit(OUTSTANDING));
        m.when(read, || {
            m.set(v, v.add(self.get("v_beat_stride").extend(SCRATCH_BITS)));
            m.set(in_burst, in_burst.sub_lit(1));
        });
        m.when(burst_ends, || m.set(ddr, ddr.add(length.extend(ADDRESS_BITS).shl(shift))));
        let (far, near) = (|n: &str| self.get(n).extend(ADDRESS_BITS), |n: &str| self.get(n).extend(SCRATCH_BITS));
        m.when(run_ends, || {
            let restart = |ddr: Signal, v: Signal, levels: usize| {
                [ddr1, ddr2, ddr3][..levels].iter().for_each(|r| m.set(*r, ddr));
                [v1, v2, v3][..levels].iter().for_each(|r| m.set(*r, v));
            };
            m.when(!end1, || {
                m.set(i1, i1.add_lit(1));
                restart(ddr1.add(far("ddr1")), v1.add(near("v1")), 1);
            })
            .elsewhen(!end2, || {
                m.set(i1, lit(8, 0));
                m.set(i2, i2.add_lit(1));
                restart(ddr2.add(far("ddr2")), v2.add(near("v2")), 2);
            })
            .otherwise(|| {
                m.set(i1, lit(8, 0));
                m.set(i2, lit(8, 0));
                m.set(i3, i3.add_lit(1));
                restart(ddr3.add(far("ddr3")), v3.add(near("v3")), 3);
            });
        });
        m.switch_state(stage)
            .case("idle", || {
                m.when(take, || m.set_state(stage, "product"));
            })
            .case("product", || m.set_state(stage, "sum"))
            .case("sum", || m.set_state(stage, "run"))
            .case("run", || m.set_state(stage, "size"))
            .case("size", || m.set_state(stage, "address"))
            .case("address", || {
                m.when(announce, || m.set_state(stage, "beats"));
            })
            .case("beats", || {
                m.when(all_issued, || m.set_state(stage, "drain"))
                    .elsewhen(run_ends, || m.set_state(stage, "run"))
                    .elsewhen(burst_ends, || m.set_state(stage, "size"));
            })
            .otherwise(|| {
                m.when(self.outstanding.is_zero(), || m.set_state(stage, "idle"));
            });
        Walk { announce, ddr: ddr.q(), length: length.q(), read, scratch: v.q(), last_of_burst }
    }

    /// base + register a * stride a + register b * stride b.
    fn base(&self) -> Signal {
        let m = self.m;
        let term = |name: &str, reg: &str, stride: &str| {
            let product = register(self.regs, self.get(reg)).mul(self.get(stride));
            m.reg_en(name, self.stage.is("product"), product.slice(0, ADDRESS_BITS)).q()
        };
        let (a, b) = (term("term_a", "reg_a", "reg_a_stride"), term("term_b", "reg_b", "reg_b_stride"));
        m.net("base", self.get("base").add(a).add(b))
    }

    /// From the granted read to the piece queue: the memory answers two cycles later.
    fn fetch(&self, walk: &Walk, w: Instance) {
        let m = self.m;
        let word = m.input("s_data", unsigned(WORD_BYTES as u32 * 8));
        let shift = self.bytes.ilog2();
        let which = walk.scratch.slice(shift, 6 - shift);
        let tag = m.reg_en("tag1", walk.read, cat(&[walk.last_of_burst, which]));
        let valid1 = m.reg("valid1", bit()).reset(0);
        let valid2 = m.reg("valid2", bit()).reset(0);
        m.set(valid1, walk.read);
        m.set(valid2, valid1);
        let tag2 = m.reg_en("tag2", valid1, tag);
        let piece = tag2.slice(0, 6 - shift).select(&word.lanes(self.bytes * 8));
        w.input("in_data", cat(&[tag2.msb(), piece]));
        w.input("in_valid", valid2);
    }
}
