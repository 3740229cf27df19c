//! Accumulators of two blocks: 2 banks x 16 activation rows x 16 output rows of 32 bits.
//!
//! The sums of all bands for one activation row are added, shifted left by 3 minus the group's shift, and added to
//! or stored in the row's accumulators. Rows come at most once in 16 cycles, so a read never overtakes a write.
//! The drain reads the other bank; data one cycle after `read`. Packed bands give negative sums; then the accumulators
//! hold complements, since the complement of `a - b` is that of `a` plus `b`.

use super::band::sums;
use super::feed::place_bits;
use super::geometry::{ACC, Geometry, ROWS};
use sagen_lang::{Design, Layout, Module, ModuleId, RamStyle, Signal, bit, bundle, interface, pack, unsigned};

bundle! {
    /// What goes along with the sums of one activation row.
    pub(super) struct Row(g: Geometry) {
        valid: bit(),
        block_due: bit(),
        /// Of the group.
        shift: unsigned(2),
        /// Whether to add, bank, row and half of the block.
        place: unsigned(place_bits(g)),
    }
}

interface! {
    /// The drain's side.
    pub(super) struct Accumulators(g: Geometry) {
        block_final: <- bit(),
        read: -> bit(),
        read_at: -> unsigned(place_bits(g) - 1),
        read_data: <- unsigned(ACC * g.columns()),
    }
}

/// `block_final` is high while the first row of a block's last step is written; the others follow in 15 cycles.
pub(super) fn accumulate(d: &mut Design, g: Geometry) -> ModuleId {
    d.module(format!("array_accumulate_c{}_n{}{}", g.columns(), g.bands(), g.signs()), |m| {
        m.doc("Accumulators of two blocks: 2 banks x 16 activation rows x 16 output rows of 32 bits.");
        let (inputs, port) = (Row::layout(g).inputs(m, ""), m.slave("", Accumulators::layout(g)));
        let bands: Vec<Vec<Signal>> = (0..g.bands()).map(|i| sums(m, g, &format!("p{i}"))).collect();
        let (row, totals) = total(m, g, inputs, bands);
        let add = row.place.msb();
        let address = row.place.trunc(place_bits(g) - 1);
        let shifted: Vec<Signal> = totals.iter().map(|t| shifted(*t, row.shift)).collect();
        let shifted = enabled(m, "shifted", row.valid, &shifted);
        let write = delayed(m, row, "write");

        let depth = 2 * ROWS * g.halves();
        // One memory a lane: a simulator has less to do for 32 bits than for a slice of a wide word.
        let lane = |(n, new): (usize, &Signal)| {
            let memory = m.memory(&format!("lane{n}"), depth, ACC).style(RamStyle::Distributed);
            let old = memory.read(row.valid & add, address).as_signed();
            let old = write.place.msb().mux(old, m.lit(old.ty(), if g.packed { -1 } else { 0 }));
            memory.write(write.valid, write.place.trunc(place_bits(g) - 1), (old + new.extend(ACC)).as_unsigned());
            memory.read(port.read, port.read_at)
        };
        port.read_data.drive(pack(&shifted.iter().enumerate().map(lane).collect::<Vec<_>>()));
        port.block_final.drive(write.block_due);
    })
}

/// One cycle later.
fn delayed(m: &Module, row: Row, name: &str) -> Row {
    Row {
        valid: m.flag(&format!("{name}_valid"), row.valid),
        block_due: m.flag(&format!("{name}_block_due"), row.block_due),
        shift: m.reg_en(&format!("{name}_shift"), row.valid, row.shift).q(),
        place: m.reg_en(&format!("{name}_place"), row.valid, row.place).q(),
    }
}

/// Sums over the bands, exact, with a register before each addition but the first.
fn total(m: &Module, g: Geometry, mut row: Row, mut bands: Vec<Vec<Signal>>) -> (Row, Vec<Signal>) {
    let add = |pair: &[Vec<Signal>]| -> Vec<Signal> {
        (0..g.columns() as usize).map(|n| pair[0][n].add_full(pair[1][n])).collect()
    };
    while bands.len() > 1 {
        bands = bands.chunks(2).map(add).collect();
        let left = bands.len();
        if left > 1 {
            let late = |(i, sums): (usize, &Vec<Signal>)| enabled(m, &format!("total{left}_{i}_"), row.valid, sums);
            bands = bands.iter().enumerate().map(late).collect();
            row = delayed(m, row, &format!("total{left}"));
        }
    }
    (row, bands.swap_remove(0))
}

/// `total << (3 - shift)`.
fn shifted(total: Signal, shift: Signal) -> Signal {
    total.extend(total.width() + 3).shl_dyn(!shift)
}

fn enabled(m: &Module, name: &str, enable: Signal, values: &[Signal]) -> Vec<Signal> {
    values.iter().enumerate().map(|(i, v)| m.reg_en(&format!("{name}{i}"), enable, *v).q()).collect()
}
