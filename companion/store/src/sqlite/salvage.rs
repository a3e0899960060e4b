//! Saves what can be read of a damaged database into a fresh one, which takes its place once it is
//! whole. The damaged file is kept aside. Archives are files of their own and are not touched.
//!
//! A table is copied in ranges of its key; a range that cannot be read is halved until
//! only the rows on damaged pages are left out.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};

use super::{DATABASE, SqliteStore, migrations};
use crate::clock;
use crate::files;

/// The folder in which the fresh one is made.
pub(super) const BESIDE: &str = "repairing";
/// The fresh one, once it is whole.
const REPAIRED: &str = "linkscent.sqlite.repaired";

/// How the rows of a table are reached in ranges.
#[derive(Debug, Clone, Copy)]
enum Key {
    /// By this column.
    Column(&'static str),
    /// By crawl, and in it by number.
    CrawlAndNumber,
}

/// Tables in an order in which each comes after those it refers to.
const TABLES: [(&str, Key); 25] = [
    ("topic", Key::Column("rowid")),
    ("model", Key::Column("rowid")),
    ("event", Key::Column("rowid")),
    ("looked_for", Key::Column("rowid")),
    ("crawl", Key::Column("rowid")),
    ("start_model", Key::Column("rowid")),
    ("deleted_crawl", Key::Column("rowid")),
    ("leaving", Key::Column("rowid")),
    ("on_drift", Key::Column("rowid")),
    ("fetch", Key::CrawlAndNumber),
    ("form", Key::CrawlAndNumber),
    ("device", Key::Column("rowid")),
    ("token", Key::Column("rowid")),
    ("alarm", Key::CrawlAndNumber),
    ("question", Key::Column("crawl")),
    ("skipped", Key::Column("crawl")),
    ("notice", Key::Column("topic")),
    ("command", Key::Column("rowid")),
    ("saved_search", Key::Column("rowid")),
    ("forgotten_site", Key::Column("rowid")),
    ("standing", Key::Column("rowid")),
    ("account", Key::Column("rowid")),
    ("sign_in", Key::Column("rowid")),
    ("deed", Key::Column("rowid")),
    ("topic_role", Key::Column("rowid")),
];
/// Rows of crawls bring their counts along, and those of fetches add to them.
const COUNT_AGAIN: &str = "UPDATE crawl SET (requests, pages, scored, relevant) = (
    SELECT count(*), count(relevance), coalesce(sum(scored), 0),
           coalesce(sum(is_target AND scored), 0)
    FROM fetch WHERE fetch.crawl = crawl.id)";
/// An account or a topic that was lost may be made again by its number: nobody is in it who was before.
const SIGN_OUT: &str = "DELETE FROM sign_in WHERE account NOT IN (SELECT id FROM account);
    DELETE FROM topic_role WHERE account NOT IN (SELECT id FROM account)
        OR topic NOT IN (SELECT id FROM topic)";
/// No key is greater.
const GREATEST: i64 = 1 << 40;
/// Rows of one table that cannot be read, before the rest of it is given up.
const MOST_FAILURES: u32 = 20_000;

