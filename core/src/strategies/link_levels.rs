//! How many links it is from a link to a target, by the words in its address, in
//! its anchor and around it (\[D\] 2.1 and 3.3): naive Bayes over few features, which
//! are chosen again whenever it is trained (algorithm 2).
//!
//! The links known to lie on no path to a target may be a class of their own. \[D\]
//! has none: there a link without any of the features is as likely to be near as
//! the paths are short.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use super::Candidate;
use crate::address::Address;
use crate::features::LinkContext;
use crate::text::{TermId, Vocabulary, address_terms};

/// Levels: 1, 2 or 3 links to a target.
pub const LEVELS: usize = 3;
/// The places of a link's words.
pub const SPACES: [&str; 3] = ["URL", "anchor", "around"];
/// Features chosen in each space (\[D\]: "a small number").
const CHOSEN: usize = 25;
/// Shortest term of an address that is looked for inside others.
const SHORTEST_PART: usize = 3;

/// A link as far as its level is told by it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PathLink {
    /// Where it leads.
    pub target: Address,
    /// Its words.
    pub context: LinkContext,
}

impl PathLink {
    /// Of a candidate.
    pub fn of(link: &Candidate) -> Self {
        Self {
            target: link.target.clone(),
            context: link.context.clone(),
        }
    }
}

/// A feature that was chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chosen {
    /// The word as it is first written; of addresses its stem, which may be a part of one.
    pub word: String,
    /// Links of the paths that have it.
    pub links: u32,
}

/// Distinct terms of a link in each space.
struct Words {
    url: Vec<String>,
    anchor: FxHashSet<TermId>,
    around: FxHashSet<TermId>,
}

/// A link with its words and its level.
type TrainingRow<'a> = (&'a PathLink, Words, usize);

impl Words {
    fn of(link: &PathLink) -> Self {
        let mut words = Self {
            url: address_terms(&link.target.words()),
            anchor: FxHashSet::default(),
            around: FxHashSet::default(),
        };
        for (feature, _) in link.context.counts() {
            if feature.is_of_page() {
                continue;
            }
            if feature.offset().0 == 0 {
                words.anchor.insert(feature.term());
            } else {
                words.around.insert(feature.term());
            }
        }
        words
    }
}

/// Tells from the words of a link how many links it lies from a target.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct LinkLevels {
    url: Vec<String>,
    /// Numbers of features: those of the anchor behind those of the address, those
    /// of words around last.
    anchor: FxHashMap<TermId, usize>,
    around: FxHashMap<TermId, usize>,
    /// By feature: links of each class that have it.
    with_feature: Vec<Vec<f64>>,
    /// The logarithm of [`Self::rate`] by feature and class, which every link asks for.
    log_rates: Vec<Vec<f64>>,
    /// Links by class.
    links: Vec<f64>,
    chosen: [Vec<Chosen>; 3],
}

/// What is thought of a link.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelVerdict {
    /// Probability of each level, and of lying farther where that is a class.
    pub shares: Vec<f64>,
    /// The likeliest level, 0 for one link to a target.
    pub level: usize,
    /// Numbers of the features it has.
    features: Vec<usize>,
}

impl LinkLevels {
    /// Chooses features of the links on paths, by level from 0, and counts them.
    /// `farther` are links that lie on no path; none, and there is no such class.
    pub fn train<'a>(
        paths: impl Iterator<Item = (&'a PathLink, usize)>,
        farther: impl Iterator<Item = &'a PathLink>,
        vocabulary: &Vocabulary,
    ) -> Self {
        let mut examples: Vec<TrainingRow<'_>> = paths
            .map(|(link, level)| (link, Words::of(link), level))
            .collect();
        let mut levels = Self::choose(&examples, vocabulary);
        examples.extend(farther.map(|link| (link, Words::of(link), LEVELS)));
        let classes = examples
            .iter()
            .map(|example| example.2 + 1)
            .max()
            .unwrap_or(0);
        levels.links = vec![0.0; classes.max(LEVELS)];
        for counts in &mut levels.with_feature {
            counts.resize(classes.max(LEVELS), 0.0);
        }
        for (link, words, class) in &examples {
            levels.links[*class] += 1.0;
            for feature in levels.features(&words.url, &link.context) {
                levels.with_feature[feature][*class] += 1.0;
            }
        }
        let classes = 0..levels.links.len();
        let log_rates = (0..levels.with_feature.len()).map(|feature| {
            let rates = classes
                .clone()
                .map(|class| levels.rate(feature, class).ln());
            rates.collect()
        });
        levels.log_rates = log_rates.collect();
        levels
    }

