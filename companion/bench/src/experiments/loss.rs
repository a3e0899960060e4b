//! How much is lost on the way (\[A\] figures 10, 12, 13, 14)? Pages fetched that
//! were not relevant, summed up, for the baseline and for the apprentice
//! trained beforehand, as it goes, and, trained on it, confined to the baseline's pages; the
//! same for the one to the letter of \[A\].

use anyhow::Result;
use serde_json::json;

use super::{Finding, Subject, crawls};
use crate::report::{Outcome, Section};
use linkscent_charts as chart;

const STRATEGIES: [&str; 10] = [
    "best-first",
    "apprentice-offline",
    "apprentice-every-pair",
    "apprentice",
    "apprentice-recall",
    "apprentice-recall-elsewhere",
    "apprentice-plain-offline",
    "apprentice-plain",
    "apprentice-plain-recall",
    "oracle",
];
/// Points of a curve.
const POINTS: usize = 10;

/// Pages that were not relevant among the first `n` scored; a crawl that ended
/// before loses nothing more.
fn lost(crawl: &Outcome, n: usize) -> f64 {
    let n = n.min(crawl.trace.relevant.len());
    n as f64 - crawl.trace.found_by(n)
}

pub(super) fn run(subject: &Subject<'_>) -> Result<Finding> {
    let outcomes = crawls::of(subject, &STRATEGIES)?;
    let longest = outcomes.iter().map(|crawl| crawl.trace.relevant.len());
    let longest = longest.max().unwrap_or(0);
    let stations: Vec<usize> = (0..=POINTS).map(|part| longest * part / POINTS).collect();
    let (mut lines, mut rows) = (Vec::new(), Vec::new());
    for name in STRATEGIES {
        let of_strategy = crawls::by(&outcomes, name);
        let at = |&n: &usize| {
            let sum: f64 = of_strategy.iter().map(|crawl| lost(crawl, n)).sum();
            sum / of_strategy.len().max(1) as f64
        };
        let values: Vec<f64> = stations.iter().map(at).collect();
        rows.push(json!({
            "topic": subject.name, "strategy": name, "crawls": of_strategy.len(),
            "harvest": crawls::mean(&of_strategy, |row| Some(row.harvest)),
            "gap": crawls::mean(&of_strategy, |row| row.gap),
            "lost_at_half": values[POINTS / 2] / stations[POINTS / 2].max(1) as f64,
            "pages": stations, "lost": values,
        }));
        lines.push(chart::Line { name, values });
    }
    let labels: Vec<String> = stations.iter().map(ToString::to_string).collect();
    Ok(Finding {
        rows,
        section: Section {
            title: format!("Pages lost, by regime: {}", subject.name),
            body: format!(
                "{}<p class=\"muted\">Scored pages that were not relevant, summed up, against \
                 scored pages fetched; means over the seed sets. Recall can only choose among the \
                 pages of best-first and ends with them: it was trained on them, or, elsewhere, \
                 on a crawl from other seeds.</p>",
                chart::lines(&labels, &lines)
            ),
        },
    })
}
