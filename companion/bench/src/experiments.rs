//! Questions of the papers that need no crawl, or look at crawls in another
//! way; each adds a section to the report and a file of rows. A new one is one
//! file and one line in [`ALL`].

mod ablations;
mod adaptive;
mod attack;
mod cold_start;
mod crawls;
mod critic;
mod drift;
mod false_hubs;
mod features;
mod in_view;
mod links;
mod links_of;
mod loss;
mod marked;
mod overlap;
mod questions;
mod reuse;
mod rivals;
mod site_memory;
mod small;
mod split;
mod spread;
mod tag_paths;
mod transfer;
mod variants;

use std::cell::OnceCell;
use std::sync::Arc;

use anyhow::{Context, Result};
use serde_json::Value;

use links_of::{Instance, LinkSet};
pub use spread::Spread;

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
    /// What it asks, in a line.
    pub question: &'static str,
    /// What is shown of it over all topics.
    pub spread: Option<Spread>,
    run: fn(&Subject<'_>) -> Result<Finding>,
}

/// All experiments.
pub const ALL: [Experiment; 26] = [
    Experiment {
        name: "in-view",
        question: "how many relevant pages wait, and are to be reached, estimated and counted",
        spread: Some(over(
            "crawls",
            &[
                "held",
                "off",
                "all_held",
                "all_off",
                "ended_after",
                "ended_with",
            ],
        )),
        run: in_view::run,
    },
    Experiment {
        name: "critic",
        question: "how well our critic agrees with the frozen one",
        spread: Some(over("examples", &["auc", "accuracy"])),
        run: |subject| Ok(critic::run(subject)),
    },
    Experiment {
        name: "ablations",
        question: "what each part of the ensemble is worth, and what a page costs",
        spread: Some(over("form", &["worth", "gap", "auc", "cpu_ms"])),
        run: ablations::run,
    },
    Experiment {
        name: "links",
        question: "which words near a link tell where it leads ([A] figure 7)",
        spread: Some(over("features", &["auc"])),
        run: |subject| Ok(links::run(subject.links())),
    },
    Experiment {
        name: "rivals",
        question: "co-citation, and a perceptron ([A] 2.3, 3.8)",
        spread: Some(over("rival", &["auc", "average"])),
        run: |subject| Ok(rivals::run(subject.links())),
    },
    Experiment {
        name: "tag-paths",
        question: "ways along the tags in place of offsets ([A] 4)",
        spread: Some(over("form", &["auc", "average", "features"])),
        run: tag_paths::run,
    },
    Experiment {
        name: "histogram",
        question: "relevance of the pages that best-first fetches ([A] figures 4, 5)",
        spread: Some(over("from", &["share", "pages"])),
        run: features::histogram::run,
    },
    Experiment {
        name: "dmax",
        question: "accuracy by distance read around a link ([A] figure 6)",
        spread: Some(over("dmax", &["negative", "positive", "average"])),
        run: |subject| Ok(features::window::run(subject.links())),
    },
    Experiment {
        name: "information-gain",
        question: "where telling words stand ([A] figure 8)",
        spread: Some(over("offset", &["mean_information_gain"])),
        run: |subject| Ok(features::information_gain::run(subject.links())),
    },
    Experiment {
        name: "frequency",
        question: "words and tags by their offset ([A] figures 9a, 9b)",
        spread: Some(over("offset", &["rate"])),
        run: features::frequency::run,
    },
    Experiment {
        name: "loss",
        question: "pages lost, by regime: offline, online, recall ([A] figures 10, 12-14)",
        spread: Some(over("strategy", &["lost_at_half", "gap"])),
        run: loss::run,
    },
    Experiment {
        name: "overlap",
        question: "pages shared with best-first ([A] figure 11)",
        spread: None,
        run: overlap::run,
    },
    Experiment {
        name: "variants",
        question: "what each form of the apprentice brings ([A] 2.2, 3.8)",
        spread: Some(over("form", &["auc", "gap"])),
        run: variants::run,
    },
    Experiment {
        name: "teaching",
        question: "the next page by what would teach most ([A] 4)",
        spread: Some(over("form", &["auc", "gap"])),
        run: variants::teaching,
    },
    Experiment {
        name: "split",
        question: "one crawl by several sessions that share the hosts",
        spread: Some(over("form", &["auc", "gap", "behind", "busiest", "cpu_s"])),
        run: split::run,
    },
    Experiment {
        name: "feature-groups",
        question: "words only, or all but words ([C] figures 11, 13)",
        spread: Some(over(
            "form",
            &[
                "precision_50",
                "precision_80",
                "similarity",
                "apr",
                "gap",
                "gap_unseen",
            ],
        )),
        run: features::feature_groups::run,
    },
    Experiment {
        name: "ache",
        question: "ACHE's four configurations ([D] figures 3, 5, 6)",
        spread: None,
        run: adaptive::run,
    },
    Experiment {
        name: "reuse",
        question: "knowledge of one topic begins another ([B])",
        spread: None,
        run: reuse::run,
    },
    Experiment {
        name: "transfer",
        question: "what knowledge of another topic is worth to begin with ([B] 4)",
        spread: None,
        run: transfer::run,
    },
    Experiment {
        name: "cold-start",
        question: "crawls from one to five marked pages",
        spread: None,
        run: cold_start::run,
    },
    Experiment {
        name: "questions",
        question: "whether the questions asked are worth asking",
        spread: None,
        run: questions::run,
    },
    Experiment {
        name: "drift",
        question: "what alarms say of crawls that lose their way",
        spread: None,
        run: drift::run,
    },
    Experiment {
        name: "site-memory",
        question: "what it is worth to remember what a crawl for another topic read",
        spread: Some(over("critic", &["more"])),
        run: site_memory::run,
    },
    Experiment {
        name: "small-webs",
        question: "twenty pages looked for on a site of at most 500",
        spread: Some(over("form", &["auc", "behind"])),
        run: small::run,
    },
    Experiment {
        name: "attack",
        question: "pages stuffed with the topic's words",
        spread: None,
        run: attack::run,
    },
    Experiment {
        name: "false-hubs",
        question: "pages that look like hubs and lead nowhere",
        spread: Some(over("form", &["cost", "fetched"])),
        run: false_hubs::run,
    },
];

const fn over(by: &'static str, figures: &'static [&'static str]) -> Spread {
    Spread { by, figures }
}

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
