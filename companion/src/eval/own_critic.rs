//! Our own critic on a frozen web: taught by example pages and by pages that
//! are none, it judges all the others.

use linkscent_core::critics::{self, Critic, TrainedTopic};
use linkscent_core::features::{FeatureReader, PageTerms};
use linkscent_core::strategies::{Draw, SplitMix};
use linkscent_core::text::{TermId, Vocabulary};
use linkscent_core::web_graph::{
    HEAVIEST_TERMS, Judgment, KnownPage, MARKED_TERMS, Mark, MarkedPage, WebGraph,
};

use super::topic::Label;
use super::web::EvalWeb;

/// Examples from which on they make a training set.
pub const ENOUGH: usize = 10;
/// Pages that stand for the rest of the web where nobody named any.
const OTHERS: usize = 500;

/// Labels for a whole web. `others` are pages that are not of the topic; where
/// there are none, some are drawn.
pub fn labels(web: &EvalWeb, examples: &[u32], others: &[u32], random_seed: u64) -> Vec<Label> {
    let drawn = draw_others(web, examples, random_seed);
    let others = if others.is_empty() { &drawn } else { others };
    let mut labels = if examples.len() < ENOUGH {
        by_examples(web, examples, others)
    } else {
        by_training(web, examples, others)
    };
    for (numbers, is_example) in [(examples, true), (others, false)] {
        for &number in numbers {
            labels[number as usize].example = Some(is_example);
        }
    }
    labels
}

/// A critic that a training set made, and the words it knows.
pub struct Trained {
    /// The critic.
    pub critic: TrainedTopic,
    vocabulary: Vocabulary,
}

/// Trains a critic on pages of a web.
pub fn train(web: &EvalWeb, examples: &[u32], others: &[u32]) -> Trained {
    let mut vocabulary = Vocabulary::default();
    let mut read =
        |number: &u32| FeatureReader::new(&web.pages[*number as usize], &mut vocabulary).terms();
    let positives: Vec<PageTerms> = examples.iter().map(&mut read).collect();
    let negatives: Vec<PageTerms> = others.iter().map(&mut read).collect();
    Trained {
        critic: TrainedTopic::train(&positives, &negatives),
        vocabulary,
    }
}

impl Trained {
    /// The words that speak loudest for the topic, with their log-odds; rare
    /// ones speak less loud.
    pub fn loudest(&self, most: usize) -> Vec<(String, f64)> {
        let rows = self.critic.word_weights().into_iter();
        let mut loud: Vec<(f64, f64, TermId)> = rows
            .map(|(term, log_odds, times)| (log_odds * times.ln_1p(), log_odds, term))
            .collect();
        loud.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.2.cmp(&b.2)));
        let words = loud.into_iter().take(most);
        words
            .map(|(_, log_odds, term)| (self.vocabulary.surface(term).to_owned(), log_odds))
            .collect()
    }
}

/// By the critic that a training set makes.
fn by_training(web: &EvalWeb, examples: &[u32], others: &[u32]) -> Vec<Label> {
    let mut trained = train(web, examples, others);
    let label = |page| {
        let terms = FeatureReader::new(page, &mut trained.vocabulary).terms();
        let verdict = trained.critic.judge(&terms);
        Label {
            relevance: verdict.relevance.value(),
            log_odds: verdict.log_odds,
            example: None,
        }
    };
    web.pages.iter().map(label).collect()
}

/// By the critic that makes do with a few pages.
fn by_examples(web: &EvalWeb, examples: &[u32], others: &[u32]) -> Vec<Label> {
    let mut graph = WebGraph::default();
    for &number in others {
        see(&mut graph, web, number);
    }
    for &number in examples {
        let page = &web.pages[number as usize];
        let terms = FeatureReader::new(page, &mut graph.vocabulary).terms();
        let marked = MarkedPage {
            mark: Mark::Target,
            terms: terms.heaviest(MARKED_TERMS),
        };
        graph.marks.insert(page.address.clone(), marked);
    }
    let mut critic = critics::Topic::default();
    critic.refresh(&graph);
    let judge = |page| {
        let terms = FeatureReader::new(page, &mut graph.vocabulary).terms();
        let judgment = critic.judge_terms(&terms, &graph);
        Label {
            relevance: judgment.relevance.value(),
            log_odds: judgment.log_odds,
            example: None,
        }
    };
    web.pages.iter().map(judge).collect()
}

/// Counts a page's words as those of the rest of the web.
fn see(graph: &mut WebGraph, web: &EvalWeb, number: u32) {
    let page = &web.pages[number as usize];
    let terms = FeatureReader::new(page, &mut graph.vocabulary).terms();
    graph.vocabulary.count_document(&terms.damped());
    graph.remember(KnownPage {
        address: page.address.clone(),
        judgment: Judgment::default(),
        counted: true,
        terms: terms.heaviest(HEAVIEST_TERMS),
    });
}

fn draw_others(web: &EvalWeb, examples: &[u32], random_seed: u64) -> Vec<u32> {
    let mut draw = SplitMix(random_seed);
    let mut numbers: Vec<u32> = (0..web.pages.len() as u32).collect();
    numbers.retain(|number| !examples.contains(number));
    // Never more than a quarter of a small web: the rest is to be found.
    let wanted = OTHERS.min(numbers.len() / 4);
    for place in 0..wanted {
        let rest = numbers.len() - place;
        let other = place + (draw.unit() * rest as f64) as usize;
        numbers.swap(place, other);
    }
    numbers.truncate(wanted);
    numbers
}
