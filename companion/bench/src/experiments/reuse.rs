//! What is knowledge worth that an earlier crawl left (\[B\] 4, its reuse
//! experiment)? Intelligent crawling starts afresh, and with the counts of a crawl
//! from other seeds; beside it each factor alone, and random order.
//!
//! The earlier crawl's pages stand apart: the second crawl is looked at over all
//! pages, and over those that the first had not fetched.

use std::collections::HashSet;

use anyhow::Result;
use linkscent_core::strategies::{Form, Intelligent, IntelligentCounts, Random, Strategy};
use linkscent_core::text::Vocabulary;
use serde_json::json;

use super::{Finding, Subject};
use crate::crawl::{Crawled, crawl};
use crate::report::Section;
use crate::scenario::Scenario;
use linkscent_charts as chart;

/// Pages of the second crawl.
const PAGES: u64 = 500;
/// Points of a curve.
const POINTS: usize = 10;

/// A kind of second crawl: how it is called, and its strategy by what the first
/// crawl left.
struct ReuseKind {
    name: &'static str,
    reuses: bool,
    make: fn(u32, Option<IntelligentCounts>) -> Box<dyn Strategy>,
}

const KINDS: [ReuseKind; 7] = [
    ReuseKind {
        name: "all factors, with knowledge",
        reuses: true,
        make: |every, state| match state {
            Some(counts) => Box::new(Intelligent::every(every, Form::ALL).with_counts(counts)),
            None => fresh(every, Form::ALL),
        },
    },
    ReuseKind {
        name: "all factors, afresh",
        reuses: false,
        make: |every, _| fresh(every, Form::ALL),
    },
    ReuseKind {
        name: "words",
        reuses: false,
        make: |every, _| fresh(every, Form::CONTENT),
    },
    ReuseKind {
        name: "URL tokens",
        reuses: false,
        make: |every, _| fresh(every, Form::URL),
    },
    ReuseKind {
        name: "links",
        reuses: false,
        make: |every, _| fresh(every, Form::LINK),
    },
    ReuseKind {
        name: "siblings",
        reuses: false,
        make: |every, _| fresh(every, Form::SIBLING),
    },
    ReuseKind {
        name: "random",
        reuses: false,
        make: |_, _| Box::new(Random),
    },
];

fn fresh(every: u32, form: Form) -> Box<dyn Strategy> {
    Box::new(Intelligent::every(every, form))
}

/// Relevant pages among the first ones that count, by their number.
pub(super) fn found(scenario: &Scenario, crawled: &Crawled, left_out: &HashSet<u32>) -> Vec<f64> {
    let labels = &scenario.topic.labels;
    let pages = crawled.visits.iter().map(|visit| visit.page);
    let scored =
        pages.filter(|&page| labels[page as usize].example.is_none() && !left_out.contains(&page));
    let mut sum = 0.0;
    let mut curve = vec![0.0];
    for page in scored {
        sum += f64::from(u8::from(labels[page as usize].counts()));
        curve.push(sum);
    }
    curve
}

pub(super) fn run(subject: &Subject<'_>) -> Result<Finding> {
    let plan = &subject.plan;
    let every = plan.topics[0].1;
    let stations: Vec<usize> = (0..=POINTS)
        .map(|part| PAGES as usize * part / POINTS)
        .collect();
    let nothing = HashSet::new();
    let mut sums = vec![vec![0.0; stations.len()]; KINDS.len()];
    let mut unseen = vec![0.0; KINDS.len()];
    for seeds in &plan.seed_sets {
        let scenario = |seeds: &str, budget| Scenario {
            budget,
            ..plan.scenario(0, seeds, 1)
        };
        let first = scenario(&plan.training_seeds(0, seeds), plan.budget);
        let before = crawl(&first, fresh(every, Form::ALL), Vocabulary::default(), None)?;
        let seen: HashSet<u32> = before.visits.iter().map(|visit| visit.page).collect();
        let knowledge = before.topic_model.knowledge();
        let second = scenario(seeds, PAGES);
        for (place, kind) in KINDS.iter().enumerate() {
            let (state, words) = if kind.reuses {
                (
                    knowledge.learned.read(knowledge.graph.vocabulary.len())?,
                    knowledge.graph.vocabulary.clone(),
                )
            } else {
                (None, Vocabulary::default())
            };
            let made = crawl(&second, (kind.make)(every, state), words, None)?;
            let curve = found(&second, &made, &nothing);
            for (sum, &station) in sums[place].iter_mut().zip(&stations) {
                *sum += curve[station.min(curve.len() - 1)];
            }
            let curve = found(&second, &made, &seen);
            unseen[place] += curve.last().copied().unwrap_or(0.0);
        }
    }
    let crawls = plan.seed_sets.len().max(1) as f64;
    let lines: Vec<chart::Line<'_>> = KINDS
        .iter()
        .zip(&sums)
        .map(|(kind, sums)| chart::Line {
            name: kind.name,
            values: sums.iter().map(|sum| sum / crawls).collect(),
        })
        .collect();
    let rows = lines.iter().zip(&unseen).map(|(line, unseen)| {
        json!({
            "topic": subject.name, "kind": line.name, "crawls": plan.seed_sets.len(),
            "pages": stations, "found": line.values, "found_unseen": unseen / crawls,
        })
    });
    let labels: Vec<String> = stations.iter().map(ToString::to_string).collect();
    Ok(Finding {
        rows: rows.collect(),
        section: Section {
            title: format!("Knowledge of an earlier crawl: {}", subject.name),
            body: format!(
                "{}<p class=\"muted\">Relevant pages found in the first {PAGES} pages of intelligent \
                 crawling; means over the seed sets. The earlier crawl started elsewhere.</p>",
                chart::lines(&labels, &lines)
            ),
        },
    })
}
