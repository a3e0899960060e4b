//! Links whose pages are known, as steps of a walk: where they stood, where they led and
//! what was found there. What the learners of future reward learn from.
//!
//! The newest are kept. Every one names its pages, so the reward is always that of the
//! judgment today.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::address::Address;
use crate::strategies::Candidate;
use crate::strategies::Known;
use crate::web_graph::{Judgment, Relevance};

/// Steps kept; the oldest go.
const MOST: usize = 20_000;

/// Features of a link by number, with their values.
pub(in crate::strategies) type Features = Box<[(u32, f32)]>;

/// A link and the page it led to.
#[derive(Debug, Clone)]
pub(in crate::strategies) struct Transition {
    /// The page with the link, if it did not stand on a list of seeds.
    pub(in crate::strategies) source: Option<Address>,
    /// The page it led to.
    pub(in crate::strategies) target: Address,
    /// What the link was like.
    pub(in crate::strategies) features: Features,
    /// How relevant the page was then; holds where it is forgotten.
    relevance: Relevance,
}

impl Transition {
    /// How relevant the page is that it led to.
    pub(in crate::strategies) fn relevance(&self, known: Known<'_>) -> Relevance {
        let page = known.graph.page(&self.target);
        page.map_or(self.relevance, |page| page.judgment.relevance)
    }
}

/// The links whose pages became known last.
#[derive(Debug, Clone, Default)]
pub(in crate::strategies) struct Transitions(VecDeque<Transition>);

impl Transitions {
    /// Takes one more in.
    pub(in crate::strategies) fn add(
        &mut self,
        link: &Candidate,
        features: Features,
        judgment: Judgment,
    ) {
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        self.0.push_back(Transition {
            source: link.source().cloned(),
            target: link.target.clone(),
            features,
            relevance: judgment.relevance,
        });
    }

    /// All of them, oldest first.
    pub(in crate::strategies) fn iter(&self) -> impl ExactSizeIterator<Item = &Transition> {
        self.0.iter()
    }

    /// Of each, the number of the page with the link and that of the page behind it; the
    /// pages are numbered from 0. The first is `None` where nothing led on to that page.
    fn numbered(&self) -> (Vec<(Option<usize>, usize)>, usize) {
        let mut numbers: FxHashMap<&Address, usize> = FxHashMap::default();
        for step in &self.0 {
            let next = numbers.len();
            numbers.entry(&step.target).or_insert(next);
        }
        let number = |page: &Address| numbers.get(page).copied();
        let rows = self.0.iter().map(|step| {
            let source = step.source.as_ref().and_then(number);
            (source, number(&step.target).unwrap_or_default())
        });
        (rows.collect(), numbers.len())
    }

    /// Of each, the greatest of the values that go with the links on the page it led to; 0
    /// where none of those is among the links. `values` go with the links in their order.
    pub(in crate::strategies) fn best_after(&self, values: &[f64]) -> Vec<f64> {
        let (rows, pages) = self.numbered();
        let mut best = vec![0.0_f64; pages];
        for ((source, _), value) in rows.iter().zip(values) {
            if let Some(source) = source {
                best[*source] = best[*source].max(*value);
            }
        }
        rows.iter().map(|(_, target)| best[*target]).collect()
    }

    /// Of each, the reward of the page it led to and what is to come after, each further
    /// click counting `discount` times as much: `rounds` rounds of value iteration.
    pub(in crate::strategies) fn values(
        &self,
        rewards: &[f64],
        discount: f64,
        rounds: usize,
    ) -> Vec<f64> {
        let mut values = rewards.to_vec();
        for _ in 0..rounds {
            let after = self.best_after(&values);
            for ((value, reward), after) in values.iter_mut().zip(rewards).zip(after) {
                *value = reward + discount * after;
            }
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategies::{Step, Trail};

    fn address(name: &str) -> Address {
        Address::parse(&format!("http://a.test/{name}")).unwrap()
    }

    fn link(from: &str, to: &str) -> Candidate {
        Candidate {
            trail: Trail::default().then(Step {
                address: address(from),
                relevance: Relevance::default(),
            }),
            ..Candidate::seed(address(to))
        }
    }

    fn steps(links: &[(&str, &str)]) -> Transitions {
        let mut steps = Transitions::default();
        for (from, to) in links {
            steps.add(&link(from, to), Box::default(), Judgment::default());
        }
        steps
    }

    /// a -> b -> c, where c is good and links to d, which is not; b links to d too.
    #[test]
    fn values_by_hand() {
        let steps = steps(&[("a", "b"), ("b", "c"), ("b", "d"), ("c", "d"), ("a", "d")]);
        let rewards = [0.0, 1.0, 0.0, 0.0, 0.0];
        assert_eq!(steps.best_after(&rewards), [1.0, 0.0, 0.0, 0.0, 0.0]);
        let values = steps.values(&rewards, 0.5, 4);
        assert_eq!(values, [0.5, 1.0, 0.0, 0.0, 0.0]);
        // A good page one click before another: 1 + 0.5.
        let values = steps.values(&[1.0, 1.0, 0.0, 0.0, 0.0], 0.5, 4);
        assert_eq!(values, [1.5, 1.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn a_circle_of_good_pages_is_worth_no_more_than_two() {
        let steps = steps(&[("a", "b"), ("b", "a")]);
        // 1 + 1/2 + 1/4 + 1/8 + 1/16.
        assert_eq!(steps.values(&[1.0, 1.0], 0.5, 4), [1.9375, 1.9375]);
    }

    #[test]
    fn the_oldest_go_first() {
        let mut steps = Transitions::default();
        for number in 0..MOST + 2 {
            let link = link("a", &number.to_string());
            steps.add(&link, Box::default(), Judgment::default());
        }
        assert_eq!(steps.iter().len(), MOST);
        assert_eq!(steps.iter().next().unwrap().target, address("2"));
    }
}
