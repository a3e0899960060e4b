//! Crawls that an experiment looks at: made where the bench makes its own, and
//! taken from there if they were made before.

use anyhow::Result;

use super::Subject;
use crate::bench::Plan;
use crate::entrant::{self, BASELINE, ORACLE};
use crate::figures::Row;
use crate::report::Outcome;

/// Every crawl of these strategies on the topic, the baseline's and the
/// oracle's first.
pub(super) fn of(subject: &Subject<'_>, strategies: &[&str]) -> Result<Vec<Outcome>> {
    let names = [BASELINE, ORACLE].into_iter().chain(
        strategies
            .iter()
            .copied()
            .filter(|name| ![BASELINE, ORACLE].contains(name)),
    );
    let entrants: Result<Vec<_>> = names.map(entrant::named).collect();
    let plan = Plan {
        entrants: entrants?,
        ..subject.plan.clone()
    };
    plan.run(subject.on_crawl)?;
    plan.outcomes()
}

/// The crawls of one strategy.
pub(super) fn by<'a>(outcomes: &'a [Outcome], strategy: &str) -> Vec<&'a Outcome> {
    let crawls = outcomes.iter();
    crawls
        .filter(|outcome| outcome.row.name.strategy == strategy)
        .collect()
}

/// Mean of a figure; `None` where no crawl has it.
pub(super) fn mean(crawls: &[&Outcome], figure: impl Fn(&Row) -> Option<f64>) -> Option<f64> {
    let values: Vec<f64> = crawls
        .iter()
        .filter_map(|crawl| figure(&crawl.row))
        .collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
