//! What PostgreSQL writes in its own way.

use std::path::Path;

use linkscent_core::address::Address;
use linkscent_core::web_graph::Judgment;
use sqlx::{Postgres, Transaction};

use super::PostgresStore;
use crate::StoreResult;
use crate::dialect::{Dialect, Failure};

/// Answers that mean that the disk is full, and that it fails. Damage is the server's to tell of and to
/// repair.
const FULL: &str = "53100";
const IO_FAILED: &str = "58030";
/// That the server is ended, has crashed or begins, has ended a connection that was idle for long, and that
/// it takes no more connections. Those of the class 08 say that a connection was lost.
const AWAY: [&str; 5] = ["57P01", "57P02", "57P03", "57P05", "53300"];
const CONNECTION_LOST: &str = "08";
/// Pages that are judged again in one statement.
const JUDGED_AT_ONCE: usize = 5_000;

impl Dialect for PostgresStore {
    const KIND: &'static str = "kind";
    const THEN: &'static str = "JOIN";
    const BY_STANDINGS: &'static str = "";
    const BY_ADDRESS: &'static str = "";
    const NAMED: &'static str = "the database";
    const NEWEST_EVENT: &'static str = "SELECT newest FROM numbering";
    // Lines of all crawls have changed, also for crawls that get their numbers.
    const DELETE_EVERYTHING: &'static str = "INSERT INTO log_change (crawl, changes, rewritten)
        SELECT id, 1, 1 FROM crawl ON CONFLICT (crawl)
        DO UPDATE SET changes = log_change.changes + 1, rewritten = log_change.rewritten + 1;
        TRUNCATE form, \"fetch\", alarm, question, skipped, command,
        notice, start_model, task, worker, rest, spent, crawl, deleted_crawl, event, saved_search, forgotten_site, standing, model, topic, device,
        token, deed, topic_role RESTART IDENTITY; UPDATE numbering SET newest = 0;";
    const COLUMNS: &'static str = "SELECT table_name::text, column_name::text,
        CASE data_type WHEN 'bytea' THEN quote_ident(column_name)
        ELSE format('convert_to(%I::text, ''UTF8'')', column_name) END
        FROM information_schema.columns WHERE table_schema = current_schema()
        AND table_name <> '_sqlx_migrations' ORDER BY 1, 2";

    fn has(column: &str, parameter: &str) -> String {
        format!("strpos({column}, {parameter}) > 0")
    }

    fn has_bytes(bytes: &str, parameter: &str) -> String {
        format!("position(convert_to({parameter}, 'UTF8') in {bytes}) > 0")
    }

    fn elements(parameter: &str) -> String {
        format!("SELECT json_array_elements_text({parameter}::json)")
    }

    fn first(column: &str) -> String {
        format!("{column}::json ->> 0")
    }

    fn data_folder(&self) -> &Path {
        &self.folder
    }
}

impl PostgresStore {
    /// Begins a transaction beside which there is none other that is begun so: what it reads stays as it
    /// is until it changes it.
    pub(crate) async fn begin_alone(&self) -> sqlx::Result<Transaction<'_, Postgres>> {
        // Whoever gives up while it waits gives the transaction back, as it has begun.
        let mut transaction = self.pool.begin().await?;
        // A table's lock, as other roles may not take it: they may take any advisory lock.
        sqlx::query("LOCK TABLE writing IN EXCLUSIVE MODE")
            .execute(&mut *transaction)
            .await?;
        Ok(transaction)
    }

    /// Writes what is said of pages of a crawl now, many in a statement: each changes the counts of the
    /// crawl, and reads all versions that its row had before in the same transaction.
    pub(crate) async fn write_judgments(
        &self,
        crawl: i64,
        judged: &[(Address, Judgment)],
    ) -> StoreResult<()> {
        let mut transaction = self.pool.begin().await?;
        for some in judged.chunks(JUDGED_AT_ONCE) {
            let pages: Vec<&str> = some.iter().map(|(page, _)| page.as_str()).collect();
            let relevances = some.iter().map(|(_, judgment)| judgment.relevance.value());
            let targets = some.iter().map(|(_, judgment)| judgment.is_target);
            sqlx::query(
                "UPDATE \"fetch\" SET relevance = judged.relevance, is_target = judged.is_target
                 FROM unnest($2, $3, $4) AS judged (address, relevance, is_target)
                 WHERE crawl = $1 AND \"fetch\".address = judged.address
                 AND \"fetch\".relevance IS NOT NULL",
            )
            .bind(crawl)
            .bind(pages)
            .bind(relevances.collect::<Vec<f64>>())
            .bind(targets.collect::<Vec<bool>>())
            .execute(&mut *transaction)
            .await?;
        }
        transaction.commit().await?;
        Ok(())
    }
}

/// What is wrong where the server keeps the database, if that is why something was not done.
pub(crate) fn failure(error: &sqlx::Error) -> Option<Failure> {
    match error {
        sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut => return Some(Failure::Away),
        // A connection that ends while it begins reads like one to no such server.
        sqlx::Error::Protocol(said) if said.contains("SSLRequest") => return Some(Failure::Away),
        _ => {}
    }
    let refused = error.as_database_error()?;
    let refused = refused.try_downcast_ref::<sqlx::postgres::PgDatabaseError>()?;
    match refused.code() {
        FULL => Some(Failure::Full),
        IO_FAILED => Some(Failure::Disk),
        code if AWAY.contains(&code) || code.starts_with(CONNECTION_LOST) => Some(Failure::Away),
        _ => None,
    }
}
