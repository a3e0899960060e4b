//! The apprentice as \[A\] has it (2.2-2.3, methods 3.1): two-class multinomial naive Bayes
//! over `<term, DOM offset>`, with Laplace's smoothing and the fraction of instances as the
//! prior of a class (eq. 1-2), priority = the probability that the link leads to a good
//! page, and the bare baseline until it was trained for the first time on both classes.
//!
//! Every link to a page that was fetched is an instance of its own, whichever of the two
//! pages was fetched first.
//!
//! It is here to be measured; what ships is [`super::Apprentice`].

use super::{
    BestFirst, Candidate, Event, Explanation, Focus, Known, Learned, LinkPolicy, LinkScore,
    Priority, Profile, Reading, StateError, Strategy, StrategyState,
};
use crate::models::TwoClassCounts;
use crate::web_graph::Relevance;

/// The apprentice as its paper has it, without this project's changes.
#[derive(Debug, Clone)]
pub struct PlainApprentice {
    counts: TwoClassCounts,
    options: PlainOptions,
    /// Arrivals between two trainings; `None` for one that learns no more.
    batch: Option<u32>,
    since_trained: u32,
    is_trained: bool,
    /// Instances of the batch, where only some of it are learned from.
    gathered: Vec<Instance>,
}

/// What \[A\] leaves open.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlainOptions {
    /// Of several links to one page (\[A\] footnote 1).
    pub policy: LinkPolicy,
    /// Share of a batch's instances that are learned from: those that surprised most, by
    /// `|Pr(c*|u) - Pr(c*|v)|` (\[A\] 4, active learning).
    pub taught_share: f64,
}

impl Default for PlainOptions {
    fn default() -> Self {
        Self {
            policy: LinkPolicy::Maximum,
            taught_share: 1.0,
        }
    }
}

/// A link whose page is known.
#[derive(Debug, Clone)]
struct Instance {
    features: Vec<(u32, u32)>,
    is_high: bool,
    /// By how much the page differs in relevance from the page with the link.
    surprise: f64,
}

impl Default for PlainApprentice {
    fn default() -> Self {
        Self::every(100)
    }
}

impl PlainApprentice {
    /// One that is trained after every `batch` arrivals.
    pub fn every(batch: u32) -> Self {
        Self {
            counts: TwoClassCounts::default(),
            options: PlainOptions::default(),
            batch: Some(batch.max(1)),
            since_trained: 0,
            is_trained: false,
            gathered: Vec::new(),
        }
    }

    /// The same with other options.
    #[must_use]
    pub fn with_options(self, options: PlainOptions) -> Self {
        Self { options, ..self }
    }

    /// With counts learned before.
    pub fn with_counts(counts: TwoClassCounts) -> Self {
        Self {
            is_trained: counts.knows_both(),
            counts,
            ..Self::default()
        }
    }

    /// With counts learned before, to learn no more: \[A\]'s offline regime.
    pub fn fixed(counts: TwoClassCounts) -> Self {
        Self {
            batch: None,
            ..Self::with_counts(counts)
        }
    }

    fn log_odds(&self, link: &Candidate) -> f64 {
        let features = link.context.counts();
        let evidence: f64 = features
            .map(|(feature, count)| {
                f64::from(count) * self.counts.laplace_log_ratio(feature.to_bits())
            })
            .sum();
        self.counts.prior_log_ratio() + evidence
    }

    fn gather(&mut self, link: &Candidate, relevance: Relevance) {
        let features = link.context.counts();
        let features = features.map(|(feature, count)| (feature.to_bits(), count));
        if self.options.taught_share >= 1.0 {
            self.counts.add(features, relevance.is_high());
            return;
        }
        let source = link.trail.newest().map(|step| step.relevance.value());
        self.gathered.push(Instance {
            features: features.collect(),
            is_high: relevance.is_high(),
            surprise: (source.unwrap_or(0.0) - relevance.value()).abs(),
        });
    }

    /// Learns from the most surprising instances of the batch.
    fn learn_batch(&mut self) {
        let mut gathered = std::mem::take(&mut self.gathered);
        gathered.sort_by(|a, b| b.surprise.total_cmp(&a.surprise));
        let taught = (self.options.taught_share * gathered.len() as f64).ceil() as usize;
        for instance in gathered.into_iter().take(taught) {
            self.counts.add(instance.features, instance.is_high);
        }
    }
}

