//! Moves all that is kept from a data folder's own database into a PostgreSQL one, or back. Pages, locks
//! and checkpoints stay where they are: in the folder.
//!
//! What is moved comes in one transaction; a move that was cut off is done again from the beginning, and
//! until it is whole the rows that are used are those from before.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use futures_util::TryStreamExt;
use serde::Serialize;
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{
    AssertSqlSafe, PgConnection, PgPool, Postgres, QueryBuilder, Row, Sqlite, SqliteConnection,
};

use super::postgres::{self, PostgresStore};
use super::sqlite::{self, SqliteStore};
use super::{files, make_folder};
use crate::{clock, secret};

/// Tables in an order in which each comes after those it refers to, and rows that are written at a time:
/// of files one, which may take a hundred megabytes.
const TABLES: [(&str, usize); 23] = [
    ("topic", 100),
    ("model", 1),
    ("event", 500),
    ("crawl", 100),
    ("start_model", 1),
    ("deleted_crawl", 500),
    ("fetch", 500),
    ("form", 500),
    ("alarm", 500),
    ("question", 500),
    ("skipped", 500),
    ("notice", 500),
    ("command", 500),
    ("device", 100),
    ("token", 100),
    ("saved_search", 100),
    ("forgotten_site", 500),
    ("standing", 100),
    ("log_change", 500),
    ("account", 100),
    ("sign_in", 500),
    ("deed", 500),
    ("topic_role", 500),
];

/// Rows of a table that were moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Moved {
    /// Its name.
    pub table: &'static str,
    /// How many there were.
    pub rows: u64,
}

/// What a column keeps.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Integer,
    Real,
    Flag,
    Text,
    Bytes,
}

/// What stands in a column.
enum Value {
    Integer(Option<i64>),
    Real(Option<f64>),
    Flag(Option<bool>),
    Text(Option<String>),
    Bytes(Option<Vec<u8>>),
}

/// A column: its name and what it keeps.
type Column = (String, Kind);

/// Moves what a data folder's own database keeps into an empty one. The file stays beside, under the name
/// that is answered, for who wants to look at it. Nothing may use the folder meanwhile.
pub async fn move_out(folder: &Path, address: &str) -> Result<(Vec<Moved>, PathBuf)> {
    ensure!(
        sqlite::is_in(folder),
        "the data folder {} has no database of its own",
        folder.display()
    );
    let lock = files::lock_folder(folder, true)?;
    let own = SqliteStore::open_locked(folder).await?;
    let target = PostgresStore::connect(address).await?;
    let mut from = own.acquire().await?;
    let mut to = target.begin().await?;
    postgres::lock_place(&mut to).await?;
    ensure!(
        !postgres::is_tied(&mut to, folder).await?,
        "it is all there already: use it with --database"
    );
    let is_used =
        postgres::place_of(&mut to).await?.is_some() || postgres::has_topics(&mut to).await?;
    ensure!(!is_used, "the database is in use: take an empty one");
    let mut moved = Vec::new();
    for (table, most) in TABLES {
        let columns = columns_of(table, &mut to).await?;
        let rows = out_of_sqlite(table, most, &columns, &mut from, &mut to).await;
        let rows = rows.with_context(|| format!("moving the table {table}"))?;
        moved.push(Moved { table, rows });
    }
    let events: Option<i64> =
        sqlx::query_scalar("SELECT seq FROM sqlite_sequence WHERE name = 'event'")
            .fetch_optional(&mut *from)
            .await?;
    sqlx::query("UPDATE numbering SET newest = $1")
        .bind(events.unwrap_or_default())
        .execute(&mut *to)
        .await?;
    let tokens: Option<i64> =
        sqlx::query_scalar("SELECT seq FROM sqlite_sequence WHERE name = 'token'")
            .fetch_optional(&mut *from)
            .await?;
    go_on_numbering(tokens.unwrap_or_default(), &mut to).await?;
    let identifier = secret::random_hex::<16>();
    postgres::put_place(&identifier, &mut to).await?;
    // From here on the folder is this database's: as long as that is empty, the move can be done again.
    postgres::write_place(folder, &identifier)?;
    to.commit().await?;
    drop(from);
    own.close().await;
    let aside = sqlite::put_aside(folder, &format!("moved-{}", clock::now()))?;
    drop(lock);
    Ok((moved, aside))
}

