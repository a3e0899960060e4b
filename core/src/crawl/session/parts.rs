//! One of several sessions that share a crawl: each asks for pages of its own hosts, leaves links to
//! others' hosts to them, and learns from what all of them read.
//!
//! Left out: a session of several is not saved, and its log alone does not say what it heard, so that it
//! cannot be taken up again; pages that are the same on hosts of different sessions are not known for
//! it; and hosts of one site rest by themselves where they are not one session's.

use super::Session;
use crate::address::Address;
use crate::crawl::Part;
use crate::strategies::{Candidate, Learned};
use crate::topic_model::{News, Redirected};
use crate::web_graph::WebGraph;

/// Pages that wait to be told, and links, and redirects; what is more is not told.
const MOST_UNTOLD: usize = 100_000;

/// What a session has to tell the others.
pub(super) struct Untold {
    part: Part,
    read: Vec<(Address, Vec<Candidate>)>,
    links: Vec<Candidate>,
    redirected: Vec<Redirected>,
}

/// What one of several sessions has to do with the others; nothing where it is alone.
#[derive(Default)]
pub(super) struct Share(Option<Untold>);

impl Share {
    pub(super) fn is_alone(&self) -> bool {
        self.0.is_none()
    }

    /// Puts down that a page was read, for the others.
    pub(super) fn tell_page(&mut self, page: &Address, via: &[Candidate]) {
        if let Some(untold) = &mut self.0
            && untold.read.len() < MOST_UNTOLD
        {
            untold.read.push((page.clone(), via.to_vec()));
        }
    }

    /// Whether it is this session that asks for a page.
    pub(super) fn asks_for(&self, page: &Address) -> bool {
        let untold = self.0.as_ref();
        untold.is_none_or(|untold| untold.part.asks_for(page))
    }

    /// The link, if it is this session's to follow; one that is not is told to the others.
    pub(super) fn own_link(&mut self, graph: &WebGraph, link: Candidate) -> Option<Candidate> {
        match &mut self.0 {
            Some(untold) if !untold.part.asks_for(&link.target) => {
                // One that was read already is no news.
                let is_read = graph.page(&link.target).is_some();
                if !is_read && untold.links.len() < MOST_UNTOLD {
                    untold.links.push(link);
                }
                None
            }
            _ => Some(link),
        }
    }
    /// The goal of a redirect, if it is this session's to ask for; one that is not is told to the others.
    pub(super) fn own_redirect(&mut self, page: Redirected) -> Option<Redirected> {
        match &mut self.0 {
            Some(untold) if !untold.part.asks_for(&page.target) => {
                if untold.redirected.len() < MOST_UNTOLD {
                    untold.redirected.push(page);
                }
                None
            }
            _ => Some(page),
        }
    }
}

impl Session {
    /// Has it ask for the pages of its own hosts alone, those that it starts from included.
    #[must_use]
    pub fn for_part(mut self, part: Part) -> Self {
        let others = self.seeds.keys().filter(|seed| !part.asks_for(seed));
        let others: Vec<Address> = others.cloned().collect();
        for seed in &others {
            self.frontier.take(seed);
            self.seeds.remove(seed);
        }
        self.share = Share(Some(Untold {
            part,
            read: Vec::new(),
            links: Vec::new(),
            redirected: Vec::new(),
        }));
        self
    }

    /// What the others are to hear, since it was last asked; `None` if that is nothing.
    pub fn news(&mut self) -> Option<News> {
        let untold = self.share.0.as_mut()?;
        let read = std::mem::take(&mut untold.read);
        let links = std::mem::take(&mut untold.links);
        let redirected = std::mem::take(&mut untold.redirected);
        let is_nothing = read.is_empty() && links.is_empty() && redirected.is_empty();
        (!is_nothing).then(|| self.topic_model.news(&read, &links, &redirected))
    }

    /// Learns from what another session read, and has links to its own hosts wait.
    pub fn hear(&mut self, news: &News) {
        let part = self.share.0.as_ref().map(|untold| untold.part);
        let asks_for = |page: &Address| part.is_some_and(|part| part.asks_for(page));
        let heard = self.topic_model.hear(news, asks_for);
        if heard.learned == Learned::Rebuilt {
            self.rebuilt();
        }
        for (link, score) in heard.links {
            self.offer(link, score);
        }
        for page in heard.redirected {
            if !self.is_seen(&page.target) {
                self.expect_redirected(page);
            }
        }
    }

    pub(super) fn expect_redirected(&mut self, page: Redirected) {
        self.redirects.insert(page.target.clone(), page.redirects);
        if page.mark.is_some() {
            self.seeds.insert(page.target, page.mark);
        }
        self.frontier.pin(page.links);
    }
}
