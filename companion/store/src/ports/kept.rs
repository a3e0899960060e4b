//! Pages that crawls kept, over all crawls and topics: what the library is made of.

use async_trait::async_trait;

use super::ResultRow;
use crate::error::StoreResult;

/// A page, or a redirect, in the archive of a crawl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptRow {
    /// Its number in the crawl's log.
    pub number: u64,
    /// Its address.
    pub address: String,
    /// Where its record begins.
    pub offset: u64,
}

/// A copy of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyRow {
    /// The crawl that keeps it.
    pub crawl: i64,
    /// Its number in that crawl's log.
    pub number: u64,
    /// The page.
    pub address: String,
}

/// What a crawl says of a page it kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StandingRow {
    /// The crawl.
    pub crawl: i64,
    /// The page's number in its log.
    pub number: u64,
    /// Its relevance, 0..=1.
    pub relevance: f64,
    /// Whether it is what is looked for.
    pub is_target: bool,
    /// Whether it came since the person looked last, and no earlier crawl of the topic had it in
    /// view; as a target, if it is one. What a browser kept is not,
    /// nor what the person had marked before it came.
    pub is_new: bool,
    /// When it came, in milliseconds since 1970.
    pub time: i64,
}

/// See the module. A page is kept if its record lies in the archive and it was judged.
#[async_trait]
pub trait Kept: Send + Sync {
    /// Pages that a crawl kept, by number, from the one after `number` on.
    async fn kept_after(&self, crawl: i64, number: u64, most: i64) -> StoreResult<Vec<KeptRow>>;

    /// Of every page that was kept, by crawl and number: of a topic, or of all. Crawls that were
    /// removed, and those of topics that were, are passed over.
    async fn standings(&self, topic: Option<i64>) -> StoreResult<Vec<StandingRow>>;

    /// Notes that the person has seen all that is kept now, of a topic or of all: it is new no
    /// more.
    async fn look(&self, topic: Option<i64>) -> StoreResult<()>;

    /// The copies that a topic's crawls keep of pages, by crawl and number. Crawls that were
    /// removed have some, too.
    async fn copies(&self, topic: i64, addresses: &[String]) -> StoreResult<Vec<CopyRow>>;

    /// The last redirect of a crawl before a number that leads straight to an address and stands in
    /// its archive.
    async fn redirect_to(
        &self,
        crawl: i64,
        address: &str,
        before: u64,
    ) -> StoreResult<Option<KeptRow>>;

    /// A page of a crawl by its number.
    async fn result_at(&self, crawl: i64, number: u64) -> StoreResult<Option<ResultRow>>;
}
