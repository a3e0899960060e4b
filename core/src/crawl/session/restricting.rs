//! A crawl that keeps closer to what is known to be good, for a while after an alarm; and how links
//! are scored again.

use super::{RESTRICTED_PAGES, Session};
use crate::crawl::{DriftAlarm, DriftCause, Repetition, Standing};
use crate::guide::Guide;
use crate::strategies::{Candidate, LinkScore};

impl Session {
    /// After an alarm, leaves the hosts full of spam. After one of another cause it keeps
    /// closer to what is known to be good for a while: links of pages that are not
    /// relevant wait behind all others, and nothing is tried for its own sake.
    pub fn restrict(&mut self, alarm: &DriftAlarm) {
        for host in &alarm.hosts {
            self.stopping.leave(host);
            self.frontier.forget_host(host);
        }
        if alarm.cause != DriftCause::Spam {
            self.restricted_pages = RESTRICTED_PAGES;
            self.rescore();
        }
    }

    /// Has every waiting link scored again, where many wait in parts.
    pub(super) fn rescore(&mut self) {
        let order = Order::of(&self.guide, &self.repetition, self.restricted_pages);
        self.frontier.rescore(|link| order.score(link));
    }

    /// Scores a part of the links again that an earlier model scored.
    pub(super) fn rescore_part(&mut self) {
        let order = Order::of(&self.guide, &self.repetition, self.restricted_pages);
        self.frontier.rescore_part(|link| order.score(link));
    }

    /// A link's score in this crawl.
    pub(super) fn restricted(&self, link: &Candidate, score: LinkScore) -> LinkScore {
        let order = Order::of(&self.guide, &self.repetition, self.restricted_pages);
        order.restricted(link, score)
    }
}

/// What scores links in a crawl: its guide, with what waits behind all others.
struct Order<'a> {
    guide: &'a Guide,
    repetition: &'a Repetition,
    is_restricted: bool,
}

impl<'a> Order<'a> {
    fn of(guide: &'a Guide, repetition: &'a Repetition, restricted_pages: u32) -> Self {
        Self {
            guide,
            repetition,
            is_restricted: restricted_pages > 0,
        }
    }

    fn score(&self, link: &Candidate) -> LinkScore {
        self.restricted(link, self.guide.score(link))
    }

    fn restricted(&self, link: &Candidate, score: LinkScore) -> LinkScore {
        match score {
            LinkScore::Follow(priority) if self.is_held_back(link) => {
                LinkScore::Follow(priority.held_back())
            }
            score => score,
        }
    }

    /// Whether it waits behind all others: what no page led to, as a sitemap; what leads where
    /// hardly anything new is said; and in a crawl that keeps close, what no good page links to.
    fn is_held_back(&self, link: &Candidate) -> bool {
        let Some(source) = link.source() else {
            return true;
        };
        let graph = self.guide.graph();
        (self.is_restricted && !graph.judgment(source).relevance.is_high())
            || self.repetition.standing(&link.target) == Standing::Doubtful
    }
}
