//! Requests that a crawl has begun and not put into its log: each with its answer, once that is there.
//! They outlive the process, so whoever takes up a crawl that was killed knows what was asked, and does
//! not ask again for what was answered.
//!
//! Each crawl has a file of its own in the data folder. It is not synced: a power cut costs the requests
//! that are under way, and nothing else. What is in the log is deleted from it, and with the crawl all
//! of it.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};

use super::files;

/// Milliseconds after which an answer is out of date: the page is fetched again.
const KEPT: i64 = 60 * 60 * 1_000;

/// The requests of one crawl. Clones are the same.
#[derive(Debug, Clone)]
pub struct InFlight {
    pool: SqlitePool,
    path: PathBuf,
}

/// Requests that whoever ran the crawl before left unfinished.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unfinished {
    /// Addresses whose answers are there, in the order in which they were asked for.
    pub answered: Vec<String>,
    /// Addresses that were asked for and have no answer, in the same order.
    pub unanswered: Vec<String>,
}

impl InFlight {
    /// Opens the file of a crawl that nobody else runs, and says what is left in it. Requests without an
    /// answer are then deleted from it, and so are answers that are out of date. A file that cannot be
    /// read is replaced by an empty one.
    pub async fn open(path: &Path, now: i64) -> Result<(Self, Unfinished)> {
        let opened = match Self::try_open(path, now).await {
            Err(error) => {
                tracing::warn!("{} cannot be read: {error}", path.display());
                delete(path)?;
                Self::try_open(path, now).await
            }
            opened => opened,
        };
        opened.with_context(|| format!("opening {}", path.display()))
    }

    async fn try_open(path: &Path, now: i64) -> Result<(Self, Unfinished)> {
        files::make_private(path)?;
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Off)
            .pragma("secure_delete", "ON")
            .busy_timeout(Duration::from_secs(10));
        let pool = SqlitePoolOptions::new()
            .max_connections(1)
            .connect_with(options)
            .await?;
        sqlx::query(
            "CREATE TABLE IF NOT EXISTS request (
                 number  INTEGER PRIMARY KEY,
                 address TEXT NOT NULL UNIQUE,
                 begun   INTEGER NOT NULL, -- in milliseconds since 1970
                 answer  BLOB
             ) STRICT",
        )
        .execute(&pool)
        .await?;
        let rows: Vec<(String, bool)> = sqlx::query_as(
            "SELECT address, answer IS NOT NULL AND begun BETWEEN ?1 - ?2 AND ?1 FROM request
             ORDER BY number",
        )
        .bind(now)
        .bind(KEPT)
        .fetch_all(&pool)
        .await?;
        sqlx::query("DELETE FROM request WHERE answer IS NULL OR NOT begun BETWEEN ?1 - ?2 AND ?1")
            .bind(now)
            .bind(KEPT)
            .execute(&pool)
            .await?;
        let mut unfinished = Unfinished::default();
        for (address, is_answered) in rows {
            if is_answered {
                unfinished.answered.push(address);
            } else {
                unfinished.unanswered.push(address);
            }
        }
        let path = path.to_owned();
        Ok((Self { pool, path }, unfinished))
    }

    /// Puts down that a page is asked for.
    pub async fn begin(&self, address: &str, now: i64) -> Result<()> {
        sqlx::query("INSERT OR REPLACE INTO request (address, begun) VALUES (?, ?)")
            .bind(address)
            .bind(now)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Puts down the answer to a request that was begun.
    pub async fn answer(&self, address: &str, answer: &[u8]) -> Result<()> {
        sqlx::query("UPDATE request SET answer = ? WHERE address = ?")
            .bind(answer)
            .bind(address)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// The answer to a request, if it is there.
    pub async fn answer_to(&self, address: &str) -> Result<Option<Vec<u8>>> {
        let answer: Option<(Option<Vec<u8>>,)> =
            sqlx::query_as("SELECT answer FROM request WHERE address = ?")
                .bind(address)
                .fetch_optional(&self.pool)
                .await?;
        Ok(answer.and_then(|(answer,)| answer))
    }

    /// Deletes requests that are in the log, or that came to nothing.
    pub async fn end<'a>(&self, addresses: impl IntoIterator<Item = &'a str>) -> Result<()> {
        let addresses: Vec<&str> = addresses.into_iter().collect();
        sqlx::query("DELETE FROM request WHERE address IN (SELECT value FROM json_each(?))")
            .bind(serde_json::to_string(&addresses)?)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Deletes the file: the crawl has come to its end.
    pub async fn close(&self) -> Result<()> {
        self.pool.close().await;
        delete(&self.path).with_context(|| format!("deleting {}", self.path.display()))
    }
}

/// Deletes the file of a crawl, if there is one.
pub fn delete(path: &Path) -> io::Result<()> {
    for ending in ["", "-wal", "-shm"] {
        let mut file = path.as_os_str().to_owned();
        file.push(ending);
        match std::fs::remove_file(Path::new(&file)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_800_000_000_000;

    #[tokio::test]
    async fn what_was_asked_is_known_to_the_next_process() {
        let folder = crate::fixtures::folder();
        let path = folder.path().join("crawl-1.requests");
        let (requests, left) = InFlight::open(&path, NOW).await.unwrap();
        assert_eq!(left, Unfinished::default());
        for (address, begun) in [("old", NOW - KEPT - 1), ("b", NOW), ("a", NOW), ("c", NOW)] {
            requests.begin(address, begun).await.unwrap();
        }
        for address in ["old", "a", "c"] {
            requests.answer(address, address.as_bytes()).await.unwrap();
        }
        requests.begin("d", NOW).await.unwrap();
        requests.end(["c", "none"]).await.unwrap();
        // It is killed here: nothing is closed.
        let (again, left) = InFlight::open(&path, NOW + 1).await.unwrap();
        let expected = Unfinished {
            answered: vec!["a".to_owned()],
            unanswered: ["old", "b", "d"].map(str::to_owned).to_vec(),
        };
        assert_eq!(left, expected);
        assert_eq!(
            again.answer_to("a").await.unwrap().as_deref(),
            Some(&b"a"[..])
        );
        assert_eq!(again.answer_to("b").await.unwrap(), None);
        again.close().await.unwrap();
        assert!(!path.exists());
        // What is no such file is replaced.
        std::fs::write(
            &path,
            "no database, but some text that is long enough to be seen",
        )
        .unwrap();
        let (_, left) = InFlight::open(&path, NOW).await.unwrap();
        assert_eq!(left, Unfinished::default());
    }
}
