//! Pages that a person's browser reads for a crawl: those that show nothing without scripts, or
//! that ask for a login. Only on hosts that the person chose.

use serde::{Deserialize, Serialize};

/// Hosts that a browser may name at once.
pub const MOST_HOSTS: usize = 100;

/// `POST /api/v1/renderings/next`: a browser looks for pages to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RenderingQuery {
    /// Name of the topic.
    pub topic: String,
    /// The hosts that the person chose, at most [`MOST_HOSTS`].
    pub hosts: Vec<String>,
}

/// What is answered to a browser that looks for pages to read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RenderingsView {
    /// Hosts of which pages wait for a browser, those with the most first.
    pub sites: Vec<WaitingSite>,
    /// Pages of the hosts that were chosen, to be read now; each is handed out once at a time.
    pub pages: Vec<RenderingTask>,
    /// Whether the crawl goes on, so that more pages may come to wait.
    pub is_running: bool,
}

/// A host of which pages wait for a browser.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct WaitingSite {
    /// The host.
    pub host: String,
    /// How many.
    pub pages: usize,
}

/// A page that a browser is to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RenderingTask {
    /// The crawl that asks for it.
    pub crawl: i64,
    /// Where it is.
    pub address: String,
}

/// `POST /api/v1/renderings`: a page as a browser shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Rendering {
    /// The crawl that asked for it.
    pub crawl: i64,
    /// Where it is, as it was asked for.
    pub address: String,
    /// Its HTML without scripts and what stands in fields; empty if it could not be read.
    pub html: String,
    /// Why it could not be read; empty if it was.
    #[serde(default)]
    pub problem: String,
}
