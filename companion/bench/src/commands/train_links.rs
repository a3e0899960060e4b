//! `linkscent-lab links`: the weights by which the links of a page are judged, fitted to what a
//! careful reader said of them.
//!
//! To them come links of an encyclopedia, for its categories: a page there has many links that are
//! near a topic and few that are of it. Logistic regression with a penalty on the squares of the
//! weights, for those who bring a name, marked pages, or both; and for the likeliest links, which the
//! sentence model reads, with what it says. How well it does is measured on pages that were held out.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use linkscent_core::models::Platt;
use linkscent_core::models::lbfgs::{Stopping, minimise};
use linkscent_core::strategies::promise::on_page::Cue;
use linkscent_output::{print_line, print_lines};

use crate::person;
use crate::person::scent::{self, Brings, CuedLink, CuedPage, Worth};
use crate::sentences::Sentences;

/// Weight of the squares of the weights.
const PENALTY: f64 = 20.0;
/// A page with more links than these counts less for each, so that all of it counts as the root.
const USUAL_LINKS: f64 = 50.0;
/// How much a link of the encyclopedia counts as one that a reader labelled: by far the most are its.
const ENCYCLOPEDIA: f64 = 0.25;
/// How much a link that is perhaps worth it counts as one that is.
const PERHAPS: f64 = 0.4;

/// What weights are fitted for.
struct Set {
    brings: Brings,
    /// The set for the same person's links that no sentence model reads, if this one is for those that
    /// one does.
    after: Option<usize>,
}

impl Set {
    const fn of(name: bool, marks: usize, after: Option<usize>) -> Self {
        let brings = Brings {
            name,
            marks,
            description: false,
        };
        Self { brings, after }
    }
}

/// In the order in which weights are kept.
const SETS: [Set; 6] = [
    Set::of(true, 0, None),
    Set::of(false, 2, None),
    Set::of(true, 2, None),
    Set::of(true, 0, Some(0)),
    Set::of(false, 2, Some(1)),
    Set::of(true, 2, Some(BOTH)),
];
/// Places of the sets for who brings both, without and with the sentence model.
const BOTH: usize = 2;
const READ_BOTH: usize = 5;

/// Fit the weights by which the links of a page are judged, and report how well they do on
/// pages that were held out.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  linkscent-lab links --material ../shared
  linkscent-lab links --material ../shared --write core/src/strategies/promise/on_page/weights.rs")]
pub struct TrainLinks {
    /// Folder with the labelled pages.
    #[arg(long)]
    material: PathBuf,
    /// Parts of the pages, each held out once.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(2..))]
    folds: u32,
    /// Write the weights to this file, as Rust.
    #[arg(long)]
    write: Option<PathBuf>,
    /// Write what is learned from, a line of JSON a page, to this file, for other programs.
    #[arg(long)]
    export: Option<PathBuf>,
}

/// A link to learn from.
struct Row {
    cues: Vec<f64>,
    /// 1 where it is worth pointing out, 0 where it is not.
    good: f64,
    weight: f64,
}

/// Log-odds of any link, and by how much each cue changes them.
struct Fitted {
    usual: f64,
    weights: Vec<f64>,
    means: Vec<f64>,
}

impl TrainLinks {
    /// Runs the command.
    pub fn run(&self) -> Result<()> {
        let (mut fitted, mut all_given) = (Vec::new(), Vec::<Vec<Vec<f64>>>::new());
        let sentences = Sentences::default();
        for Set { brings, after } in SETS {
            let reading = after.map(|_| &sentences);
            let mut pages = scent::cued(&self.material, brings, reading)?;
            let labelled = pages.len();
            pages.extend(person::cued(&self.material, brings, reading)?);
            let is_fitted = |link: &CuedLink| link.is_read == after.is_some();
            let mut given = held_out(&pages, self.folds, &is_fitted);
            let curve = calibrated(&pages, &given, &is_fitted);
            for (at, (page, given)) in pages.iter().zip(&mut given).enumerate() {
                for (number, (link, given)) in page.links.iter().zip(given).enumerate() {
                    *given = match after {
                        Some(first) if !is_fitted(link) => all_given[first][at][number],
                        _ => curve.probability(*given),
                    };
                }
            }
            let name = if brings.name { "name" } else { "no name" };
            let read = after.map_or("", |_| ", read by the sentence model");
            print_line!("{name}, {} marks{read}, on pages held out:", brings.marks);
            for part in [0..labelled, labelled..pages.len()] {
                print_lines!("{}", scent::judged(&pages[part.clone()], &given[part]));
            }
            all_given.push(given);
            let all: Vec<&CuedPage> = pages.iter().collect();
            fitted.push(fit(&all, &is_fitted).calibrated(curve));
            if let Some(path) = &self.export {
                let lines: Result<Vec<String>, _> =
                    pages.iter().map(serde_json::to_string).collect();
                std::fs::write(path, lines?.join("\n"))
                    .with_context(|| format!("writing {}", path.display()))?;
            }
        }
        if let Some(path) = &self.write {
            std::fs::write(path, as_rust(&fitted))
                .with_context(|| format!("writing {}", path.display()))?;
        }
        Ok(())
    }
}

