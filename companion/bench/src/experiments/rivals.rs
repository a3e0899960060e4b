//! Do neighbours help, and would a perceptron do better (\[A\] 2.3, 3.8)? Naive
//! Bayes on the window alone, with co-citation (how relevant the pages turned
//! out to be that links nearby lead to), and the perceptron on both.

use linkscent_core::models::{Perceptron, TwoClassCounts};
use rustc_hash::FxHashMap;
use serde_json::json;

use super::links::Features;
use super::links_of::{SPLITS, is_known};
use super::{Finding, Instance, LinkSet, roc_auc};
use crate::report::Section;

const WINDOW: Features = Features {
    dmax: 5,
    offsets: true,
};
/// Passes of the perceptron over the links.
const PASSES: usize = 5;
/// Silent words, as the apprentice has them.
const SILENT: f64 = 2.0;

/// The features of a link, each once, with its count.
fn features(link: &Instance, split: u8, neighbours: bool) -> Vec<(u32, f64)> {
    let mut counts: FxHashMap<u32, f64> = FxHashMap::default();
    for feature in WINDOW.of(link) {
        *counts.entry(feature).or_default() += 1.0;
    }
    if neighbours {
        for neighbour in link
            .neighbours
            .iter()
            .filter(|near| is_known(near.split, split))
        {
            // Above all words: those have 26 bits.
            let kind = (1 << 26) - 1 - u32::from(neighbour.is_good);
            let place = (neighbour.offset + 15) as u32;
            *counts.entry((kind << 5) | place).or_default() += 1.0;
        }
    }
    let mut rows: Vec<(u32, f64)> = counts.into_iter().collect();
    rows.sort_by_key(|row| row.0);
    rows
}

struct Scores {
    auc: f64,
    negative: f64,
    positive: f64,
}

fn measure(links: &LinkSet, neighbours: bool, perceptron: bool) -> Scores {
    let (mut auc, mut right, mut all) = (0.0, [0.0; 2], [0.0; 2]);
    for split in 0..SPLITS {
        let (train, test) = links.halves(split);
        let rows = |links: Vec<&Instance>| -> Vec<(Vec<(u32, f64)>, bool)> {
            let rows = links.into_iter();
            rows.map(|link| (features(link, split, neighbours), link.is_good))
                .collect()
        };
        let (train, test) = (rows(train), rows(test));
        let score = if perceptron {
            by_perceptron(&train)
        } else {
            by_bayes(&train)
        };
        let mut scored: Vec<(f64, bool)> = test
            .iter()
            .map(|(features, is_good)| (score(features), *is_good))
            .collect();
        for &(score, is_good) in &scored {
            all[usize::from(is_good)] += 1.0;
            right[usize::from(is_good)] += f64::from(u8::from((score > 0.0) == is_good));
        }
        auc += roc_auc(&mut scored) / f64::from(SPLITS);
    }
    let [negative, positive] = [0, 1].map(|class| right[class] / f64::max(all[class], 1.0));
    Scores {
        auc,
        negative,
        positive,
    }
}

type Score = Box<dyn Fn(&[(u32, f64)]) -> f64>;

/// Log-odds, the prior among them, by the number of words: its sign is the
/// class.
fn by_bayes(train: &[(Vec<(u32, f64)>, bool)]) -> Score {
    let mut counts = TwoClassCounts::default();
    for (features, is_good) in train {
        counts.add(features.iter().map(|&(f, n)| (f, n as u32)), *is_good);
    }
    Box::new(move |features| {
        let (mut sum, mut words) = (counts.prior_log_ratio(), SILENT);
        for &(feature, count) in features {
            sum += count * counts.log_ratio(feature, 0.0);
            words += count;
        }
        sum / words
    })
}

/// Its features are logarithms of counts: its step is as large as a feature, and a word that stands on a
/// page fifty times would outshout all others.
fn by_perceptron(train: &[(Vec<(u32, f64)>, bool)]) -> Score {
    let scaled = |features: &[(u32, f64)]| -> Vec<(u32, f64)> {
        let rows = features.iter();
        rows.map(|&(feature, count)| (feature, count.ln_1p()))
            .collect()
    };
    let mut perceptron = Perceptron::default();
    for _ in 0..PASSES {
        for (features, is_good) in train {
            perceptron.learn(&scaled(features), *is_good);
        }
    }
    Box::new(move |features| perceptron.margin(&scaled(features)))
}

pub(super) fn run(links: &LinkSet) -> Finding {
    let mut rows = Vec::new();
    let mut body = String::from(
        "<table><thead><tr><th>Learner and features</th><th>ROC AUC</th><th>right on others</th>\
         <th>right on relevant</th><th>average</th></tr></thead><tbody>",
    );
    let rivals = [
        ("naive Bayes, window", false, false),
        ("naive Bayes, window and co-citation", true, false),
        ("perceptron, window", false, true),
        ("perceptron, window and co-citation", true, true),
    ];
    for (name, neighbours, perceptron) in rivals {
        let found = measure(links, neighbours, perceptron);
        let average = f64::midpoint(found.negative, found.positive);
        body.push_str(&format!(
            "<tr><td>{name}</td><td>{:.3}</td><td>{:.3}</td><td>{:.3}</td><td>{average:.3}</td></tr>",
            found.auc, found.negative, found.positive
        ));
        rows.push(json!({
            "topic": links.name, "rival": name, "auc": found.auc, "negative": found.negative,
            "positive": found.positive, "average": average,
        }));
    }
    body.push_str("</tbody></table>");
    Finding {
        rows,
        section: Section {
            title: format!("Neighbours and a perceptron: {}", links.name),
            body,
        },
    }
}
