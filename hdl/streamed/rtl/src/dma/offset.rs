//! Byte offset of a descriptor: step register times stride, one or two of them added, modulo 2^40.
//!
//! One multiplier of 16 x 24 bits makes a product out of pieces, one piece a cycle. The unit reads its step register
//! while it computes: `value` belongs to stride 1 while `second` is high, else to stride 0.

use sagen_blocks::axi::ADDRESS_BITS;
use sagen_lang::{Design, Module, ModuleId, Signal, bit, high, lit, low, unsigned};

/// Bits of a piece of a value.
const VALUE_PIECE: u32 = 16;
/// Bits of a piece of a stride.
const STRIDE_PIECE: u32 = 24;
/// Bits of a value.
const VALUE: u32 = 2 * VALUE_PIECE;
/// Cycles from the first piece at the multiplier's inputs to the first sum.
const LATENCY: u32 = 2;

/// Pieces of one product, by the bits of the stride: both halves of the value times the low part of the stride, then
/// the low half times the rest; what remains lies beyond 2^40.
fn pieces(stride_bits: u32) -> u64 {
    if stride_bits > STRIDE_PIECE { 3 } else { 2 }
}

/// Cycles from `start` to `done` with so many products.
#[cfg(test)]
fn cycles(products: u64, stride_bits: u32) -> u64 {
    products * pieces(stride_bits) + u64::from(LATENCY)
}

/// The unit. Strides must be there from the cycle after `start` to `done`; with `single`, stride 1 is left out.
/// `total` is the offset in the cycle of `done`, `offset` from the next cycle until `start`.
pub(super) fn register_offset(d: &mut Design, strides: u32, stride_bits: u32) -> ModuleId {
    d.module(format!("register_offset_{strides}x{stride_bits}"), |m| {
        m.doc("Byte offset of a descriptor: step register times stride, one or two of them added.");
        let start = m.input("start", bit());
        let value = m.input("value", unsigned(VALUE)).lanes(VALUE_PIECE);
        let strides: Vec<Signal> =
            (0..strides).map(|i| m.input(&format!("stride{i}"), unsigned(stride_bits))).collect();
        let active = m.reg("active", bit()).reset(0);
        let piece = m.reg("piece", unsigned(2));
        let piece_ends = m.net("piece_ends", piece.eq_lit(pieces(stride_bits) - 1));
        let (stride, last) = match strides.as_slice() {
            [only] => (*only, high()),
            both => {
                let second = m.reg("second_q", bit());
                m.when(active & piece_ends, || m.set(second, high()));
                m.when(start, || m.set(second, low()));
                m.output("second", second);
                (second.mux(both[1], both[0]), second | m.input("single", bit()))
            }
        };
        let ends = m.net("ends", active & piece_ends & last);
        m.when(active, || m.set(piece, piece_ends.mux(lit(2, 0), piece.add_lit(1))));
        m.when(ends, || m.set(active, low()));
        m.when(start, || {
            m.set(active, high());
            m.set(piece, lit(2, 0));
        });
        let stride = stride.extend(stride_bits.max(2 * STRIDE_PIECE)).lanes(STRIDE_PIECE);
        let x = m.reg_en("x", active, piece.bit(0).mux(value[1], value[0]));
        let y = m.reg_en("y", active, piece.bit(1).mux(stride[1], stride[0]));
        let product = Product { active: active.q(), piece: piece.q(), ends, x: x.q(), y: y.q() };
        add_up(m, start, product);
    })
}

struct Product {
    active: Signal,
    piece: Signal,
    ends: Signal,
    x: Signal,
    y: Signal,
}

/// Multiplies and adds, each product at the place of its pieces.
fn add_up(m: &Module, start: Signal, product: Product) {
    let flag = |name: &str, value: Signal| {
        let q = m.reg(name, bit()).reset(0);
        m.set(q, value);
        q.q()
    };
    let (valid1, ends1) = (flag("valid1", product.active), flag("ends1", product.ends));
    let (valid2, ends2) = (flag("valid2", valid1), flag("ends2", ends1));
    let piece2 = m.delay("piece_of_product", product.piece, LATENCY);
    let p = m.reg_en("product", valid1, product.x.mul(product.y)).q();
    let place = piece2.bit(1).mux(p.shl(STRIDE_PIECE), piece2.bit(0).mux(p.shl(VALUE_PIECE), p));
    let offset = m.reg("offset_q", unsigned(ADDRESS_BITS));
    let total = m.net("sum", offset.add(place));
    m.when(valid2, || m.set(offset, total));
    m.when(start, || m.set(offset, lit(ADDRESS_BITS, 0)));
    m.output("done", ends2);
    m.output("total", total);
    m.output("offset", offset);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;
    use sagen_lang::Sim;

    /// Offset and cycles of one run.
    fn run(sim: &mut Sim, values: [u32; 2], strides: &[u64], single: bool) -> (u64, u64) {
        for (i, stride) in strides.iter().enumerate() {
            sim.set(&format!("stride{i}"), *stride);
        }
        let two = strides.len() == 2;
        if two {
            sim.set("single", single);
        }
        sim.set("start", true);
        sim.step();
        sim.set("start", false);
        let from = sim.cycle();
        loop {
            let second = two && sim.get("second").to_u64() == 1;
            sim.set("value", values[usize::from(second)]);
            let (done, total) = (sim.get("done").to_u64() == 1, sim.get("total").to_u64());
            sim.step();
            if done {
                assert_eq!(sim.get("offset").to_u64(), total);
                return (total, sim.cycle() - from);
            }
        }
    }

    #[test]
    fn every_offset_is_the_product_modulo_2_to_the_40() {
        let mask = (1 << ADDRESS_BITS) - 1;
        let mut random = Random::new(7);
        for (count, bits) in [(1, 16), (1, 32), (2, 32)] {
            let mut d = Design::new();
            let top = register_offset(&mut d, count, bits);
            let mut sim = Sim::new(&d, top).unwrap();
            sim.reset();
            for i in 0..500u64 {
                // Extremes first, then values of every size.
                let mut draw = |bits: u32| match i {
                    0 => (1 << bits) - 1,
                    1 => 1 << (bits - 1),
                    _ => random.next() & ((1 << bits) - 1) & u64::MAX >> random.below(64),
                };
                let values = [draw(32) as u32, draw(32) as u32];
                let strides: Vec<u64> = (0..count).map(|_| draw(bits)).collect();
                let single = i % 3 == 2;
                let products = if single { 1 } else { strides.len() };
                let sum: u128 = (0..products).map(|t| u128::from(values[t]) * u128::from(strides[t])).sum();
                let (total, spent) = run(&mut sim, values, &strides, single);
                assert_eq!(total, sum as u64 & mask, "{values:?} {strides:?} {single}");
                assert_eq!(spent, cycles(products as u64, bits));
            }
        }
    }
}
