//! What is on the disk of a commit, and what becomes of a connection whose write failed.

use linkscent_core::address::Address;
use linkscent_core::crawl::{SkipReason, Skipped};
use sqlx::sqlite::SqlitePoolOptions;
use tempfile::TempDir;

use crate::fixtures::{crawl, failed, fetched, folder};
use crate::ports::{CrawlLog, CrawlWriter, Crawls};
use crate::sqlite::{CONNECTIONS, SqliteStore};

const A: &str = "http://a.test/";

async fn opened() -> (TempDir, SqliteStore, i64) {
    let folder = folder();
    let store = SqliteStore::open(folder.path()).await.unwrap();
    let crawl = crawl(&store).await;
    (folder, store, crawl)
}

/// Nothing is closed: the files are as a process leaves them that is killed.
#[tokio::test]
async fn what_was_acknowledged_is_on_the_disk() {
    let (folder, store, crawl) = opened().await;
    let batch = [fetched(1, A, 0.9), failed(2, A)];
    store.take_fetches(crawl, 4_321, &batch).await.unwrap();
    let copy = self::folder();
    for file in ["linkscent.sqlite", "linkscent.sqlite-wal"] {
        std::fs::copy(folder.path().join(file), copy.path().join(file)).unwrap();
    }
    let after = SqliteStore::open(copy.path()).await.unwrap();
    let row = after.crawl(crawl).await.unwrap().unwrap();
    assert_eq!(row, store.crawl(crawl).await.unwrap().unwrap());
    assert_eq!(row.warc_length, 4_321);
    let log = after.fetches(crawl).await.unwrap();
    assert_eq!(log, store.fetches(crawl).await.unwrap());
    assert_eq!(log.len(), 2);
    assert_eq!(after.counts(crawl).await.unwrap(), (1, 1, 1, 1));
}

/// A process may be killed at any byte of a commit: of the log is then there what was
/// acknowledged before, and at most one batch more, whole.
#[tokio::test]
async fn a_commit_that_is_cut_short_is_none() {
    let (folder, store, crawl) = opened().await;
    let wal = folder.path().join("linkscent.sqlite-wal");
    let length = || std::fs::metadata(&wal).unwrap().len() as usize;
    let batch = [fetched(1, A, 0.9), failed(2, A)];
    store.take_fetches(crawl, 2_000, &batch).await.unwrap();
    let before = length();
    let batch = [fetched(3, A, 0.9), failed(4, A), failed(5, A)];
    store.take_fetches(crawl, 4_000, &batch).await.unwrap();
    let (bytes, after) = (std::fs::read(&wal).unwrap(), length());
    assert!(after > before, "the batch went to the end of the file");
    let middle = usize::midpoint(before, after);
    let cuts = [before, before + 24, middle, after - 1, after];
    for cut in cuts {
        let copy = self::folder();
        let name = "linkscent.sqlite";
        std::fs::copy(folder.path().join(name), copy.path().join(name)).unwrap();
        std::fs::write(copy.path().join("linkscent.sqlite-wal"), &bytes[..cut]).unwrap();
        let store = SqliteStore::open(copy.path()).await.unwrap();
        let requests = store.fetches(crawl).await.unwrap().len();
        let length = store.crawl(crawl).await.unwrap().unwrap().warc_length;
        let is_whole = cut == after;
        let by_hand = if is_whole { (5, 4_000) } else { (2, 2_000) };
        assert_eq!((requests, length), by_hand, "{cut} of {after}");
        let counts = if is_whole { (2, 2, 2, 3) } else { (1, 1, 1, 1) };
        assert_eq!(store.counts(crawl).await.unwrap(), counts);
    }
}

/// The trigger is temporary: it lives as long as the store's one connection.
#[tokio::test]
async fn a_connection_whose_write_failed_is_not_used_again() {
    let (folder, mut store, crawl) = opened().await;
    let file = format!(
        "sqlite://{}",
        folder.path().join("linkscent.sqlite").display()
    );
    let one = SqlitePoolOptions::new().max_connections(1);
    store.pool = one.connect(&file).await.unwrap();
    sqlx::raw_sql(
        "CREATE TEMP TRIGGER disk_full BEFORE INSERT ON main.fetch WHEN NEW.number = 3
         BEGIN SELECT RAISE(ABORT, 'the disk is full'); END",
    )
    .execute(&store.pool)
    .await
    .unwrap();
    let batch = [fetched(1, A, 0.9), fetched(2, A, 0.9), fetched(3, A, 0.9)];
    let failed = store.take_fetches(crawl, 9_000, &batch).await.unwrap_err();
    let said = format!("{:#}", anyhow::Error::from(failed));
    assert!(said.starts_with("writing to the store: "), "{said}");
    assert!(said.contains("the disk is full"), "{said}");
    assert_eq!(store.fetches(crawl).await.unwrap(), []);
    assert_eq!(store.counts(crawl).await.unwrap(), (0, 0, 0, 0));
    assert_eq!(store.crawl(crawl).await.unwrap().unwrap().warc_length, 0);
    store.take_fetches(crawl, 9_000, &batch).await.unwrap();
    assert_eq!(store.counts(crawl).await.unwrap(), (3, 3, 3, 0));
}

/// `SQLite` ends a transaction itself where there is no room, and a trigger can have it do so.
#[tokio::test]
async fn a_transaction_that_the_database_ended_hinders_none_that_follows() {
    let (_folder, store, crawl) = opened().await;
    sqlx::raw_sql(
        "CREATE TRIGGER disk_full BEFORE INSERT ON skipped WHEN NEW.address LIKE '%/full'
         BEGIN SELECT RAISE(ROLLBACK, 'the disk is full'); END",
    )
    .execute(&store.pool)
    .await
    .unwrap();
    let link = |page: &str| Skipped {
        address: Address::parse(page).unwrap(),
        reason: SkipReason::Repetition,
        is_seed: false,
    };
    let (full, fits) = ([link("http://a.test/full")], [link("http://a.test/fits")]);
    for _ in 0..2 * CONNECTIONS {
        let refused = store.skip(crawl, &full).await.unwrap_err();
        let said = format!("{:#}", anyhow::Error::from(refused));
        assert!(said.contains("the disk is full"), "{said}");
        store.skip(crawl, &fits).await.unwrap();
    }
    assert_eq!(store.skipped(crawl).await.unwrap().len(), 1);
}
