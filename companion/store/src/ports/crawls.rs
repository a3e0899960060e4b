//! Crawls: how each is to go, and what it is doing.

use async_trait::async_trait;
use linkscent_core::address::Address;
use linkscent_core::crawl::{CrawlSpec, Reaction, StopReason};

use super::CrawlState;
use crate::error::StoreResult;

/// What was in force at a request, of things that were changed from some request on, in their order.
pub fn in_force<T>(changes: &[(u64, T)], number: u64) -> Option<&T> {
    let mut until_then = changes.iter().rev();
    let then = until_then.find(|(from, _)| *from <= number);
    then.map(|(_, what)| what)
}

/// What a crawl is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CrawlKind {
    /// It follows links, or took an archive in.
    #[default]
    Usual,
    /// A recrawl of a watched topic: its starts are asked for only if they changed, pages that the
    /// topic has are not asked for again, and requests count, not pages.
    Recrawl,
    /// Pages that the person's browsers kept as they were read: it asks for nothing.
    Reading,
}

impl CrawlKind {
    /// What a crawl of the kind is doing when it begins.
    pub fn first_state(self) -> CrawlState {
        match self {
            Self::Usual | Self::Recrawl => CrawlState::Running,
            Self::Reading => CrawlState::Done,
        }
    }
}

/// How a crawl is to go.
#[derive(Debug, Clone, PartialEq)]
pub struct Order {
    /// What the person chose.
    pub spec: CrawlSpec,
    /// Where to start: address, and whether it is an example of a target.
    pub seeds: Vec<(String, bool)>,
    /// What it is.
    pub kind: CrawlKind,
}

/// A crawl that is about to begin.
pub struct NewCrawl<'a> {
    /// Its topic.
    pub topic: i64,
    /// How it is to go.
    pub order: &'a Order,
    /// Model file it starts with.
    pub start_model: &'a [u8],
}

/// A crawl.
#[derive(Debug, Clone, PartialEq)]
pub struct CrawlRow {
    /// Its number, from 1.
    pub id: i64,
    /// Its topic.
    pub topic: i64,
    /// What it is doing.
    pub state: CrawlState,
    /// Why it ended, if it has.
    pub stop_reason: String,
    /// Hosts that the person has left out since it began.
    pub left_since: Vec<String>,
    /// From which request on it did what when it lost its way, in their order; nothing where that is as
    /// ordered all along.
    pub reactions: Vec<(u64, Reaction)>,
    /// Whether it was removed: out of sight, with all it has.
    pub is_removed: bool,
    /// How it was to go.
    pub order: Order,
    /// Bytes of its WARC file that count.
    pub warc_length: u64,
}

impl CrawlRow {
    /// What it did, or does, when it lost its way at that request.
    pub fn reaction_at(&self, number: u64) -> Reaction {
        in_force(&self.reactions, number).map_or(self.first_reaction(), |reaction| *reaction)
    }

    /// What it was ordered to do when it loses its way.
    pub fn first_reaction(&self) -> Reaction {
        let first = self.reactions.first();
        first.map_or(self.order.spec.on_drift, |(_, reaction)| *reaction)
    }

    /// Whether it takes an archive in and does not have all of it yet: until then it has no
    /// budget, so it fetches nothing whatever becomes of it.
    pub fn is_import(&self) -> bool {
        self.order.spec.budget == 0 && !self.is_reading()
    }

    /// Whether it is a recrawl of a watched topic.
    pub fn is_recrawl(&self) -> bool {
        self.order.kind == CrawlKind::Recrawl
    }

    /// Whether it is what the person's browsers kept.
    pub fn is_reading(&self) -> bool {
        self.order.kind == CrawlKind::Reading
    }

    /// Whether it began with an archive: its pages have the time of their capture.
    pub fn is_of_archive(&self) -> bool {
        self.order.seeds.is_empty() && !self.is_reading()
    }

    /// Whether each page counts, also one that is nearly the same as another: an archive is wanted
    /// whole, and a recrawl looks at what it knows.
    pub fn takes_repeats(&self) -> bool {
        self.is_of_archive() || self.is_recrawl()
    }

    fn is_usual(&self) -> bool {
        self.order.kind == CrawlKind::Usual
    }

    /// Whether pages to start from can still be added.
    pub fn can_start_at_more(&self) -> bool {
        !self.state.is_over() && !self.is_import() && self.is_usual()
    }

    /// Whether hosts rest between its requests, and how long can still be changed.
    pub fn has_delay(&self) -> bool {
        self.can_start_at_more() && self.order.spec.delay() > 0
    }

    /// Whether more pages can be asked for, now or when it goes on.
    pub fn can_get_more(&self) -> bool {
        self.can_go_on() || self.can_start_at_more()
    }

    /// Whether it is over with links left to follow, so that more pages can be asked for.
    pub fn can_go_on(&self) -> bool {
        let has_links = self.stop_reason != StopReason::FrontierEmpty.code();
        self.state.is_over() && self.is_usual() && has_links
    }
}

/// Crawls and their states. Which state may follow which is a rule of the service; here the
/// last one set is in force.
#[async_trait]
pub trait Crawls: Send + Sync {
    /// Begins a crawl; returns its number. It is running, unless it is one that asks for nothing,
    /// for no reason, with an empty log.
    /// An error if its topic is not there.
    async fn begin_crawl(&self, new: &NewCrawl<'_>) -> StoreResult<i64>;

    /// A crawl by its number. An error if it is there and cannot be read.
    async fn crawl(&self, id: i64) -> StoreResult<Option<CrawlRow>>;

    /// Crawls of every kind, newest first; of one topic or of all. One that cannot be read is passed
    /// over, and a notice of its topic says so.
    async fn crawls(&self, topic: Option<i64>) -> StoreResult<Vec<CrawlRow>>;

    /// The model file a crawl started with. An error if the crawl is not there.
    async fn start_model(&self, crawl: i64) -> StoreResult<Vec<u8>>;

    /// Sets how many pages a crawl is to fetch in all.
    async fn set_budget(&self, crawl: i64, budget: u64) -> StoreResult<()>;

    /// Sets how many milliseconds a host rests between two requests of a crawl.
    async fn set_delay(&self, crawl: i64, delay: u64) -> StoreResult<()>;

    /// Sets what a crawl is to do when it loses its way. From which request on it does so is said by
    /// [`Self::note_reaction`].
    async fn set_reaction(&self, crawl: i64, reaction: Reaction) -> StoreResult<()>;

    /// Puts down that a crawl does so from that request on.
    async fn note_reaction(&self, crawl: i64, from: u64, reaction: Reaction) -> StoreResult<()>;

    /// Adds pages that a crawl is to start from, behind those it has; how many are new.
    async fn add_seeds(&self, crawl: i64, pages: &[Address]) -> StoreResult<u64>;

    /// Leaves a host out of a crawl since it began, or no longer; the last comes last. Two who say so
    /// at once lose nothing.
    async fn leave_out(&self, crawl: i64, host: &str, is_left_out: bool) -> StoreResult<()>;

    /// Sets a crawl's state, and the reason for it, in place of those before.
    async fn set_state(&self, crawl: i64, state: CrawlState, reason: &str) -> StoreResult<()>;
}
