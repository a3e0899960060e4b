//! The frontier: links that wait, by priority, host by host.
//!
//! A page stands in it once, however many links lead there, with what the
//! strategy's [`LinkPolicy`] makes of their scores; the links themselves are
//! kept (a few) to be scored again and to be learned from when the page is
//! fetched. A host that may not be asked just now is closed, and its links
//! wait.
//!
//! Where the strategy wants batches (\[D\] 2.2), the best of each queue are worked
//! off before any that is found meanwhile. A batch is over when no open host has
//! a page of it: waiting for one host would stop the crawl.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::Arm;
use super::shortlists::Shortlists;
use crate::address::Address;
use crate::strategies::{ArmRule, Batch, Candidate, LinkPolicy, LinkScore, Priority, Tier};

/// Links kept of those that lead to one page.
pub const LINKS_PER_TARGET: usize = 3;
/// The same where the page is worth their mean.
pub const LINKS_IN_MEAN: usize = 12;
/// The same where every link is learned from.
const EVERY_LINK: usize = 100;
/// Most links kept in all only to be learned from.
const MOST_MORE: usize = 200_000;
/// Most pages that wait; beyond, the worst tenth is let go.
const MOST_WAITING: usize = 300_000;

/// A page that waits, with the links that lead there.
#[derive(Debug, Clone)]
pub struct FrontierEntry {
    /// The links: best first where the policy sorts them, else oldest first.
    pub links: Vec<Candidate>,
    /// The links' priorities, one by one.
    scores: Vec<Priority>,
    /// What the policy makes of them.
    pub priority: Priority,
    /// Whether it keeps its place whatever the strategy thinks: a seed, or
    /// where a chosen page redirects to.
    pub pinned: bool,
    /// Whether it belongs to the batch that is worked off.
    in_batch: bool,
}

/// Its place in a queue: whether it is in the batch, priority, then tie-breaker.
type FrontierKey = (bool, Priority, u32, Address);

#[derive(Debug, Default)]
struct HostQueue {
    places: BTreeSet<FrontierKey>,
    closed: bool,
}

/// The links that wait, best first.
#[derive(Debug, Default)]
pub struct Frontier {
    policy: LinkPolicy,
    waiting: FxHashMap<Address, FrontierEntry>,
    hosts: FxHashMap<Box<str>, HostQueue>,
    /// The first place of every open host.
    heads: BTreeSet<(bool, Priority, u32, Box<str>)>,
    batch: Option<Batch>,
    shortlists: Shortlists,
    /// Whether links are kept that are only learned from.
    keeps_more: bool,
    /// How many of them there are.
    more: usize,
}

impl Frontier {
    /// An empty one, worked off in batches if there is one.
    pub fn new(policy: LinkPolicy, batch: Option<Batch>) -> Self {
        Self {
            policy,
            batch,
            ..Self::default()
        }
    }

    /// The same, of which pages can be taken by any arm.
    #[must_use]
    pub fn with_arms(mut self, rule: ArmRule) -> Self {
        self.shortlists = Shortlists::new(rule);
        self
    }

    /// The same, with every link to a page that waits, to be learned from when it is
    /// fetched: no more than a hundred a page.
    #[must_use]
    pub fn keeping(mut self, every_link: bool) -> Self {
        self.keeps_more = every_link;
        self
    }

    /// Number of pages that wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Adds a link. What it does to a page that waits already is for the
    /// policy to say.
    pub fn add(&mut self, link: Candidate, priority: Priority) {
        let target = link.target.clone();
        if let Some(waiting) = self.waiting.get_mut(&target) {
            if waiting.pinned {
                return;
            }
            let old = place(waiting);
            self.shortlists.remove(waiting);
            let before = more_than_needed(waiting, self.policy);
            let keeps_more = self.keeps_more && self.more < MOST_MORE;
            waiting.join(self.policy, keeps_more, link, priority);
            self.more += more_than_needed(waiting, self.policy) - before;
            self.shortlists.add(waiting);
            let new = place(waiting);
            self.replace(&old, new);
            return;
        }
        self.insert(FrontierEntry {
            links: vec![link],
            scores: vec![priority],
            priority,
            pinned: false,
            in_batch: false,
        });
        if self.waiting.len() > MOST_WAITING {
            self.evict();
        }
    }

    /// Adds a page that comes before all links.
    pub fn pin(&mut self, links: Vec<Candidate>) {
        let Some(target) = links.first().map(|link| link.target.clone()) else {
            return;
        };
        self.take(&target);
        self.insert(FrontierEntry::pinned(links));
    }

    /// Takes the best page of an open host.
    pub fn pop(&mut self) -> Option<FrontierEntry> {
        if self.batch.is_some() && self.heads.last().is_some_and(|head| !head.0) {
            self.begin_batch();
        }
        let (_, _, _, host) = self.heads.last()?;
        let target = self.hosts.get(host)?.places.last()?.3.clone();
        self.take(&target)
    }

