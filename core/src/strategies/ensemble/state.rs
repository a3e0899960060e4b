//! What the ensemble keeps from one crawl to the next, whole or trimmed for a browser.

use super::Groups;
use super::signals::{NUMBERS, RunningStats};
use crate::models::{TwoClassCounts, WeightState};
use crate::strategies::{HopChain, IntelligentCounts, PathRepository, StrategyState};

/// Links of paths that are kept where room is short, and as many that lay on none.
const MOST_TRIMMED_PATHS: usize = 200;

/// What it knows from one crawl to the next: all but which pages link where.
#[derive(Debug, Clone, PartialEq)]
pub struct EnsembleState {
    /// The model's weights.
    pub weights: Vec<(u32, WeightState)>,
    /// The apprentice's counts.
    pub apprentice: TwoClassCounts,
    /// The interest ratios' counts.
    pub ratios: IntelligentCounts,
    /// How sites and templates fared.
    pub groups: Groups,
    /// Of each signal, at its place.
    pub spreads: Vec<RunningStats>,
    /// The paths to targets.
    pub paths: PathRepository,
    /// A model of hop distances, where one was trained.
    pub hops: Option<HopChain>,
}

impl EnsembleState {
    /// The same with only what was used most of each kind: enough to score links,
    /// and small.
    #[must_use]
    pub fn trimmed(mut self, most: usize) -> Self {
        self.weights = used_most(self.weights, most);
        self.apprentice = self.apprentice.trimmed(most);
        self.ratios = self.ratios.trimmed(most);
        let skip = self.paths.links.len().saturating_sub(MOST_TRIMMED_PATHS);
        self.paths.links.drain(..skip);
        let skip = self.paths.farther.len().saturating_sub(MOST_TRIMMED_PATHS);
        self.paths.farther.drain(..skip);
        self
    }

    /// What one of its members knows, to go on alone.
    pub fn member(self, name: &str) -> StrategyState {
        match name {
            "apprentice" => StrategyState::Apprentice(self.apprentice),
            "intelligent" => StrategyState::Intelligent(self.ratios),
            "ache" => StrategyState::Adaptive(self.paths),
            _ => self
                .hops
                .map_or(StrategyState::Nothing, StrategyState::HopChain),
        }
    }
}

/// The weights that were used most, which are those that tell most; members' own are
/// always among them.
pub(super) fn used_most(
    mut weights: Vec<(u32, WeightState)>,
    most: usize,
) -> Vec<(u32, WeightState)> {
    if weights.len() > most {
        let is_word = |row: &(u32, WeightState)| row.0 >= NUMBERS as u32;
        let by_use = |a: &(u32, WeightState), b: &(u32, WeightState)| b.1.n.total_cmp(&a.1.n);
        weights.sort_by(|a, b| {
            let order = is_word(a).cmp(&is_word(b));
            order.then_with(|| by_use(a, b)).then(a.0.cmp(&b.0))
        });
        weights.truncate(most);
        weights.sort_unstable_by_key(|row| row.0);
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_trimmed_keeps_the_members_and_what_was_used_most() {
        let weight = |feature: u32, n: f32| (feature, WeightState { z: 1.0, n });
        let words = (0..100).map(|word| weight(1_024 + word, word as f32));
        let mut weights: Vec<(u32, WeightState)> = vec![weight(0, 0.1), weight(5, 0.2)];
        weights.extend(words);
        let kept = used_most(weights.clone(), 12);
        let features: Vec<u32> = kept.iter().map(|row| row.0).collect();
        let top_features = (90..100).map(|word| 1_024 + word);
        assert!([0, 5].into_iter().chain(top_features).eq(features));
        assert_eq!(used_most(weights.clone(), 500), weights);
    }
}
