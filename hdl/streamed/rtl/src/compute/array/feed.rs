//! From code words to the arrays: picks the channels of the step, and delays what the accumulators need to know.
//!
//! Codes come two cycles after the control of their row and enter the arrays then (`x`, `enter`, `swap` with the first
//! row). Their sums leave the arrays together with `sum_*`.

use super::accumulate::Row;
use super::cycle::{join, pick};
use super::geometry::{Geometry, ROWS};
use super::issue::Step;
use sagen_lang::{Bundle, Design, Layout, ModuleId, Signal, bit, interface, unsigned};

/// Cycles from a row's control to its codes in the arrays' first row.
const TO_ARRAY: u32 = 3;

interface! {
    /// Code words in, codes of a step out.
    pub(super) struct Codes(g: Geometry) {
        /// A descriptor is not done.
        running: -> bit(),
        /// The code word of a row is being read.
        row_valid: -> bit(),
        code_data: -> unsigned(512),
        code_shift: -> unsigned(2),
        x: <- unsigned(8 * g.channels()),
        enter: <- bit(),
        swap: <- bit(),
    }
}

/// See the file. `running` is high while any descriptor is not done.
pub(super) fn feed(d: &mut Design, g: Geometry) -> ModuleId {
    let sums = TO_ARRAY + g.latency();
    d.module(format!("array_feed_d{}_a{}{}", g.side, g.arrays, g.pipeline()), |m| {
        m.doc("Picks the channels of a step from the code words.");
        let (port, step) = (m.slave("", Codes::layout(g)), Step::layout(g).inputs(m, ""));
        let running = port.running;
        let valids = m.history("valid_line", port.row_valid, sums);
        let part = step.part.map(|p| m.delay_en("part_late", running, p, TO_ARRAY - 1));
        port.x.drive(pick(part, &port.code_data.lanes(8 * g.channels())));
        port.enter.drive(valids.bit(TO_ARRAY - 2));
        port.swap.drive(m.history("swap_line", step.first_row, TO_ARRAY - 1).msb());

        let row = Row {
            valid: valids.msb(),
            shift: m.delay_en("shift_late", running, port.code_shift, 1 + g.latency()),
            block_due: m.history("due_line", step.block_due, sums).msb(),
            place: m.delay_en("place", running, place(&step), sums),
        };
        row.outputs(m, "sum_");
    })
}

/// Bits of a place in the accumulators: whether to add, bank, row and half of the block.
pub(super) fn place_bits(g: Geometry) -> u32 {
    2 + ROWS.ilog2() + g.halves().ilog2()
}

fn place(step: &Step) -> Signal {
    join(&[Some(step.accumulate), Some(step.bank), Some(step.row), step.half]).expect("there is a row")
}
