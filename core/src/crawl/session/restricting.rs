//! A crawl that keeps closer to what is known to be good, for a while after an alarm; and how links
//! are scored again.

use super::{RESTRICTED_PAGES, Session};
use crate::crawl::{DriftAlarm, DriftCause};
use crate::strategies::{Candidate, LinkScore};
use crate::topic_model::TopicModel;

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
        let (topic_model, is_restricted) = (&self.topic_model, self.restricted_pages > 0);
        self.frontier
            .rescore(|link| restricted(topic_model, is_restricted, link, topic_model.score(link)));
    }

    /// Scores a part of the links again that an earlier model scored.
    pub(super) fn rescore_part(&mut self) {
        let (topic_model, is_restricted) = (&self.topic_model, self.restricted_pages > 0);
        self.frontier.rescore_part(|link| {
            restricted(topic_model, is_restricted, link, topic_model.score(link))
        });
    }
}

/// A link's score in a crawl that may have been restricted. What no page led to, as a sitemap, waits
/// behind all others.
pub(super) fn restricted(
    topic_model: &TopicModel,
    is_restricted: bool,
    link: &Candidate,
    score: LinkScore,
) -> LinkScore {
    let is_behind = || {
        let source = link.source();
        source.is_some_and(|page| !topic_model.graph().judgment(page).relevance.is_high())
    };
    match score {
        LinkScore::Follow(priority)
            if link.source().is_none() || (is_restricted && is_behind()) =>
        {
            LinkScore::Follow(priority.held_back())
        }
        score => score,
    }
}
