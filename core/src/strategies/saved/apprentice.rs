//! The apprentice's counts as bytes.

use serde::{Deserialize, Serialize};

use super::{Saved, StateError, known, saved};
use crate::codec;
use crate::features::OffsetTerm;
use crate::models::{FeatureCount, TwoClassCounts};
use crate::strategies::link_feature::is_neighbour;

/// Counts over `<t,d>`: features with their counts of good and other links, and all links
/// of either kind.
#[derive(Serialize, Deserialize)]
pub(crate) struct SavedCounts {
    features: Vec<(u32, f32, f32)>,
    high: u32,
    low: u32,
}

impl SavedCounts {
    fn of(counts: &TwoClassCounts) -> Self {
        let (rows, (high, low)) = counts.rows();
        let rows = rows.into_iter();
        Self {
            features: rows
                .map(|(id, count)| (id, count.high, count.low))
                .collect(),
            high,
            low,
        }
    }

    pub(crate) fn into_counts(self, known_terms: usize) -> Result<TwoClassCounts, StateError> {
        for (feature, _, _) in &self.features {
            if is_neighbour(*feature) {
                continue;
            }
            known(OffsetTerm::from_bits(*feature).term().0, known_terms)?;
        }
        let rows = self.features.into_iter();
        let rows = rows.map(|(id, high, low)| (id, FeatureCount { high, low }));
        TwoClassCounts::from_rows(rows, (self.high, self.low))
            .ok_or(StateError::Content("a count is negative or no number"))
    }
}

impl Saved for TwoClassCounts {
    const LEARNER: &'static str = "apprentice";

    fn encode(&self) -> Vec<u8> {
        codec::encode(&SavedCounts::of(self))
    }

    fn decode(bytes: &[u8], known_terms: usize) -> Result<Self, StateError> {
        saved::<SavedCounts>(bytes)?.into_counts(known_terms)
    }
}
