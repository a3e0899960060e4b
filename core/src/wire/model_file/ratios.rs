//! The counts of intelligent crawling in a model file.

use serde::{Deserialize, Serialize};

use super::{ModelError, known};
use crate::strategies::{Counts, IntelligentCounts};
use crate::text::TermId;

/// Pages with an event, and those of them that were what is looked for.
type WireCounts = (f64, f64);

#[derive(Serialize, Deserialize)]
pub(super) struct WireRatios {
    words: Vec<(u32, WireCounts)>,
    tokens: Vec<(String, WireCounts)>,
    links: [WireCounts; 2],
    all: WireCounts,
}

fn wire(counts: Counts) -> WireCounts {
    (counts.seen, counts.held)
}

fn counts((seen, held): WireCounts) -> Result<Counts, ModelError> {
    let are_counts = seen.is_finite() && held >= 0.0 && held <= seen;
    are_counts
        .then_some(Counts { seen, held })
        .ok_or(ModelError::Content("a count of pages is none"))
}

impl WireRatios {
    pub(super) fn of(known: &IntelligentCounts) -> Self {
        let mut words: Vec<_> = known
            .words
            .iter()
            .map(|(term, counts)| (term.0, wire(*counts)))
            .collect();
        words.sort_unstable_by_key(|row| row.0);
        let mut tokens: Vec<_> = known
            .tokens
            .iter()
            .map(|(token, counts)| (token.to_string(), wire(*counts)))
            .collect();
        tokens.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        Self {
            words,
            tokens,
            links: known.links.map(wire),
            all: wire(known.all),
        }
    }

    pub(super) fn into_counts(self, known_terms: usize) -> Result<IntelligentCounts, ModelError> {
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
