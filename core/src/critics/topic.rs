//! The topic critic: is a page what the person means, who gave a topic's name, a few pages,
//! or both?
//!
//! Three kinds of evidence are joined in one logistic model: the words of the page against
//! those of the targets and of all pages seen ([`words`], \[A\] 2.1); the
//! [meaning](crate::meaning) of its words against that of the targets, seen from the mean of
//! all pages; and the topic's name with what the person said of it, by its words and their
//! meaning. The model's weights are fixed. They were fitted on crawls for categories of an
//! encyclopedia, with those left out in turn of which the rest was to tell, so what it states
//! is a probability; more targets sharpen the meaning. A page that is nearer to one that was
//! marked as "not this" than to the targets is the less likely by as much.
//! The taxonomy of \[A\] is not here.

mod sentences;
mod words;

pub use sentences::SentenceVectors;

use serde::{Deserialize, Serialize};

use super::{Critic, NamedTopic, targets};
use crate::codec::{CodecError, Loader, SaveError, Saver};
use crate::features::{HEAVIEST_TERMS, PageTerms};
use crate::text::TermId;
use crate::web_graph::{Judgment, Relevance, WebGraph};
use words::{WordWeights, weights_left_out};

/// Pages that stand for a mean and a spread not measured yet.
const PAGES_BEFORE: f64 = 5.0;
/// The spread of words' scores, and of cosines to the targets, before any was measured.
const WORDS_SPREAD: f64 = 0.4;
const MEANING_SPREAD: f64 = 0.2;
/// Words' scores are cut off at so many standard deviations.
const FARTHEST: f64 = 3.0;
/// Log-odds that a word of the topic's name is worth near a link, and against it one of what was
/// said that it is not.
const NAME_WORD: f64 = 2.0;
/// From this probability on a page is called relevant: where as many of those called are
/// right as are missed.
const CALLED_FROM: f64 = 0.3;

/// How much each kind of evidence weighs.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct EvidenceWeights {
    bias: f64,
    /// A standard deviation of the words' score.
    words: f64,
    /// A spread of the cosine to the targets, and that again for each unit of the logarithm of
    /// their number.
    meaning: f64,
    by_targets: f64,
    /// The cosine to the name.
    name_meaning: f64,
    /// The root of how often the name's words stand there, by the page's mean word.
    name_words: f64,
}

const PAGES_AND_NAME: EvidenceWeights = EvidenceWeights {
    bias: -3.84,
    words: 0.23,
    meaning: 0.89,
    by_targets: 0.11,
    name_meaning: 3.07,
    name_words: 0.5,
};
const PAGES: EvidenceWeights = EvidenceWeights {
    bias: -3.49,
    words: 0.39,
    meaning: 1.09,
    by_targets: 0.16,
    name_meaning: 0.0,
    name_words: 0.0,
};
const NAME: EvidenceWeights = EvidenceWeights {
    bias: -3.34,
    words: 0.0,
    meaning: 0.0,
    by_targets: 0.0,
    name_meaning: 5.38,
    name_words: 0.53,
};

/// Judges pages by the topic's name and the pages that were marked.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Topic {
    weights: EvidenceWeights,
    words: WordWeights,
    words_scale: Scale,
    meaning_scale: Scale,
    /// Terms of the topic's name and of what was said of it, ordered.
    name: Vec<TermId>,
    /// Terms of what was said that it is not, ordered.
    not_terms: Vec<TermId>,
    confidence: Option<f64>,
}

impl Default for Topic {
    fn default() -> Self {
        Self {
            weights: PAGES,
            words: WordWeights::default(),
            words_scale: Scale::of([].into_iter(), 0.0, WORDS_SPREAD),
            meaning_scale: Scale::of([].into_iter(), 0.0, MEANING_SPREAD),
            name: Vec::new(),
            not_terms: Vec::new(),
            confidence: None,
        }
    }
}

/// Mean and spread of a number.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Scale {
    mean: f64,
    spread: f64,
}

impl Scale {
    /// Of some numbers, on top of what was taken for granted.
    fn of(numbers: impl Iterator<Item = f64> + Clone, mean: f64, spread: f64) -> Self {
        let count = PAGES_BEFORE + numbers.clone().count() as f64;
        let mean = (PAGES_BEFORE * mean + numbers.clone().sum::<f64>()) / count;
        let squares: f64 = numbers.map(|number| (number - mean).powi(2)).sum();
        Self {
            mean,
            spread: ((PAGES_BEFORE * spread * spread + squares) / count).sqrt(),
        }
    }
}

impl Topic {
    /// What the words of the marked pages alone say of pages elsewhere, without those pages.
    pub fn frozen(known: &WebGraph) -> NamedTopic {
        WordWeights::learn(known, None).frozen(known)
    }

    /// Log-odds that a page is of the topic.
    fn log_odds(
        &self,
        terms: &PageTerms,
        words_score: f64,
        left_out: Option<usize>,
        known: &WebGraph,
    ) -> f64 {
        let weights = &self.weights;
        let topic = &known.topic_meaning;
        let direction = topic.direction(terms, &known.vocabulary);
        let near = topic.to_targets(&direction, left_out);
        let beyond = (topic.to_not_targets(&direction) - near).max(0.0);
        let targets = topic.targets() - usize::from(left_out.is_some());
        let by_targets = weights.by_targets * (targets.max(1) as f64).ln();
        let words = (words_score - self.words_scale.mean) / self.words_scale.spread;
        weights.bias
            + weights.words * words.clamp(-FARTHEST, FARTHEST)
            + (weights.meaning + by_targets) * (near - beyond) / self.meaning_scale.spread
            + weights.name_meaning * topic.to_name(&direction)
            + weights.name_words * self.name_words(terms)
    }

