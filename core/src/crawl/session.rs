//! A crawl session: hands out the next link, takes in the page, never fetches.
//!
//! The session is a fold over what was fetched. Fed the same outcomes in the
//! same order, with the same random numbers, it comes to the same state; so a
//! crawl that was killed goes on by being told what was fetched before
//! ([`Session::replay`]).

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use super::in_view::Promised;
use super::reachable::Sightings;
use super::scope::is_or_below;
use super::seen::Seen;
use super::{
    Arm, Bandit, CrawlDelay, CrawlStats, DEFERRED, Drift, Frontier, FrontierEntry, Instant, Limits,
    NearDuplicates, Outcome, Record, Repetition, Robots, RobotsCache, Seed, Skipped,
    StoppingCounts, UNRENDERED,
};
use crate::address::Address;
use crate::critics::SentenceVectors;
use crate::page::Page;
use crate::strategies::{Candidate, Priority, Rng};
use crate::topic_model::TopicModel;
use crate::web_graph::{Judgment, Mark, Relevance};

/// Pages for which a crawl keeps closer to what is good after an alarm. If that did not
/// help, the next alarm comes about then.
const RESTRICTED_PAGES: u32 = 300;
/// Links not asked for that are kept until the caller takes them.
pub const MOST_SKIPPED: usize = 10_000;
/// Pages that only a browser can read which are remembered.
const MOST_UNRENDERED: usize = 5_000;
/// How often a page is asked for again of which the server had no time.
const MOST_DEFERRED: u8 = 2;
/// A host that had no time so often in a row is asked no more.
const MOST_IN_A_ROW: u32 = 8;
/// Pages on the way that are kept in a record.
const LONGEST_TRAIL: usize = 32;

/// Said of a page that was not read to its end.
pub const CUT_OFF: &str =
    "only its beginning was read: it is larger or deeper nested than a page may be";

/// Said of a page whose links are not followed.
pub const NO_FOLLOW: &str = "it asks crawlers not to follow its links, so none was followed";

/// A page whose answer is in, with what was known of it before: as it waits in the frontier until
/// then, this follows from the answers before, whatever was under way.
#[derive(Debug, Serialize, Deserialize)]
struct Chosen {
    links: Vec<Candidate>,
    arm: Arm,
    reason: String,
    priority: Option<Priority>,
    expected: Option<Relevance>,
    mark: Option<Mark>,
    redirects: u8,
}

/// Hosts that are left out, subdomains included.
#[derive(Default)]
struct LeftOut(Vec<String>);

impl LeftOut {
    fn has(&self, host: &str) -> bool {
        self.0.iter().any(|left| is_or_below(host, left))
    }
}

/// A crawl: what is fetched next, and what a fetched page changes.
pub struct Session {
    topic_model: TopicModel,
    limits: Limits,
    frontier: Frontier,
    turns: Turns,
    robots: RobotsCache,
    /// Links not asked for that the caller has not heard of yet.
    skipped: Vec<Skipped>,
    /// Pages of which the answer is in or that are not asked for.
    seen: Seen,
    bodies: FxHashSet<u64>,
    near_duplicates: NearDuplicates,
    repetition: Repetition,
    /// Whether what is taken in stands in a log: a page of it is one.
    is_replaying: bool,
    /// Hosts with the names of searchable forms found there.
    forms: FxHashSet<Box<str>>,
    /// Hosts that were left out since it began. It is told so again when it is taken up.
    left_since: LeftOut,
    seeds: FxHashMap<Address, Option<Mark>>,
    redirects: FxHashMap<Address, u8>,
    /// How often pages were asked for of which the server had no time.
    deferred: FxHashMap<Address, u8>,
    stopping: StoppingCounts,
    bandit: Bandit,
    promised: Promised,
    sightings: Sightings,
    /// Whether it has the share of what there is that it was to find.
    has_enough: bool,
    drift: Drift,
    /// Pages for which it keeps closer to what is known to be good.
    restricted_pages: u32,
    /// Pages that were asked for, each with the arm that chose it.
    under_way: FxHashMap<Address, Arm>,
    /// Links to pages that only a browser can read.
    unrendered: FxHashMap<Address, Chosen>,
    /// Requests that were begun.
    begun: u64,
    /// Requests that ended.
    requests: u64,
    stats: CrawlStats,
    /// What the others are to hear, where several sessions share the crawl.
    share: Share,
}

