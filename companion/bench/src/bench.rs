//! A whole bench: every strategy on every topic from every seed set, in
//! parallel. A crawl that this program made before, by its file, is not made again.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::thread;
use std::time::UNIX_EPOCH;

use anyhow::{Context, Result};
use linkscent_core::crawl::StoppingRule;
use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::entrant::{self, BASELINE, COSINE, Entrant, ORACLE};
use super::figures::{self, Frame, Name, Row, RunStats, Trace};
use super::report::Outcome;
use super::scenario::{Asking, Scenario};
use super::topic::Topic;
use super::visits::{self, Line};
use super::web::EvalWeb;
use linkscent_output::memory::peak_mb;

/// The benches that come with the program.
const KNOWN: [&str; 3] = [
    include_str!("../topics/uci.toml"),
    include_str!("../topics/wikispeedia.toml"),
    include_str!("../topics/docs.toml"),
];

/// What tells this build from every other; empty where that cannot be told.
static PROGRAM: LazyLock<String> = LazyLock::new(|| {
    let file = std::env::current_exe().and_then(|path| path.metadata());
    let told = file.and_then(|file| Ok((file.len(), file.modified()?)));
    told.map_or_else(
        |_| String::new(),
        |(length, modified)| {
            let modified = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
            format!("of {length} bytes, built at {}", modified.as_nanos())
        },
    )
});

/// What a bench consists of. Paths are seen from the folder of the material.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bench {
    /// Name of its web in rows and files.
    pub name: String,
    /// WARC files.
    pub webs: Vec<PathBuf>,
    /// Seed sets of all topics.
    pub seeds: PathBuf,
    /// Seed sets that are crawled from.
    pub seed_sets: Vec<String>,
    /// Pages a crawl fetches.
    pub budget: u64,
    /// Fetches between two trainings.
    pub retrain_every: u32,
    /// The topics.
    #[serde(rename = "topic")]
    pub topics: Vec<BenchTopic>,
}

/// A topic of a bench.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BenchTopic {
    /// Its name.
    pub name: String,
    /// What is relevant.
    pub labels: PathBuf,
    /// Fetches between two trainings, where other than the bench's.
    pub retrain_every: Option<u32>,
}

/// Names of the benches that come with the program.
pub const NAMES: [&str; 3] = ["uci", "wikispeedia", "docs"];

impl Bench {
    /// The bench of that name.
    pub fn named(name: &str) -> Result<Self> {
        let place = NAMES.iter().position(|known| *known == name);
        let place = place.with_context(|| format!("there is no bench {name:?}"))?;
        toml::from_str(KNOWN[place]).with_context(|| format!("reading the bench {name}"))
    }
}

/// What is to be run on one web.
#[derive(Clone)]
pub struct Plan {
    /// Name of the web.
    pub web_name: String,
    /// The web.
    pub web: Arc<EvalWeb>,
    /// Topics, and how many fetches lie between two trainings.
    pub topics: Vec<(Arc<Topic>, u32)>,
    /// Seed sets.
    pub seed_sets: Vec<String>,
    /// Pages a crawl fetches.
    pub budget: u64,
    /// When a site is left.
    pub stopping: StoppingRule,
    /// Who takes part; the baseline and the oracle always do.
    pub entrants: Vec<Entrant>,
    /// Crawls of the same kind, with different ties.
    pub repeats: u32,
    /// What random numbers start from.
    pub random_seed: u64,
    /// Where everything is written.
    pub out: PathBuf,
}

/// One crawl of a plan.
struct Job {
    entrant: Entrant,
    topic: usize,
    seeds: String,
    repeat: u32,
}

impl Plan {
    fn jobs(&self) -> Vec<Job> {
        let mut jobs = Vec::new();
        for topic in 0..self.topics.len() {
            for seeds in &self.seed_sets {
                for repeat in 1..=self.repeats {
                    let job = |entrant: &Entrant| Job {
                        entrant: *entrant,
                        topic,
                        seeds: seeds.clone(),
                        repeat,
                    };
                    jobs.extend(self.entrants.iter().map(job));
                    if self.entrants.iter().any(Entrant::is_offline) {
                        jobs.extend(self.training_job(topic, seeds, repeat));
                    }
                }
            }
        }
        // Long ones first, so that no processor waits at the end.
        jobs.sort_by_key(|job| [ORACLE, BASELINE, COSINE].contains(&job.entrant.name));
        jobs
    }

