//! What a crawl is told that another process runs: it looks here every so often.

use async_trait::async_trait;
use linkscent_core::address::Address;
use linkscent_core::web_graph::Mark;

use crate::error::StoreResult;

/// What a running crawl can be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Hold on, to go on later.
    Pause,
    /// End.
    Stop,
    /// The person marked a page that this crawl has fetched.
    Mark(Address, Option<Mark>),
    /// It has more pages to start from or to fetch: its order tells.
    Order,
    /// The person corrected classes, or said in words what the topic is: its log tells.
    Said,
}

/// Commands on their way to whoever runs a crawl.
#[async_trait]
pub trait Commands: Send + Sync {
    /// Leaves a command for whoever runs the crawl. An error if the crawl is not there.
    async fn leave_command(&self, crawl: i64, command: &Command) -> StoreResult<()>;

    /// Takes the commands that were left for a crawl, oldest first. Each is taken once,
    /// however many ask.
    async fn take_commands(&self, crawl: i64) -> StoreResult<Vec<Command>>;
}
