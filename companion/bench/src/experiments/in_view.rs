//! How many relevant pages are not found yet? Whenever the ensemble counts what it expects among the
//! links that wait, and how many there are to be reached in all, the frozen web tells how many there
//! are: how often do the intervals hold them, and how far off are the estimates? And had it been told
//! to end when it has nine tenths of them, when had it ended, and what had it had?

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

/// Fetches before the first count that is looked at: until then nothing was learned.
const FIRST: usize = 100;

/// The share with which a crawl is told to end.
const SHARE: f64 = 0.9;

/// A count in a crawl, and the truth.
struct Count {
    fetched: usize,
    /// Pages found that it takes for relevant.
    found: u64,
    expected: Expected,
    /// Relevant pages among those that waited.
    waiting: usize,
    /// How many there are in all; none where it found too few to tell.
    reachable: Option<Expected>,
    /// Whether it had ended here, had it been told to end with [`SHARE`] of them.
    has_share: bool,
}

impl Count {
    fn is_held(&self) -> bool {
        holds(&self.expected, self.waiting)
    }

    /// How far off, in all pages in view.
    fn error(&self) -> f64 {
        let off = self.expected.about.abs_diff(self.waiting as u64);
        off as f64 / (self.found + self.waiting as u64).max(1) as f64
    }
}

fn holds(expected: &Expected, truth: usize) -> bool {
    (expected.least..=expected.most).contains(&(truth as u64))
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
        .filter(|page| labels[*page as usize].is_taken())
        .collect();
    relevant.sort_unstable();
    relevant.dedup();
    relevant.len()
}

fn counts(scenario: &Scenario, every: u32) -> Result<Vec<Count>> {
    let mut counts = Vec::new();
    let strategy = Box::new(Ensemble::every(every));
    watched(
        scenario,
        strategy,
        Vocabulary::default(),
        None,
        &mut |session, record, fetched| {
            if let Some(unfound) = record.unfound.filter(|_| fetched >= FIRST) {
                counts.push(Count {
                    fetched,
                    found: session.stats().relevant,
                    expected: unfound.among_waiting(),
                    waiting: waiting(scenario, session),
                    reachable: unfound.reachable(session.stats().relevant),
                    has_share: unfound.is_found(SHARE, session.stats()),
                });
            }
        },
    )?;
    Ok(counts)
}

/// What the counts of a crawl came to.
struct OfCrawl {
    /// Pages that can be reached and that the crawl takes for relevant.
    reachable: usize,
    counts: Vec<Count>,
}

impl OfCrawl {
    /// Share of the counts, of those with an estimate of all there is, that hold it.
    fn all_held(&self) -> Option<f64> {
        let told: Vec<&Expected> = self.told().map(|(all, _)| all).collect();
        let held = told.iter().filter(|all| holds(all, self.reachable)).count();
        (!told.is_empty()).then(|| held as f64 / told.len() as f64)
    }

    /// By how much these estimates are off on the mean, in all there is.
    fn all_off(&self) -> Option<f64> {
        let off = |all: &Expected| all.about.abs_diff(self.reachable as u64) as f64;
        let told: Vec<f64> = self.told().map(|(all, _)| off(all)).collect();
        let mean = told.iter().sum::<f64>() / told.len() as f64;
        (!told.is_empty()).then(|| mean / self.reachable.max(1) as f64)
    }

    fn told(&self) -> impl Iterator<Item = (&Expected, &Count)> {
        let counts = self.counts.iter();
        counts.filter_map(|count| Some((count.reachable.as_ref()?, count)))
    }

    /// After how many pages it had ended, and the share that it had then.
    fn ended(&self) -> Option<(usize, f64)> {
        let first = self.counts.iter().find(|count| count.has_share);
        let share = |count: &Count| count.found as f64 / self.reachable.max(1) as f64;
        first.map(|count| (count.fetched, share(count)))
    }

    fn row(&self, subject: &Subject<'_>, seeds: &str) -> Value {
        let many = self.counts.len().max(1) as f64;
        let held = self.counts.iter().filter(|count| count.is_held()).count();
        let range = |Expected { about, least, most }: &Expected| json!({ "about": about, "least": least, "most": most });
        let counts: Vec<Value> = self
            .counts
            .iter()
            .map(|count| {
                json!({
                    "fetched": count.fetched, "found": count.found,
                    "waiting": range(&count.expected), "really_waiting": count.waiting,
                    "reachable": count.reachable.as_ref().map(range),
                })
            })
            .collect();
        let ended = self.ended();
        json!({
            "topic": subject.name, "seeds": seeds, "crawls": "all",
            "held": held as f64 / many,
            "off": self.counts.iter().map(Count::error).sum::<f64>() / many,
            "reachable": self.reachable, "all_held": self.all_held(), "all_off": self.all_off(),
            "ended_after": ended.map(|ended| ended.0), "ended_with": ended.map(|ended| ended.1),
            "counts": counts,
        })
    }
}

pub(super) fn run(subject: &Subject<'_>) -> Result<Finding> {
    let plan = &subject.plan;
    let every = plan.topics[0].1;
    let (mut rows, mut lines) = (Vec::new(), String::new());
    for seeds in &plan.seed_sets {
        let scenario = plan.scenario(0, seeds, 1);
        let crawl = OfCrawl {
            reachable: scenario
                .topic
                .reachable_with_examples(seeds, &scenario.web)?,
            counts: counts(&scenario, every)?,
        };
        rows.push(crawl.row(subject, seeds));
        for count in &crawl.counts {
            let said =
                |Expected { about, least, most }: &Expected| format!("{about} ({least} to {most})");
            let _ = write!(
                lines,
                "<tr><td>{seeds}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>\
                 <td>{}</td></tr>",
                count.fetched,
                count.found,
                said(&count.expected),
                count.waiting,
                count.reachable.as_ref().map_or(String::new(), said),
                crawl.reachable,
            );
        }
    }
    Ok(Finding {
        section: Section {
            title: format!("Not found yet: {}", subject.name),
            body: format!(
                "<table><thead><tr><th>Seeds</th><th>Fetched</th><th>Found</th><th>Expected among \
                 those that wait</th><th>There are</th><th>Expected in all</th><th>There \
                 are</th></tr></thead><tbody>{lines}</tbody></table>"
            ),
        },
        rows,
    })
}
