//! Descriptor fetch: reads the program in order, a few descriptors a burst, ahead of the scheduler. After an error
//! response it hands out nothing more: no part of a burst that failed is ever executed.

use crate::interface::{AxiRead, Beats, Launch, data_first};
use sagen_blocks::axi::burst::{BEATS_BITS, bursts};
use sagen_blocks::fifo::fifo;
use sagen_lang::{Design, ModuleId, Reg, bit, cat, high, unsigned};
use sagen_streamed_arch::StreamedConfig;
use sagen_streamed_isa::DESCRIPTOR_BYTES;

/// Descriptors that may be on their way or wait for the scheduler.
const AHEAD: u32 = 8;
/// Descriptors of one burst.
const BURST: u32 = 4;

/// The fetch unit: `start` with address and length, one read channel, descriptors out.
pub fn fetch_unit(d: &mut Design, overlay: &StreamedConfig) -> ModuleId {
    let bytes = overlay.port_bytes() as u32;
    let pieces = DESCRIPTOR_BYTES as u32 / bytes;
    let room_bits = (AHEAD * pieces).ilog2() + 1;
    let engine = bursts(d, bytes, BURST * pieces, room_bits);
    let queue = fifo(d, unsigned(512), AHEAD);
    d.module("fetch_unit", |m| {
        m.doc("Reads descriptors ahead of the scheduler.");
        let Launch { start, address, length, dispatch, .. } = m.slave("", Launch::layout());
        let axi = m.master("", AxiRead::layout(bytes, false));
        let (r_valid, r_data) = (axi.r_valid, axi.r_data);
        let engine = engine.place(m, "u_bursts", &axi);
        engine.begin(start, address, length.extend(BEATS_BITS).shl(pieces.ilog2()));

        let parts: Vec<Reg> = (0..pieces).map(|i| m.reg(&format!("piece{i}"), unsigned(bytes * 8))).collect();
        let at = m.reg("at", unsigned(pieces.ilog2())).reset(0);
        let complete = m.reg("complete", bit()).reset(0);
        for (i, part) in parts.iter().enumerate() {
            m.when(r_valid & at.eq_lit(i as u64), || m.set(*part, r_data));
        }
        m.when(r_valid, || m.set(at, at.add_lit(1)));
        m.set(complete, r_valid & at.eq_lit(u64::from(pieces - 1)));
        let queue = queue.place(m, "u_queue");
        queue.push(complete, cat(&parts.iter().rev().map(|p| p.q()).collect::<Vec<_>>()));
        let descriptors = m.master(data_first("desc"), Beats::layout(512));
        let error = m.reg("error", bit()).reset(0);
        m.set(error, r_valid & axi.r_resp.bit(1));
        let broken = m.reg("broken", bit()).reset(0);
        m.when(r_valid & axi.r_resp.bit(1), || m.set(broken, high()));
        // What is not handed out is dropped: a drain follows, or no program runs.
        queue.pop(descriptors.ready);
        let pop = m.net("pop", queue.holds() & descriptors.ready);

        let room = m.reg("room", unsigned(room_bits)).reset(AHEAD * pieces);
        let zero = m.lit(unsigned(room_bits), 0);
        let issued = engine.issued_beats();
        let issued = if room_bits >= 9 { issued.extend(room_bits) } else { issued.trunc(room_bits) };
        let spent = engine.issued().mux(issued, zero);
        let freed = pop.mux(m.lit(unsigned(room_bits), pieces), zero);
        m.when(pop | engine.issued(), || m.set(room, room.sub(spent).add(freed)));
        engine.room(room);
        m.output("bus_error", error);
        axi.r_ready.drive(high());
        descriptors.data.drive(queue.front());
        descriptors.valid.drive(queue.holds() & dispatch & !broken);
    })
}
