//! The apprentice: naive Bayes over `<term, DOM offset>`, learning online from
//! where links led (\[A\] 2.2-2.3, methods 3.1).
//!
//! An instance is a link `(u,v)`, its features the `<t,d>` around it, its class
//! whether `v` was relevant. The priority is the log-odds of the high class
//! per word, words counting less the farther they stand. Two things differ
//! from \[A\]: until it has learned, a word is worth what the critic thinks of
//! it, where \[A\] runs the bare baseline; and links of relevant pages come
//! before all others, without which naive Bayes falls behind the baseline.
//!
//! [`Options`] add what \[A\] 3.8 tries besides: the classes of the page with the
//! link (`apprentice-classes`, for topics that have a taxonomy), and co-citation,
//! `<relevance, d>` of the pages to which links nearby were found to lead: only in the bench.

use super::link_feature::LinkFeature;
use super::{
    Arrival, Candidate, Cue, Event, Explanation, Known, Learned, LinkPolicy, LinkScore, Priority,
    Profile, Reading, StateError, Strategy, StrategyState,
};
use crate::codec::{CodecError, Loader, SaveError, Saver};
use crate::features::{OffsetTerm, WINDOW};
use crate::models::{FeatureCount, TwoClassCounts};
use crate::web_graph::Judgment;

/// Arrivals after which waiting links are scored again, unless told otherwise.
const BATCH: u32 = 100;
/// The first scoring comes earlier: at this share of a batch.
const FIRST_SHARE: u32 = 5;
/// A context is read as if it held this many more words that say nothing, so
/// that one word alone does not count as much as many.
const SILENT_WORDS: f64 = 2.0;
/// Links learned from of those that led to one page, the best first: a page that
/// every page links to is no twelve instances.
const LEARNED_LINKS: usize = 3;
/// Words named in an explanation; the others are summed up.
const NAMED_WORDS: usize = 6;
/// What an apprentice reads, and what it makes of several links to one page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Of several links to one page.
    pub policy: LinkPolicy,
    /// Farthest offset read, at most 5: \[A\]'s `dmax`.
    pub window: i32,
    /// The classes of the page with the link.
    pub classes: bool,
    /// Where links nearby were found to lead.
    pub co_citation: bool,
    /// Learn from every link to a page, as \[A\] has it, and not from the best few.
    pub every_link: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            policy: LinkPolicy::Both,
            window: WINDOW,
            classes: false,
            co_citation: false,
            every_link: false,
        }
    }
}

/// Naive Bayes over words and their offsets from the link, learned from where links led.
#[derive(Debug, Clone)]
pub struct Apprentice {
    counts: TwoClassCounts,
    options: Options,
    /// Arrivals between two scorings; `None` for one that learns no more.
    batch: Option<u32>,
    since_rebuilt: u32,
}

impl Default for Apprentice {
    fn default() -> Self {
        Self::every(BATCH)
    }
}

impl Apprentice {
    /// One that has waiting links scored again after every `batch`
    /// arrivals.
    pub fn every(batch: u32) -> Self {
        Self {
            counts: TwoClassCounts::default(),
            options: Options::default(),
            batch: Some(batch.max(1)),
            since_rebuilt: 0,
        }
    }

    /// The same with other options.
    #[must_use]
    pub fn with_options(self, options: Options) -> Self {
        Self { options, ..self }
    }

    /// With counts learned before, to go on learning.
    pub fn with_counts(counts: TwoClassCounts) -> Self {
        Self {
            counts,
            ..Self::default()
        }
    }

    /// What it has learned.
    pub fn counts(&self) -> &TwoClassCounts {
        &self.counts
    }

    /// With counts learned before, to learn no more: \[A\]'s offline regime.
    pub fn fixed(counts: TwoClassCounts) -> Self {
        Self {
            counts,
            batch: None,
            ..Self::default()
        }
    }

    /// What became of links with a feature.
    pub fn seen(&self, feature: OffsetTerm) -> FeatureCount {
        self.counts.feature(feature.to_bits())
    }

