//! Why the store did not do what it was asked.

use std::error::Error;

use thiserror::Error;

/// What a backend says of a failure, whichever backend it is.
pub type BackendError = Box<dyn Error + Send + Sync>;

/// See the module.
#[derive(Debug, Error)]
pub enum StoreError {
    /// A row was to hang on one that is not there: which, without an article.
    #[error("there is no such {0}")]
    Missing(&'static str),
    /// A row of that number is there already.
    #[error("the store has a row of this number already")]
    Conflict,
    /// A row is there and does not say what it should; the sentence says what is wrong.
    #[error("{0}")]
    Unreadable(String),
    /// Fetches could not be written to a crawl's log; none of them was.
    #[error("writing to the store")]
    Writing(#[source] BackendError),
    /// There is no room left for what was to be written.
    #[error("writing to the store: there is no room left on its disk; make some, and go on")]
    Full(#[source] BackendError),
    /// What the store keeps cannot be read any more.
    #[error(
        "the database is damaged: end every linkscent on its folder, then `linkscent data repair` saves what \
         can be read; the pages of crawls lie in files of their own"
    )]
    Damaged(#[source] BackendError),
    /// The disk does not do what it is told.
    #[error(
        "the disk of the store cannot be read or written: see to it, then go on; \
         nothing that was put down before is lost by it"
    )]
    Disk(#[source] BackendError),
    /// The database's server does not answer, or ended what was begun. What was under way may be done or
    /// not.
    #[error("the database does not answer")]
    Away(#[source] BackendError),
    /// What lies under the store failed.
    #[error(transparent)]
    Backend(BackendError),
}

/// Whether an error is that the database does not answer, whatever was being done.
pub fn is_away(error: &anyhow::Error) -> bool {
    let is =
        |cause: &(dyn Error + 'static)| matches!(cause.downcast_ref(), Some(StoreError::Away(_)));
    error.chain().any(is)
}

/// What a port answers.
pub type StoreResult<T> = Result<T, StoreError>;
