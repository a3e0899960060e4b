//! Are the questions worth asking? Crawls from one and two marked pages in which
//! nothing is asked, three questions in every thousand pages about pages drawn at
//! random, and three about the pages whose label would change most. The labels
//! answer.

use anyhow::Result;
use linkscent_core::strategies::Ensemble;
use linkscent_core::text::Vocabulary;
use serde_json::json;

use super::marked::{self, CHOICES, found, mean};
use super::{Finding, Subject};
use crate::crawl::crawl;
use crate::report::Section;
use crate::scenario::{Asking, Scenario};
use linkscent_charts as chart;

/// Numbers of marked pages.
const TARGETS: [usize; 2] = [1, 2];
const ASKED: [(&str, Asking); 3] = [
    ("nothing asked", Asking::Nothing),
    ("three questions at random", Asking::AtRandom),
    ("three questions", Asking::Best),
];

pub(super) fn run(subject: &Subject<'_>) -> Result<Finding> {
    let plan = &subject.plan;
    let every = plan.topics[0].1;
    let mut lines: Vec<chart::Line<'_>> = ASKED
        .iter()
        .map(|&(name, _)| chart::Line {
            name,
            values: Vec::new(),
        })
        .collect();
    let mut rows = Vec::new();
    for targets in TARGETS {
        for (line, (name, asking)) in lines.iter_mut().zip(ASKED) {
            let harvests = marked::of_choices(|choice| {
                let (scenario, _) = marked::scenario(plan, targets, choice)?;
                let scenario = Scenario { asking, ..scenario };
                let strategy = Box::new(Ensemble::every(every));
                let made = crawl(&scenario, strategy, Vocabulary::default(), None)?;
                let curve = found(&scenario.topic, &made.visits);
                Ok(curve.last().copied().unwrap_or(0.0) / curve.len().max(1) as f64)
            })?;
            let harvest = mean(harvests.iter().copied());
            line.values.push(100.0 * harvest);
            rows.push(json!({
                "topic": subject.name, "asked": name, "targets": targets,
                "harvest": harvest, "choices": CHOICES,
            }));
        }
    }
    let labels: Vec<String> = TARGETS.iter().map(ToString::to_string).collect();
    Ok(Finding {
        section: Section {
            title: format!("What questions bring: {}", subject.name),
            body: format!(
                "{}<p class=\"muted\">Harvest in % against the number of marked pages from which \
                 the crawl starts and the critic learns; means over {CHOICES} choices of the \
                 pages.</p>",
                chart::lines(&labels, &lines)
            ),
        },
        rows,
    })
}
