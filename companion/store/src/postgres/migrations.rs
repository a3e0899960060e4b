//! Brings a PostgreSQL database to the form that this version knows: each file of `migrations/postgres`
//! is one step, never changed once it was released, and one transaction. Whoever comes second waits.

use anyhow::{Result, bail};
use sqlx::migrate::{Migrate, Migration, MigrationType, Migrator};
use sqlx::{PgPool, Postgres, SqlSafeStr, Transaction};

/// Version, what it does, statements.
const STEPS: [(i64, &str, &str); 10] = [
    (
        1,
        "first",
        include_str!("../../migrations/postgres/0001_first.sql"),
    ),
    (
        2,
        "hands",
        include_str!("../../migrations/postgres/0002_hands.sql"),
    ),
    (
        3,
        "many hands",
        include_str!("../../migrations/postgres/0003_many_hands.sql"),
    ),
    (
        4,
        "accounts",
        include_str!("../../migrations/postgres/0004_accounts.sql"),
    ),
    (
        5,
        "topic roles",
        include_str!("../../migrations/postgres/0005_topic_roles.sql"),
    ),
    (
        6,
        "copies",
        include_str!("../../migrations/postgres/0006_copies.sql"),
    ),
    (
        7,
        "recall",
        include_str!("../../migrations/postgres/0007_recall.sql"),
    ),
    (
        8,
        "sites",
        include_str!("../../migrations/postgres/0008_sites.sql"),
    ),
    (
        9,
        "workers",
        include_str!("../../migrations/postgres/0009_workers.sql"),
    ),
    (
        10,
        "spec",
        include_str!("../../migrations/postgres/0010_spec.sql"),
    ),
];
/// Where the migrator keeps which steps were taken.
const TABLE: &str = "_sqlx_migrations";
const NEWEST: i64 = STEPS[STEPS.len() - 1].0;

/// Takes the steps that are due; an error if a newer version was here.
pub(super) async fn run(pool: &PgPool) -> Result<()> {
    run_to(pool, NEWEST).await
}

/// The same up to a step.
pub(super) async fn run_to(pool: &PgPool, to: i64) -> Result<()> {
    let form = newest_step(pool).await?;
    if form > NEWEST {
        bail!(
            "it was written by a newer linkscent (form {form}; this one knows form {NEWEST}): update \
             linkscent"
        );
    }
    let steps = STEPS.iter().map(|&(version, name, statements)| {
        let (name, statements) = (name.into(), statements.into_sql_str());
        Migration::new(version, name, MigrationType::Simple, statements, false)
    });
    let mut migrator = Migrator::with_migrations(steps.collect());
    // Its own lock is an advisory one, which any role may take and keep.
    migrator.set_locking(false);
    let lock = lock(pool).await?;
    migrator.run_to(to, pool).await?;
    lock.rollback().await?;
    Ok(())
}

/// Waits until this is the only program that migrates the database.
async fn lock(pool: &PgPool) -> Result<Transaction<'_, Postgres>> {
    let mut connection = pool.acquire().await?;
    if let Err(error) = connection.ensure_migrations_table(TABLE).await {
        // Two programs may begin at once: then the other has made it.
        let is_there: bool = sqlx::query_scalar("SELECT to_regclass($1) IS NOT NULL")
            .bind(TABLE)
            .fetch_one(&mut *connection)
            .await?;
        if !is_there {
            return Err(error.into());
        }
    }
    drop(connection);
    let mut transaction = pool.begin().await?;
    sqlx::query("LOCK TABLE _sqlx_migrations IN SHARE UPDATE EXCLUSIVE MODE")
        .execute(&mut *transaction)
        .await?;
    Ok(transaction)
}

async fn newest_step(pool: &PgPool) -> Result<i64> {
    let steps: Option<String> = sqlx::query_scalar("SELECT to_regclass('_sqlx_migrations')::text")
        .fetch_one(pool)
        .await?;
    if steps.is_none() {
        return Ok(0);
    }
    let newest: Option<i64> = sqlx::query_scalar("SELECT max(version) FROM _sqlx_migrations")
        .fetch_one(pool)
        .await?;
    Ok(newest.unwrap_or_default())
}