    /// Takes the page which arm it is; the best one if that ranking has none of an
    /// open host. Pages that come before all others come before any arm. Says by
    /// which arm the page was taken after all.
    pub fn pop_by(&mut self, arm: Arm) -> Option<(Arm, FrontierEntry)> {
        let Some(list) = self.list_of(arm) else {
            return Some((Arm::Primary, self.pop()?));
        };
        let first_is_pinned = self.heads.last().is_some_and(|(_, _, _, host)| {
            let first = self.hosts.get(host).and_then(|queue| queue.places.last());
            first.is_some_and(|place| self.waiting[&place.3].pinned)
        });
        let is_open = |host: &str| self.hosts.get(host).is_some_and(|queue| !queue.closed);
        match self.shortlists.best(list, is_open).cloned() {
            Some(target) if !first_is_pinned => Some((arm, self.take(&target)?)),
            _ => Some((Arm::Primary, self.pop()?)),
        }
    }

    /// By which arm a page was taken, where `arm` was due: one that its ranking
    /// does not hold was taken as the best of all.
    pub fn taken_by(&self, arm: Arm, target: &Address) -> Arm {
        let page = self.waiting.get(target);
        let held = self.list_of(arm).zip(page);
        let is_held = held.is_some_and(|(list, page)| self.shortlists.holds(list, page));
        if is_held { arm } else { Arm::Primary }
    }

    fn list_of(&self, arm: Arm) -> Option<usize> {
        match arm {
            Arm::Primary => None,
            Arm::Member(member) => Some(member),
            Arm::Explore => self.shortlists.len().checked_sub(1),
        }
    }

    /// The best pages of each tier become the batch.
    fn begin_batch(&mut self) {
        let Some(batch) = self.batch else {
            return;
        };
        let mut taken: FxHashMap<Tier, usize> = FxHashMap::default();
        let mut chosen = Vec::new();
        for page in self.best(usize::MAX) {
            let tier = page.priority.tier;
            let takes_part = !tier.is_held_back && tier.level < batch.levels;
            if !takes_part && !chosen.is_empty() {
                break;
            }
            let taken = taken.entry(tier).or_default();
            if *taken < batch.size {
                *taken += 1;
                chosen.push(page.links[0].target.clone());
            }
        }
        for target in chosen {
            if let Some(mut page) = self.take(&target) {
                page.in_batch = true;
                self.insert(page);
            }
        }
    }

    /// Takes the page at an address.
    pub fn take(&mut self, target: &Address) -> Option<FrontierEntry> {
        let waiting = self.waiting.remove(target)?;
        self.more -= more_than_needed(&waiting, self.policy);
        self.shortlists.remove(&waiting);
        let place = place(&waiting);
        self.change_host(target.host(), |queue| {
            queue.places.remove(&place);
        });
        Some(waiting)
    }

    /// Takes a page that was popped before a restart: if it is in no batch, that was when
    /// one began.
    pub fn pop_again(&mut self, target: &Address) -> Option<FrontierEntry> {
        let page = self.waiting.get(target)?;
        if self.batch.is_some() && !page.in_batch {
            self.begin_batch();
        }
        self.take(target)
    }

    /// Puts a page back that was popped before its turn, in its batch as before.
    pub fn put_back(&mut self, page: FrontierEntry) {
        self.insert(page);
    }

    /// The pages that wait for their turn, each with what it is worth, in no certain order.
    pub fn waiting(&self) -> impl Iterator<Item = (&Address, Priority)> {
        let waiting = self.waiting.iter().filter(|(_, page)| !page.pinned);
        waiting.map(|(address, page)| (address, page.priority))
    }

    /// The page at an address.
    pub fn get(&self, target: &Address) -> Option<&FrontierEntry> {
        self.waiting.get(target)
    }

    /// Lets no page of the host be taken by [`Self::pop`].
    pub fn close(&mut self, host: &str) {
        self.change_host(host, |queue| queue.closed = true);
    }

    /// Opens a host again.
    pub fn open(&mut self, host: &str) {
        self.change_host(host, |queue| queue.closed = false);
    }

    /// Lets go of all pages of a host; returns how many.
    pub fn forget_host(&mut self, host: &str) -> usize {
        let places = match self.hosts.get(host) {
            Some(queue) => queue.places.clone(),
            None => return 0,
        };
        for (_, _, _, target) in &places {
            self.take(target);
        }
        places.len()
    }

    /// Scores every link again; pages of which all links are rejected go.
    pub fn rescore(&mut self, mut score: impl FnMut(&Candidate) -> LinkScore) {
        let closed: Vec<Box<str>> = self
            .hosts
            .iter()
            .filter(|(_, queue)| queue.closed)
            .map(|(host, _)| host.clone())
            .collect();
        self.hosts.clear();
        self.heads.clear();
        self.shortlists.clear();
        for host in closed {
            self.close(&host);
        }
        let mut places: FxHashMap<Box<str>, Vec<FrontierKey>> = FxHashMap::default();
        self.more = 0;
        self.waiting.retain(|target, page| {
            let stays = page.pinned || page.rescore(self.policy, &mut score);
            if stays {
                self.more += more_than_needed(page, self.policy);
                self.shortlists.add(page);
                let host = places.entry(target.host().into()).or_default();
                host.push(place(page));
            }
            stays
        });
        // Whole levels at once: far quicker than link by link.
        for (host, places) in places {
            let queue = self.hosts.entry(host.clone()).or_default();
            queue.places = places.into_iter().collect();
            self.heads.extend(head(&host, queue));
        }
    }

