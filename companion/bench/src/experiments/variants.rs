//! What do the apprentice's options bring in a crawl: what a page is worth to
//! which several links lead, the classes of the page with the link and
//! co-citation (\[A\] 3.8), a narrower window (\[A\] figure 6)?

use anyhow::Result;
use serde_json::json;

use super::{Finding, Subject, crawls};
use crate::report::Section;

const VARIANTS: [(&str, &str); 9] = [
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
    ("apprentice-plain", "[A] to the letter"),
];

pub(super) fn run(subject: &Subject<'_>) -> Result<Finding> {
    let names = VARIANTS.map(|row| row.0);
    let outcomes = crawls::of(subject, &names)?;
    let mut rows = Vec::new();
    let mut body = String::from(
        "<table><thead><tr><th>Form</th><th>AUC</th><th>gap, mean</th><th>gap, worst</th></tr></thead><tbody>",
    );
    for (name, what) in VARIANTS {
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
            title: format!("Forms of the apprentice: {}", subject.name),
            body,
        },
    })
}
