//! The best pages of the frontier by rankings other than the one that orders it:
//! those that a strategy's members would take, and a few at random.
//!
//! Only the best of each are kept, so a ranking costs little; what is found or scored
//! again may join them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::FrontierEntry;
use crate::address::Address;
use crate::strategies::{ArmRule, Priority};

/// Pages kept of each ranking.
const LENGTH: usize = 200;

/// Value, then address.
type ShortlistKey = (Priority, Address);

/// The best links of each member's ranking.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Shortlists {
    /// One for each member, and one at random behind them.
    lists: Vec<BTreeSet<ShortlistKey>>,
}

fn place(page: &FrontierEntry, list: usize, lists: usize) -> Option<ShortlistKey> {
    let first = page.links.first()?;
    let value = if list + 1 == lists {
        f64::from(first.tie)
    } else {
        page.priority.members.by(list)
    };
    Some((Priority::new(0, value), first.target.clone()))
}

impl Shortlists {
    /// Where no other arm is tried, there are no lists.
    pub(super) fn new(rule: ArmRule) -> Self {
        let lists = if rule == ArmRule::default() {
            0
        } else {
            rule.members.len() + 1
        };
        Self {
            lists: vec![BTreeSet::new(); lists],
        }
    }

    /// Number of the rankings, random choice included.
    pub(super) fn len(&self) -> usize {
        self.lists.len()
    }

    /// A page that waits now.
    pub(super) fn add(&mut self, page: &FrontierEntry) {
        let lists = self.lists.len();
        for (number, list) in self.lists.iter_mut().enumerate() {
            let is_listed = !page.pinned && !page.priority.tier.is_held_back;
            let Some(place) = place(page, number, lists).filter(|_| is_listed) else {
                continue;
            };
            if list.len() < LENGTH {
                list.insert(place);
            } else if list.first().is_some_and(|worst| *worst < place) {
                list.pop_first();
                list.insert(place);
            }
        }
    }

    /// A page that no longer waits, or not as it did.
    pub(super) fn remove(&mut self, page: &FrontierEntry) {
        let lists = self.lists.len();
        for (number, list) in self.lists.iter_mut().enumerate() {
            if let Some(place) = place(page, number, lists) {
                list.remove(&place);
            }
        }
    }

    /// Whether a list holds a page.
    pub(super) fn holds(&self, list: usize, page: &FrontierEntry) -> bool {
        let held = self
            .lists
            .get(list)
            .zip(place(page, list, self.lists.len()));
        held.is_some_and(|(list, place)| list.contains(&place))
    }

    /// Empties all lists.
    pub(super) fn clear(&mut self) {
        self.lists.iter_mut().for_each(BTreeSet::clear);
    }

    /// The best pages of every ranking, so many of each.
    pub(super) fn first_of_each(&self, most: usize) -> impl Iterator<Item = &Address> {
        let lists = self.lists.iter();
        lists.flat_map(move |list| list.iter().rev().take(most).map(|place| &place.1))
    }

    /// The best page of a ranking whose host is open.
    pub(super) fn best(&self, list: usize, is_open: impl Fn(&str) -> bool) -> Option<&Address> {
        let places = self.lists.get(list)?.iter().rev();
        let mut targets = places.map(|place| &place.1);
        targets.find(|target| is_open(target.host()))
    }
}
