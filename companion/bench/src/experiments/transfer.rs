//! What is knowledge of another topic worth to begin with (\[B\] 4: for something related)?
//! Each strategy that can begin so crawls afresh, and with what a crawl for the next topic of
//! the bench taught it, as `linkscent crawl --start-from` does. The topics of a bench have
//! little to do with each other, so it is mostly asked how much it does harm.

use std::sync::Arc;

use anyhow::{Context, Result};
use linkscent_core::strategies::{self, Strategy};
use linkscent_core::text::Vocabulary;
use serde_json::json;

use super::reuse::found;
use super::{Finding, Subject};
use crate::crawl::{Crawled, crawl};
use crate::report::Section;
use crate::scenario::Scenario;
use crate::topic::Topic;

/// Pages of the crawl that is looked at, and after how many.
const PAGES: u64 = 500;
const STATIONS: [usize; 3] = [50, 150, 500];
/// Who crawls.
const STRATEGIES: [&str; 4] = ["ensemble", "apprentice", "apprentice-plain", "intelligent"];

fn fresh(name: &str, every: u32) -> Result<Box<dyn Strategy>> {
    let row = strategies::descriptor(name);
    let make = row.and_then(|row| row.make).context("no such strategy")?;
    Ok(make(Some(every)))
}

/// Relevant pages found by the crawl, after so many.
fn stations(scenario: &Scenario, crawled: &Crawled) -> [f64; 3] {
    let curve = found(scenario, crawled, &std::collections::HashSet::new());
    STATIONS.map(|station| curve[station.min(curve.len() - 1)])
}

/// A crawl for a topic by one who was taught by another crawl.
fn taught(scenario: &Scenario, name: &str, every: u32, teacher: &Crawled) -> Result<Crawled> {
    let mut words = Vocabulary::default();
    let known = &teacher.topic_model.graph().vocabulary;
    let learned = strategies::carried(&teacher.topic_model.strategy().state(), known, &mut words)?;
    let mut strategy = fresh(name, every)?;
    strategy.begin_with(&learned, words.len())?;
    crawl(scenario, strategy, words, None)
}

pub(super) fn run(subject: &Subject<'_>) -> Result<Finding> {
    let teacher: &Arc<Topic> = subject
        .teacher
        .as_ref()
        .context("this experiment asks for two topics of a web: give another --topic")?;
    let plan = &subject.plan;
    let every = plan.topics[0].1;
    let mut rows = Vec::new();
    let mut body = String::from(
        "<table><thead><tr><th>Strategy</th><th>begins</th><th>50 pages</th><th>150</th>\
         <th>500</th></tr></thead><tbody>",
    );
    for name in STRATEGIES {
        let mut sums = [[0.0; 3]; 2];
        for seeds in &plan.seed_sets {
            let scenario = Scenario {
                budget: PAGES,
                ..plan.scenario(0, seeds, 1)
            };
            let lessons = Scenario {
                topic: Arc::clone(teacher),
                ..plan.scenario(0, seeds, 1)
            };
            let before = crawl(&lessons, fresh(name, every)?, Vocabulary::default(), None)?;
            let alone = crawl(&scenario, fresh(name, every)?, Vocabulary::default(), None)?;
            let with = taught(&scenario, name, every, &before)?;
            for (sums, made) in sums.iter_mut().zip([&alone, &with]) {
                for (sum, found) in sums.iter_mut().zip(stations(&scenario, made)) {
                    *sum += found;
                }
            }
        }
        let crawls = plan.seed_sets.len().max(1) as f64;
        for (begins, sums) in ["afresh", "taught"].into_iter().zip(sums) {
            let found = sums.map(|sum| sum / crawls);
            body.push_str(&format!(
                "<tr><td>{name}</td><td>{begins}</td><td>{:.1}</td><td>{:.1}</td><td>{:.1}</td></tr>",
                found[0], found[1], found[2]
            ));
            rows.push(json!({
                "topic": subject.name, "teacher": teacher.name, "strategy": name,
                "begins": begins, "pages": STATIONS, "found": found,
            }));
        }
    }
    body.push_str("</tbody></table>");
    Ok(Finding {
        rows,
        section: Section {
            title: format!(
                "Beginning with what {} taught: {}",
                teacher.name, subject.name
            ),
            body: format!(
                "{body}<p class=\"muted\">Relevant pages found; means over the seed sets.</p>"
            ),
        },
    })
}
