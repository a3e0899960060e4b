//! How relevant are the pages that relevant pages link to (\[A\] figure 5)? Two
//! humps, few pages between: two classes are enough.

use serde_json::json;

use super::{Finding, LinkSet};
use crate::chart;
use crate::report::Section;

const BINS: usize = 10;

pub(super) fn run(links: &LinkSet) -> Finding {
    let mut counts = [0.0; BINS];
    for link in &links.links {
        let bin = (link.relevance * BINS as f64) as usize;
        counts[bin.min(BINS - 1)] += 1.0;
    }
    let labels: Vec<String> = (0..BINS).map(|bin| format!(".{bin}")).collect();
    let rows = counts.iter().enumerate().map(|(bin, links_here)| {
        json!({ "topic": links.name, "from": bin as f64 / BINS as f64, "links": links_here })
    });
    Finding {
        rows: rows.collect(),
        section: Section {
            title: format!(
                "Relevance of the pages that relevant pages link to: {}",
                links.name
            ),
            body: format!(
                "{}<p class=\"muted\">Links by relevance of their target, in tenths.</p>",
                chart::bars(&labels, &counts)
            ),
        },
    }
}
