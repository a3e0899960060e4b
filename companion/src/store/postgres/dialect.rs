//! What PostgreSQL writes in its own way.

use std::path::Path;

use super::PostgresStore;
use crate::store::dialect::{Dialect, Failure};

/// Answers that mean that the disk is full, that it fails, and that a table or an index is damaged.
const FULL: &str = "53100";
const IO_FAILED: &str = "58030";
const DAMAGED: [&str; 2] = ["XX001", "XX002"];

impl Dialect for PostgresStore {
    // The number only has to be the same for all of them.
    const BEGIN_ALONE: &'static str = "BEGIN; SELECT pg_advisory_xact_lock(7474)";
    const KIND: &'static str = "kind";
    const THEN: &'static str = "JOIN";
    const BY_STANDINGS: &'static str = "";
    const BY_ADDRESS: &'static str = "";
    const NAMED: &'static str = "the database";
    const NEWEST_EVENT: &'static str = "SELECT newest FROM numbering";
    const DELETE_EVERYTHING: &'static str = "TRUNCATE form, \"fetch\", alarm, question, skipped, command,
        notice, start_model, crawl, deleted_crawl, event, saved_search, standing, model, topic, device,
        token, log_change RESTART IDENTITY; UPDATE numbering SET newest = 0;";
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

/// What is wrong where the server keeps the database, if that is why something was not done.
pub(in crate::store) fn failure(error: &sqlx::Error) -> Option<Failure> {
    let refused = error.as_database_error()?;
    let refused = refused.try_downcast_ref::<sqlx::postgres::PgDatabaseError>()?;
    match refused.code() {
        FULL => Some(Failure::Full),
        IO_FAILED => Some(Failure::Disk),
        code if DAMAGED.contains(&code) => Some(Failure::Damaged),
        _ => None,
    }
}
