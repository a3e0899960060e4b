//! Where and how far a crawl of the bench goes.

use std::collections::BTreeMap;
use std::sync::Arc;

use linkscent_core::crawl::StoppingRule;
use linkscent_core::page::Page;
use linkscent_core::site_memory::SiteMemory;

use super::topic::{Label, Topic};
use super::web::EvalWeb;

/// Where and how far a crawl goes.
#[derive(Clone)]
pub struct Scenario {
    /// The web.
    pub web: Arc<EvalWeb>,
    /// What is looked for.
    pub topic: Arc<Topic>,
    /// The seed set it starts from.
    pub seeds: String,
    /// Pages to fetch.
    pub budget: u64,
    /// Pages that are marked as targets, for a critic that learns from them and
    /// from what it meets; `None` where the labels speak.
    pub marked: Option<Vec<u32>>,
    /// Of which subtopic of the topic marked pages are said to be.
    pub subtopics: BTreeMap<u32, String>,
    /// Whether such a critic is told the topic's name.
    pub is_named: bool,
    /// Questions that the labels answer in a person's place.
    pub asking: Asking,
    /// Whether it restricts itself after an alarm, as a person may have chosen.
    pub restricts: bool,
    /// What earlier crawls read.
    pub memory: Arc<SiteMemory>,
    /// Whether pages that are nearly the same as others, and sites that repeat themselves, are
    /// read like all others: labels are by page.
    pub takes_repeats: bool,
    /// When a site is left.
    pub stopping: StoppingRule,
    /// What random numbers start from.
    pub random_seed: u64,
}

impl Scenario {
    /// The same crawl on a web with more pages behind its own, and with its own pages changed.
    #[must_use]
    pub fn with_more(&self, more: Vec<(Page, Label)>, change: impl FnMut(u32, &mut Page)) -> Self {
        let (more, labels): (Vec<Page>, Vec<Label>) = more.into_iter().unzip();
        Self {
            topic: Arc::new(self.topic.with_more(&labels)),
            web: Arc::new(self.web.with_more(more, change)),
            ..self.clone()
        }
    }
}

/// What a person is asked while a crawl goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Asking {
    /// Nothing.
    #[default]
    Nothing,
    /// About pages fetched, drawn at random.
    AtRandom,
    /// About the page whose label would change most.
    Best,
}
