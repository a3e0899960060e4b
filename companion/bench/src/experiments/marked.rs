//! Crawls that start from a few marked pages and know nothing else: the critic
//! learns from them and from what it meets, and labels only measure.

use std::sync::Arc;
use std::thread;

use anyhow::{Result, anyhow};

use crate::bench::Plan;
use crate::scenario::Scenario;
use crate::topic::Topic;
use crate::visits::Visit;

/// Choices of the marked pages.
pub(super) const CHOICES: usize = 3;
/// The set of seeds that the marked pages make.
const SEEDS: &str = "marked";

/// A crawl from so many marked pages, by the number of their choice; and the
/// number of pages over which it is looked at.
pub(super) fn scenario(plan: &Plan, targets: usize, choice: usize) -> Result<(Scenario, usize)> {
    let (topic, _) = &plan.topics[0];
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
    let scenario = Scenario {
        topic: Arc::new(topic),
        seeds: SEEDS.to_owned(),
        marked: Some(marked),
        ..plan.scenario(0, &plan.seed_sets[0], choice as u32 + 1)
    };
    Ok((scenario, window))
}

/// What every choice of the marked pages gives.
pub(super) fn of_choices<T: Send>(run: impl Fn(usize) -> Result<T> + Sync) -> Result<Vec<T>> {
    thread::scope(|scope| {
        let runs: Vec<_> = (0..CHOICES)
            .map(|choice| {
                let run = &run;
                scope.spawn(move || run(choice))
            })
            .collect();
        let died = |_| Err(anyhow!("a crawl died"));
        runs.into_iter()
            .map(|run| run.join().unwrap_or_else(died))
            .collect()
    })
}

/// Relevant pages found by the n-th scored one.
pub(super) fn found(topic: &Topic, visits: &[Visit]) -> Vec<f64> {
    let labels = visits.iter().map(|visit| topic.labels[visit.page as usize]);
    let scored = labels.filter(|label| label.example.is_none());
    let mut sum = 0.0;
    scored
        .map(|label| {
            sum += f64::from(u8::from(label.counts()));
            sum
        })
        .collect()
}

/// Sum of [`found`] over the first `window` pages; a crawl that ended keeps what
/// it had found.
pub(super) fn area(topic: &Topic, visits: &[Visit], window: usize) -> f64 {
    let mut curve = found(topic, visits);
    let last = curve.last().copied().unwrap_or(0.0);
    curve.resize(window, last);
    curve.into_iter().sum()
}

/// The mean of some numbers; 0 of none.
pub(super) fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
