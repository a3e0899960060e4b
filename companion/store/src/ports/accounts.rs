//! People who share what is kept here: who they are, where they are signed in, and what they changed.

use async_trait::async_trait;
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::Topic;
use crate::error::StoreResult;

/// Browsers in which an account is signed in.
pub const MOST_SIGN_INS: i64 = 20;

/// What somebody may do, in all topics or in one, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// What is shared with them, and nothing else.
    Guest,
    /// The same, and make topics of their own.
    Member,
    /// Look at everything but the settings.
    Reader,
    /// Also judge, describe, begin and stop crawls, and make topics.
    Editor,
    /// All of it: deleting for good and sharing, and, in all topics, settings, programs, and what
    /// others did.
    Owner,
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Guest,
        Self::Member,
        Self::Reader,
        Self::Editor,
        Self::Owner,
    ];
    /// Those that somebody can have in a single topic.
    pub const OF_A_TOPIC: [Self; 3] = [Self::Reader, Self::Editor, Self::Owner];

    /// As the shell and the database name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Guest => "guest",
            Self::Member => "member",
            Self::Reader => "reader",
            Self::Editor => "editor",
            Self::Owner => "owner",
        }
    }

    /// Back from [`Self::name`].
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }

    /// Whether topics are made in it.
    pub fn makes_topics(self) -> bool {
        match self {
            Self::Member | Self::Editor | Self::Owner => true,
            Self::Guest | Self::Reader => false,
        }
    }
}

/// Somebody who may come in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountRow {
    /// Their number.
    pub id: i64,
    /// By which they sign in.
    pub name: String,
    /// What they may do in all topics.
    pub role: Role,
    /// When the account was made, in milliseconds since 1970.
    pub created: i64,
}

/// Something that was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// When, in milliseconds since 1970.
    pub time: i64,
    /// What the account was called then.
    pub account: String,
    /// What was asked for.
    pub what: String,
}

/// People who may come in.
#[async_trait]
pub trait Accounts: Send + Sync {
    /// Takes an account in with the hash of its password, empty for none; its number. An error if there is one of
    /// that name.
    async fn add_account(
        &self,
        name: &str,
        role: Role,
        password: &str,
        now: i64,
    ) -> StoreResult<i64>;

    /// All accounts, by name.
    async fn accounts(&self) -> StoreResult<Vec<AccountRow>>;

    /// The account of that name, with the hash of its password.
    async fn account(&self, name: &str) -> StoreResult<Option<(AccountRow, String)>>;

    /// The account of whom a provider calls so, with the hash of its password.
    async fn account_of(&self, subject: &str) -> StoreResult<Option<(AccountRow, String)>>;

    /// Makes an account that of whom a provider calls so; false if it is somebody's already. An error
    /// if they have another.
    async fn bind_account(&self, id: i64, subject: &str) -> StoreResult<bool>;

    /// Makes an account nobody's by whatever provider, and signs it out everywhere.
    async fn unbind_account(&self, id: i64) -> StoreResult<()>;

    /// Lets an account do other things from now on.
    async fn set_role(&self, id: i64, role: Role) -> StoreResult<()>;

    /// Gives it another password, by its hash, and signs it out everywhere.
    async fn set_password(&self, id: i64, password: &str) -> StoreResult<()>;

    /// Deletes an account and signs it out. What it did stays.
    async fn remove_account(&self, id: i64) -> StoreResult<()>;

    /// Signs an account in by the digest of a secret, if the hash of its password is still this one;
    /// false if it is another, or there is no such account. Sign-ins that were not used since `ended`
    /// go, and of those of the account all but the newest [`MOST_SIGN_INS`].
    async fn sign_in(
        &self,
        digest: &str,
        account: i64,
        password: &str,
        now: i64,
        ended: i64,
    ) -> StoreResult<bool>;

    /// Who is signed in by the secret of that digest, and when it was used last, if that is not
    /// before `since`.
    async fn signed_in(&self, digest: &str, since: i64) -> StoreResult<Option<(AccountRow, i64)>>;

    /// Puts down when a sign-in was used.
    async fn sign_in_used(&self, digest: &str, now: i64) -> StoreResult<()>;

    /// Ends a sign-in.
    async fn sign_out(&self, digest: &str) -> StoreResult<()>;

    /// Makes a topic by that key which is an account's own; none if there is one of that key, in
    /// whatever state.
    async fn found_topic(&self, key: &str, account: i64) -> StoreResult<Option<Topic>>;

    /// Lets an account do so in a topic whatever it may in all; no more than that for none. An error
    /// if there is no such account or topic.
    async fn set_topic_role(&self, account: i64, topic: i64, role: Option<Role>)
    -> StoreResult<()>;

    /// Topics in which an account has a role of its own, and which.
    async fn topic_roles(&self, account: i64) -> StoreResult<Vec<(i64, Role)>>;

    /// Accounts that have a role of their own in a topic, by name, and which.
    async fn people_of(&self, topic: i64) -> StoreResult<Vec<(AccountRow, Role)>>;

    /// Puts down what was changed, and keeps of all that the newest `most` at most.
    async fn put_audit_entry(&self, audit_entry: &AuditEntry, most: i64) -> StoreResult<()>;

    /// What was changed, newest first, at most `most`.
    async fn audit_entries(&self, most: i64) -> StoreResult<Vec<AuditEntry>>;
}
