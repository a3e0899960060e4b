//! What people said, wherever they said it: told to every browser, so that all show the same.

use serde::{Deserialize, Serialize};

use super::{Event, TopicView};

/// `GET /api/v1/changes`: what is in force now of all that was said since.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Changes {
    /// All topics, newest first, whether or not something of them changed.
    pub topics: Vec<TopicView>,
    /// Of each page and phrase of which something was said since, the word that is in force:
    /// a mark, or that it was taken back.
    pub in_force: Vec<Event>,
    /// Ask from here on the next time.
    pub until: i64,
    /// Whether there is more: then ask at once.
    pub more: bool,
}
