//! Logistic regression learned one instance at a time: FTRL-proximal (`McMahan` et
//! al. 2013), with L1 and L2. Each weight has its own learning rate, which falls
//! as the weight is used. Features of two kinds can learn by rates of their own: the same rates
//! do not suit a few dense numbers and many rare words.

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

impl FtrlParams {
    fn weight_of(&self, state: WeightState) -> f64 {
        let z = f64::from(state.z);
        let beyond = z.abs() - self.l1;
        if beyond <= 0.0 {
            return 0.0;
        }
        -z.signum() * beyond / self.stiffness(state.n)
    }

    /// The state in which a weight is that, after gradients whose squares come to `n`.
    fn state_of(&self, weight: f64, n: f32) -> WeightState {
        let beyond = weight.abs() * self.stiffness(n);
        let z = if weight == 0.0 {
            0.0
        } else {
            -weight.signum() * (beyond + self.l1)
        };
        WeightState { z: z as f32, n }
    }

    fn stiffness(&self, n: f32) -> f64 {
        (self.beta + f64::from(n).sqrt()) / self.alpha + self.l2
    }
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
    /// From that feature on by other rates.
    others: Option<(u32, FtrlParams)>,
    states: FxHashMap<u32, WeightState>,
}

impl Ftrl {
    /// One that knows nothing.
    pub fn new(rates: FtrlParams) -> Self {
        Self {
            rates,
            others: None,
            states: FxHashMap::default(),
        }
    }

    /// The same with other rates for the features from that one on, whose weights stay what they are.
    #[must_use]
    pub fn with_rates_from(mut self, first: u32, rates: FtrlParams) -> Self {
        for (_, state) in self.states.iter_mut().filter(|row| *row.0 >= first) {
            *state = rates.state_of(self.rates.weight_of(*state), state.n);
        }
        self.others = Some((first, rates));
        self
    }

    fn rates_of(&self, feature: u32) -> &FtrlParams {
        match &self.others {
            Some((first, rates)) if feature >= *first => rates,
            _ => &self.rates,
        }
    }

    /// A feature's weight.
    pub fn weight(&self, feature: u32) -> f64 {
        let state = self.states.get(&feature).copied();
        self.rates_of(feature).weight_of(state.unwrap_or_default())
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
            let rates = self.rates_of(feature);
            let weight = rates.weight_of(state);
            let n = f64::from(state.n) + gradient * gradient;
            let step = (n.sqrt() - f64::from(state.n).sqrt()) / rates.alpha;
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
            .map(|(&feature, &state)| (feature, self.rates_of(feature).weight_of(state)))
            .filter(|row| row.1 != 0.0)
            .collect()
    }

    /// All that was learned, by feature, as if all features had learned by the first rates: who reads
    /// it need not know the others.
    pub fn rows(&self) -> Vec<(u32, WeightState)> {
        let told = |feature: u32, state: WeightState| match &self.others {
            Some((first, rates)) if feature >= *first => {
                self.rates.state_of(rates.weight_of(state), state.n)
            }
            _ => state,
        };
        let mut rows: Vec<(u32, WeightState)> = self
            .states
            .iter()
            .map(|(&feature, &state)| (feature, told(feature, state)))
            .collect();
        rows.sort_unstable_by_key(|row| row.0);
        rows
    }

    /// Back from [`Self::rows`], all by those rates; `None` if a number is none.
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

    /// Those that learn a text as well as other implementations do.
    const FAST: FtrlParams = FtrlParams {
        alpha: 1.0,
        beta: 0.1,
        l1: 0.0,
        l2: 1.0,
    };

    #[test]
    fn each_kind_learns_by_its_own_rates() {
        let mut both = Ftrl::new(RATES).with_rates_from(10, FAST);
        let (mut slow, mut fast) = (Ftrl::new(RATES), Ftrl::new(FAST));
        for (feature, good) in [(3, 1.0), (10, 1.0), (3, 0.0), (11, 0.0), (10, 1.0)] {
            let instance = [(feature, 1.5)];
            both.learn(&instance, 0.0, good, 1.0);
            let alone = if feature < 10 { &mut slow } else { &mut fast };
            alone.learn(&instance, 0.0, good, 1.0);
        }
        for feature in [3, 10, 11] {
            let alone = if feature < 10 { &slow } else { &fast };
            assert_eq!(both.weight(feature), alone.weight(feature), "{feature}");
        }
        assert!(both.weight(10) > 0.0 && both.weight(11) < 0.0);
    }

    #[test]
    fn what_was_learned_outlives_its_rates() {
        let mut both = Ftrl::new(RATES).with_rates_from(10, FAST);
        for round in 0..60u32 {
            let instance = [(round % 7, 1.0), (10 + round % 9, 0.7), (30, 0.0)];
            both.learn(&instance, 0.3, f64::from(round % 2), 0.5);
        }
        // Who knows one kind of rates reads the same weights.
        let plain = Ftrl::from_rows(RATES, both.rows()).unwrap();
        let again = plain.clone().with_rates_from(10, FAST);
        assert!(both.weights().len() > 12, "{:?}", both.weights());
        for (feature, weight) in both.weights() {
            for read in [plain.weight(feature), again.weight(feature)] {
                assert!((read - weight).abs() < 1e-6, "{feature}: {read}, {weight}");
            }
        }
        // And goes on learning as before.
        let (mut first, mut second) = (both, again);
        for model in [&mut first, &mut second] {
            model.learn(&[(1, 1.0), (12, 1.0)], 0.0, 1.0, 1.0);
        }
        assert!((first.weight(12) - second.weight(12)).abs() < 1e-6);
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
