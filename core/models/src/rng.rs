//! Random numbers come from the caller; nothing in this crate draws its own.

/// Random numbers, drawn from the caller.
pub trait Rng {
    /// 64 uniformly distributed bits.
    fn bits(&mut self) -> u64;

    /// Uniform in 0..1.
    fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// The `SplitMix64` generator: the same numbers everywhere from the same seed.
#[derive(Debug, Clone)]
pub struct SplitMix(pub u64);

impl Rng for SplitMix {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_reference() {
        let mut rng = SplitMix(1_234_567);
        assert_eq!(rng.bits(), 6_457_827_717_110_365_317);
        assert_eq!(rng.bits(), 3_203_168_211_198_807_973);
        assert!((0..1_000).all(|_| (0.0..1.0).contains(&rng.unit())));
    }
}
