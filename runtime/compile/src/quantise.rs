//! From floats to the integers that lie in DDR. Every number is chosen here once; nothing is rounded twice.

use sagen_arith::scale::Scale;

/// Least row exponent that a scale beat can hold; a smaller row is stored as zeros.
///
/// The greatest, 127, is out of reach of weights and folds within their limits.
const LEAST_EXPONENT: i16 = -128;

/// Quantises a row to int8 codes, symmetric. The result stands for `codes * scale / fold`: `fold` goes into the scale.
///
/// A row of zeros, or one too small for any exponent, gets zero codes and a zero scale.
pub(crate) fn row(weights: &[f32], fold: f64, codes: &mut [i8]) -> Scale {
    let greatest = weights.iter().fold(0f32, |m, w| m.max(w.abs()));
    let step = f64::from(greatest) / 127.0;
    let scale = Scale::from_f64(step * fold);
    let inverse = (1.0 / step) as f32;
    // The inverse of a step among the least numbers is beyond f32.
    if scale.mantissa == 0 || scale.exponent < LEAST_EXPONENT || inverse.is_infinite() {
        codes.fill(0);
        return Scale::default();
    }
    for (code, weight) in codes.iter_mut().zip(weights) {
        *code = (weight * inverse).round_ties_even().clamp(-127.0, 127.0) as i8;
    }
    scale
}

/// 16-bit values with one power of two: `values[i] = half[i] * 2^-fraction`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Half {
    /// Little-endian values, packed.
    pub(crate) bytes: Vec<u8>,
    /// Fraction bits, negative where the values are large.
    pub(crate) fraction: i32,
}

/// Greatest number of fraction bits, at most `most`, that keeps `greatest` within 16 bits, signed.
pub(crate) fn half_fraction(greatest: f32, most: i32) -> i32 {
    if greatest == 0.0 {
        return 0;
    }
    let bits = (f64::from(i16::MAX) / f64::from(greatest)).log2().floor();
    bits.min(f64::from(most)) as i32
}

/// Appends values as little-endian 16-bit integers with that many fraction bits.
pub(crate) fn half_into(values: &[f32], fraction: i32, bytes: &mut [u8]) {
    let factor = f64::from(fraction).exp2() as f32;
    for (out, value) in bytes.chunks_exact_mut(2).zip(values) {
        out.copy_from_slice(&half_of(value * factor).to_le_bytes());
    }
}

/// All values with the most fraction bits that their greatest magnitude allows, at most `most`.
pub(crate) fn half(values: &[f32], most: i32) -> Half {
    let greatest = values.iter().fold(0f32, |m, v| m.max(v.abs()));
    let fraction = half_fraction(greatest, most);
    let mut bytes = vec![0; 2 * values.len()];
    half_into(values, fraction, &mut bytes);
    Half { bytes, fraction }
}

fn half_of(scaled: f32) -> i16 {
    scaled.round_ties_even().clamp(f32::from(i16::MIN), f32::from(i16::MAX)) as i16
}

/// A cosine or sine in Q15; 1 becomes the greatest 16-bit value.
pub(crate) fn q15(x: f64) -> i16 {
    (x * 32768.0).round_ties_even().clamp(f64::from(i16::MIN), f64::from(i16::MAX)) as i16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_its_codes_times_its_scale() {
        let weights: Vec<f32> = (0..64).map(|i| (i as f32 - 20.0) * 0.013).collect();
        let mut codes = [0; 64];
        let scale = row(&weights, 8.0, &mut codes).to_f64() / 8.0;
        assert_eq!(codes[63], 127);
        for (code, weight) in codes.iter().zip(&weights) {
            assert!((f64::from(*code) * scale - f64::from(*weight)).abs() <= scale * 0.501);
        }
    }

    #[test]
    fn rows_without_a_representable_scale_become_zero() {
        let mut codes = [1; 2];
        assert_eq!(row(&[0.0, 0.0], 1.0, &mut codes), Scale::default());
        assert_eq!(row(&[1e-38, 0.0], 1e-9, &mut codes), Scale::default());
        assert_eq!(codes, [0, 0]);
    }

    #[test]
    fn halves_use_their_range() {
        let h = half(&[0.5, -1.5, 0.0], 30);
        assert_eq!(h.fraction, 14);
        assert_eq!(h.bytes, [8192i16, -24576, 0].map(i16::to_le_bytes).concat());
        assert_eq!(half(&[40000.0], 30).fraction, -1);
        assert_eq!(half(&[1e-30], 30).fraction, 30);
    }
}
