//! Greatest magnitude of every group of a row: a tree over the lanes, a running maximum over the group, and the
//! table that the quantiser reads.
//!
//! What is given with `valid` is in the table at the end of the cycle in which `busy` is last high: two cycles later,
//! or as many as the tree of a deep unit has levels.

use super::shape::Shape;
use sagen_lang::{Design, Module, ModuleId, RamStyle, Signal, bit, cat, low, unsigned};
use sagen_streamed_isa::{AMAX_GROUPS, CHUNK_ROWS};

/// Bits of a table address: row, group.
pub(super) const AMAX_ADDRESS: u32 = (AMAX_GROUPS * CHUNK_ROWS).ilog2();

/// The tree and the table, with read ports `scan` and `group` of one cycle each.
pub(super) fn vector_amax(d: &mut Design, shape: Shape) -> ModuleId {
    d.module(shape.by_both("vector_amax"), |m| {
        m.doc("Greatest magnitude of each group of 64 results.");
        let valid = m.input("valid", bit());
        let word = m.input("word", unsigned(32 * shape.lanes as u32));
        let [group_first, group_last] = ["group_first", "group_last"].map(|n| m.input(n, bit()));
        let at = cat(&[m.input("row", unsigned(4)), m.input("group", unsigned(7))]);
        let keys = word.lanes(32).iter().map(|x| key(*x)).collect();
        let mut level = Level { valid, flags: cat(&[group_first, group_last, at]), keys };
        let mut busy = low();
        for (i, many) in widths(shape).into_iter().enumerate() {
            level = level.next(m, i, many);
            busy = busy | level.valid;
        }
        let Level { valid, flags, keys } = level;
        let running = m.reg("running", unsigned(32));
        let (first, last) = (flags.bit(AMAX_ADDRESS + 1), flags.bit(AMAX_ADDRESS));
        let group = m.net("group_key", first.mux(keys[0], keys[0].max(running.q())));
        m.when(valid, || m.set(running, group));
        table(m, valid & last, flags.slice(0, AMAX_ADDRESS), group);
        m.output("busy", busy);
    })
}

/// How many numbers meet in one, from one register to the next.
fn widths(shape: Shape) -> Vec<usize> {
    if shape.deep { vec![2; shape.lanes.ilog2() as usize] } else { vec![4, shape.lanes / 4] }
}

/// Numbers between two registers of the tree.
struct Level {
    valid: Signal,
    flags: Signal,
    keys: Vec<Signal>,
}

impl Level {
    fn next(&self, m: &Module, i: usize, many: usize) -> Self {
        let valid = m.reg(&format!("valid{i}"), bit()).reset(0);
        m.set(valid, self.valid);
        let hold = |name: String, value: Signal| m.reg_en(&name, self.valid, value).q();
        let keys = self.keys.chunks(many).map(greatest).enumerate();
        Self {
            valid: valid.q(),
            flags: hold(format!("flags{i}"), self.flags),
            keys: keys.map(|(j, k)| hold(format!("key{i}_{j}"), k)).collect(),
        }
    }
}

fn table(m: &Module, write: Signal, at: Signal, group: Signal) {
    let magnitude = group.slice(1, 31).extend(32) + group.bit(0).extend(32);
    let table = m.memory("magnitudes", (AMAX_GROUPS * CHUNK_ROWS) as u32, 32).style(RamStyle::Block);
    table.write(write, at, magnitude);
    for port in ["scan", "group"] {
        let enable = m.input(&format!("{port}_en"), bit());
        let addr = m.input(&format!("{port}_addr"), unsigned(AMAX_ADDRESS));
        m.output(&format!("{port}_data"), table.read(enable, addr));
    }
}

/// Orders numbers by magnitude without a carry: for a negative one its complement, then a 1.
fn key(x: Signal) -> Signal {
    let sign = x.msb();
    cat(&[x.slice(0, 31) ^ sign.repeat(31), sign])
}

/// Maximum as a balanced tree.
fn greatest(keys: &[Signal]) -> Signal {
    match keys {
        [one] => *one,
        _ => {
            let (low, high) = keys.split_at(keys.len() / 2);
            greatest(low).max(greatest(high))
        }
    }
}
