//! Saves what can be read of a damaged database into a fresh one. The damaged file is
//! kept aside. Archives are files of their own and are not touched.
//!
//! A table is copied in ranges of its key; a range that cannot be read is halved until
//! only the rows on damaged pages are left out.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, ConnectOptions};

use super::Store;
use crate::clock;

/// Tables in an order in which each comes after those it refers to, with the column
/// whose ranges are copied.
const TABLES: [(&str, &str); 14] = [
    ("topic", "rowid"),
    ("event", "rowid"),
    ("looked_for", "rowid"),
    ("crawl", "rowid"),
    ("leaving", "rowid"),
    ("on_drift", "rowid"),
    ("fetch", "number"),
    ("form", "number"),
    ("device", "rowid"),
    ("alarm", "number"),
    ("question", "crawl"),
    ("skipped", "crawl"),
    ("notice", "topic"),
    ("command", "rowid"),
];
/// No key is greater.
const GREATEST: i64 = 1 << 40;

/// What was saved.
#[derive(Debug)]
pub struct Saved {
    /// Where the damaged file is kept.
    pub aside: PathBuf,
    /// Table, rows saved, and whether some could not be read.
    pub tables: Vec<(&'static str, u64, bool)>,
}

/// Repairs the database of a data folder. Nothing may use it meanwhile.
pub async fn repair(folder: &Path) -> Result<Saved> {
    let file = folder.join("linkscent.sqlite");
    if !file.exists() {
        bail!("there is no {}", file.display());
    }
    let aside = folder.join(format!("linkscent.sqlite.damaged-{}", clock::now()));
    // What is not in the file itself yet goes along with it.
    for ending in ["", "-wal"] {
        let from = folder.join(format!("linkscent.sqlite{ending}"));
        if from.exists() {
            let to = PathBuf::from(format!("{}{ending}", aside.display()));
            std::fs::rename(&from, &to).with_context(|| format!("moving {}", from.display()))?;
        }
    }
    let _ = std::fs::remove_file(folder.join("linkscent.sqlite-shm"));
    let fresh = Store::open(folder).await?;
    fresh.pool.close().await;
    let tables = match attach(&aside, &file).await {
        Ok(mut connection) => copy_all(&mut connection).await,
        // It is no database at all.
        Err(_) => TABLES.map(|(table, _)| (table, 0, true)).to_vec(),
    };
    Ok(Saved { aside, tables })
}

/// The damaged database, the fresh one beside it.
async fn attach(damaged: &Path, fresh: &Path) -> Result<SqliteConnection> {
    let options = SqliteConnectOptions::new()
        .filename(damaged)
        .foreign_keys(false);
    let mut connection = options.connect().await?;
    sqlx::query("ATTACH ? AS fresh")
        .bind(fresh.display().to_string())
        .execute(&mut connection)
        .await?;
    Ok(connection)
}

async fn copy_all(connection: &mut SqliteConnection) -> Vec<(&'static str, u64, bool)> {
    let mut tables = Vec::new();
    for (table, key) in TABLES {
        let (rows, is_whole) = copy(connection, table, key).await;
        tables.push((table, rows, !is_whole));
    }
    tables
}

/// Copies what can be read of a table; how many rows, and whether that was all.
async fn copy(connection: &mut SqliteConnection, table: &str, key: &str) -> (u64, bool) {
    let Ok(columns) = common_columns(connection, table).await else {
        return (0, false);
    };
    let (mut rows, mut is_whole) = (0, true);
    let mut ranges = vec![(0, GREATEST)];
    while let Some((first, last)) = ranges.pop() {
        let statement = format!(
            "INSERT OR IGNORE INTO fresh.{table} ({columns})
             SELECT {columns} FROM main.{table} WHERE {key} BETWEEN {first} AND {last}"
        );
        match sqlx::query(AssertSqlSafe(statement))
            .execute(&mut *connection)
            .await
        {
            Ok(done) => rows += done.rows_affected(),
            Err(_) if first == last => is_whole = false,
            Err(_) => {
                let middle = first + (last - first) / 2;
                ranges.push((middle + 1, last));
                ranges.push((first, middle));
            }
        }
        // Where nothing can be read at all, there is an end to halving.
        if ranges.len() > 64 || (!is_whole && rows == 0 && last > 1 << 20) {
            return (rows, false);
        }
    }
    (rows, is_whole)
}

/// The columns that a table has in both databases, for a statement.
async fn common_columns(connection: &mut SqliteConnection, table: &str) -> Result<String> {
    let rows: Vec<(String,)> = sqlx::query_as(
        "SELECT name FROM pragma_table_info(?1, 'fresh')
         WHERE name IN (SELECT name FROM pragma_table_info(?1, 'main'))",
    )
    .bind(table)
    .fetch_all(&mut *connection)
    .await?;
    if rows.is_empty() {
        bail!("there is no table {table}");
    }
    let names: Vec<String> = rows.into_iter().map(|row| row.0).collect();
    Ok(names.join(", "))
}

#[cfg(test)]
mod tests {
    use linkscent_core::wire::api::Happening;

    use super::*;

    #[tokio::test]
    async fn what_lies_on_whole_pages_is_saved() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let topic = store.topic_named("bees").await.unwrap();
        let marks = (0..2_000).map(|n| {
            Happening::mark_unread(&format!("http://a.test/a-page-with-a-name/{n}"), Some(true))
        });
        store.note(&topic, marks.collect()).await.unwrap();
        sqlx::raw_sql("PRAGMA wal_checkpoint(TRUNCATE)")
            .execute(&store.pool)
            .await
            .unwrap();
        store.pool.close().await;
        let file = folder.path().join("linkscent.sqlite");
        let mut bytes = std::fs::read(&file).unwrap();
        let middle = bytes.len() / 2 / 4_096 * 4_096;
        bytes[middle..middle + 4 * 4_096].fill(0xA5);
        std::fs::write(&file, &bytes).unwrap();

        let saved = repair(folder.path()).await.unwrap();
        assert_eq!(std::fs::read(&saved.aside).unwrap().len(), bytes.len());
        let events = saved.tables.iter().find(|row| row.0 == "event").unwrap();
        assert!(events.2, "some rows were lost");
        let store = Store::open(folder.path()).await.unwrap();
        assert_eq!(store.topics().await.unwrap()[0].name, "bees");
        let kept = store.events(topic.id).await.unwrap().len();
        assert!((1_800..2_000).contains(&kept), "{kept} of 2000");
        assert_eq!(kept as u64, events.1);
    }

    #[tokio::test]
    async fn a_file_that_is_no_database_is_put_aside() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("linkscent.sqlite");
        std::fs::write(&file, "x".repeat(10_000)).unwrap();
        let refused = Store::open(folder.path()).await.err().unwrap();
        assert!(format!("{refused:#}").contains("linkscent repair"));
        let saved = repair(folder.path()).await.unwrap();
        assert!(saved.tables.iter().all(|row| row.1 == 0 && row.2));
        assert!(Store::open(folder.path()).await.is_ok());
    }
}
