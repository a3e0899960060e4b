//! Critics say how good a page is that was fetched (\[A\] 2.1, methods 2).
//!
//! *What* is good and *where* it may lie are two questions; where it may lie
//! is for the [strategies](crate::strategies). Any critic pairs with any
//! strategy.

mod closure;
mod condition;
mod forms;
mod named_topic;
mod targets;
mod topic;
mod trained;

pub use closure::Closure;
pub use condition::ByPredicate;
pub use forms::{FormFilter, Forms, FoundForm};
pub use named_topic::{NamedTopic, NamedTopics};
pub use targets::{Targets, similarity};
pub use topic::Topic;
pub use trained::{TrainedTopic, TrainingClass, Verdict};

use crate::address::Address;
use crate::features::PageTerms;
use crate::page::Page;
use crate::predicate::{Predicate, PredicateError};
use crate::text::TermId;
use crate::web_graph::{Judgment, WebGraph};

/// Judges pages. What the person marked lies in the [`WebGraph`]; a critic
/// keeps only what it derived from there.
pub trait Critic: Send + Sync {
    /// What it is called by in topics and on the command line: a name of
    /// [`NAMES`], or a predicate.
    fn name(&self) -> &str;

    /// Judges a page, leaving the person's own mark out of account. `terms`
    /// are the page's, in the vocabulary of `known`; `linked_from` are the known pages with
    /// links to it, for one that [asks for them](Self::asks_for_backlinks).
    fn judge(
        &self,
        page: &Page,
        terms: &PageTerms,
        linked_from: &[Address],
        known: &WebGraph,
    ) -> Judgment {
        let _ = (page, linked_from);
        self.judge_terms(terms, known).unwrap_or_default()
    }

    /// Whether it asks for the pages with links to a page; only then they are kept.
    fn asks_for_backlinks(&self) -> bool {
        false
    }

    /// Judges a page of which only its (heaviest) terms are left; `None` where
    /// they do not tell, and what was said of the whole page goes on to hold.
    fn judge_terms(&self, terms: &PageTerms, known: &WebGraph) -> Option<Judgment>;

    /// Other topics that it asks for, to be kept with what a guide knows.
    fn named_topics(&self) -> NamedTopics {
        NamedTopics::new()
    }

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

    /// Learns again from the marks and the pages seen. Called when a mark
    /// changed and now and then while pages come in.
    fn refresh(&mut self, known: &WebGraph);
}

/// Names of all critics, the default first.
pub const NAMES: [&str; 3] = ["topic", "targets", "forms"];

/// The critic of that name, or by a predicate, knowing nothing yet but the other
/// topics that a predicate asks for.
pub fn described(text: &str, topics: NamedTopics) -> Result<Box<dyn Critic>, PredicateError> {
    Ok(match text {
        "topic" => Box::new(Topic::default()),
        "targets" => Box::new(Targets::default()),
        "forms" => Box::new(Forms::default()),
        predicate => Box::new(ByPredicate::new(predicate.parse()?, topics)),
    })
}

/// Names of the other topics that a critic so described asks for.
pub fn topics_asked_for(text: &str) -> Result<Vec<String>, PredicateError> {
    if NAMES.contains(&text) {
        return Ok(Vec::new());
    }
    let predicate: Predicate = text.parse()?;
    Ok(predicate.topics().into_iter().map(str::to_owned).collect())
}
