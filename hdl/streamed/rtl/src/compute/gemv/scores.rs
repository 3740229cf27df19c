//! The score buffer: scores of up to four vectors a key, their running maxima, and the weights made of them.
//!
//! Scores are written key by key in order. `start` begins to read them back from key 0; weights of all
//! vectors wait in a short queue, so that a beat can be taken every cycle.

use super::plan::Plan;
use sagen_blocks::fifo::fifo;
use sagen_blocks::sfu::exp2::{self, Exp2};
use sagen_lang::{
    Design, Layout, Module, ModuleId, Output, Packed, RamStyle, Reg, Signal, Type, bit, interface, pack, signed,
    unsigned,
};
use sagen_streamed_arch::StreamedConfig;
use sagen_streamed_isa::VECTORS;

/// Keys whose weights are being computed or waiting; more than the latency from a read to the queue.
const AHEAD: u32 = 16;
/// Bits of a key number.
const KEY: u32 = 17;

interface! {
    /// Scores in, weights out.
    pub(super) struct Scores() {
        plan: -> Plan::layout().bus(),
        /// The scores of a key are there.
        valid: -> bit(),
        /// They are the first.
        first: -> bit(),
        /// One a vector.
        z: -> unsigned(32 * VECTORS as u32),
        /// Reading begins.
        start: -> bit(),
        last_key: -> unsigned(KEY),
        /// The weights are taken.
        pop: -> bit(),
        /// One a vector.
        weights: <- unsigned(8 * VECTORS as u32),
        weights_valid: <- bit(),
    }
}

/// The buffer.
pub(super) fn scores(d: &mut Design, overlay: &StreamedConfig) -> ModuleId {
    let depth = overlay.score_rows() as u32;
    let weight = exp2::exp2(d);
    let queue = fifo(d, unsigned(8 * VECTORS as u32), AHEAD);
    d.module("score_buffer", |m| {
        m.doc("Scores of up to four vectors a key, their running maxima, and the weights made of them.");
        let port = m.slave("", Scores::layout());
        let Scores { valid, first, z, pop, .. } = port;
        let plan = Plan::layout().packed(port.plan);
        let words = m.memory("words", depth, 32 * VECTORS as u32).style(RamStyle::Block);
        let key = m.reg("write_key", unsigned(KEY));
        let zero = m.lit(unsigned(KEY), 0);
        let at = m.net("write_at", first.mux(zero, key.q()));
        m.when(valid, || m.set(key, at.add_lit(1)));
        words.write(valid, at.trunc(words.addr_width()), z);
        let maxima = maxima(m, Result { valid, first, z, seen: seen(plan, at) });

        let reader = reader(m, &port);
        let word = words.read(reader.read, reader.key.trunc(words.addr_width()));
        let visible = m.reg_en("visible1", reader.read, pack(&seen(plan, reader.key)));
        let word_valid = m.flag("word_valid", reader.read);
        let word = m.reg_en("word2", word_valid, word);
        let visible = m.reg_en("visible2", word_valid, visible).lanes(1);
        let valid = m.flag("valid2", word_valid);
        let active = plan.get(|p| p.active).lanes(1);
        let lane = |v: usize| {
            let lane = m.instance(&format!("u_weight{v}"), weight).slave::<Exp2>("").ports();
            lane.valid.drive(valid & active[v]);
            lane.seen.drive(visible[v]);
            lane.z.drive(word.lanes(32)[v].as_signed());
            lane.max.drive(maxima[v]);
            lane.weight
        };
        let weights: Vec<Signal> = (0..VECTORS).map(lane).collect();
        let ready = (0..exp2::LATENCY).fold(valid, |s, i| m.flag(&format!("weight_valid{i}"), s));
        let queue = queue.place(m, "u_queue");
        queue.push(ready, pack(&weights));
        queue.pop(pop);
        m.assert(!(ready & !queue.room()), "a weight finds its queue full");
        port.weights.drive(queue.front());
        port.weights_valid.drive(queue.holds());
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
fn reader(m: &Module, port: &Scores<Signal, Output>) -> Reader {
    let pop = port.pop;
    let reading = m.reg("reading", bit()).reset(0);
    let (key, last) = (m.reg("read_key", unsigned(KEY)), m.reg("read_last", unsigned(KEY)));
    let ahead: Reg = m.reg("ahead", unsigned(AHEAD.ilog2() + 1)).reset(0);
    let read = m.net("read", reading & !ahead.msb());
    m.when(read, || {
        m.set(key, key.add_lit(1));
        m.set(reading, key.ne(last));
    });
    m.when(port.start, || {
        m.set(key, m.lit(unsigned(KEY), 0));
        m.set(last, port.last_key);
        m.set(reading, m.lit(bit(), 1));
    });
    m.when(read & !pop, || m.set(ahead, ahead.add_lit(1)));
    m.when(pop & !read, || m.set(ahead, ahead.sub_lit(1)));
    Reader { read, key: key.q() }
}

/// Which vectors see a key.
fn seen(plan: Packed<Plan<Type>>, key: Signal) -> Vec<Signal> {
    (0..VECTORS).map(|v| key.le(plan.get(|p| p.limit[v]))).collect()
}
