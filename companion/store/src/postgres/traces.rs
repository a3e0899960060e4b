//! What is left of deleted rows. What the server keeps besides is out of reach here: its write-ahead log,
//! the copies that are made of it, and what its statistics knew of rows before.

use std::path::Path;

use super::PostgresStore;
use crate::sqlite::{self, SqliteStore};
use crate::{StoreError, StoreResult};

/// Tables in which pages or words of people stand.
const TABLES: [&str; 18] = [
    "alarm",
    "command",
    "crawl",
    "device",
    "event",
    "fetch",
    "forgotten_site",
    "form",
    "model",
    "notice",
    "question",
    "saved_search",
    "skipped",
    "standing",
    "start_model",
    "task",
    "token",
    "topic",
];

impl PostgresStore {
    /// Rewrites the tables, so that nothing of what was deleted lies in them any more.
    pub(crate) async fn rewrite(&self) -> StoreResult<()> {
        sqlite::delete_copies(&self.folder).map_err(|error| {
            let error = anyhow::Error::from(error).context("deleting copies of the database");
            StoreError::Backend(error.into())
        })?;
        // What is under way is asked for again.
        sqlx::query("DELETE FROM task").execute(&self.pool).await?;
        for table in TABLES {
            let statement = sqlx::AssertSqlSafe(format!("VACUUM (FULL, ANALYZE) \"{table}\""));
            sqlx::raw_sql(statement).execute(&self.pool).await?;
        }
        Ok(())
    }

    /// Of the database nothing lies in the data folder, but its rows may have come from a file that stayed.
    pub(crate) fn traces_beside(folder: &Path, spellings: &[String]) -> Vec<String> {
        SqliteStore::traces_beside(folder, spellings)
    }
}
