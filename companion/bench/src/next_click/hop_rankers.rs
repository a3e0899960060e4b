//! Rankers by hop distance: HMM, MEMM and CRF, trained on other people's trails.

use linkscent_core::hops::STATES;
use linkscent_core::models::lbfgs::Stopping;
use linkscent_core::models::{
    ChainKind, ChainModel, ChainWeights, Feature, Hmm, Inference, Prior, Sequences,
};
use linkscent_core::rng::{Rng, SplitMix};
use linkscent_core::strategies::HopTraining;

use super::features::{FEATURES, Situation, Texts};
use super::rankers::{Ranker, TAUGHT, Way};
use super::trails::{ClickPath, Distances};

/// Likenesses of pages to the target that the hidden Markov model tells apart.
const SYMBOLS: usize = 12;

/// Trails with the true distances of their pages, as sequences: what was
/// clicked, and now and then what was not, so that ways that lead away are
/// known too.
pub fn sequences(texts: &Texts, trails: &[ClickPath], distances: &mut Distances) -> Sequences {
    let mut sequences = Sequences::default();
    let mut rng = SplitMix(1);
    let step = trails.len().div_ceil(TAUGHT / 4).max(1);
    for trail in trails.iter().step_by(step) {
        let to_target = distances.to(trail.target()).to_vec();
        let state = |page: u32| to_target[page as usize].min(STATES as u8 - 1);
        let mut way: Vec<(Vec<Feature>, u8)> = vec![(Vec::new(), state(trail.pages[0]))];
        for at in 1..trail.pages.len() {
            let links = texts.observe(&Situation {
                passed: &trail.pages[..at],
                target: trail.target(),
            });
            let Some(clicked) = links.iter().find(|link| link.0 == trail.pages[at]) else {
                break;
            };
            for _ in 0..2 {
                let other = &links[(rng.unit() * links.len() as f64) as usize];
                let mut aside = way.clone();
                aside.push((other.1.clone(), state(other.0)));
                sequences.push(aside);
            }
            way.push((clicked.1.clone(), state(clicked.0)));
        }
        sequences.push(way);
    }
    sequences
}

/// MEMM or CRF over the distance to the target.
pub struct HopRanker(ChainModel);

impl HopRanker {
    /// Trains on sequences.
    pub fn learn(sequences: &Sequences, kind: ChainKind) -> Self {
        let training = HopTraining {
            prior: Prior {
                variance: 10.0,
                ..Prior::default()
            },
            stopping: Stopping::default(),
            ..HopTraining::new(kind)
        };
        let start = ChainWeights::new(STATES, FEATURES, false);
        Self(training.fit(start, sequences, |_| {}))
    }

    fn forward(&self, before: &[f64], features: &[Feature]) -> Vec<f64> {
        let scores = self.0.weights.scores(features);
        self.0.forward(before, &scores, Inference::Marginal)
    }

    /// Over the distance of the page passed last, which is no target.
    fn belief(&self, way: &Way<'_>) -> Vec<f64> {
        let passed = way.situation.passed;
        let mut belief = vec![1.0 / STATES as f64; STATES];
        for at in 1..passed.len() {
            let links = way.texts.observe(&Situation {
                passed: &passed[..at],
                target: way.situation.target,
            });
            let clicked = links.iter().find(|link| link.0 == passed[at]);
            let features = clicked.map_or(&[][..], |link| &link.1);
            belief = self.forward(&belief, features);
            belief[0] = 0.0;
            let all: f64 = belief.iter().sum();
            for share in &mut belief {
                *share /= all.max(1e-12);
            }
        }
        belief
    }
}

/// Nearest first, by the expected distance.
fn nearness(belief: &[f64]) -> f64 {
    let shares = belief.iter().enumerate();
    -shares
        .map(|(distance, share)| distance as f64 * share)
        .sum::<f64>()
}

impl Ranker for HopRanker {
    fn score(&self, way: &Way<'_>) -> Vec<f64> {
        let before = self.belief(way);
        let links = way.links.iter();
        links
            .map(|(_, features)| nearness(&self.forward(&before, features)))
            .collect()
    }
}

/// Hidden Markov model: of a link it sees only how like the target its title is.
pub struct HmmRanker(Hmm);

/// How like the target's text a link is, in twelfths.
fn symbol(texts: &Texts, page: u32, target: u32) -> usize {
    let likeness = 3.0 * texts.title_in_text(page, target);
    ((likeness * SYMBOLS as f64) as usize).min(SYMBOLS - 1)
}

impl HmmRanker {
    /// Counts trails.
    pub fn learn(texts: &Texts, trails: &[ClickPath], distances: &mut Distances) -> Self {
        let rows: Vec<Vec<(usize, usize)>> = trails
            .iter()
            .map(|trail| {
                let target = trail.target();
                let to_target = distances.to(target);
                let pages = trail.pages.iter();
                pages
                    .map(|&page| {
                        let state = usize::from(to_target[page as usize]).min(STATES - 1);
                        (state, symbol(texts, page, target))
                    })
                    .collect()
            })
            .collect();
        Self(Hmm::count(
            (STATES, SYMBOLS),
            rows.iter().map(Vec::as_slice),
            0.5,
        ))
    }
}

impl Ranker for HmmRanker {
    fn score(&self, way: &Way<'_>) -> Vec<f64> {
        let target = way.situation.target;
        let mut predicted: Option<Vec<f64>> = None;
        for &page in way.situation.passed {
            let belief = self
                .0
                .observe(predicted.as_deref(), symbol(way.texts, page, target));
            predicted = Some(self.0.predict(&belief));
        }
        let links = way.links.iter();
        links
            .map(|(to, _)| {
                let seen = symbol(way.texts, *to, target);
                nearness(&self.0.observe(predicted.as_deref(), seen))
            })
            .collect()
    }
}
