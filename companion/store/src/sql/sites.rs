//! Sites of which nothing is remembered, as rows.

use async_trait::async_trait;

#[cfg(feature = "team")]
use super::PostgresStore;
use super::{SqliteStore, text};
use crate::StoreResult;
use crate::ports::Sites;

macro_rules! sites {
    ($store:ty) => {
        #[async_trait]
        impl Sites for $store {
            async fn forget_site(&self, host: &str, is_forgotten: bool) -> StoreResult<()> {
                let statement = if is_forgotten {
                    "INSERT INTO forgotten_site (host) VALUES ($1) ON CONFLICT (host) DO NOTHING"
                } else {
                    "DELETE FROM forgotten_site WHERE host = $1"
                };
                let statement = sqlx::query(statement).bind(text(host));
                statement.execute(&self.pool).await?;
                Ok(())
            }

            async fn forgotten_sites(&self) -> StoreResult<Vec<String>> {
                let rows: Vec<(String,)> = sqlx::query_as("SELECT host FROM forgotten_site")
                    .fetch_all(&self.pool)
                    .await?;
                let mut hosts: Vec<String> = rows.into_iter().map(|row| row.0).collect();
                hosts.sort_unstable();
                Ok(hosts)
            }
        }
    };
}

sites!(SqliteStore);
#[cfg(feature = "team")]
sites!(PostgresStore);
