//! When ACHE's classifier is trained again (\[D\] 3.2, algorithm 1): after so many targets,
//! or after so many pages with a target among them.
//!
//! \[D\] learns again after 100 targets and crawls 100,000 pages. A crawl of 500 pages finds
//! its hundredth target at its end or never, so the numbers here follow its budget.

use serde::{Deserialize, Serialize};

/// Targets found, or pages fetched, until it is time to learn again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LearningThreshold {
    /// Targets found.
    pub targets: u32,
    /// Pages fetched, if a target was among them.
    pub pages: u32,
}

/// Times that a crawl learns, by pages; and the share by which what was seen has to have
/// grown.
const TIMES: u32 = 20;
/// Pages to one target.
const PAGES_PER_TARGET: u32 = 5;
/// Fewer pages than these are not worth another look.
const FEWEST_PAGES: u32 = 10;
/// Pages that a crawl is thought to fetch of which nothing was said.
const USUAL_BUDGET: u64 = 500;

/// What was seen of a crawl.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Progress {
    pub(super) targets: u32,
    pub(super) pages: u32,
}

impl Progress {
    pub(super) fn count(&mut self, is_target: bool) {
        self.pages = self.pages.saturating_add(1);
        self.targets = self.targets.saturating_add(u32::from(is_target));
    }
}

impl LearningThreshold {
    /// In a crawl of so many pages: after every twentieth of them, or after a fifth as many
    /// targets.
    pub fn of_budget(budget: u64) -> Self {
        let pages = u32::try_from(budget / u64::from(TIMES)).unwrap_or(u32::MAX);
        let pages = pages.max(FEWEST_PAGES);
        Self {
            targets: pages / PAGES_PER_TARGET,
            pages,
        }
    }

    /// Whether it is time, by what was seen since it learned last and by all that was seen:
    /// where targets are many, or the pages more than were thought, they have to have grown
    /// by a twentieth too.
    pub(super) fn is_met(self, since: Progress, all: Progress) -> bool {
        let enough_targets = since.targets >= self.targets.max(all.targets / TIMES);
        let enough_pages = since.pages >= self.pages.max(all.pages / TIMES);
        since.targets > 0 && (enough_targets || enough_pages)
    }
}

impl Default for LearningThreshold {
    fn default() -> Self {
        Self::of_budget(USUAL_BUDGET)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_follows_the_budget() {
        let of = |budget| {
            let threshold = LearningThreshold::of_budget(budget);
            (threshold.pages, threshold.targets)
        };
        assert_eq!(of(1), (10, 2));
        assert_eq!(of(500), (25, 5));
        assert_eq!(of(10_000), (500, 100));
        assert_eq!(of(1_000_000), (50_000, 10_000));
        assert_eq!(of(u64::MAX), (u32::MAX, u32::MAX / 5));
    }

    #[test]
    fn a_target_is_needed_and_many_grow() {
        let threshold = LearningThreshold::of_budget(500);
        let is_met = |since: (u32, u32), all: (u32, u32)| {
            let progress = |(targets, pages)| Progress { targets, pages };
            threshold.is_met(progress(since), progress(all))
        };
        assert!(!is_met((0, 400), (9, 400)));
        assert!(!is_met((4, 24), (4, 24)));
        assert!(is_met((5, 5), (5, 5)));
        assert!(is_met((1, 25), (1, 25)));
        // A twentieth of 200 targets is 10, of 1000 pages 50.
        assert!(!is_met((9, 24), (200, 300)));
        assert!(is_met((10, 10), (200, 300)));
        assert!(!is_met((1, 49), (20, 1000)));
        assert!(is_met((1, 50), (20, 1000)));
    }
}
