//! Scratchpad: words of 64 bytes with byte enables, two read ports (two copies) and one write port.
//! Writers by priority: vector (never refused), compute, load. Port b serves the store unit in cycles in which
//! the vector unit leaves it. Data follows the address by two cycles; a read meets the word as it was before
//! the write of its own cycle.

use sagen_lang::{Design, Module, ModuleId, RamStyle, Signal, bit, pack, unsigned};
use sagen_streamed_arch::StreamedConfig;
use sagen_streamed_isa::WORD_BYTES;

const WORD: u32 = WORD_BYTES as u32 * 8;
/// Every writer writes multiples of 16 bytes, so one enable serves 16.
const ENABLE_BYTES: u32 = 16;

struct Writer {
    valid: Signal,
    addr: Signal,
    data: Signal,
    mask: Signal,
}

fn writer(m: &Module, name: &str) -> Writer {
    Writer {
        valid: m.input(&format!("{name}_valid"), bit()),
        addr: m.input(&format!("{name}_addr"), unsigned(16)),
        data: m.input(&format!("{name}_data"), unsigned(WORD)),
        mask: m.input(&format!("{name}_mask"), unsigned(WORD_BYTES as u32)),
    }
}

/// The scratchpad: writers `vector_*`, `compute_*`, `load_*`, readers `a_*`, `b_*`, `s_*`.
pub fn scratchpad(d: &mut Design, overlay: &StreamedConfig) -> ModuleId {
    let depth = overlay.scratch_words() as u32;
    let style = if overlay.board().ultra_ram() { RamStyle::Ultra } else { RamStyle::Block };
    d.module("scratchpad", |m| {
        let [vector, compute, load] = ["vector", "compute", "load"].map(|n| writer(m, n));
        let reader =
            |name: &str| (m.input(&format!("{name}_en"), bit()), m.input(&format!("{name}_addr"), unsigned(16)));
        let ((a_en, a_addr), (b_en, b_addr), (s_en, s_addr)) = (reader("a"), reader("b"), reader("s"));

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

        let b_any = m.net("b_any", b_en | s_en);
        let b_at = b_en.mux(b_addr, s_addr).trunc(bits);
        let words = m.memory("words", depth, WORD).style(style).byte_enable(8 * ENABLE_BYTES);
        words.write_masked(any, addr, data, mask);
        let a_word = words.read(a_en, a_addr.trunc(bits));
        let b_word = words.read(b_any, b_at);
        let follow = |name: &str, en: Signal, word: Signal| {
            let valid = m.reg(&format!("{name}_valid"), bit()).reset(0);
            m.set(valid, en);
            m.reg_en(&format!("{name}_out"), valid, word)
        };
        m.output("a_data", follow("a", a_en, a_word));
        m.output("b_data", follow("b", b_any, b_word));
        m.output("compute_ready", compute_ready);
        m.output("load_ready", load_ready);
        m.output("s_ready", !b_en);
    })
}
