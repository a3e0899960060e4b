//! Exports: finds for other programs, feeds, crawls as files that others can check.

pub(super) mod feeds;
pub(super) mod library;
pub(super) mod research;

use std::sync::Arc;

use super::Library;
use super::context::Context;

/// Finds and crawls as files of other programs.
#[derive(Clone)]
pub struct Exports {
    pub(super) context: Arc<Context>,
    library: Library,
}

impl Exports {
    pub(super) fn new(context: Arc<Context>, library: Library) -> Self {
        Self { context, library }
    }
}
