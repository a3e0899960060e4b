//! What is each part of the ensemble worth? Its crawls without one part after the other, each against
//! the whole from the same seeds; and what a page costs. Models of hop distances and the memory of
//! earlier crawls are no parts here: in these crawls there are none.

use anyhow::{Context, Result};
use serde_json::json;

use super::{Finding, Subject, crawls};
use crate::report::Section;

const WHOLE: &str = "ensemble";
/// The whole, and it without each part.
const FORMS: [&str; 13] = [
    WHOLE,
    "ensemble-without-critic",
    "ensemble-without-cosine",
    "ensemble-without-likeness",
    "ensemble-without-apprentice",
    "ensemble-without-ratios",
    "ensemble-without-groups",
    "ensemble-without-inlinks",
    "ensemble-without-levels",
    "ensemble-without-words",
    "ensemble-without-meaning",
    "ensemble-without-turns",
    "ensemble-without-exploration",
];

pub(super) fn run(subject: &Subject<'_>) -> Result<Finding> {
    let outcomes = crawls::of(subject, &FORMS)?;
    let whole = crawls::by(&outcomes, WHOLE);
    let mut rows = Vec::new();
    let mut body = String::from(
        "<table><thead><tr><th>form</th><th>seeds</th><th>AUC</th><th>worth of the part</th>\
         <th>ms of a processor for a page</th></tr></thead><tbody>",
    );
    for form in FORMS {
        for crawl in crawls::by(&outcomes, form) {
            let row = &crawl.row;
            let is_same = |other: &&&crate::report::Outcome| {
                let (one, other) = (&row.name, &other.row.name);
                one.seeds == other.seeds && one.repeat == other.repeat
            };
            let whole = whole.iter().find(is_same);
            let whole = &whole.context("the whole was not run from these seeds")?.row;
            let worth = (form != WHOLE).then_some(whole.auc - row.auc);
            let cpu = 1_000.0 * row.cpu_s / row.pages.max(1) as f64;
            let shown = worth.map_or(String::new(), |worth| format!("{worth:+.3}"));
            body.push_str(&format!(
                "<tr><td>{form}</td><td>{}</td><td>{:.3}</td><td>{shown}</td><td>{cpu:.1}</td></tr>",
                row.name.seeds, row.auc
            ));
            rows.push(json!({
                "topic": subject.name, "form": form, "seeds": row.name.seeds,
                "repeat": row.name.repeat, "auc": row.auc, "gap": row.gap, "worth": worth,
                "cpu_ms": cpu,
            }));
        }
    }
    body.push_str("</tbody></table>");
    Ok(Finding {
        rows,
        section: Section {
            title: format!("The ensemble without its parts: {}", subject.name),
            body,
        },
    })
}
