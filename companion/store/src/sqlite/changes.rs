//! Hearing of changes by a connection that is only used for this.

use async_trait::async_trait;
use sqlx::Sqlite;
use sqlx::pool::PoolConnection;

use super::SqliteStore;
use crate::StoreResult;
use crate::ports::{Changes, Watch};

#[async_trait]
impl Changes for SqliteStore {
    async fn watch(&self) -> StoreResult<Box<dyn Watch>> {
        Ok(Box::new(DataVersion(self.pool.acquire().await?)))
    }
}

/// What `SQLite` calls it.
struct DataVersion(PoolConnection<Sqlite>);

#[async_trait]
impl Watch for DataVersion {
    async fn version(&mut self) -> StoreResult<i64> {
        let row: (i64,) = sqlx::query_as("PRAGMA data_version")
            .fetch_one(&mut *self.0)
            .await?;
        Ok(row.0)
    }
}
