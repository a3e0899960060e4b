//! What comes of a request.

use std::time::Duration;

use linkscent_archive::warc::Exchange;
use linkscent_core::address::Address;
use linkscent_core::page::Page;
use thiserror::Error;

use super::faults::Fault;

/// A page that was fetched.
pub struct Fetched {
    /// What the learners see.
    pub page: Box<Page>,
    /// First half of a hash of the body: tells pages apart.
    pub digest: u64,
    /// How much work it was to read, and about what it is to learn from.
    pub work: Duration,
    /// What came, to be kept.
    pub answer: Answer,
}

/// An answer that brought a page.
pub struct Answer {
    /// Status code.
    pub status: u16,
    /// `Content-Type`, if there was one.
    pub content_type: Option<String>,
    /// The body.
    pub body: Vec<u8>,
    /// HTML that was made of the body, if it is none.
    pub conversion: Option<String>,
    /// What was said besides.
    pub exchange: Exchange,
}

/// The head of an answer that brought no page of its own.
pub struct Head {
    /// Status code.
    pub status: u16,
    /// What was said.
    pub exchange: Exchange,
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

/// What came of a request.
pub enum Reply {
    /// A page.
    Page(Box<Fetched>),
    /// A redirect.
    Redirect(Address, Box<Head>),
    /// A page that only a browser could read: it shows nothing without scripts, or asks for a
    /// login. Which of both.
    Unrendered(String),
    /// It is as it was; by its head where the server said so, and not what it sent.
    Unchanged(Option<Box<Head>>),
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
        Self::Turns(format!("{error:#}"))
    }
}
