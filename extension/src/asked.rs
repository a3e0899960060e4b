//! What the person was asked so far: a few questions in a session, and never one twice.

use serde::{Deserialize, Serialize};

/// Questions about pages read here in one session.
const MOST_IN_SESSION: u32 = 3;
/// A session ends when nothing was answered for so long, in milliseconds.
const SESSION: f64 = 30.0 * 60_000.0;
/// Pages remembered that were asked about; the oldest go.
const MOST_ASKED: usize = 300;

/// A page to ask about.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AskedPage {
    /// The crawl that asks; none where it is a page read here.
    pub crawl: Option<i64>,
    /// The page.
    pub address: String,
    /// Its title, or its address.
    pub title: String,
}

/// What was asked so far.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Asked {
    pub(crate) pages: Vec<String>,
    in_session: u32,
    last: f64,
}

impl Asked {
    /// Questions about pages read here that may still be asked in this session.
    pub(crate) fn left(&self, now: f64) -> u32 {
        if now - self.last > SESSION {
            return MOST_IN_SESSION;
        }
        MOST_IN_SESSION.saturating_sub(self.in_session)
    }

    /// Forgets pages that were asked about.
    pub(crate) fn forget(&mut self, is_gone: impl Fn(&str) -> bool) {
        self.pages.retain(|page| !is_gone(page));
    }

    /// Remembers that a page was asked about.
    pub(crate) fn answered(&mut self, page: &str, now: f64) {
        if now - self.last > SESSION {
            self.in_session = 0;
        }
        (self.in_session, self.last) = (self.in_session + 1, now);
        self.pages.push(page.to_owned());
        let gone = self.pages.len().saturating_sub(MOST_ASKED);
        self.pages.drain(..gone);
    }
}
