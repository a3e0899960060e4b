//! The apprentice: naive Bayes over `<term, DOM offset>`, learning online from
//! where links led ([A] 2.2-2.3, METHODS "Apprentice").
//!
//! An instance is a link `(u,v)`, its features the `<t,d>` around it, its class
//! whether `v` was relevant. The priority is the log-odds of the high class
//! per word, words counting less the farther they stand. Two things differ
//! from [A]: until it has learned, a word is worth what the critic thinks of
//! it, where [A] runs the bare baseline; and links of relevant pages come
//! before all others, without which naive Bayes falls behind the baseline.
//! Regimes other than online, page-level features and co-citation are not
//! here.

use super::{
    Arrival, Candidate, Cue, Draw, Explanation, Known, Learned, LinkScore, Priority, Saved,
    Strategy,
};
use crate::dom::DomOffset;
use crate::features::OffsetTerm;
use crate::models::TwoClassCounts;
use crate::web_graph::Judgment;

/// Arrivals between two scorings of the whole frontier, unless told otherwise.
const BATCH: u32 = 100;
/// The first scoring comes earlier: at this share of a batch.
const FIRST_SHARE: u32 = 5;
/// A context is read as if it held this many more words that say nothing, so
/// that one word alone does not speak as loud as many.
const SILENT_WORDS: f64 = 2.0;
/// Words named in an explanation; the others are summed up.
const NAMED_WORDS: usize = 6;

/// See the module.
#[derive(Debug, Clone)]
pub struct Apprentice {
    counts: TwoClassCounts,
    /// Arrivals between two scorings; `None` for one that learns no more.
    batch: Option<u32>,
    since_rebuilt: u32,
}

impl Default for Apprentice {
    fn default() -> Self {
        Self::every(BATCH)
    }
}

/// How much a word counts at an offset.
fn nearness(offset: DomOffset) -> f64 {
    1.0 / (1.0 + f64::from(offset.0.abs()))
}

impl Apprentice {
    /// One that has the whole frontier scored anew after every `batch`
    /// arrivals.
    pub fn every(batch: u32) -> Self {
        Self {
            counts: TwoClassCounts::default(),
            batch: Some(batch.max(1)),
            since_rebuilt: 0,
        }
    }

    /// With counts learned before, to go on learning.
    pub fn with_counts(counts: TwoClassCounts) -> Self {
        Self {
            counts,
            ..Self::default()
        }
    }

    /// With counts learned before, to learn no more: [A]'s offline regime.
    pub fn fixed(counts: TwoClassCounts) -> Self {
        Self {
            counts,
            batch: None,
            since_rebuilt: 0,
        }
    }

    fn log_ratio(&self, feature: OffsetTerm, known: Known<'_>) -> f64 {
        let prior = known.critic.word_weight(feature.term());
        self.counts.log_ratio(feature.to_bits(), prior)
    }

    /// Log-odds per word of the link's context.
    fn log_odds(&self, link: &Candidate, known: Known<'_>) -> f64 {
        let mut sum = 0.0;
        let mut weight = SILENT_WORDS;
        for (feature, count) in link.context.counts() {
            let share = f64::from(count) * nearness(feature.offset());
            sum += share * self.log_ratio(feature, known);
            weight += share;
        }
        sum / weight
    }

    fn queue(link: &Candidate, known: Known<'_>) -> u8 {
        let source_is_relevant = link
            .source()
            .is_none_or(|source| known.graph.judgment(source).relevance.is_high());
        u8::from(!source_is_relevant)
    }

    /// The parts of the sum in [`Self::log_odds`], the strongest by name.
    fn word_parts(&self, link: &Candidate, known: Known<'_>) -> Vec<Explanation> {
        let mut parts: Vec<Explanation> = link
            .context
            .counts()
            .map(|(feature, count)| {
                let word = known.graph.vocabulary.surface(feature.term());
                let seen = self.counts.feature(feature.to_bits());
                let share = f64::from(count) * nearness(feature.offset());
                let label = format!("{word} at offset {}", feature.offset().0);
                Explanation::product(
                    label,
                    vec![
                        Explanation::given(
                            "log-odds of a good page",
                            self.log_ratio(feature, known),
                        ),
                        Explanation::given("occurrences, by nearness", share),
                    ],
                )
                .about(Cue {
                    feature,
                    high: seen.high,
                    low: seen.low,
                })
            })
            .collect();
        parts.sort_by(|a, b| b.value.abs().total_cmp(&a.value.abs()));
        if parts.len() > NAMED_WORDS {
            let others = parts.split_off(NAMED_WORDS);
            let sum = others.iter().map(|part| part.value).sum();
            parts.push(Explanation::given(
                format!("{} more words", others.len()),
                sum,
            ));
        }
        parts
    }
}

impl Strategy for Apprentice {
    fn name(&self) -> &'static str {
        "apprentice"
    }

    fn score(&self, link: &Candidate, known: Known<'_>) -> LinkScore {
        LinkScore::Follow(Priority::new(
            Self::queue(link, known),
            self.log_odds(link, known),
        ))
    }

    fn learn(&mut self, arrival: &Arrival<'_>, _: Known<'_>, _: &mut dyn Draw) -> Learned {
        let Some(batch) = self.batch.filter(|_| !arrival.via.is_empty()) else {
            return Learned::Nothing;
        };
        for link in arrival.via {
            let features = link.context.counts();
            self.counts.add(
                features.map(|(feature, count)| (feature.to_bits(), count)),
                arrival.judgment.relevance.is_high(),
            );
        }
        self.since_rebuilt += 1;
        let (high, low) = self.counts.instances();
        let first = (batch / FIRST_SHARE).max(1);
        let due =
            self.since_rebuilt >= batch || (high + low < batch && self.since_rebuilt >= first);
        if due {
            self.since_rebuilt = 0;
            Learned::Rebuilt
        } else {
            Learned::Refined
        }
    }

    fn learn_from_known(&mut self, link: &Candidate, judgment: Judgment, _: Known<'_>) {
        if self.batch.is_some() {
            let features = link.context.counts();
            self.counts.add(
                features.map(|(feature, count)| (feature.to_bits(), count)),
                judgment.relevance.is_high(),
            );
        }
    }

    fn explain(&self, link: &Candidate, known: Known<'_>) -> Explanation {
        let words: f64 = link
            .context
            .counts()
            .map(|(feature, count)| f64::from(count) * nearness(feature.offset()))
            .sum();
        Explanation::quotient(
            "log-odds of a good page, per word near the link",
            Explanation::sum("words near the link", self.word_parts(link, known)),
            Explanation::sum(
                "number of words, by nearness",
                vec![
                    Explanation::given("words", words),
                    Explanation::given("words that say nothing", SILENT_WORDS),
                ],
            ),
        )
    }

    fn saved(&self) -> Saved {
        Saved::Apprentice(self.counts.clone())
    }
}
