//! What a database finds wrong with itself.

use std::path::Path;

use anyhow::{Context, Result};
use sqlx::Connection;

use super::{DATABASE, connect};
use crate::files;

/// Faults that are named.
const MOST_FAULTS: usize = 20;

/// What is wrong with the database of a folder, in words; nothing if all is well, or if
/// its rows are in a database elsewhere. Reads it whole.
pub async fn faults(folder: &Path) -> Result<Vec<String>> {
    if folder.join(files::ELSEWHERE).exists() {
        return Ok(Vec::new());
    }
    let mut connection = connect(&folder.join(DATABASE)).await?;
    let damaged: Vec<(String,)> = sqlx::query_as("PRAGMA integrity_check(20)")
        .fetch_all(&mut connection)
        .await
        .context("reading the database")?;
    let damaged = damaged.into_iter().map(|(said,)| said);
    let damaged: Vec<String> = damaged.filter(|said| said != "ok").collect();
    // Of a damaged one not all rows can be looked at.
    let dangling: Vec<(String, String)> =
        sqlx::query_as("SELECT \"table\", parent FROM pragma_foreign_key_check LIMIT 20")
            .fetch_all(&mut connection)
            .await
            .or_else(|error| {
                let is_known = !damaged.is_empty();
                is_known.then(Vec::new).ok_or(error)
            })
            .context("reading the database")?;
    connection.close().await?;
    let dangling = dangling
        .into_iter()
        .map(|(table, of)| format!("a row of {table} belongs to one of {of} that is not there"));
    Ok(damaged
        .into_iter()
        .chain(dangling)
        .take(MOST_FAULTS)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{crawl, fetched, folder};
    use crate::{Store, StoreError};

    #[tokio::test]
    async fn a_full_disk_is_said_as_such() {
        let folder = folder();
        let store = Store::open(folder.path()).await.unwrap();
        let mut connection = connect(&folder.path().join(DATABASE)).await.unwrap();
        sqlx::raw_sql("PRAGMA max_page_count = 1")
            .execute(&mut connection)
            .await
            .unwrap();
        let filled =
            sqlx::raw_sql("INSERT INTO topic (name, created) VALUES (hex(zeroblob(99999)), 1)")
                .execute(&mut connection)
                .await;
        let error = StoreError::from(filled.unwrap_err());
        assert!(matches!(error, StoreError::Full(_)), "{error}");
        assert!(error.to_string().contains("no room left"));
        drop(store);
    }

    #[tokio::test]
    async fn a_row_without_its_crawl_is_a_fault_and_a_whole_database_has_none() {
        let folder = folder();
        let store = Store::open(folder.path()).await.unwrap();
        let id = crawl(&*store).await;
        let row = fetched(1, "http://a.test/", 0.9);
        store.take_fetches(id, 5, &[row]).await.unwrap();
        assert!(faults(folder.path()).await.unwrap().is_empty());
        let mut connection = connect(&folder.path().join(DATABASE)).await.unwrap();
        sqlx::raw_sql("PRAGMA foreign_keys = OFF; DELETE FROM crawl")
            .execute(&mut connection)
            .await
            .unwrap();
        let said = faults(folder.path()).await.unwrap();
        assert_eq!(
            said,
            ["start_model", "fetch"]
                .map(|table| format!("a row of {table} belongs to one of crawl that is not there"))
        );
    }
}
