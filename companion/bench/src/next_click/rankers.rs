//! Who ranks the links: chance, the words of the link, the apprentice's naive
//! Bayes, and a choice among links that learned from other people's clicks.

use linkscent_core::models::lbfgs::{Stopping, minimise};
use linkscent_core::models::{Feature, TwoClassCounts};
use linkscent_core::rng::{Rng, SplitMix};
use rustc_hash::FxHashMap;

use super::features::{FEATURES, Situation, Texts};
use super::trails::ClickPath;

/// Features of other people's clicks come after those of texts.
const CLICKS: u32 = FEATURES as u32;
const ALL_FEATURES: usize = FEATURES + 3;
/// Clicks learned from.
pub(super) const TAUGHT: usize = 14_000;

/// Ranks the links of a page for somebody on the way.
pub trait Ranker {
    /// A score for each link, in the order of `links`; greater is likelier.
    fn score(&self, way: &Way<'_>) -> Vec<f64>;
}

/// A click, and all that is known before it.
pub struct Way<'a> {
    /// Texts and links of the web.
    pub texts: &'a Texts,
    /// Pages passed, and the target.
    pub situation: Situation<'a>,
    /// The links of the page, with their features.
    pub links: &'a [(u32, Vec<Feature>)],
    /// Number of the click, for random ties.
    pub number: u64,
}

/// How often people clicked, on the way to targets that are learned from.
#[derive(Debug, Default)]
pub struct Clicks {
    links: FxHashMap<(u32, u32), f64>,
    pages: FxHashMap<u32, f64>,
    sources: FxHashMap<u32, f64>,
}

impl Clicks {
    /// Counts all clicks.
    pub fn count(trails: &[ClickPath]) -> Self {
        let mut clicks = Self::default();
        for pair in trails.iter().flat_map(|trail| trail.pages.windows(2)) {
            *clicks.links.entry((pair[0], pair[1])).or_default() += 1.0;
            *clicks.pages.entry(pair[1]).or_default() += 1.0;
            *clicks.sources.entry(pair[0]).or_default() += 1.0;
        }
        clicks
    }

    /// Features of a link by the clicks of others; `own` is the click to be left
    /// out.
    fn features(&self, from: u32, to: u32, own: Option<u32>) -> [Feature; 3] {
        let mine = f64::from(u8::from(own == Some(to)));
        let own_source = f64::from(u8::from(own.is_some()));
        let link = self.links.get(&(from, to)).copied().unwrap_or(0.0) - mine;
        let page = self.pages.get(&to).copied().unwrap_or(0.0) - mine;
        let source = self.sources.get(&from).copied().unwrap_or(0.0) - own_source;
        [
            (CLICKS, link.ln_1p() as f32),
            (CLICKS + 1, page.ln_1p() as f32 / 3.0),
            (CLICKS + 2, ((link + 0.5) / (source + 20.0)).ln() as f32),
        ]
    }
}

/// Any order.
pub struct Chance;

impl Ranker for Chance {
    fn score(&self, way: &Way<'_>) -> Vec<f64> {
        let mut rng = SplitMix(way.number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        way.links.iter().map(|_| rng.unit()).collect()
    }
}

/// Cosine of the link's words to the target's title.
pub struct AnchorCosine;

impl Ranker for AnchorCosine {
    fn score(&self, way: &Way<'_>) -> Vec<f64> {
        let links = way.links.iter();
        links
            .map(|(to, _)| way.texts.title_likeness(*to, way.situation.target))
            .collect()
    }
}

/// One click that is learned from: the links of its page, and which was chosen.
pub struct RankingExample {
    links: Vec<(u32, Vec<Feature>)>,
    chosen: usize,
    from: u32,
}

/// Clicks to learn from, evenly spaced over the trails.
pub fn examples(texts: &Texts, trails: &[ClickPath]) -> Vec<RankingExample> {
    let clicks: usize = trails.iter().map(|trail| trail.pages.len() - 1).sum();
    let step = clicks.div_ceil(TAUGHT).max(1);
    let ways = trails.iter().flat_map(|trail| {
        (1..trail.pages.len()).map(move |at| (&trail.pages[..at], trail.pages[at], trail.target()))
    });
    let mut examples = Vec::new();
    for (passed, clicked, target) in ways.step_by(step) {
        let links = texts.observe(&Situation { passed, target });
        if let Some(chosen) = links.iter().position(|link| link.0 == clicked) {
            examples.push(RankingExample {
                links,
                chosen,
                from: passed[passed.len() - 1],
            });
        }
    }
    examples
}

/// The apprentice's naive Bayes: clicked or not, by the features of the link.
pub struct Apprentice(TwoClassCounts);

impl Apprentice {
    /// Learns from clicks.
    pub fn learn(examples: &[RankingExample]) -> Self {
        let mut counts = TwoClassCounts::default();
        for example in examples {
            for (place, (_, features)) in example.links.iter().enumerate() {
                counts.add(present(features), place == example.chosen);
            }
        }
        Self(counts)
    }
}

/// The bins a link falls into, without the values themselves.
fn present(features: &[Feature]) -> impl Iterator<Item = (u32, u32)> + '_ {
    let bins = features.iter().filter(|feature| feature.1 == 1.0);
    bins.map(|feature| (feature.0, 1))
}

