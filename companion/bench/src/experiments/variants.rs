//! Forms of a strategy side by side, each in crawls: what the apprentice's options bring
//! (\[A\] 2.2, 3.8, figure 6), and what pages bring that are chosen to teach (\[A\] 4).

use anyhow::Result;
use serde_json::json;

use super::{Finding, Subject, crawls};
use crate::report::Section;

/// Names of entrants, and what they are.
type Forms = [(&'static str, &'static str)];

const VARIANTS: &Forms = &[
    (
        "apprentice",
        "as it ships: half the best link, half the mean; five leaves",
    ),
    ("apprentice-first", "worth of the link seen first"),
    ("apprentice-mean", "mean worth of the links"),
    ("apprentice-maximum", "worth of the best link"),
    ("apprentice-classes", "with the classes of the page"),
    ("apprentice-co-citation", "with co-citation"),
    ("apprentice-anchor", "words of the link alone"),
    ("apprentice-window-2", "two leaves"),
    (
        "apprentice-every-link",
        "learning from every link to a page",
    ),
    ("apprentice-plain", "[A] to the letter"),
    (
        "apprentice-plain-first",
        "[A] to the letter, worth of the link seen first",
    ),
    (
        "apprentice-plain-surprising",
        "[A] to the letter, taught by the half that surprised",
    ),
];

const TEACHING: &Forms = &[
    ("apprentice", "always what promises most"),
    (
        "taught-by-relevance",
        "two batches first by the page with the link",
    ),
    ("taught-by-uncertainty", "two batches first by uncertainty"),
    (
        "taught-by-information",
        "two batches first by expected information",
    ),
    (
        "taught-again-by-relevance",
        "every fourth batch by the page with the link",
    ),
    (
        "taught-again-by-uncertainty",
        "every fourth batch by uncertainty",
    ),
    (
        "taught-again-by-information",
        "every fourth batch by expected information",
    ),
];

/// The apprentice's options.
pub(super) fn run(subject: &Subject<'_>) -> Result<Finding> {
    side_by_side(subject, "Forms of the apprentice", VARIANTS)
}

/// The next page by what it would teach.
pub(super) fn teaching(subject: &Subject<'_>) -> Result<Finding> {
    side_by_side(subject, "Pages chosen by what they teach", TEACHING)
}

fn side_by_side(subject: &Subject<'_>, title: &str, forms: &Forms) -> Result<Finding> {
    let names: Vec<&str> = forms.iter().map(|row| row.0).collect();
    let outcomes = crawls::of(subject, &names)?;
    let mut rows = Vec::new();
    let mut body = String::from(
        "<table><thead><tr><th>Form</th><th>AUC</th><th>gap, mean</th><th>gap, worst</th></tr></thead><tbody>",
    );
    for &(name, what) in forms {
        let of_form = crawls::by(&outcomes, name);
        let auc = crawls::mean(&of_form, |row| Some(row.auc)).unwrap_or(0.0);
        let gap = crawls::mean(&of_form, |row| row.gap);
        let gaps = of_form.iter().filter_map(|crawl| crawl.row.gap);
        let worst = gaps.reduce(f64::min);
        let show = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:+.1}"));
        body.push_str(&format!(
            "<tr><td>{what}</td><td>{auc:.3}</td><td>{}</td><td>{}</td></tr>",
            show(gap),
            show(worst)
        ));
        rows.push(json!({
            "topic": subject.name, "form": name, "auc": auc, "gap": gap, "worst_gap": worst,
        }));
    }
    body.push_str("</tbody></table>");
    Ok(Finding {
        rows,
        section: Section {
            title: format!("{title}: {}", subject.name),
            body,
        },
    })
}
