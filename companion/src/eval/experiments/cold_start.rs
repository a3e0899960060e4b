//! How far do a few marked pages go? Crawls that start from one to thirty targets
//! and know nothing else: the critic learns from those pages and from what it
//! meets, and labels only measure. Beside the ensemble the simple strategies with
//! the same critic, and those that look at no content.
//!
//! The gap is taken over breadth-first, which needs no critic.

use std::sync::Arc;
use std::thread;

use anyhow::{Result, anyhow};
use linkscent_core::strategies::{
    Apprentice, BestFirst, BreadthFirst, Ensemble, Focus, Random, Strategy,
};
use linkscent_core::text::Vocabulary;
use serde_json::json;

use super::{Finding, Subject, chart};
use crate::eval::bench::Plan;
use crate::eval::crawl::{Course, crawl};
use crate::eval::oracle;
use crate::eval::report::Section;
use crate::eval::topic::Topic;
use crate::eval::visits::Visit;

/// Numbers of marked pages.
const TARGETS: [usize; 6] = [1, 2, 3, 5, 10, 30];
/// Choices of the marked pages.
const CHOICES: usize = 3;
/// The set of seeds that the marked pages make.
const SEEDS: &str = "marked";

type Make = fn(u32) -> Box<dyn Strategy>;

const STRATEGIES: [(&str, Make); 5] = [
    ("ensemble", |every| Box::new(Ensemble::every(every))),
    ("apprentice", |every| Box::new(Apprentice::every(every))),
    ("best-first", |_| Box::new(BestFirst(Focus::Soft))),
    ("breadth-first", |_| Box::new(BreadthFirst)),
    ("random", |_| Box::new(Random)),
];

/// Sum of the relevant pages found by the n-th scored one, over the first
/// `window`; a crawl that ended keeps what it had found.
fn area(topic: &Topic, visits: &[Visit], window: usize) -> f64 {
    let labels = visits.iter().map(|visit| topic.labels[visit.page as usize]);
    let scored = labels.filter(|label| label.example.is_none());
    let (mut found, mut sum, mut seen) = (0.0, 0.0, 0);
    for label in scored.take(window) {
        found += f64::from(u8::from(label.counts()));
        sum += found;
        seen += 1;
    }
    sum + found * (window - seen) as f64
}

/// AUC of every strategy, from one choice of marked pages.
fn aucs(plan: &Plan, targets: usize, choice: usize) -> Result<Vec<f64>> {
    let (topic, every) = &plan.topics[0];
    let examples: Vec<u32> = topic.examples().collect();
    // Choices lie apart, as far as there are pages enough.
    let step = (examples.len() / CHOICES).max(1);
    let marked: Vec<u32> = (0..targets.min(examples.len()))
        .map(|place| examples[(choice * step + place) % examples.len()])
        .collect();
    let mut topic = Topic::clone(topic);
    topic.seeds.insert(SEEDS.to_owned(), marked.clone());
    let reachable = topic.reachable(SEEDS, &plan.web, None)?;
    let window = (plan.budget as usize).min(3 * reachable);
    let course = Course {
        topic: Arc::new(topic),
        seeds: SEEDS.to_owned(),
        marked: Some(marked),
        ..plan.course(0, &plan.seed_sets[0], choice as u32 + 1)
    };
    let best = area(&course.topic, &oracle::crawl(&course)?, window);
    STRATEGIES
        .iter()
        .map(|(_, make)| {
            let made = crawl(&course, make(*every), Vocabulary::default(), None)?;
            Ok(area(&course.topic, &made.visits, window) / best.max(1.0))
        })
        .collect()
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    values.iter().sum::<f64>() / values.len().max(1) as f64
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
        let found: Vec<Result<Vec<f64>>> = thread::scope(|scope| {
            let runs: Vec<_> = (0..CHOICES)
                .map(|choice| scope.spawn(move || aucs(plan, targets, choice)))
                .collect();
            let died = |_| Err(anyhow!("a crawl died"));
            runs.into_iter()
                .map(|run| run.join().unwrap_or_else(died))
                .collect()
        });
        let found: Vec<Vec<f64>> = found.into_iter().collect::<Result<_>>()?;
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
