//! How a crawl and its hosts get on.

use serde::{Deserialize, Serialize};

/// `GET /api/v1/crawls/{id}/hosts`: those in trouble first, then those that were asked most.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct HostsView {
    /// How many hosts there are.
    pub all: usize,
    /// How many of all are in trouble.
    pub in_trouble: usize,
    /// The first of them.
    pub hosts: Vec<HostView>,
}

/// A crawl and one of its hosts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct HostView {
    /// The host, with its port where that is not the usual one.
    pub host: String,
    /// Whether it is asked no more, has no time, or fails as often as it answers.
    pub in_trouble: bool,
    /// Requests to it.
    pub requests: u64,
    /// Pages that came.
    pub pages: u64,
    /// Requests that came to nothing.
    pub failed: u64,
    /// What came of those most often; empty if there are none.
    pub problem: String,
    /// Bytes of the archive that its pages take, about.
    pub bytes: u64,
    /// When its last answer came, in milliseconds since 1970; 0 where that was not put down.
    pub last: i64,
    /// How it stands just now; none unless the crawl runs in this program.
    pub now: Option<HostNow>,
}

/// How it stands with a host just now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct HostNow {
    /// `free`, `asked` or `rests`; if it is asked no more `enough` (as much of it came as was wanted),
    /// `given up` (it goes on for ever, or never has time) or `left out` (by the person).
    pub turn: String,
    /// Milliseconds until it may be asked, if it rests.
    pub rests: u64,
    /// Milliseconds that it rests between two requests, as things are.
    pub delay: u64,
    /// How often in a row it had no time.
    pub deferred: u32,
    /// What its robots.txt allows: `unknown`, `all`, `some` or `nothing`.
    pub rules: String,
    /// Why it allows nothing, if it does.
    pub why: String,
    /// Pages of it that wait to be asked for.
    pub waiting: usize,
}
