//! Searches that the person keeps.

use async_trait::async_trait;

use crate::error::StoreResult;

/// A search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchRow {
    /// Its number; 0 for one that is not kept yet.
    pub id: i64,
    /// The topic it is of; none for all.
    pub topic: Option<i64>,
    /// What it is called.
    pub name: String,
    /// The words, as they were typed.
    pub words: String,
    /// Which pages: `finds`, `new` or `all`.
    pub pages: String,
    /// What comes first: `best`, `likeliest` or `newest`.
    pub first: String,
}

/// See the module.
#[async_trait]
pub trait Searches: Send + Sync {
    /// Keeps a search in place of the one that is of the same topic and called the same; its
    /// number. An error if its topic is not there.
    async fn keep_search(&self, search: &SearchRow) -> StoreResult<i64>;

    /// All of them, by name; those of topics that were removed are passed over.
    async fn searches(&self) -> StoreResult<Vec<SearchRow>>;

    /// Keeps one no longer.
    async fn drop_search(&self, id: i64) -> StoreResult<()>;
}
