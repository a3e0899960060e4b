//! The critic that a predicate makes (\[B\], methods 2.3): a page is what is looked
//! for if the predicate holds, and nothing in between.
//!
//! Marked pages make a topic beside it: for conditions on `topic`, and for what
//! single words are worth before anything was learned.

use super::{Critic, FormFilter, NamedTopic, NamedTopics, Topic};
use crate::address::Address;
use crate::codec::{CodecError, Loader, SaveError, Saver};
use crate::features::PageTerms;
use crate::forms::FormWords;
use crate::page::Page;
use crate::predicate::{Condition, Predicate, Relevances, Seen};
use crate::text::TermId;
use crate::web_graph::{Judgment, Relevance, WebGraph};

/// Judges a page by whether a predicate holds of it.
pub struct ByPredicate {
    predicate: Predicate,
    written: String,
    topics: NamedTopics,
    marked: Topic,
    /// What the marks of forms and pages make of this topic; only where the predicate asks
    /// for its forms.
    own: Option<NamedTopic>,
}

/// Of one page, what the marked pages and other topics say.
struct Topics<'a> {
    marked: Judgment,
    has_marks: bool,
    own: Option<&'a NamedTopic>,
    named: &'a NamedTopics,
}

impl Relevances for Topics<'_> {
    fn relevance(&self, page: &Page, topic: Option<&str>) -> Option<f64> {
        match topic {
            None => self.has_marks.then(|| self.marked.relevance.value()),
            Some(name) => Some(self.named.get(name)?.relevance(page).value()),
        }
    }

    fn form(&self, words: &FormWords, topic: Option<&str>) -> Option<f64> {
        let topic = match topic {
            None => self.own,
            Some(name) => self.named.get(name),
        };
        Some(topic?.form(words))
    }
}

impl NamedTopic {
    /// What the marked pages and forms make of a topic.
    pub fn of(known: &WebGraph) -> Self {
        let mut filter = FormFilter::default();
        filter.refresh(known);
        Self {
            forms: filter.domain().cloned(),
            ..Topic::frozen(known)
        }
    }
}

impl ByPredicate {
    /// A critic by a predicate, and the other topics that it asks for; one that is
    /// missing is never relevant.
    pub fn new(predicate: Predicate, topics: NamedTopics) -> Self {
        Self {
            written: predicate.to_string(),
            predicate,
            topics,
            marked: Topic::default(),
            own: None,
        }
    }

    fn asks_for_own_forms(&self) -> bool {
        let conditions = self.predicate.conditions();
        conditions.contains(&&Condition::FormAbout(None))
    }
}

impl Critic for ByPredicate {
    fn name(&self) -> &str {
        &self.written
    }

    fn judge(
        &self,
        page: &Page,
        terms: &PageTerms,
        linked_from: &[Address],
        known: &WebGraph,
    ) -> Judgment {
        let marked = self.marked.judge_terms(terms, known).unwrap_or_default();
        let relevances = Topics {
            marked,
            has_marks: known.targets().next().is_some(),
            own: self.own.as_ref(),
            named: &self.topics,
        };
        let holds = self.predicate.holds(Seen {
            page,
            linked_from,
            relevances: &relevances,
        });
        Judgment {
            relevance: Relevance::new(f64::from(u8::from(holds))),
            is_target: holds,
            ..marked
        }
    }

    fn judge_terms(&self, _: &PageTerms, _: &WebGraph) -> Option<Judgment> {
        None
    }

    fn asks_for_backlinks(&self) -> bool {
        self.predicate.asks_for_backlinks()
    }

    fn named_topics(&self) -> NamedTopics {
        self.topics.clone()
    }

    fn word_weight(&self, term: TermId) -> f64 {
        self.marked.word_weight(term)
    }

    fn refresh(&mut self, known: &WebGraph) {
        self.marked.refresh(known);
        if self.asks_for_own_forms() {
            let has_marks = known.targets().next().is_some() || !known.form_marks.is_empty();
            self.own = has_marks.then(|| NamedTopic::of(known));
        }
    }

    fn save(&self, to: &mut Saver<'_>) -> Result<(), SaveError> {
        to.put(&self.marked)?;
        to.put(&self.own)
    }

    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), CodecError> {
        self.marked = from.take()?;
        self.own = from.take()?;
        Ok(())
    }
}
