//! When a learner has every waiting link scored again: after so many arrivals, the first
//! few times sooner, and later ever more seldom, so that the work of a long crawl grows
//! little faster than its pages.

use super::Learned;

/// Arrivals after which waiting links are scored again, unless told otherwise.
const BATCH: u32 = 100;
/// Within the first batch it is due after this share of one.
const FIRST_SHARE: u32 = 5;
/// It is due at the earliest when the arrivals have grown by one in so many.
const GROWTH: u32 = 20;

/// Counts arrivals between two scorings of the whole frontier.
#[derive(Debug, Clone)]
pub(super) struct Rebuilds {
    every: u32,
    arrivals: u32,
    since: u32,
}

impl Default for Rebuilds {
    fn default() -> Self {
        Self::every(BATCH)
    }
}

impl Rebuilds {
    /// After so many arrivals, at least one.
    pub(super) fn every(every: u32) -> Self {
        Self {
            every: every.max(1),
            arrivals: 0,
            since: 0,
        }
    }

    /// The same with nothing counted yet.
    pub(super) fn afresh(&self) -> Self {
        Self::every(self.every)
    }

    /// Counts an arrival: [`Learned::Rebuilt`] if the learner is due.
    pub(super) fn arrived(&mut self) -> Learned {
        self.arrivals = self.arrivals.saturating_add(1);
        self.since += 1;
        let wanted = if self.arrivals <= self.every {
            (self.every / FIRST_SHARE).max(1)
        } else {
            self.every.max(self.arrivals / GROWTH)
        };
        if self.since < wanted {
            return Learned::Refined;
        }
        self.since = 0;
        Learned::Rebuilt
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_due_soon_at_first_and_seldom_at_last() {
        let mut rebuilds = Rebuilds::every(100);
        let due: Vec<u32> = (1..=10_000)
            .filter(|_| rebuilds.arrived() == Learned::Rebuilt)
            .collect();
        assert_eq!(due[..7], [20, 40, 60, 80, 100, 200, 300]);
        assert!(due.windows(2).skip(5).all(|pair| pair[1] - pair[0] >= 100));
        let last = due[due.len() - 1] - due[due.len() - 2];
        assert!(last > 400, "{last} arrivals between the last two");
        let mut always = Rebuilds::every(0);
        assert!((0..20).all(|_| always.arrived() == Learned::Rebuilt));
    }
}
