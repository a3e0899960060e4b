//! Words only, or all but words (\[C\] 6.2 and 6.4, figures 11 and 13)? MEMM and CRF in marginal
//! mode with all features, with words of pages and links only, and with all others only
//! (similarities, relevance, tokens of addresses), beside best-first by cosine: precision by
//! threshold and mean greatest similarity, by pages fetched.

use anyhow::Result;
use serde_json::json;

use crate::entrant::COSINE;
use crate::experiments::Finding;
use crate::experiments::Subject;
use crate::experiments::crawls;
use crate::report::{Outcome, Section};
use linkscent_charts as chart;

const STRATEGIES: [&str; 7] = [
    COSINE,
    "memm",
    "memm-words",
    "memm-rest",
    "crf",
    "crf-words",
    "crf-rest",
];
/// Points of a curve.
const POINTS: usize = 10;

/// The mean cosine of the first `n` scored pages of some crawls.
fn similarity(crawls: &[&Outcome], n: usize) -> f64 {
    let mean = |crawl: &&Outcome| {
        let n = n.min(crawl.trace.cosines.len());
        crawl.trace.cosines[..n].iter().sum::<f64>() / n.max(1) as f64
    };
    crawls.iter().map(mean).sum::<f64>() / crawls.len().max(1) as f64
}

pub(in crate::experiments) fn run(subject: &Subject<'_>) -> Result<Finding> {
    let outcomes = crawls::of(subject, &STRATEGIES)?;
    let longest = outcomes.iter().map(|crawl| crawl.trace.cosines.len());
    let longest = longest.max().unwrap_or(0);
    let stations: Vec<usize> = (1..=POINTS).map(|part| longest * part / POINTS).collect();
    let (mut rows, mut lines) = (Vec::new(), Vec::new());
    let mut body = String::from(
        "<table><thead><tr><th>Features</th><th>.5</th><th>.6</th><th>.7</th><th>.8</th>\
         <th>similarity</th><th>ratio to best-first</th><th>gap</th><th>gap, unseen</th></tr></thead><tbody>",
    );
    for name in STRATEGIES {
        let made = crawls::by(&outcomes, name);
        let mean = |figure: fn(&crate::figures::Row) -> Option<f64>| crawls::mean(&made, figure);
        let precision = [
            mean(|row| Some(row.precision_50)),
            mean(|row| Some(row.precision_60)),
            mean(|row| Some(row.precision_70)),
            mean(|row| Some(row.precision_80)),
        ];
        let (apr, gap) = (mean(|row| row.apr), mean(|row| row.gap));
        let whole = mean(|row| Some(row.max_avg_similarity));
        let unseen = crawls::by(&outcomes, &format!("{name}-unseen"));
        let unseen = crawls::mean(&unseen, |row| row.gap);
        let curve: Vec<f64> = stations.iter().map(|&n| similarity(&made, n)).collect();
        let show = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.3}"));
        let cells: String = precision
            .into_iter()
            .chain([whole, apr, gap, unseen])
            .map(|value| format!("<td>{}</td>", show(value)))
            .collect();
        body.push_str(&format!("<tr><td>{name}</td>{cells}</tr>"));
        let [p50, p60, p70, p80] = precision;
        rows.push(json!({
            "topic": subject.name, "form": name, "precision_50": p50, "precision_60": p60,
            "precision_70": p70, "precision_80": p80, "similarity": whole, "apr": apr, "gap": gap,
            "gap_unseen": unseen, "pages": stations, "similarity_by_pages": curve,
        }));
        lines.push(chart::Line {
            name,
            values: curve,
        });
    }
    let labels: Vec<String> = stations.iter().map(ToString::to_string).collect();
    body.push_str("</tbody></table>");
    body.push_str(&chart::lines(&labels, &lines));
    body.push_str(
        "<p class=\"muted\">Share of pages at least so near to an example, by cosine; mean cosine to \
         the nearest example, and by pages fetched in the chart. The models were trained on a \
         whole crawl from other seeds.</p>",
    );
    Ok(Finding {
        rows,
        section: Section {
            title: format!("Words, or all but words: {}", subject.name),
            body,
        },
    })
}