impl Session {
    /// A session at its start.
    pub fn new(mut topic_model: TopicModel, limits: Limits, seeds: Vec<Seed>) -> Self {
        topic_model.begin_crawl(limits.budget);
        let profile = topic_model.strategy().profile();
        let mut session = Self {
            frontier: Frontier::new(profile.policy, profile.batch)
                .with_arms(profile.arms)
                .keeping(profile.reading.every_link),
            bandit: Bandit::new(profile.arms),
            promised: Promised::default(),
            sightings: Sightings::default(),
            has_enough: false,
            drift: Drift::default(),
            restricted_pages: 0,
            topic_model,
            turns: Turns::new(limits.delay),
            stopping: StoppingCounts::new(limits.stopping),
            limits,
            robots: RobotsCache::default(),
            skipped: Vec::new(),
            seen: Seen::default(),
            bodies: FxHashSet::default(),
            near_duplicates: NearDuplicates::default(),
            repetition: Repetition::default(),
            is_replaying: false,
            forms: FxHashSet::default(),
            left_since: LeftOut::default(),
            seeds: FxHashMap::default(),
            redirects: FxHashMap::default(),
            deferred: FxHashMap::default(),
            under_way: FxHashMap::default(),
            unrendered: FxHashMap::default(),
            begun: 0,
            requests: 0,
            stats: CrawlStats::default(),
            share: Share::default(),
        };
        for seed in seeds {
            if session.seeds.contains_key(&seed.address) {
                continue;
            }
            session
                .frontier
                .pin(vec![Candidate::seed(seed.address.clone())]);
            session.seeds.insert(seed.address, seed.mark);
        }
        session
    }

