//! What crawls ask the person, and what people should hear that is no page.

use async_trait::async_trait;

use crate::error::StoreResult;

/// Notices that are told of one topic or crawl at most.
pub const MOST_NOTICES: usize = 10;

/// A page that a crawl asks about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionRow {
    /// The page.
    pub address: String,
    /// Its title.
    pub title: String,
    /// Beginning of its text.
    pub snippet: String,
}

/// Pages whose label would help a crawl most.
#[async_trait]
pub trait Questions: Send + Sync {
    /// Keeps a page to ask about, and when it was asked; asked before, nothing changes. An
    /// error if the crawl is not there.
    async fn add_question(&self, crawl: i64, address: &str, asked: i64) -> StoreResult<()>;

    /// Pages that a crawl has asked about, answered or not, in no certain order.
    async fn asked(&self, crawl: i64) -> StoreResult<Vec<String>>;

    /// What a crawl still wants to know, oldest first and of one moment by address: pages
    /// that it has fetched and that were not answered, with title and snippet of their
    /// last fetch.
    async fn questions(&self, crawl: i64) -> StoreResult<Vec<QuestionRow>>;

    /// Keeps the person's answer, which is not empty: `yes`, `no` or `skip`. A page that was
    /// not asked about is passed over.
    async fn answer(&self, crawl: i64, address: &str, answer: &str) -> StoreResult<()>;
}

/// What people should hear of a topic or a crawl: what was damaged, what was paused.
#[async_trait]
pub trait Notices: Send + Sync {
    /// Keeps something that people should hear, of a topic or of one of its crawls; returns
    /// whether it is new. Said before of the same, it keeps its time. An error if the
    /// topic is not there.
    async fn add_notice(
        &self,
        topic: i64,
        crawl: Option<i64>,
        said: &str,
        time: i64,
    ) -> StoreResult<bool>;

    /// What people should hear of a topic itself, or of one of its crawls; newest first and
    /// of one moment by their letters. At most [`MOST_NOTICES`].
    async fn notices(&self, topic: i64, crawl: Option<i64>) -> StoreResult<Vec<String>>;
}
