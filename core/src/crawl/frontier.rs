//! The frontier: links that wait, by priority, host by host.
//!
//! A page stands in it once, however many links lead there, with what the
//! strategy's [`LinkPolicy`] makes of their scores; the links themselves are
//! kept (a few) to be scored again and to be learned from when the page is
//! fetched. A host that may not be asked just now is closed, and its links
//! wait. A page that is asked for stays until its answer is taken in: so what waits follows from
//! the answers alone, whatever was under way meanwhile.
//!
//! Where the strategy wants batches (\[D\] 2.2), the best of each queue are worked
//! off before any that is found meanwhile. A batch is over when no open host has
//! a page of it: waiting for one host would stop the crawl.
//!
//! When the model has changed, links are scored again in parts (`rescoring`), so that no page
//! costs more the more links wait.

mod entry;
mod rescoring;
mod saving;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

pub use entry::FrontierEntry;
use entry::{more_than_needed, needed, place};

use super::Arm;
use super::address_groups::site_of;
use super::host_queues::{HostQueues, Place};
use super::shortlists::Shortlists;
use crate::address::Address;
use crate::strategies::{ArmRule, Batch, Candidate, LinkPolicy, Priority, Tier};

/// Links kept of those that lead to one page.
pub const LINKS_PER_TARGET: usize = 3;
/// The same where the page is worth their mean.
pub const LINKS_IN_MEAN: usize = 12;
/// The same where every link is learned from.
const EVERY_LINK: usize = 100;
/// Most links kept in all only to be learned from.
const MOST_MORE: usize = 200_000;
/// Most pages that wait; beyond, one is let go for each that comes.
const MOST_WAITING: usize = 300_000;
/// With so many links kept in all, no page gets one more than it has, but a better one in place of its
/// last. A page that is new has one all the same, as long as pages are let go for it.
const MOST_LINKS: usize = 450_000;
/// The worst of so many is let go.
const LET_GO_OF: usize = 20;

/// The best pages of a sample.
const SAMPLED_BEST: usize = 500;
/// Other pages of a sample at most.
const SAMPLED_OTHERS: f64 = 1_000.0;
/// Numbers of pages that are tried for them.
const MOST_LOOKED_AT: f64 = 20_000.0;

/// The links that wait, best first.
#[derive(Debug, Default)]
pub struct Frontier {
    policy: LinkPolicy,
    /// Each on its own in memory, so that no page pays for moving all when the table grows.
    waiting: FxHashMap<Address, Box<FrontierEntry>>,
    queues: HostQueues,
    /// The pages that wait, in the order in which they came.
    in_order: BTreeMap<u64, Address>,
    /// Pages that came so far.
    came: u64,
    /// Models so far: links that an earlier one scored are to be scored again.
    model: u32,
    /// The number of the page with which scoring goes on.
    goes_on_with: u64,
    /// Pages to look at until all are scored by this model.
    left: usize,
    /// Pages that had come when it was the model.
    until: u64,
    /// How many of them are looked at with each page that is taken in.
    part: usize,
    /// The number of the page from which on the worst is let go.
    lets_go_from: u64,
    batch: Option<Batch>,
    shortlists: Shortlists,
    /// Whether links are kept that are only learned from.
    keeps_more: bool,
    kept: Kept,
}

/// How many links of all pages are kept.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Kept {
    all: usize,
    /// Of them those that are only learned from.
    more: usize,
}

impl Kept {
    fn add(&mut self, page: &FrontierEntry, policy: LinkPolicy) {
        self.all += page.links.len();
        self.more += more_than_needed(page, policy);
    }

    fn remove(&mut self, page: &FrontierEntry, policy: LinkPolicy) {
        self.all -= page.links.len();
        self.more -= more_than_needed(page, policy);
    }
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

    /// Hosts of which pages wait, or that are closed.
    pub fn hosts(&self) -> impl Iterator<Item = &str> {
        self.queues.hosts()
    }

