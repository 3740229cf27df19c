//! Descriptor fetch: reads the program in order, a few descriptors a burst, ahead of the scheduler.

use crate::dma::burst::{ADDRESS_BITS, BEATS_BITS, bursts};
use crate::fifo::fifo;
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
    let queue = fifo(d, 512, AHEAD);
    d.module("fetch_unit", |m| {
        m.doc("Reads descriptors ahead of the scheduler.");
        let (start, address) = (m.input("start", bit()), m.input("address", unsigned(ADDRESS_BITS)));
        let length = m.input("length", unsigned(24));
        let (r_valid, r_data) = (m.input("r_valid", bit()), m.input("r_data", unsigned(bytes * 8)));
        let r_resp = m.input("r_resp", unsigned(2));
        let engine = m.instance("u_bursts", engine);
        engine.input("start", start);
        engine.input("address", address);
        engine.input("beats", length.extend(BEATS_BITS).shl(pieces.ilog2()));
        engine.input("ready_in", m.input("ar_ready", bit()));

        let parts: Vec<Reg> = (0..pieces).map(|i| m.reg(&format!("piece{i}"), unsigned(bytes * 8))).collect();
        let at = m.reg("at", unsigned(pieces.ilog2())).reset(0);
        let complete = m.reg("complete", bit()).reset(0);
        for (i, part) in parts.iter().enumerate() {
            m.when(r_valid & at.eq_lit(i as u64), || m.set(*part, r_data));
        }
        m.when(r_valid, || m.set(at, at.add_lit(1)));
        m.set(complete, r_valid & at.eq_lit(u64::from(pieces - 1)));
        let queue = m.instance("u_queue", queue);
        queue.input("in_data", cat(&parts.iter().rev().map(|p| p.q()).collect::<Vec<_>>()));
        queue.input("in_valid", complete);
        let ready = m.input("desc_ready", bit());
        queue.input("out_ready", ready);

        let pop = m.net("pop", ready & queue.output("out_valid"));
        let room = m.reg("room", unsigned(room_bits)).reset(AHEAD * pieces);
        let zero = m.lit(unsigned(room_bits), 0);
        let issued = engine.output("issued_beats");
        let issued = if room_bits >= 9 { issued.extend(room_bits) } else { issued.trunc(room_bits) };
        let spent = engine.output("issued").mux(issued, zero);
        let freed = pop.mux(m.lit(unsigned(room_bits), pieces), zero);
        m.when(pop | engine.output("issued"), || m.set(room, room.sub(spent).add(freed)));
        engine.input("room", room);
        let error = m.reg("error", bit()).reset(0);
        m.set(error, r_valid & r_resp.bit(1));
        m.output("bus_error", error);
        m.output("r_ready", high());
        m.output("ar_valid", engine.output("valid_out"));
        m.output("ar_addr", engine.output("addr"));
        m.output("ar_len", engine.output("len"));
        m.output("desc", queue.output("out_data"));
        m.output("desc_valid", queue.output("out_valid"));
    })
}
