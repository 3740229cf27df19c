//! Scratchpad: words of 64 bytes with byte enables, two read ports (two copies) and one write port.
//! Writers by priority: vector (never refused), compute, load. Port b serves the store unit in cycles in which
//! the vector unit leaves it. Data follows the address by two cycles; a read meets the word as it was before
//! the write of its own cycle.

use crate::interface::{ScratchRead, ScratchTurn, ScratchWrite, WORD};
use sagen_lang::{Design, ModuleId, RamStyle, Signal, bit, pack};
use sagen_streamed_arch::StreamedConfig;

/// Every writer writes multiples of 16 bytes, so one enable serves 16.
const ENABLE_BYTES: u32 = 16;

/// The scratchpad: writers `vector_*`, `compute_*`, `load_*`, readers `a_*`, `b_*`, `s_*`.
pub fn scratchpad(d: &mut Design, overlay: &StreamedConfig) -> ModuleId {
    let depth = overlay.scratch_words() as u32;
    let style = if overlay.board().ultra_ram() { RamStyle::Ultra } else { RamStyle::Block };
    d.module("scratchpad", |m| {
        m.doc("Words of 64 bytes with byte enables, two read ports and one write port.");
        let writer = |name: &str, refusable| m.slave(name, ScratchWrite::layout(refusable));
        let (vector, compute, load) = (writer("vector_", false), writer("compute_", true), writer("load_", true));
        let [a, b] = ["a_", "b_"].map(|port| m.slave(port, ScratchRead::layout()));
        let store = m.slave("s_", ScratchTurn::layout());

        let compute_ready = m.net("compute_granted", !vector.valid);
        let load_ready = m.net("load_granted", !vector.valid & !compute.valid);
        let pick = |v: Signal, c: Signal, l: Signal| vector.valid.mux(v, compute.valid.mux(c, l));
        let any = m.net("any", vector.valid | compute.valid | load.valid);
        let bits = depth.next_power_of_two().ilog2();
        let addr = pick(vector.addr, compute.addr, load.addr).trunc(bits);
        let data = pick(vector.data, compute.data, load.data);
        let enables: Vec<Signal> =
            pick(vector.mask, compute.mask, load.mask).lanes(ENABLE_BYTES).iter().map(|bytes| bytes.bit(0)).collect();
        let mask = pack(&enables);

        let b_any = m.net("b_any", b.en | store.en);
        let b_at = b.en.mux(b.addr, store.addr).trunc(bits);
        let words = m.memory("words", depth, WORD).style(style).byte_enable(8 * ENABLE_BYTES);
        words.write_masked(any, addr, data, mask);
        let a_word = words.read(a.en, a.addr.trunc(bits));
        let b_word = words.read(b_any, b_at);
        let follow = |name: &str, en: Signal, word: Signal| {
            let valid = m.reg(&format!("{name}_valid"), bit()).reset(0);
            m.set(valid, en);
            m.reg_en(&format!("{name}_out"), valid, word)
        };
        a.data.drive(follow("a", a.en, a_word));
        b.data.drive(follow("b", b_any, b_word));
        compute.ready.expect("refusable").drive(compute_ready);
        load.ready.expect("refusable").drive(load_ready);
        store.ready.drive(!b.en);
    })
}
