//! What comes of a request.

use std::sync::Arc;
use std::time::Duration;

use linkscent_core::address::Address;
use linkscent_core::crawl::Robots;
use linkscent_core::page::Page;
use thiserror::Error;

use super::faults::Fault;
use linkscent_store::is_away;

/// A page that was fetched.
pub struct Fetched {
    /// What the learners see.
    pub page: Box<Page>,
    /// First half of a hash of the body: tells pages apart.
    pub digest: u64,
    /// How much work it was to read, and about what it is to learn from.
    pub work: Duration,
    /// What is to be kept of it, as it is written to an archive.
    pub record: Vec<u8>,
}

/// What came of a request, and when.
pub struct Answered {
    /// What came.
    pub reply: Reply,
    /// How long the host needed to begin its answer; if there was none, until that was clear. None
    /// if it was not asked.
    pub took: Option<Duration>,
}

impl Answered {
    /// How much work it was to read the page that came.
    pub fn work(&self) -> Option<Duration> {
        match &self.reply {
            Reply::Page(fetched) => Some(fetched.work),
            _ => None,
        }
    }

    /// What came without asking.
    pub fn nothing(reply: Reply) -> Self {
        Self { reply, took: None }
    }
}

/// What came of something that a crawl asked for.
pub(super) enum Came {
    /// Of a page.
    Page(Address, Result<Answered, Hindrance>),
    /// Of the robots.txt of a page's host.
    Robots(Address, Result<Robots, Hindrance>),
}

/// Where it is told. Clones are the same.
#[derive(Clone)]
pub(super) struct Answers(Arc<dyn Fn(Came) + Send + Sync>);

impl Answers {
    /// To whoever does that with it.
    pub fn to(tell: impl Fn(Came) + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }

    /// Tells it; whoever asked may have come to rest.
    pub fn tell(&self, came: Came) {
        (self.0)(came);
    }
}

/// What came of a request.
pub enum Reply {
    /// A page.
    Page(Box<Fetched>),
    /// A redirect, and what is to be kept of it.
    Redirect(Address, Vec<u8>),
    /// A page that only a browser could read: it shows nothing without scripts, or asks for a
    /// login. Which of both.
    Unrendered(String),
    /// It is as it was; with what is to be kept of that where the server said so, and not what it sent.
    Unchanged(Option<Vec<u8>>),
    /// The server has no time just now: what it said, and after how long it may be asked again, where
    /// it says so.
    Later(String, Duration),
    /// The host was not asked: what it may be asked for today was asked for, or its server is busy
    /// with others. It may be tried again so much later.
    PutOff(Duration),
    /// Something else, in one line.
    Problem(String),
}

/// Why no request can be made at all just now: it says nothing of any page.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Hindrance {
    /// The proxy that all requests go through does not answer.
    #[error("the proxy {0} does not answer: start it, or go on without it")]
    Proxy(String),
    /// It cannot be put down whose turn it is.
    #[error("whose turn it is to ask a host cannot be written down: {0}")]
    Turns(String),
    /// The database does not answer where it is put down whose turn it is.
    #[error("the database does not answer: {0}")]
    Away(String),
    /// The system lets the program have no more connections.
    #[error(
        "this program may not have more files and connections open: allow it more (ulimit -n), then \
         go on"
    )]
    Files,
    /// The crawl has come to rest meanwhile.
    #[error("the crawl has come to rest")]
    AtRest,
}

impl Hindrance {
    /// What an error of a request says of all others.
    pub(super) fn of_request(error: &anyhow::Error) -> Option<Self> {
        let fault = error.downcast_ref::<Fault>();
        (fault == Some(&Fault::Files)).then_some(Self::Files)
    }

    pub(super) fn of_turns(error: &anyhow::Error) -> Self {
        let said = format!("{error:#}");
        if is_away(error) {
            Self::Away(said)
        } else {
            Self::Turns(said)
        }
    }
}
