//! What is it worth to remember the sites that a crawl comes to? A crawl for the next topic of the
//! bench reads as many pages as the bench has it; then a crawl begins afresh, and with what that one
//! read, judged for its own topic. Once by the frozen critic, and once by our own, which is shown three
//! pages and told the topic's name.

use std::sync::Arc;

use anyhow::{Context, Result};
use linkscent_core::site_memory::SiteMemory;
use linkscent_core::strategies::Ensemble;
use linkscent_core::text::Vocabulary;
use serde_json::json;

use super::{Finding, Subject, marked};
use crate::crawl::crawl;
use crate::report::Section;
use crate::scenario::Scenario;

/// Scored pages of the crawl that is looked at.
const PAGES: usize = 500;
/// Examples count for no page.
const BUDGET: u64 = 600;
/// Marked pages, where our own critic judges.
const MARKED: usize = 3;

/// Relevant pages among the first ones of a crawl.
fn found(scenario: &Scenario, every: u32) -> Result<f64> {
    let strategy = Box::new(Ensemble::every(every));
    let made = crawl(scenario, strategy, Vocabulary::default(), None)?;
    let curve = marked::found(&scenario.topic, &made.visits);
    Ok(curve
        .get(PAGES - 1)
        .or(curve.last())
        .copied()
        .unwrap_or(0.0))
}

/// What a crawl for another topic read of the web.
fn memory(scenario: &Scenario, every: u32) -> Result<SiteMemory> {
    let strategy = Box::new(Ensemble::every(every));
    let made = crawl(scenario, strategy, Vocabulary::default(), None)?;
    let mut memory = SiteMemory::default();
    made.topic_model
        .knowledge()
        .remembered_by(&mut memory, |_| true);
    Ok(memory)
}

pub(super) fn run(subject: &Subject<'_>) -> Result<Finding> {
    let teacher = subject
        .teacher
        .as_ref()
        .context("this experiment asks for two topics of a web: give another --topic")?;
    let plan = &subject.plan;
    let every = plan.topics[0].1;
    let earlier = Scenario {
        topic: Arc::clone(teacher),
        ..plan.scenario(0, &plan.seed_sets[0], 1)
    };
    let memory = Arc::new(memory(&earlier, every)?);
    let mut scenarios = Vec::new();
    for seeds in &plan.seed_sets {
        let frozen = plan.scenario(0, seeds, 1);
        scenarios.push(("the frozen critic", seeds.clone(), frozen));
    }
    for choice in 0..marked::CHOICES {
        let (mut own, _) = marked::scenario(plan, MARKED, choice)?;
        own.is_named = true;
        scenarios.push(("three pages", choice.to_string(), own));
    }
    let mut rows = Vec::new();
    let mut body = String::from(
        "<table><thead><tr><th>Judged by</th><th>seeds</th><th>afresh</th><th>with what was read</th></tr></thead><tbody>",
    );
    for (critic, seeds, scenario) in scenarios {
        let afresh = Scenario {
            budget: BUDGET,
            ..scenario
        };
        let with = Scenario {
            memory: Arc::clone(&memory),
            ..afresh.clone()
        };
        let alone = found(&afresh, every)?;
        let remembered = found(&with, every)?;
        let more = |found: f64| 100.0 * (found / alone.max(1.0) - 1.0);
        body.push_str(&format!(
            "<tr><td>{critic}</td><td>{seeds}</td><td>{alone}</td><td>{remembered} ({:+.0} %)</td></tr>",
            more(remembered),
        ));
        rows.push(json!({
            "topic": subject.name, "teacher": teacher.name, "critic": critic, "seeds": seeds,
            "pages": PAGES, "afresh": alone, "remembered": remembered,
            "more": more(remembered),
        }));
    }
    body.push_str("</tbody></table>");
    Ok(Finding {
        rows,
        section: Section {
            title: format!("What {} read, remembered: {}", teacher.name, subject.name),
            body,
        },
    })
}
