//! What databases write in different ways, and how they fail: between them and what they do alike (`sql`).

use std::path::Path;

/// What the databases write in different ways. None of it comes from outside.
pub(super) trait Dialect {
    /// What kind an event is; nothing if it cannot be read.
    const KIND: &'static str;
    /// Between a small table and `fetch`, of which only the rows of each are to be looked at.
    const THEN: &'static str;
    /// Behind `fetch` where all that is asked for stands in an index.
    const BY_STANDINGS: &'static str;
    /// The same, where it is found by its address.
    const BY_ADDRESS: &'static str;
    /// What the database calls itself, and where a person finds it.
    const NAMED: &'static str;
    /// The number of the newest event there was.
    const NEWEST_EVENT: &'static str;
    /// Empties every table with rows of people's; numbers begin again.
    const DELETE_EVERYTHING: &'static str;
    /// Table and name of every column, and the SQL of its value as bytes.
    const COLUMNS: &'static str;

    /// Whether a column has a text, which is that parameter.
    fn has(column: &str, parameter: &str) -> String;

    /// Whether bytes have a text, which is that parameter.
    fn has_bytes(bytes: &str, parameter: &str) -> String;

    /// The elements of a JSON list, which is that parameter, as a query.
    fn elements(parameter: &str) -> String;

    /// The first element of a column's JSON list, or nothing.
    fn first(column: &str) -> String;

    /// The data folder.
    fn data_folder(&self) -> &Path;
}

/// What is wrong with the place where a database lies.
pub(super) enum Failure {
    /// There is no room.
    Full,
    /// Its files are damaged, or none of its own.
    Damaged,
    /// The disk fails.
    Disk,
    /// Its server does not answer.
    #[cfg(feature = "team")]
    Away,
}
