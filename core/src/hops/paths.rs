//! The ways a person went, as sequences to train on (\[C\] 3's dream of the user's own
//! browsing): as they were, so order and repetition count.
//!
//! A page's state is its smallest known distance to a target, over everything that is known
//! of the web: crawled pages, and the links of all paths.

use super::STATES;
use super::features::{PageText, page_features};
use super::training_web::{Layers, TrainingPage, TrainingWeb};
use crate::address::Address;
use crate::candidate::Candidate;
use crate::features::PageTerms;
use crate::models::{Feature, Sequences};
use crate::web_graph::{Judgment, WebGraph};

/// A page of a path.
#[derive(Debug, Clone, PartialEq)]
pub struct PathStep {
    /// The page, by its number in the web.
    pub page: usize,
    /// What was seen of the link that led to it; empty where none is known.
    pub link: Vec<Feature>,
}

/// Pages in the order in which a person went over them.
pub type BrowsingPath = Vec<PathStep>;

impl TrainingWeb {
    /// Adds a page that a person read, by the words that were noted then; its number. A
    /// page that was added whole stays as it is.
    pub fn add_visited(
        &mut self,
        address: &Address,
        text: &PageText,
        terms: &PageTerms,
        judgment: Judgment,
        graph: &WebGraph,
    ) -> usize {
        let number = self.number(address);
        if let Some(number) = number
            && !self.pages[number].terms.rows().is_empty()
        {
            return number;
        }
        let groups = self.groups();
        let index = &mut self.feature_index;
        let features = page_features(address, text, judgment, graph, groups, index);
        let page = TrainingPage {
            address: address.clone(),
            is_target: Self::counts_as_target(judgment),
            terms: terms.clone(),
            features,
            links: Vec::new(),
        };
        match number {
            Some(number) => {
                let links = std::mem::take(&mut self.pages[number].links);
                self.pages[number] = TrainingPage { links, ..page };
                number
            }
            None => self.push(page),
        }
    }

    /// The step over a link to a page. The link becomes one of the web's.
    pub fn step(&mut self, link: &Candidate, page: usize, graph: &WebGraph) -> PathStep {
        let features = self.add_click(link, graph);
        PathStep {
            page,
            link: features.unwrap_or_default(),
        }
    }

    /// Paths as labelled sequences, in their order. What is observed at a page is what was
    /// known before it was read: nothing at the first one, then the page before and the
    /// link.
    pub fn path_sequences(&self, paths: &[BrowsingPath]) -> Sequences {
        let Layers(distances) = self.distances();
        let state = |page: usize| distances[page].map_or(STATES - 1, |far| far.min(STATES - 1));
        let mut sequences = Sequences::default();
        for path in paths {
            sequences.push(path.iter().enumerate().map(|(at, step)| {
                let before = at.checked_sub(1).map(|before| path[before].page);
                let observed = before.map(|page| {
                    let page = self.pages[page].features.as_slice();
                    [page, step.link.as_slice()].concat()
                });
                (observed.unwrap_or_default(), state(step.page) as u8)
            }));
        }
        sequences
    }
}
