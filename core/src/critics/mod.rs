//! Critics say how good a page is that was fetched ([A] 2.1, METHODS 1).
//!
//! *What* is good and *where* it may lie are two questions; where it may lie
//! is for the [strategies](crate::strategies). Any critic pairs with any
//! strategy.

mod targets;
mod topic;
mod trained;

pub use targets::{Targets, similarity};
pub use topic::Topic;
pub use trained::{TrainedTopic, TrainingClass, Verdict};

use crate::features::PageTerms;
use crate::page::Page;
use crate::text::TermId;
use crate::web_graph::{Judgment, WebGraph};

/// Judges pages. What the person marked lies in the [`WebGraph`]; a critic
/// keeps only what it derived from there.
pub trait Critic: Send {
    /// The name it is called by in topics and on the command line.
    fn name(&self) -> &'static str;

    /// Judges a page, leaving the person's own mark out of account. `terms`
    /// are the page's, in the vocabulary of `known`.
    fn judge(&self, page: &Page, terms: &PageTerms, known: &WebGraph) -> Judgment {
        let _ = page;
        self.judge_terms(terms, known)
    }

    /// Judges a page of which only its (heaviest) terms are left.
    fn judge_terms(&self, terms: &PageTerms, known: &WebGraph) -> Judgment;

    /// The classes a page belongs to, with their probabilities; names of
    /// classes below others are paths such as `Top/Arts/Film`. By default only
    /// whether it is of the topic.
    fn classes(&self, page: &Page, judgment: Judgment) -> Vec<(String, f64)> {
        let _ = page;
        let relevance = judgment.relevance.value();
        vec![
            ("the topic".to_owned(), relevance),
            ("the rest".to_owned(), 1.0 - relevance),
        ]
    }

    /// How sure it is: how often it puts a page that it was not shown before
    /// any other page, 0.5 where it cannot say, drawn towards 0.5 as long as
    /// there are few pages to tell by. `None` where nothing is marked.
    fn confidence(&self) -> Option<f64> {
        None
    }

    /// How much a single word speaks for the topic: log-odds, 0 where it says
    /// nothing. Strategies use it before they have learned anything.
    fn word_weight(&self, term: TermId) -> f64;

    /// Learns anew from the marks and the pages seen. Called when a mark
    /// changed and now and then while pages come in.
    fn refresh(&mut self, known: &WebGraph);
}

/// Names of all critics, the default first.
pub const NAMES: [&str; 2] = ["topic", "targets"];

/// The critic of that name, knowing nothing yet.
pub fn named(name: &str) -> Option<Box<dyn Critic>> {
    match name {
        "topic" => Some(Box::new(Topic::default())),
        "targets" => Some(Box::new(Targets::default())),
        _ => None,
    }
}
