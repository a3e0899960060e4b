//! `linkscent research train --model crf|memm`: a model of hop distances, from a crawl of
//! a frozen web or from a file of sequences, and how well it tells distances
//! that it was not taught.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use indicatif::ProgressBar;
use linkscent_core::hops::{WalkRules, Walks};
use linkscent_core::models::chain::Path as ChainPath;
use linkscent_core::models::lbfgs::{Iteration, Stopping};
use linkscent_core::models::{ChainKind, ChainModel, ChainWeights, Feature, Prior, Sequences};
use linkscent_core::rng::SplitMix;
use linkscent_core::strategies::{BestFirst, Focus, HopTraining};
use linkscent_core::text::Vocabulary;
use linkscent_output::print_json;
use serde_json::json;

use super::Training;
use crate::crawl::crawl;
use crate::scenario::{Asking, Scenario};
use linkscent_archive::sequences_file::{Format, Named};

/// Every which sequence is held out, to be tested on.
const HELD_OUT: usize = 5;
/// Features named of each state.
const TOP_FEATURES: usize = 10;
/// Paths shown of a sequence.
const BEST_PATHS: usize = 3;

/// Marginals (a row a position) and the likeliest paths of a sequence.
fn read_by(
    model: &ChainModel,
    seen: &[&[Feature]],
    paths: usize,
) -> (Vec<Vec<f64>>, Vec<ChainPath>) {
    let potentials = model.potentials(seen);
    let chain = potentials.chain();
    let found = chain.marginals();
    let rows = found.nodes.chunks(chain.states).map(<[f64]>::to_vec);
    (rows.collect(), chain.n_best(paths))
}

/// What came of a training.
struct Trained {
    model: ChainModel,
    named: Named,
    /// Sequences that were held out.
    held_out: Sequences,
    iterations: Vec<Iteration>,
    seconds: f64,
}

/// Trains and reports.
pub(super) fn run(train: &Training) -> Result<()> {
    let named = match &train.sequences {
        Some(path) => read(path)?,
        None => walked(train)?,
    };
    if let Some(path) = &train.export {
        named.write_file(path)?;
    }
    let (taught, held_out) = if train.all {
        (named.sequences.clone(), Sequences::default())
    } else {
        parted(&named.sequences)
    };
    let bar = if train.json {
        ProgressBar::hidden()
    } else {
        ProgressBar::new_spinner()
    };
    let mut iterations = Vec::new();
    let began = Instant::now();
    let model = fit(train, &named, &taught, |iteration| {
        bar.set_message(format!(
            "iteration {}: loss {:.3}, gradient {:.4}",
            iteration.number, iteration.value, iteration.gradient_norm
        ));
        bar.tick();
        iterations.push(iteration);
    });
    bar.finish_and_clear();
    let trained = Trained {
        model,
        named,
        held_out,
        iterations,
        seconds: began.elapsed().as_secs_f64(),
    };
    if train.json {
        print_json(&trained.json(train.sequence))?;
    } else {
        trained.print(train.sequence);
    }
    Ok(())
}

fn read(path: &Path) -> Result<Named> {
    let place = || format!("reading {}", path.display());
    let file = File::open(path).with_context(place)?;
    Named::read(Format::of(path), BufReader::new(file)).with_context(place)
}

/// Walks over what a best-first crawl of the web saw.
fn walked(train: &Training) -> Result<Named> {
    let (web, topic) = train.topic_on_web()?;
    let course = Scenario {
        web,
        topic,
        seeds: "examples".to_owned(),
        budget: train.budget,
        marked: None,
        subtopics: BTreeMap::new(),
        asking: Asking::Nothing,
        restricts: false,
        is_named: false,
        memory: Arc::default(),
        takes_repeats: true,
        stopping: linkscent_core::crawl::StoppingRule::default(),
        random_seed: train.random_seed,
    };
    let before = crawl(
        &course,
        Box::new(BestFirst(Focus::Soft)),
        Vocabulary::default(),
        None,
    )?;
    let seen = before.seen(&course, train.groups());
    let walks = if train.downhill {
        Walks::Downhill
    } else {
        Walks::Anywhere
    };
    let mut rng = SplitMix(train.random_seed);
    let walks = seen.walks(WalkRules::new(walks), &mut rng);
    if walks.is_empty() {
        bail!("the crawl saw no target, so there is no way to one");
    }
    let sequences = seen.sequences(&walks);
    Ok(Named::of_hops(sequences, seen.feature_index))
}

