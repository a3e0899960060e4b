//! What is said of strategies and of their training.

use serde::{Deserialize, Serialize};

/// A strategy, as a topic may choose it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct StrategyView {
    /// Its name.
    pub name: String,
    /// How it chooses links, in a sentence for people.
    pub sentence: String,
    /// Whether the topic's links are ordered by it.
    pub is_chosen: bool,
    /// Whether it can be chosen; if not it has to be trained for the topic first.
    pub is_ready: bool,
}

/// `POST /api/v1/strategies`: who orders a topic's links from now on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct StrategyChoice {
    /// Name of the topic.
    pub topic: String,
    /// Name of the strategy. Interest factors may have weights, such as
    /// `intelligent:content=2,url=0.5`; one that is not named weighs 1.
    pub strategy: String,
}

/// `POST /api/v1/train`: train a model of hop distances for a topic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TrainingOrder {
    /// Name of the topic.
    pub topic: String,
    /// The model: `crf`, `memm`, `hmm`, `context-graph` or `ache-offline`.
    pub model: String,
}

/// What a model was trained on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TrainingView {
    /// Paths that the person took.
    pub paths: u64,
    /// Links that they followed, repeated ones too.
    pub clicks: u64,
    /// Paths that they took to targets of other topics.
    pub other_paths: u64,
    /// Walks over what was seen, added where paths are few.
    pub walks: u64,
    /// Pages that the person or a crawl saw.
    pub pages: u64,
    /// Whether an earlier model was trained on.
    pub went_on: bool,
    /// What in the log of paths contradicts itself, for people.
    pub faults: Vec<String>,
}