/// Moves what a database keeps back into the data folder that belongs to it. The rows there stay, and are
/// used no more. Nothing may use the folder meanwhile.
pub async fn move_back(folder: &Path, address: &str) -> Result<Vec<Moved>> {
    let place = folder.join(files::ELSEWHERE);
    ensure!(
        place.exists(),
        "the data folder {} belongs to no database: there is nothing to move back",
        folder.display()
    );
    let lock = files::lock_folder(folder, true)?;
    let source = PostgresStore::connect(address).await?;
    let is_empty = postgres::place_of(&mut *source.acquire().await?)
        .await?
        .is_none();
    if sqlite::is_in(folder) && is_empty {
        // Nothing came there: what is in the folder is used as before.
        let deleting = || format!("deleting {}", place.display());
        std::fs::remove_file(&place).with_context(deleting)?;
        return Ok(Vec::new());
    }
    postgres::tie(&source, folder).await?;
    ensure!(
        postgres::copies(&mut *source.acquire().await?)
            .await?
            .is_none(),
        "archives are copied to an object store, of which a database in the folder knows nothing: what is \
         forgotten later would stay there. `linkscent data archives --stop` first, and delete what lies there"
    );
    if sqlite::is_in(folder) {
        sqlite::put_aside(folder, &format!("moved-{}", clock::now()))?;
    }
    let beside = folder.join(sqlite::MOVING);
    let moved = bring_back(&source, &beside, folder).await;
    if moved.is_err() {
        // It has what is kept, and nobody would look for it there.
        let _ = std::fs::remove_dir_all(&beside);
    }
    let moved = moved?;
    std::fs::remove_file(&place).with_context(|| format!("deleting {}", place.display()))?;
    drop(lock);
    Ok(moved)
}