/// Lays a curve through what links of pages that were held out are given: those of large pages and
/// those that are perhaps worth it were not weighed as people see them.
fn calibrated(
    pages: &[CuedPage],
    log_odds: &[Vec<f64>],
    is_fitted: &dyn Fn(&CuedLink) -> bool,
) -> Platt {
    let links = pages.iter().flat_map(|page| &page.links);
    let examples = links.zip(log_odds.iter().flatten());
    let examples = examples.filter(|(link, _)| is_fitted(link));
    let examples = examples.map(|(link, given)| (*given, link.worth == Worth::Yes));
    Platt::fit(&examples.collect::<Vec<_>>())
}

/// Log-odds that each link is given by weights fitted to the pages of other folds.
fn held_out(
    pages: &[CuedPage],
    folds: u32,
    is_fitted: &dyn Fn(&CuedLink) -> bool,
) -> Vec<Vec<f64>> {
    // Pages of one category go together.
    let drawn: Vec<u32> = pages
        .iter()
        .map(|page| person::checksum(&page.id) % folds)
        .collect();
    let mut given = vec![Vec::new(); pages.len()];
    for fold in 0..folds {
        let others = pages.iter().zip(&drawn).filter(|row| *row.1 != fold);
        let fitted = fit(&others.map(|row| row.0).collect::<Vec<_>>(), is_fitted);
        for (at, page) in pages.iter().enumerate().filter(|row| drawn[row.0] == fold) {
            given[at] = page
                .links
                .iter()
                .map(|link| fitted.log_odds(&link.cues))
                .collect();
        }
    }
    given
}

impl Fitted {
    fn log_odds(&self, cues: &[f64]) -> f64 {
        let terms = self
            .weights
            .iter()
            .zip(cues)
            .map(|(weight, cue)| weight * cue);
        self.usual + terms.sum::<f64>()
    }

    fn calibrated(mut self, curve: Platt) -> Self {
        self.usual = self.usual * curve.slope + curve.offset;
        for weight in &mut self.weights {
            *weight *= curve.slope;
        }
        self
    }
}

