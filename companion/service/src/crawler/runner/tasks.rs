//! What a crawl has asked for and not taken in yet, where somebody traces it (see `traces`).

use std::collections::HashMap;

use linkscent_core::address::Address;
use tracing::Span;

/// Spans by what was asked for: a page, or the robots.txt of its host.
#[derive(Default)]
pub(super) struct Tasks(HashMap<(Address, bool), Span>);

impl Tasks {
    /// A task of that crawl, from here to where its answer is taken in.
    pub fn begin(&mut self, crawl: i64, address: &Address, is_robots: bool) -> Span {
        let task = tracing::debug_span!(parent: None, "task", crawl, %address, is_robots);
        if !task.is_disabled() {
            self.0.insert((address.clone(), is_robots), task.clone());
        }
        task
    }

    /// The answer is taken in: what is done with it is the last of the task.
    pub fn end(&mut self, address: &Address, is_robots: bool) -> Span {
        let task = self.0.remove(&(address.clone(), is_robots));
        task.unwrap_or_else(Span::none)
    }
}