/// What was salvaged.
#[derive(Debug)]
pub struct Salvaged {
    /// Where the damaged file is kept.
    pub aside: PathBuf,
    /// Table, rows salvaged, and whether some could not be read.
    pub tables: Vec<(&'static str, u64, bool)>,
}

/// Repairs the database of a data folder. Nothing may use it meanwhile.
pub async fn repair(folder: &Path) -> Result<Salvaged> {
    let file = folder.join("linkscent.sqlite");
    if folder.join(files::ELSEWHERE).exists() {
        bail!(
            "what {} keeps as rows is in a PostgreSQL database, which its server repairs",
            folder.display()
        );
    }
    if !file.exists() {
        bail!("there is no {}", file.display());
    }
    let _lock = files::lock_folder(folder, true)?;
    // The damaged one stays where it is until a whole one can take its place.
    let beside = folder.join(BESIDE);
    if beside.exists() {
        std::fs::remove_dir_all(&beside)
            .with_context(|| format!("deleting {}", beside.display()))?;
    }
    files::make_folder(&beside)?;
    let salvaged = salvage(&file, &beside).await;
    let tables = match salvaged {
        Ok(tables) => tables,
        Err(error) => {
            // It has what is kept, and nobody would look for it there.
            let _ = std::fs::remove_dir_all(&beside);
            return Err(error);
        }
    };
    rename(&beside.join(DATABASE), &folder.join(REPAIRED))?;
    let aside = finish(folder)?;
    let _ = std::fs::remove_dir_all(&beside);
    Ok(Salvaged { aside, tables })
}

fn rename(from: &Path, to: &Path) -> Result<()> {
    std::fs::rename(from, to).with_context(|| format!("moving {}", from.display()))
}

/// Whether a repair was cut off once its database was whole.
pub(super) fn is_unfinished(folder: &Path) -> bool {
    folder.join(REPAIRED).exists()
}

/// Puts a repaired database in the place of the damaged one, which goes aside: where to. Nobody may
/// use the folder meanwhile.
pub(super) fn finish(folder: &Path) -> Result<PathBuf> {
    delete_checkpoints(folder)?;
    let aside = folder.join(format!("linkscent.sqlite.damaged-{}", clock::now()));
    // What is not in the file itself yet goes along with it.
    for ending in ["-wal", ""] {
        let from = folder.join(format!("{DATABASE}{ending}"));
        if from.exists() {
            rename(
                &from,
                &PathBuf::from(format!("{}{ending}", aside.display())),
            )?;
        }
    }
    let _ = std::fs::remove_file(folder.join("linkscent.sqlite-shm"));
    rename(&folder.join(REPAIRED), &folder.join(DATABASE))?;
    Ok(aside)
}

/// Checkpoints and open requests know pages that the repaired log may have lost.
fn delete_checkpoints(folder: &Path) -> Result<()> {
    let failed = || format!("deleting the checkpoints in {}", folder.display());
    for file in std::fs::read_dir(folder).with_context(failed)? {
        let path = file.with_context(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let endings = [
            ".checkpoint",
            ".checkpoint.new",
            ".requests",
            ".requests-wal",
            ".requests-shm",
        ];
        if endings.iter().any(|ending| name.ends_with(ending)) {
            std::fs::remove_file(&path).with_context(failed)?;
        }
    }
    Ok(())
}

/// Copies what can be read of a damaged database into a fresh one in a folder.
async fn salvage(damaged: &Path, beside: &Path) -> Result<Vec<(&'static str, u64, bool)>> {
    // Rows are copied in the form in which they were written, and then brought to that
    // of this version.
    let fresh = SqliteStore::connect(beside).await?;
    migrations::run(&fresh, migrations::form_of(damaged).await).await?;
    fresh.close().await;
    let tables = match attach(damaged, &beside.join(DATABASE)).await {
        Ok(mut connection) => {
            let tables = copy_all(&mut connection).await?;
            connection.close().await?;
            tables
        }
        // It is no database at all.
        Err(_) => vec![("topic", 0, true)],
    };
    let fresh = SqliteStore::connect(beside).await?;
    migrations::run(&fresh, None).await?;
    sqlx::raw_sql(COUNT_AGAIN).execute(&fresh).await?;
    sqlx::raw_sql(SIGN_OUT).execute(&fresh).await?;
    sqlx::raw_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        .execute(&fresh)
        .await?;
    fresh.close().await;
    Ok(tables)
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

async fn copy_all(connection: &mut SqliteConnection) -> Result<Vec<(&'static str, u64, bool)>> {
    let there: Vec<(String,)> = sqlx::query_as("SELECT name FROM fresh.sqlite_schema")
        .fetch_all(&mut *connection)
        .await?;
    let mut tables = Vec::new();
    for (table, key) in TABLES {
        if there.iter().all(|row| row.0 != table) {
            continue; // not in this form
        }
        let (rows, is_whole) = copy(connection, table, key).await;
        tables.push((table, rows, !is_whole));
    }
    Ok(tables)
}

/// Copies what can be read of a table; how many rows, and whether that was all.
async fn copy(connection: &mut SqliteConnection, table: &str, key: Key) -> (u64, bool) {
    let Ok(columns) = common_columns(connection, table).await else {
        return (0, false);
    };
    let column = match key {
        Key::Column(column) => column,
        Key::CrawlAndNumber => {
            let crawls = sqlx::query_as("SELECT id FROM fresh.crawl");
            let crawls: Vec<(i64,)> = crawls.fetch_all(&mut *connection).await.unwrap_or_default();
            let (mut rows, mut is_whole) = (0, !crawls.is_empty());
            for (crawl,) in crawls {
                let within = format!("crawl = {crawl} AND number");
                let copied = copy_ranges(connection, table, &columns, &within).await;
                rows += copied.0;
                is_whole &= copied.1;
            }
            return (rows, is_whole);
        }
    };
    copy_ranges(connection, table, &columns, column).await
}

/// The same for the rows that a condition reaches in ranges of its last column.
async fn copy_ranges(
    connection: &mut SqliteConnection,
    table: &str,
    columns: &str,
    key: &str,
) -> (u64, bool) {
    let (mut rows, mut failures) = (0, 0);
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
            Err(_) if first == last => failures += 1,
            Err(_) => {
                let middle = first + (last - first) / 2;
                ranges.push((middle + 1, last));
                ranges.push((first, middle));
            }
        }
        if failures == MOST_FAILURES {
            break;
        }
    }
    (rows, failures == 0)
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
    use linkscent_core::wire::api::{Event, EventKind};

    use super::*;
    use crate::Role;
    use crate::Store;
    use crate::ports::Events;

    /// Closes the database and overwrites `pages` of its pages, from one `part`th of the
    /// file on. Returns the file's length.
    async fn damage(store: SqliteStore, part: usize, pages: usize) -> usize {
        const PAGE: usize = 4_096;
        let file = store.folder.join("linkscent.sqlite");
        store.pool.close().await;
        drop(store);
        let mut bytes = std::fs::read(&file).unwrap();
        let first = bytes.len() / part / PAGE * PAGE;
        bytes[first..first + pages * PAGE].fill(0xA5);
        std::fs::write(&file, &bytes).unwrap();
        bytes.len()
    }

    #[tokio::test]
    async fn what_lies_on_whole_pages_is_saved() {
        let folder = crate::fixtures::folder();
        let store = SqliteStore::open(folder.path()).await.unwrap();
        let mark = |n: u64| Event {
            id: n.to_string(),
            topic: "bees".to_owned(),
            time: n,
            what: EventKind::mark_unread(
                &format!("http://a.test/a-page-with-a-name/{n}"),
                Some(true),
            ),
        };
        let marks: Vec<Event> = (0..2_000).map(mark).collect();
        store.take_events(&marks).await.unwrap();
        sqlx::raw_sql("PRAGMA wal_checkpoint(TRUNCATE)")
            .execute(&store.pool)
            .await
            .unwrap();
        let length = damage(store, 2, 4).await;

        let salvaged = repair(folder.path()).await.unwrap();
        assert_eq!(std::fs::read(&salvaged.aside).unwrap().len(), length);
        let events = salvaged.tables.iter().find(|row| row.0 == "event").unwrap();
        assert!(events.2, "some rows were lost");
        let store = Store::open(folder.path()).await.unwrap();
        let topic = store.topics().await.unwrap().remove(0);
        assert_eq!(topic.name, "bees");
        let kept = store.events(topic.id).await.unwrap().len();
        assert!((1_800..2_000).contains(&kept), "{kept} of 2000");
        assert_eq!(kept as u64, events.1);
    }

    #[tokio::test]
    async fn a_log_is_saved_but_for_what_lies_on_damaged_pages() {
        let folder = crate::fixtures::folder();
        let store = SqliteStore::open(folder.path()).await.unwrap();
        sqlx::raw_sql(
            "INSERT INTO topic (id, name, created) VALUES (1, 'bees', 1);
             INSERT INTO crawl (id, topic, created, state, spec, seeds)
             VALUES (1, 1, 1, 'done', '{\"version\":1,\"budget\":1}', '[]');
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)
             INSERT INTO fetch (crawl, number, address, trail, anchor, reason, priority, relevance,
                                is_target, scored, title, snippet, problem, redirect,
                                warc_offset, time)
                                SELECT 1, i, 'http://a.test/page/' || i, '[]', '', '', 1, 1, 1, 1,
                                      'a title', 'a snippet', '', NULL, NULL, 1 FROM n;
             PRAGMA wal_checkpoint(TRUNCATE)",
        )
        .execute(&store.pool)
        .await
        .unwrap();
        damage(store, 3, 1).await;
        let salvaged = repair(folder.path()).await.unwrap();
        let log = salvaged.tables.iter().find(|row| row.0 == "fetch").unwrap();
        assert!(log.1 > 3_500, "{log:?}");
    }

