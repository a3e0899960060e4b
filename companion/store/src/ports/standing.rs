//! Topics that stand: pages of them are looked at again, recrawl by recrawl.

use async_trait::async_trait;

use crate::error::StoreResult;

/// How a topic stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandingTopic {
    /// The topic.
    pub topic: i64,
    /// Milliseconds between two recrawls.
    pub every: i64,
    /// Requests of one recrawl at most.
    pub requests: u64,
    /// When the next one begins.
    pub due: i64,
    /// What its feed lies under: a secret.
    pub feed: String,
}

/// What came of a request for a page, as far as it says how pages change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookRow {
    /// The crawl that made it.
    pub crawl: i64,
    /// Whether that was a recrawl of a watched topic.
    pub is_recrawl: bool,
    /// The page.
    pub address: String,
    /// The page whose link was followed; none for a start.
    pub from: Option<String>,
    /// When the answer came.
    pub time: i64,
    /// Whether a page came and was kept: none did where it had not changed, or was gone.
    pub came: bool,
    /// Whether it is what is looked for.
    pub is_target: bool,
}

/// See the module.
#[async_trait]
pub trait Standing: Send + Sync {
    /// Has a topic stand so from now on. An error if it is not there.
    async fn stand(&self, standing: &StandingTopic) -> StoreResult<()>;

    /// Puts the next recrawl of a topic off to another time, if it still stands and is due when it
    /// was; whether it was so.
    async fn put_off(&self, standing: &StandingTopic, due: i64) -> StoreResult<bool>;

    /// A topic stands no longer.
    async fn rest(&self, topic: i64) -> StoreResult<()>;

    /// All that stand, the one that is due next first. Topics that were removed do not.
    async fn standing(&self) -> StoreResult<Vec<StandingTopic>>;

    /// Pages that a topic's recrawls were to begin with and that robots.txt forbade, by address.
    async fn denied(&self, topic: i64) -> StoreResult<Vec<String>>;

    /// All requests of a topic that brought a page, and all of its recrawls whatever they brought,
    /// by crawl and number; those of crawls that were removed, and pages that browsers kept, are
    /// passed over, and so are requests that are made again.
    async fn looks(&self, topic: i64) -> StoreResult<Vec<LookRow>>;
}
