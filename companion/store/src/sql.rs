//! The ports on tables, for every database that speaks SQL: what [`SqliteStore`] and [`PostgresStore`]
//! do alike stands here once, what they do each in their own way in [`Dialect`] and in their modules.
//!
//! Each file gives one port to both by a macro: their connections are different types, and the bounds
//! that would make one of them are longer than what they guard. Parameters are written as `$1`, which
//! both read.

mod accounts;
mod commands;
mod crawls;
mod deleting;
mod devices;
mod forgetting;
mod kept;
mod log;
mod people;
mod searches;
mod sites;
mod standing;
mod tokens;
mod topics;
mod writer;

use std::borrow::Cow;

use serde::Serialize;
use sqlx::error::DatabaseError;

use super::dialect::{Dialect, Failure};
#[cfg(feature = "team")]
use super::postgres::{self, PostgresStore};
use super::sqlite::{self, SqliteStore};
use super::{StoreError, StoreResult};

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        let refused = error.as_database_error();
        if refused.is_some_and(DatabaseError::is_foreign_key_violation) {
            return Self::Missing("topic or crawl");
        }
        if refused.is_some_and(DatabaseError::is_unique_violation) {
            return Self::Conflict;
        }
        let failure = sqlite::failure(&error);
        #[cfg(feature = "team")]
        let failure = failure.or_else(|| postgres::failure(&error));
        match failure {
            Some(Failure::Full) => Self::Full(error.into()),
            Some(Failure::Damaged) => Self::Damaged(error.into()),
            Some(Failure::Disk) => Self::Disk(error.into()),
            #[cfg(feature = "team")]
            Some(Failure::Away) => Self::Away(error.into()),
            None => Self::Backend(error.into()),
        }
    }
}

/// A value as a column keeps it.
fn json(value: &impl Serialize) -> StoreResult<String> {
    serde_json::to_string(value).map_err(|error| StoreError::Backend(error.into()))
}

/// Words from outside as every database takes them: not all keep the character zero.
fn text(words: &str) -> Cow<'_, str> {
    if words.contains('\0') {
        Cow::Owned(words.replace('\0', "\u{FFFD}"))
    } else {
        Cow::Borrowed(words)
    }
}