    #[tokio::test]
    async fn nobody_is_signed_in_by_an_account_that_was_lost() {
        let folder = crate::fixtures::folder();
        let store = SqliteStore::open(folder.path()).await.unwrap();
        sqlx::raw_sql(
            "PRAGMA foreign_keys = OFF;
             INSERT INTO account VALUES (2, 'ida', 'owner', 'hash', 1, NULL);
             INSERT INTO sign_in VALUES ('of nobody', 1, 5), ('of ida', 2, 5);
             INSERT INTO topic (id, name, created) VALUES (3, 'bees', 1);
             INSERT INTO topic_role VALUES (1, 3, 'owner'), (2, 3, 'editor'), (2, 4, 'owner')",
        )
        .execute(&mut *store.pool.acquire().await.unwrap())
        .await
        .unwrap();
        store.pool.close().await;
        drop(store);
        repair(folder.path()).await.unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        assert!(store.signed_in("of ida", 0).await.unwrap().is_some());
        assert_eq!(store.topic_roles(2).await.unwrap(), [(3, Role::Editor)]);
        assert!(store.topic_roles(1).await.unwrap().is_empty());
        let first = store.add_account("ada", Role::Owner, "hash", 6).await;
        // It may have any number, that of an account that was lost too.
        first.unwrap();
        let signed_in: Vec<(String,)> = sqlx::query_as("SELECT digest FROM sign_in")
            .fetch_all(&SqliteStore::connect(folder.path()).await.unwrap())
            .await
            .unwrap();
        assert_eq!(signed_in, [("of ida".to_owned(),)]);
    }

