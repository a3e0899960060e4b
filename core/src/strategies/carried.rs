//! What was learned for one topic in the words of another, to begin with (\[B\] 4).
//!
//! Vocabularies differ, so words are told by their term and not by their number. What is
//! carried over speaks for few pages, however many it was learned from, so that what the new
//! crawl finds soon counts for more. Words of pages, tokens of addresses and words near links
//! are carried over, and what the ensemble makes of its signals. Left behind is what hangs on
//! pages and sites of the other topic: siblings, groups of pages, paths, links.

use rustc_hash::FxHashMap;

use super::catalogue::descriptor;
use super::ensemble::{is_meaning, is_word_near, word_near};
use super::link_feature::is_neighbour;
use super::{
    Counts, EnsembleState, Group, Groups, IntelligentCounts, Saved, StateError, StrategyState,
};
use crate::features::OffsetTerm;
use crate::models::{FeatureCount, TwoClassCounts};
use crate::text::{TermId, Vocabulary};
use crate::translation::Translation;

/// Pages, and links, that what is carried over speaks for at most.
const MOST_PAGES: f64 = 200.0;
/// Words, tokens and weights of each kind that are carried over: those seen most often.
const MOST_FEATURES: usize = 15_000;

/// Learners that take over what another topic taught.
const LEARNERS: [&str; 3] = [
    IntelligentCounts::LEARNER,
    TwoClassCounts::LEARNER,
    EnsembleState::LEARNER,
];

/// Whether a strategy can begin with what another topic taught.
pub fn can_begin(strategy: &str) -> bool {
    let row = descriptor(strategy);
    row.is_some_and(|row| row.make.is_some() && LEARNERS.contains(&row.learner))
}

/// How much of each kind another topic taught.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TaughtCounts {
    /// Words of pages, with their interest ratios.
    pub words: usize,
    /// Tokens of addresses, with theirs.
    pub tokens: usize,
    /// Words near links, each with its offset.
    pub near_links: usize,
}

impl TaughtCounts {
    /// What there is in this state, with a vocabulary of so many words.
    pub fn of(learned: &StrategyState, known_terms: usize) -> Result<Self, StateError> {
        let ratios: IntelligentCounts = learned.read(known_terms)?.unwrap_or_default();
        let near: TwoClassCounts = learned.read(known_terms)?.unwrap_or_default();
        Ok(Self {
            words: ratios.words.len(),
            tokens: ratios.tokens.len(),
            near_links: near.len(),
        })
    }

    /// Whether nothing was learned.
    pub fn is_nothing(self) -> bool {
        self == Self::default()
    }
}

/// What it makes of a topic's counts.
struct Carrying<'a>(Translation<'a>);

impl Carrying<'_> {
    fn ratios(&mut self, counts: IntelligentCounts) -> IntelligentCounts {
        let share = (MOST_PAGES / counts.all.seen).min(1.0);
        let scaled = |counts: Counts| Counts {
            seen: share * counts.seen,
            held: share * counts.held,
        };
        let counts = counts.trimmed(MOST_FEATURES);
        let mut words: Vec<(TermId, Counts)> = counts.words.into_iter().collect();
        words.sort_unstable_by_key(|row| row.0);
        let words = words.into_iter();
        let words = words.filter_map(|(id, counts)| Some((self.0.term(id)?, scaled(counts))));
        IntelligentCounts {
            words: words.collect(),
            tokens: counts
                .tokens
                .into_iter()
                .map(|(token, counts)| (token, scaled(counts)))
                .collect(),
            links: counts.links.map(scaled),
            all: scaled(counts.all),
        }
    }

    /// Features by their number before and now.
    fn features(&mut self, counts: &TwoClassCounts) -> FxHashMap<u32, u32> {
        let rows = counts.rows().0.into_iter();
        rows.filter_map(|(bits, _)| {
            let now = if is_neighbour(bits) {
                bits
            } else {
                self.0.feature(OffsetTerm::from_bits(bits))?.to_bits()
            };
            Some((bits, now))
        })
        .collect()
    }
}

fn near_links(counts: &TwoClassCounts, numbers: &FxHashMap<u32, u32>) -> Option<TwoClassCounts> {
    let (rows, (high, low)) = counts.rows();
    let share = (MOST_PAGES / f64::from(high + low)).min(1.0);
    let rows = rows.into_iter().filter_map(|(bits, count)| {
        let count = FeatureCount {
            high: (share * f64::from(count.high)) as f32,
            low: (share * f64::from(count.low)) as f32,
        };
        Some((*numbers.get(&bits)?, count))
    });
    let scaled = |links: u32| (share * f64::from(links)).round() as u32;
    TwoClassCounts::from_rows(rows, (scaled(high), scaled(low)))
}

fn ensemble(own: &EnsembleState, numbers: &FxHashMap<u32, u32>) -> EnsembleState {
    let all = own.groups.all;
    let share = (MOST_PAGES / all.pages).min(1.0);
    let words = numbers.iter();
    let words = words.map(|(&before, &now)| (word_near(before), word_near(now)));
    let words: FxHashMap<u32, u32> = words.collect();
    let weights = own.weights.iter().filter(|row| !is_meaning(row.0));
    let weights = weights.filter_map(|&(feature, weight)| {
        let now = if is_word_near(feature) {
            *words.get(&feature)?
        } else {
            feature
        };
        Some((now, weight))
    });
    let mut weights: Vec<_> = weights.collect();
    weights.sort_unstable_by_key(|row| row.0);
    weights.dedup_by_key(|row| row.0);
    EnsembleState {
        weights,
        groups: Groups {
            all: Group {
                pages: share * all.pages,
                good: share * all.good,
            },
            ..Groups::default()
        },
        stats: own.stats.clone(),
    }
}

/// What was learned for a topic with the words of one vocabulary, in the words of another.
pub fn carried(
    learned: &StrategyState,
    from: &Vocabulary,
    into: &mut Vocabulary,
) -> Result<StrategyState, StateError> {
    let known_terms = from.len();
    let mut carrying = Carrying(Translation { from, into });
    let mut carried = StrategyState::owned_by(learned.owner());
    if let Some(ratios) = learned.read::<IntelligentCounts>(known_terms)? {
        carried = carried.with(&carrying.ratios(ratios));
    }
    let near = learned.read::<TwoClassCounts>(known_terms)?;
    let near = near.unwrap_or_default().trimmed(MOST_FEATURES);
    let numbers = carrying.features(&near);
    if let Some(near) = near_links(&near, &numbers).filter(|near| !near.is_empty()) {
        carried = carried.with(&near);
    }
    if let Some(own) = learned.read::<EnsembleState>(known_terms)? {
        carried = carried.with(&ensemble(&own, &numbers));
    }
    Ok(carried)
}