    /// Algorithm 2 of \[D\], in each space.
    fn choose(examples: &[TrainingRow<'_>], vocabulary: &Vocabulary) -> Self {
        let mut url: BTreeMap<&str, u32> = BTreeMap::new();
        let (mut anchor, mut around) = (BTreeMap::new(), BTreeMap::new());
        for (_, words, _) in examples {
            for word in &words.url {
                *url.entry(word).or_default() += 1;
            }
            for &term in &words.anchor {
                *anchor.entry(term).or_default() += 1;
            }
            for &term in &words.around {
                *around.entry(term).or_default() += 1;
            }
        }
        let url = with_parts(examples, most_frequent(url));
        let url: Vec<(String, u32)> = most_frequent(url);
        let (anchor, around) = (most_frequent(anchor), most_frequent(around));
        let named = |rows: &[(TermId, u32)]| -> Vec<Chosen> {
            let rows = rows.iter().map(|&(term, links)| Chosen {
                word: vocabulary.surface(term).to_owned(),
                links,
            });
            rows.collect()
        };
        let numbered = |rows: &[(TermId, u32)], first: usize| {
            let rows = rows.iter().zip(first..);
            rows.map(|(row, number)| (row.0, number)).collect()
        };
        let chosen = [
            url.iter()
                .map(|(word, links)| Chosen {
                    word: word.clone(),
                    links: *links,
                })
                .collect(),
            named(&anchor),
            named(&around),
        ];
        Self {
            anchor: numbered(&anchor, url.len()),
            around: numbered(&around, url.len() + anchor.len()),
            with_feature: vec![Vec::new(); url.len() + anchor.len() + around.len()],
            log_rates: Vec::new(),
            url: url.into_iter().map(|row| row.0).collect(),
            links: Vec::new(),
            chosen,
        }
    }

    /// Features that were chosen, by space, most frequent first.
    pub fn chosen(&self) -> &[Vec<Chosen>; 3] {
        &self.chosen
    }

    /// Name of a feature by its number.
    fn name(&self, feature: usize) -> String {
        let mut number = feature;
        for (space, chosen) in SPACES.iter().zip(&self.chosen) {
            if let Some(chosen) = chosen.get(number) {
                return format!("{space} “{}”", chosen.word);
            }
            number -= chosen.len();
        }
        String::new()
    }

    fn features(&self, url: &[String], context: &LinkContext) -> Vec<usize> {
        let has_part = |part: &String| url.iter().any(|word| is_part(part, word));
        let parts = (0..self.url.len()).filter(|&number| has_part(&self.url[number]));
        let words = context.counts().filter_map(|(feature, _)| {
            let chosen = match feature.offset().0 {
                _ if feature.is_of_page() => return None,
                0 => &self.anchor,
                _ => &self.around,
            };
            chosen.get(&feature.term()).copied()
        });
        let mut features: Vec<usize> = parts.chain(words).collect();
        features.sort_unstable();
        features.dedup();
        features
    }

    /// `P(feature | class)`, one link with and one without it added.
    fn rate(&self, feature: usize, class: usize) -> f64 {
        (self.with_feature[feature][class] + 1.0) / (self.links[class] + 2.0)
    }

    /// `P(class)`, one link added to each.
    fn prior(&self, class: usize) -> f64 {
        let all: f64 = self.links.iter().sum();
        (self.links[class] + 1.0) / (all + self.links.len() as f64)
    }

    /// The level of a link; `None` as long as nothing was taught.
    pub fn judge(&self, link: &Candidate) -> Option<LevelVerdict> {
        self.judge_words(&link.target.words(), &link.context)
    }

    /// The same of the words of its address and its context.
    pub fn judge_words(&self, url: &[String], context: &LinkContext) -> Option<LevelVerdict> {
        if self.links.is_empty() {
            return None;
        }
        let features = self.features(&address_terms(url), context);
        let weigh = |class: usize| {
            let rates = features
                .iter()
                .map(|&feature| self.log_rates[feature][class]);
            self.prior(class).ln() + rates.sum::<f64>()
        };
        let weights: Vec<f64> = (0..self.links.len()).map(weigh).collect();
        let highest = weights.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
        let sum: f64 = weights.iter().map(|weight| (weight - highest).exp()).sum();
        let shares: Vec<f64> = weights
            .iter()
            .map(|weight| (weight - highest).exp() / sum)
            .collect();
        let level = (0..LEVELS)
            .rev()
            .max_by(|&a, &b| shares[a].total_cmp(&shares[b]));
        Some(LevelVerdict {
            level: level.unwrap_or(0),
            shares,
            features,
        })
    }

    /// Of a link's features, and first of having none, how much likelier they are
    /// at a level than on average over all classes, as they are believed: names
    /// with logarithms of ratios that add up to that of the level's share.
    pub fn reasons(&self, verdict: &LevelVerdict, level: usize) -> Vec<(String, f64)> {
        let mut shares: Vec<f64> = (0..self.links.len())
            .map(|class| self.prior(class))
            .collect();
        let mut reasons = vec![("how common such links are".to_owned(), shares[level].ln())];
        for &feature in &verdict.features {
            let before = shares[level];
            for (class, share) in shares.iter_mut().enumerate() {
                *share *= self.rate(feature, class);
            }
            let sum: f64 = shares.iter().sum();
            for share in &mut shares {
                *share /= sum;
            }
            reasons.push((self.name(feature), (shares[level] / before).ln()));
        }
        reasons
    }
}

/// The most frequent words; of equally frequent ones the first in order.
fn most_frequent<T: Ord + Clone>(counts: BTreeMap<T, u32>) -> Vec<(T, u32)> {
    let mut rows: Vec<(T, u32)> = counts.into_iter().collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.1));
    rows.truncate(CHOSEN);
    rows
}

