//! Brings a database to the form this version knows, step by step: each file of
//! `migrations` is one step, never changed once it was released.
//!
//! All steps that are due are one transaction: where one fails, the database stays as it
//! was. A copy is written before, beside the database. A database with steps that this
//! version does not know is left alone.

use std::path::Path;

use anyhow::{Context, Result, bail};
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, SqlSafeStr, SqliteConnection, SqlitePool};

use crate::files;

/// Version, what it does, statements.
const STEPS: [(i64, &str, &str); 28] = [
    (1, "first", include_str!("../../migrations/0001_first.sql")),
    (
        2,
        "one row",
        include_str!("../../migrations/0002_one_row.sql"),
    ),
    (
        3,
        "events by kind",
        include_str!("../../migrations/0003_events_by_kind.sql"),
    ),
    (
        4,
        "classes",
        include_str!("../../migrations/0004_classes.sql"),
    ),
    (5, "names", include_str!("../../migrations/0005_names.sql")),
    (
        6,
        "event numbers",
        include_str!("../../migrations/0006_event_numbers.sql"),
    ),
    (
        7,
        "removed",
        include_str!("../../migrations/0007_removed.sql"),
    ),
    (
        8,
        "deleted",
        include_str!("../../migrations/0008_deleted.sql"),
    ),
    (
        9,
        "looked",
        include_str!("../../migrations/0009_looked.sql"),
    ),
    (
        10,
        "searches",
        include_str!("../../migrations/0010_searches.sql"),
    ),
    (11, "watch", include_str!("../../migrations/0011_watch.sql")),
    (12, "scope", include_str!("../../migrations/0012_scope.sql")),
    (
        13,
        "tokens",
        include_str!("../../migrations/0013_tokens.sql"),
    ),
    (
        14,
        "reading",
        include_str!("../../migrations/0014_reading.sql"),
    ),
    (
        15,
        "redirects",
        include_str!("../../migrations/0015_redirects.sql"),
    ),
    (
        16,
        "in view",
        include_str!("../../migrations/0016_in_view.sql"),
    ),
    (17, "arms", include_str!("../../migrations/0017_arms.sql")),
    (
        18,
        "left since",
        include_str!("../../migrations/0018_left_since.sql"),
    ),
    (
        19,
        "fetches packed",
        include_str!("../../migrations/0019_fetches_packed.sql"),
    ),
    (
        20,
        "models",
        include_str!("../../migrations/0020_models.sql"),
    ),
    (
        21,
        "reactions",
        include_str!("../../migrations/0021_reactions.sql"),
    ),
    (
        22,
        "standings",
        include_str!("../../migrations/0022_standings.sql"),
    ),
    (
        23,
        "rewritten",
        include_str!("../../migrations/0023_rewritten.sql"),
    ),
    (
        24,
        "accounts",
        include_str!("../../migrations/0024_accounts.sql"),
    ),
    (
        25,
        "topic roles",
        include_str!("../../migrations/0025_topic_roles.sql"),
    ),
    (
        26,
        "recall",
        include_str!("../../migrations/0026_recall.sql"),
    ),
    (27, "sites", include_str!("../../migrations/0027_sites.sql")),
    (28, "spec", include_str!("../../migrations/0028_spec.sql")),
];
const NEWEST: i64 = STEPS[STEPS.len() - 1].0;
/// Programs from before the steps say by this `user_version` what they wrote; 0 is from
/// before it was said.
const FIRST_FORM: i64 = 1;

/// What has to be done before a database can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Due {
    /// It is empty.
    Everything,
    /// It is of an earlier version.
    Steps,
    /// It is of this version.
    Nothing,
}

/// What a database still lacks; an error if a newer version wrote it.
pub(super) async fn due(pool: &SqlitePool) -> Result<Due> {
    let mut connection = pool.acquire().await?;
    let form = newest_step(&mut connection).await?;
    if form > NEWEST {
        bail!(
            "it was written by a newer linkscent (form {form}; this one knows form {NEWEST}): \
             update linkscent, or choose another --data"
        );
    }
    let is_empty = !has_table(&mut connection, "topic").await?;
    Ok(match form {
        _ if is_empty => Due::Everything,
        NEWEST => Due::Nothing,
        _ => Due::Steps,
    })
}