impl Ranker for Apprentice {
    fn score(&self, way: &Way<'_>) -> Vec<f64> {
        let links = way.links.iter();
        links
            .map(|(_, features)| {
                present(features)
                    .map(|(feature, _)| self.0.laplace_log_ratio(feature))
                    .sum()
            })
            .collect()
    }
}

/// A choice among the links of a page: `P(link) ~ exp(weights . features)`,
/// trained on clicks by L-BFGS. Ours, beside the models of the papers.
pub struct Choice<'a> {
    weights: Vec<f64>,
    clicks: Option<&'a Clicks>,
}

impl<'a> Choice<'a> {
    /// Learns from clicks; with those of others as features if given.
    pub fn learn(examples: &[RankingExample], clicks: Option<&'a Clicks>) -> Self {
        let observed: Vec<(Vec<Vec<Feature>>, usize)> = examples
            .iter()
            .map(|example| {
                let own = example.links[example.chosen].0;
                let links = example.links.iter().map(|(to, features)| {
                    let mut features = features.clone();
                    if let Some(clicks) = clicks {
                        features.extend(clicks.features(example.from, *to, Some(own)));
                    }
                    features
                });
                (links.collect(), example.chosen)
            })
            .collect();
        let stopping = Stopping {
            iterations: 120,
            ..Stopping::default()
        };
        let loss =
            |weights: &[f64], gradient: &mut [f64]| choice_loss(&observed, weights, gradient);
        let (weights, _) = minimise(vec![0.0; ALL_FEATURES], stopping, loss, |_| {});
        Self { weights, clicks }
    }
}

fn dot(weights: &[f64], features: &[Feature]) -> f64 {
    let rows = features.iter();
    rows.map(|&(feature, value)| weights[feature as usize] * f64::from(value))
        .sum()
}

fn choice_loss(
    observed: &[(Vec<Vec<Feature>>, usize)],
    weights: &[f64],
    gradient: &mut [f64],
) -> f64 {
    let mut loss = 0.0;
    for (slope, weight) in gradient.iter_mut().zip(weights) {
        *slope = 0.1 * weight;
        loss += 0.05 * weight * weight;
    }
    for (links, chosen) in observed {
        let scores: Vec<f64> = links
            .iter()
            .map(|features| dot(weights, features))
            .collect();
        let highest = scores.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
        let sum: f64 = scores.iter().map(|score| (score - highest).exp()).sum();
        loss += highest + sum.ln() - scores[*chosen];
        for (place, (features, score)) in links.iter().zip(&scores).enumerate() {
            let expected = (score - highest).exp() / sum;
            let apart = expected - f64::from(u8::from(place == *chosen));
            for &(feature, value) in features {
                gradient[feature as usize] += apart * f64::from(value);
            }
        }
    }
    loss
}

impl Ranker for Choice<'_> {
    fn score(&self, way: &Way<'_>) -> Vec<f64> {
        let from = way.situation.passed.last().copied().unwrap_or_default();
        let links = way.links.iter();
        links
            .map(|(to, features)| {
                let clicks = self.clicks.map(|clicks| clicks.features(from, *to, None));
                dot(&self.weights, features) + clicks.map_or(0.0, |more| dot(&self.weights, &more))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_choice_has_the_slope_of_its_loss() {
        let observed = vec![
            (
                vec![vec![(0, 1.0), (2, 0.5)], vec![(1, 1.0)], vec![(2, 2.0)]],
                1,
            ),
            (vec![vec![(1, 0.3)], vec![(0, 1.0), (1, 1.0)]], 0),
        ];
        let weights = [0.3, -0.2, 0.7];
        let mut gradient = vec![0.0; 3];
        choice_loss(&observed, &weights, &mut gradient);
        for (place, slope) in gradient.iter().enumerate() {
            let at = |change: f64| {
                let mut moved = weights;
                moved[place] += change;
                choice_loss(&observed, &moved, &mut [0.0; 3])
            };
            let by_difference = (at(1e-5) - at(-1e-5)) / 2e-5;
            assert!(
                (by_difference - slope).abs() < 1e-6,
                "{by_difference} {slope}"
            );
        }
    }

    #[test]
    fn ones_own_click_does_not_count() {
        let trail = |pages: &[u32]| ClickPath {
            pages: pages.to_vec(),
        };
        let clicks = Clicks::count(&[trail(&[1, 2, 3]), trail(&[1, 2])]);
        let of_two = clicks.features(1, 2, None)[0].1;
        let but_mine = clicks.features(1, 2, Some(2))[0].1;
        assert!((of_two - 3f32.ln()).abs() < 1e-6 && (but_mine - 2f32.ln()).abs() < 1e-6);
    }
}
