//! Greatest magnitude of every group of a row: a tree over the lanes, a running maximum over the group, and the
//! table that the quantiser reads.
//!
//! What is given with `valid` is in the table at the end of the cycle in which `busy` is last high: two cycles later,
//! or as many as the tree of a deep unit has levels.

use super::shape::Shape;
use sagen_lang::{
    Design, Layout, Module, ModuleId, Packed, RamStyle, Signal, Type, bit, bundle, cat, interface, low, unsigned,
};
use sagen_streamed_isa::{AMAX_GROUPS, CHUNK_ROWS};

/// Bits of a table address: row, group.
const AMAX_ADDRESS: u32 = (AMAX_GROUPS * CHUNK_ROWS).ilog2();
const _: () = assert!(AMAX_ADDRESS == 11, "four bits of row and seven of group");

interface! {
    /// A read of the table, one cycle late.
    pub(super) struct AmaxRead() {
        en: -> bit(),
        /// Row, group.
        addr: -> unsigned(AMAX_ADDRESS),
        data: <- unsigned(32),
    }
}

bundle! {
    /// Where a word belongs.
    struct Place() {
        /// Row and group.
        at: unsigned(AMAX_ADDRESS),
        group_last: bit(),
        group_first: bit(),
    }
}

/// The tree and the table, with read ports `scan` and `group` of one cycle each.
pub(super) fn vector_amax(d: &mut Design, shape: Shape) -> ModuleId {
    d.module(shape.by_both("vector_amax"), |m| {
        m.doc("Greatest magnitude of each group of 64 results.");
        let valid = m.input("valid", bit());
        let word = m.input("word", unsigned(32 * shape.lanes as u32));
        let [group_first, group_last] = ["group_first", "group_last"].map(|n| m.input(n, bit()));
        let at = cat(&[m.input("row", unsigned(4)), m.input("group", unsigned(7))]);
        let keys = word.lanes(32).iter().map(|x| key(*x)).collect();
        let mut level = Level { valid, place: Place::layout().pack(Place { at, group_last, group_first }), keys };
        let mut busy = low();
        for (i, many) in widths(shape).into_iter().enumerate() {
            level = level.next(m, i, many);
            busy = busy | level.valid;
        }
        let Level { valid, place, keys } = level;
        let running = m.reg("running", unsigned(32));
        let (first, last) = (place.get(|p| p.group_first), place.get(|p| p.group_last));
        let group = m.net("group_key", first.mux(keys[0], keys[0].max(running.q())));
        m.when(valid, || m.set(running, group));
        table(m, valid & last, place.get(|p| p.at), group);
        m.output("busy", busy);
    })
}

/// How many numbers meet in one, from one register to the next.
fn widths(shape: Shape) -> Vec<usize> {
    if shape.depth.is_deep() { vec![2; shape.lanes.ilog2() as usize] } else { vec![4, shape.lanes / 4] }
}

/// Numbers between two registers of the tree.
struct Level {
    valid: Signal,
    place: Packed<Place<Type>>,
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
            place: self.place.reg_en(m, &format!("flags{i}"), self.valid),
            keys: keys.map(|(j, k)| hold(format!("key{i}_{j}"), k)).collect(),
        }
    }
}

fn table(m: &Module, write: Signal, at: Signal, group: Signal) {
    let magnitude = group.slice(1, 31).extend(32) + group.bit(0).extend(32);
    let table = m.memory("magnitudes", (AMAX_GROUPS * CHUNK_ROWS) as u32, 32).style(RamStyle::Block);
    table.write(write, at, magnitude);
    for port in ["scan_", "group_"] {
        let reader = m.slave(port, AmaxRead::layout());
        reader.data.drive(table.read(reader.en, reader.addr));
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
