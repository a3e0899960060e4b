//! Crawls and topics that are deleted with all that hangs on them.

use async_trait::async_trait;

use crate::error::StoreResult;

/// See the module. What is deleted no other call knows any more; archives are files of the data
/// folder and stay, see [`deleted_crawls`](Self::deleted_crawls). Nothing may write the logs of
/// crawls that are deleted meanwhile.
#[async_trait]
pub trait Deleting: Send + Sync {
    /// Removes a crawl from sight, or brings it back.
    async fn hide_crawl(&self, crawl: i64, removed: bool) -> StoreResult<()>;

    /// Deletes a crawl with its log, questions, commands and notices. Its number is never given
    /// again.
    async fn delete_crawl(&self, crawl: i64) -> StoreResult<()>;

    /// Deletes all of a topic but its key and the last event that says it was removed: other
    /// events, what it is called, its critic, taxonomy and model, notices, and its crawls. It
    /// gets a new version.
    async fn delete_topic(&self, topic: i64) -> StoreResult<()>;

    /// Numbers of crawls that were deleted, rising.
    async fn deleted_crawls(&self) -> StoreResult<Vec<i64>>;

    /// Deletes every row there is: topics, events, crawls, notices, browsers. Numbers begin
    /// again.
    async fn delete_everything(&self) -> StoreResult<()>;
}
