//! Do the apprentice and the baseline fetch the same pages (\[A\] figure 11)?

use std::collections::HashSet;

use anyhow::Result;
use serde_json::json;

use super::{Finding, Subject, crawls};
use crate::entrant::BASELINE;
use crate::report::Section;
use linkscent_charts as chart;

const RIVALS: [&str; 3] = ["apprentice", "apprentice-offline", "breadth-first"];
const POINTS: usize = 10;

/// Share of the first `n` pages of one crawl that are among the first `n` of
/// another.
fn shared(ours: &[String], theirs: &[String], n: usize) -> f64 {
    let theirs: HashSet<&String> = theirs.iter().take(n).collect();
    let first = ours.iter().take(n);
    let both = first.filter(|address| theirs.contains(address)).count();
    both as f64 / n.min(ours.len()).max(1) as f64
}

pub(super) fn run(subject: &Subject<'_>) -> Result<Finding> {
    let outcomes = crawls::of(subject, &RIVALS)?;
    let longest = outcomes.iter().map(|crawl| crawl.trace.order.len());
    let longest = longest.max().unwrap_or(0);
    let stations: Vec<usize> = (1..=POINTS).map(|part| longest * part / POINTS).collect();
    let base = crawls::by(&outcomes, BASELINE);
    let (mut lines, mut rows) = (Vec::new(), Vec::new());
    for name in RIVALS {
        let ours = crawls::by(&outcomes, name);
        let at = |&n: &usize| {
            let pairs = ours.iter().zip(&base);
            let sum: f64 = pairs
                .map(|(ours, base)| shared(&ours.trace.order, &base.trace.order, n))
                .sum();
            sum / ours.len().max(1) as f64
        };
        let values: Vec<f64> = stations.iter().map(at).collect();
        rows.push(json!({
            "topic": subject.name, "strategy": name, "pages": stations, "shared": values,
        }));
        lines.push(chart::Line { name, values });
    }
    let labels: Vec<String> = stations.iter().map(ToString::to_string).collect();
    Ok(Finding {
        rows,
        section: Section {
            title: format!("Pages shared with best-first: {}", subject.name),
            body: format!(
                "{}<p class=\"muted\">Share of the pages fetched so far that best-first from the \
                 same seeds had fetched by then; means over the seed sets.</p>",
                chart::lines(&labels, &lines)
            ),
        },
    })
}
