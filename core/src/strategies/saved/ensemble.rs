//! The ensemble's own model as bytes; its members write theirs themselves.

use serde::{Deserialize, Serialize};

use super::{Saved, StateError, saved};
use crate::codec;
use crate::models::WeightState;
use crate::strategies::{EnsembleState, Group, Groups, RunningStats};

/// A group's name, its pages, and the good ones among them.
type SavedGroup = (String, f64, f64);

/// The weights, the groups of pages and what is usual of each signal.
#[derive(Serialize, Deserialize)]
pub(crate) struct SavedEnsemble {
    /// Feature, and both numbers of its state.
    pub(crate) weights: Vec<(u32, f32, f32)>,
    pub(crate) sites: Vec<SavedGroup>,
    pub(crate) templates: Vec<SavedGroup>,
    /// Links looked at, mean and sum of squares, a row a signal.
    pub(crate) stats: Vec<(f64, f64, f64)>,
    /// All pages, and the good ones among them.
    pub(crate) all: (f64, f64),
}

fn rows<'a>(groups: impl Iterator<Item = (&'a Box<str>, &'a Group)>) -> Vec<SavedGroup> {
    let mut rows: Vec<SavedGroup> = groups
        .map(|(name, group)| (name.to_string(), group.pages, group.good))
        .collect();
    rows.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    rows
}

fn group(pages: f64, good: f64) -> Result<Group, StateError> {
    let are_counts = pages.is_finite() && good >= 0.0 && good <= pages;
    are_counts
        .then_some(Group { pages, good })
        .ok_or(StateError::Content("a count of pages is none"))
}

fn groups<M: FromIterator<(Box<str>, Group)>>(rows: Vec<SavedGroup>) -> Result<M, StateError> {
    let rows = rows.into_iter();
    rows.map(|(name, pages, good)| Ok((name.into(), group(pages, good)?)))
        .collect()
}

impl SavedEnsemble {
    fn of(state: &EnsembleState) -> Self {
        let weights = state.weights.iter();
        let stats = state.stats.iter();
        Self {
            weights: weights
                .map(|&(feature, weight)| (feature, weight.z, weight.n))
                .collect(),
            sites: rows(state.groups.sites.iter()),
            templates: rows(state.groups.templates.iter()),
            stats: stats
                .map(|stats| (stats.count, stats.mean, stats.squares))
                .collect(),
            all: (state.groups.all.pages, state.groups.all.good),
        }
    }

    pub(crate) fn into_state(self) -> Result<EnsembleState, StateError> {
        let mut weights = Vec::with_capacity(self.weights.len());
        for (feature, z, n) in self.weights {
            if !z.is_finite() || !n.is_finite() || n < 0.0 {
                return Err(StateError::Content("a weight is no number"));
            }
            weights.push((feature, WeightState { z, n }));
        }
        let mut stats = Vec::with_capacity(self.stats.len());
        for (count, mean, squares) in self.stats {
            if !(count.is_finite() && mean.is_finite() && squares.is_finite()) {
                return Err(StateError::Content("a mean is no number"));
            }
            stats.push(RunningStats {
                count,
                mean,
                squares,
            });
        }
        Ok(EnsembleState {
            weights,
            groups: Groups {
                sites: groups(self.sites)?,
                templates: groups(self.templates)?,
                all: group(self.all.0, self.all.1)?,
            },
            stats,
        })
    }
}

impl Saved for EnsembleState {
    const LEARNER: &'static str = "ensemble";

    fn encode(&self) -> Vec<u8> {
        codec::encode(&SavedEnsemble::of(self))
    }

    fn decode(bytes: &[u8], _known_terms: usize) -> Result<Self, StateError> {
        saved::<SavedEnsemble>(bytes)?.into_state()
    }
}
