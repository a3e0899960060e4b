//! Logistic regression learned one instance at a time: FTRL-proximal (`McMahan` et
//! al. 2013), with L1 and L2. Each weight has its own learning rate, which falls
//! as the weight is used.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// How it learns.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FtrlParams {
    /// Learning rate of a weight that was never used.
    pub alpha: f64,
    /// How much use it takes until the rate falls.
    pub beta: f64,
    /// Keeps weights at 0 that matter little.
    pub l1: f64,
    /// Draws weights towards 0.
    pub l2: f64,
}

/// What is kept of a weight.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct WeightState {
    /// Gradients summed up, corrected for the steps taken.
    pub z: f32,
    /// Squares of gradients summed up.
    pub n: f32,
}

/// Logistic regression, learned online with a weight for every feature that was met.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ftrl {
    rates: FtrlParams,
    states: FxHashMap<u32, WeightState>,
}

impl Ftrl {
    /// One that knows nothing.
    pub fn new(rates: FtrlParams) -> Self {
        Self {
            rates,
            states: FxHashMap::default(),
        }
    }

    fn weight_of(&self, state: WeightState) -> f64 {
        let (z, n) = (f64::from(state.z), f64::from(state.n));
        let beyond = z.abs() - self.rates.l1;
        if beyond <= 0.0 {
            return 0.0;
        }
        -z.signum() * beyond / ((self.rates.beta + n.sqrt()) / self.rates.alpha + self.rates.l2)
    }

    /// A feature's weight.
    pub fn weight(&self, feature: u32) -> f64 {
        let state = self.states.get(&feature).copied();
        self.weight_of(state.unwrap_or_default())
    }

    /// Log-odds of an instance: features with their values.
    pub fn log_odds(&self, instance: &[(u32, f64)]) -> f64 {
        let parts = instance
            .iter()
            .map(|&(feature, value)| value * self.weight(feature));
        parts.sum()
    }

    /// Learns an instance with its importance; `good` is the probability that it is
    /// of the class, 0..=1. `offset` is what is
    /// thought of it besides, in log-odds: only what that leaves is learned.
    pub fn learn(&mut self, instance: &[(u32, f64)], offset: f64, good: f64, importance: f64) {
        let said = 1.0 / (1.0 + (-offset - self.log_odds(instance)).exp());
        let off = importance * (said - good);
        for &(feature, value) in instance {
            let gradient = off * value;
            let state = self.states.get(&feature).copied().unwrap_or_default();
            let weight = self.weight_of(state);
            let n = f64::from(state.n) + gradient * gradient;
            let step = (n.sqrt() - f64::from(state.n).sqrt()) / self.rates.alpha;
            let z = f64::from(state.z) + gradient - step * weight;
            let state = WeightState {
                z: z as f32,
                n: n as f32,
            };
            self.states.insert(feature, state);
        }
    }

    /// The weights that are not 0, by feature.
    pub fn weights(&self) -> Vec<(u32, f64)> {
        let states = self.states.iter();
        states
            .map(|(&feature, &state)| (feature, self.weight_of(state)))
            .filter(|row| row.1 != 0.0)
            .collect()
    }

    /// All that was learned, by feature.
    pub fn rows(&self) -> Vec<(u32, WeightState)> {
        let mut rows: Vec<(u32, WeightState)> = self
            .states
            .iter()
            .map(|(&feature, &state)| (feature, state))
            .collect();
        rows.sort_unstable_by_key(|row| row.0);
        rows
    }

    /// Back from [`Self::rows`]; `None` if a number is none.
    pub fn from_rows(
        rates: FtrlParams,
        rows: impl IntoIterator<Item = (u32, WeightState)>,
    ) -> Option<Self> {
        let mut ftrl = Self::new(rates);
        for (feature, state) in rows {
            if !state.z.is_finite() || !state.n.is_finite() || state.n < 0.0 {
                return None;
            }
            ftrl.states.insert(feature, state);
        }
        Some(ftrl)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATES: FtrlParams = FtrlParams {
        alpha: 0.5,
        beta: 1.0,
        l1: 0.1,
        l2: 1.0,
    };

    #[test]
    fn two_steps_by_hand() {
        let mut ftrl = Ftrl::new(RATES);
        ftrl.learn(&[(7, 2.0)], 0.0, 1.0, 1.0);
        // p = 0.5, g = -1, n = 1, z = -1, w = (1 - 0.1) / ((1 + 1) / 0.5 + 1) = 0.18.
        assert!((ftrl.weight(7) - 0.18).abs() < 1e-7);
        ftrl.learn(&[(7, 1.0)], 0.0, 0.0, 1.0);
        let p = 1.0 / (1.0 + (-0.18f64).exp());
        let n = 1.0 + p * p;
        let z = -1.0 + p - (n.sqrt() - 1.0) / 0.5 * 0.18;
        let weight = -z.signum() * (z.abs() - 0.1) / ((1.0 + n.sqrt()) / 0.5 + 1.0);
        assert!((ftrl.weight(7) - weight).abs() < 1e-6, "{weight}");
    }

    #[test]
    fn what_matters_little_stays_at_nothing() {
        let mut ftrl = Ftrl::new(RATES);
        for round in 0..400u32 {
            let is_good = round.is_multiple_of(2);
            let told = if is_good { 1 } else { 2 };
            let noise = 3 + round.wrapping_mul(2_654_435_761) % 50;
            ftrl.learn(
                &[(told, 1.0), (noise, 0.05)],
                0.0,
                f64::from(u8::from(is_good)),
                1.0,
            );
        }
        assert!(ftrl.weight(1) > 1.0 && ftrl.weight(2) < -1.0);
        let silent = (3..53).filter(|&noise| ftrl.weight(noise) == 0.0).count();
        assert!(silent > 40, "{silent}");
        let again = Ftrl::from_rows(RATES, ftrl.rows()).unwrap();
        assert_eq!(again, ftrl);
    }
}
