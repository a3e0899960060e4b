//! Critics say how good a page is that was fetched (\[A\] 2.1, methods 2).
//!
//! *What* is good and *where* it may lie are two questions; where it may lie
//! is for the [strategies](crate::strategies). Any critic pairs with any
//! strategy.

mod by_class;
mod closure;
mod condition;
mod forms;
mod named_topic;
mod targets;
pub mod taxonomy;
mod topic;
mod trained;

pub use by_class::{BY_CLASS, ByClass, by_class, good_nodes};
pub use closure::Closure;
pub use condition::ByPredicate;
pub use forms::{FormFilter, Forms, FoundForm};
pub use named_topic::{NamedTopic, NamedTopics};
pub use targets::{Targets, similarity};
pub use taxonomy::Taxonomy;
pub use topic::{SentenceVectors, Topic};
pub use trained::{TrainedTopic, TrainingClass, Verdict};

use std::sync::Arc;

use thiserror::Error;

use crate::address::Address;
use crate::codec::{CodecError, Loader, SaveError, Saver};
use crate::features::PageTerms;
use crate::page::Page;
use crate::predicate::{Predicate, PredicateError};
use crate::text::TermId;
use crate::web_graph::{Judgment, Relevance, WebGraph};

/// Judges pages. What the person marked lies in the [`WebGraph`]; a critic
/// keeps only what it derived from there.
pub trait Critic: Send + Sync {
    /// What it is called by in topics and on the command line: a name of
    /// [`NAMES`], a predicate, or the good nodes of a taxonomy.
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

    /// Judges a page that an earlier crawl read for another topic, of which its heaviest terms are
    /// left.
    fn judge_remembered(
        &self,
        page: &Address,
        terms: &PageTerms,
        known: &WebGraph,
    ) -> Option<Judgment> {
        let _ = page;
        self.judge_terms(terms, known)
    }

    /// Other topics that it asks for, to be kept with what a topic model knows.
    fn named_topics(&self) -> NamedTopics {
        NamedTopics::new()
    }

    /// The taxonomy it goes by, to be kept with what a topic model knows.
    fn taxonomy(&self) -> Option<&Arc<Taxonomy>> {
        None
    }

    /// Its judgment of a page of which the person said what class it is.
    fn corrected(&self, page: &Address, known: &WebGraph) -> Option<Judgment> {
        let _ = (page, known);
        None
    }

    /// The classes a page belongs to, with their probabilities, the likeliest first; names
    /// of classes below others are paths such as `Top/Arts/Film`. By default only whether it
    /// is of the topic.
    fn classes(
        &self,
        page: &Page,
        terms: &PageTerms,
        known: &WebGraph,
        judgment: Judgment,
    ) -> Vec<(String, f64)> {
        let _ = (page, terms, known);
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

    /// Whether it goes by what the topic means ([`WebGraph::topic_meaning`]), so that a link's
    /// words can be compared with that.
    fn goes_by_meaning(&self) -> bool {
        false
    }

    /// How much a single word speaks for the topic: log-odds, 0 where it says
    /// nothing. Strategies use it before they have learned anything.
    fn word_weight(&self, term: TermId) -> f64;

    /// Learns again from the marks and the pages seen. Called when a mark
    /// changed and now and then while pages come in.
    fn refresh(&mut self, known: &WebGraph);

    /// Writes what it derived when it was refreshed last.
    fn save(&self, to: &mut Saver<'_>) -> Result<(), SaveError> {
        let _ = to;
        Err(SaveError::NotFor(self.name().to_owned()))
    }

    /// Takes that back.
    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), CodecError> {
        let _ = from;
        Ok(())
    }
}

/// The probability behind a relevance that a critic so described stated: relevance is laid so
/// that a page counts as found from a half on, which need not be where it is as likely found
/// as not.
pub fn probability(critic: &str, relevance: Relevance) -> f64 {
    if critic == NAMES[0] {
        topic::probability(relevance)
    } else {
        relevance.value()
    }
}

/// Names of the critics that are described by a name alone, the default first.
pub const NAMES: [&str; 3] = ["topic", "targets", "forms"];

/// Why a text describes no critic.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CriticError {
    /// It is no predicate either.
    #[error(transparent)]
    Predicate(#[from] PredicateError),
    /// It goes by classes, of which nothing is known.
    #[error("pages are judged by their classes, but the topic has no taxonomy: import one first")]
    NoTaxonomy,
}

/// What critics ask for besides pages and marks.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// Other topics, for a predicate.
    pub topics: NamedTopics,
    /// Classes with their pages.
    pub taxonomy: Option<Arc<Taxonomy>>,
}

/// The critic of that name, or by a predicate or the good nodes of a taxonomy, knowing
/// nothing yet but what it asks for besides pages and marks.
pub fn described(text: &str, sources: Sources) -> Result<Box<dyn Critic>, CriticError> {
    if let Some(good) = good_nodes(text) {
        let taxonomy = sources.taxonomy.ok_or(CriticError::NoTaxonomy)?;
        return Ok(Box::new(ByClass::new(good?, taxonomy)));
    }
    Ok(match text {
        "topic" => Box::new(Topic::default()),
        "targets" => Box::new(Targets::default()),
        "forms" => Box::new(Forms::default()),
        predicate => Box::new(ByPredicate::new(predicate.parse()?, sources.topics)),
    })
}

/// The text that describes a critic as it is kept, or what is wrong with it.
pub fn as_kept(text: &str) -> Result<String, PredicateError> {
    if let Some(good) = good_nodes(text) {
        return Ok(by_class(&good?));
    }
    if NAMES.contains(&text) {
        return Ok(text.to_owned());
    }
    let predicate: Predicate = text.parse()?;
    Ok(predicate.to_string())
}

/// The same of what a person asks for now: a language that no page is told to be in is wrong then,
/// while one that an earlier version kept stands.
pub fn as_asked(text: &str) -> Result<String, PredicateError> {
    let kept = as_kept(text)?;
    if good_nodes(text).is_some() || NAMES.contains(&text) {
        return Ok(kept);
    }
    let predicate: Predicate = text.parse()?;
    if let Some(code) = predicate.unknown_language() {
        let lower = text.to_lowercase();
        let before = lower
            .find(&format!("\"{code}\""))
            .map_or("", |at| &lower[..=at]);
        return Err(PredicateError {
            position: before.chars().count() + 1,
            message: format!(
                "“{code}” is no language that pages are told to be in: write a code, such as “en”, \
                 “de” or “ja”"
            ),
        });
    }
    Ok(kept)
}

/// Names of the other topics that a critic so described asks for.
pub fn topics_asked_for(text: &str) -> Result<Vec<String>, PredicateError> {
    if NAMES.contains(&text) || good_nodes(text).is_some() {
        return Ok(Vec::new());
    }
    let predicate: Predicate = text.parse()?;
    Ok(predicate.topics().into_iter().map(str::to_owned).collect())
}
