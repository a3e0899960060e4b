//! Upkeep of the data folder: checks, copies of archives, retention, remembered sites.

pub(super) mod checking;
pub(super) mod copying;
pub(super) mod retention;
pub(super) mod sites;

use std::sync::Arc;

use super::context::Context;
use super::{Deletion, Library};

/// What keeps the data folder sound and small: checks, copies, retention, remembered sites.
#[derive(Clone)]
pub struct Upkeep {
    pub(super) context: Arc<Context>,
    library: Library,
    deletion: Deletion,
}

impl Upkeep {
    pub(super) fn new(context: Arc<Context>, library: Library, deletion: Deletion) -> Self {
        Self {
            context,
            library,
            deletion,
        }
    }
}
