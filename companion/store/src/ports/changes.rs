//! Hearing that something was changed, here or by another process.

use async_trait::async_trait;

use crate::error::StoreResult;

/// Who asks whether anything was changed.
#[async_trait]
pub trait Changes: Send + Sync {
    /// Begins to look.
    async fn watch(&self) -> StoreResult<Box<dyn Watch>>;
}

/// A look at what is kept, from now on.
#[async_trait]
pub trait Watch: Send {
    /// A number that is another one after every change that was made since it was last
    /// asked for, through this store or by another process.
    async fn version(&mut self) -> StoreResult<i64>;
}
