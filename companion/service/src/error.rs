//! Why something that was asked for is not done, as all who ask can tell it on.

use thiserror::Error;

use linkscent_core::crawl::SpecError;
use linkscent_store::StoreError;

/// Why something that was asked for was not done.
#[derive(Debug, Error)]
pub enum ServiceError {
    /// It is not there: what, without an article.
    #[error("There is no such {0}.")]
    Missing(&'static str),
    /// It cannot be done as it was asked for; the sentence says what would be right.
    #[error("{0}")]
    Refused(String),
    /// It could not be done.
    #[error("{0:#}")]
    Failed(#[from] anyhow::Error),
}

impl ServiceError {
    /// Refused, with a sentence that says what would be right.
    pub fn refused(sentence: impl Into<String>) -> Self {
        Self::Refused(sentence.into())
    }
}

impl From<SpecError> for ServiceError {
    fn from(error: SpecError) -> Self {
        Self::refused(error.to_string())
    }
}

impl From<StoreError> for ServiceError {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}
