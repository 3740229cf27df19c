//! Sum of squares of each row, exact in 80 bits.

use super::shape::Shape;
use sagen_lang::{Design, Layout, ModuleId, RamStyle, Signal, bit, bundle, interface, unsigned};
use sagen_streamed_isa::CHUNK_ROWS;

/// Bits of a sum: 4095 words of 16 squares of at most 2^62.
pub(super) const SQUARES: u32 = 80;
/// Bits of one square.
const SQUARE: u32 = 63;

interface! {
    /// A read of a row's sum, in the same cycle.
    pub(super) struct RowSum() {
        read_row: -> unsigned(4),
        row_sum: <- unsigned(SQUARES),
    }
}

bundle! {
    /// Where squares belong.
    struct Place() {
        row: unsigned(4),
        row_last: bit(),
        row_first: bit(),
    }
}

/// The squares of all lanes enter with `valid`; a row's sum is written two cycles after its last ones.
pub(super) fn vector_squares(d: &mut Design, shape: Shape) -> ModuleId {
    d.module(shape.by_lanes("vector_squares"), |m| {
        m.doc("Sum of squares of each row.");
        let valid = m.input("valid", bit());
        let squares = m.input("squares", unsigned(shape.lanes as u32 * SQUARE)).lanes(SQUARE);
        let row_first = m.input("row_first", bit());
        let row_last = m.input("row_last", bit());
        let row = m.input("row", unsigned(4));
        let four: Vec<Signal> = squares.chunks(4).map(total).collect();
        let four: Vec<Signal> =
            four.iter().enumerate().map(|(i, s)| m.reg_en(&format!("quarter{i}"), valid, *s).q()).collect();
        let place = Place::layout().pack(Place { row, row_last, row_first });
        let [valid1, valid2] = ["valid1", "valid2"].map(|n| m.reg(n, bit()).reset(0));
        m.set(valid1, valid);
        m.set(valid2, valid1);
        let place = place.reg_en(m, "flags1", valid).reg_en(m, "flags2", valid1);
        let word = m.reg_en("word", valid1, total(&four)).extend(SQUARES);
        let running = m.reg("running", unsigned(SQUARES));
        let sum = m.net("sum", place.get(|p| p.row_first).mux(word, word + running));
        m.when(valid2, || m.set(running, sum));
        let rows = m.memory("rows", CHUNK_ROWS as u32, SQUARES).style(RamStyle::Distributed);
        rows.write(valid2 & place.get(|p| p.row_last), place.get(|p| p.row), sum);
        let reader = m.slave("", RowSum::layout());
        reader.row_sum.drive(rows.read_async(reader.read_row));
    })
}

/// Sum of one, two or four, as many bits wider as it needs.
fn total(terms: &[Signal]) -> Signal {
    match terms {
        [one] => *one,
        _ => {
            let (low, high) = terms.split_at(terms.len() / 2);
            total(low).add_full(total(high))
        }
    }
}
