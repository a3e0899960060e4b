//! What a link looks like to somebody on the way to a known target: its words
//! and its place, compared with the target's text. Nothing of the page behind
//! the link is read.

use linkscent_core::features::FeatureReader;
use linkscent_core::models::Feature;
use linkscent_core::models::svd::truncated;
use linkscent_core::rng::SplitMix;
use linkscent_core::text::{TermId, Vocabulary};
use rustc_hash::FxHashMap;

use crate::web::EvalWeb;

/// Values are dealt into this many bins of equal width, besides that for 0.
const BINS: u32 = 12;
/// Names of the values, in the order of their numbers.
const VALUES: [&str; 16] = [
    "title like the target's title",
    "title in the target's text",
    "top_features title word in the target's text",
    "all title words in the target's text",
    "is the target",
    "words nearby like the target's text",
    "place on the page",
    "among the first links",
    "words in the title",
    "how common the title is",
    "common title, far from the target",
    "title in the target's text, near the target",
    "was passed before",
    "like the page it stands on",
    "target's words in the title",
    "alike in meaning to the target",
];
/// Numbers of features: a value's own, then its bins.
pub const FEATURES: usize = VALUES.len() * (BINS as usize + 2);

type Weights = FxHashMap<TermId, f64>;

/// The texts of a web as vectors.
pub struct Texts {
    titles: Vec<Weights>,
    bodies: Vec<Weights>,
    idf: Vec<f64>,
    /// Links of each page: where to, and the words nearby.
    links: Vec<Vec<(u32, Weights)>>,
    /// By page: the meaning of its title and of its text.
    meanings: Vec<[Vec<f64>; 2]>,
}

/// Latent semantic indexing: terms of like use lie near each other.
struct Meanings {
    of: Vec<Vec<f64>>,
}

/// Dimensions of that space.
const DIMENSIONS: usize = 64;

/// Everything about the links of one page for somebody on the way.
pub struct Situation<'a> {
    /// Pages passed, the newest last.
    pub passed: &'a [u32],
    /// The page that is looked for.
    pub target: u32,
}

impl Texts {
    /// Reads all pages. Titles are what links say: the names of the pages.
    pub fn read(web: &EvalWeb) -> Self {
        let mut vocabulary = Vocabulary::default();
        let mut rows = Vec::new();
        for page in &web.pages {
            let reader = FeatureReader::new(page, &mut vocabulary);
            let contexts: Vec<Vec<TermId>> = page
                .outlinks
                .iter()
                .map(|link| {
                    let near = reader.context_within(link.leaves, 1);
                    near.features().iter().map(|word| word.term()).collect()
                })
                .collect();
            rows.push((reader.terms(), contexts));
        }
        let mut documents = vec![0.0_f64; vocabulary.len()];
        for (terms, _) in &rows {
            for (term, _) in terms.rows() {
                documents[term.0 as usize] += 1.0;
            }
        }
        let all = web.pages.len() as f64;
        let idf: Vec<f64> = documents
            .iter()
            .map(|count| (all / count.max(1.0)).ln())
            .collect();
        let weigh = |terms: &mut dyn Iterator<Item = (TermId, f64)>| -> Weights {
            let mut weights: Weights = terms
                .map(|(term, weight)| (term, weight * idf[term.0 as usize]))
                .collect();
            let norm = weights
                .values()
                .map(|weight| weight * weight)
                .sum::<f64>()
                .sqrt();
            for weight in weights.values_mut() {
                *weight /= norm.max(1e-9);
            }
            weights
        };
        let texts: Vec<Weights> = rows
            .iter()
            .map(|(terms, _)| {
                let damped = terms.damped().into_iter();
                weigh(&mut damped.map(|(term, weight)| (term, f64::from(weight))))
            })
            .collect();
        let titles = web.pages.iter().map(|page| {
            let words = page.words();
            let terms = words.header.iter().map(|&term| &words.terms[term as usize]);
            let ids = terms.filter_map(|term| vocabulary.id(term));
            weigh(&mut ids.map(|id| (id, 1.0)))
        });
        let titles: Vec<Weights> = titles.collect();
        let links = web.pages.iter().zip(&rows).map(|(page, (_, contexts))| {
            let mut seen = Vec::new();
            let mut links = Vec::new();
            for (link, context) in page.outlinks.iter().zip(contexts) {
                if let Some(to) = web.number(&link.target).filter(|to| !seen.contains(to)) {
                    seen.push(to);
                    let words = weigh(&mut context.iter().map(|&term| (term, 1.0)));
                    links.push((to, words));
                }
            }
            links
        });
        let links = links.collect();
        let space = Meanings::learn(&texts, vocabulary.len());
        let meanings = titles.iter().zip(&texts);
        let meanings = meanings.map(|(title, text)| [space.of_text(title), space.of_text(text)]);
        let meanings = meanings.collect();
        Self {
            titles,
            bodies: texts,
            idf,
            links,
            meanings,
        }
    }

