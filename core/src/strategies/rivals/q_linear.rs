//! Q-learning with a linear function (methods 3.6), as crawlers of later years have it (Han,
//! Wuillemin and Senellart 2018): a link is worth what its page is and, discounted, what
//! the best link there is worth, and that is told by a weighted sum of its features.
//!
//! Features are the words in a link and around it and those of its address, hashed into
//! buckets, the relevance of the page it stands on, and a constant. The weights are
//! fitted to the links whose pages are known (fitted Q iteration, Ernst and others 2005): a
//! few times each batch all their worths are computed by the weights as they are, and the
//! weights take a step towards them, link by link. Worths are kept within what rewards can
//! come to, so they cannot run away, as bootstrapped ones may.
//!
//! To begin with a link is worth a share of its page's relevance, so the first pages are
//! chosen as by best-first. Only links whose pages are known stand for what comes after a
//! page: those that wait are not asked, since of a page taken in again from the log only
//! these are left.

use crate::features::OffsetTerm;
use crate::strategies::Candidate;
use crate::strategies::Cue;
use crate::strategies::Event;
use crate::strategies::Explanation;
use crate::strategies::Known;
use crate::strategies::Learned;
use crate::strategies::LinkScore;
use crate::strategies::Priority;
use crate::strategies::Profile;
use crate::strategies::Strategy;
use crate::strategies::StrategyState;
use crate::strategies::rebuilds::Rebuilds;
use crate::strategies::rivals::reinforcement::DISCOUNT;
use crate::strategies::rivals::transitions::Transition;
use crate::strategies::rivals::transitions::Transitions;

/// Buckets of words.
const WORDS: u32 = 1 << 16;
/// The features that are no words.
const CONSTANT: u32 = WORDS;
const RELEVANCE: u32 = WORDS + 1;
/// Number of weights.
const WEIGHTS: usize = WORDS as usize + 2;
/// Weight of the relevance of the page with the link before anything was learned.
const FIRST_WEIGHT: f32 = 0.5;
/// Times the worths are computed and the weights fitted to them, each time it is due.
const ROUNDS: usize = 3;
/// Length of a step, where 1 would take a worth in at once.
const STEP: f64 = 0.05;
/// Most that rewards can come to.
const MOST_WORTH: f64 = 1.0 / (1.0 - DISCOUNT);
/// Words named in an explanation; the others are summed up.
const NAMED: usize = 6;

/// What it knows from one crawl to the next: weights of features, most of them 0.
#[derive(Debug, Clone, PartialEq)]
pub struct QWeights(Box<[f32]>);

impl Default for QWeights {
    fn default() -> Self {
        let mut weights = vec![0.0; WEIGHTS];
        weights[RELEVANCE as usize] = FIRST_WEIGHT;
        Self(weights.into())
    }
}

impl QWeights {
    /// Features with the weights that are not 0, in order.
    pub fn rows(&self) -> Vec<(u32, f32)> {
        let weights = self.0.iter().zip(0..);
        let rows = weights.filter(|(weight, _)| **weight != 0.0);
        rows.map(|(weight, feature)| (feature, *weight)).collect()
    }

    /// Back from [`Self::rows`]; `None` if there is no such feature, one comes twice, or a
    /// weight is no number.
    pub fn from_rows(rows: &[(u32, f32)]) -> Option<Self> {
        let ascends = rows.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let are_weights = rows
            .iter()
            .all(|row| (row.0 as usize) < WEIGHTS && row.1.is_finite());
        if !ascends || !are_weights {
            return None;
        }
        let mut weights = vec![0.0; WEIGHTS];
        for &(feature, weight) in rows {
            weights[feature as usize] = weight;
        }
        Some(Self(weights.into()))
    }

    fn of(&self, feature: u32) -> f64 {
        f64::from(self.0[feature as usize])
    }

    /// What a link is worth by its words and the relevance of its page.
    fn worth(&self, words: &[(u32, f32)], relevance: f64) -> f64 {
        let sum: f64 = words
            .iter()
            .map(|&(word, value)| f64::from(value) * self.of(word))
            .sum();
        self.of(CONSTANT) + relevance * self.of(RELEVANCE) + sum
    }

    /// A step towards a worth (normalised least mean squares).
    fn fit(&mut self, words: &[(u32, f32)], relevance: f64, worth: f64) {
        let squares: f64 = words.iter().map(|row| f64::from(row.1).powi(2)).sum();
        let off = worth - self.worth(words, relevance);
        let step = STEP * off / (1.0 + relevance * relevance + squares);
        let mut add = |feature: u32, value: f64| {
            self.0[feature as usize] += (step * value) as f32;
        };
        add(CONSTANT, 1.0);
        add(RELEVANCE, relevance);
        for &(word, value) in words {
            add(word, f64::from(value));
        }
    }
}

/// A word of a link as a feature.
#[derive(Debug, Clone, PartialEq)]
enum Word {
    /// In the link or around it, where it stands nearest.
    Near(OffsetTerm),
    /// Of its address.
    Url(String),
}

