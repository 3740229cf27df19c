//! One band of a weight-stationary array: 8 rows of processing elements.
//!
//! A row of the band holds one channel, a column one weight row. A code passes along its whole row in one cycle and
//! partial sums move down, so row i works i cycles after row 0 and all columns of an activation row leave together.
//! Weights shift along the rows with the same skew: the first of a tile ends in the last column. The last channel is
//! in row 0: then the buses lose their top byte from row to row.

use super::geometry::{ACC, BAND, BAND_SUM, Geometry};
use super::pe::{Cell, pe};
use super::pe_pair::{self, pair, pe_pair};
use sagen_lang::{Design, Instance, Layout, Module, ModuleId, Signal, Sink, bit, bundle, cat, signed, unsigned};

bundle! {
    /// What passes through a band.
    pub(super) struct Flow() {
        /// Anything is on its way.
        running: bit(),
        /// `w` is a row of a tile.
        load: bit(),
        /// The tile takes effect.
        swap: bit(),
        /// `x` is a row of codes.
        enter: bit(),
        x: unsigned(8 * BAND),
        w: unsigned(8 * BAND),
    }
}

/// The flags of each row, item i for row i.
struct Flags {
    enter: Vec<Signal>,
    swap: Vec<Signal>,
    load: Vec<Signal>,
    /// Loads the first weight of a pair.
    hold: Vec<Signal>,
}

/// `x` (one byte a channel) is taken while `enter`, `w` (one byte a channel) while `load`; the sums leave
/// `1 + latency` cycles after `enter`. `swap` comes with the first activation row of the tile, at the earliest one
/// cycle after the tile's last `load`. `running` must be high while anything is on its way. See `sums` for the outputs.
pub(super) fn band(d: &mut Design, g: Geometry) -> ModuleId {
    let cells = match g.packed {
        true => [pe_pair(d, g, true), pe_pair(d, g, false)],
        false => [pe(d, g, true), pe(d, g, false)],
    };
    d.module(format!("array_band_c{}{}", g.columns(), g.variant()), |m| {
        m.doc("One band of a weight-stationary array: 8 rows of processing elements.");
        let flow = Flow::layout().inputs(m, "");
        let f = flags(m, g, &flow);
        let x = skew(m, "x", flow.running, flow.x);
        let w = skew(m, "w", flow.running, flow.w);
        let mut above: Vec<Option<Signal>> = vec![None; columns(g) as usize];
        for i in 0..BAND as usize {
            let x = m.reg_en(&format!("x{i}"), f.enter[i], if g.packed { pe_pair::negated(m, x[i]) } else { x[i] });
            let mut weight = match g.packed {
                true => pair(m.reg_en(&format!("held{i}"), f.hold[i], w[i]).q(), w[i]),
                false => w[i],
            };
            for (j, p) in above.iter_mut().enumerate() {
                let u = m.instance(&format!("u_pe_{i}_{j}"), cells[usize::from(i > 0)]).slave::<Cell>("").ports();
                f.drive(&u, i);
                u.x.drive(x);
                u.w_in.drive(weight);
                u.p_in.iter().zip(*p).for_each(|(p_in, above)| p_in.drive(above));
                weight = u.w_out;
                *p = Some(u.p_out);
            }
        }
        for (k, p) in above.into_iter().rev().flatten().enumerate() {
            m.output(&format!("p{k}"), p);
        }
    })
}

/// Columns of cells.
fn columns(g: Geometry) -> u32 {
    if g.packed { g.columns() / 2 } else { g.columns() }
}

/// Connects the outputs of a band to a module that has inputs of these names behind `prefix`.
pub(super) fn connect_sums(g: Geometry, band: Instance, to: Instance, prefix: &str) {
    for k in 0..columns(g) {
        to.input(&format!("{prefix}_{k}"), band.output(&format!("p{k}")));
    }
}

/// The inputs that `connect_sums` connects, as sums in the order of weight rows: of the products if cells are single,
/// of their negatives if they are packed.
pub(super) fn sums(m: &Module, g: Geometry, prefix: &str) -> Vec<Signal> {
    let input = |k: u32, width| m.input(&format!("{prefix}_{k}"), signed(width));
    match g.packed {
        true => (0..columns(g)).flat_map(|k| pe_pair::split(input(k, pe_pair::SUMS))).collect(),
        false => (0..columns(g)).map(|k| input(k, ACC).trunc(BAND_SUM + 1)).collect(),
    }
}

impl Flags {
    fn drive(&self, cell: &Cell<Sink, Signal>, row: usize) {
        cell.load.drive(self.load[row]);
        cell.swap.drive(self.swap[row]);
        cell.en.drive(self.enter[row + 1]);
        cell.add.iter().for_each(|add| add.drive(self.enter[row + 2]));
    }
}

fn flags(m: &Module, g: Geometry, &Flow { running, load, swap, enter, .. }: &Flow) -> Flags {
    let late = |name: &str, flag: Signal, rows: u32| line(m, name, running, flag, rows);
    let (hold, load) = match g.packed {
        true => {
            let second = m.reg("second", bit()).reset(0);
            m.when(load, || m.set(second, !second));
            (late("hold", load & !second, BAND), late("load", load & second, BAND))
        }
        false => (Vec::new(), late("load", load, BAND)),
    };
    Flags { enter: late("enter", enter, 1 + g.latency()), swap: late("swap", swap, BAND), load, hold }
}

/// The flag, and its values up to `rows - 1` cycles ago.
fn line(m: &Module, name: &str, running: Signal, flag: Signal, rows: u32) -> Vec<Signal> {
    let line = m.reg(&format!("{name}_line"), unsigned(rows - 1)).reset(0);
    m.when(running, || m.set(line, cat(&[line.slice(0, rows - 2), flag])));
    std::iter::once(flag).chain((0..rows - 1).map(|i| line.bit(i))).collect()
}

/// The bytes of the bus from the top down, byte i of them i cycles late, as signed numbers.
fn skew(m: &Module, name: &str, running: Signal, bus: Signal) -> Vec<Signal> {
    let mut rest = bus;
    let mut bytes = vec![rest.slice(rest.width() - 8, 8).as_signed()];
    for stage in 1..BAND {
        let width = rest.width() - 8;
        rest = m.reg_en(&format!("{name}_skew{stage}"), running, rest.slice(0, width)).q();
        bytes.push(rest.slice(width - 8, 8).as_signed());
    }
    bytes
}
