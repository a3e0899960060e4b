//! A condition of the caller's own making, in Rust: what the language of
//! predicates cannot say.

use super::Critic;
use crate::address::Address;
use crate::features::PageTerms;
use crate::page::Page;
use crate::text::TermId;
use crate::web_graph::{Judgment, Relevance, WebGraph};

/// A page is what is looked for if the closure says so.
///
/// ```
/// use linkscent_core::critics::Closure;
/// use linkscent_core::topic_model::TopicModel;
/// use linkscent_core::strategies;
/// use linkscent_core::text::Vocabulary;
///
/// let has_many_headings = Closure::new("many headings", |page| page.headings().len() > 5);
/// let strategy = strategies::named("intelligent").ok_or("no such strategy")?;
/// let topic_model = TopicModel::joining(Box::new(has_many_headings), strategy, Vocabulary::default());
/// # Ok::<(), &str>(())
/// ```
pub struct Closure<F> {
    name: String,
    holds: F,
}

impl<F: Fn(&Page) -> bool + Send + Sync> Closure<F> {
    /// A critic by a closure. What a topic model with it knows cannot be brought back
    /// by [`crate::topic_model::TopicModel::with_knowledge`]: no file holds a closure.
    pub fn new(name: &str, holds: F) -> Self {
        Self {
            name: name.to_owned(),
            holds,
        }
    }
}

impl<F: Fn(&Page) -> bool + Send + Sync> Critic for Closure<F> {
    fn name(&self) -> &str {
        &self.name
    }

    fn judge(&self, page: &Page, _: &PageTerms, _: &[Address], _: &WebGraph) -> Judgment {
        let holds = (self.holds)(page);
        Judgment {
            relevance: Relevance::new(f64::from(u8::from(holds))),
            is_target: holds,
            ..Judgment::default()
        }
    }

    fn judge_terms(&self, _: &PageTerms, _: &WebGraph) -> Option<Judgment> {
        None
    }

    fn word_weight(&self, _: TermId) -> f64 {
        0.0
    }

    fn refresh(&mut self, _: &WebGraph) {}
}
