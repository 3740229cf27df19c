//! One weight-stationary array of `side` x `side` processing elements.
//!
//! A row of the array holds one channel, a column one weight row. A code passes along its whole row in one cycle and
//! partial sums move down, so row i works i cycles after row 0 and all columns of an activation row leave together,
//! `side` cycles after it enters. Weights shift along the rows with the same skew: the first of a tile ends in the
//! last column. `swap` comes one cycle before the first activation row of the tile, at the earliest one cycle after
//! the tile's last `load`. The last channel is in row 0: then the buses lose their top byte from row to row.

use super::geometry::ACC;
use super::pe::pe;
use sagen_lang::{Design, Module, ModuleId, Signal, bit, cat, pack, signed, unsigned};

/// `x` (one byte a channel) is taken while `valid`, `w` (one byte a channel) while `load`; lane n of `p` is the sum
/// for weight row n. `running` must be high while anything is on its way.
pub(super) fn grid(d: &mut Design, side: u32) -> ModuleId {
    let pe = pe(d);
    d.module(format!("array_grid_d{side}"), |m| {
        let running = m.input("running", bit());
        let (load, swap, valid) = (m.input("load", bit()), m.input("swap", bit()), m.input("valid", bit()));
        let (x, w) = (m.input("x", unsigned(8 * side)), m.input("w", unsigned(8 * side)));
        let loads = flags(m, "load", running, load, side);
        let swaps = flags(m, "swap", running, swap, side);
        let valids = flags(m, "valid", running, valid, side);
        let x = skew(m, "x", running, x);
        let w = skew(m, "w", running, w);
        let mut sums = vec![m.lit(signed(ACC), 0); side as usize];
        for i in 0..side as usize {
            let mut weight = w[i];
            for (j, sum) in sums.iter_mut().enumerate() {
                let u = m.instance(&format!("u_pe_{i}_{j}"), pe);
                u.input("load", loads[i]);
                u.input("swap", swaps[i]);
                u.input("en", valids[i]);
                u.input("x", x[i]);
                u.input("w_in", weight);
                u.input("p_in", *sum);
                weight = u.output("w_out");
                *sum = u.output("p_out");
            }
        }
        let rows: Vec<Signal> = sums.iter().rev().map(|p| p.as_unsigned()).collect();
        m.output("p", pack(&rows));
    })
}

/// The flag as each row sees it: item i is i cycles late.
fn flags(m: &Module, name: &str, running: Signal, flag: Signal, side: u32) -> Vec<Signal> {
    let line = m.reg(&format!("{name}_line"), unsigned(side - 1)).reset(0);
    m.when(running, || m.set(line, cat(&[line.slice(0, side - 2), flag])));
    let late = (0..side - 1).map(|i| line.bit(i));
    std::iter::once(flag).chain(late).collect()
}

/// The bytes of the bus from the top down, byte i of them i cycles late, as signed numbers.
fn skew(m: &Module, name: &str, running: Signal, bus: Signal) -> Vec<Signal> {
    let mut rest = bus;
    let mut bytes = vec![rest.slice(rest.width() - 8, 8).as_signed()];
    for stage in 1..bus.width() / 8 {
        let width = rest.width() - 8;
        rest = m.reg_en(&format!("{name}_skew{stage}"), running, rest.slice(0, width)).q();
        bytes.push(rest.slice(width - 8, 8).as_signed());
    }
    bytes
}
