//! The ensemble in a model file.

use serde::{Deserialize, Serialize};

use super::hop_chain::WireHopChain;
use super::paths::WirePaths;
use super::ratios::WireRatios;
use super::{ModelError, WireCounts, counts, wire_counts};
use crate::models::WeightState;
use crate::strategies::{
    EnsembleState, Group, Groups, PathRepository, RunningStats, StrategyState,
};

/// A group's name, its pages, and the good ones among them.
type WireGroup = (String, f64, f64);

#[derive(Serialize, Deserialize)]
pub(super) struct WireEnsemble {
    weights: Vec<(u32, f32, f32)>,
    apprentice: WireCounts,
    ratios: WireRatios,
    sites: Vec<WireGroup>,
    templates: Vec<WireGroup>,
    spreads: Vec<(f64, f64, f64)>,
    all: (f64, f64),
}

fn wire_groups<'a>(groups: impl Iterator<Item = (&'a Box<str>, &'a Group)>) -> Vec<WireGroup> {
    let mut rows: Vec<WireGroup> = groups
        .map(|(name, group)| (name.to_string(), group.pages, group.good))
        .collect();
    rows.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    rows
}

fn group(pages: f64, good: f64) -> Result<Group, ModelError> {
    let are_counts = pages.is_finite() && good >= 0.0 && good <= pages;
    are_counts
        .then_some(Group { pages, good })
        .ok_or(ModelError::Content("a count of pages is none"))
}

fn groups<M: FromIterator<(Box<str>, Group)>>(rows: Vec<WireGroup>) -> Result<M, ModelError> {
    let rows = rows.into_iter();
    rows.map(|(name, pages, good)| Ok((name.into(), group(pages, good)?)))
        .collect()
}

impl WireEnsemble {
    pub(super) fn of(state: &EnsembleState) -> Self {
        let weights = state.weights.iter();
        let spreads = state.spreads.iter();
        Self {
            weights: weights
                .map(|&(feature, weight)| (feature, weight.z, weight.n))
                .collect(),
            apprentice: wire_counts(&state.apprentice),
            ratios: WireRatios::of(&state.ratios),
            sites: wire_groups(state.groups.sites.iter()),
            templates: wire_groups(state.groups.templates.iter()),
            spreads: spreads
                .map(|spread| (spread.count, spread.mean, spread.squares))
                .collect(),
            all: (state.groups.all.pages, state.groups.all.good),
        }
    }

    pub(super) fn into_state(self, known_terms: usize) -> Result<EnsembleState, ModelError> {
        let mut weights = Vec::with_capacity(self.weights.len());
        for (feature, z, n) in self.weights {
            if !z.is_finite() || !n.is_finite() || n < 0.0 {
                return Err(ModelError::Content("a weight is no number"));
            }
            weights.push((feature, WeightState { z, n }));
        }
        let mut spreads = Vec::with_capacity(self.spreads.len());
        for (count, mean, squares) in self.spreads {
            if !(count.is_finite() && mean.is_finite() && squares.is_finite()) {
                return Err(ModelError::Content("a mean is no number"));
            }
            spreads.push(RunningStats {
                count,
                mean,
                squares,
            });
        }
        let (features, high, low) = self.apprentice;
        Ok(EnsembleState {
            weights,
            apprentice: counts(features, high, low, known_terms)?,
            ratios: self.ratios.into_counts(known_terms)?,
            groups: Groups {
                sites: groups(self.sites)?,
                templates: groups(self.templates)?,
                all: group(self.all.0, self.all.1)?,
            },
            spreads,
            paths: PathRepository::default(),
            hops: None,
        })
    }
}

/// Its members that came later, since version 4: empty for other strategies.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct WireMembers {
    paths: Option<WirePaths>,
    hops: Option<WireHopChain>,
}

impl WireMembers {
    pub(super) fn of(state: &StrategyState) -> Self {
        let StrategyState::Ensemble(state) = state else {
            return Self::default();
        };
        Self {
            paths: Some(WirePaths::of(&state.paths)),
            hops: state.hops.as_ref().map(WireHopChain::of),
        }
    }

    pub(super) fn join(
        self,
        state: &mut StrategyState,
        known_terms: usize,
    ) -> Result<(), ModelError> {
        let StrategyState::Ensemble(state) = state else {
            return Ok(());
        };
        if let Some(paths) = self.paths {
            state.paths = paths.into_repository(known_terms)?;
        }
        state.hops = self.hops.map(WireHopChain::into_chain).transpose()?;
        Ok(())
    }
}
