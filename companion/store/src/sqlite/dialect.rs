//! What `SQLite` writes in its own way.

use std::path::Path;

use linkscent_core::address::Address;
use linkscent_core::web_graph::Judgment;
use sqlx::{Sqlite, Transaction};

use super::SqliteStore;
use crate::StoreResult;
use crate::dialect::{Dialect, Failure};

/// Answers that mean that the disk is full.
const FULL: i64 = 13;
/// Answers that mean that the file is damaged, or no database.
const CORRUPT: i64 = 11;
const NOT_A_DATABASE: i64 = 26;
/// Answers that mean that the disk failed, or takes nothing any more.
const IO_FAILED: i64 = 10;
const READ_ONLY: i64 = 8;

impl Dialect for SqliteStore {
    const KIND: &'static str = "CASE WHEN json_valid(body) THEN body ->> 'kind' END";
    // The planner takes the tables in this order.
    const THEN: &'static str = "CROSS JOIN";
    const BY_STANDINGS: &'static str = "INDEXED BY fetch_standings";
    const BY_ADDRESS: &'static str = "INDEXED BY fetch_address";
    const NAMED: &'static str = "linkscent.sqlite";
    const NEWEST_EVENT: &'static str = "SELECT seq FROM sqlite_sequence WHERE name = 'event'";
    const DELETE_EVERYTHING: &'static str =
        "DELETE FROM topic_role; DELETE FROM form; DELETE FROM fetch; DELETE FROM alarm;
        DELETE FROM question; DELETE FROM skipped; DELETE FROM command; DELETE FROM notice;
        DELETE FROM start_model; DELETE FROM crawl; DELETE FROM deleted_crawl; DELETE FROM event;
        DELETE FROM saved_search; DELETE FROM forgotten_site; DELETE FROM standing; DELETE FROM model; DELETE FROM topic;
        DELETE FROM device; DELETE FROM token; DELETE FROM deed;
        DELETE FROM sqlite_sequence WHERE name NOT IN ('account', 'deed');";
    const COLUMNS: &'static str = "SELECT t.name, c.name, 'CAST(\"' || c.name || '\" AS BLOB)'
        FROM sqlite_schema AS t, pragma_table_info(t.name) AS c WHERE t.type = 'table' ORDER BY 1, 2";

    fn has(column: &str, parameter: &str) -> String {
        format!("instr({column}, {parameter}) > 0")
    }

    fn has_bytes(bytes: &str, parameter: &str) -> String {
        format!("instr({bytes}, CAST({parameter} AS BLOB)) > 0")
    }

    fn elements(parameter: &str) -> String {
        format!("SELECT value FROM json_each({parameter})")
    }

    fn first(column: &str) -> String {
        format!("{column} ->> 0")
    }

    fn data_folder(&self) -> &Path {
        &self.folder
    }
}

impl SqliteStore {
    /// Begins a transaction beside which there is none other that is begun so: what it reads stays as it
    /// is until it changes it.
    pub(crate) async fn begin_alone(&self) -> sqlx::Result<Transaction<'_, Sqlite>> {
        self.pool.begin_with("BEGIN IMMEDIATE").await
    }

    /// Writes what is said of pages of a crawl now.
    pub(crate) async fn write_judgments(
        &self,
        crawl: i64,
        judged: &[(Address, Judgment)],
    ) -> StoreResult<()> {
        let mut transaction = self.pool.begin().await?;
        for (page, judgment) in judged {
            sqlx::query(
                "UPDATE fetch SET relevance = $1, is_target = $2
                 WHERE crawl = $3 AND address = $4 AND relevance IS NOT NULL",
            )
            .bind(judgment.relevance.value())
            .bind(judgment.is_target)
            .bind(crawl)
            .bind(page.as_str())
            .execute(&mut *transaction)
            .await?;
        }
        transaction.commit().await?;
        Ok(())
    }
}

/// What is wrong with the database's file, if that is why something was not done.
pub(crate) fn failure(error: &sqlx::Error) -> Option<Failure> {
    match code_of(error)? {
        FULL => Some(Failure::Full),
        CORRUPT | NOT_A_DATABASE => Some(Failure::Damaged),
        IO_FAILED | READ_ONLY => Some(Failure::Disk),
        _ => None,
    }
}

/// What `SQLite` answered, the general part of its code.
fn code_of(error: &sqlx::Error) -> Option<i64> {
    let refused = error.as_database_error()?;
    let refused = refused.try_downcast_ref::<sqlx::sqlite::SqliteError>()?;
    let code = sqlx::error::DatabaseError::code(refused)?;
    Some(code.parse::<i64>().ok()? & 0xFF)
}
