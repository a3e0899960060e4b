//! What happens on each request: the guide learns, the database keeps, the outbox
//! fills.
//!
//! The guide of the current topic is held in memory only to save reading it
//! again; whatever it learned is in the database before a request is answered.

mod dry_run;
mod everything;
mod finding;
mod forgetting;
mod frames;
mod guides;
mod handling;
mod hearing;
mod keeping;
mod known;
mod later;
mod ledger;
mod marking;
mod notices;
mod pairing;
mod proposing;
mod reading;
mod rendering;
mod state;
mod steps;
#[cfg(test)]
mod tests;
mod topic;
mod visits;
mod way;
mod why;

use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

use linkscent_core::strategies::SplitMix;
use linkscent_core::wire::api::{Event, EventKind};

use guides::Held;
#[cfg(feature = "bench")]
pub use guides::{ENOUGH_STEPS, bounded, kept};
#[cfg(feature = "bench")]
pub use steps::GuideStep;

use crate::ports::{RandomSource, World};
use crate::store::Store;

/// Tabs whose forgotten page is remembered as such, the newest.
const MOST_FORGOTTEN: usize = 64;

/// What happens on each request, in a world of its own.
pub struct Background<W> {
    world: Rc<W>,
    store: Store<W>,
    guide: Option<Held>,
    /// Tabs whose page was forgotten, and when: it may have been on its way here.
    forgotten: VecDeque<(i32, f64)>,
    /// Tabs whose page has a private field, as far as it was asked since this was started.
    private_tabs: BTreeSet<i32>,
}

impl<W: World> Background<W> {
    /// The background in a world whose database is open.
    pub fn new(world: Rc<W>) -> Self {
        Self {
            store: Store(Rc::clone(&world)),
            world,
            guide: None,
            forgotten: VecDeque::new(),
            private_tabs: BTreeSet::new(),
        }
    }

    /// Notes that a tab's page was forgotten: until another is loaded there, nothing of
    /// the tab is read.
    fn note_forgotten(&mut self, tab: i32) {
        self.forgotten.push_back((tab, self.world.now()));
        if self.forgotten.len() > MOST_FORGOTTEN {
            self.forgotten.pop_front();
        }
    }

    /// Whether a page whose loading began then was forgotten in a tab.
    fn was_forgotten(&self, tab: i32, started: f64) -> bool {
        let mut tabs = self.forgotten.iter();
        tabs.any(|&(forgotten, at)| forgotten == tab && started <= at)
    }

    /// Something that happens `now`, as the companion is told it.
    fn event(&self, topic: &str, now: f64, what: EventKind) -> Event {
        Event {
            id: self.random_id(),
            topic: topic.to_owned(),
            time: now as u64,
            what,
        }
    }

    fn random_id(&self) -> String {
        let number = u128::from_le_bytes(self.world.random());
        format!("{number:032x}")
    }

    fn tie_breaks(&self) -> SplitMix {
        tie_breaks(&*self.world)
    }
}

/// Numbers that break ties, begun with one of the browser's: a call for each of a page's
/// links would take longer than scoring them.
pub fn tie_breaks(random: &impl RandomSource) -> SplitMix {
    SplitMix(u64::from_le_bytes(random.random()))
}
