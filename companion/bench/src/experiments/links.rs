//! Does the window around a link tell more than its anchor, and do the offsets
//! tell more than the bare words (\[A\] figure 7)? Naive Bayes on half of the
//! links, tested on links to other pages.

use linkscent_core::features::LARGEST_CONTEXT;
use linkscent_core::models::TwoClassCounts;
use serde_json::json;

use super::links_of::{SPLITS, WIDEST};
use super::{Finding, Instance, LinkSet, roc_auc};
use crate::report::Section;

/// Words silently added to every context: a single word must not outshout
/// many.
const SILENT_WORDS: f64 = 2.0;

/// Features a link is described by.
#[derive(Clone, Copy)]
pub struct Features {
    /// Farthest offset.
    pub dmax: i32,
    /// Whether a word at another offset is another feature.
    pub offsets: bool,
}

impl Features {
    /// The features of a link.
    pub fn of(self, link: &Instance) -> impl Iterator<Item = u32> {
        let near = link
            .words
            .iter()
            .filter(move |word| word.1.abs() <= self.dmax);
        near.map(move |&(term, offset)| {
            let place = if self.offsets { offset + 15 } else { 0 };
            (term << 5) | place as u32
        })
    }

    /// The same, each with how much it counts by its distance.
    fn weighed(self, link: &Instance) -> impl Iterator<Item = (u32, f64)> {
        let near = link
            .words
            .iter()
            .filter(move |word| word.1.abs() <= self.dmax);
        let weights = near.map(|word| 1.0 / (1.0 + f64::from(word.1.abs())));
        self.of(link).zip(weights)
    }
}

/// Naive Bayes learned from links.
pub fn learn(links: &[&Instance], features: Features) -> TwoClassCounts {
    let mut counts = TwoClassCounts::default();
    for link in links {
        counts.add(features.of(link).map(|feature| (feature, 1)), link.is_good);
    }
    counts
}

/// The log-odds per word of a link, as the apprentice that ships computes them:
/// smoothed by a background, words farther off counting less.
pub fn score(counts: &TwoClassCounts, features: Features, link: &Instance) -> f64 {
    let (mut sum, mut words) = (0.0, SILENT_WORDS);
    for (feature, weight) in features.weighed(link) {
        sum += weight * counts.log_ratio(feature, 0.0);
        words += weight;
    }
    sum / words
}

const RIVALS: [(&str, Features); 3] = [
    (
        "anchor only",
        Features {
            dmax: 0,
            offsets: true,
        },
    ),
    (
        "window with offsets",
        Features {
            dmax: 5,
            offsets: true,
        },
    ),
    (
        "window, bare words",
        Features {
            dmax: 5,
            offsets: false,
        },
    ),
];

pub(super) fn run(links: &LinkSet) -> Finding {
    let mut body =
        String::from("<table><thead><tr><th>Words taken</th><th>ROC AUC</th></tr></thead><tbody>");
    let mut rows = Vec::new();
    for (name, features) in RIVALS {
        let auc = |split: u8| {
            let (train, test) = links.halves(split);
            let counts = learn(&train, features);
            let scored = test.into_iter();
            let mut scored: Vec<(f64, bool)> = scored
                .map(|link| (score(&counts, features, link), link.is_good))
                .collect();
            roc_auc(&mut scored)
        };
        let auc = (0..SPLITS).map(auc).sum::<f64>() / f64::from(SPLITS);
        body.push_str(&format!("<tr><td>{name}</td><td>{auc:.3}</td></tr>"));
        rows.push(json!({ "topic": links.name, "features": name, "auc": auc }));
    }
    let good = links.links.iter().filter(|link| link.is_good).count();
    let cut = 100.0 * links.cut as f64 / links.links.len().max(1) as f64;
    rows.push(json!({ "topic": links.name, "cut_percent": cut }));
    body.push_str(&format!(
        "</tbody></table><p class=\"muted\">{} links of {} relevant pages, of which {good} lead to \
         a relevant page; half of the targets to learn from, half to test on, dealt {SPLITS} times; \
         means. All words are read; a crawl would keep {LARGEST_CONTEXT}, fewer than {cut:.0} % of \
         the links have within {WIDEST} leaves.</p>",
        links.links.len(),
        links.sources,
    ));
    Finding {
        section: Section {
            title: format!(
                "Which words near a link tell where it leads: {}",
                links.name
            ),
            body,
        },
        rows,
    }
}
