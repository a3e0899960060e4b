//! What the ensemble keeps from one crawl to the next, whole or trimmed for a browser.

use super::Groups;
use super::signals::RunningStats;
use super::words::FIRST_WORD;
use crate::models::{TwoClassCounts, WeightState};
use crate::strategies::{IntelligentCounts, PathRepository, StateError, StrategyState};

/// Links of paths that are kept where room is short, and as many that lay on none.
const MOST_TRIMMED_PATHS: usize = 200;

/// What its own model knows from one crawl to the next: all but which pages link where.
/// What its members know is kept beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct EnsembleState {
    /// The model's weights.
    pub weights: Vec<(u32, WeightState)>,
    /// How often pages of each site and template were good.
    pub groups: Groups,
    /// Of each signal, at its place.
    pub stats: Vec<RunningStats>,
}

/// What an ensemble has learned with only what was used most of each kind: enough to score
/// links, and small. What another strategy learned stays as it is.
pub fn trimmed(
    state: StrategyState,
    most: usize,
    known_terms: usize,
) -> Result<StrategyState, StateError> {
    let Some(mut own) = state.read::<EnsembleState>(known_terms)? else {
        return Ok(state);
    };
    own.weights = used_most(own.weights, most);
    let mut trimmed = state.clone().with(&own);
    if let Some(counts) = state.read::<TwoClassCounts>(known_terms)? {
        trimmed = trimmed.with(&counts.trimmed(most));
    }
    if let Some(ratios) = state.read::<IntelligentCounts>(known_terms)? {
        trimmed = trimmed.with(&ratios.trimmed(most));
    }
    if let Some(mut paths) = state.read::<PathRepository>(known_terms)? {
        let skip = paths.links.len().saturating_sub(MOST_TRIMMED_PATHS);
        paths.links.drain(..skip);
        let skip = paths.farther.len().saturating_sub(MOST_TRIMMED_PATHS);
        paths.farther.drain(..skip);
        trimmed = trimmed.with(&paths);
    }
    Ok(trimmed)
}

/// The weights that were used most, which are those that tell most; members' own and those
/// of meaning are always among them.
pub(super) fn used_most(
    mut weights: Vec<(u32, WeightState)>,
    most: usize,
) -> Vec<(u32, WeightState)> {
    if weights.len() > most {
        let is_word = |row: &(u32, WeightState)| row.0 >= FIRST_WORD;
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
