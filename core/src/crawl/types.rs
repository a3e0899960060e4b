//! What a crawl session and its caller tell each other, as plain data.

use crate::content::{PARKED, SOFT_ERROR};
use thiserror::Error;

use super::{Arm, CrawlDelay, Denial, DriftAlarm, Instant, Refusal, Scope, StoppingRule, Unfound};
use crate::address::Address;
use crate::critics::FoundForm;
use crate::page::Page;
use crate::strategies::Priority;
use crate::web_graph::{Judgment, Mark, Relevance};

/// Redirects followed from one link.
pub const MOST_REDIRECTS: u8 = 5;

/// Where a crawl starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seed {
    /// The page.
    pub address: Address,
    /// The person's word on it; an example is marked as a target.
    pub mark: Option<Mark>,
}

/// How far a crawl goes.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// Pages to fetch.
    pub budget: u64,
    /// Requests to make at most, where they are counted and not only the pages they bring.
    pub requests: Option<u64>,
    /// Rest of a host between two requests.
    pub delay: CrawlDelay,
    /// Which links may be followed at all.
    pub scope: Scope,
    /// When a site is left.
    pub stopping: StoppingRule,
    /// The share of the relevant pages to be reached after which it ends, 0..=1, where that is wanted.
    pub until_recall: Option<f64>,
    /// Whether pages count that are nearly the same as others, and links are followed to where a
    /// site only repeats itself: where each page of a web is wanted.
    pub takes_repeats: bool,
    /// Whether links of pages are followed that ask crawlers not to: where nothing is asked of
    /// anybody.
    pub follows_all: bool,
}

/// A request to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetch {
    /// What to ask for.
    pub address: Address,
}

/// What to do next.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    /// Ask for the robots.txt of this page's host, then call
    /// [`super::Session::robots`].
    Robots(Address),
    /// Fetch this page, then call [`super::Session::take`].
    Fetch(Fetch),
    /// Nothing until then; all hosts rest.
    Wait(Instant),
    /// Nothing until a request that is under way has ended.
    Busy,
    /// The crawl is over.
    Stop(StopReason),
}

/// Why a crawl ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// The pages were fetched that were asked for.
    Budget,
    /// No link is left to follow.
    FrontierEmpty,
    /// Too many requests brought no page.
    TooManyFailures,
    /// It has the share of the relevant pages that it was to find, as far as it can tell.
    Recall,
    /// Its pages take as many bytes as they may.
    Bytes,
}

impl StopReason {
    /// As programs read it.
    pub fn code(self) -> &'static str {
        match self {
            Self::Budget => "budget",
            Self::FrontierEmpty => "frontier_empty",
            Self::TooManyFailures => "too_many_failures",
            Self::Recall => "recall",
            Self::Bytes => "bytes",
        }
    }

    /// Whether a page that only a browser could read is still taken in: its pages are not used up,
    /// and nobody had it end.
    pub fn leaves_room(self) -> bool {
        matches!(self, Self::FrontierEmpty | Self::Recall)
    }
}

/// Why a link was not asked for.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SkipReason {
    /// Its host's robots.txt.
    #[error(transparent)]
    Robots(#[from] Denial),
    /// Page after page like it said nothing that its site had not said before.
    #[error("pages of this kind only repeat what their site has said already")]
    Repetition,
}

/// A link that was not asked for, though its turn had come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Where it leads.
    pub address: Address,
    /// Why it was not asked for.
    pub reason: SkipReason,
    /// Whether the crawl was to start there.
    pub is_seed: bool,
}

/// What came of a request.
#[derive(Debug)]
pub enum Outcome {
    /// A page, with a digest of its body.
    Page(Box<Page>, u64),
    /// The answer sends us on.
    Redirect(Address),
    /// No page.
    Failed(Failure),
    /// No page for who asks without a browser; why.
    Unrendered(String),
    /// The same page as one before, or nearly, or an error in the form of a page, as a log has it;
    /// what is said of it.
    Repeated(String),
    /// The server has no time just now.
    Deferred {
        /// What it said.
        why: String,
        /// After how many milliseconds it may be asked again, at the earliest.
        rest: u64,
    },
}

impl Outcome {
    /// What came of a request of which a log only has the problem.
    pub fn of_problem(problem: &str) -> Self {
        if let Some(why) = problem.strip_prefix(UNRENDERED) {
            return Self::Unrendered(why.to_owned());
        }
        if matches!(problem, SAME_PAGE | NEARLY_SAME_PAGE | SOFT_ERROR | PARKED) {
            return Self::Repeated(problem.to_owned());
        }
        match problem.strip_prefix(DEFERRED) {
            Some(why) => Self::Deferred {
                why: why.to_owned(),
                rest: 0,
            },
            None => Self::Failed(Failure::Other(problem.to_owned())),
        }
    }
}

/// What the problem of a request begins with that is made again when its host has rested.
pub const DEFERRED: &str = "asked again later: ";

/// What is said of a page whose body came before.
pub const SAME_PAGE: &str = "the same page as one fetched before";

/// What is said of a page whose running text came before.
pub const NEARLY_SAME_PAGE: &str = "nearly the same page as one fetched before";

/// What the problem of a request begins with whose page a browser could read.
pub const UNRENDERED: &str = "a browser could read it: ";

/// What is said of a page that is as it was.
pub const UNCHANGED: &str = "not changed since it was read last";

/// Why a request brought no page.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Failure {
    /// A redirect led outside the crawl's scope.
    #[error("redirects to what this crawl does not follow: {0}")]
    Scope(Refusal),
    /// Redirects without end.
    #[error("more than {MOST_REDIRECTS} redirects")]
    Redirects,
    /// It is as it was when it was read last.
    #[error("{UNCHANGED}")]
    Unchanged,
    /// What the server or the network said.
    #[error("{0}")]
    Other(String),
}

/// What the session knows of one request that ended: a line of the crawl's
/// log.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Number of the request in this crawl, from 1.
    pub number: u64,
    /// What was asked for.
    pub address: Address,
    /// The last pages on the way from the seed, newest first, at most 32.
    pub trail: Vec<Address>,
    /// What the link said.
    pub anchor: String,
    /// What speaks for it, in one line, as it was when the answer came.
    pub reason: String,
    /// By whose ranking it was chosen.
    pub arm: Arm,
    /// What it was worth when the answer came; `None` for a seed.
    pub priority: Option<Priority>,
    /// How relevant it was expected to be, where the strategy says.
    pub expected: Option<Relevance>,
    /// Its judgment; `None` if no page came.
    pub judgment: Option<Judgment>,
    /// Its likeliest class; empty where pages are not judged by their classes.
    pub class: String,
    /// Whether it counts for the harvest.
    pub scored: bool,
    /// Title and snippet of the page.
    pub title: String,
    /// See `title`.
    pub snippet: String,
    /// What came instead of a page; empty if one came.
    pub problem: String,
    /// Its searchable forms that no page of the same host had before.
    pub forms: Vec<FoundForm>,
    /// What it gave the alarm about.
    pub alarm: Option<DriftAlarm>,
    /// What was then counted of the relevant pages that were not found yet, where it was.
    pub unfound: Option<Unfound>,
}