fn probability(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

impl Strategy for PlainApprentice {
    fn profile(&self) -> Profile {
        Profile {
            policy: self.options.policy,
            reading: Reading {
                every_link: true,
                ..Reading::default()
            },
            ..Profile::new("apprentice-plain")
        }
    }

    fn score(&self, links: &[Candidate], known: Known<'_>) -> Vec<LinkScore> {
        if !self.is_trained {
            return BestFirst(Focus::Soft).score(links, known);
        }
        let score = |link| LinkScore::Follow(Priority::new(0, probability(self.log_odds(link))));
        links.iter().map(score).collect()
    }

    fn expected(&self, link: &Candidate, known: Known<'_>) -> Option<Relevance> {
        if !self.is_trained {
            return BestFirst(Focus::Soft).expected(link, known);
        }
        Some(Relevance::new(probability(self.log_odds(link))))
    }

    fn learn(&mut self, event: &Event<'_>, _: Known<'_>) -> Learned {
        let Some(batch) = self.batch else {
            return Learned::Nothing;
        };
        let arrival = match event {
            Event::Arrival(arrival) if !arrival.via.is_empty() => arrival,
            Event::KnownLink(link, judgment) => {
                self.gather(link, judgment.relevance);
                return Learned::Refined;
            }
            _ => return Learned::Nothing,
        };
        for link in arrival.via {
            self.gather(link, arrival.judgment.relevance);
        }
        self.since_trained += 1;
        if self.since_trained < batch {
            return Learned::Refined;
        }
        self.since_trained = 0;
        self.learn_batch();
        self.is_trained = self.counts.knows_both();
        Learned::Rebuilt
    }

    fn explain(&self, link: &Candidate, known: Known<'_>) -> Explanation {
        if !self.is_trained {
            return BestFirst(Focus::Soft).explain(link, known);
        }
        let mut parts = vec![Explanation::given(
            "log-odds of a good page before any word",
            self.counts.prior_log_ratio(),
        )];
        parts.extend(link.context.counts().map(|(feature, count)| {
            let word = known.graph.vocabulary.surface(feature.term());
            Explanation::given(
                format!("{word} at offset {}", feature.offset().0),
                f64::from(count) * self.counts.laplace_log_ratio(feature.to_bits()),
            )
        }));
        Explanation::logistic(
            "probability of a good page",
            Explanation::sum("log-odds of a good page", parts),
        )
    }

    fn begin_with(
        &mut self,
        learned: &StrategyState,
        known_terms: usize,
    ) -> Result<(), StateError> {
        self.counts = learned.read(known_terms)?.unwrap_or_default();
        self.is_trained = self.counts.knows_both();
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
    use crate::dom::DomOffset;
    use crate::features::{LinkContext, OffsetTerm};
    use crate::strategies::{Arrival, Step, Trail};
    use crate::text::TermId;
    use crate::web_graph::{Judgment, WebGraph};

    const FROM: f64 = 0.9;

    fn link(words: &[u32]) -> Candidate {
        let words = words
            .iter()
            .map(|&word| OffsetTerm::new(TermId(word), DomOffset(0)));
        let step = Step {
            address: Address::parse("http://a.test/from").unwrap(),
            relevance: Relevance::new(FROM),
        };
        Candidate {
            context: LinkContext::new(words.collect()),
            trail: Trail::default().then(step),
            ..Candidate::seed(Address::parse("http://a.test/to").unwrap())
        }
    }

    fn judgment(relevance: f64) -> Judgment {
        Judgment {
            relevance: Relevance::new(relevance),
            ..Judgment::default()
        }
    }

    fn teach(apprentice: &mut PlainApprentice, via: &[Candidate], relevance: f64) -> Learned {
        let (graph, critic) = (WebGraph::default(), critics::Topic::default());
        let known = Known {
            graph: &graph,
            critic: &critic,
        };
        let judgment = judgment(relevance);
        apprentice.learn(&Event::Arrival(Arrival { via, judgment }), known)
    }

    fn expected(apprentice: &PlainApprentice, words: &[u32]) -> f64 {
        let (graph, critic) = (WebGraph::default(), critics::Topic::default());
        let known = Known {
            graph: &graph,
            critic: &critic,
        };
        let expected = apprentice.expected(&link(words), known);
        expected.map_or(f64::NAN, Relevance::value)
    }

    /// Two links to a good page, one each to two others: four instances, of which half are
    /// good; `T` holds words 1 and 2.
    #[test]
    fn every_link_is_an_instance_and_the_probability_is_that_of_the_paper() {
        let mut apprentice = PlainApprentice::every(2);
        let two = [link(&[1, 2]), link(&[1])];
        assert_eq!(teach(&mut apprentice, &two, 0.9), Learned::Refined);
        assert_eq!(
            expected(&apprentice, &[1]),
            0.0,
            "the baseline: a page unknown"
        );
        assert_eq!(teach(&mut apprentice, &[link(&[2])], 0.1), Learned::Rebuilt);
        let (graph, critic) = (WebGraph::default(), critics::Topic::default());
        let known = Known {
            graph: &graph,
            critic: &critic,
        };
        apprentice.learn(&Event::KnownLink(&link(&[2]), judgment(0.2)), known);
        assert_eq!(apprentice.counts.instances(), (2, 2));
        let (high, low) = ([3.0 / 5.0, 2.0 / 5.0], [1.0 / 4.0, 3.0 / 4.0]);
        let by_hand = 0.5 * high[0] * high[1] / (0.5 * high[0] * high[1] + 0.5 * low[0] * low[1]);
        let found = expected(&apprentice, &[1, 2, 77]);
        assert!((found - by_hand).abs() < 1e-12, "{found} {by_hand}");
    }

    #[test]
    fn nothing_is_ranked_by_one_class_alone() {
        let mut apprentice = PlainApprentice::every(1);
        assert_eq!(teach(&mut apprentice, &[link(&[1])], 0.1), Learned::Rebuilt);
        assert!(!apprentice.is_trained);
        teach(&mut apprentice, &[link(&[2])], 0.9);
        assert!(apprentice.is_trained);
    }

    /// Of four instances the two are learned from whose pages differ most from the page with
    /// the link, which is relevant by .9.
    #[test]
    fn only_surprising_instances_are_learned_from_if_so_told() {
        let options = PlainOptions {
            taught_share: 0.5,
            ..PlainOptions::default()
        };
        let mut apprentice = PlainApprentice::every(4).with_options(options);
        for (word, relevance) in [(1, 0.9), (2, 0.1), (3, 0.8), (4, 0.3)] {
            teach(&mut apprentice, &[link(&[word])], relevance);
        }
        let (rows, instances) = apprentice.counts.rows();
        let words: Vec<u32> = rows
            .iter()
            .map(|row| OffsetTerm::from_bits(row.0).term().0)
            .collect();
        assert_eq!((words, instances), (vec![2, 4], (0, 2)));
    }
}
