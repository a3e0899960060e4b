//! The links of a page as candidates: their words, and what a strategy wants
//! besides (\[A\] 2.2, 3.8).

use super::{TopicModel, telling_terms, trail_to};
use crate::address::Address;
use crate::critics::Critic;
use crate::features::{FeatureReader, OffsetTerm, WINDOW};
use crate::page::{Outlink, Page};
use crate::strategies::{Candidate, Neighbour, Reading, Rng, Trail};
use crate::text::Vocabulary;
use crate::web_graph::{Judgment, WebGraph};

/// Links taken note of on either side of a link.
const MOST_NEIGHBOURS: usize = 6;

/// Links that were passed over beside a followed one: so many are noted and read.
pub const MOST_PASSED_OVER: usize = 2;

/// What all links of a page have in common.
pub(super) struct Around<'a> {
    page: &'a Page,
    features: &'a FeatureReader<'a>,
    trail: Trail,
    reading: Reading,
    /// Of the whole page.
    classes: Vec<OffsetTerm>,
}

impl<'a> Around<'a> {
    /// Of a page that the critic judged so, as far as the strategy reads it.
    pub(super) fn of(
        page: &'a Page,
        features: &'a FeatureReader<'a>,
        trail: Trail,
        judgment: Judgment,
        (critic, reading): (&dyn Critic, Reading),
        graph: &mut WebGraph,
    ) -> Self {
        let classes = if reading.classes {
            let terms = telling_terms(page, features);
            let classes = critic.classes(page, &terms, graph, judgment);
            class_features(&classes, &mut graph.vocabulary)
        } else {
            Vec::new()
        };
        Self {
            page,
            features,
            trail,
            reading,
            classes,
        }
    }

    /// One of its links.
    pub(super) fn candidate(&self, outlink: usize, rng: &mut dyn Rng) -> Candidate {
        let link = &self.page.outlinks[outlink];
        let neighbours = if self.reading.neighbours {
            neighbours(&self.page.outlinks, outlink)
        } else {
            Vec::new()
        };
        Candidate {
            target: link.target.clone(),
            anchor: self.page.anchor_text(link).into(),
            context: self.features.context(link.leaves).with(&self.classes),
            trail: self.trail.clone(),
            tie: rng.unit() as f32,
            neighbours: neighbours.into(),
        }
    }
}

impl TopicModel {
    /// A link of a page that was followed, and some others of the page, drawn by chance, that
    /// were not: none that leads to the same place or to the page itself.
    pub fn followed(
        &mut self,
        page: &Page,
        outlink: usize,
        rng: &mut dyn Rng,
    ) -> (Candidate, Vec<Candidate>) {
        let features = FeatureReader::new(page, &mut self.graph.vocabulary);
        let judgment = self.graph.judgment(&page.address);
        let trail = trail_to(page, Trail::default(), judgment);
        let critic = &*self.critic;
        let reading = self.strategy.profile().reading;
        let around = Around::of(
            page,
            &features,
            trail,
            judgment,
            (critic, reading),
            &mut self.graph,
        );
        let link = around.candidate(outlink, rng);
        let elsewhere = |target: &Address| *target != link.target && *target != page.address;
        let others = 0..page.outlinks.len();
        let mut others: Vec<usize> = others
            .filter(|&other| elsewhere(&page.outlinks[other].target))
            .collect();
        let mut passed_over: Vec<Candidate> = Vec::new();
        while passed_over.len() < MOST_PASSED_OVER && !others.is_empty() {
            let drawn = (rng.unit() * others.len() as f64) as usize;
            let other = around.candidate(others.swap_remove(drawn), rng);
            if passed_over.iter().all(|drawn| drawn.target != other.target) {
                passed_over.push(other);
            }
        }
        (link, passed_over)
    }
}

/// The links at most [`WINDOW`] leaves away that lead elsewhere; links stand in
/// the order of their leaves.
fn neighbours(links: &[Outlink], at: usize) -> Vec<Neighbour> {
    let here = &links[at];
    let near = |other: &&Outlink| here.leaves.offset_of(other.leaves.first).0.abs() <= WINDOW;
    let before = links[..at].iter().rev().take_while(near);
    let behind = links[at + 1..].iter().take_while(near);
    before
        .take(MOST_NEIGHBOURS)
        .chain(behind.take(MOST_NEIGHBOURS))
        .filter(|other| other.target != here.target)
        .map(|other| Neighbour {
            target: other.target.clone(),
            offset: here.leaves.offset_of(other.leaves.first),
        })
        .collect()
}

/// Names of the classes of a page and of the classes above them, each as often
/// as it has tenths of the probability (\[A\] 3.8).
fn class_features(classes: &[(String, f64)], vocabulary: &mut Vocabulary) -> Vec<OffsetTerm> {
    let mut features = Vec::new();
    for (name, probability) in classes {
        let tenths = (probability * 10.0).round() as usize;
        let above = name.match_indices('/').map(|(end, _)| &name[..end]);
        for name in above.chain([name.as_str()]).filter(|_| tenths > 0) {
            let term = format!("class {name}");
            if let Some(id) = vocabulary.intern(&term, &term) {
                features.extend(std::iter::repeat_n(OffsetTerm::of_page(id), tenths));
            }
        }
    }
    features
}
