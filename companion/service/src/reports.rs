//! Reports on crawls: what they brought and cost, and how they get on with their hosts.

pub(super) mod hosts;
pub(super) mod tally;
pub(super) mod yields;

use std::sync::Arc;

use super::context::Context;

/// What a crawl brought and cost, and how it gets on with its hosts.
#[derive(Clone)]
pub struct Reports {
    pub(super) context: Arc<Context>,
}

impl Reports {
    pub(super) fn new(context: Arc<Context>) -> Self {
        Self { context }
    }
}