fn sigmoid(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

fn rows(pages: &[&CuedPage], is_fitted: &dyn Fn(&CuedLink) -> bool) -> Vec<Row> {
    let mut rows = Vec::new();
    for page in pages {
        let beyond = (page.links.len() as f64 / USUAL_LINKS).max(1.0);
        for link in page.links.iter().filter(|link| is_fitted(link)) {
            let times = page.links.iter().filter(|other| other.name == link.name);
            let share = if page.kind == person::NAME {
                ENCYCLOPEDIA
            } else {
                1.0
            };
            let weight = share / (times.count() as f64 * beyond.sqrt());
            let mut row = |good: f64, weight: f64| {
                rows.push(Row {
                    cues: link.cues.clone(),
                    good,
                    weight,
                });
            };
            match link.worth {
                Worth::No => row(0.0, weight),
                Worth::Maybe => {
                    row(0.0, weight * (1.0 - PERHAPS));
                    row(1.0, weight * PERHAPS);
                }
                Worth::Yes => row(1.0, weight),
            }
        }
    }
    rows
}

/// Fits cues that are brought to mean 0 and variance 1, and takes that back in the weights.
fn fit(pages: &[&CuedPage], is_fitted: &dyn Fn(&CuedLink) -> bool) -> Fitted {
    let mut rows = rows(pages, is_fitted);
    let count = rows.len() as f64;
    let cues = Cue::ALL.len();
    let (mut means, mut spreads) = (vec![0.0; cues], vec![0.0; cues]);
    for row in &rows {
        for (mean, cue) in means.iter_mut().zip(&row.cues) {
            *mean += cue / count;
        }
    }
    for row in &rows {
        for (at, cue) in row.cues.iter().enumerate() {
            spreads[at] += (cue - means[at]).powi(2) / count;
        }
    }
    for row in &mut rows {
        for (at, cue) in row.cues.iter_mut().enumerate() {
            *cue = (*cue - means[at]) / (spreads[at].sqrt() + 1e-6);
        }
    }
    let stopping = Stopping {
        iterations: 500,
        gradient: 1e-6,
        gain: 1e-9,
    };
    let loss = |at: &[f64], gradient: &mut [f64]| loss(&rows, at, gradient);
    let (found, _) = minimise(vec![0.0; cues + 1], stopping, loss, |_| {});
    let weights: Vec<f64> = found[..cues]
        .iter()
        .zip(&spreads)
        .map(|(weight, spread)| weight / (spread.sqrt() + 1e-6))
        .collect();
    let at_means: f64 = weights
        .iter()
        .zip(&means)
        .map(|(weight, mean)| weight * mean)
        .sum();
    Fitted {
        usual: found[cues] - at_means,
        weights,
        means,
    }
}

/// The constant stands behind the weights and is not penalised.
fn loss(rows: &[Row], at: &[f64], gradient: &mut [f64]) -> f64 {
    let cues = at.len() - 1;
    for (slope, weight) in gradient.iter_mut().zip(&at[..cues]) {
        *slope = PENALTY * weight;
    }
    gradient[cues] = 0.0;
    let squares: f64 = at[..cues].iter().map(|weight| weight * weight).sum();
    let mut value = PENALTY * squares / 2.0;
    for row in rows {
        let terms = row.cues.iter().zip(at).map(|(cue, weight)| cue * weight);
        let log_odds = at[cues] + terms.sum::<f64>();
        let said = sigmoid(log_odds);
        // ln(1 + exp(x)) without overflow.
        let softplus = log_odds.max(0.0) + (-log_odds.abs()).exp().ln_1p();
        value += row.weight * (softplus - row.good * log_odds);
        let off = row.weight * (said - row.good);
        for (slope, cue) in gradient.iter_mut().zip(&row.cues) {
            *slope += off * cue;
        }
        gradient[cues] += off;
    }
    value
}

/// A module of the weights.
fn as_rust(fitted: &[Fitted]) -> String {
    let mut text = String::from(
        "//! What each cue weighs, for a topic that has a name, marked pages, or both, and the same for links\n\
         //! that a sentence model has read. Fitted to links of the real web and of an encyclopedia by\n\
         //! `linkscent-lab links`, which writes this file.\n\n\
         use super::Cue;\n\n\
         /// Log-odds of a link without any cue.\n",
    );
    let usual: Vec<String> = fitted
        .iter()
        .map(|fitted| format!("{:.3}", fitted.usual))
        .collect();
    let _ = writeln!(
        text,
        "pub(super) const USUAL: [f64; {}] = [{}];\n",
        fitted.len(),
        usual.join(", ")
    );
    text.push_str(
        "/// Each cue with its mean over those links and its weights.\n#[rustfmt::skip]\n",
    );
    let _ = writeln!(
        text,
        "pub(super) const WEIGHTS: [(Cue, f64, [f64; {}]); {}] = [",
        fitted.len(),
        Cue::ALL.len()
    );
    for (at, cue) in Cue::ALL.iter().enumerate() {
        let weights: Vec<String> = fitted
            .iter()
            .map(|fitted| format!("{:.3}", fitted.weights[at]))
            .collect();
        // Over all links, or over those that were read for what only these have.
        let means = [BOTH, READ_BOTH].map(|set| fitted[set].means[at]);
        let mean = means.into_iter().find(|mean| *mean != 0.0).unwrap_or(0.0);
        let _ = writeln!(
            text,
            "    (Cue::{}, {mean:.3}, [{}]),",
            cue.name(),
            weights.join(", ")
        );
    }
    text.push_str("];\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gradient_is_the_slope_of_the_loss() {
        let row = |first: f64, good: f64, weight: f64| Row {
            cues: vec![first, 0.5 - first],
            good,
            weight,
        };
        let rows = [row(0.3, 1.0, 1.0), row(-2.0, 0.0, 0.4), row(1.1, 1.0, 0.2)];
        let at = [0.4, -0.7, 0.1];
        let mut gradient = vec![0.0; 3];
        loss(&rows, &at, &mut gradient);
        for number in 0..3 {
            let mut moved = at;
            let mut beside = |by: f64| {
                moved[number] = at[number] + by;
                loss(&rows, &moved, &mut [0.0; 3])
            };
            let slope = (beside(1e-5) - beside(-1e-5)) / 2e-5;
            assert!(
                (slope - gradient[number]).abs() < 1e-5,
                "{number}: {slope} {gradient:?}"
            );
        }
    }
}
