//! Would the way along the tags from a word to the link tell more than the DOM offset (\[A\] 4)?
//! Naive Bayes on half of the links by `<t,l>` (length of the path), `<t,a>` (depth of the
//! least common ancestor), `<t,l,d>`, `<t,a,d>` and `<t,path>` (the names of its tags), beside
//! `<t,d>` and bare words; tested on links to other pages.

use std::hash::BuildHasher;

use anyhow::Result;
use linkscent_core::dom::html::{TagRoute, TagTree};
use linkscent_core::models::TwoClassCounts;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use serde_json::json;

use super::links_of::SPLITS;
use super::{Finding, Instance, Subject, roc_auc};
use crate::report::Section;

/// Words silently added to every context, as the apprentice has them.
const SILENT_WORDS: f64 = 2.0;
/// Longer paths, and deeper ancestors, are as one.
const LONGEST: u32 = 12;

/// What tells a word at one place from the same word at another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Nowhere,
    Offset,
    Length,
    Ancestor,
    LengthAndOffset,
    AncestorAndOffset,
    Names,
}

/// Forms of features: their names, places, and farthest offset.
const FORMS: [(&str, Place, i32); 10] = [
    ("bare words, 5 leaves", Place::Nowhere, 5),
    ("offset, 5 leaves", Place::Offset, 5),
    ("path length, 5 leaves", Place::Length, 5),
    ("depth of the ancestor, 5 leaves", Place::Ancestor, 5),
    (
        "path length and offset, 5 leaves",
        Place::LengthAndOffset,
        5,
    ),
    ("ancestor and offset, 5 leaves", Place::AncestorAndOffset, 5),
    ("names of the path, 5 leaves", Place::Names, 5),
    ("offset, 8 leaves", Place::Offset, 8),
    ("path length, 8 leaves", Place::Length, 8),
    ("names of the path, 8 leaves", Place::Names, 8),
];

/// A word's number at its place; two share one as good as never.
fn key(place: Place, (term, offset): (u32, i32), route: Option<TagRoute>, names: u64) -> u32 {
    let length = route.map(|route| route.length().min(LONGEST));
    let depth = route.map(|route| route.depth.min(LONGEST));
    let hasher = FxBuildHasher;
    let hash = match place {
        Place::Nowhere => hasher.hash_one(term),
        Place::Offset => hasher.hash_one((term, offset)),
        Place::Length => hasher.hash_one((term, length)),
        Place::Ancestor => hasher.hash_one((term, depth)),
        Place::LengthAndOffset => hasher.hash_one((term, length, offset)),
        Place::AncestorAndOffset => hasher.hash_one((term, depth, offset)),
        Place::Names => hasher.hash_one((term, names)),
    };
    (hash >> 32) as u32
}

/// The features of a link, each with how much it counts by its distance.
fn features(link: &Instance, tree: Option<&TagTree>, place: Place, dmax: i32) -> Vec<(u32, f64)> {
    // Of one leaf all words have one way.
    let mut ways: FxHashMap<i32, (Option<TagRoute>, u64)> = FxHashMap::default();
    let mut way = |offset: i32| {
        *ways.entry(offset).or_insert_with(|| {
            let leaf = match offset {
                0 => i64::from(link.leaves.first),
                before if before < 0 => i64::from(link.leaves.first) + i64::from(before),
                behind => i64::from(link.leaves.end) - 1 + i64::from(behind),
            };
            let found = tree.zip(link.link).zip(u32::try_from(leaf).ok());
            let route = found.and_then(|((tree, link), leaf)| tree.route(leaf, link));
            let names = found.zip(route).map_or(0, |(((tree, link), leaf), route)| {
                FxBuildHasher.hash_one(tree.names(route, leaf, link))
            });
            (route, names)
        })
    };
    let near = link.words.iter().filter(|word| word.1.abs() <= dmax);
    near.map(|&word| {
        let (route, names) = if word.1 == 0 { (None, 0) } else { way(word.1) };
        let weight = 1.0 / (1.0 + f64::from(word.1.abs()));
        (key(place, word, route, names), weight)
    })
    .collect()
}

struct Scores {
    auc: f64,
    /// Right on links that lead elsewhere, and on links to relevant pages.
    right: [f64; 2],
    features: usize,
}

fn measure(
    subject: &Subject<'_>,
    trees: &FxHashMap<u32, TagTree>,
    place: Place,
    dmax: i32,
) -> Scores {
    let (mut auc, mut right, mut all, mut kinds) = (0.0, [0.0; 2], [0.0; 2], 0);
    let read = |link: &Instance| features(link, trees.get(&link.source), place, dmax);
    for split in 0..SPLITS {
        let (train, test) = subject.links().halves(split);
        let mut counts = TwoClassCounts::default();
        for link in train {
            counts.add(read(link).into_iter().map(|row| (row.0, 1)), link.is_good);
        }
        let mut scored = Vec::new();
        for link in test {
            let (mut sum, mut words, mut evidence) = (0.0, SILENT_WORDS, counts.prior_log_ratio());
            for (feature, weight) in read(link) {
                let log_ratio = counts.log_ratio(feature, 0.0);
                sum += weight * log_ratio;
                words += weight;
                evidence += log_ratio;
            }
            scored.push((sum / words, link.is_good));
            let class = usize::from(link.is_good);
            all[class] += 1.0;
            right[class] += f64::from(u8::from((evidence > 0.0) == link.is_good));
        }
        auc += roc_auc(&mut scored) / f64::from(SPLITS);
        kinds += counts.len() / usize::from(SPLITS);
    }
    Scores {
        auc,
        right: [0, 1].map(|class| right[class] / f64::max(all[class], 1.0)),
        features: kinds,
    }
}

pub(super) fn run(subject: &Subject<'_>) -> Result<Finding> {
    let links = subject.links().links.iter();
    let sources: FxHashSet<u32> = links.map(|link| link.source).collect();
    let trees = subject.web.tags(|page| sources.contains(&page))?;
    let mut rows = Vec::new();
    let mut body = String::from(
        "<table><thead><tr><th>A word is told apart by</th><th>features</th><th>ROC AUC</th>\
         <th>right on others</th><th>right on relevant</th><th>average</th></tr></thead><tbody>",
    );
    for (name, place, dmax) in FORMS {
        let found = measure(subject, &trees, place, dmax);
        let [negative, positive] = found.right;
        let average = f64::midpoint(negative, positive);
        body.push_str(&format!(
            "<tr><td>{name}</td><td>{}</td><td>{:.3}</td><td>{negative:.3}</td>\
             <td>{positive:.3}</td><td>{average:.3}</td></tr>",
            found.features, found.auc
        ));
        rows.push(json!({
            "topic": subject.name, "form": name, "features": found.features, "auc": found.auc,
            "negative": negative, "positive": positive, "average": average,
        }));
    }
    body.push_str("</tbody></table>");
    Ok(Finding {
        rows,
        section: Section {
            title: format!("Ways along the tags in place of offsets: {}", subject.name),
            body,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_tell_words_apart_and_words_stay_apart() {
        let at = |place, word| key(place, word, None, 7);
        assert_eq!(at(Place::Nowhere, (1, 2)), at(Place::Nowhere, (1, 3)));
        assert_ne!(at(Place::Offset, (1, 2)), at(Place::Offset, (1, 3)));
        assert_eq!(at(Place::Names, (1, 2)), at(Place::Names, (1, 3)));
        for place in FORMS.map(|row| row.1) {
            assert_ne!(at(place, (1, 2)), at(place, (2, 2)), "{place:?}");
        }
    }
}