fn parted(all: &Sequences) -> (Sequences, Sequences) {
    let (mut taught, mut held_out) = (Sequences::default(), Sequences::default());
    for (number, positions) in all.iter().enumerate() {
        let rows = positions.map(|at| (all.observation(at).iter().copied(), all.state(at) as u8));
        if number % HELD_OUT == HELD_OUT - 1 {
            held_out.push(rows);
        } else {
            taught.push(rows);
        }
    }
    (taught, held_out)
}

fn fit(
    train: &Training,
    named: &Named,
    sequences: &Sequences,
    on_iteration: impl FnMut(Iteration),
) -> ChainModel {
    let start = ChainWeights::new(named.labels.len(), named.features.len(), train.with_steps);
    let prior = Prior {
        variance: train.variance,
        observed_only: train.observed_only,
    };
    let stopping = if train.exact {
        Stopping {
            iterations: train.iterations,
            gradient: 1e-6,
            gain: 0.0,
        }
    } else {
        Stopping {
            iterations: train.iterations,
            ..Stopping::default()
        }
    };
    let kind = train.chain_kind().unwrap_or(ChainKind::Crf);
    let training = HopTraining {
        prior,
        stopping,
        ..HopTraining::new(kind)
    };
    training.fit(start, sequences, on_iteration)
}

/// How well one state is told.
struct StateScore {
    precision: f64,
    recall: f64,
    f1: f64,
}

impl Trained {
    /// Held-out positions by their state (rows) and the likeliest one (columns).
    fn confusion(&self) -> Vec<Vec<u32>> {
        let states = self.named.labels.len();
        let mut confusion = vec![vec![0; states]; states];
        for positions in self.held_out.iter() {
            let seen: Vec<&[Feature]> = positions
                .clone()
                .map(|at| self.held_out.observation(at))
                .collect();
            let (marginals, _) = read_by(&self.model, &seen, 1);
            for (at, row) in positions.zip(marginals) {
                let best = row.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
                let said = best.map_or(0, |row| row.0);
                confusion[self.held_out.state(at)][said] += 1;
            }
        }
        confusion
    }

    fn scores(confusion: &[Vec<u32>]) -> Vec<StateScore> {
        let share = |part: u32, all: u32| f64::from(part) / f64::from(all.max(1));
        (0..confusion.len())
            .map(|state| {
                let right = confusion[state][state];
                let said: u32 = confusion.iter().map(|row| row[state]).sum();
                let really: u32 = confusion[state].iter().sum();
                let (precision, recall) = (share(right, said), share(right, really));
                let f1 = 2.0 * precision * recall / (precision + recall).max(f64::MIN_POSITIVE);
                StateScore {
                    precision,
                    recall,
                    f1,
                }
            })
            .collect()
    }

    /// The features that weigh most for a state against the mean of all.
    fn top_features(&self, state: usize) -> Vec<(String, f64)> {
        let weights = &self.model.weights;
        let mut strongest: Vec<(f64, u32)> = (0..weights.features() as u32)
            .map(|feature| {
                let row = weights.by_state(feature);
                let mean = row.iter().sum::<f64>() / row.len().max(1) as f64;
                (row[state] - mean, feature)
            })
            .collect();
        strongest.sort_by(|a, b| b.0.total_cmp(&a.0));
        strongest.truncate(TOP_FEATURES);
        let named = strongest.into_iter();
        named
            .map(|(weight, feature)| (self.named.features.name(feature).to_owned(), weight))
            .collect()
    }

    /// Marginals and likeliest paths of one of all sequences.
    fn sequence(&self, number: usize) -> Option<(Vec<Vec<f64>>, Vec<ChainPath>)> {
        let all = &self.named.sequences;
        let positions = all.iter().nth(number)?;
        let seen: Vec<&[Feature]> = positions.map(|at| all.observation(at)).collect();
        Some(read_by(&self.model, &seen, BEST_PATHS))
    }

