//! Brings a database to the form this version knows: tables that are missing are
//! made, columns that are missing are added with a neutral value. A database of a
//! newer version is left alone.

use anyhow::{Result, bail};
use sqlx::SqlitePool;

const SCHEMA: &str = include_str!("schema.sql");
/// The form of the database, as `user_version` says it; 0 is from before it was said.
const VERSION: i64 = 1;

/// See the module.
pub(super) async fn prepare(pool: &SqlitePool) -> Result<()> {
    let (version,): (i64,) = sqlx::query_as("PRAGMA user_version")
        .fetch_one(pool)
        .await?;
    if version > VERSION {
        bail!(
            "it was written by a newer linkscent (form {version}; this one knows form {VERSION}): \
             update linkscent, or choose another --data"
        );
    }
    sqlx::raw_sql(SCHEMA).execute(pool).await?;
    add_missing_columns(pool).await?;
    if version == VERSION {
        return Ok(());
    }
    // Browsers that were paired by a token have to be paired again.
    sqlx::raw_sql("DELETE FROM device WHERE key = ''")
        .execute(pool)
        .await?;
    let statement = format!("PRAGMA user_version = {VERSION}");
    sqlx::raw_sql(sqlx::AssertSqlSafe(statement))
        .execute(pool)
        .await?;
    Ok(())
}

/// A column: its name, its type, whether it must not be null, its default.
type Column = (String, String, bool, Option<String>);

/// Compares with the tables of an empty database made by the same statements.
async fn add_missing_columns(pool: &SqlitePool) -> Result<()> {
    let model = SqlitePool::connect("sqlite::memory:").await?;
    sqlx::raw_sql(SCHEMA).execute(&model).await?;
    let tables: Vec<(String,)> =
        sqlx::query_as("SELECT name FROM sqlite_schema WHERE type = 'table'")
            .fetch_all(&model)
            .await?;
    for (table,) in tables {
        let there = columns(pool, &table).await?;
        for (name, kind, is_required, default) in columns(&model, &table).await? {
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
            eprintln!("linkscent: the table {table} lacks {name}; it is added, empty");
            let statement = format!("ALTER TABLE {table} ADD COLUMN {name} {kind} {required}");
            sqlx::raw_sql(sqlx::AssertSqlSafe(statement))
                .execute(pool)
                .await?;
        }
    }
    model.close().await;
    Ok(())
}

async fn columns(pool: &SqlitePool, table: &str) -> Result<Vec<Column>> {
    let query = "SELECT name, type, \"notnull\", dflt_value FROM pragma_table_info(?)";
    Ok(sqlx::query_as(query).bind(table).fetch_all(pool).await?)
}

#[cfg(test)]
mod tests {
    use crate::store::Store;

    async fn run(folder: &std::path::Path, statement: &'static str) {
        let store = Store::open(folder).await.unwrap();
        sqlx::raw_sql(statement).execute(&store.pool).await.unwrap();
        store.pool.close().await;
    }

    #[tokio::test]
    async fn what_is_missing_is_made_and_what_is_newer_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        run(
            folder.path(),
            "ALTER TABLE fetch DROP COLUMN snippet; DROP TABLE alarm; DROP TABLE leaving;
             INSERT INTO topic (name, created) VALUES ('kept', 1); PRAGMA user_version = 0;",
        )
        .await;
        let store = Store::open(folder.path()).await.unwrap();
        assert_eq!(store.topics().await.unwrap()[0].name, "kept");
        assert!(store.last_results(1, 5).await.unwrap().is_empty());
        assert!(store.alarms(1).await.unwrap().is_empty());
        store.pool.close().await;
        run(folder.path(), "PRAGMA user_version = 99").await;
        let refused = Store::open(folder.path()).await.err().unwrap();
        let refused = format!("{refused:#}");
        assert!(refused.contains("newer linkscent (form 99"), "{refused}");
    }
}
