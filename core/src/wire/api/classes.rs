//! What is said of the classes of a topic that has a taxonomy, and of topics as a crawl may
//! begin with them.

use serde::{Deserialize, Serialize};

/// A topic, as a browser is told of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TopicView {
    /// What it is known by in events and questions: what it was called when it was made.
    #[serde(default)]
    pub key: String,
    /// What it is called now.
    pub name: String,
    /// Whether something was learned for it of links, so that a crawl of another topic may
    /// begin with that.
    pub is_taught: bool,
    /// Whether the person removed it.
    #[serde(default)]
    pub is_removed: bool,
    /// Whether all of it was deleted then, and only its key is left.
    #[serde(default)]
    pub is_deleted: bool,
}

/// A node of a taxonomy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ClassNode {
    /// Its path, such as `Top/Science/Bees`.
    pub path: String,
    /// Pages that stand for it and for all below it.
    pub pages: u32,
    /// Whether pages stand for the node itself, so that a page can be of this class.
    pub is_class: bool,
    /// Whether it was chosen as good, with all below it.
    pub is_good: bool,
}

/// `GET /api/v1/classes`: the taxonomy of a topic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ClassesView {
    /// Name of the topic.
    pub topic: String,
    /// Whether its pages are judged by these classes.
    pub by_class: bool,
    /// The tree: every node before those below it, and these before the next one beside it.
    pub nodes: Vec<ClassNode>,
}

/// `POST /api/v1/classes`: which nodes are good from now on, in place of those that were. The
/// topic's pages are judged by their classes then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct GoodNodes {
    /// Name of the topic.
    pub topic: String,
    /// Paths of nodes; what stands below them is good, too.
    pub nodes: Vec<String>,
}

/// A page that a crawl fetched, with its class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ClassedPage {
    /// The page.
    pub address: String,
    /// Its title.
    pub title: String,
    /// The class that it was judged to be of when it was fetched; empty if it was not judged
    /// by its class.
    pub class: String,
    /// The class that the person says it is of, if they said so.
    #[cfg_attr(feature = "schema", schema(required))]
    pub corrected: Option<String>,
}

/// `POST /api/v1/crawls/{id}/classes`: what class a page is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ClassCorrection {
    /// The page, which this crawl has fetched.
    pub address: String,
    /// Path of a class with pages; null takes back what was said.
    #[cfg_attr(feature = "schema", schema(required))]
    pub class: Option<String>,
}
