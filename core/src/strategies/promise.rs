//! How likely a link leads to a page of the topic (methods 3.7): for those who point links
//! out to a person, before and after a strategy has learned where links lead.
//!
//! Where pages are judged by what they mean, a logistic model of fixed weights joins what the
//! link says of itself with what the strategy has learned. It was fitted on the links of pages
//! of an encyclopedia, for its categories, with those left out in turn of which the rest was
//! to tell; both with nothing read but one to five targets, and after a crawl of 300 pages.
//! For other critics the strategy speaks alone.

pub mod on_page;

use super::{Candidate, Known};
use crate::meaning::LinkMeaning;
use crate::web_graph::Mark;

/// Log-odds of a link of which nothing is known: one in ten leads to a good page.
const USUAL: f64 = -2.2;

/// What a strategy says of a link by its priority.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Promise {
    /// How likely it leads to a good page.
    Probability(f64),
    /// By how much it is likelier than usual, in log-odds; comparable between pages.
    AboveUsual(f64),
}

impl Promise {
    /// As log-odds above usual.
    pub(super) fn above_usual(self) -> f64 {
        match self {
            Self::Probability(probability) => {
                let probability = probability.clamp(1e-4, 1.0 - 1e-4);
                (probability / (1.0 - probability)).ln() - USUAL
            }
            Self::AboveUsual(log_odds) => log_odds,
        }
    }
}

/// What speaks for a link, each in log-odds, and what all links have.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Evidence {
    /// Of any link.
    pub usual: f64,
    /// The meaning of its words and of those near it, by the targets.
    pub targets: f64,
    /// The meaning of its words, by the topic's name.
    pub name: f64,
    /// Words of the name among its own.
    pub name_words: f64,
    /// The relevance of the page it stands on.
    pub page: f64,
    /// What the strategy has learned.
    pub learned: f64,
}

#[derive(Debug, Clone, Copy)]
struct Weights {
    usual: f64,
    /// The cosine of the link's words to the targets, and that with those near it.
    anchor: f64,
    near: f64,
    /// The cosine of the link's words to the topic's name.
    name: f64,
    page: f64,
    /// The share of the name's words among the link's.
    name_words: f64,
    learned: f64,
}

const PAGES_AND_NAME: Weights = Weights {
    usual: -4.75,
    anchor: 1.66,
    near: 3.03,
    name: 2.36,
    page: 0.58,
    name_words: 1.82,
    learned: 0.14,
};
const PAGES: Weights = Weights {
    usual: -4.43,
    anchor: 3.69,
    near: 1.94,
    name: 0.0,
    page: 0.72,
    name_words: 0.0,
    learned: 0.18,
};
const NAME: Weights = Weights {
    usual: -4.27,
    anchor: 0.0,
    near: 0.0,
    name: 5.63,
    page: 0.0,
    name_words: 1.67,
    learned: 0.14,
};

impl Evidence {
    /// Of a link, with what the strategy says of it.
    pub fn of(link: &Candidate, promise: Promise, known: Known<'_>) -> Self {
        let learned = promise.above_usual();
        let topic = &known.graph.topic_meaning;
        if !known.critic.goes_by_meaning() {
            return Self {
                usual: USUAL,
                learned,
                ..Self::default()
            };
        }
        let weights = match (topic.targets(), topic.is_named()) {
            (0, false) => return Self::of_nothing(),
            (_, false) => PAGES,
            (0, true) => NAME,
            (_, true) => PAGES_AND_NAME,
        };
        let meaning = LinkMeaning::of(&link.context, &known.graph.vocabulary);
        let [anchor, near, name] = meaning.cosines(topic);
        let page = link.source().map(|page| known.graph.judgment(page));
        let page = page.unwrap_or_default().relevance.value();
        Self {
            usual: weights.usual,
            targets: weights.anchor * anchor + weights.near * near,
            name: weights.name * name,
            name_words: weights.name_words * share_of_name(link, known),
            page: weights.page * page,
            learned: weights.learned * learned,
        }
    }

    fn of_nothing() -> Self {
        Self {
            usual: PAGES.usual,
            ..Self::default()
        }
    }

    /// All together, 0..=1.
    pub fn probability(&self) -> f64 {
        let log_odds =
            self.usual + self.targets + self.name + self.name_words + self.page + self.learned;
        1.0 / (1.0 + (-log_odds).exp())
    }
}

/// How likely a link leads to a good page, 0..=1; what was marked as "not this" is none.
pub fn probability(link: &Candidate, promise: Promise, known: Known<'_>) -> f64 {
    if known.graph.mark(&link.target) == Some(Mark::NotTarget) {
        return 0.0;
    }
    match promise {
        Promise::Probability(probability) => probability,
        Promise::AboveUsual(_) => Evidence::of(link, promise, known).probability(),
    }
}

/// The share of words of the topic's name among the distinct words of a link.
fn share_of_name(link: &Candidate, known: Known<'_>) -> f64 {
    let name = known.graph.topic_meaning.name_terms();
    let (mut own, mut all) = (0.0, 0.0);
    for (feature, _) in link.context.counts() {
        if feature.offset().0 == 0 && !feature.is_of_page() {
            all += 1.0;
            own += f64::from(u8::from(name.binary_search(&feature.term()).is_ok()));
        }
    }
    if all == 0.0 { 0.0 } else { own / all }
}

/// A share of nothing is none.
fn share(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole }
}
