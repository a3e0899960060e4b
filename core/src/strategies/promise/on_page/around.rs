//! How the links of a page stand to each other.

use rustc_hash::FxHashMap;

use crate::page::Page;

/// Links on either side of a link that are its neighbours.
const NEIGHBOURS: usize = 8;
/// Links that count in the mean of a folder and of neighbours, as if nothing spoke for them.
const FOLDER_BEFORE: f64 = 2.0;
const NEIGHBOURS_BEFORE: f64 = 4.0;
/// Links of other pages that count in a page's mean and spread, and what those are.
const PAGE_BEFORE: f64 = 8.0;
const USUAL_MEAN: f64 = 0.1;
const USUAL_SPREAD: f64 = 0.12;

/// Mean and spread of a number over the links of a page.
pub(super) struct Standing {
    mean: f64,
    spread: f64,
}

impl Standing {
    /// Drawn towards what is usual where there are few links. Of numbers that are all 0, as where the
    /// topic has no name, nothing stands out.
    pub(super) fn of(values: &[f64]) -> Self {
        if values.iter().all(|value| *value == 0.0) {
            return Self {
                mean: 0.0,
                spread: 1.0,
            };
        }
        let count = values.len() as f64 + PAGE_BEFORE;
        let sum: f64 = values.iter().sum();
        let mean = (sum + PAGE_BEFORE * USUAL_MEAN) / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let variance = (squares + PAGE_BEFORE * USUAL_SPREAD.powi(2)) / count;
        Self {
            mean,
            spread: variance.sqrt(),
        }
    }

    /// By how many standard deviations a value is above the mean.
    pub(super) fn of_value(&self, value: f64) -> f64 {
        (value - self.mean) / self.spread
    }
}

/// Links whose addresses have a folder in common.
pub(super) struct Folders {
    of_link: Vec<usize>,
    members: Vec<Vec<usize>>,
}

impl Folders {
    pub(super) fn of(page: &Page) -> Self {
        let mut numbers: FxHashMap<&str, usize> = FxHashMap::default();
        let mut members: Vec<Vec<usize>> = Vec::new();
        let of_link = page.outlinks.iter().enumerate().map(|(at, link)| {
            let number = *numbers.entry(link.target.folder()).or_insert(members.len());
            if number == members.len() {
                members.push(Vec::new());
            }
            members[number].push(at);
            number
        });
        let of_link = of_link.collect();
        Self { of_link, members }
    }

    /// Over the other links of the same folder, drawn towards 0 where there are few.
    pub(super) fn mean(&self, values: &[f64], at: usize) -> f64 {
        let members = &self.members[self.of_link[at]];
        let others = members.iter().filter(|other| **other != at);
        let sum: f64 = others.map(|&other| values[other]).sum();
        sum / (members.len() as f64 - 1.0 + FOLDER_BEFORE)
    }
}

/// Mean over the links on either side, drawn towards 0 where there are few.
pub(super) fn beside(values: &[f64], at: usize) -> f64 {
    let from = at.saturating_sub(NEIGHBOURS);
    let to = (at + NEIGHBOURS + 1).min(values.len());
    let sum: f64 = values[from..to].iter().sum::<f64>() - values[at];
    sum / ((to - from - 1) as f64 + NEIGHBOURS_BEFORE)
}

/// The greatest of them, 0 at least.
pub(super) fn most(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}
