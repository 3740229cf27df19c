//! Greatest magnitude of every group of a row: a tree over the 16 lanes, a running maximum over the words of the
//! group, and the table that the quantiser reads.
//!
//! A word given with `valid` is in the table two cycles later, at the end of the cycle in which `busy` is last high.

use sagen_isa::{AMAX_GROUPS, CHUNK_ROWS};
use sagen_lang::{Design, Module, ModuleId, RamStyle, Signal, bit, cat, unsigned};

/// Bits of a table address: row, group.
pub(super) const AMAX_ADDRESS: u32 = (AMAX_GROUPS * CHUNK_ROWS).ilog2();

/// The tree and the table, with read ports `scan` and `group` of one cycle each.
pub(super) fn vector_amax(d: &mut Design) -> ModuleId {
    d.module("vector_amax", |m| {
        m.doc("Greatest magnitude of each group of 64 results.");
        let valid = m.input("valid", bit());
        let word = m.input("word", unsigned(512));
        let [group_first, group_last] = ["group_first", "group_last"].map(|n| m.input(n, bit()));
        let at = cat(&[m.input("row", unsigned(4)), m.input("group", unsigned(7))]);
        let keys: Vec<Signal> = word.lanes(32).iter().map(|x| key(*x)).collect();
        let four: Vec<Signal> = keys.chunks(4).map(greatest).collect();
        let four: Vec<Signal> =
            four.iter().enumerate().map(|(i, k)| m.reg_en(&format!("quarter{i}"), valid, *k).q()).collect();
        let flags = cat(&[group_first, group_last, at]);
        let [valid1, valid2] = ["valid1", "valid2"].map(|n| m.reg(n, bit()).reset(0));
        m.set(valid1, valid);
        m.set(valid2, valid1);
        let flags1 = m.reg_en("flags1", valid, flags);
        let flags2 = m.reg_en("flags2", valid1, flags1);
        let one = m.reg_en("whole", valid1, greatest(&four));
        let running = m.reg("running", unsigned(32));
        let (first, last) = (flags2.bit(AMAX_ADDRESS + 1), flags2.bit(AMAX_ADDRESS));
        let group = m.net("group_key", first.mux(one.q(), one.max(running.q())));
        m.when(valid2, || m.set(running, group));
        table(m, valid2 & last, flags2.slice(0, AMAX_ADDRESS), group);
        m.output("busy", valid1 | valid2);
    })
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
