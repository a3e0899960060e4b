//! How many pages assistants may have fetched for topics: so many within a day, over all their calls.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::ServiceError;

/// Most pages that assistants may have fetched within a day.
pub const MOST_PAGES_A_DAY: u64 = 2_000;
const DAY: Duration = Duration::from_hours(24);

/// What is left of the day's pages. Clones share it; it lives as long as the program.
#[derive(Clone, Default)]
pub struct Allowance(Arc<Mutex<VecDeque<(Instant, u64)>>>);

impl Allowance {
    /// Takes pages from it; refused if fewer are left.
    pub fn take(&self, pages: u64) -> Result<(), ServiceError> {
        self.take_at(pages, Instant::now())
    }

    fn take_at(&self, pages: u64, now: Instant) -> Result<(), ServiceError> {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_over = |(when, _): &(Instant, u64)| now.duration_since(*when) >= DAY;
        while taken.front().is_some_and(is_over) {
            taken.pop_front();
        }
        let spent: u64 = taken.iter().map(|(_, pages)| pages).sum();
        let left = MOST_PAGES_A_DAY.saturating_sub(spent);
        if pages > left {
            return Err(ServiceError::refused(format!(
                "Assistants may have {MOST_PAGES_A_DAY} pages fetched a day, and {left} are left: \
                 ask for fewer, or begin a crawl in the dashboard."
            )));
        }
        taken.push_back((now, pages));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_share_the_pages_of_a_day() {
        let allowance = Allowance::default();
        let now = Instant::now();
        let other = allowance.clone();
        for _ in 0..MOST_PAGES_A_DAY / 500 {
            other.take_at(500, now).unwrap();
        }
        let refused = allowance.take_at(1, now).unwrap_err().to_string();
        assert!(refused.contains("0 are left"), "{refused}");
        assert!(allowance.take_at(1, now + DAY / 2).is_err());
        allowance.take_at(500, now + DAY).unwrap();
    }
}
