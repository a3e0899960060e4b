//! Questions of the papers that need no crawl, or look at crawls in another
//! way; each adds a section to the report and a file of rows. A new one is one
//! file and one line in [`ALL`].

mod chart;
mod critic;
mod frequency;
mod histogram;
mod information_gain;
mod links;
mod links_of;
mod rivals;
mod window;

use std::cell::OnceCell;

use anyhow::{Context, Result};
use serde_json::Value;

use links_of::{Instance, LinkSet};

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

/// A topic on a web, and its links, read when they are asked for.
pub struct Subject<'a> {
    /// Name of the web and topic.
    pub name: String,
    web: &'a EvalWeb,
    topic: &'a Topic,
    links: OnceCell<LinkSet>,
}

impl<'a> Subject<'a> {
    /// The topic of a web.
    pub fn new(name: String, web: &'a EvalWeb, topic: &'a Topic) -> Self {
        Self {
            name,
            web,
            topic,
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
    run: fn(&Subject<'_>) -> Finding,
}

/// All experiments.
pub const ALL: [Experiment; 7] = [
    Experiment {
        name: "critic",
        run: critic::run,
    },
    Experiment {
        name: "links",
        run: |subject| links::run(subject.links()),
    },
    Experiment {
        name: "rivals",
        run: |subject| rivals::run(subject.links()),
    },
    Experiment {
        name: "histogram",
        run: |subject| histogram::run(subject.links()),
    },
    Experiment {
        name: "dmax",
        run: |subject| window::run(subject.links()),
    },
    Experiment {
        name: "information-gain",
        run: |subject| information_gain::run(subject.links()),
    },
    Experiment {
        name: "frequency",
        run: |subject| frequency::run(subject.links()),
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
    pub fn run(&self, subject: &Subject<'_>) -> Finding {
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
