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

use super::{
    Arrival, Candidate, Cue, Event, Explanation, Known, Learned, LinkPolicy, LinkScore, Priority,
    Profile, Reading, StateError, Strategy, StrategyState,
};
use crate::dom::DomOffset;
use crate::features::{OffsetTerm, WINDOW};
use crate::models::{FeatureCount, TwoClassCounts};
use crate::text::TermId;
use crate::web_graph::Judgment;

/// Arrivals between two scorings of the whole frontier, unless told otherwise.
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
/// How much what is said of the whole page counts, where a word in the link
/// counts 1.
const PAGE_WEIGHT: f64 = 0.5;
/// Where neighbours of either kind are counted: no vocabulary gives out such numbers.
const RELEVANT_NEIGHBOUR: TermId = TermId((1 << 26) - 1);
const OTHER_NEIGHBOUR: TermId = TermId((1 << 26) - 2);

/// Whether a number among the counts is that of a neighbour.
pub(super) fn is_neighbour(key: u32) -> bool {
    let term = OffsetTerm::from_bits(key).term();
    [RELEVANT_NEIGHBOUR, OTHER_NEIGHBOUR].contains(&term)
}

/// Something that is counted of links, and whether they led to a good page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LinkFeature {
    /// A word near the link, or of its page.
    Word(OffsetTerm),
    /// A link nearby whose page is known.
    Neighbour {
        /// Whether that page is relevant.
        is_relevant: bool,
        /// Where it stands, seen from the link.
        offset: DomOffset,
    },
}

impl LinkFeature {
    /// Its number among the counts: that of a word at its offset, or one that no
    /// vocabulary gives out.
    fn key(self) -> u32 {
        let feature = match self {
            Self::Word(feature) => feature,
            Self::Neighbour {
                is_relevant,
                offset,
            } => {
                let kind = if is_relevant {
                    RELEVANT_NEIGHBOUR
                } else {
                    OTHER_NEIGHBOUR
                };
                OffsetTerm::new(kind, offset)
            }
        };
        feature.to_bits()
    }

    /// How much it counts, by where it stands.
    fn nearness(self) -> f64 {
        match self {
            Self::Word(feature) if feature.is_of_page() => PAGE_WEIGHT,
            Self::Word(feature) => near(feature.offset()),
            Self::Neighbour { offset, .. } => near(offset),
        }
    }

    /// What is known of it before anything was learned: of a word, what the critic makes
    /// of it.
    fn prior(self, known: Known<'_>) -> f64 {
        match self {
            Self::Word(feature) => known.critic.word_weight(feature.term()),
            Self::Neighbour { .. } => 0.0,
        }
    }
}

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
}

impl Default for Options {
    fn default() -> Self {
        Self {
            policy: LinkPolicy::Both,
            window: WINDOW,
            classes: false,
            co_citation: false,
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

/// How much something counts that stands at this offset.
fn near(offset: DomOffset) -> f64 {
    1.0 / (1.0 + f64::from(offset.0.abs()))
}

impl Apprentice {
    /// One that has the whole frontier scored again after every `batch`
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
        for link in arrival.via.iter().take(LEARNED_LINKS) {
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
                    label(feature, known),
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

fn label(feature: LinkFeature, known: Known<'_>) -> String {
    match feature {
        LinkFeature::Word(word) => {
            let surface = known.graph.vocabulary.surface(word.term());
            if word.is_of_page() {
                format!("the page: {surface}")
            } else {
                format!("{surface} at offset {}", word.offset().0)
            }
        }
        LinkFeature::Neighbour {
            is_relevant,
            offset: DomOffset(offset),
        } => {
            let kind = if is_relevant { "a relevant" } else { "another" };
            format!("a link to {kind} page at offset {offset}")
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
                backlinks: false,
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::Address;
    use crate::critics;
    use crate::features::LinkContext;
    use crate::strategies::{Neighbour, Trail};
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
