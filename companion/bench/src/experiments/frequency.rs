//! What stands around links (\[A\] figure 9)? Share of leaves with words and of
//! leaves without (pictures, line breaks, empty cells), by offset.

use serde_json::json;

use super::links_of::WIDEST;
use super::{Finding, LinkSet};
use crate::chart;
use crate::report::Section;

pub(super) fn run(links: &LinkSet) -> Finding {
    let wide = WIDEST as i32;
    let labels: Vec<String> = (-wide..=wide).map(|offset| offset.to_string()).collect();
    let share = |kind: usize| -> Vec<f64> {
        let shares = links.leaves.iter();
        shares
            .map(|leaves| leaves[kind] as f64 / (leaves[0] + leaves[1]).max(1) as f64)
            .collect()
    };
    let (text, other) = (share(0), share(1));
    let rows = labels.iter().zip(text.iter().zip(&other)).map(|(offset, (text, other))| {
        json!({ "topic": links.name, "offset": offset, "with_words": text, "without": other })
    });
    Finding {
        rows: rows.collect(),
        section: Section {
            title: format!(
                "Leaves with and without words by their offset: {}",
                links.name
            ),
            body: chart::lines(
                &labels,
                &[
                    chart::Line {
                        name: "with words",
                        values: text.clone(),
                    },
                    chart::Line {
                        name: "without words",
                        values: other.clone(),
                    },
                ],
            ),
        },
    }
}
