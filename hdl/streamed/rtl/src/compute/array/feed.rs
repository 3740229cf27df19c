//! From code words to the arrays: picks the channels of the step, and delays what the accumulators need to know.
//!
//! Codes come two cycles after the control of their row and enter the arrays then (`x`, `enter`, `swap` with the first
//! row). Their sums leave the arrays together with `sum_*`.

use super::cycle::{join, pick};
use super::geometry::{Geometry, ROWS};
use sagen_lang::{Design, Module, ModuleId, Signal, bit, cat, unsigned};

/// Cycles from a row's control to its codes in the arrays' first row.
const TO_ARRAY: u32 = 3;

/// See the file. `running` is high while any descriptor is not done.
pub(super) fn feed(d: &mut Design, g: Geometry) -> ModuleId {
    let sums = TO_ARRAY + g.latency();
    d.module(format!("array_feed_d{}_a{}{}", g.side, g.arrays, g.pipeline()), |m| {
        let running = m.input("running", bit());
        let (valid, first_row) = (m.input("row_valid", bit()), m.input("first_row", bit()));
        let block_due = m.input("block_due", bit());
        let (data, shift) = (m.input("code_data", unsigned(512)), m.input("code_shift", unsigned(2)));
        let part = (g.parts() > 1).then(|| m.input("part", unsigned(g.parts().ilog2())));

        let valids = line(m, "valid_line", valid, sums);
        let part = part.map(|p| m.delay_en("part_late", running, p, TO_ARRAY - 1));
        m.output("x", pick(part, &data.lanes(8 * g.channels())));
        m.output("enter", valids.bit(TO_ARRAY - 2));
        m.output("swap", line(m, "swap_line", first_row, TO_ARRAY - 1).msb());

        m.output("sum_valid", valids.msb());
        m.output("sum_shift", m.delay_en("shift_late", running, shift, 1 + g.latency()));
        m.output("sum_block_due", line(m, "due_line", block_due, sums).msb());
        let place = place_inputs(m, g);
        let place = m.delay_en("place", running, place, sums);
        m.output("sum_place", place);
    })
}

/// Bits of a place in the accumulators: whether to add, bank, row and half of the block.
pub(super) fn place_bits(g: Geometry) -> u32 {
    2 + ROWS.ilog2() + g.halves().ilog2()
}

fn place_inputs(m: &Module, g: Geometry) -> Signal {
    let (accumulate, bank) = (m.input("accumulate", bit()), m.input("bank", bit()));
    let row = m.input("row", unsigned(ROWS.ilog2()));
    let half = (g.halves() > 1).then(|| m.input("half", unsigned(g.halves().ilog2())));
    join(&[Some(accumulate), Some(bank), Some(row), half]).expect("there is a row")
}

/// A flag's last `length` values, the latest lowest.
fn line(m: &Module, name: &str, flag: Signal, length: u32) -> Signal {
    let line = m.reg(name, unsigned(length)).reset(0);
    m.set(line, cat(&[line.slice(0, length - 1), flag]));
    line.q()
}
