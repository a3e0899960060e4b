//! Sites of which nothing is remembered from one topic to another.

use async_trait::async_trait;

use crate::error::StoreResult;

/// See the module.
#[async_trait]
pub trait Sites: Send + Sync {
    /// Has nothing be remembered of a host, or has it remembered again.
    async fn forget_site(&self, host: &str, is_forgotten: bool) -> StoreResult<()>;

    /// Hosts of which nothing is remembered, by name.
    async fn forgotten_sites(&self) -> StoreResult<Vec<String>>;
}