    /// The baseline crawl that an offline strategy trains on, where it is not
    /// among the crawls anyway: pages it fetched are told apart by it.
    fn training_job(&self, topic: usize, seeds: &str, repeat: u32) -> Option<Job> {
        let seeds = self.training_seeds(topic, seeds);
        let entrant = entrant::named(BASELINE).ok()?;
        (!self.seed_sets.contains(&seeds)).then_some(Job {
            entrant,
            topic,
            seeds,
            repeat,
        })
    }

    /// The seed set an offline strategy trains from: another than its own.
    pub(super) fn training_seeds(&self, topic: usize, seeds: &str) -> String {
        let sets = &self.topics[topic].0.seeds;
        let mut others = ["topic0", "topic1", "root", "random", "examples"].into_iter();
        let other = others.find(|other| *other != seeds && sets.contains_key(*other));
        other.unwrap_or(seeds).to_owned()
    }

    /// A crawl of a topic from a seed set.
    pub(super) fn scenario(&self, topic: usize, seeds: &str, repeat: u32) -> Scenario {
        Scenario {
            web: Arc::clone(&self.web),
            topic: Arc::clone(&self.topics[topic].0),
            seeds: seeds.to_owned(),
            budget: self.budget,
            marked: None,
            subtopics: BTreeMap::new(),
            asking: Asking::Nothing,
            restricts: false,
            is_named: false,
            memory: Arc::default(),
            takes_repeats: true,
            stopping: self.stopping,
            random_seed: self.random_seed + u64::from(repeat) - 1,
        }
    }

    fn name(&self, strategy: &str, topic: usize, seeds: &str, repeat: u32) -> Name {
        Name {
            web: self.web_name.clone(),
            topic: self.topics[topic].0.name.clone(),
            strategy: strategy.to_owned(),
            seeds: seeds.to_owned(),
            repeat,
            random_seed: self.random_seed + u64::from(repeat) - 1,
        }
    }

    fn path(&self, name: &Name, ending: &str) -> PathBuf {
        self.out
            .join("visits")
            .join(format!("{}.{ending}", name.file()))
    }

