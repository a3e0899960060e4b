//! Reinforcement learning with binned rewards (Rennie and `McCallum` 1999; methods 3.6): a
//! link is worth the relevant pages that can be found by following it, each counting half
//! for every click on the way.
//!
//! What followed links were worth is computed backwards over the pages seen. These values
//! fall into bins; naive Bayes learns from the words in a link and around it which bin a
//! link is of, and a new link is worth the mean values of the bins by their
//! probabilities. Until it was trained with some link of value, links are worth what
//! their page is worth, as in \[A\].
//!
//! The paper trains before the crawl on a web that it knows whole. Here it is trained again
//! every batch on what was seen, so values are those of the pages met so far and grow as
//! the crawl goes on. Relevant pages that link to each other count again and again, ever
//! less; the paper's spider collects each once. What was learned in an earlier crawl goes
//! on to count, as if those links had been met before.

use crate::models::MultinomialBayes;
use crate::strategies::BestFirst;
use crate::strategies::Candidate;
use crate::strategies::Event;
use crate::strategies::Explanation;
use crate::strategies::Focus;
use crate::strategies::Known;
use crate::strategies::Learned;
use crate::strategies::LinkScore;
use crate::strategies::Priority;
use crate::strategies::Profile;
use crate::strategies::Strategy;
use crate::strategies::StrategyState;
use crate::strategies::Subject;
use crate::strategies::rebuilds::Rebuilds;
use crate::strategies::rivals::transitions::Transitions;

/// What is left of a reward a click farther off.
pub(in crate::strategies) const DISCOUNT: f64 = 0.5;
/// Rounds of value iteration: rewards that far ahead are seen.
const ROUNDS: usize = 4;
/// Least value of each bin but the first: three clicks from a relevant page, two, one, and
/// a relevant page itself.
const EDGES: [f64; 4] = [0.125, 0.25, 0.5, 1.0];
/// Bins.
pub(in crate::strategies) const BINS: usize = EDGES.len() + 1;
/// Words to which a longer context is brought.
const LONGEST: f64 = 20.0;
/// Words of all links that every bin is mixed with.
const BACKGROUND: f64 = 50.0;
/// Words learned at most; later ones are not.
const MOST_WORDS: usize = 300_000;

/// What it knows from one crawl to the next.
#[derive(Debug, Clone, PartialEq)]
pub struct BinnedValues {
    /// Words in links (odd) and around them (even) by bin: twice the number of the term.
    pub words: MultinomialBayes<u32>,
    /// Values of the links of each bin, summed up.
    pub sums: [f64; BINS],
}

impl Default for BinnedValues {
    fn default() -> Self {
        Self {
            words: MultinomialBayes::with_background(BINS, BACKGROUND),
            sums: [0.0; BINS],
        }
    }
}

impl BinnedValues {
    /// Back from words with their occurrences by bin, links by bin and sums of their
    /// values; `None` if they make no sense.
    pub fn new(
        words: impl IntoIterator<Item = (u32, Vec<f64>)>,
        links: Vec<f64>,
        sums: [f64; BINS],
    ) -> Option<Self> {
        let words = Self::default().words.taught(words, links)?;
        let is_sum = |sum: &f64| sum.is_finite() && *sum >= 0.0;
        let fits = sums.iter().all(is_sum) && words.len() <= MOST_WORDS;
        fits.then_some(Self { words, sums })
    }

    fn learn(&mut self, features: &[(u32, f32)], value: f64) {
        let bin = bin(value);
        let is_full = self.words.len() >= MOST_WORDS;
        let known: Vec<(u32, f64)> = features
            .iter()
            .filter(|row| !is_full || self.words.knows(row.0))
            .map(|&(word, count)| (word, f64::from(count)))
            .collect();
        self.words.learn(bin, known);
        self.sums[bin] += value;
    }

    /// Whether some link of value was learned.
    fn is_trained(&self) -> bool {
        self.words.documents()[1..].iter().sum::<f64>() > 0.0
    }

    /// Mean value of the links of each bin; of one without links, 0.
    fn means(&self) -> [f64; BINS] {
        let mut means = self.sums;
        for (mean, links) in means.iter_mut().zip(self.words.documents()) {
            *mean /= links.max(1.0);
        }
        means
    }

    /// Probability of each bin, by the words of a link.
    fn shares(&self, features: &[(u32, f32)]) -> Vec<f64> {
        let all: f64 = features.iter().map(|row| f64::from(row.1)).sum();
        let scale = (LONGEST / all.max(LONGEST)).min(1.0);
        let rows: Vec<(u32, f64)> = features
            .iter()
            .map(|&(word, count)| (word, scale * f64::from(count)))
            .collect();
        let posteriors = self.words.log_posteriors(&rows).into_iter();
        posteriors.map(f64::exp).collect()
    }

