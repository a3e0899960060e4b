//! Scoring links again after the model has changed: in parts, so that no page costs more the
//! more links wait.
//!
//! Where few pages wait they are scored at once, and where they are worked off in batches, since
//! what the batch of now holds does not follow from what was taken in. Else each page that is
//! taken in pays for a part: the best pages of the order, of hosts and of each ranking first, as
//! far as an earlier model scored them, then the next in turn, in the order in which pages came. So what is chosen next was scored by
//! the model of now, and everything else once in a while. What is scored when follows from what
//! waits, so a crawl that is replayed scores the same, but for what no log has: links that
//! robots.txt was found to forbid, and sitemaps it names.

use rustc_hash::FxHashSet;

use super::{Frontier, FrontierEntry, Kept, place};
use crate::address::Address;
use crate::strategies::{Candidate, LinkScore};

/// Pages that are scored at once.
const AT_ONCE: usize = 1_000;
/// The best pages that are looked at with each page that is taken in.
const BEST: usize = 64;
/// Hosts of which the best page is looked at besides: where one host has the best, others are
/// asked meanwhile.
const BEST_OF_HOSTS: usize = 64;
/// The same of the ranking of each arm.
const BEST_OF_ARM: usize = 8;
/// Links that are scored again in turn with each page that is taken in.
const LINKS_IN_TURN: usize = 100;
/// Pages that are looked at for them.
const PAGES_IN_TURN: usize = 400;
/// Where few pages wait, the turn goes round in so many parts.
const PARTS: usize = 25;

impl Frontier {
    /// Links are to be scored again: at once where few wait, else with what is taken in from
    /// now on, see [`Self::rescore_part`]. Pages of which all links are rejected go.
    pub fn rescore(&mut self, score: impl FnMut(&Candidate) -> LinkScore) {
        self.model = self.model.wrapping_add(1);
        if self.waiting.len() <= AT_ONCE || self.batch.is_some() {
            self.left = 0;
            self.rescore_all(score);
        } else {
            (self.left, self.until) = (self.waiting.len(), self.came);
            self.part = self.left.div_ceil(PARTS).min(PAGES_IN_TURN);
        }
    }

    /// Scores every link again.
    pub fn rescore_all(&mut self, mut score: impl FnMut(&Candidate) -> LinkScore) {
        self.shortlists.clear();
        self.kept = Kept::default();
        let (policy, model) = (self.policy, self.model);
        let mut places = Vec::with_capacity(self.waiting.len());
        self.waiting.retain(|_, page| {
            page.model = model;
            let mut stays = page.pinned;
            if !stays {
                let scored = page.scored_again(policy, &mut score);
                stays = !scored.is_empty();
                if stays {
                    page.take_scores(policy, &scored);
                }
            }
            if stays {
                self.kept.add(page, policy);
                self.shortlists.add(page);
                places.push(place(page));
            } else {
                self.in_order.remove(&page.number);
            }
            stays
        });
        self.queues.replace_all(places);
    }

    /// Scores a part of the links again that an earlier model scored.
    pub fn rescore_part(&mut self, mut score: impl FnMut(&Candidate) -> LinkScore) {
        if self.left == 0 {
            return;
        }
        for target in self.best_of_earlier_models() {
            self.rescore_page(&target, &mut score);
        }
        for target in self.in_turn() {
            self.rescore_page(&target, &mut score);
        }
    }

    /// The best pages of the order, of hosts and of each ranking that an earlier model scored.
    fn best_of_earlier_models(&self) -> Vec<Address> {
        let of_all = self.queues.best_first().take(BEST);
        let of_hosts = self.queues.first_of_hosts().take(BEST_OF_HOSTS);
        let in_order = of_all.chain(of_hosts).map(|place| &place.target);
        let pages = in_order.chain(self.shortlists.first_of_each(BEST_OF_ARM));
        let earlier = pages.filter(|target| {
            let page = self.waiting.get(target);
            page.is_some_and(|page| self.is_of_earlier_model(page))
        });
        let mut earlier: Vec<Address> = earlier.cloned().collect();
        let mut listed = FxHashSet::default();
        earlier.retain(|target| listed.insert(target.clone()));
        earlier
    }

    /// The pages whose turn it is, in the order in which they came.
    fn in_turn(&mut self) -> Vec<Address> {
        // Pages that came since are of the model of now.
        let from = self.goes_on_with.min(self.until);
        let later = self.in_order.range(from..self.until);
        let all = later.chain(self.in_order.range(..from));
        let (mut turn, mut links, mut looked_at) = (Vec::new(), 0, 0);
        let mut goes_on_with = from;
        for (number, target) in all.take(self.part.min(self.left)) {
            if links >= LINKS_IN_TURN {
                break;
            }
            goes_on_with = number + 1;
            looked_at += 1;
            let page = self.get(target);
            if let Some(page) = page.filter(|page| self.is_of_earlier_model(page)) {
                links += page.links.len();
                turn.push(target.clone());
            }
        }
        (self.goes_on_with, self.left) = (goes_on_with, self.left - looked_at);
        turn
    }

    fn is_of_earlier_model(&self, page: &FrontierEntry) -> bool {
        page.model != self.model && !page.pinned
    }

    fn rescore_page(&mut self, target: &Address, score: &mut impl FnMut(&Candidate) -> LinkScore) {
        let (policy, model) = (self.policy, self.model);
        let Some(page) = self.waiting.get(target) else {
            return;
        };
        let scored = page.scored_again(policy, score);
        if scored.is_empty() {
            self.take(target);
            return;
        }
        self.change(target, |page| {
            page.take_scores(policy, &scored);
            page.model = model;
        });
    }
}