    /// Makes all crawls that were not made yet. `on_run` hears how many of how
    /// many are done and which was the last.
    pub fn run(&self, on_run: impl Fn(usize, usize, &str) + Sync) -> Result<()> {
        std::fs::create_dir_all(self.out.join("visits"))
            .with_context(|| format!("making {}", self.out.display()))?;
        let jobs = self.jobs();
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let failure = Mutex::new(None);
        thread::scope(|scope| {
            for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
                scope.spawn(|| {
                    while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let name = self.name(job.entrant.name, job.topic, &job.seeds, job.repeat);
                        if let Err(error) = self.make(job, &name) {
                            let error = error.context(name.file());
                            failure
                                .lock()
                                .map(|mut slot| slot.get_or_insert(error).to_string())
                                .ok();
                            return;
                        }
                        let count = done.fetch_add(1, Ordering::Relaxed) + 1;
                        on_run(count, jobs.len(), &name.file());
                    }
                });
            }
        });
        match failure.into_inner() {
            Ok(Some(error)) => Err(error),
            _ => Ok(()),
        }
    }

    fn make(&self, job: &Job, name: &Name) -> Result<()> {
        let (lines, effort) = (self.path(name, "jsonl"), self.path(name, "effort.json"));
        let terms = self.terms(job);
        let is_told = !PROGRAM.is_empty();
        if is_told && lines.exists() && self.effort(name).is_ok_and(|effort| effort.terms == terms)
        {
            return Ok(());
        }
        let scenario = self.scenario(job.topic, &job.seeds, job.repeat);
        let training_seeds = self.training_seeds(job.topic, &job.seeds);
        let training = self.scenario(job.topic, &training_seeds, job.repeat);
        let mut run = job
            .entrant
            .run(&scenario, &training, self.topics[job.topic].1)?;
        run.effort.terms = terms;
        // The terms last: visits without them, or with others, are made again.
        visits::write(&lines, &scenario, &run.visits)?;
        linkscent_archive::write_whole(&effort, serde_json::to_string(&run.effort)?.as_bytes())?;
        Ok(())
    }

    /// All that a crawl depends on besides what its file is named by.
    fn terms(&self, job: &Job) -> String {
        let (topic, every) = &self.topics[job.topic];
        let starts = (topic.seeds.get(&job.seeds), topic.root());
        format!(
            "program {}, budget {}, left by {:?}, random seed {}, retrained every {every}, told by {}, {} pages, {} relevant, starts {starts:?}",
            *PROGRAM,
            self.budget,
            self.stopping,
            self.random_seed,
            if topic.told.is_some() {
                "our critic"
            } else {
                "the labels"
            },
            self.web.pages.len(),
            topic.labels.iter().filter(|label| label.counts()).count(),
        )
    }

    fn lines(&self, name: &Name) -> Result<Vec<Line>> {
        let path = self.path(name, "jsonl");
        visits::read(&path)?.with_context(|| format!("{} is not there", path.display()))
    }

    fn effort(&self, name: &Name) -> Result<RunStats> {
        let text = std::fs::read_to_string(self.path(name, "effort.json"))?;
        Ok(serde_json::from_str(&text)?)
    }

    /// Reads all crawls and computes their figures.
    pub fn outcomes(&self) -> Result<Vec<Outcome>> {
        let mut outcomes = Vec::new();
        for topic in 0..self.topics.len() {
            let cosines = figures::cosines(&self.web, &self.topics[topic].0);
            for seeds in &self.seed_sets {
                for repeat in 1..=self.repeats {
                    self.outcomes_of(topic, seeds, repeat, &cosines, &mut outcomes)?;
                }
            }
        }
        Ok(outcomes)
    }

    fn outcomes_of(
        &self,
        topic: usize,
        seeds: &str,
        repeat: u32,
        cosines: &FxHashMap<String, f64>,
        outcomes: &mut Vec<Outcome>,
    ) -> Result<()> {
        let peak = peak_mb();
        let mut crawls = BTreeMap::new();
        for entrant in &self.entrants {
            let name = self.name(entrant.name, topic, seeds, repeat);
            crawls.insert(entrant.name, self.lines(&name)?);
        }
        let frame = |left_out: Option<&HashSet<String>>| -> Result<Frame> {
            let trace = |name: &str| Some(Trace::new(crawls.get(name)?, cosines, left_out));
            Ok(Frame {
                best_first: trace(BASELINE).context("the baseline was not run")?,
                oracle: trace(ORACLE).context("the oracle was not run")?,
                cosine: trace(COSINE),
                reachable: self.topics[topic].0.reachable(seeds, &self.web, left_out)?,
                budget: self.budget,
            })
        };
        let whole = frame(None)?;
        for entrant in &self.entrants {
            let mut name = self.name(entrant.name, topic, seeds, repeat);
            let effort = self.effort(&name)?;
            let trace = Trace::new(&crawls[entrant.name], cosines, None);
            outcomes.push(Outcome {
                row: Row::new(name.clone(), &trace, &whole, &effort, peak),
                trace,
                insight: effort.insight.clone(),
            });
            if entrant.is_offline() {
                let training = self.training_seeds(topic, seeds);
                let training = self.name(BASELINE, topic, &training, repeat);
                let seen = self.lines(&training)?.into_iter().map(|line| line.url);
                let seen: HashSet<String> = seen.collect();
                let trace = Trace::new(&crawls[entrant.name], cosines, Some(&seen));
                name.strategy.push_str("-unseen");
                outcomes.push(Outcome {
                    row: Row::new(name, &trace, &frame(Some(&seen))?, &effort, peak),
                    trace,
                    insight: Vec::new(),
                });
            }
        }
        Ok(())
    }
}

/// Reads a bench's web.
pub fn read_web(material: &Path, webs: &[PathBuf], on_page: impl FnMut(u64)) -> Result<EvalWeb> {
    let paths: Vec<PathBuf> = webs.iter().map(|web| material.join(web)).collect();
    EvalWeb::read(&paths, on_page)
}
