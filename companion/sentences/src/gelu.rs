//! The Gaussian error linear unit (Hendrycks and Gimpel 2016): a number times the share of a normal
//! distribution below it. Millions of them are asked for a text, so the error function is a quotient of
//! two polynomials that a processor computes for several numbers at a time.

use std::f32::consts::FRAC_1_SQRT_2;

/// Beyond that the error function is 1 or -1 as far as 32 bits tell.
const FAR: f32 = 4.0;
/// Odd powers above the line, the highest first, and even ones below it: a minimax fit within 1e-6 on
/// -4..=4.
const ABOVE: [f32; 7] = [
    -2.726_142_3e-10,
    2.770_681_4e-8,
    -2.101_024e-6,
    -5.692_506_5e-5,
    -7.349_906e-4,
    -2.954_6e-3,
    -1.609_603_3e-2,
];
const BELOW: [f32; 5] = [
    -1.456_607_2e-5,
    -2.133_740_6e-4,
    -1.682_827e-3,
    -7.373_329e-3,
    -1.426_474e-2,
];

/// See the module.
pub(crate) fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + erf(x * FRAC_1_SQRT_2))
}

fn erf(x: f32) -> f32 {
    let x = x.clamp(-FAR, FAR);
    let square = x * x;
    let at = |powers: &[f32]| powers.iter().fold(0.0, |sum, power| sum * square + power);
    x * at(&ABOVE) / at(&BELOW)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By its series, exact for numbers as small as these.
    fn series(x: f64) -> f64 {
        let mut term = x;
        let mut sum = x;
        for number in 1..200 {
            let number = f64::from(number);
            term *= -x * x / number;
            sum += term / (2.0 * number + 1.0);
        }
        sum * 2.0 / std::f64::consts::PI.sqrt()
    }

    #[test]
    fn it_is_the_error_function() {
        for step in -3_000..=3_000 {
            let x = step as f32 / 1_000.0;
            let error = f64::from(erf(x)) - series(f64::from(x));
            assert!(error.abs() < 1e-6, "{x}: {error}");
        }
        assert!((gelu(9.0) - 9.0).abs() < 1e-5 && gelu(-9.0).abs() < 1e-5);
    }
}
