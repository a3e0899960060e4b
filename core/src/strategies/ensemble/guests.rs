//! Other strategies whose word on a link is one more signal each: what such a strategy would
//! add is measured with it as a guest before it becomes one of the signals that ship. The
//! bench asks for this; what a guest learned is not kept, and explanations do not name it.

use super::signals::RunningStats;
use crate::strategies::{Candidate, Event, Known, Priority, Strategy};

/// Numbers of guests' features begin here, behind all signals and before all words.
const FIRST_GUEST: u32 = 1 << 9;

/// Makes a guest that has learned nothing.
pub type MakeGuest = fn() -> Box<dyn Strategy>;

/// The guests, in the order in which they came.
#[derive(Default)]
pub(super) struct Guests(Vec<Guest>);

struct Guest {
    make: MakeGuest,
    strategy: Box<dyn Strategy>,
    stats: RunningStats,
}

impl Guests {
    /// One more.
    pub(super) fn welcome(&mut self, make: MakeGuest) {
        self.0.push(Guest {
            make,
            strategy: make(),
            stats: RunningStats::default(),
        });
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The same guests, having learned nothing.
    pub(super) fn afresh(&self) -> Self {
        let mut guests = Self::default();
        for guest in &self.0 {
            guests.welcome(guest.make);
        }
        guests
    }

    /// What each says of a link; 0 where it would never follow it.
    pub(super) fn values(&self, link: &Candidate, known: Known<'_>) -> Vec<f64> {
        let links = std::slice::from_ref(link);
        let value = |guest: &Guest| {
            let score = guest.strategy.score(links, known);
            let priority = score.first().and_then(|score| score.priority());
            priority.map_or(0.0, Priority::value)
        };
        self.0.iter().map(value).collect()
    }

    /// Those values as features, measured in deviations.
    pub(super) fn features(&self, values: &[f64]) -> impl Iterator<Item = (u32, f64)> {
        let rows = self.0.iter().zip(values).zip(FIRST_GUEST..);
        rows.map(|((guest, &value), number)| (number, guest.stats.standardised(value)))
    }

    /// Takes values among those by which they are measured.
    pub(super) fn add(&mut self, values: &[f64]) {
        for (guest, &value) in self.0.iter_mut().zip(values) {
            guest.stats.add(value);
        }
    }

    /// Tells them what happened.
    pub(super) fn learn(&mut self, event: &Event<'_>, known: Known<'_>) {
        for guest in &mut self.0 {
            guest.strategy.learn(event, known);
        }
    }
}