/// The words of a link, each with its bucket and its value; the squares of the values sum
/// up to 1.
fn words(link: &Candidate) -> Vec<(Word, u32, f32)> {
    let mut rows: Vec<(Word, u32, f32)> = Vec::new();
    for (feature, count) in link.context.counts() {
        if feature.is_of_page() {
            continue;
        }
        let offset = feature.offset().0.abs();
        let near = (f64::from(count).sqrt() / (1.0 + f64::from(offset))) as f32;
        let number = (feature.term().0 << 1) | u32::from(offset == 0);
        let bucket = number.wrapping_mul(0x9e37_79b1) >> 16;
        rows.push((Word::Near(feature), bucket, near));
    }
    let mut tokens = link.target.words();
    tokens.sort_unstable();
    tokens.dedup();
    for token in tokens {
        let bytes = token.bytes();
        let hash = bytes.fold(0x811c_9dc5, |hash: u32, byte| {
            (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
        });
        rows.push((Word::Url(token), (hash ^ (hash >> 16)) % WORDS, 1.0));
    }
    let squares: f32 = rows.iter().map(|row| row.2 * row.2).sum();
    let length = squares.sqrt().max(1e-9);
    for row in &mut rows {
        row.2 /= length;
    }
    rows
}

/// The same without what the words are.
fn buckets(link: &Candidate) -> Box<[(u32, f32)]> {
    let words = words(link).into_iter();
    words.map(|(_, bucket, value)| (bucket, value)).collect()
}

fn relevance_of_source(link: &Candidate, known: Known<'_>) -> f64 {
    let source = link.source();
    let source = source.map(|source| known.graph.judgment(source).relevance);
    source.unwrap_or_default().value()
}

/// Scores links by a linear estimate of the reward to come.
#[derive(Debug, Clone, Default)]
pub struct QLinear {
    weights: QWeights,
    seen: Transitions,
    rebuilds: Rebuilds,
}

impl QLinear {
    /// One whose weights are fitted after every so many arrivals, and later more seldom.
    pub fn every(every: u32) -> Self {
        Self {
            rebuilds: Rebuilds::every(every),
            ..Self::default()
        }
    }

    /// One that goes on from weights learned before.
    pub fn with_weights(weights: QWeights) -> Self {
        Self {
            weights,
            ..Self::default()
        }
    }

    fn fit(&mut self, known: Known<'_>) {
        let of_source = |step: &Transition| {
            let source = step.source.as_ref();
            let source = source.map(|source| known.graph.judgment(source).relevance);
            source.unwrap_or_default().value()
        };
        let relevance: Vec<f64> = self.seen.iter().map(of_source).collect();
        let rewards: Vec<f64> = self
            .seen
            .iter()
            .map(|step| step.relevance(known).value())
            .collect();
        for _ in 0..ROUNDS {
            let steps = self.seen.iter().zip(&relevance);
            let worths: Vec<f64> = steps
                .map(|(step, relevance)| self.weights.worth(&step.features, *relevance))
                .map(|worth| worth.clamp(0.0, MOST_WORTH))
                .collect();
            let after = self.seen.best_after(&worths);
            let steps = self
                .seen
                .iter()
                .zip(&relevance)
                .zip(rewards.iter().zip(after));
            for ((step, relevance), (reward, after)) in steps {
                let worth = reward + DISCOUNT * after;
                self.weights.fit(&step.features, *relevance, worth);
            }
        }
    }
}

impl Strategy for QLinear {
    fn profile(&self) -> Profile {
        Profile::new("q-linear")
    }

    fn score(&self, links: &[Candidate], known: Known<'_>) -> Vec<LinkScore> {
        let score = |link: &Candidate| {
            let relevance = relevance_of_source(link, known);
            let worth = self.weights.worth(&buckets(link), relevance);
            LinkScore::Follow(Priority::new(0, worth))
        };
        links.iter().map(score).collect()
    }

    fn learn(&mut self, event: &Event<'_>, known: Known<'_>) -> Learned {
        match event {
            Event::Arrival(arrival) => {
                for link in arrival.via {
                    self.seen.add(link, buckets(link), arrival.judgment);
                }
                let learned = self.rebuilds.arrived();
                if learned == Learned::Rebuilt {
                    self.fit(known);
                }
                learned
            }
            Event::KnownLink(link, judgment) => {
                self.seen.add(link, buckets(link), *judgment);
                Learned::Refined
            }
            _ => Learned::Nothing,
        }
    }

    fn explain(&self, link: &Candidate, known: Known<'_>) -> Explanation {
        let mut parts: Vec<Explanation> = words(link)
            .into_iter()
            .map(|(word, bucket, value)| {
                let label = match &word {
                    Word::Near(near) => {
                        let surface = known.graph.vocabulary.surface(near.term());
                        format!("{surface} at offset {}", near.offset().0)
                    }
                    Word::Url(token) => format!("{token} in the address"),
                };
                let part = Explanation::product(
                    label,
                    vec![
                        Explanation::given("weight", self.weights.of(bucket)),
                        Explanation::given("value, by nearness", f64::from(value)),
                    ],
                );
                match word {
                    Word::Near(feature) => part.about(Cue {
                        feature,
                        high: 0.0,
                        low: 0.0,
                    }),
                    Word::Url(_) => part,
                }
            })
            .collect();
        parts.sort_by(|a, b| b.value.abs().total_cmp(&a.value.abs()));
        if parts.len() > NAMED {
            let others = parts.split_off(NAMED);
            let sum = others.iter().map(|part| part.value).sum();
            let label = format!("{} more words", others.len());
            parts.push(Explanation::given(label, sum));
        }
        let of_page = Explanation::product(
            "the page with the link",
            vec![
                Explanation::given("weight", self.weights.of(RELEVANCE)),
                Explanation::given("relevance", relevance_of_source(link, known)),
            ],
        );
        parts.push(of_page);
        parts.push(Explanation::given("any link", self.weights.of(CONSTANT)));
        Explanation::sum("reward expected, half for every click", parts)
    }

    fn reset(&self, _: Known<'_>) -> Option<Box<dyn Strategy>> {
        let rebuilds = self.rebuilds.afresh();
        Some(Box::new(Self {
            rebuilds,
            ..Self::default()
        }))
    }

    fn state(&self) -> StrategyState {
        StrategyState::of(&self.weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::Address;
    use crate::critics;
    use crate::dom::DomOffset;
    use crate::features::LinkContext;
    use crate::strategies::{Arrival, Step, Trail};
    use crate::text::TermId;
    use crate::web_graph::{Judgment, Relevance, WebGraph};

    fn address(name: &str) -> Address {
        Address::parse(&format!("http://a.test/{name}")).unwrap()
    }

    fn link(from: &str, to: &str, word: u32) -> Candidate {
        let word = OffsetTerm::new(TermId(word), DomOffset(0));
        Candidate {
            context: LinkContext::new(vec![word]),
            trail: Trail::default().then(Step {
                address: address(from),
                relevance: Relevance::default(),
            }),
            ..Candidate::seed(address(to))
        }
    }

    /// A step by hand: the error is 0.5, the squares of the features 1 + 0.25 + 0.25, and a
    /// twentieth of the error by them goes to each feature by its value.
    #[test]
    fn a_step_by_hand() {
        let mut weights = QWeights::default();
        let words = [(7, 0.5_f32)];
        assert!((weights.worth(&words, 0.5) - 0.25).abs() < 1e-9);
        weights.fit(&words, 0.5, 0.75);
        let step = 0.05 * 0.5 / 1.5;
        assert!((weights.of(CONSTANT) - step).abs() < 1e-6);
        assert!((weights.of(RELEVANCE) - (0.5 + step * 0.5)).abs() < 1e-6);
        assert!((weights.of(7) - step * 0.5).abs() < 1e-6);
        let again = QWeights::from_rows(&weights.rows());
        assert_eq!(again, Some(weights));
    }

    #[test]
    fn rows_that_are_no_weights_are_refused() {
        assert!(QWeights::from_rows(&[(0, 1.0), (RELEVANCE, 0.5)]).is_some());
        for rows in [
            [(0, f32::NAN), (1, 1.0)],
            [(0, f32::INFINITY), (1, 1.0)],
            [(1, 1.0), (1, 1.0)],
            [(0, 1.0), (WEIGHTS as u32, 1.0)],
        ] {
            assert_eq!(QWeights::from_rows(&rows), None, "{rows:?}");
        }
    }

    /// Links with word 1 lead to pages of no use with a link to a good page, by word 2; those
    /// with word 3 lead nowhere. In the limit a link by word 2 is worth 1, one by word 1 the
    /// half of that, one by word 3 nothing, of which the weights come near.
    #[test]
    fn a_link_is_worth_what_comes_after_it() {
        let (graph, critic) = (WebGraph::default(), critics::Topic::default());
        let known = Known {
            graph: &graph,
            critic: &critic,
        };
        let mut strategy = QLinear::every(10);
        for number in 0..200 {
            let [on, good, bad] = ["on", "good", "bad"].map(|name| format!("{name}{number}"));
            let steps = [
                (link("start", &on, 1), 0.0),
                (link(&on, &good, 2), 1.0),
                (link("start", &bad, 3), 0.0),
            ];
            for (link, relevance) in steps {
                let judgment = Judgment {
                    relevance: Relevance::new(relevance),
                    ..Judgment::default()
                };
                let arrival = Arrival {
                    via: &[link],
                    judgment,
                };
                strategy.learn(&Event::Arrival(arrival), known);
            }
        }
        let worth = |word: u32| {
            let features = buckets(&link("elsewhere", "x", word));
            strategy.weights.worth(&features, 0.0)
        };
        let [before, at, off] = [1, 2, 3].map(worth);
        assert!(
            at > before + 0.1 && before > off + 0.1,
            "{before} {at} {off}"
        );
        let explained = strategy.explain(&link("elsewhere", "x", 2), known);
        assert!((explained.value - at).abs() < 1e-6);
    }
}
