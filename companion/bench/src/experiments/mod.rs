//! Questions of the papers that need no crawl, or look at crawls in another
//! way; each adds a section to the report and a file of rows. A new one is one
//! file and one line in [`ALL`].

mod adaptive;
mod attack;
mod cold_start;
mod crawls;
mod critic;
mod drift;
mod frequency;
mod histogram;
mod information_gain;
mod links;
mod links_of;
mod loss;
mod marked;
mod overlap;
mod questions;
mod reuse;
mod rivals;
mod transfer;
mod variants;
mod window;

use std::cell::OnceCell;
use std::sync::Arc;

use anyhow::{Context, Result};
use serde_json::Value;

use links_of::{Instance, LinkSet};

use super::bench::Plan;
use super::report::Section;
use super::topic::Topic;
use super::web::EvalWeb;

/// What an experiment found on one topic.
pub struct Finding {
    /// A section of the report.
    pub section: Section,
    /// Rows for programs.
    pub rows: Vec<Value>,
}

/// A topic on a web, how it is crawled, and its links, read when they are asked
/// for.
pub struct Subject<'a> {
    /// Name of the web and topic.
    pub name: String,
    web: &'a EvalWeb,
    topic: &'a Topic,
    /// Of this topic alone.
    plan: Plan,
    /// The next topic of the plan, if there is another.
    teacher: Option<Arc<Topic>>,
    on_crawl: &'a (dyn Fn(usize, usize, &str) + Sync),
    links: OnceCell<LinkSet>,
}

impl<'a> Subject<'a> {
    /// One topic of a plan; `on_crawl` hears of crawls that are made.
    pub fn new(
        plan: &'a Plan,
        topic: usize,
        on_crawl: &'a (dyn Fn(usize, usize, &str) + Sync),
    ) -> Self {
        let (subject, every) = &plan.topics[topic];
        let next = (topic + 1) % plan.topics.len();
        Self {
            name: format!("{} {}", plan.web_name, subject.name),
            web: &plan.web,
            topic: subject,
            plan: Plan {
                topics: vec![(Arc::clone(subject), *every)],
                ..plan.clone()
            },
            teacher: (next != topic).then(|| Arc::clone(&plan.topics[next].0)),
            on_crawl,
            links: OnceCell::new(),
        }
    }

    fn links(&self) -> &LinkSet {
        let read = || LinkSet::read(self.name.clone(), self.web, self.topic);
        self.links.get_or_init(read)
    }
}

/// An experiment on a topic.
pub struct Experiment {
    /// Its name on the command line.
    pub name: &'static str,
    run: fn(&Subject<'_>) -> Result<Finding>,
}

/// All experiments.
pub const ALL: [Experiment; 17] = [
    Experiment {
        name: "critic",
        run: |subject| Ok(critic::run(subject)),
    },
    Experiment {
        name: "links",
        run: |subject| Ok(links::run(subject.links())),
    },
    Experiment {
        name: "rivals",
        run: |subject| Ok(rivals::run(subject.links())),
    },
    Experiment {
        name: "histogram",
        run: |subject| Ok(histogram::run(subject.links())),
    },
    Experiment {
        name: "dmax",
        run: |subject| Ok(window::run(subject.links())),
    },
    Experiment {
        name: "information-gain",
        run: |subject| Ok(information_gain::run(subject.links())),
    },
    Experiment {
        name: "frequency",
        run: |subject| Ok(frequency::run(subject.links())),
    },
    Experiment {
        name: "loss",
        run: loss::run,
    },
    Experiment {
        name: "overlap",
        run: overlap::run,
    },
    Experiment {
        name: "cold-start",
        run: cold_start::run,
    },
    Experiment {
        name: "questions",
        run: questions::run,
    },
    Experiment {
        name: "drift",
        run: drift::run,
    },
    Experiment {
        name: "attack",
        run: attack::run,
    },
    Experiment {
        name: "ache",
        run: adaptive::run,
    },
    Experiment {
        name: "reuse",
        run: reuse::run,
    },
    Experiment {
        name: "transfer",
        run: transfer::run,
    },
    Experiment {
        name: "variants",
        run: variants::run,
    },
];

/// The experiment of that name.
pub fn named(name: &str) -> Result<&'static Experiment> {
    let found = ALL.iter().find(|experiment| experiment.name == name);
    found.with_context(|| {
        let names: Vec<&str> = ALL.iter().map(|experiment| experiment.name).collect();
        format!(
            "there is no experiment {name:?}; there are {}",
            names.join(", ")
        )
    })
}

impl Experiment {
    /// Runs it on a topic.
    pub fn run(&self, subject: &Subject<'_>) -> Result<Finding> {
        (self.run)(subject)
    }
}

/// Area under the ROC curve: how often a good link is scored above another;
/// ties count half. 0.5 where one kind is missing.
pub fn roc_auc(scored: &mut [(f64, bool)]) -> f64 {
    scored.sort_by(|a, b| a.0.total_cmp(&b.0));
    let good = scored.iter().filter(|row| row.1).count() as f64;
    let other = scored.len() as f64 - good;
    if good == 0.0 || other == 0.0 {
        return 0.5;
    }
    let (mut below, mut sum) = (0.0, 0.0);
    for ties in scored.chunk_by(|a, b| a.0 == b.0) {
        let good_here = ties.iter().filter(|row| row.1).count() as f64;
        let other_here = ties.len() as f64 - good_here;
        sum += good_here * (below + other_here / 2.0);
        below += other_here;
    }
    sum / (good * other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_area_counts_pairs_and_halves_ties() {
        let auc = |rows: &[(f64, bool)]| roc_auc(&mut rows.to_vec());
        assert_eq!(auc(&[(0.1, false), (0.9, true)]), 1.0);
        assert_eq!(auc(&[(0.5, false), (0.5, true)]), 0.5);
        assert_eq!(
            auc(&[(0.1, true), (0.2, false), (0.3, true), (0.4, false)]),
            0.25
        );
        assert_eq!(auc(&[(0.1, true)]), 0.5);
    }
}
