//! Deletion for good: of crawls, topics, everything, and of pages and clicks that are to be forgotten.

pub(super) mod deleting;
pub(super) mod forgetting;

use std::sync::Arc;

use super::context::Context;

/// Deletes crawls and topics for good, and forgets pages and clicks.
#[derive(Clone)]
pub struct Deletion {
    pub(super) context: Arc<Context>,
}

impl Deletion {
    pub(super) fn new(context: Arc<Context>) -> Self {
        Self { context }
    }
}
