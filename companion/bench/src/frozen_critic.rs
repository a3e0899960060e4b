//! The critic whose word is settled beforehand: strategies are compared, and
//! not critics.

use std::sync::Arc;

use linkscent_core::address::Address;
use linkscent_core::critics::{self, Critic};
use linkscent_core::features::PageTerms;
use linkscent_core::page::Page;
use linkscent_core::text::TermId;
use linkscent_core::web_graph::{Judgment, Relevance, WebGraph};

use super::topic::Topic;
use super::web::EvalWeb;

/// The critic of one bench topic, whose judgments are settled. What single words are worth is said by the ordinary topic
/// critic, which knows the examples and what was fetched.
pub struct FrozenCritic {
    web: Arc<EvalWeb>,
    topic: Arc<Topic>,
    words: critics::Topic,
}

impl FrozenCritic {
    /// The critic of a topic on a web.
    pub fn new(web: Arc<EvalWeb>, topic: Arc<Topic>) -> Self {
        Self {
            web,
            topic,
            words: critics::Topic::default(),
        }
    }

    fn judgment(&self, address: &Address) -> Judgment {
        let number = self.web.number(address);
        let labels = self.topic.told.as_ref().unwrap_or(&self.topic.labels);
        let label = number.map(|number| labels[number as usize]);
        let label = label.unwrap_or_default();
        Judgment {
            relevance: Relevance::new(label.relevance),
            log_odds: label.log_odds,
            similarity: 0.0,
            is_target: label.is_relevant(),
        }
    }
}

impl Critic for FrozenCritic {
    fn name(&self) -> &'static str {
        "frozen"
    }

    fn judge(&self, page: &Page, terms: &PageTerms, _: &[Address], known: &WebGraph) -> Judgment {
        Judgment {
            similarity: critics::similarity(terms, known),
            ..self.judgment(&page.address)
        }
    }

    fn classes(
        &self,
        page: &Page,
        terms: &PageTerms,
        known: &WebGraph,
        judgment: Judgment,
    ) -> Vec<(String, f64)> {
        let number = self.web.number(&page.address);
        let (Some(classes), Some(number)) = (&self.topic.classes, number) else {
            return self.words.classes(page, terms, known, judgment);
        };
        let shares = classes.of[number as usize].iter();
        let named =
            shares.map(|&(class, share)| (classes.names[usize::from(class)].clone(), share));
        named.collect()
    }

    fn judge_remembered(&self, page: &Address, _: &PageTerms, _: &WebGraph) -> Option<Judgment> {
        Some(self.judgment(page))
    }

    /// Pages are judged whole.
    fn judge_terms(&self, _: &PageTerms, _: &WebGraph) -> Option<Judgment> {
        None
    }

    fn word_weight(&self, term: TermId) -> f64 {
        self.words.word_weight(term)
    }

    fn refresh(&mut self, known: &WebGraph) {
        self.words.refresh(known);
    }
}
