//! Accumulators of two blocks: 2 banks x 16 activation rows x 16 output rows of 32 bits.
//!
//! The sums of all bands for one activation row are added, shifted left by 3 minus the group's shift, and added to
//! or stored in the row's accumulators. Rows come at most once in 16 cycles, so a read never overtakes a write.
//! The drain reads the other bank; data one cycle after `read`. Packed bands give negative sums; then the accumulators
//! hold complements, since the complement of `a - b` is that of `a` plus `b`.

use super::band::sums;
use super::feed::place_bits;
use super::geometry::{ACC, Geometry, ROWS};
use sagen_lang::{Design, Module, ModuleId, RamStyle, Signal, bit, pack, unsigned};

/// Bands whose sums a deep pipeline adds and shifts in one cycle.
const ADDED_AT_ONCE: u32 = 2;

/// `block_final` is high while the first row of a block's last step is written; the others follow in 15 cycles.
pub(super) fn accumulate(d: &mut Design, g: Geometry) -> ModuleId {
    d.module(format!("array_accumulate_c{}_n{}{}", g.columns(), g.bands(), g.variant()), |m| {
        let inputs = Row {
            valid: m.input("valid", bit()),
            block_due: m.input("block_due", bit()),
            shift: m.input("shift", unsigned(2)),
            place: m.input("place", unsigned(place_bits(g))),
        };
        let bands: Vec<Vec<Signal>> = (0..g.bands()).map(|i| sums(m, g, &format!("p{i}"))).collect();
        let totals: Vec<Signal> = (0..g.columns() as usize).map(|n| total(&bands, n)).collect();
        let (row, totals) = match g.deep && g.bands() > ADDED_AT_ONCE {
            true => (inputs.delayed(m, "total"), enabled(m, "total", inputs.valid, &totals)),
            false => (inputs, totals),
        };
        let add = row.place.msb();
        let address = row.place.trunc(place_bits(g) - 1);
        let shifted: Vec<Signal> = totals.iter().map(|t| shifted(*t, row.shift)).collect();
        let shifted = enabled(m, "shifted", row.valid, &shifted);
        let write = row.delayed(m, "write");

        let depth = 2 * ROWS * g.halves();
        let (read, at) = (m.input("read", bit()), m.input("read_at", unsigned(place_bits(g) - 1)));
        // One memory a lane: a simulator has less to do for 32 bits than for a slice of a wide word.
        let lane = |(n, new): (usize, &Signal)| {
            let memory = m.memory(&format!("lane{n}"), depth, ACC).style(RamStyle::Distributed);
            let old = memory.read(row.valid & add, address).as_signed();
            let old = write.place.msb().mux(old, m.lit(old.ty(), if g.packed { -1 } else { 0 }));
            memory.write(write.valid, write.place.trunc(place_bits(g) - 1), (old + new.extend(ACC)).as_unsigned());
            memory.read(read, at)
        };
        m.output("read_data", pack(&shifted.iter().enumerate().map(lane).collect::<Vec<_>>()));
        m.output("block_final", write.block_due);
    })
}

/// What goes along with the sums of one activation row.
#[derive(Clone, Copy)]
struct Row {
    valid: Signal,
    block_due: Signal,
    shift: Signal,
    place: Signal,
}

impl Row {
    fn delayed(self, m: &Module, name: &str) -> Self {
        let flag = |what: &str, flag: Signal| {
            let reg = m.reg(&format!("{name}_{what}"), bit()).reset(0);
            m.set(reg, flag);
            reg.q()
        };
        Self {
            valid: flag("valid", self.valid),
            block_due: flag("block_due", self.block_due),
            shift: m.reg_en(&format!("{name}_shift"), self.valid, self.shift).q(),
            place: m.reg_en(&format!("{name}_place"), self.valid, self.place).q(),
        }
    }
}

/// Sum over the bands, exact.
fn total(sums: &[Vec<Signal>], n: usize) -> Signal {
    let mut terms: Vec<Signal> = sums.iter().map(|s| s[n]).collect();
    while terms.len() > 1 {
        terms = terms.chunks(2).map(|pair| pair[0].add_full(pair[1])).collect();
    }
    terms[0]
}

/// `total << (3 - shift)`.
fn shifted(total: Signal, shift: Signal) -> Signal {
    total.extend(total.width() + 3).shl_dyn(!shift)
}

fn enabled(m: &Module, name: &str, enable: Signal, values: &[Signal]) -> Vec<Signal> {
    values.iter().enumerate().map(|(i, v)| m.reg_en(&format!("{name}{i}"), enable, *v).q()).collect()
}
