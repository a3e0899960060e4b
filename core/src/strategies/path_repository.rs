//! What ACHE learns from: links on the paths to targets, with their levels, and links that
//! lie on no path (\[D\] 2.1 and 3.2). Those of its own crawls are in a [`PathRepository`],
//! those that were found backwards before in [`TrainedPaths`].

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::link_levels::{Chosen, LEVELS, PathLink};
use crate::address::Address;
use crate::candidate::Candidate;
use crate::features::FeatureReader;
use crate::page::Page;
use crate::text::Vocabulary;

/// Iterations whose features are kept; the oldest go.
const MOST_ITERATIONS: usize = 200;
/// Links of each level, and as many that lie on no path, that training before a crawl keeps.
const MOST_TRAINED: usize = 2_000;

/// What an iteration of learning came to.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LearningIteration {
    /// Pages fetched until then.
    pub pages: u32,
    /// Targets found until then.
    pub targets: u32,
    /// The features that were chosen: of the address, of the anchor, of the words
    /// around it.
    pub chosen: [Vec<Chosen>; 3],
}

/// What crawls have found, kept from one to the next.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PathRepository {
    /// Links on paths with their levels, from 0, oldest first.
    pub links: VecDeque<(PathLink, usize)>,
    /// Links that lay on no path when it was trained last.
    pub farther: Vec<PathLink>,
    /// Iterations, oldest first.
    pub iterations: VecDeque<LearningIteration>,
    /// Pages fetched.
    pub pages: u32,
    /// Targets found.
    pub targets: u32,
}

impl PathRepository {
    /// Keeps a link on a path; where there are too many, the oldest goes.
    pub(super) fn keep(&mut self, link: PathLink, level: usize, most: usize) {
        if self.links.len() >= most {
            self.links.pop_front();
        }
        self.links.push_back((link, level));
    }

    /// Puts down an iteration of learning that chose these features.
    pub(super) fn learned(&mut self, chosen: [Vec<Chosen>; 3]) {
        if self.iterations.len() == MOST_ITERATIONS {
            self.iterations.pop_front();
        }
        self.iterations.push_back(LearningIteration {
            pages: self.pages,
            targets: self.targets,
            chosen,
        });
    }
}

/// Paths that were known before the crawl. They are no part of what its log teaches.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TrainedPaths {
    /// Links on paths with their levels, from 0.
    pub links: Vec<(PathLink, usize)>,
    /// Links that lie on none.
    pub farther: Vec<PathLink>,
}

/// Reads pages for links on the paths to targets, which are found backwards: the level of a
/// link follows from how far the page behind it is from a target.
#[derive(Debug)]
pub struct BackwardPaths {
    /// Clicks to the nearest target; 0 for a target.
    distances: FxHashMap<Address, usize>,
    /// By level; links that lie on no path last.
    links: [Thinned; LEVELS + 1],
}

impl BackwardPaths {
    /// None yet, on a web of which these distances are known.
    pub fn new(distances: FxHashMap<Address, usize>) -> Self {
        Self {
            distances,
            links: Default::default(),
        }
    }

    /// Reads the links of a page.
    pub fn read(&mut self, page: &Page, vocabulary: &mut Vocabulary) {
        let reader = FeatureReader::new(page, vocabulary);
        for link in &page.outlinks {
            if link.target == page.address {
                continue;
            }
            let class = self.class(&link.target);
            self.links[class].offer(|| PathLink {
                target: link.target.clone(),
                context: reader.context(link.leaves),
            });
        }
    }

    /// Adds a link that was followed.
    pub fn add(&mut self, link: &Candidate) {
        let class = self.class(&link.target);
        self.links[class].offer(|| PathLink::of(link));
    }

    fn class(&self, target: &Address) -> usize {
        let distance = self.distances.get(target).copied();
        distance.map_or(LEVELS, |distance| distance.min(LEVELS))
    }

    /// The paths that were found.
    pub fn into_trained(self) -> TrainedPaths {
        let mut trained = TrainedPaths::default();
        for (level, links) in self.links.into_iter().enumerate() {
            if level == LEVELS {
                trained.farther = links.kept;
            } else {
                let links = links.kept.into_iter().map(|link| (link, level));
                trained.links.extend(links);
            }
        }
        trained
    }
}

/// Links, of which a share is kept, evenly over all: a smaller one whenever there are too
/// many.
#[derive(Debug)]
struct Thinned {
    kept: Vec<PathLink>,
    offered: usize,
    /// One in so many is kept.
    step: usize,
}

impl Default for Thinned {
    fn default() -> Self {
        Self {
            kept: Vec::new(),
            offered: 0,
            step: 1,
        }
    }
}

impl Thinned {
    fn offer(&mut self, link: impl FnOnce() -> PathLink) {
        if self.offered.is_multiple_of(self.step) {
            if self.kept.len() == MOST_TRAINED {
                let mut place = 0;
                self.kept.retain(|_| {
                    place += 1;
                    place % 2 == 1
                });
                self.step *= 2;
            }
            if self.offered.is_multiple_of(self.step) {
                self.kept.push(link());
            }
        }
        self.offered += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::{Builder, LeafRange};

    fn address(name: &str) -> Address {
        Address::parse(&format!("http://a.test/{name}")).unwrap()
    }

    #[test]
    fn levels_of_links_follow_from_the_pages_behind_them() {
        let mut builder = Builder::new();
        for target in ["found", "near", "far", "farther", "unknown", "here"] {
            let first = builder.next_leaf();
            builder.leaf(target);
            let leaves = LeafRange {
                first,
                end: first + 1,
            };
            builder.link(&format!("/{target}"), leaves);
        }
        let page = Page::new(address("here"), builder.finish().unwrap());
        let distances = ["found", "near", "far", "farther", "here"];
        let distances = distances.into_iter().map(address).zip(0..).collect();
        let mut paths = BackwardPaths::new(distances);
        paths.read(&page, &mut Vocabulary::default());
        paths.add(&Candidate::seed(address("found")));
        let trained = paths.into_trained();
        let names = |link: &PathLink| link.target.path_and_query()[1..].to_owned();
        let levels: Vec<(String, usize)> = trained
            .links
            .iter()
            .map(|(link, level)| (names(link), *level))
            .collect();
        let expected = [("found", 0), ("found", 0), ("near", 1), ("far", 2)];
        assert_eq!(levels, expected.map(|row| (row.0.to_owned(), row.1)));
        let farther: Vec<String> = trained.farther.iter().map(names).collect();
        assert_eq!(farther, ["farther", "unknown"]);
    }

    #[test]
    fn of_many_links_some_are_kept_from_first_to_last() {
        let mut links = Thinned::default();
        let all = 5 * MOST_TRAINED;
        for n in 0..all {
            links.offer(|| PathLink::of(&Candidate::seed(address(&n.to_string()))));
        }
        // 2000, then every second, every fourth, every eighth of 10,000.
        assert_eq!((links.step, links.kept.len()), (8, all / 8));
        let kept = links.kept.iter().map(|link| link.target.clone());
        let expected = (0..all).step_by(8).map(|n| address(&n.to_string()));
        assert!(kept.eq(expected));
    }
}
