//! Pages that a person's browser keeps for a topic's library as they are read: only where the
//! person allowed it, by topic and site.

use serde::{Deserialize, Serialize};

/// Pages on the way that are told at most.
pub const LONGEST_WAY: usize = 8;

/// `POST /api/v1/readings`: a page as a browser showed it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Reading {
    /// Key of the topic.
    pub topic: String,
    /// Where it is.
    pub address: String,
    /// Its HTML without scripts and what stands in fields.
    pub html: String,
    /// When it was read, in milliseconds since 1970.
    pub time: u64,
    /// The pages on the way to it, newest first, at most [`LONGEST_WAY`].
    #[serde(default)]
    pub way: Vec<String>,
}
