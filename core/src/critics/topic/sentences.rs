//! A second judgment, by what whole sentences mean: vectors that a transformer gave the
//! beginnings of pages and the topic's name, for a program that can run one.
//!
//! The critic's own log-odds are joined with the cosines of a page to the targets and to the
//! name, both seen from the mean of the other pages, in one more logistic model of fixed
//! weights, fitted like the critic's. It judges pages that came in; which links are followed
//! it has no part in.

use rustc_hash::FxHashMap;

use super::{Scale, probability, relevance};
use crate::address::Address;
use crate::meaning::VectorsOf;
use crate::web_graph::{Judgment, KnownPage, Mark, WebGraph};

/// Pages without a direction that count towards the mean.
const MEAN_BEFORE: f32 = 1.0;
/// Pages with a greater cosine to the targets together, or to the name, do not tell what
/// other pages are like.
const SET_ASIDE: f32 = 0.5;
/// The spread of cosines to the targets before any was measured.
const SPREAD: f64 = 0.12;

/// Of a large crawl so many pages are judged, and so many more tell what others are like.
const MOST_JUDGED: usize = 500;
const MOST_OTHERS: usize = 100;

/// How much each kind of evidence weighs.
#[derive(Debug, Clone, Copy)]
struct EvidenceWeights {
    bias: f64,
    /// The log-odds of the critic.
    critic: f64,
    /// A spread of the cosine to the targets.
    targets: f64,
    /// The cosine to the name.
    name: f64,
}

const PAGES_AND_NAME: EvidenceWeights = EvidenceWeights {
    bias: -2.05,
    critic: 0.59,
    targets: 0.63,
    name: 6.64,
};
const PAGES: EvidenceWeights = EvidenceWeights {
    bias: -1.12,
    critic: 0.79,
    targets: 0.71,
    name: 0.0,
};
const NAME: EvidenceWeights = EvidenceWeights {
    bias: -1.98,
    critic: 0.6,
    targets: 0.0,
    name: 8.15,
};

/// Vectors of one model, of length 1 and all as long.
#[derive(Debug, Clone, Default)]
pub struct SentenceVectors {
    /// Of the topic's name and of what was said of it together, where that has one.
    pub name: Option<Vec<f32>>,
    /// Of each thing that was said that it is not.
    pub not_phrases: Vec<Vec<f32>>,
    /// Of pages: those that were marked, those that are to be judged, and some others.
    pub pages: FxHashMap<Address, Vec<f32>>,
}

/// Where targets lie, seen from the mean of other pages.
struct Directions<'a> {
    mean: Vec<f32>,
    targets: Vec<(Vec<f32>, usize)>,
    not_targets: Vec<Vec<f32>>,
    name: Option<&'a [f32]>,
    not_phrases: &'a [Vec<f32>],
}

impl Directions<'_> {
    fn of(&self, page: &[f32]) -> Vec<f32> {
        seen_from(page, &self.mean)
    }

    /// Mean cosine to the targets of the nearest subtopic, less by what a page that was marked
    /// as "not this" is nearer.
    fn to_targets(&self, page: &[f32]) -> f64 {
        let subtopics = self.targets.iter().map(|target| target.1 + 1);
        let mut sums = vec![(0.0, 0.0); subtopics.max().unwrap_or(0)];
        for (target, subtopic) in &self.targets {
            sums[*subtopic].0 += f64::from(dot(page, target));
            sums[*subtopic].1 += 1.0;
        }
        let sums = sums.into_iter().filter(|sum| sum.1 > 0.0);
        let near = sums.map(|(sum, count)| sum / count).reduce(f64::max);
        let near = near.unwrap_or(0.0);
        let beyond = self.not_targets.iter().map(|other| dot(page, other));
        near - (f64::from(beyond.fold(-1.0, f32::max)) - near).max(0.0)
    }

    /// Cosine to the name, less by what a phrase is nearer that it is not.
    fn to_name(&self, page: &[f32]) -> f32 {
        let near = self.name.map_or(0.0, |name| dot(page, name));
        let others = self.not_phrases.iter().map(|phrase| dot(page, phrase));
        near - others
            .map(|other| (other - near).max(0.0))
            .fold(0.0, f32::max)
    }

    /// Whether a page looks like the topic's own.
    fn is_like_targets(&self, page: &[f32]) -> bool {
        let mut together = vec![0.0; page.len()];
        for (target, _) in &self.targets {
            add(&mut together, target);
        }
        dot(page, &unit(together)).max(self.to_name(page)) > SET_ASIDE
    }
}

impl SentenceVectors {
    /// Of what the person said of the topic; without pages.
    pub fn of_topic(known: &WebGraph, vectors_of: &VectorsOf<'_>) -> Self {
        let of = |texts: Vec<&str>| vectors_of(&texts).into_iter().flatten();
        let mut name: Option<Vec<f32>> = None;
        for text in of(known.wanted().collect()) {
            match &mut name {
                None => name = Some(text),
                Some(sum) => add(sum, &text),
            }
        }
        Self {
            name: name.map(unit),
            not_phrases: of(known.unwanted().collect()).collect(),
            pages: FxHashMap::default(),
        }
    }