    #[tokio::test]
    async fn a_repair_that_was_cut_off_loses_nothing() {
        let folder = crate::fixtures::folder();
        let path = folder.path();
        let store = SqliteStore::open(path).await.unwrap();
        sqlx::raw_sql("INSERT INTO topic (name, created) VALUES ('bees', 1)")
            .execute(&store.pool)
            .await
            .unwrap();
        store.pool.close().await;
        drop(store);
        // While it was copying: what was copied is thrown away.
        std::fs::create_dir(path.join(BESIDE)).unwrap();
        std::fs::write(path.join(BESIDE).join(DATABASE), "half").unwrap();
        // They would fit a log that lost a row.
        let checkpoints = [
            "crawl-1.checkpoint",
            "crawl-2.checkpoint.new",
            "crawl-1.requests",
            "crawl-1.requests-wal",
        ];
        for name in checkpoints {
            std::fs::write(path.join(name), "").unwrap();
        }
        repair(path).await.unwrap();
        assert!(!path.join(BESIDE).exists());
        assert!(checkpoints.iter().all(|name| !path.join(name).exists()));
        // Behind its last step but one, before or after the damaged one was put aside.
        for is_there in [false, true] {
            std::fs::rename(path.join(DATABASE), path.join(REPAIRED)).unwrap();
            if is_there {
                std::fs::write(path.join(DATABASE), "damaged").unwrap();
            }
            let store = Store::open(path).await.unwrap();
            assert_eq!(store.topics().await.unwrap()[0].name, "bees");
            assert!(!is_unfinished(path));
            sqlx::raw_sql("PRAGMA wal_checkpoint(TRUNCATE)")
                .execute(&SqliteStore::connect(path).await.unwrap())
                .await
                .unwrap();
        }
    }

    #[tokio::test]
    async fn nothing_is_repaired_while_it_is_used() {
        let folder = crate::fixtures::folder();
        let store = Store::open(folder.path()).await.unwrap();
        let refused = repair(folder.path()).await.unwrap_err().to_string();
        assert!(refused.contains("is in use"), "{refused}");
        drop(store);
        assert!(repair(folder.path()).await.is_ok());
    }

    #[tokio::test]
    async fn a_file_that_is_no_database_is_put_aside() {
        let folder = crate::fixtures::folder();
        let file = folder.path().join("linkscent.sqlite");
        std::fs::write(&file, "x".repeat(10_000)).unwrap();
        let refused = Store::open(folder.path()).await.err().unwrap();
        assert!(format!("{refused:#}").contains("linkscent data repair"));
        let salvaged = repair(folder.path()).await.unwrap();
        assert!(salvaged.tables.iter().all(|row| row.1 == 0 && row.2));
        assert!(Store::open(folder.path()).await.is_ok());
    }
}
