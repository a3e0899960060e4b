//! What screens are told: plain data with everything already decided.

use serde::{Deserialize, Serialize};

use crate::guide::{Guide, Visit};
use crate::page::Page;

/// Links highlighted on one page at most.
const MOST_HIGHLIGHTS: usize = 12;
/// Links that are sent along in case some of the best cannot be seen on the page.
const SPARE_HIGHLIGHTS: usize = 24;
/// No more than this share of a page's links is highlighted.
const HIGHLIGHT_SHARE: f64 = 0.2;
/// Least score of a highlighted link, in log-odds: one that is only a little
/// likelier than others to lead to a good page is not worth pointing out.
const PROMISING: f64 = 0.15;

/// A highlighted link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinkView {
    /// Its place among all links of the page, in document order.
    pub place: usize,
    /// 3 (best), 2 or 1.
    pub grade: u8,
    /// Why, in one line.
    pub why: String,
    /// The score it was chosen by.
    pub score: f64,
}

/// A page read in the browser.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PageView {
    /// Its relevance, 0..=1.
    pub relevance: f64,
    /// The best links, best first: those to highlight, and behind them spare ones in
    /// case some cannot be seen.
    pub links: Vec<LinkView>,
    /// How many are to be highlighted.
    #[serde(default)]
    pub most: usize,
}

impl PageView {
    /// The view of a visit: the few best of the links that score above
    /// neutral, graded by thirds of the best score.
    pub fn of(page: &Page, visit: &Visit, guide: &Guide) -> Self {
        let mut scored: Vec<(usize, f64)> = visit
            .outlinks
            .iter()
            .enumerate()
            .filter_map(|(index, (_, score))| {
                Some((index, guide.highlight_score(score.priority()?)))
            })
            .filter(|(_, highlight_score)| *highlight_score >= PROMISING)
            .collect();
        scored.sort_by(|a, b| b.1.total_cmp(&a.1));
        let share = (page.outlinks.len() as f64 * HIGHLIGHT_SHARE).ceil() as usize;
        let most = MOST_HIGHLIGHTS.min(share.max(3));
        scored.truncate(most + SPARE_HIGHLIGHTS);
        let best = scored.first().map_or(0.0, |row| row.1);
        let links: Vec<LinkView> = scored
            .into_iter()
            .map(|(index, score)| LinkView {
                place: page.outlinks[index].place,
                grade: grade(score, best),
                why: guide.reason(&visit.outlinks[index].0),
                score,
            })
            .collect();
        Self {
            relevance: visit.judgment.relevance.value(),
            most: most.min(links.len()),
            links,
        }
    }
}

fn grade(score: f64, best: f64) -> u8 {
    if score >= best * 2.0 / 3.0 {
        3
    } else if score >= best / 3.0 {
        2
    } else {
        1
    }
}
