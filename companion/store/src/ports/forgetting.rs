//! Deleting what has to do with pages or clicks, and looking afterwards whether anything of
//! them is left.
//!
//! A page may be written in several ways, with secrets in its address or by other rules of
//! spelling: `spellings` says how, and the other calls are given what it said.

use async_trait::async_trait;
use linkscent_core::topic_model::ToForget;

use crate::error::StoreResult;

/// A page of a crawl's archive that has to go.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeptPage {
    /// The crawl.
    pub crawl: i64,
    /// Where its record begins.
    pub offset: u64,
    /// Where the next one begins, or the archive ends.
    pub end: u64,
}

/// Whose model file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ModelOf {
    /// A topic's.
    Topic(i64),
    /// The one a crawl started with.
    Crawl(i64),
}

/// See the module. Nothing may write logs meanwhile.
#[async_trait]
pub trait Forgetting: Send + Sync {
    /// The pages as they are written anywhere, by their letters: as they are asked for, and
    /// as logs and links not asked for have them. Empty if no page is to be forgotten.
    async fn spellings(&self, gone: &ToForget) -> StoreResult<Vec<String>>;

    /// Records of archives that hold one of the pages, in no certain order.
    async fn kept_pages(&self, spellings: &[String]) -> StoreResult<Vec<KeptPage>>;

    /// What browsers kept as it was read from a time on, in milliseconds since 1970: the numbers of
    /// the pages in their logs, and where they lie.
    async fn readings_since(&self, time: i64) -> StoreResult<Vec<(u64, KeptPage)>>;

    /// Deletes copies of pages from the logs of crawls, by crawl and number.
    async fn forget_copies(&self, copies: &[(i64, u64)]) -> StoreResult<()>;

    /// Deletes all that has to do with them, as one change: events that name a page or are a
    /// click to forget, visits that such a click led to, and if that is asked all visits; fetches with their forms; questions, commands, links not asked for;
    /// notices and alarms in whose text a page stands; seeds of crawls. A redirect to a page
    /// becomes a problem, and trails lose the step. Returns how many events, fetches,
    /// questions, commands, links, notices, alarms and seeds went.
    async fn forget_rows(&self, gone: &ToForget, spellings: &[String]) -> StoreResult<u64>;

    /// All model files, in no certain order.
    async fn model_files(&self) -> StoreResult<Vec<(ModelOf, Vec<u8>)>>;

    /// All files of taxonomies with the numbers of their topics, in no certain order.
    async fn taxonomies(&self) -> StoreResult<Vec<(i64, Vec<u8>)>>;

    /// Puts a model file in the place of another. That of a topic gets a new version, so
    /// browsers fetch it again.
    async fn replace_model(&self, of: ModelOf, file: &[u8]) -> StoreResult<()>;

    /// Sees to it that nothing deleted lies in free space of the store, or in a copy of it.
    async fn sweep(&self) -> StoreResult<()>;

    /// Where one of the pages still stands, other than as the beginning of another address:
    /// names of places for people, by their letters; empty if nowhere.
    async fn traces(&self, spellings: &[String]) -> StoreResult<Vec<String>>;
}
