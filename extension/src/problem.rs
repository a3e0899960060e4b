//! Why a request is not done. Each error displays as the key of its text in `_locales`, which a
//! person reads in their language.

use linkscent_core::address::AddressError;
use linkscent_core::wire::{ModelError, SnapshotError};
use thiserror::Error;

use crate::companion::CompanionError;
use crate::ports::{BrowserError, DatabaseError, NetworkError, Texts};

/// See the module.
#[derive(Debug, Error)]
pub enum Problem {
    /// Whoever sent it may not ask for it, or it is no request.
    #[error("problem_not_taken")]
    NotTaken,
    /// There is no topic.
    #[error("problem_no_topic")]
    NoTopic,
    /// There is no companion.
    #[error("problem_not_paired")]
    NotPaired,
    /// The tab shows nothing that could be read.
    #[error("problem_nothing_to_read")]
    NothingToRead,
    /// The tab's page is none that is read, for a reason in the person's language.
    #[error("problem_not_read")]
    NotRead(String),
    /// A topic's name is empty or too long.
    #[error("problem_topic_name")]
    TopicName,
    /// Two topics would have one name.
    #[error("problem_name_taken")]
    NameTaken,
    /// No topic of that name was removed.
    #[error("problem_not_removed")]
    NotRemoved,
    /// The form is not on the page.
    #[error("problem_no_form")]
    NoForm,
    /// What is said of a topic is empty or too long.
    #[error("problem_phrase")]
    Phrase,
    /// More was said of a topic than is taken.
    #[error("problem_too_many_phrases")]
    TooManyPhrases,
    /// The link leads to no page that could be judged.
    #[error("problem_no_link")]
    NoLink,
    /// The topic is not judged by classes.
    #[error("problem_no_classes")]
    NoClasses,
    /// The taxonomy does not have the class.
    #[error("problem_no_class")]
    NoClass,
    /// The topic model let go of the page.
    #[error("problem_not_remembered")]
    NotRemembered,
    /// What the topic is learned by is not part of this build.
    #[error("problem_no_topic_model")]
    NoTopicModel,
    /// The companion's model names what this version does not have.
    #[error("problem_newer_model")]
    NewerModel,
    /// The companion could not delete everything.
    #[error("problem_still_held")]
    StillHeld(String),
    /// The database.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The companion, or the way to it.
    #[error(transparent)]
    Companion(#[from] CompanionError),
    /// The browser.
    #[error("problem_browser")]
    Browser(#[from] BrowserError),
    /// An address is none.
    #[error("problem_address")]
    Address(#[from] AddressError),
    /// A page is none.
    #[error("problem_page")]
    Page(#[from] SnapshotError),
    /// A model file.
    #[error("problem_model")]
    Model(#[from] ModelError),
}

impl Problem {
    /// As a person reads it.
    pub fn text(&self, texts: &impl Texts) -> String {
        let values = self.values();
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        texts.text(&self.to_string(), &values)
    }

    /// What stands in its text. What libraries and the companion say is English.
    fn values(&self) -> Vec<String> {
        match self {
            Self::NotRead(detail)
            | Self::StillHeld(detail)
            | Self::Browser(BrowserError(detail)) => vec![detail.clone()],
            Self::Address(error) => vec![error.to_string()],
            Self::Page(error) => vec![error.to_string()],
            Self::Model(error) => vec![error.to_string()],
            Self::Database(error) => match error {
                DatabaseError::Newer { known } => vec![known.to_string()],
                DatabaseError::Upgrade { form, why } => vec![form.to_string(), why.clone()],
                DatabaseError::Row(detail) | DatabaseError::Failed(detail) => vec![detail.clone()],
            },
            Self::Companion(error) => of_companion(error),
            _ => Vec::new(),
        }
    }
}

fn of_companion(error: &CompanionError) -> Vec<String> {
    match error {
        CompanionError::Network(NetworkError::Silent(port)) | CompanionError::Stranger(port) => {
            vec![port.to_string()]
        }
        CompanionError::Network(NetworkError::Browser(detail)) | CompanionError::Said(detail) => {
            vec![detail.clone()]
        }
        CompanionError::Status(status) => vec![status.to_string()],
        CompanionError::Pairing(error) => vec![error.to_string()],
        CompanionError::Json(error) => vec![error.to_string()],
        CompanionError::Code | CompanionError::Closed => Vec::new(),
    }
}
