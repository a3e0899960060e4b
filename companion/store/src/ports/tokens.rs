//! Tokens by which programs may call.

use async_trait::async_trait;
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::error::StoreResult;

/// What a token permits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Permission {
    /// To see topics, crawls and the library, and to take pages away.
    Read,
    /// To judge, tag and describe, as the person does.
    Mark,
    /// To have pages fetched from the web.
    Crawl,
}

impl Permission {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Read, Self::Mark, Self::Crawl];

    /// As forms and the API's description name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Mark => "mark",
            Self::Crawl => "crawl",
        }
    }
}

/// A token; what it is cannot be told from this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRow {
    /// Its number, never given again.
    pub id: i64,
    /// What the person calls the program.
    pub name: String,
    /// What it permits.
    pub may: Vec<Permission>,
    /// When it was made, in milliseconds since 1970.
    pub created: i64,
    /// When it was used last, about; 0 for never.
    pub used: i64,
}

/// Programs that may call.
#[async_trait]
pub trait Tokens: Send + Sync {
    /// Takes a token in by its digest; its number. An error if there is one of that digest.
    async fn add_token(
        &self,
        name: &str,
        may: &[Permission],
        digest: &str,
        now: i64,
    ) -> StoreResult<i64>;

    /// All tokens, newest first.
    async fn tokens(&self) -> StoreResult<Vec<TokenRow>>;

    /// The token of that digest.
    async fn token(&self, digest: &str) -> StoreResult<Option<TokenRow>>;

    /// Puts down when a token was used.
    async fn token_used(&self, id: i64, now: i64) -> StoreResult<()>;

    /// Revokes a token.
    async fn remove_token(&self, id: i64) -> StoreResult<()>;
}