    fn expected(&self, features: &[(u32, f32)]) -> f64 {
        let shares = self.shares(features);
        let pairs = shares.iter().zip(self.means());
        pairs.map(|(share, mean)| share * mean).sum()
    }
}

fn bin(value: f64) -> usize {
    EDGES.iter().take_while(|&&edge| value >= edge).count()
}

/// Words in a link and around it, each with its count.
fn features(link: &Candidate) -> Box<[(u32, f32)]> {
    let words = link.context.features().iter();
    let words = words.filter(|word| !word.is_of_page());
    let mut numbers: Vec<u32> = words
        .map(|word| (word.term().0 << 1) | u32::from(word.offset().0 == 0))
        .collect();
    numbers.sort_unstable();
    let runs = numbers.chunk_by(|a, b| a == b);
    runs.map(|run| (run[0], run.len() as f32)).collect()
}

/// Scores links by the relevant pages expected behind them.
#[derive(Debug, Clone, Default)]
pub struct Reinforcement {
    /// What was learned in an earlier crawl.
    before: BinnedValues,
    /// That and what was learned in this one.
    values: BinnedValues,
    seen: Transitions,
    rebuilds: Rebuilds,
}

impl Reinforcement {
    /// One that is trained after every so many arrivals, and later more seldom.
    pub fn every(every: u32) -> Self {
        Self {
            rebuilds: Rebuilds::every(every),
            ..Self::default()
        }
    }

    /// One that goes on from what was learned before.
    pub fn with_values(values: BinnedValues) -> Self {
        Self {
            before: values.clone(),
            values,
            ..Self::default()
        }
    }

    fn train(&mut self, known: Known<'_>) {
        let rewards: Vec<f64> = self
            .seen
            .iter()
            .map(|step| f64::from(u8::from(step.relevance(known).is_high())))
            .collect();
        let worth = self.seen.values(&rewards, DISCOUNT, ROUNDS);
        let mut values = self.before.clone();
        for (step, worth) in self.seen.iter().zip(worth) {
            values.learn(&step.features, worth);
        }
        self.values = values;
    }
}

impl Strategy for Reinforcement {
    fn profile(&self) -> Profile {
        Profile::new("reinforcement")
    }

    fn score(&self, links: &[Candidate], known: Known<'_>) -> Vec<LinkScore> {
        if !self.values.is_trained() {
            return BestFirst(Focus::Soft).score(links, known);
        }
        let score = |link: &Candidate| {
            LinkScore::Follow(Priority::new(0, self.values.expected(&features(link))))
        };
        links.iter().map(score).collect()
    }

    fn learn(&mut self, event: &Event<'_>, known: Known<'_>) -> Learned {
        match event {
            Event::Arrival(arrival) => {
                for link in arrival.via {
                    self.seen.add(link, features(link), arrival.judgment);
                }
                let learned = self.rebuilds.arrived();
                if learned == Learned::Rebuilt {
                    self.train(known);
                }
                learned
            }
            Event::KnownLink(link, judgment) => {
                self.seen.add(link, features(link), *judgment);
                Learned::Refined
            }
            _ => Learned::Nothing,
        }
    }

    fn describe(&self, subject: Subject<'_>, _: Known<'_>) -> Option<String> {
        let Subject::Link(link) = subject else {
            return None;
        };
        let is_trained = self.values.is_trained();
        let expected = is_trained.then(|| self.values.expected(&features(link)))?;
        let bin = bin(expected);
        let clicks = BINS - bin;
        match bin {
            0 => None,
            _ if clicks == 1 => Some("such links lead to relevant pages".to_owned()),
            _ => Some(format!(
                "such links lead to a relevant page in {clicks} clicks"
            )),
        }
    }

    fn explain(&self, link: &Candidate, known: Known<'_>) -> Explanation {
        if !self.values.is_trained() {
            return BestFirst(Focus::Soft).explain(link, known);
        }
        let shares = self.values.shares(&features(link));
        let bins = shares.into_iter().zip(self.values.means()).enumerate();
        let parts = bins.map(|(bin, (share, mean))| {
            let label = match bin {
                0 => "no relevant page near".to_owned(),
                _ if bin == BINS - 1 => "a relevant page".to_owned(),
                _ => format!("a relevant page about {} clicks farther", BINS - 1 - bin),
            };
            Explanation::product(
                label,
                vec![
                    Explanation::given("probability by the words near the link", share),
                    Explanation::given("relevant pages behind such links", mean),
                ],
            )
        });
        Explanation::sum(
            "relevant pages expected, half for every click",
            parts.collect(),
        )
    }