/// The form of a database that may be damaged; `None`, the newest, if that cannot be told.
pub(super) async fn form_of(file: &Path) -> Option<i64> {
    let options = SqliteConnectOptions::new().filename(file).read_only(true);
    let mut connection = options.connect().await.ok()?;
    let form = newest_step(&mut connection).await.ok()?;
    (form <= NEWEST).then_some(form.max(1))
}

/// Takes the steps that are due, up to `last` if it is given: all or none.
pub(super) async fn run(pool: &SqlitePool, last: Option<i64>) -> Result<()> {
    run_steps(pool, &STEPS, last).await
}

async fn run_steps(
    pool: &SqlitePool,
    steps: &[(i64, &'static str, &'static str)],
    last: Option<i64>,
) -> Result<()> {
    let steps = steps.iter().map(|&(version, name, statements)| {
        let (name, statements) = (name.into(), statements.into_sql_str());
        Migration::new(version, name, MigrationType::Simple, statements, false)
    });
    let migrator = Migrator::with_migrations(steps.collect());
    // Whoever comes second waits here, and then finds nothing due.
    let mut transaction = pool.begin_with("BEGIN IMMEDIATE").await?;
    let is_old = has_table(&mut transaction, "topic").await?
        && !has_table(&mut transaction, "_sqlx_migrations").await?;
    if is_old {
        let said = user_version(&mut transaction).await?;
        migrator.run_to(1, &mut *transaction).await?;
        if said < FIRST_FORM {
            to_first_form(&mut transaction).await?;
        }
    }
    match last {
        Some(last) => migrator.run_to(last, &mut *transaction).await?,
        None => migrator.run(&mut *transaction).await?,
    }
    transaction.commit().await?;
    Ok(())
}

/// Writes a copy of the database before it is changed, for its owner alone. An earlier
/// one is replaced.
pub(super) async fn back_up(pool: &SqlitePool, folder: &Path) -> Result<()> {
    let copy = folder.join(super::BACKUP);
    let backing_up = || format!("writing a copy of the database to {}", copy.display());
    files::open_private(&copy)
        .and_then(|file| file.set_len(0))
        .with_context(backing_up)?;
    sqlx::query("VACUUM INTO ?")
        .bind(copy.display().to_string())
        .execute(pool)
        .await
        .with_context(backing_up)?;
    Ok(())
}

async fn has_table(connection: &mut SqliteConnection, name: &str) -> Result<bool> {
    let row: (bool,) = sqlx::query_as("SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = ?)")
        .bind(name)
        .fetch_one(connection)
        .await?;
    Ok(row.0)
}

async fn user_version(connection: &mut SqliteConnection) -> Result<i64> {
    let row: (i64,) = sqlx::query_as("PRAGMA user_version")
        .fetch_one(connection)
        .await?;
    Ok(row.0)
}

/// The newest step that was taken, or what the program that wrote it said.
async fn newest_step(connection: &mut SqliteConnection) -> Result<i64> {
    let said = user_version(connection).await?;
    if !has_table(connection, "_sqlx_migrations").await? {
        return Ok(said);
    }
    let row: (Option<i64>,) = sqlx::query_as("SELECT max(version) FROM _sqlx_migrations")
        .fetch_one(connection)
        .await?;
    Ok(row.0.unwrap_or_default().max(said))
}

/// A column: its name, its type, whether it must not be null, its default.
type Column = (String, String, bool, Option<String>);

/// A database from before forms were counted may lack columns: those that are missing,
/// compared with an empty database of the first form, are added with a neutral value.
async fn to_first_form(connection: &mut SqliteConnection) -> Result<()> {
    let model = SqlitePool::connect("sqlite::memory:").await?;
    sqlx::raw_sql(STEPS[0].2).execute(&model).await?;
    let mut model_connection = model.acquire().await?;
    let tables: Vec<(String,)> =
        sqlx::query_as("SELECT name FROM sqlite_schema WHERE type = 'table'")
            .fetch_all(&mut *model_connection)
            .await?;
    for (table,) in tables {
        let there = columns(connection, &table).await?;
        for (name, kind, is_required, default) in columns(&mut model_connection, &table).await? {
            if there.iter().any(|column| column.0 == name) {
                continue;
            }
            let neutral = match kind.as_str() {
                "TEXT" => "''",
                "BLOB" => "x''",
                _ => "0",
            };
            let default = default.as_deref().unwrap_or(neutral);
            let required = if is_required {
                format!("NOT NULL DEFAULT {default}")
            } else {
                String::new()
            };
            message!("linkscent: the table {table} lacks {name}; it is added, empty");
            let statement = format!("ALTER TABLE {table} ADD COLUMN {name} {kind} {required}");
            sqlx::raw_sql(sqlx::AssertSqlSafe(statement))
                .execute(&mut *connection)
                .await?;
        }
    }
    // Browsers that were paired by a token have to be paired again.
    sqlx::raw_sql("DELETE FROM device WHERE key = ''")
        .execute(connection)
        .await?;
    Ok(())
}