    /// How many pages of a host wait.
    pub fn waiting_at(&self, host: &str) -> usize {
        self.queues.count_of(host)
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Adds a link. What it does to a page that waits already is for the
    /// policy to say.
    pub fn add(&mut self, link: Candidate, priority: Priority) {
        match self.waiting.get(&link.target) {
            None => {
                self.insert(FrontierEntry::of(link, priority));
                if self.waiting.len() > MOST_WAITING {
                    self.let_go();
                }
            }
            Some(waiting) if waiting.pinned => {}
            Some(_) => {
                let policy = self.policy;
                let most = match self.kept {
                    Kept {
                        all: MOST_LINKS.., ..
                    } => 0,
                    Kept { more, .. } if self.keeps_more && more < MOST_MORE => EVERY_LINK,
                    _ => needed(policy),
                };
                let target = link.target.clone();
                self.change(&target, |page| page.join(policy, most, link, priority));
            }
        }
    }

    /// Whether a page waits that comes before all links.
    pub fn has_pinned(&self) -> bool {
        self.waiting.values().any(|page| page.pinned)
    }

    /// Adds a page that comes before all links.
    pub fn pin(&mut self, links: Vec<Candidate>) {
        let Some(target) = links.first().map(|link| link.target.clone()) else {
            return;
        };
        self.take(&target);
        self.insert(FrontierEntry::pinned(links));
    }

    /// The best page of an open host.
    pub fn best_open(&mut self) -> Option<&FrontierEntry> {
        let is_due = |first: &Place| !first.in_batch;
        if self.batch.is_some() && self.queues.first().is_some_and(is_due) {
            self.begin_batch();
        }
        self.get(&self.queues.first()?.target)
    }

    /// The page whose turn it is by an arm; the best one if that ranking has none of an
    /// open host. Pages that come before all others come before any arm. Says by
    /// which arm the page is chosen after all.
    pub fn best_by(&mut self, arm: Arm) -> Option<(Arm, &FrontierEntry)> {
        let first = self.queues.first().map(|place| &place.target);
        let first_is_pinned = first.is_some_and(|target| self.waiting[target].pinned);
        let list = self.list_of(arm).filter(|_| !first_is_pinned);
        let is_open = |host: &str| self.queues.is_open(host);
        let chosen = list.and_then(|list| self.shortlists.best(list, is_open));
        match chosen.cloned() {
            Some(target) => Some((arm, self.get(&target)?)),
            None => Some((Arm::Primary, self.best_open()?)),
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

    /// The best pages of each tier that may be asked for join those that are left of the batch.
    fn begin_batch(&mut self) {
        let Some(batch) = self.batch else {
            return;
        };
        let mut taken: FxHashMap<Tier, usize> = FxHashMap::default();
        let (mut chosen, mut full) = (Vec::new(), 0);
        for place in self.queues.best_open_first() {
            let Reverse(tier) = place.tier;
            let takes_part = !tier.is_held_back && tier.level < batch.levels;
            if !takes_part && !chosen.is_empty() {
                break;
            }
            let taken = taken.entry(tier).or_default();
            if *taken < batch.size {
                *taken += 1;
                full += u8::from(*taken == batch.size);
                chosen.push(place.target.clone());
            }
            if full == batch.levels {
                break;
            }
        }
        for target in chosen {
            self.change(&target, |page| page.in_batch = true);
        }
    }

    /// Takes the page at an address.
    pub fn take(&mut self, target: &Address) -> Option<FrontierEntry> {
        let waiting = self.waiting.remove(target)?;
        self.in_order.remove(&waiting.number);
        self.kept.remove(&waiting, self.policy);
        self.shortlists.remove(&waiting);
        self.queues.remove(&place(&waiting));
        Some(*waiting)
    }

    /// Has a page be one that was chosen before a restart: if it is in no batch, that was when
    /// one began.
    pub fn choose_again(&mut self, target: &Address) {
        let page = self.waiting.get(target);
        if self.batch.is_some() && page.is_some_and(|page| !page.in_batch) {
            self.begin_batch();
        }
    }

    /// The pages of a site that wait for their turn, in no certain order.
    pub fn of_site(&self, site: &str) -> Vec<Address> {
        let hosts = self.queues.hosts().filter(|host| site_of(host) == site);
        let pages = hosts.flat_map(|host| self.queues.of_host(host));
        let in_turn = pages.filter(|page| !self.waiting[page].pinned);
        in_turn.collect()
    }

    /// The page at an address.
    pub fn get(&self, target: &Address) -> Option<&FrontierEntry> {
        self.waiting.get(target).map(Box::as_ref)
    }

    /// Lets no page of the host be the best one.
    pub fn close(&mut self, host: &str) {
        self.queues.close(host);
    }

    /// Opens a host again.
    pub fn open(&mut self, host: &str) {
        self.queues.open(host);
    }

    /// Lets go of all pages of a host; returns how many.
    pub fn forget_host(&mut self, host: &str) -> usize {
        let pages = self.queues.of_host(host);
        for target in &pages {
            self.take(target);
        }
        pages.len()
    }

    /// Pages that wait, best first, at most `most`.
    pub fn best(&self, most: usize) -> Vec<&FrontierEntry> {
        let places = self.queues.best_first().take(most);
        let pages = places.filter_map(|place| self.get(&place.target));
        pages.collect()
    }

    /// The best pages that wait, some of the others, whenever they came, and which share of them
    /// that is: what says something of all without a look at each.
    pub fn sample(&self) -> (Vec<&FrontierEntry>, Vec<&FrontierEntry>, f64) {
        let best = self.best(SAMPLED_BEST);
        let Some(last) = best.last().map(|page| place(page)) else {
            return (best, Vec::new(), 1.0);
        };
        let first_came = self.in_order.keys().next().copied().unwrap_or(0);
        // Of all numbers every so many; most of those of long ago are gone, and count for nothing.
        let numbers = self.came - first_came;
        let there = self.waiting.len() as f64 / numbers as f64;
        let looked_at = (SAMPLED_OTHERS / there).min(MOST_LOOKED_AT);
        let step = (numbers as f64 / looked_at).ceil().max(1.0) as usize;
        let sampled = (first_came..self.came).step_by(step);
        let sampled = sampled.filter_map(|number| self.in_order.get(&number));
        let sampled: Vec<&Address> = sampled.collect();
        let share = sampled.len().max(1) as f64 / self.waiting.len() as f64;
        let others = sampled.into_iter().filter_map(|target| self.get(target));
        let others = others.filter(|page| place(page) < last).collect();
        (best, others, share)
    }

    fn insert(&mut self, mut waiting: FrontierEntry) {
        (waiting.number, waiting.model) = (self.came, self.model);
        self.came += 1;
        let place = place(&waiting);
        self.in_order.insert(waiting.number, place.target.clone());
        self.shortlists.add(&waiting);
        self.kept.add(&waiting, self.policy);
        self.waiting.insert(place.target.clone(), Box::new(waiting));
        self.queues.insert(place);
    }

    /// Changes a page where it stands, and its place by what it is then.
    fn change(&mut self, target: &Address, change: impl FnOnce(&mut FrontierEntry)) {
        let Some(page) = self.waiting.get_mut(target) else {
            return;
        };
        let old = place(page);
        self.kept.remove(page, self.policy);
        self.shortlists.remove(page);
        change(page);
        self.shortlists.add(page);
        self.kept.add(page, self.policy);
        let new = place(page);
        if new != old {
            self.queues.remove(&old);
            self.queues.insert(new);
        }
    }

    /// Lets go of the worst of the pages whose turn it is to be looked at.
    fn let_go(&mut self) {
        let mut looked_at = 0;
        let mut worst: Option<Place> = None;
        let from = self.lets_go_from;
        let in_turn = self.in_order.range(from..);
        for (number, target) in in_turn.chain(self.in_order.range(..from)) {
            self.lets_go_from = number + 1;
            looked_at += 1;
            let page = self.waiting.get(target).filter(|page| !page.pinned);
            let place = page.map(|page| place(page));
            if place.is_some() && (worst.is_none() || place < worst) {
                worst = place;
            }
            if looked_at == LET_GO_OF {
                break;
            }
        }
        if let Some(worst) = worst {
            self.take(&worst.target);
        }
    }
}

#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;