    /// Pages that are known already and are not asked for, unless the crawl starts from them.
    pub fn know<'a>(&mut self, pages: impl IntoIterator<Item = &'a Address>) {
        for page in pages {
            self.seen.insert(page);
        }
    }

    /// Adds a page to start from while the crawl goes on; one that was asked
    /// for already is passed over.
    pub fn add_seed(&mut self, address: &Address) {
        let mut under_way = self.under_way.keys();
        let is_under_way = under_way.any(|page| page.without_scheme() == address.without_scheme());
        let is_own = self.share.asks_for(address);
        if is_own && !self.is_seen(address) && !is_under_way && !self.left_since.has(address.host())
        {
            self.seeds.entry(address.clone()).or_insert(None);
            self.frontier.pin(vec![Candidate::seed(address.clone())]);
        }
    }

    /// Has it fetch more pages than it was to; fewer are none. What the strategy does by the budget it
    /// does by the one with which the crawl began, until it is taken up again.
    pub fn raise_budget(&mut self, budget: u64) {
        if budget > self.limits.budget && self.has_enough {
            // More is wanted than the share that it has.
            self.limits.until_recall = None;
        }
        self.limits.budget = self.limits.budget.max(budget);
    }

    /// Lets hosts rest so many milliseconds from their next answers on.
    pub fn set_delay(&mut self, delay: CrawlDelay) {
        self.limits.delay = delay;
        self.turns.politeness.set_delay(delay);
    }

    /// Leaves these hosts out besides those that it was begun without, subdomains included, and no
    /// others: their pages no longer wait. Links to hosts that were left out before are met again on
    /// pages to come.
    pub fn leave_out(&mut self, hosts: Vec<String>) {
        self.left_since = LeftOut(hosts);
        let left = &self.left_since;
        let gone = self.frontier.hosts().filter(|host| left.has(host));
        let gone: Vec<Box<str>> = gone.map(Box::from).collect();
        for host in gone {
            self.frontier.forget_host(&host);
        }
    }

    /// The next request that is replayed has at least this number: a log may have
    /// lost some.
    pub fn number_from(&mut self, number: u64) {
        self.requests = self.requests.max(number.saturating_sub(1));
    }

    /// How many requests it was told of: the number of the last one.
    pub fn requests(&self) -> u64 {
        self.requests
    }

    /// Asks for a page a second time, first of all: what was kept of it is lost.
    pub fn ask_again(&mut self, address: &Address) {
        self.seen.remove(address);
        self.frontier.pin(vec![Candidate::seed(address.clone())]);
    }

    /// The topic model of this crawl.
    pub fn topic_model(&self) -> &TopicModel {
        &self.topic_model
    }

    /// Judges all pages by what was learned until now; by page, what is said of them.
    pub fn judge_again(&mut self) -> Vec<(Address, Judgment)> {
        self.topic_model.judge_again()
    }

    /// Judges pages again by what their sentences mean; by page, what is said of them.
    pub fn judge_by_sentences(&mut self, vectors: &SentenceVectors) -> Vec<(Address, Judgment)> {
        self.topic_model.judge_by_sentences(vectors)
    }

    /// The numbers so far.
    pub fn stats(&self) -> &CrawlStats {
        &self.stats
    }

    /// Which hosts may be asked now.
    pub fn turns(&self) -> &Turns {
        &self.turns
    }

    /// The same, to say how hosts answered.
    pub fn turns_mut(&mut self) -> &mut Turns {
        &mut self.turns
    }

    /// The links that wait.
    pub fn frontier(&self) -> &Frontier {
        &self.frontier
    }

    /// How many links wait to be asked for.
    pub fn waiting(&self) -> usize {
        self.frontier.len().saturating_sub(self.under_way.len())
    }

    /// Requests whose answer is not in.
    pub fn under_way(&self) -> usize {
        self.under_way.len() + self.turns.asked_for_robots.len()
    }

    /// Ends the crawl with its knowledge.
    pub fn into_topic_model(self) -> TopicModel {
        self.topic_model
    }

    /// A page whose answer is in no longer waits; what was known of it. One that the frontier let
    /// go of meanwhile is taken in as if it had been a seed.
    fn chosen(&mut self, target: &Address, arm: Arm) -> Chosen {
        self.seen.insert(target);
        let waiting = self.frontier.take(target);
        let is_gone = waiting.is_none();
        let waiting =
            waiting.unwrap_or_else(|| FrontierEntry::pinned(vec![Candidate::seed(target.clone())]));
        let first = &waiting.links[0];
        let reason = if is_gone && !self.seeds.contains_key(target) {
            "the link that led there is no longer known".to_owned()
        } else if first.trail.is_empty() && !waiting.pinned {
            "a sitemap that robots.txt names".to_owned()
        } else if first.trail.is_empty() {
            "a seed".to_owned()
        } else {
            reason(&self.topic_model, first, arm)
        };
        // What no page led to is taken in as if it had been a seed, also when it is replayed.
        let is_linked = !waiting.pinned && !first.trail.is_empty();
        let priority = is_linked.then_some(waiting.priority);
        Chosen {
            arm,
            reason,
            priority,
            expected: priority.and_then(|_| self.topic_model.expected(first)),
            mark: self.seeds.get(target).copied().flatten(),
            redirects: self.redirects.remove(target).unwrap_or(0),
            links: waiting.links,
        }
    }

    /// Whether the answer for a page is in, or it is known to be passed over.
    pub fn is_seen(&self, target: &Address) -> bool {
        self.seen.contains(target)
    }

    /// Whether a page waits to be asked for, or to be read by a browser.
    pub fn expects(&self, target: &Address) -> bool {
        self.frontier.get(target).is_some() || self.unrendered.contains_key(target)
    }

    /// The answer to [`Next::Robots`](super::Next::Robots). Sitemaps that it names wait behind all
    /// links: nothing tells where they lead.
    pub fn robots(&mut self, asked: &Address, robots: Robots) {
        let host = asked.host();
        let asked_for = self.turns.asked_for_robots.remove(host);
        self.turns.leave_crowd(&mut self.frontier, host);
        let turn = self.turns.of(host);
        let mut asks = robots.delay();
        if self.turns.by_site {
            // What one host of a site asks for all of them get.
            asks = asks.max(self.turns.politeness.asked_for(turn));
        }
        self.turns.politeness.asks_for(turn, asks);
        self.take_sitemaps(asked, &robots);
        let asked_for = asked_for.unwrap_or_default();
        self.robots.insert(host, robots, asked_for);
        if self.turns.by_site || self.turns.politeness.delay_of(turn) > self.limits.delay.0 {
            // It rests as long behind this, too, and its pages are not under way meanwhile.
            self.turns.politeness.rest_since(turn, asked_for);
        } else {
            self.frontier.open(host);
        }
    }

    /// The answer to [`Next::Fetch`](super::Next::Fetch). The record is `None` if nothing of the
    /// kind was asked for.
    pub fn take(
        &mut self,
        address: &Address,
        outcome: Outcome,
        now: Instant,
        rng: &mut dyn Rng,
    ) -> Option<Record> {
        let arm = self.under_way.remove(address)?;
        self.turns.leave_crowd(&mut self.frontier, address.host());
        let mut is_given_up = false;
        let turn = self.turns.of(address.host());
        match &outcome {
            Outcome::Deferred { rest, .. } => {
                let in_a_row = self
                    .turns
                    .politeness
                    .defer_in(turn, address.host(), now, *rest);
                is_given_up = in_a_row >= MOST_IN_A_ROW;
            }
            _ => self.turns.politeness.end_in(turn, address.host(), now),
        }
        self.requests += 1;
        let chosen = self.chosen(address, arm);
        let mut record = chosen.record(self.requests, address);
        match outcome {
            Outcome::Page(page, digest) => {
                self.take_page(&page, digest, chosen, &mut record, rng);
            }
            Outcome::Redirect(target) => {
                self.stats.other += 1;
                record.problem = match self.follow_redirect(address, &target, chosen) {
                    Ok(()) => format!("redirects to {target}"),
                    Err(failure) => failure.to_string(),
                };
            }
            Outcome::Repeated(problem) => self.take_repeat(address, &problem, &mut record),
            Outcome::Failed(failure) => {
                self.stats.other += 1;
                record.problem = failure.to_string();
            }
            Outcome::Unrendered(why) => {
                self.stats.other += 1;
                record.problem = format!("{UNRENDERED}{why}");
                if self.unrendered.len() < MOST_UNRENDERED {
                    self.unrendered.insert(address.clone(), chosen);
                }
            }
            Outcome::Deferred { why, .. } => {
                self.stats.other += 1;
                record.problem = if is_given_up {
                    self.give_up(address.host());
                    format!("{why}, {MOST_IN_A_ROW} times in a row: the host is left alone")
                } else if self.ask_later(address, chosen) {
                    format!("{DEFERRED}{why}")
                } else {
                    why
                };
            }
        }
        self.rescore_part();
        Some(record)
    }

    /// Takes in a page that a browser read, as if the request had brought it; the record is
    /// `None` if it is none of those that only a browser can read.
    pub fn take_rendered(
        &mut self,
        address: &Address,
        page: &Page,
        digest: u64,
        rng: &mut dyn Rng,
    ) -> Option<Record> {
        if self.left_since.has(address.host()) {
            return None;
        }
        let chosen = self.unrendered.remove(address)?;
        self.requests += 1;
        let mut record = chosen.record(self.requests, address);
        self.take_page(page, digest, chosen, &mut record, rng);
        self.rescore_part();
        Some(record)
    }

    /// Whether a page of one of these hosts waits for a browser.
    pub fn waits_for_browser(&self, hosts: &[String]) -> bool {
        let mut waiting = self.unrendered.keys().map(Address::host);
        waiting.any(|host| hosts.iter().any(|other| other == host) && !self.left_since.has(host))
    }

    /// Changes what the topic model knows while the crawl goes on, such as a mark; if that was something
    /// new every waiting link is scored again, where many wait in parts.
    pub fn amend(&mut self, change: impl FnOnce(&mut TopicModel)) {
        let before = self.topic_model.renewals();
        change(&mut self.topic_model);
        if self.topic_model.renewals() > before {
            self.rescore();
        }
    }
}

/// Why a link was chosen, and by which arm, if not the strategy's own ranking.
fn reason(topic_model: &TopicModel, link: &Candidate, arm: Arm) -> String {
    let reason = topic_model.reason(link);
    let chosen = match arm {
        Arm::Primary => return reason,
        Arm::Member(member) => {
            let name = topic_model
                .strategy()
                .profile()
                .arms
                .members
                .get(member)
                .copied();
            format!("chosen for {}", name.unwrap_or_default())
        }
        Arm::Explore => "chosen at random, to see what lies elsewhere".to_owned(),
    };
    if reason.is_empty() {
        chosen
    } else {
        format!("{chosen}; {reason}")
    }
}

mod arrivals;
mod choosing;
mod dry_run;
mod hosts;
mod parts;
mod replay;
mod restricting;
mod saving;
mod turns;
pub use dry_run::{DryRun, Upcoming};
pub use hosts::{HostRules, HostState, HostTurn};
use parts::Share;
pub use turns::Turns;
#[cfg(test)]
mod tests;
