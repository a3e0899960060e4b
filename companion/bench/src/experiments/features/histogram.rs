//! How relevant are the pages that the baseline fetches (\[A\] figures 4 and 5)? Two humps and
//! few pages between would do with two classes. Pages by relevance, on a logarithmic scale.

use anyhow::Result;
use serde_json::json;

use crate::entrant::BASELINE;
use crate::experiments::Finding;
use crate::experiments::Subject;
use crate::experiments::crawls;
use crate::report::Section;
use linkscent_charts as chart;

const BINS: usize = 10;

pub(in crate::experiments) fn run(subject: &Subject<'_>) -> Result<Finding> {
    let outcomes = crawls::of(subject, &[])?;
    let crawled = crawls::by(&outcomes, BASELINE);
    let each = 1.0 / crawled.len().max(1) as f64;
    let (mut pages, mut good, mut all) = ([0.0; BINS], 0.0, 0.0);
    for crawl in &crawled {
        let numbers = crawl
            .trace
            .order
            .iter()
            .filter_map(|url| subject.web.find(url));
        let labels = numbers.map(|number| subject.topic.labels[number as usize]);
        for label in labels.filter(|label| label.example.is_none()) {
            let bin = (label.relevance * BINS as f64) as usize;
            pages[bin.min(BINS - 1)] += each;
            good += each * f64::from(u8::from(label.is_relevant()));
            all += each;
        }
    }
    let labels: Vec<String> = (0..BINS).map(|bin| format!(".{bin}")).collect();
    let mut rows: Vec<_> = pages
        .iter()
        .enumerate()
        .map(|(bin, here)| {
            let from = bin as f64 / BINS as f64;
            json!({ "topic": subject.name, "from": from, "pages": here, "share": here / f64::max(all, 1.0) })
        })
        .collect();
    rows.push(json!({ "topic": subject.name, "good": good, "bad": all - good }));
    let line = chart::Line {
        name: "pages",
        values: pages.to_vec(),
    };
    Ok(Finding {
        rows,
        section: Section {
            title: format!(
                "Relevance of the pages that best-first fetches: {}",
                subject.name
            ),
            body: format!(
                "{}<p class=\"muted\">Pages by relevance, in tenths, on a logarithmic scale; {good:.0} \
                 good ones (above one half) and {:.0} others; means over the seed sets.</p>",
                chart::log_lines(&labels, &[line]),
                all - good
            ),
        },
    })
}
