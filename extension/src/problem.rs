//! Why a request is not done, as a person reads it.

use linkscent_core::address::AddressError;
use linkscent_core::wire::{ModelError, SnapshotError};
use thiserror::Error;

use crate::companion::CompanionError;
use crate::ports::{BrowserError, DatabaseError};

/// See the module.
#[derive(Debug, Error)]
pub enum Problem {
    /// Whoever sent it may not ask for it, or it is no request.
    #[error("This message is not taken from here.")]
    NotTaken,
    /// There is no topic.
    #[error("choose a topic first")]
    NoTopic,
    /// There is no companion.
    #[error("pair with the companion first")]
    NotPaired,
    /// The tab shows nothing that could be read.
    #[error("There is nothing to read here.")]
    NothingToRead,
    /// The tab's page is none that is read.
    #[error("This page is not read: {0}.")]
    NotRead(String),
    /// A topic's name is empty or too long.
    #[error("a topic needs a name of at most 80 characters")]
    TopicName,
    /// Two topics would have one name.
    #[error("another topic is called that already: rename that one first")]
    NameTaken,
    /// No topic of that name was removed.
    #[error("this topic was not removed")]
    NotRemoved,
    /// The form is not on the page.
    #[error("this page has no such form any more")]
    NoForm,
    /// What is said of a topic is empty or too long.
    #[error("say it in 1 to 1000 characters")]
    Phrase,
    /// More was said of a topic than is taken.
    #[error("50 things were said of this topic: take one back first")]
    TooManyPhrases,
    /// The link leads to no page that could be judged.
    #[error("this link leads to no other page")]
    NoLink,
    /// The topic is not judged by classes.
    #[error("this topic has no classes: import a taxonomy in the companion, then sync")]
    NoClasses,
    /// The taxonomy does not have the class.
    #[error("the topic's taxonomy has no such class any more")]
    NoClass,
    /// The guide let go of the page.
    #[error("this page is not remembered any more")]
    NotRemembered,
    /// What the topic is learned by is not part of this build.
    #[error("no critic or no strategy")]
    NoGuide,
    /// The companion's model names what this version does not have.
    #[error("the companion's model needs a newer extension: update it")]
    NewerModel,
    /// The companion could not delete everything.
    #[error("the companion still holds something of what was to be forgotten, in {0}")]
    StillHeld(String),
    /// The database.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The companion, or the way to it.
    #[error(transparent)]
    Companion(#[from] CompanionError),
    /// The browser.
    #[error(transparent)]
    Browser(#[from] BrowserError),
    /// An address is none.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// A page is none.
    #[error(transparent)]
    Page(#[from] SnapshotError),
    /// A model file.
    #[error(transparent)]
    Model(#[from] ModelError),
}
