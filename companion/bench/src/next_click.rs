//! Which link will a person click who looks for a known page? Trails of real
//! people through Wikispeedia, whose targets are not among those learned from
//! (methods 4, \[C\]'s dream of the user's own browsing).
//!
//! A ranker is one line in [`run`].

mod features;
mod hop_rankers;
mod rankers;
mod trails;

use std::path::Path;

use anyhow::{Result, bail};
use linkscent_core::models::ChainKind;
use serde::Serialize;

use super::report::Section;
use super::web::EvalWeb;
use features::{Situation, Texts};
use hop_rankers::{HmmRanker, HopRanker};
use rankers::{AnchorCosine, Apprentice, Chance, Choice, Clicks, Ranker, Way};
use trails::Distances;
pub use trails::{ClickPath, Trails};

/// The web, as a file of the material.
pub const WEB: &str = "webs/wikispeedia.warc.gz";
/// The trails, as a file of the material.
pub const TRAILS: &str = "trails/paths_finished_unique.tsv.gz";
/// Clicks that are ranked.
const TESTED: usize = 40_000;

/// How well a ranker does.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// Who ranks.
    ranker: &'static str,
    /// Whether it looks at texts only.
    text_only: bool,
    /// Whether it knows where other people clicked.
    human_clicks: bool,
    /// `all` clicks, or those where the target itself was not linked.
    subset: &'static str,
    /// Mean reciprocal rank of the link that was clicked.
    mrr: f64,
    /// Share of clicks among the first five.
    hit5: f64,
    /// Share of first links that lead nearer to the target.
    nearer1: f64,
    /// Share of first fives with a link that leads nearer.
    nearer5: f64,
    /// Clicks ranked.
    clicks: usize,
}

/// Sums of one ranker on one subset.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    reciprocal: f64,
    hits: f64,
    nearer1: f64,
    nearer5: f64,
    clicks: usize,
}

/// Rows, and a section of the report.
pub struct Found {
    /// The rows of `next-click.json`.
    pub rows: Vec<Row>,
    /// A table for people.
    pub section: Section,
}

/// Trains all rankers and ranks the clicks of people they never saw.
pub fn run(material: &Path, mut on_step: impl FnMut(&str)) -> Result<Found> {
    on_step("reading the web");
    let web = EvalWeb::read(&[material.join(WEB)], |_| {})?;
    let trails = Trails::read(&material.join(TRAILS), &web)?;
    if trails.train.is_empty() || trails.test.is_empty() {
        bail!("there are no trails to learn from, or none to be tested on");
    }
    let texts = Texts::read(&web);
    let mut distances = Distances::new(&web);
    on_step("learning from trails");
    let examples = rankers::examples(&texts, &trails.train);
    let clicks = Clicks::count(&trails.train);
    let sequences = hop_rankers::sequences(&texts, &trails.train, &mut distances);
    let mut all: Vec<(&'static str, bool, Box<dyn Ranker + '_>)> = vec![
        ("random", false, Box::new(Chance)),
        ("anchor-cosine", false, Box::new(AnchorCosine)),
        ("apprentice", false, Box::new(Apprentice::learn(&examples))),
    ];
    on_step("training the hidden Markov model");
    let hmm = HmmRanker::learn(&texts, &trails.train, &mut distances);
    all.push(("hmm", false, Box::new(hmm)));
    on_step("training MEMM and CRF");
    all.push((
        "memm",
        false,
        Box::new(HopRanker::learn(&sequences, ChainKind::Memm)),
    ));
    all.push((
        "crf",
        false,
        Box::new(HopRanker::learn(&sequences, ChainKind::Crf)),
    ));
    on_step("training the choice");
    all.push(("choice", false, Box::new(Choice::learn(&examples, None))));
    let with_clicks = Choice::learn(&examples, Some(&clicks));
    all.push(("choice", true, Box::new(with_clicks)));
    on_step("ranking");
    let sums = rank(&texts, &trails.test, &mut distances, &all);
    let rows = rows(&all, &sums);
    Ok(Found {
        section: section(&rows, &trails),
        rows,
    })
}

type Named<'a> = (&'static str, bool, Box<dyn Ranker + 'a>);