/// Makes the folder's database of what the other one keeps, beside its place, and then puts it there.
async fn bring_back(source: &PgPool, beside: &Path, folder: &Path) -> Result<Vec<Moved>> {
    if beside.exists() {
        let deleting = || format!("deleting {}", beside.display());
        std::fs::remove_dir_all(beside).with_context(deleting)?;
    }
    make_folder(beside)?;
    let own = SqliteStore::open_locked(beside).await?;
    let mut from = source.begin().await?;
    sqlx::raw_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        .execute(&mut *from)
        .await?;
    let mut to = own.begin().await?;
    let mut moved = Vec::new();
    for (table, most) in TABLES {
        let columns = columns_of(table, &mut from).await?;
        let rows = out_of_postgres(table, most, &columns, &mut from, &mut to).await;
        let rows = rows.with_context(|| format!("moving the table {table}"))?;
        moved.push(Moved { table, rows });
    }
    let newest: [(&str, &'static str); 2] = [
        ("event", "SELECT newest FROM numbering"),
        (
            "token",
            "SELECT last_value - (NOT is_called)::int FROM token_id_seq",
        ),
    ];
    for (table, query) in newest {
        let newest: i64 = sqlx::query_scalar(query).fetch_one(&mut *from).await?;
        sqlx::query("DELETE FROM sqlite_sequence WHERE name = $1")
            .bind(table)
            .execute(&mut *to)
            .await?;
        sqlx::query("INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)")
            .bind(table)
            .bind(newest)
            .execute(&mut *to)
            .await?;
    }
    to.commit().await?;
    sqlite::take_from(beside, folder, own).await?;
    Ok(moved)
}

/// The columns of a table that are moved: counts of crawls follow from the rows of their fetches.
async fn columns_of(table: &str, database: &mut PgConnection) -> Result<Vec<Column>> {
    let columns: Vec<(String, String)> = sqlx::query_as(
        "SELECT column_name::text, data_type::text FROM information_schema.columns
         WHERE table_schema = current_schema() AND table_name = $1 AND is_generated = 'NEVER'
         AND NOT (table_name = 'crawl' AND column_name IN ('requests', 'pages', 'scored', 'relevant'))
         ORDER BY ordinal_position",
    )
    .bind(table)
    .fetch_all(database)
    .await?;
    let kind = |(name, kind): (String, String)| {
        let kind = match kind.as_str() {
            "bigint" => Kind::Integer,
            "double precision" => Kind::Real,
            "boolean" => Kind::Flag,
            "bytea" => Kind::Bytes,
            _ => Kind::Text,
        };
        (name, kind)
    };
    Ok(columns.into_iter().map(kind).collect())
}

fn listed(columns: &[Column]) -> String {
    let names: Vec<String> = columns
        .iter()
        .map(|(name, _)| format!("\"{name}\""))
        .collect();
    names.join(", ")
}

/// What one database's rows are read as, and written into the other.
macro_rules! copy {
    ($name:ident, $read:ident, $row:ty, $from:ty, $to:ty, $database:ty) => {
        async fn $name(
            table: &str,
            most: usize,
            columns: &[Column],
            from: &mut $from,
            to: &mut $to,
        ) -> Result<u64> {
            let names = listed(columns);
            let query = format!("SELECT {names} FROM \"{table}\" ORDER BY 1, 2");
            let query = if columns.len() > 1 {
                query
            } else {
                format!("SELECT {names} FROM \"{table}\" ORDER BY 1")
            };
            let mut rows = sqlx::query(AssertSqlSafe(query)).fetch(from);
            let (mut batch, mut moved) = (Vec::new(), 0);
            loop {
                let row = rows.try_next().await?;
                let is_last = row.is_none();
                if let Some(row) = row {
                    batch.push($read(&row, columns)?);
                }
                if batch.len() >= most || (is_last && !batch.is_empty()) {
                    moved += batch.len() as u64;
                    let into = format!("INSERT INTO \"{table}\" ({names}) ");
                    let mut insert = QueryBuilder::<$database>::new(into);
                    insert.push_values(batch.drain(..), |mut values, row: Vec<Value>| {
                        for value in row {
                            match value {
                                Value::Integer(value) => values.push_bind(value),
                                Value::Real(value) => values.push_bind(value),
                                Value::Flag(value) => values.push_bind(value),
                                Value::Text(value) => values.push_bind(value),
                                Value::Bytes(value) => values.push_bind(value),
                            };
                        }
                    });
                    insert.build().execute(&mut *to).await?;
                }
                if is_last {
                    return Ok(moved);
                }
            }
        }

        fn $read(row: &$row, columns: &[Column]) -> Result<Vec<Value>> {
            let values = columns.iter().enumerate().map(|(place, (_, kind))| {
                Ok(match kind {
                    Kind::Integer => Value::Integer(row.try_get(place)?),
                    Kind::Real => Value::Real(row.try_get(place)?),
                    Kind::Flag => Value::Flag(row.try_get(place)?),
                    Kind::Bytes => Value::Bytes(row.try_get(place)?),
                    // PostgreSQL keeps no character zero.
                    Kind::Text => Value::Text(
                        row.try_get::<Option<String>, _>(place)?
                            .map(|text| text.replace('\0', "\u{FFFD}")),
                    ),
                })
            });
            values.collect()
        }
    };
}

copy!(
    out_of_sqlite,
    read_sqlite,
    SqliteRow,
    SqliteConnection,
    PgConnection,
    Postgres
);
copy!(
    out_of_postgres,
    read_postgres,
    PgRow,
    PgConnection,
    SqliteConnection,
    Sqlite
);

/// New rows get numbers behind those that were moved.
async fn go_on_numbering(tokens: i64, database: &mut PgConnection) -> Result<()> {
    for table in [
        "topic",
        "command",
        "device",
        "token",
        "saved_search",
        "account",
        "deed",
    ] {
        let column = if table == "command" { "number" } else { "id" };
        let least = if table == "token" { tokens } else { 0 };
        let statement = format!(
            "SELECT setval(pg_get_serial_sequence('{table}', '{column}'),
             greatest($1, (SELECT coalesce(max({column}), 0) FROM {table})) + 1, FALSE)"
        );
        sqlx::query(AssertSqlSafe(statement))
            .bind(least)
            .execute(&mut *database)
            .await?;
    }
    Ok(())
}
