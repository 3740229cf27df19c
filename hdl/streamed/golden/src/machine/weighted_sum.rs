//! WeightedSum: softmax weights of the scores times streamed V rows of one slab, normalised.

use super::Machine;
use super::fault::{Fault, aligned, within};
use sagen_arith::requant;
use sagen_arith::scale::Scale;
use sagen_arith::sfu::exp2::weight;
use sagen_arith::sfu::recip::recip;
use sagen_streamed_isa::{LANES, Rows, VECTORS};
use std::borrow::Cow;

impl Machine {
    pub(super) fn weighted_sum(&mut self, o: &sagen_streamed_isa::WeightedSum) -> Result<(), Fault> {
        within("vectors", o.vectors, 1, VECTORS as u64)?;
        let keys = o.keys + self.value(o.register);
        within("keys + register", keys, 1, self.overlay.score_rows() as u64)?;
        let beat = self.overlay.beat_bytes();
        within("to_lane", o.to_lane, 0, (LANES - beat.min(LANES)) as u64)?;
        aligned("to_lane", o.to_lane, beat.min(LANES) as u64)?;
        let words = beat.div_ceil(LANES) as u64;
        let at = Rows { base: o.to, stride: o.to_stride };
        let to = self.scratch_rows("to", at, o.vectors, words)?.distinct("to_stride")?;
        let weights = (0..o.vectors as usize)
            .map(|v| self.weights(v, keys, self.value(o.limit_register) + o.row[v]))
            .collect::<Result<Vec<_>, _>>()?;
        let ports = self.queue.take(&self.ddr, keys)?;
        let ports: Vec<&[u8]> = ports.iter().map(Cow::as_ref).collect();
        let v_scale = Scale { mantissa: o.value_mantissa as u16, exponent: o.value_exponent as i16 };
        for (v, weights) in weights.iter().enumerate() {
            let den: u128 = weights.iter().map(|p| u128::from(*p)).sum();
            if den == 0 {
                return Err(Fault::NoWeight { vector: v as u64 });
            }
            let scale = recip(Scale::from_integer(den)).times(v_scale);
            let sums = sums(weights, &ports, self.overlay.port_bytes());
            let first = to.start(v) * LANES + o.to_lane as usize;
            for (lane, acc) in self.scratch[first..first + beat].iter_mut().zip(sums) {
                *lane = requant::scaled(acc, scale, o.shift as i32);
            }
            for (word, lanes) in split(first, beat) {
                self.touched.scratch_part(word, lanes);
            }
        }
        Ok(())
    }

    /// Softmax numerators of one vector: keys after its limit weigh nothing.
    fn weights(&self, v: usize, keys: u64, limit: u64) -> Result<Vec<u8>, Fault> {
        let vector = v as u64;
        let Some(&(scored, max)) = self.scores.seen.get(v) else {
            return Err(Fault::Unscored { vector, found: 0, scored: 0 });
        };
        let seen = keys.min(limit + 1);
        if seen > self.scores.keys() {
            return Err(Fault::Unscored { vector, found: seen - 1, scored: self.scores.keys() });
        }
        if limit > scored {
            return Err(Fault::Limit { vector, found: limit, scored });
        }
        Ok((0..seen as usize).map(|key| weight(self.scores.at(key, v), max)).collect())
    }
}

/// Sum over keys of weight * value, for each channel of the beat.
fn sums(weights: &[u8], ports: &[&[u8]], port_bytes: usize) -> Vec<i32> {
    let port = |bytes: &&[u8]| match port_bytes {
        4 => port_sums::<4>(weights, bytes).to_vec(),
        8 => port_sums::<8>(weights, bytes).to_vec(),
        _ => port_sums::<16>(weights, bytes).to_vec(),
    };
    ports.iter().flat_map(port).collect()
}

/// A width known to the compiler, and products that fit 16 bits (255 * -128), let it vectorise.
fn port_sums<const BYTES: usize>(weights: &[u8], bytes: &[u8]) -> [i32; BYTES] {
    let mut sums = [0; BYTES];
    for (p, values) in weights.iter().zip(bytes.as_chunks::<BYTES>().0) {
        for (sum, value) in sums.iter_mut().zip(values) {
            *sum += i32::from(i16::from(*p) * i16::from(*value as i8));
        }
    }
    sums
}

/// Words and byte masks of consecutive lanes.
fn split(first: usize, lanes: usize) -> impl Iterator<Item = (usize, u64)> {
    (first..first + lanes).map(|lane| (lane / LANES, 0xf << (4 * (lane % LANES))))
}