/// By ranker: all clicks, and those where the target was not linked.
fn rank(
    texts: &Texts,
    trails: &[ClickPath],
    distances: &mut Distances,
    rankers: &[Named<'_>],
) -> Vec<[Sums; 2]> {
    let clicks: usize = trails.iter().map(|trail| trail.pages.len() - 1).sum();
    let step = clicks.div_ceil(TESTED).max(1);
    let ways = trails
        .iter()
        .flat_map(|trail| (1..trail.pages.len()).map(move |at| (trail, at)));
    let mut sums = vec![[Sums::default(); 2]; rankers.len()];
    for (number, (trail, at)) in ways.step_by(step).enumerate() {
        let target = trail.target();
        let passed = &trail.pages[..at];
        let links = texts.observe(&Situation { passed, target });
        let Some(clicked) = links.iter().position(|link| link.0 == trail.pages[at]) else {
            continue;
        };
        let to_target = distances.to(target);
        let here = to_target[passed[at - 1] as usize];
        let is_nearer = |place: &usize| to_target[links[*place].0 as usize] < here;
        let is_unlinked = links.iter().all(|link| link.0 != target);
        let way = Way {
            texts,
            situation: Situation { passed, target },
            links: &links,
            number: number as u64,
        };
        for ((_, _, ranker), sums) in rankers.iter().zip(&mut sums) {
            let scores = ranker.score(&way);
            let mut order: Vec<usize> = (0..links.len()).collect();
            order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
            for (subset, sum) in sums.iter_mut().enumerate() {
                if subset == 0 || is_unlinked {
                    sum.add(&order, expected_rank(&scores, clicked), &is_nearer);
                }
            }
        }
    }
    sums
}

/// Reciprocal rank and hit among the first five of the clicked link; among links
/// of one score any order is as likely.
pub fn expected_rank(scores: &[f64], clicked: usize) -> (f64, f64) {
    let better = scores
        .iter()
        .filter(|score| **score > scores[clicked])
        .count();
    let equal = scores
        .iter()
        .filter(|score| **score == scores[clicked])
        .count();
    let ranks = better + 1..=better + equal;
    let reciprocal: f64 = ranks.clone().map(|rank| 1.0 / rank as f64).sum();
    let hits = ranks.filter(|rank| *rank <= 5).count();
    (reciprocal / equal as f64, hits as f64 / equal as f64)
}

impl Sums {
    fn add(
        &mut self,
        order: &[usize],
        (reciprocal, hit): (f64, f64),
        is_nearer: &dyn Fn(&usize) -> bool,
    ) {
        self.reciprocal += reciprocal;
        self.hits += hit;
        self.nearer1 += f64::from(u8::from(order.first().is_some_and(is_nearer)));
        self.nearer5 += f64::from(u8::from(order.iter().take(5).any(is_nearer)));
        self.clicks += 1;
    }
}

fn rows(rankers: &[Named<'_>], sums: &[[Sums; 2]]) -> Vec<Row> {
    let mut rows = Vec::new();
    for ((name, human_clicks, _), sums) in rankers.iter().zip(sums) {
        for (subset, sum) in ["all", "target_unlinked"].into_iter().zip(sums) {
            let share = |value: f64| value / sum.clicks.max(1) as f64;
            rows.push(Row {
                ranker: name,
                text_only: !human_clicks,
                human_clicks: *human_clicks,
                subset,
                mrr: share(sum.reciprocal),
                hit5: share(sum.hits),
                nearer1: share(sum.nearer1),
                nearer5: share(sum.nearer5),
                clicks: sum.clicks,
            });
        }
    }
    rows
}

fn section(rows: &[Row], trails: &Trails) -> Section {
    let mut body = String::from(
        "<table><thead><tr><th>Ranker</th><th>clicks</th><th>MRR</th><th>among first five</th>\
         <th>first leads nearer</th><th>one of five leads nearer</th></tr></thead><tbody>",
    );
    for row in rows {
        let knows = if row.human_clicks {
            " with others' clicks"
        } else {
            ""
        };
        let subset = if row.subset == "all" {
            "all"
        } else {
            "target not linked"
        };
        body.push_str(&format!(
            "<tr><td>{}{knows}</td><td>{subset}</td><td>{:.3}</td><td>{:.3}</td><td>{:.3}</td>\
             <td>{:.3}</td></tr>",
            row.ranker, row.mrr, row.hit5, row.nearer1, row.nearer5
        ));
    }
    body.push_str(&format!(
        "</tbody></table><p class=\"muted\">{} clicks of {} trails; learned from {} trails to other \
         targets. {} trails name pages that the web lacks.</p>",
        rows.first().map_or(0, |row| row.clicks),
        trails.test.len(),
        trails.train.len(),
        trails.missing
    ));
    Section {
        title: "Which link people click".to_owned(),
        body,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_share_their_ranks() {
        let (reciprocal, hit) = expected_rank(&[0.5, 0.9, 0.5], 0);
        assert!((reciprocal - f64::midpoint(1.0 / 2.0, 1.0 / 3.0)).abs() < 1e-12);
        assert_eq!(hit, 1.0);
        assert_eq!(expected_rank(&[0.9, 0.5], 0).0, 1.0);
        let all_equal = expected_rank(&[0.0; 10], 3);
        assert!((all_equal.1 - 0.5).abs() < 1e-12);
    }
}
