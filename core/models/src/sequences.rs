//! Labelled sequences of sparse observations, kept flat: what MEMM and CRF are
//! trained on (\[C\] 3.1-3.3).

use std::ops::Range;

/// One feature of an observation, with its value.
pub type Feature = (u32, f32);

/// Sequences of observations, each with its state. States are numbered from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sequences {
    features: Vec<Feature>,
    /// Where each position's features end.
    position_ends: Vec<usize>,
    states: Vec<u8>,
    /// Where each sequence's positions end.
    sequence_ends: Vec<usize>,
}

impl Sequences {
    /// Adds one sequence: observations with their states, in order. One without
    /// positions is left out.
    pub fn push<O>(&mut self, positions: impl IntoIterator<Item = (O, u8)>)
    where
        O: IntoIterator<Item = Feature>,
    {
        let before = self.states.len();
        for (observation, state) in positions {
            self.features.extend(observation);
            self.position_ends.push(self.features.len());
            self.states.push(state);
        }
        if self.states.len() > before {
            self.sequence_ends.push(self.states.len());
        }
    }

    /// Adds all sequences of another, whose features are numbered alike.
    pub fn extend(&mut self, other: &Self) {
        for positions in other.iter() {
            let each = positions.map(|at| {
                let seen = other.observation(at).iter().copied();
                (seen, other.states[at])
            });
            self.push(each);
        }
    }

    /// Number of sequences.
    pub fn len(&self) -> usize {
        self.sequence_ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.sequence_ends.is_empty()
    }

    /// Number of positions in all sequences.
    pub fn positions(&self) -> usize {
        self.states.len()
    }

    /// One more than the greatest feature.
    pub fn feature_count(&self) -> usize {
        let greatest = self.features.iter().map(|feature| feature.0).max();
        greatest.map_or(0, |greatest| greatest as usize + 1)
    }

    /// The positions of every sequence.
    pub fn iter(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let starts = std::iter::once(0).chain(self.sequence_ends.iter().copied());
        starts
            .zip(&self.sequence_ends)
            .map(|(start, &end)| start..end)
    }

    /// The features of a position.
    pub fn observation(&self, position: usize) -> &[Feature] {
        let start = position
            .checked_sub(1)
            .map_or(0, |before| self.position_ends[before]);
        &self.features[start..self.position_ends[position]]
    }

    /// The state of a position.
    pub fn state(&self, position: usize) -> usize {
        usize::from(self.states[position])
    }
}