    fn path(&self, path: &ChainPath) -> String {
        let labels = path
            .states
            .iter()
            .map(|&state| self.named.labels[state].as_str());
        labels.collect::<Vec<_>>().join(" ")
    }

    fn json(&self, sequence: usize) -> serde_json::Value {
        let confusion = self.confusion();
        let states: Vec<_> = Self::scores(&confusion)
            .into_iter()
            .enumerate()
            .map(|(state, score)| {
                json!({
                    "label": self.named.labels[state], "precision": score.precision,
                    "recall": score.recall, "f1": score.f1, "weights": self.top_features(state),
                })
            })
            .collect();
        let shown = self.sequence(sequence).map(|(marginals, paths)| {
            let paths: Vec<_> = paths
                .iter()
                .map(|path| json!([self.path(path), path.log_potential]))
                .collect();
            json!({ "marginals": marginals, "paths": paths })
        });
        let last = self.iterations.last();
        json!({
            "sequences": self.named.sequences.len(),
            "positions": self.named.sequences.positions(),
            "features": self.named.features.len(),
            "labels": self.named.labels,
            "iterations": self.iterations.len(),
            "loss": last.map(|iteration| iteration.value),
            "gradient_norm": last.map(|iteration| iteration.gradient_norm),
            "seconds": self.seconds,
            "peak_mb": linkscent_output::memory::peak_mb(),
            "confusion": confusion,
            "states": states,
            "sequence": shown,
        })
    }

    fn print(&self, sequence: usize) {
        print_line!(
            "{} sequences of {} pages, {} features; {} of them held out",
            self.named.sequences.len(),
            self.named.sequences.positions(),
            self.named.features.len(),
            self.held_out.len()
        );
        print_lines!("\niteration        loss    gradient");
        let every = self.iterations.len().div_ceil(15).max(1);
        let count = self.iterations.len();
        for iteration in &self.iterations {
            if iteration.number % every == 0 || iteration.number == count {
                print_line!(
                    "{:>9} {:>11.3} {:>11.5}",
                    iteration.number,
                    iteration.value,
                    iteration.gradient_norm
                );
            }
        }
        print_line!(
            "{:.1} s, {:.0} ms an iteration",
            self.seconds,
            1e3 * self.seconds / count.max(1) as f64
        );
        let confusion = self.confusion();
        let labels = self.named.labels.iter();
        let labels: Vec<String> = labels.map(|label| format!("{label:>6}")).collect();
        print_lines!(
            "\nPages of the sequences held out; walks over one web share pages, so this flatters."
        );
        print_line!(
            "state  precision  recall     F1   said to be{}",
            labels.concat()
        );
        for (state, score) in Self::scores(&confusion).iter().enumerate() {
            let row: Vec<String> = confusion[state]
                .iter()
                .map(|count| format!("{count:>6}"))
                .collect();
            print_line!(
                "{:<6} {:>9.3} {:>7.3} {:>6.3}             {}",
                self.named.labels[state],
                score.precision,
                score.recall,
                score.f1,
                row.join("")
            );
        }
        for (state, label) in self.named.labels.iter().enumerate() {
            let words = self.top_features(state);
            let words: Vec<String> = words
                .iter()
                .map(|(name, weight)| format!("{name} ({weight:+.2})"))
                .collect();
            print_line!("");
            print_line!("speaks for {label}: {}", words.join(", "));
        }
        if let Some((marginals, paths)) = self.sequence(sequence) {
            print_lines!("\nsequence {sequence}: probability of each state, position by position");
            for row in marginals {
                let row: Vec<String> = row.iter().map(|share| format!("{share:.3}")).collect();
                print_line!("  {}", row.join("  "));
            }
            for (rank, path) in paths.iter().enumerate() {
                print_line!(
                    "  path {}: {} ({:.3})",
                    rank + 1,
                    self.path(path),
                    path.log_potential
                );
            }
        }
    }
}
