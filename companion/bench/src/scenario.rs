//! Where and how far a crawl of the bench goes.

use std::collections::BTreeMap;
use std::sync::Arc;

use linkscent_core::crawl::StoppingRule;
use linkscent_core::site_memory::SiteMemory;

use super::topic::Topic;
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
    /// Of which facet of the topic marked pages are said to be.
    pub facets: BTreeMap<u32, String>,
    /// Whether such a critic is told the topic's name.
    pub is_named: bool,
    /// Questions that the labels answer in a person's place.
    pub asking: Asking,
    /// Whether it restricts itself after an alarm, as a person may have chosen.
    pub restricts: bool,
    /// What earlier crawls read.
    pub memory: Arc<SiteMemory>,
    /// When a site is left.
    pub stopping: StoppingRule,
    /// What random numbers start from.
    pub random_seed: u64,
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
