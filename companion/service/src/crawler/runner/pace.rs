//! How many requests are under way at a time: as many as keep the crawl at work. Answers that wait to
//! be learned from take memory, and after a crash they are what has to be fetched or read again; so
//! no more is asked for than is learned from.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Requests under way at a time, over all hosts. Slow hosts hold a place until they
/// are given up, so there are far more places than a crawl needs of quick ones.
const MOST_UNDER_WAY: usize = 256;
/// Requests under way at first, and at least.
const FIRST: usize = 8;
const FEWEST: usize = 4;
/// Answers that may wait before fewer requests are made.
const MOST_WAITING: usize = 4;

/// Says how many requests may be under way: twice as many whenever nothing waits, one less whenever
/// much does.
#[derive(Debug)]
pub(super) struct Pace {
    most: usize,
    fewest: usize,
    waiting: Waiting,
}

/// Counts the answers that have come and wait. Clones are the same.
#[derive(Debug, Clone, Default)]
pub(super) struct Waiting(Arc<AtomicUsize>);

impl Waiting {
    /// An answer came.
    pub fn came(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Pace {
    /// As it begins, for answers that are counted there.
    pub fn new(waiting: Waiting) -> Self {
        Self {
            most: FIRST,
            fewest: FEWEST,
            waiting,
        }
    }

    /// Always the most. For requests of workers: their answers come many at a time, and wait in the
    /// database.
    pub fn of_workers(waiting: Waiting) -> Self {
        Self {
            most: MOST_UNDER_WAY,
            fewest: MOST_UNDER_WAY,
            waiting,
        }
    }

    /// Requests that may be under way now.
    pub fn most(&self) -> usize {
        self.most
    }

    /// An answer is about to be learned from.
    pub fn take(&mut self) {
        let one_less = |count: usize| count.checked_sub(1);
        let counted = self
            .waiting
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less);
        match counted.map_or(0, |before| before - 1) {
            0 => self.grow(),
            MOST_WAITING.. => self.most = self.most.saturating_sub(1).max(self.fewest),
            _ => {}
        }
    }

    /// Nothing came for a while.
    pub fn wait(&mut self) {
        self.grow();
    }

    fn grow(&mut self) {
        self.most = (self.most * 2).min(MOST_UNDER_WAY);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crawl_asks_for_more_as_long_as_nothing_waits() {
        let waiting = Waiting::default();
        let mut pace = Pace::new(waiting.clone());
        for most in [16, 32, 64, 128, 256, 256] {
            waiting.came();
            pace.take();
            assert_eq!(pace.most(), most);
        }
        // A few that wait keep it at work.
        (0..MOST_WAITING).for_each(|_| waiting.came());
        pace.take();
        assert_eq!(pace.most(), 256);
        (0..1_000).for_each(|_| waiting.came());
        (0..400).for_each(|_| pace.take());
        assert_eq!(pace.most(), FEWEST);
        pace.wait();
        assert_eq!(pace.most(), 2 * FEWEST);
    }
}