    fn reset(&self, _: Known<'_>) -> Option<Box<dyn Strategy>> {
        let rebuilds = self.rebuilds.afresh();
        Some(Box::new(Self {
            rebuilds,
            ..Self::default()
        }))
    }

    fn state(&self) -> StrategyState {
        StrategyState::of(&self.values)
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
    use crate::web_graph::{Judgment, Relevance, WebGraph};

    fn address(name: &str) -> Address {
        Address::parse(&format!("http://a.test/{name}")).unwrap()
    }

    fn link(from: &str, to: &str, words: &[(u32, i32)]) -> Candidate {
        let words = words
            .iter()
            .map(|&(term, offset)| OffsetTerm::new(TermId(term), DomOffset(offset)));
        Candidate {
            context: LinkContext::new(words.collect()),
            trail: Trail::default().then(Step {
                address: address(from),
                relevance: Relevance::default(),
            }),
            ..Candidate::seed(address(to))
        }
    }

    fn judgment(is_good: bool) -> Judgment {
        Judgment {
            relevance: Relevance::new(f64::from(u8::from(is_good))),
            ..Judgment::default()
        }
    }

    #[test]
    fn values_fall_into_bins_by_their_distance() {
        let cases = [
            (0.0, 0),
            (0.12, 0),
            (0.125, 1),
            (0.3, 2),
            (0.5, 3),
            (1.0, 4),
            (1.9, 4),
        ];
        for (value, expected) in cases {
            assert_eq!(bin(value), expected, "{value}");
        }
    }

    /// a links to b by word 1, b to the good page c by word 2, a to d by word 3. The values
    /// are 0.5, 1 and 0: one link in each of three bins, each with one word. By the
    /// background of 50 words of which each is a third, P(1 | bin 3) = (1 + 50/3) / 51 and
    /// P(1 | others) = (50/3) / (1 + 50) or 1/3 where nothing was seen.
    #[test]
    fn expectations_by_hand() {
        let (graph, critic) = (WebGraph::default(), critics::Topic::default());
        let known = Known {
            graph: &graph,
            critic: &critic,
        };
        let mut strategy = Reinforcement::every(3);
        let steps = [
            (link("a", "b", &[(1, 0)]), false),
            (link("b", "c", &[(2, 0)]), true),
            (link("a", "d", &[(3, 0)]), false),
        ];
        for (link, is_good) in &steps {
            let arrival = Arrival {
                via: std::slice::from_ref(link),
                judgment: judgment(*is_good),
            };
            let learned = strategy.learn(&Event::Arrival(arrival), known);
            assert_eq!(learned, Learned::Rebuilt);
        }
        assert_eq!(strategy.values.words.documents(), [1.0, 0.0, 0.0, 1.0, 1.0]);
        assert_eq!(strategy.values.means(), [0.0, 0.0, 0.0, 0.5, 1.0]);
        let with = (1.0 + 50.0 / 3.0) / 51.0;
        let without = (50.0 / 3.0) / 51.0;
        let all = with + 2.0 * without;
        let expected = (with * 0.5 + without) / all;
        let found = strategy.values.expected(&features(&steps[0].0));
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        let other = link("x", "y", &[(1, 2)]);
        let found = strategy.values.expected(&features(&other));
        assert!(
            (found - 0.5).abs() < 1e-12,
            "around a link it is another word"
        );
        let explained = strategy.explain(&steps[0].0, known);
        assert!((explained.value - expected).abs() < 1e-12);
    }

    #[test]
    fn what_was_learned_before_goes_on_to_count() {
        let mut before = BinnedValues::default();
        for _ in 0..30 {
            before.learn(&[(3, 1.0)], 1.0);
            before.learn(&[(5, 1.0)], 0.0);
        }
        let mut strategy = Reinforcement::with_values(before.clone());
        let (graph, critic) = (WebGraph::default(), critics::Topic::default());
        let known = Known {
            graph: &graph,
            critic: &critic,
        };
        assert!(strategy.values.expected(&[(3, 1.0)]) > strategy.values.expected(&[(5, 1.0)]));
        let step = link("a", "b", &[(7, 0)]);
        strategy.seen.add(&step, features(&step), judgment(true));
        strategy.train(known);
        strategy.train(known);
        before.learn(&[(15, 1.0)], 1.0);
        assert_eq!(strategy.values, before, "trained twice, it counts once");
    }
}