    /// Pages that should have a vector: those that were marked, the likeliest of the others,
    /// and some of the rest, to tell what that is like. All of a small crawl.
    pub fn pages_wanted(known: &WebGraph) -> Vec<Address> {
        let marked = known.marks.keys().cloned();
        let others = known
            .pages()
            .filter(|page| known.mark(&page.address).is_none());
        let others = others.filter(|page| !page.terms.rows().is_empty());
        let mut others: Vec<&KnownPage> = others.collect();
        others.sort_by(|a, b| {
            let relevance = |page: &KnownPage| page.unmarked.relevance.value();
            relevance(b).total_cmp(&relevance(a))
        });
        let rest = others.split_off(others.len().min(MOST_JUDGED));
        let step = rest.len().div_ceil(MOST_OTHERS).max(1);
        let wanted = others.into_iter().chain(rest.into_iter().step_by(step));
        marked
            .chain(wanted.map(|page| page.address.clone()))
            .collect()
    }

    /// Judges again all pages of which there is a vector and that the person did not mark;
    /// none where neither a target nor the name has a vector. `known` holds what the critic
    /// says of them.
    pub fn judge(&self, known: &WebGraph) -> Vec<(Address, Judgment)> {
        let pages = known
            .pages()
            .filter(|page| known.mark(&page.address).is_none() && !page.terms.rows().is_empty());
        let unmarked = pages.filter_map(|page| Some((page, self.pages.get(&page.address)?)));
        let unmarked: Vec<_> = unmarked.collect();
        let vectors = || unmarked.iter().map(|(_, vector)| vector.as_slice());
        let first = self.directions(known, mean_of(vectors()));
        let others = vectors().filter(|page| !first.is_like_targets(&first.of(page)));
        let seen = self.directions(known, mean_of(others));
        let weights = match (seen.targets.len(), seen.name.is_some()) {
            (0, false) => return Vec::new(),
            (0, true) => NAME,
            (_, false) => PAGES,
            (_, true) => PAGES_AND_NAME,
        };
        let directions: Vec<Vec<f32>> = vectors().map(|page| seen.of(page)).collect();
        let others = directions.iter().filter(|page| !seen.is_like_targets(page));
        let others: Vec<f64> = others.map(|page| seen.to_targets(page)).collect();
        let spread = Scale::of(others.into_iter(), 0.0, SPREAD).spread;
        let judged = unmarked
            .iter()
            .zip(&directions)
            .map(|((page, _), direction)| {
                let stated = probability(page.unmarked.relevance).clamp(1e-6, 1.0 - 1e-6);
                let log_odds = weights.bias
                    + weights.critic * (stated / (1.0 - stated)).ln()
                    + weights.targets * seen.to_targets(direction) / spread
                    + weights.name * f64::from(seen.to_name(direction));
                let relevance = relevance(log_odds);
                let judgment = Judgment {
                    relevance,
                    is_target: relevance.is_high(),
                    ..page.unmarked
                };
                (page.address.clone(), judgment)
            });
        judged.collect()
    }

    fn directions(&self, known: &WebGraph, mean: Vec<f32>) -> Directions<'_> {
        let seen = |page: &Address| {
            let vector = self.pages.get(page)?;
            Some(seen_from(vector, &mean))
        };
        let marked = |mark| {
            let marks = known.marks.iter();
            marks.filter(move |row| row.1.mark == mark).map(|row| row.0)
        };
        let subtopics = known
            .topic_meaning
            .subtopics_of_targets()
            .chain(std::iter::repeat(0));
        let targets = marked(Mark::Target).zip(subtopics);
        let targets = targets.filter_map(|(page, subtopic)| Some((seen(page)?, subtopic)));
        Directions {
            targets: targets.collect(),
            not_targets: marked(Mark::NotTarget).filter_map(seen).collect(),
            name: self.name.as_deref(),
            not_phrases: &self.not_phrases,
            mean,
        }
    }
}

fn mean_of<'a>(pages: impl Iterator<Item = &'a [f32]>) -> Vec<f32> {
    let (mut sum, mut count) = (Vec::new(), MEAN_BEFORE);
    for page in pages {
        sum.resize(page.len(), 0.0);
        add(&mut sum, page);
        count += 1.0;
    }
    sum.into_iter().map(|number| number / count).collect()
}

fn seen_from(page: &[f32], mean: &[f32]) -> Vec<f32> {
    let mean = mean.iter().copied().chain(std::iter::repeat(0.0));
    unit(
        page.iter()
            .zip(mean)
            .map(|(own, mean)| own - mean)
            .collect(),
    )
}

fn unit(vector: Vec<f32>) -> Vec<f32> {
    let length = dot(&vector, &vector).sqrt().max(1e-9);
    vector.into_iter().map(|number| number / length).collect()
}

fn add(sum: &mut [f32], vector: &[f32]) {
    for (own, more) in sum.iter_mut().zip(vector) {
        *own += more;
    }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests;
