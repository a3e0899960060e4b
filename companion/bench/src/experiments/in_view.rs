//! How many relevant pages lie in view? Whenever the ensemble counts what it expects among the links
//! that wait, the frozen web tells how many there are: how often does the interval hold them, and
//! how far off is the estimate? Pages to which no link was seen yet stand beside, since nothing is
//! said of them.

use std::fmt::Write;

use anyhow::Result;
use linkscent_core::crawl::{Expected, Session};
use linkscent_core::strategies::Ensemble;
use linkscent_core::text::Vocabulary;
use serde_json::{Value, json};

use super::{Finding, Subject};
use crate::crawl::watched;
use crate::report::Section;
use crate::scenario::Scenario;
use crate::topic::Label;

/// Fetches before the first count that is looked at: until then nothing was learned.
const FIRST: usize = 100;

/// A count in a crawl, and the truth.
struct Count {
    fetched: usize,
    found: usize,
    expected: Expected,
    /// Relevant pages among those that waited.
    waiting: usize,
}

impl Count {
    fn is_held(&self) -> bool {
        let waiting = self.waiting as u64;
        (self.expected.least..=self.expected.most).contains(&waiting)
    }

    /// How far off, in all pages in view.
    fn error(&self) -> f64 {
        let off = self.expected.about.abs_diff(self.waiting as u64);
        off as f64 / (self.found + self.waiting).max(1) as f64
    }
}

fn waiting(scenario: &Scenario, session: &Session) -> usize {
    let labels = &scenario.topic.labels;
    let waiting = session.frontier().best(usize::MAX).into_iter();
    let numbers = waiting.filter_map(|page| scenario.web.number(&page.links[0].target));
    let unseen = numbers.filter(|page| {
        let page = &scenario.web.pages[*page as usize];
        !session.is_seen(&page.address)
    });
    let mut relevant: Vec<u32> = unseen
        .filter(|page| labels[*page as usize].counts())
        .collect();
    relevant.sort_unstable();
    relevant.dedup();
    relevant.len()
}

fn counts(scenario: &Scenario, every: u32) -> Result<Vec<Count>> {
    let (mut counts, mut found) = (Vec::new(), 0);
    let strategy = Box::new(Ensemble::every(every));
    watched(
        scenario,
        strategy,
        Vocabulary::default(),
        None,
        &mut |session, record, fetched| {
            let page = scenario.web.number(&record.address);
            let label = page.map(|page| scenario.topic.labels[page as usize]);
            found += usize::from(label.is_some_and(Label::counts));
            if let Some(estimate) = record.waiting.filter(|_| fetched >= FIRST) {
                counts.push(Count {
                    fetched,
                    found,
                    expected: Expected::around(estimate),
                    waiting: waiting(scenario, session),
                });
            }
        },
    )?;
    Ok(counts)
}

pub(super) fn run(subject: &Subject<'_>) -> Result<Finding> {
    let plan = &subject.plan;
    let every = plan.topics[0].1;
    let (mut rows, mut lines) = (Vec::new(), String::new());
    for seeds in &plan.seed_sets {
        let scenario = plan.scenario(0, seeds, 1);
        let reachable = scenario.topic.reachable(seeds, &scenario.web, None)?;
        let counts = counts(&scenario, every)?;
        let many = counts.len().max(1) as f64;
        let held = counts.iter().filter(|count| count.is_held()).count();
        let off = counts.iter().map(Count::error).sum::<f64>() / many;
        rows.push(row(subject, seeds, held as f64 / many, off, &counts));
        for count in &counts {
            let Expected { about, least, most } = count.expected;
            let _ = write!(
                lines,
                "<tr><td>{seeds}</td><td>{}</td><td>{}</td><td>{about} ({least} to \
                 {most})</td><td>{}</td><td>{}</td></tr>",
                count.fetched,
                count.found,
                count.waiting,
                reachable.saturating_sub(count.found + count.waiting),
            );
        }
    }
    Ok(Finding {
        section: Section {
            title: format!("In view: {}", subject.name),
            body: format!(
                "<table><thead><tr><th>Seeds</th><th>Fetched</th><th>Found</th><th>Expected among \
                 those that wait</th><th>There are</th><th>Not in view</th></tr></thead>\
                 <tbody>{lines}</tbody></table>"
            ),
        },
        rows,
    })
}

fn row(subject: &Subject<'_>, seeds: &str, held: f64, off: f64, counts: &[Count]) -> Value {
    let counts: Vec<Value> = counts
        .iter()
        .map(|count| {
            let Expected { about, least, most } = count.expected;
            json!({
                "fetched": count.fetched, "found": count.found, "about": about, "least": least,
                "most": most, "waiting": count.waiting, "is_held": count.is_held(),
            })
        })
        .collect();
    json!({
        "topic": subject.name, "seeds": seeds, "crawls": "all", "held": held, "off": off,
        "counts": counts,
    })
}