async fn columns(connection: &mut SqliteConnection, table: &str) -> Result<Vec<Column>> {
    let query = "SELECT name, type, \"notnull\", dflt_value FROM pragma_table_info(?)";
    let query = sqlx::query_as(query).bind(table);
    Ok(query.fetch_all(connection).await?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::{CrawlLog, Crawls, Topics};
    use crate::sqlite::{BACKUP, SqliteStore};

    /// A folder with a database of the first form and these rows.
    async fn first_form(statements: &'static str) -> tempfile::TempDir {
        let folder = crate::fixtures::folder();
        let pool = SqliteStore::connect(folder.path()).await.unwrap();
        sqlx::raw_sql(STEPS[0].2).execute(&pool).await.unwrap();
        sqlx::raw_sql(statements).execute(&pool).await.unwrap();
        pool.close().await;
        folder
    }

    #[tokio::test]
    async fn what_is_missing_is_made_and_what_is_newer_is_left_alone() {
        let folder = first_form(
            "ALTER TABLE fetch DROP COLUMN snippet; DROP TABLE alarm; DROP TABLE leaving;
             INSERT INTO topic (name, created) VALUES ('kept', 1);",
        )
        .await;
        let store = SqliteStore::open(folder.path()).await.unwrap();
        assert_eq!(store.topics().await.unwrap()[0].name, "kept");
        assert!(store.last_results(1, 5).await.unwrap().is_empty());
        assert!(store.alarms(1).await.unwrap().is_empty());
        sqlx::raw_sql("INSERT INTO _sqlx_migrations VALUES (99, 'x', 'x', 1, x'', 1)")
            .execute(&store.pool)
            .await
            .unwrap();
        store.pool.close().await;
        drop(store);
        let refused = SqliteStore::open(folder.path()).await.err().unwrap();
        let refused = format!("{refused:#}");
        assert!(refused.contains("newer linkscent (form 99"), "{refused}");
    }

    #[tokio::test]
    async fn a_step_that_fails_leaves_all_as_it_was() {
        let folder = first_form(
            "INSERT INTO topic (name, created) VALUES ('kept', 1); PRAGMA user_version = 1;",
        )
        .await;
        let pool = SqliteStore::connect(folder.path()).await.unwrap();
        let mut steps = STEPS.to_vec();
        let wrong = "CREATE TABLE new (x); SELECT * FROM nothing;";
        steps.push((NEWEST + 1, "wrong", wrong));
        let ran = run_steps(&pool, &steps, None).await;
        assert!(format!("{:#}", ran.unwrap_err()).contains("nothing"));
        let mut connection = pool.acquire().await.unwrap();
        assert!(has_table(&mut connection, "looked_for").await.unwrap());
        for table in ["new", "_sqlx_migrations"] {
            assert!(!has_table(&mut connection, table).await.unwrap(), "{table}");
        }
        assert_eq!(user_version(&mut connection).await.unwrap(), 1);
        drop(connection);
        pool.close().await;
        let store = SqliteStore::open(folder.path()).await.unwrap();
        assert_eq!(store.topics().await.unwrap()[0].name, "kept");
    }

    #[tokio::test]
    async fn a_copy_is_written_before() {
        let folder = first_form(
            "INSERT INTO topic (name, created) VALUES ('kept', 1); PRAGMA user_version = 1;",
        )
        .await;
        let store = SqliteStore::open(folder.path()).await.unwrap();
        store.topic_named("new").await.unwrap();
        let copy = format!("sqlite://{}", folder.path().join(BACKUP).display());
        let copy = SqlitePool::connect(&copy).await.unwrap();
        let names: Vec<(String,)> = sqlx::query_as("SELECT name FROM topic JOIN looked_for")
            .fetch_all(&copy)
            .await
            .unwrap();
        assert!(names.is_empty());
        let names: Vec<(String,)> = sqlx::query_as("SELECT name FROM topic")
            .fetch_all(&copy)
            .await
            .unwrap();
        assert_eq!(names, [("kept".to_owned(),)]);
    }

    #[tokio::test]
    async fn models_leave_the_rows_that_they_belong_to() {
        let folder = first_form(
            "INSERT INTO topic (id, name, created, model, version)
             VALUES (1, 'bees', 1, x'0102', 4), (2, 'none', 1, NULL, 0);
             INSERT INTO crawl (id, topic, created, state, budget, delay, random_seed, seeds,
                                hosts, start_model)
             VALUES (1, 1, 1, 'done', 1, 1, 1, '[]', '[]', x'03'),
                    (2, 1, 1, 'done', 1, 1, 1, '[]', '[]', x'');
             PRAGMA user_version = 1;",
        )
        .await;
        let store = SqliteStore::open(folder.path()).await.unwrap();
        assert_eq!(store.model(1).await.unwrap(), Some(vec![1, 2]));
        assert_eq!(store.model(2).await.unwrap(), None);
        assert_eq!(store.topics().await.unwrap()[1].version, 4);
        assert_eq!(store.start_model(1).await.unwrap(), [3]);
        assert!(store.start_model(2).await.unwrap().is_empty());
        let mut connection = store.pool.acquire().await.unwrap();
        for table in ["topic", "crawl"] {
            let columns = columns(&mut connection, table).await.unwrap();
            let has_model = columns.iter().any(|column| column.0.contains("model"));
            assert!(!has_model, "{table}");
        }
    }

    #[tokio::test]
    async fn settings_of_earlier_crawls_are_one_document() {
        let folder = crate::fixtures::folder();
        let pool = SqliteStore::connect(folder.path()).await.unwrap();
        run(&pool, Some(27)).await.unwrap();
        sqlx::raw_sql(crate::fixtures::EARLIER_CRAWLS)
            .execute(&pool)
            .await
            .unwrap();
        pool.close().await;
        let store = SqliteStore::open(folder.path()).await.unwrap();
        crate::fixtures::check_earlier_crawls(&store).await;
    }

    #[tokio::test]
    async fn counts_follow_the_log() {
        let folder = first_form(
            "INSERT INTO topic (id, name, created) VALUES (1, 'bees', 1);
             INSERT INTO crawl (id, topic, created, state, budget, delay, random_seed, seeds,
                                hosts, start_model)
             VALUES (1, 1, 1, 'done', 1, 1, 1, '[]', '[]', x'');
             INSERT INTO fetch SELECT 1, value, 'http://a.test/' || value, '[]', '', '', 1,
                 iif(value = 3, NULL, 1), value < 3, value <> 1 AND value <> 3, '', '', '', NULL,
                 NULL, 1 FROM (SELECT 1 AS value UNION SELECT 2 UNION SELECT 3 UNION SELECT 4);
             PRAGMA user_version = 1;",
        )
        .await;
        let store = SqliteStore::open(folder.path()).await.unwrap();
        assert_eq!(store.counts(1).await.unwrap(), (3, 2, 1, 1));
        for (statement, counts) in [
            ("DELETE FROM fetch WHERE number = 3", (3, 2, 1, 0)),
            (
                "UPDATE fetch SET relevance = NULL, is_target = 0, scored = 0 WHERE number = 2",
                (2, 1, 0, 1),
            ),
            (
                "INSERT INTO fetch VALUES (1, 9, 'http://a.test/9', '[]', '', '', 1, 0.9, 1, 1,
                 '', '', '', NULL, NULL, 1, '', NULL, 0, NULL)",
                (3, 2, 1, 1),
            ),
        ] {
            sqlx::raw_sql(statement).execute(&store.pool).await.unwrap();
            assert_eq!(store.counts(1).await.unwrap(), counts, "{statement}");
        }
    }
}
