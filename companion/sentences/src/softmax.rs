//! Shares that sum up to 1, out of numbers of any size. A text asks for a million exponentials, so
//! they are a polynomial that a processor computes for several numbers at a time.

use std::f32::consts::LOG2_E;

/// Below that the exponential is nothing beside the 1 of the highest number.
const LOWEST: f32 = -80.0;
/// Added to a small number and taken away again it leaves the nearest whole number, whose bits are
/// the last ones of the sum.
const ROUNDING: f32 = 12_582_912.0;
/// Places of a number's exponent among its bits, and what is added to it there.
const EXPONENT: u32 = 23;
const BIAS: u32 = 127;
/// Of two to the power of a number within a half: powers of ln 2 over factorials, the highest first.
const POWERS: [f32; 7] = [
    1.540_353e-4,
    1.333_355_8e-3,
    9.618_129e-3,
    5.550_411e-2,
    2.402_265e-1,
    6.931_472e-1,
    1.0,
];

/// Makes shares of the numbers of a row, each scaled first.
pub(crate) fn softmax(row: &mut [f32], scale: f32) {
    let highest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    for number in &mut *row {
        *number = exp((*number - highest) * scale);
    }
    let all: f32 = row.iter().sum();
    for number in row {
        *number /= all;
    }
}

/// The exponential of a number that is not above 0.
fn exp(x: f32) -> f32 {
    let x = x.max(LOWEST) * LOG2_E;
    let rounded = x + ROUNDING;
    let rest = x - (rounded - ROUNDING);
    let power = POWERS.iter().fold(0.0, |sum, power| sum * rest + power);
    let whole = (rounded.to_bits() << EXPONENT).wrapping_add(BIAS << EXPONENT);
    power * f32::from_bits(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_exponential() {
        for step in 0..=80_000 {
            let x = -step as f32 / 1_000.0;
            let exact = f64::from(x).exp();
            let error = (f64::from(exp(x)) - exact).abs() / exact;
            assert!(error < 1e-5, "{x}: {error}");
        }
        assert!(exp(-1e9) < 1e-30);
    }

    #[test]
    fn shares_sum_up_to_one_whatever_the_numbers() {
        for mut row in [vec![3.0, -2.0, 3.0], vec![1e6, -1e6], vec![-500.0]] {
            softmax(&mut row, 0.5);
            assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-6, "{row:?}");
        }
        let mut row = [2.0, 0.0];
        softmax(&mut row, 0.5);
        let odds = row[0] / row[1];
        assert!((odds - 1.0_f32.exp()).abs() < 1e-5, "{odds}");
    }
}