    /// A link's features, each with its count.
    fn features<'a>(
        &self,
        link: &'a Candidate,
        known: Known<'a>,
    ) -> impl Iterator<Item = (LinkFeature, u32)> + 'a {
        let Options {
            window,
            co_citation,
            ..
        } = self.options;
        let words = link
            .context
            .counts()
            .filter(move |(feature, _)| feature.is_of_page() || feature.offset().0.abs() <= window)
            .map(|(feature, count)| (LinkFeature::Word(feature), count));
        let neighbours = link.neighbours.iter().filter(move |_| co_citation);
        let neighbours = neighbours.filter_map(move |near| {
            let page = known.graph.page(&near.target)?;
            let neighbour = LinkFeature::Neighbour {
                is_relevant: page.judgment.relevance.is_high(),
                offset: near.offset,
            };
            Some((neighbour, 1))
        });
        words.chain(neighbours)
    }

    fn count(&mut self, link: &Candidate, judgment: Judgment, known: Known<'_>) {
        let features: Vec<(u32, u32)> = self
            .features(link, known)
            .map(|(feature, count)| (feature.key(), count))
            .collect();
        self.counts.add(features, judgment.relevance.is_high());
    }

    fn learn_arrival(&mut self, arrival: &Arrival<'_>, known: Known<'_>) -> Learned {
        let Some(batch) = self.batch.filter(|_| !arrival.via.is_empty()) else {
            return Learned::Nothing;
        };
        let most = if self.options.every_link {
            arrival.via.len()
        } else {
            LEARNED_LINKS
        };
        for link in arrival.via.iter().take(most) {
            self.count(link, arrival.judgment, known);
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

    fn log_ratio(&self, feature: LinkFeature, known: Known<'_>) -> f64 {
        let prior = feature.prior(known);
        self.counts.log_ratio(feature.key(), prior)
    }

    /// Log-odds per word of the link's context.
    pub(super) fn log_odds(&self, link: &Candidate, known: Known<'_>) -> f64 {
        let mut sum = 0.0;
        let mut weight = SILENT_WORDS;
        for (feature, count) in self.features(link, known) {
            let share = f64::from(count) * feature.nearness();
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
        let mut parts: Vec<Explanation> = self
            .features(link, known)
            .map(|(feature, count)| {
                let share = f64::from(count) * feature.nearness();
                let part = Explanation::product(
                    feature.label(known),
                    vec![
                        Explanation::given(
                            "log-odds of a good page",
                            self.log_ratio(feature, known),
                        ),
                        Explanation::given("occurrences, by nearness", share),
                    ],
                );
                match feature {
                    LinkFeature::Word(word) => part.about(self.cue(word)),
                    LinkFeature::Neighbour { .. } => part,
                }
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

    fn cue(&self, word: OffsetTerm) -> Cue {
        let seen = self.seen(word);
        Cue {
            feature: word,
            high: seen.high,
            low: seen.low,
        }
    }
}

impl Strategy for Apprentice {
    fn profile(&self) -> Profile {
        Profile {
            policy: self.options.policy,
            reading: Reading {
                classes: self.options.classes,
                neighbours: self.options.co_citation,
                every_link: self.options.every_link,
                ..Reading::default()
            },
            ..Profile::new(if self.options.classes {
                "apprentice-classes"
            } else {
                "apprentice"
            })
        }
    }

    fn score(&self, links: &[Candidate], known: Known<'_>) -> Vec<LinkScore> {
        let score = |link: &Candidate| {
            LinkScore::Follow(Priority::new(
                Self::queue(link, known),
                self.log_odds(link, known),
            ))
        };
        links.iter().map(score).collect()
    }

    fn learn(&mut self, event: &Event<'_>, known: Known<'_>) -> Learned {
        match event {
            Event::Arrival(arrival) => self.learn_arrival(arrival, known),
            Event::KnownLink(link, judgment) if self.batch.is_some() => {
                self.count(link, *judgment, known);
                Learned::Refined
            }
            _ => Learned::Nothing,
        }
    }

    fn explain(&self, link: &Candidate, known: Known<'_>) -> Explanation {
        let words: f64 = self
            .features(link, known)
            .map(|(feature, count)| f64::from(count) * feature.nearness())
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

    fn begin_with(
        &mut self,
        learned: &StrategyState,
        known_terms: usize,
    ) -> Result<(), StateError> {
        self.counts = learned.read(known_terms)?.unwrap_or_default();
        Ok(())
    }

    fn state(&self) -> StrategyState {
        StrategyState::of(&self.counts)
    }

    fn save(&self, to: &mut Saver<'_>) -> Result<(), SaveError> {
        to.put(&self.counts)?;
        to.put(&self.since_rebuilt)
    }

    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), CodecError> {
        self.counts = from.take()?;
        self.since_rebuilt = from.take()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::Address;
    use crate::critics;
    use crate::dom::DomOffset;
    use crate::features::LinkContext;
    use crate::strategies::{Neighbour, Trail};
    use crate::text::TermId;
    use crate::web_graph::{KnownPage, Relevance, WebGraph};

    fn link(number: u32) -> Candidate {
        let feature = |n: u32| {
            let offset = DomOffset((number * 7 + n * 3) as i32 % 11 - 5);
            OffsetTerm::new(TermId((number * n) % 17), offset)
        };
        Candidate {
            context: LinkContext::new((0..12).map(feature).collect()),
            trail: Trail::default(),
            ..Candidate::seed(Address::parse(&format!("http://a.org/{number}")).unwrap())
        }
    }

    fn judgment(number: u32) -> Judgment {
        Judgment {
            relevance: Relevance::new(f64::from(u8::from(number % 5 < 2))),
            ..Judgment::default()
        }
    }

    fn taught(batch: u32, order: impl Iterator<Item = u32>) -> Apprentice {
        let (graph, critic) = (WebGraph::default(), critics::Topic::default());
        let known = Known {
            graph: &graph,
            critic: &critic,
        };
        let mut apprentice = Apprentice::every(batch);
        for number in order {
            let via = [link(number), link(number + 1_000)];
            let arrival = Arrival {
                via: &via,
                judgment: judgment(number),
            };
            apprentice.learn(&Event::Arrival(arrival), known);
        }
        apprentice
    }

    /// \[A\] 2.3: what was learned page by page is what one training on all pages
    /// gives, however the pages were batched and ordered.
    #[test]
    fn learning_page_by_page_equals_learning_at_once() {
        let mut at_once = TwoClassCounts::default();
        for number in 0..300 {
            for link in [link(number), link(number + 1_000)] {
                let rows = link.context.counts();
                at_once.add(
                    rows.map(|(feature, count)| (feature.to_bits(), count)),
                    judgment(number).relevance.is_high(),
                );
            }
        }
        for batch in [1, 20, 100_000] {
            assert_eq!(taught(batch, 0..300).counts, at_once, "batch {batch}");
        }
        assert_eq!(taught(20, (0..300).rev()).counts, at_once);
        assert_ne!(taught(20, 0..299).counts, at_once);
    }

    #[test]
    fn neighbours_that_led_to_good_pages_speak_for_a_link() {
        let mut graph = WebGraph::default();
        for number in 0..60 {
            graph.remember(KnownPage {
                address: link(number).target,
                judgment: judgment(number),
                unmarked: Judgment::default(),
                counted: false,
                terms: crate::features::PageTerms::default(),
            });
        }
        let critic = critics::Topic::default();
        let known = Known {
            graph: &graph,
            critic: &critic,
        };
        let next_to = |number: u32| Candidate {
            neighbours: Box::new([Neighbour {
                target: link(number).target,
                offset: DomOffset(1),
            }]),
            ..Candidate::seed(link(number + 100).target)
        };
        let mut apprentice = Apprentice::every(10).with_options(Options {
            co_citation: true,
            ..Options::default()
        });
        for number in 0..50 {
            let arrival = Arrival {
                via: &[next_to(number)],
                judgment: judgment(number),
            };
            apprentice.learn(&Event::Arrival(arrival), known);
        }
        let score = |number: u32| apprentice.log_odds(&next_to(number), known);
        assert!(judgment(50).relevance.is_high() && !judgment(52).relevance.is_high());
        assert!(
            score(50) > 0.1 && score(52) < -0.1,
            "{} {}",
            score(50),
            score(52)
        );
        assert!(score(500).abs() < 1e-9, "not fetched: says nothing");
    }
}
