//! Models of topics: the topic model of each, from whom it began, and its training by hop distances.

pub(super) mod beginning;
pub(super) mod topic_models;
pub(super) mod training;

use std::sync::Arc;

use super::context::Context;

/// Models of topics: what a topic's model has learned, and from what.
#[derive(Clone)]
pub struct Models {
    pub(super) context: Arc<Context>,
}

impl Models {
    pub(super) fn new(context: Arc<Context>) -> Self {
        Self { context }
    }
}
