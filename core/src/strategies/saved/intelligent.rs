//! The counts of intelligent crawling as bytes.

use serde::{Deserialize, Serialize};

use super::{Saved, StateError, known, saved};
use crate::codec;
use crate::strategies::{Counts, IntelligentCounts};
use crate::text::TermId;

/// Pages with an event, and those of them that were what is looked for.
type SavedPair = (f64, f64);

#[derive(Serialize, Deserialize)]
pub(crate) struct SavedRatios {
    words: Vec<(u32, SavedPair)>,
    tokens: Vec<(String, SavedPair)>,
    links: [SavedPair; 2],
    all: SavedPair,
}

fn pair(counts: Counts) -> SavedPair {
    (counts.seen, counts.held)
}

fn counts((seen, held): SavedPair) -> Result<Counts, StateError> {
    let are_counts = seen.is_finite() && held >= 0.0 && held <= seen;
    are_counts
        .then_some(Counts { seen, held })
        .ok_or(StateError::Content("a count of pages is none"))
}

impl SavedRatios {
    fn of(known: &IntelligentCounts) -> Self {
        let mut words: Vec<_> = known
            .words
            .iter()
            .map(|(term, counts)| (term.0, pair(*counts)))
            .collect();
        words.sort_unstable_by_key(|row| row.0);
        let mut tokens: Vec<_> = known
            .tokens
            .iter()
            .map(|(token, counts)| (token.to_string(), pair(*counts)))
            .collect();
        tokens.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        Self {
            words,
            tokens,
            links: known.links.map(pair),
            all: pair(known.all),
        }
    }

    pub(crate) fn into_counts(self, known_terms: usize) -> Result<IntelligentCounts, StateError> {
        let mut read = IntelligentCounts::default();
        for (term, row) in self.words {
            let term: TermId = known(term, known_terms)?;
            read.words.insert(term, counts(row)?);
        }
        for (token, row) in self.tokens {
            read.tokens.insert(token.into(), counts(row)?);
        }
        let [from_others, from_targets] = self.links;
        read.links = [counts(from_others)?, counts(from_targets)?];
        read.all = counts(self.all)?;
        Ok(read)
    }
}

impl Saved for IntelligentCounts {
    const LEARNER: &'static str = "intelligent";

    fn encode(&self) -> Vec<u8> {
        codec::encode(&SavedRatios::of(self))
    }

    fn decode(bytes: &[u8], known_terms: usize) -> Result<Self, StateError> {
        saved::<SavedRatios>(bytes)?.into_counts(known_terms)
    }
}
