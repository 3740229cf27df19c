//! The score buffer: scores of up to four vectors a key, their running maxima, and the weights made of them.
//!
//! Scores are written key by key in order. `start` begins to read them back from key 0; weights of all
//! vectors wait in a short queue, so that a beat can be taken every cycle.

use super::{flag, plan, weight};
use crate::fifo::fifo;
use sagen_lang::{Design, Module, ModuleId, RamStyle, Reg, Signal, bit, pack, signed, unsigned};
use sagen_streamed_arch::StreamedConfig;
use sagen_streamed_isa::VECTORS;

/// Keys whose weights are being computed or waiting; more than the latency from a read to the queue.
const AHEAD: u32 = 16;
/// Bits of a key number.
const KEY: u32 = 17;

/// The buffer.
pub(super) fn scores(d: &mut Design, overlay: &StreamedConfig) -> ModuleId {
    let depth = overlay.score_rows() as u32;
    let weight = weight::weight(d);
    let queue = fifo(d, 8 * VECTORS as u32, AHEAD);
    d.module("score_buffer", |m| {
        let plan = m.input("plan", unsigned(plan::width()));
        let (valid, first) = (m.input("valid", bit()), m.input("first", bit()));
        let z = m.input("z", unsigned(32 * VECTORS as u32));
        let words = m.memory("words", depth, 32 * VECTORS as u32).style(RamStyle::Block);
        let key = m.reg("write_key", unsigned(KEY));
        let zero = m.lit(unsigned(KEY), 0);
        let at = m.net("write_at", first.mux(zero, key.q()));
        m.when(valid, || m.set(key, at.add_lit(1)));
        words.write(valid, at.trunc(words.addr_width()), z);
        let maxima = maxima(m, Result { valid, first, z, seen: seen(plan, at) });

        let pop = m.input("pop", bit());
        let reader = reader(m, pop);
        let word = words.read(reader.read, reader.key.trunc(words.addr_width()));
        let visible = m.reg_en("visible1", reader.read, pack(&seen(plan, reader.key)));
        let word_valid = flag(m, "word_valid", reader.read);
        let word = m.reg_en("word2", word_valid, word);
        let visible = m.reg_en("visible2", word_valid, visible).lanes(1);
        let valid = flag(m, "valid2", word_valid);
        let active = plan::field(plan, "active").lanes(1);
        let lane = |v: usize| {
            let u = m.instance(&format!("u_weight{v}"), weight);
            u.input("valid", valid & active[v]);
            u.input("seen", visible[v]);
            u.input("z", word.lanes(32)[v].as_signed());
            u.input("max", maxima[v]);
            u.output("weight")
        };
        let weights: Vec<Signal> = (0..VECTORS).map(lane).collect();
        let ready = (0..weight::LATENCY).fold(valid, |s, i| flag(m, &format!("weight_valid{i}"), s));
        let u = m.instance("u_queue", queue);
        u.input("in_data", pack(&weights));
        u.input("in_valid", ready);
        u.input("out_ready", pop);
        m.assert(!(ready & !u.output("in_ready")), "a weight finds its queue full");
        m.output("weights", u.output("out_data"));
        m.output("weights_valid", u.output("out_valid"));
    })
}

struct Result {
    valid: Signal,
    first: Signal,
    z: Signal,
    seen: Vec<Signal>,
}

/// The greatest score so far of each vector, among the keys that it sees. Key 0 is always seen.
fn maxima(m: &Module, result: Result) -> Vec<Signal> {
    let max = |(v, z): (usize, &Signal)| {
        let max = m.reg(&format!("max{v}"), signed(32));
        let z = z.as_signed();
        let better = result.first | (result.seen[v] & z.gt(max));
        m.when(result.valid & better, || m.set(max, z));
        max.q()
    };
    result.z.lanes(32).iter().enumerate().map(max).collect()
}

struct Reader {
    read: Signal,
    key: Signal,
}

/// Issues reads as long as the queue has room for what is under way.
fn reader(m: &Module, pop: Signal) -> Reader {
    let start = m.input("start", bit());
    let last_key = m.input("last_key", unsigned(KEY));
    let reading = m.reg("reading", bit()).reset(0);
    let (key, last) = (m.reg("read_key", unsigned(KEY)), m.reg("read_last", unsigned(KEY)));
    let ahead: Reg = m.reg("ahead", unsigned(AHEAD.ilog2() + 1)).reset(0);
    let read = m.net("read", reading & !ahead.msb());
    m.when(read, || {
        m.set(key, key.add_lit(1));
        m.set(reading, key.ne(last));
    });
    m.when(start, || {
        m.set(key, m.lit(unsigned(KEY), 0));
        m.set(last, last_key);
        m.set(reading, m.lit(bit(), 1));
    });
    m.when(read & !pop, || m.set(ahead, ahead.add_lit(1)));
    m.when(pop & !read, || m.set(ahead, ahead.sub_lit(1)));
    Reader { read, key: key.q() }
}

/// Which vectors see a key.
fn seen(plan: Signal, key: Signal) -> Vec<Signal> {
    (0..VECTORS).map(|v| key.le(plan::field(plan, &format!("limit{v}")))).collect()
}