    /// Cosine of a page's text to the target's.
    pub fn likeness(&self, page: u32, target: u32) -> f64 {
        cosine(&self.bodies[page as usize], &self.bodies[target as usize])
    }

    /// Cosine of a page's title to the target's text.
    pub fn title_in_text(&self, page: u32, target: u32) -> f64 {
        cosine(&self.titles[page as usize], &self.bodies[target as usize])
    }

    /// Cosine of the words of a link to the target's title.
    pub fn title_likeness(&self, page: u32, target: u32) -> f64 {
        cosine(&self.titles[page as usize], &self.titles[target as usize])
    }

    /// Features of each link of the page passed last.
    pub fn observe(&self, situation: &Situation<'_>) -> Vec<(u32, Vec<Feature>)> {
        let Some(&here) = situation.passed.last() else {
            return Vec::new();
        };
        let target = situation.target as usize;
        let near = self.likeness(here, situation.target);
        let (text, title) = (&self.bodies[target], &self.titles[target]);
        let meaning = &self.meanings[target][1];
        let links = &self.links[here as usize];
        let count = links.len() as f64;
        let rows = links.iter().enumerate().map(|(place, (to, words))| {
            let own = &self.titles[*to as usize];
            let in_text = cosine(own, text);
            let inside = own.keys().filter(|term| text.contains_key(term)).count() as f64;
            let top_features = own
                .keys()
                .filter_map(|term| text.get(term))
                .fold(0.0, |a: f64, &b| a.max(b));
            let length = own.len().max(1) as f64;
            let rarity = own
                .keys()
                .map(|term| self.idf[term.0 as usize])
                .sum::<f64>()
                / length;
            let common = 1.0 - (rarity / 8.0).min(1.0);
            let values = [
                cosine(own, title),
                (3.0 * in_text).min(1.0),
                (3.0 * top_features).min(1.0),
                inside / length,
                f64::from(u8::from(*to == situation.target)),
                (2.0 * cosine(words, text)).min(1.0),
                place as f64 / count,
                1.0 / (1.0 + place as f64),
                (length / 6.0).min(1.0),
                common,
                common * (1.0 - near),
                (3.0 * in_text * (1.0 + near)).min(1.0),
                f64::from(u8::from(situation.passed.contains(to))),
                cosine(own, &self.bodies[here as usize]),
                title.keys().filter(|term| own.contains_key(term)).count() as f64
                    / title.len().max(1) as f64,
                dot(&self.meanings[*to as usize][0], meaning).max(0.0),
            ];
            (*to, binned(&values))
        });
        rows.collect()
    }
}

/// Each value by itself and as the bin it falls into.
fn binned(values: &[f64; VALUES.len()]) -> Vec<Feature> {
    let mut features = Vec::new();
    for (number, &value) in values.iter().enumerate() {
        let first = number as u32 * (BINS + 2);
        if value > 0.0 {
            features.push((first, value as f32));
        }
        let bin = if value <= 0.0 {
            0
        } else {
            1 + ((value * f64::from(BINS)) as u32).min(BINS - 1)
        };
        features.push((first + 1 + bin, 1.0));
    }
    features
}

fn cosine(a: &Weights, b: &Weights) -> f64 {
    let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
    few.iter()
        .filter_map(|(term, weight)| Some(weight * many.get(term)?))
        .sum()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Meanings {
    fn learn(texts: &[Weights], terms: usize) -> Self {
        let mut rows: Vec<Vec<Feature>> = vec![Vec::new(); terms];
        for (number, text) in texts.iter().enumerate() {
            for (term, weight) in text {
                rows[term.0 as usize].push((number as u32, *weight as f32));
            }
        }
        let svd = truncated(&rows, texts.len(), DIMENSIONS, &mut SplitMix(1));
        Self {
            of: rows.iter().map(|row| svd.embed(row)).collect(),
        }
    }

    /// Length 1, or all zero.
    fn of_text(&self, text: &Weights) -> Vec<f64> {
        let mut sum = vec![0.0; DIMENSIONS];
        for (term, weight) in text {
            for (slot, value) in sum.iter_mut().zip(&self.of[term.0 as usize]) {
                *slot += weight * value;
            }
        }
        let norm = sum.iter().map(|value| value * value).sum::<f64>().sqrt();
        for value in &mut sum {
            *value /= norm.max(1e-9);
        }
        sum
    }
}
