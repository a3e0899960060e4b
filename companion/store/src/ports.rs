//! What is asked of the store, as narrow ports: one trait for each matter. A backend
//! implements them all; whoever holds the store knows none of it but these promises.
//!
//! What holds for all of them:
//!
//! - A call that changes something does all of it or nothing, and when it is answered the
//!   change is on the disk and seen by every later call.
//! - A call on a number that is not there (of a topic, a crawl, a browser) reads as nothing
//!   and changes nothing, except where its description says that it is an error.
//! - Numbers of topics and crawls rise in the order in which these were made.
//! - Counts and positions are at least 0; `most` and `skip` below 0 count as 0.
//! - Times are milliseconds since 1970 and passed in where an order follows from them.
//!
//! `store/tests` holds every backend to these promises and to those at each call.

mod accounts;
mod changes;
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

pub use accounts::{AccountRow, Accounts, AuditEntry, MOST_SIGN_INS, Role};
pub use changes::{Changes, Watch};
pub use commands::{Command, Commands};
pub use crawls::{CrawlKind, CrawlRow, Crawls, NewCrawl, Order, in_force};
pub use deleting::Deleting;
pub use devices::{Device, Devices};
pub use forgetting::{Forgetting, KeptPage, ModelOf};
pub use kept::{CopyRow, Kept, KeptRow, StandingRow};
pub use linkscent_core::wire::CrawlState;
pub use log::{
    AlarmRow, CrawlLog, CrawlWriter, FetchRow, FormRow, Location, LostPage, MOST_ALARMS,
    MOST_REASONS, MOST_SKIPPED, MOST_UNRENDERED, Outcome, ResultRow, SkippedRow,
};
pub use people::{MOST_NOTICES, Notices, QuestionRow, Questions};
pub use searches::{SearchRow, Searches};
pub use sites::Sites;
pub use standing::{LookRow, Standing, StandingTopic};
pub use tokens::{Permission, TokenRow, Tokens};
pub use topics::{Events, Said, Topic, Topics};

/// All ports of one backend.
pub trait Ports:
    Topics
    + Events
    + Crawls
    + CrawlWriter
    + CrawlLog
    + Kept
    + Searches
    + Sites
    + Standing
    + Commands
    + Questions
    + Notices
    + Devices
    + Tokens
    + Forgetting
    + Deleting
    + Changes
    + Accounts
{
}

impl<T> Ports for T where
    T: Topics
        + Events
        + Crawls
        + CrawlWriter
        + CrawlLog
        + Kept
        + Searches
        + Sites
        + Standing
        + Commands
        + Questions
        + Notices
        + Devices
        + Tokens
        + Forgetting
        + Deleting
        + Changes
        + Accounts
{
}
