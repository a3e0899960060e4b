//! The page whose label would change most, to ask the person about (methods
//! 3.5; \[A\] 3.6).
//!
//! A page is worth a question if the critic is unsure of it, the more so if it turned
//! out other than the link to it made expect; and if much hangs on it: if the links
//! that wait stand on pages like it.

use std::collections::BTreeSet;

use super::TopicModel;
use crate::address::Address;
use crate::features::PageTerms;
use crate::strategies::Candidate;

/// Pages of a crawl after which a question is asked: soon, for an answer is worth the
/// more the more is still to come.
pub const ASKED_AFTER: [u64; 3] = [25, 75, 150];
/// Pages fetched last that may be asked about.
const MOST_PAGES: usize = 300;
/// Waiting links, the best, that are looked at.
pub const MOST_WAITING: usize = 200;
/// Similarity below which pages have nothing to do with each other.
const LEAST_SIMILARITY: f64 = 0.1;

/// A page to ask the person about.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The page.
    pub address: Address,
    /// How unsure its label is: 0 (nobody doubts it) to 1.5.
    pub doubt: f64,
    /// How like it the pages are on which the waiting links stand, 0..=1.
    pub mass: f64,
}

impl Question {
    /// What an answer is worth.
    pub fn value(&self) -> f64 {
        self.doubt * self.mass
    }
}

impl TopicModel {
    /// What to ask the person next, given the links that wait, best first; none
    /// about a page that is marked or was asked about before.
    pub fn question<'a>(
        &self,
        waiting: impl Iterator<Item = &'a Candidate>,
        asked: &BTreeSet<Address>,
    ) -> Option<Question> {
        let sources: BTreeSet<&Address> = waiting
            .take(MOST_WAITING)
            .filter_map(Candidate::source)
            .collect();
        let sources: Vec<&PageTerms> = sources
            .into_iter()
            .filter_map(|source| Some(&self.graph.page(source)?.terms))
            .collect();
        let arrivals = self.log.arrivals().rev().take(MOST_PAGES);
        let questions = arrivals.filter_map(|past| {
            let address = &past.address;
            if self.graph.mark(address).is_some() || asked.contains(address) {
                return None;
            }
            let page = self.graph.page(address)?;
            let hanging = sources.iter().map(|terms| {
                let likeness = terms.cosine(&page.terms);
                (likeness - LEAST_SIMILARITY).max(0.0)
            });
            let found = page.judgment.relevance.value();
            let unsure = 4.0 * found * (1.0 - found);
            let expected = past.via.first().and_then(|link| self.expected(link));
            let gap = expected.map_or(0.0, |expected| (expected.value() - found).abs());
            Some(Question {
                address: address.clone(),
                doubt: unsure * (0.5 + gap),
                mass: hanging.sum::<f64>() / sources.len().max(1) as f64,
            })
        });
        // Of equal ones the page that was fetched last.
        questions
            .filter(|question| question.value() > 0.0)
            .reduce(|best, other| {
                if other.value() > best.value() {
                    other
                } else {
                    best
                }
            })
    }
}