    /// How often the name's words stand there, less by those that were said not to be it: the
    /// roots of [`share_of`].
    fn name_words(&self, terms: &PageTerms) -> f64 {
        if self.name.is_empty() && self.not_terms.is_empty() {
            return 0.0;
        }
        let heaviest = terms.heaviest(HEAVIEST_TERMS).damped();
        share_of(&self.name, &heaviest).sqrt() - share_of(&self.not_terms, &heaviest).sqrt()
    }

    /// How often a target that was left out is likelier than another page, as if two more had
    /// been left out and had been likelier than half of them. None without targets.
    fn measured_confidence(&self, known: &WebGraph) -> Option<f64> {
        if known.topic_meaning.targets() == 0 {
            return None;
        }
        let others: Vec<f64> = known
            .unmarked()
            .map(|terms| self.log_odds(terms, self.words.score(terms), None, known))
            .collect();
        if others.is_empty() {
            return Some(0.5);
        }
        let mut left_out = Vec::new();
        if known.topic_meaning.targets() > 1 {
            for (number, (words, target)) in weights_left_out(known).enumerate() {
                let score = words.score(&target.terms);
                left_out.push(self.log_odds(&target.terms, score, Some(number), known));
            }
        }
        let above = |score: &f64| {
            let below = others.iter().filter(|other| *other < score).count();
            below as f64 / others.len() as f64
        };
        let above: f64 = left_out.iter().map(above).sum();
        Some((above + 1.0) / (left_out.len() as f64 + 2.0))
    }
}

/// How often some words stand among a page's heaviest, by the mean word of the page.
fn share_of(words: &[TermId], heaviest: &[(TermId, f32)]) -> f64 {
    let (mut own, mut all) = (0.0, 0.0);
    for &(term, weight) in heaviest {
        all += f64::from(weight);
        if words.binary_search(&term).is_ok() {
            own += f64::from(weight);
        }
    }
    if own == 0.0 {
        return 0.0;
    }
    own / all * HEAVIEST_TERMS as f64 / words.len() as f64
}

/// As a relevance: from a half on a page is called relevant.
fn relevance(log_odds: f64) -> Relevance {
    let called_from = (CALLED_FROM / (1.0 - CALLED_FROM)).ln();
    Relevance::new(1.0 / (1.0 + (called_from - log_odds).exp()))
}

/// Back from a relevance.
pub(super) fn probability(relevance: Relevance) -> f64 {
    let odds = CALLED_FROM / (1.0 - CALLED_FROM) * relevance.value();
    odds / (odds + 1.0 - relevance.value())
}

impl Critic for Topic {
    fn name(&self) -> &'static str {
        "topic"
    }

    /// Without a target or a name nothing is known of the topic and no page is good.
    fn judge_terms(&self, terms: &PageTerms, known: &WebGraph) -> Option<Judgment> {
        let topic = &known.topic_meaning;
        let is_told = topic.targets() > 0 || topic.is_named();
        if !is_told || terms.rows().is_empty() {
            return Some(Judgment::default());
        }
        let score = self.words.score(terms);
        let relevance = relevance(self.log_odds(terms, score, None, known));
        Some(Judgment {
            relevance,
            log_odds: score,
            similarity: targets::similarity(terms, known),
            is_target: relevance.is_high(),
        })
    }

    fn confidence(&self) -> Option<f64> {
        self.confidence
    }

    fn goes_by_meaning(&self) -> bool {
        true
    }

    fn word_weight(&self, term: TermId) -> f64 {
        let known = self.words.known(term).unwrap_or(0.0);
        if self.name.binary_search(&term).is_ok() {
            known.max(NAME_WORD)
        } else if self.not_terms.binary_search(&term).is_ok() {
            known.min(-NAME_WORD)
        } else {
            known
        }
    }

    fn refresh(&mut self, known: &WebGraph) {
        let topic = &known.topic_meaning;
        self.weights = match (topic.targets(), topic.is_named()) {
            (_, false) => PAGES,
            (0, true) => NAME,
            (_, true) => PAGES_AND_NAME,
        };
        self.name = topic.name_terms().to_vec();
        self.not_terms = topic.not_terms().to_vec();
        self.words = WordWeights::learn(known, None);
        let others = known
            .unmarked()
            .filter(|terms| !topic.is_like_targets(terms, &known.vocabulary));
        let others: Vec<&PageTerms> = others.collect();
        let scores: Vec<f64> = others.iter().map(|terms| self.words.score(terms)).collect();
        self.words_scale = Scale::of(scores.into_iter(), self.words.other(), WORDS_SPREAD);
        let nearness: Vec<f64> = others
            .iter()
            .map(|terms| topic.to_targets(&topic.direction(terms, &known.vocabulary), None))
            .collect();
        self.meaning_scale = Scale::of(nearness.into_iter(), 0.0, MEANING_SPREAD);
        self.confidence = self.measured_confidence(known);
    }

    fn save(&self, to: &mut Saver<'_>) -> Result<(), SaveError> {
        to.put(self)
    }

    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), CodecError> {
        *self = from.take()?;
        Ok(())
    }
}