    /// Pages that wait, best first, at most `most`.
    pub fn best(&self, most: usize) -> Vec<&FrontierEntry> {
        let mut pages: Vec<&FrontierEntry> = self.waiting.values().collect();
        pages.sort_by_key(|page| std::cmp::Reverse(place(page)));
        pages.truncate(most);
        pages
    }

    fn insert(&mut self, waiting: FrontierEntry) {
        let place = place(&waiting);
        let target = place.3.clone();
        self.change_host(target.host(), |queue| {
            queue.places.insert(place);
        });
        self.shortlists.add(&waiting);
        self.more += more_than_needed(&waiting, self.policy);
        self.waiting.insert(target, waiting);
    }

    fn replace(&mut self, old: &FrontierKey, new: FrontierKey) {
        let target = new.3.clone();
        self.change_host(target.host(), |queue| {
            queue.places.remove(old);
            queue.places.insert(new);
        });
    }

    /// Changes a host's queue and keeps `heads` true.
    fn change_host(&mut self, host: &str, change: impl FnOnce(&mut HostQueue)) {
        let queue = self.hosts.entry(host.into()).or_default();
        if let Some(head) = head(host, queue) {
            self.heads.remove(&head);
        }
        change(queue);
        if let Some(head) = head(host, queue) {
            self.heads.insert(head);
        }
        if queue.places.is_empty() && !queue.closed {
            self.hosts.remove(host);
        }
    }

    fn evict(&mut self) {
        let mut places: Vec<FrontierKey> = self.waiting.values().map(place).collect();
        places.sort_unstable();
        places.truncate(MOST_WAITING / 10);
        for (_, _, _, target) in places {
            self.take(&target);
        }
    }
}

impl FrontierEntry {
    /// A page that comes before all others.
    pub fn pinned(links: Vec<Candidate>) -> Self {
        let priority = Priority::new(0, f64::MAX);
        Self {
            scores: vec![priority; links.len()],
            links,
            priority,
            pinned: true,
            in_batch: true,
        }
    }

    /// One more link leads there.
    fn join(&mut self, policy: LinkPolicy, keeps_more: bool, link: Candidate, priority: Priority) {
        let is_best = policy.sorts() && self.scores.first().is_none_or(|best| priority > *best);
        let is_first = is_best || policy == LinkPolicy::Newest;
        let place = if is_first { 0 } else { self.links.len() };
        let most = if keeps_more {
            EVERY_LINK
        } else {
            needed(policy).max(self.links.len())
        };
        if place < most {
            self.links.insert(place, link);
            self.scores.insert(place, priority);
            self.links.truncate(most);
            self.scores.truncate(most);
            self.priority = self.worth(policy);
        }
    }

    /// What the policy makes of the links that it needs.
    fn worth(&self, policy: LinkPolicy) -> Priority {
        policy.worth(&self.scores[..self.scores.len().min(needed(policy))])
    }

    /// Scores the links again; false if all of them are rejected.
    fn rescore(
        &mut self,
        policy: LinkPolicy,
        score: &mut impl FnMut(&Candidate) -> LinkScore,
    ) -> bool {
        let mut scored: Vec<(Priority, Candidate)> = self
            .links
            .drain(..)
            .filter_map(|link| Some((score(&link).priority()?, link)))
            .collect();
        if policy.sorts() {
            scored.sort_by_key(|row| std::cmp::Reverse(row.0));
        }
        (self.scores, self.links) = scored.into_iter().unzip();
        if self.links.is_empty() {
            return false;
        }
        self.priority = self.worth(policy);
        true
    }
}

/// Links to a page by which a policy says what it is worth.
fn needed(policy: LinkPolicy) -> usize {
    match policy {
        LinkPolicy::Newest => 1,
        LinkPolicy::First | LinkPolicy::Maximum => LINKS_PER_TARGET,
        LinkPolicy::Mean | LinkPolicy::Both => LINKS_IN_MEAN,
    }
}

/// Links of a page beyond those.
fn more_than_needed(waiting: &FrontierEntry, policy: LinkPolicy) -> usize {
    waiting.links.len().saturating_sub(needed(policy))
}

fn place(waiting: &FrontierEntry) -> FrontierKey {
    let first = &waiting.links[0];
    // The bits of floats in 0..1 are ordered as the floats are.
    let tie = first.tie.max(0.0).to_bits();
    (
        waiting.in_batch,
        waiting.priority,
        tie,
        first.target.clone(),
    )
}

fn head(host: &str, queue: &HostQueue) -> Option<(bool, Priority, u32, Box<str>)> {
    if queue.closed {
        return None;
    }
    let (in_batch, priority, tie, _) = queue.places.last()?;
    Some((*in_batch, *priority, *tie, host.into()))
}

#[cfg(test)]
mod tests;