/// The words of addresses with the counts of links that have them in any word.
fn with_parts(examples: &[TrainingRow<'_>], words: Vec<(&str, u32)>) -> BTreeMap<String, u32> {
    let links = |part: &str| {
        let with = examples.iter().filter(|example| {
            let mut words = example.1.url.iter();
            words.any(|word| is_part(part, word))
        });
        with.count() as u32
    };
    let counted = words
        .into_iter()
        .map(|(word, _)| (word.to_owned(), links(word)));
    counted.collect()
}

fn is_part(part: &str, word: &str) -> bool {
    part == word || (part.len() >= SHORTEST_PART && word.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::DomOffset;
    use crate::features::OffsetTerm;

    fn link(address: &str, words: &[(u32, i32)]) -> PathLink {
        let features = words
            .iter()
            .map(|&(term, offset)| OffsetTerm::new(TermId(term), DomOffset(offset)));
        PathLink {
            target: Address::parse(address).unwrap(),
            context: LinkContext::new(features.collect()),
        }
    }

    fn vocabulary() -> Vocabulary {
        let mut vocabulary = Vocabulary::default();
        for word in ["search", "cars", "home", "about"] {
            vocabulary.intern(word, word);
        }
        vocabulary
    }

    fn candidate(of: &PathLink) -> Candidate {
        Candidate {
            context: of.context.clone(),
            ..Candidate::seed(of.target.clone())
        }
    }

    #[test]
    fn the_numbers_are_those_computed_by_hand() {
        let near = [
            link("http://a.test/carsearch", &[(0, 0)]),
            link("http://b.test/search", &[(0, 0), (1, 2)]),
        ];
        let far = [link("http://c.test/home", &[(2, 0)])];
        let paths = near.iter().map(|link| (link, 0));
        let paths = paths.chain(far.iter().map(|link| (link, 1)));
        let levels = LinkLevels::train(paths, std::iter::empty(), &vocabulary());
        let url = &levels.chosen()[0];
        let search = url.iter().find(|chosen| chosen.word == "search").unwrap();
        assert_eq!(search.links, 2, "carsearch counts for search: {url:?}");
        // Of an address without any known word ("test" is none that counts) and of
        // the anchor "search": priors 3/6, 2/6, 1/6 (one link added to each of three
        // levels); "search" 3/4, 1/3, 1/2.
        let verdict = levels
            .judge(&candidate(&link("http://x.test/", &[(0, 0)])))
            .unwrap();
        let weights: [f64; 3] = [3.0 / 6.0 * 0.75, 2.0 / 6.0 / 3.0, 1.0 / 6.0 * 0.5];
        let sum: f64 = weights.iter().sum();
        for (found, weight) in verdict.shares.iter().zip(weights) {
            assert!((found - weight / sum).abs() < 1e-12, "{verdict:?}");
        }
        assert_eq!(verdict.level, 0);
        let reasons = levels.reasons(&verdict, 0);
        let all: f64 = reasons.iter().map(|reason| reason.1).sum();
        assert!((all.exp() - verdict.shares[0]).abs() < 1e-12, "{reasons:?}");
    }

    #[test]
    fn links_on_no_path_are_a_class_where_there_are_some() {
        let near = [link("http://a.test/search", &[(0, 0)])];
        let others = [
            link("http://a.test/about", &[(3, 0)]),
            link("http://b.test/about", &[(3, 0)]),
        ];
        let paths = near.iter().map(|link| (link, 0));
        let levels = LinkLevels::train(paths, others.iter(), &vocabulary());
        let of = |link: &PathLink| levels.judge(&candidate(link)).unwrap().shares[0];
        assert!(of(&near[0]) > 1.5 * of(&others[0]));
        assert!(LinkLevels::default().judge(&candidate(&near[0])).is_none());
    }
}
