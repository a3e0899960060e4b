//! Topics: made, named, described, marked, shared, given away, removed.

pub(super) mod changes;
pub(super) mod feedback;
pub(super) mod naming;
pub(super) mod phrases;
pub(super) mod removing;
pub(super) mod sharing;
pub(super) mod subtopics;
pub(super) mod taxonomies;
pub(super) mod topic_file;

use std::sync::Arc;

use super::context::Context;
use super::{Deletion, Models};

/// Topics: made, named, described, marked, given away, removed.
#[derive(Clone)]
pub struct Topics {
    pub(super) context: Arc<Context>,
    models: Models,
    deletion: Deletion,
    /// Held while a topic gets its name where people have their own.
    founding: Arc<tokio::sync::Mutex<()>>,
}

impl Topics {
    pub(super) fn new(context: Arc<Context>, models: Models, deletion: Deletion) -> Self {
        Self {
            context,
            models,
            deletion,
            founding: Arc::default(),
        }
    }
}
