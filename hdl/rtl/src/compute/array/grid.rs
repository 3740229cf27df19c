//! One weight-stationary array of `side` x `side` processing elements.
//!
//! Row i holds channel i, column j a weight row. A code passes along its whole row in one cycle and partial sums move
//! down, so channel i works i cycles after channel 0 and all columns of an activation row leave together, `side`
//! cycles after it enters. Weights shift along the rows with the same skew: the first of a tile ends in the last
//! column. `swap` comes one cycle before the first activation row of the tile, with or after its last `load`.

use super::geometry::ACC;
use super::pe::pe;
use sagen_lang::{Design, Module, ModuleId, Signal, bit, pack, signed, unsigned};

/// `x` (one byte a channel) is taken while `valid`, `w` (one byte a channel) while `load`; `p` is lane n for row n.
pub(super) fn grid(d: &mut Design, side: u32) -> ModuleId {
    let pe = pe(d);
    d.module(format!("array_grid_d{side}"), |m| {
        let (load, swap, valid) = (m.input("load", bit()), m.input("swap", bit()), m.input("valid", bit()));
        let (x, w) = (m.input("x", unsigned(8 * side)), m.input("w", unsigned(8 * side)));
        let loads = flags(m, "load", load, side);
        let swaps = flags(m, "swap", swap, side);
        let valids = flags(m, "valid", valid, side);
        let x = skew(m, "x", x, &valids);
        let w = skew(m, "w", w, &loads);
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
fn flags(m: &Module, name: &str, flag: Signal, side: u32) -> Vec<Signal> {
    let line = m.reg(&format!("{name}_line"), unsigned(side - 1)).reset(0);
    let next = if side > 2 { sagen_lang::cat(&[line.slice(0, side - 2), flag]) } else { flag };
    m.set(line, next);
    let late = (0..side - 1).map(|i| line.bit(i));
    std::iter::once(flag).chain(late).collect()
}

/// Byte i of the bus, i cycles late, as a signed number.
fn skew(m: &Module, name: &str, bus: Signal, enables: &[Signal]) -> Vec<Signal> {
    let mut rest = bus;
    let mut bytes = vec![rest.slice(0, 8).as_signed()];
    for (stage, &enable) in enables[..enables.len() - 1].iter().enumerate() {
        let above = rest.slice(8, rest.width() - 8);
        rest = m.reg_en(&format!("{name}_skew{}", stage + 1), enable, above).q();
        bytes.push(rest.slice(0, 8).as_signed());
    }
    bytes
}
