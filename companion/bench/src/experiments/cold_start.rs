//! How far do a few marked pages go? Crawls that start from one to thirty targets
//! and know the topic's name and nothing else: the critic learns from those pages and from what it
//! meets, and labels only measure. Beside the ensemble the simple strategies with
//! the same critic, and those that look at no content.
//!
//! The gap is taken over breadth-first, which needs no critic.

use anyhow::Result;
use linkscent_core::strategies::{
    Apprentice, BestFirst, BreadthFirst, Ensemble, Focus, Random, Strategy,
};
use linkscent_core::text::Vocabulary;
use serde_json::json;

use super::marked::{self, CHOICES, area, mean};
use super::{Finding, Subject};
use crate::bench::Plan;
use crate::crawl::crawl;
use crate::oracle;
use crate::report::Section;
use linkscent_charts as chart;

/// Numbers of marked pages.
const TARGETS: [usize; 6] = [1, 2, 3, 5, 10, 30];

type Make = fn(u32) -> Box<dyn Strategy>;

const STRATEGIES: [(&str, Make); 5] = [
    ("ensemble", |every| Box::new(Ensemble::every(every))),
    ("apprentice", |every| Box::new(Apprentice::every(every))),
    ("best-first", |_| Box::new(BestFirst(Focus::Soft))),
    ("breadth-first", |_| Box::new(BreadthFirst)),
    ("random", |_| Box::new(Random)),
];

/// AUC of every strategy, from one choice of marked pages.
fn aucs(plan: &Plan, targets: usize, choice: usize) -> Result<Vec<f64>> {
    let (mut scenario, window) = marked::scenario(plan, targets, choice)?;
    scenario.is_named = true;
    let every = plan.topics[0].1;
    let best = area(&scenario.topic, &oracle::crawl(&scenario)?, window);
    STRATEGIES
        .iter()
        .map(|(_, make)| {
            let made = crawl(&scenario, make(every), Vocabulary::default(), None)?;
            Ok(area(&scenario.topic, &made.visits, window) / best.max(1.0))
        })
        .collect()
}

pub(super) fn run(subject: &Subject<'_>) -> Result<Finding> {
    let mut lines: Vec<chart::Line<'_>> = STRATEGIES
        .iter()
        .map(|&(name, _)| chart::Line {
            name,
            values: Vec::new(),
        })
        .collect();
    let mut rows = Vec::new();
    let breadth = STRATEGIES.iter().position(|row| row.0 == "breadth-first");
    let breadth = breadth.unwrap_or_default();
    let plan = &subject.plan;
    for targets in TARGETS {
        let found = marked::of_choices(|choice| aucs(plan, targets, choice))?;
        for (place, line) in lines.iter_mut().enumerate() {
            let auc = mean(found.iter().map(|aucs| aucs[place]));
            let gap = mean(found.iter().map(|aucs| {
                100.0 * (aucs[place] - aucs[breadth]) / (1.0 - aucs[breadth]).max(1e-9)
            }));
            line.values.push(auc);
            rows.push(json!({
                "topic": subject.name, "strategy": line.name, "targets": targets,
                "auc": auc, "gap_over_breadth_first": gap, "choices": CHOICES,
            }));
        }
    }
    let labels: Vec<String> = TARGETS.iter().map(ToString::to_string).collect();
    Ok(Finding {
        section: Section {
            title: format!("From a few marked pages: {}", subject.name),
            body: format!(
                "{}<p class=\"muted\">Area under the harvest as a share of the oracle's, against the \
                 number of marked pages from which the crawl starts and the critic learns; means \
                 over {CHOICES} choices of the pages.</p>",
                chart::lines(&labels, &lines)
            ),
        },
        rows,
    })
}
