//! Our own critic on a frozen web: taught by example pages and by pages that
//! are none, it judges all the others.

use linkscent_core::critics::{self, Critic, TrainedTopic, TrainingClass};
use linkscent_core::features::{FeatureReader, HEAVIEST_TERMS};
use linkscent_core::strategies::{Rng, SplitMix};
use linkscent_core::text::{TermId, Vocabulary};
use linkscent_core::web_graph::{Judgment, KnownPage, MARKED_TERMS, Mark, MarkedPage, WebGraph};

use super::topic::{Label, PageClasses};
use super::web::EvalWeb;

/// Examples from which on they make a training set.
pub const ENOUGH: usize = 10;
/// Pages that stand for the rest of the web where nobody named any.
const OTHERS: usize = 500;
/// Probability from which on a class of a page is noted.
const LEAST_SHARE: f64 = 0.05;

/// What a critic is taught: classes of pages, some of them the topic's.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CriticExample {
    /// The classes.
    pub classes: Vec<ExampleClass>,
}

/// One class.
#[derive(Debug, Clone, PartialEq)]
pub struct ExampleClass {
    /// Its name.
    pub name: String,
    /// Whether it is (part of) the topic.
    pub is_focus: bool,
    /// Numbers of its pages.
    pub pages: Vec<u32>,
}

impl CriticExample {
    /// The topic against the rest.
    pub fn two(examples: Vec<u32>, others: Vec<u32>) -> Self {
        let class = |name: &str, is_focus, pages| ExampleClass {
            name: name.to_owned(),
            is_focus,
            pages,
        };
        let classes = [
            class("the topic", true, examples),
            class("the rest", false, others),
        ];
        Self {
            classes: classes.into(),
        }
    }

    /// The pages of the topic, or those that are not.
    pub fn pages(&self, of_topic: bool) -> Vec<u32> {
        let classes = self.classes.iter();
        let of_kind = classes.filter(|class| class.is_focus == of_topic);
        of_kind
            .flat_map(|class| class.pages.iter().copied())
            .collect()
    }

    /// The same; where no page was named that is not of the topic, some are
    /// drawn.
    #[must_use]
    pub fn complete(mut self, web: &EvalWeb, random_seed: u64) -> Self {
        if self.pages(false).is_empty() {
            let pages = draw_others(web, &self.pages(true), random_seed);
            self.classes.retain(|class| class.is_focus);
            self.classes.push(ExampleClass {
                name: "the rest".to_owned(),
                is_focus: false,
                pages,
            });
        }
        self
    }

    /// Whether it has pages enough to train on.
    pub fn is_enough(&self) -> bool {
        self.pages(true).len() >= ENOUGH
    }
}

/// Every page of a web as our critic judges it.
pub struct Judged {
    /// By number of the page.
    pub labels: Vec<Label>,
    /// The classes of the pages, where there were more than two.
    pub classes: Option<PageClasses>,
}

/// Judges a whole web by the critic that a complete set of examples makes.
pub fn judge(web: &EvalWeb, examples: &CriticExample) -> Judged {
    let mut judged = if examples.is_enough() {
        by_training(web, examples)
    } else {
        let labels = by_examples(web, examples).0;
        Judged {
            labels,
            classes: None,
        }
    };
    for is_example in [true, false] {
        for number in examples.pages(is_example) {
            judged.labels[number as usize].example = Some(is_example);
        }
    }
    judged
}

/// How sure the critic of a few examples is, see [`Critic::confidence`].
pub fn confidence(web: &EvalWeb, examples: &CriticExample) -> Option<f64> {
    by_examples(web, examples).1
}

/// A critic that a training set made, and the words it knows.
pub struct Trained {
    /// The critic.
    pub critic: TrainedTopic,
    vocabulary: Vocabulary,
}

/// Trains a critic on pages of a web.
pub fn train(web: &EvalWeb, examples: &CriticExample) -> Trained {
    let mut vocabulary = Vocabulary::default();
    let mut read =
        |number: &u32| FeatureReader::new(&web.pages[*number as usize], &mut vocabulary).terms();
    let classes: Vec<TrainingClass> = examples
        .classes
        .iter()
        .map(|class| TrainingClass {
            name: class.name.clone(),
            is_focus: class.is_focus,
            pages: class.pages.iter().map(&mut read).collect(),
        })
        .collect();
    Trained {
        critic: TrainedTopic::train(&classes),
        vocabulary,
    }
}

impl Trained {
    /// The words that speak most for the topic, with their log-odds; rare
    /// ones count less.
    pub fn top_features(&self, most: usize) -> Vec<(String, f64)> {
        let rows = self.critic.word_weights().into_iter();
        let mut strongest: Vec<(f64, f64, TermId)> = rows
            .map(|(term, log_odds, times)| (log_odds * times.ln_1p(), log_odds, term))
            .collect();
        strongest.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.2.cmp(&b.2)));
        let words = strongest.into_iter().take(most);
        words
            .map(|(_, log_odds, term)| (self.vocabulary.surface(term).to_owned(), log_odds))
            .collect()
    }
}

/// By the critic that a training set makes.
fn by_training(web: &EvalWeb, examples: &CriticExample) -> Judged {
    let mut trained = train(web, examples);
    let names = trained.critic.classes().iter();
    let mut classes = PageClasses {
        names: names.map(|class| class.0.clone()).collect(),
        of: Vec::new(),
    };
    let mut labels = Vec::with_capacity(web.pages.len());
    for page in &web.pages {
        let terms = FeatureReader::new(page, &mut trained.vocabulary).terms();
        let verdict = trained.critic.judge(&terms);
        labels.push(Label {
            relevance: verdict.relevance.value(),
            log_odds: verdict.log_odds,
            example: None,
        });
        let shares = trained.critic.class_probabilities(&terms).into_iter();
        let noted = shares.zip(0..).filter(|(share, _)| *share >= LEAST_SHARE);
        classes
            .of
            .push(noted.map(|(share, class)| (class, share)).collect());
    }
    let is_taxonomy = examples.classes.len() > 2;
    Judged {
        labels,
        classes: is_taxonomy.then_some(classes),
    }
}

/// By the critic that makes do with a few pages; also how sure it is.
fn by_examples(web: &EvalWeb, examples: &CriticExample) -> (Vec<Label>, Option<f64>) {
    let mut graph = WebGraph::default();
    for number in examples.pages(false) {
        see(&mut graph, web, number);
    }
    for number in examples.pages(true) {
        let page = &web.pages[number as usize];
        let terms = FeatureReader::new(page, &mut graph.vocabulary).terms();
        let marked = MarkedPage {
            mark: Mark::Target,
            terms: terms.heaviest(MARKED_TERMS),
        };
        graph.marks.insert(page.address.clone(), marked);
    }
    let mut critic = critics::Topic::default();
    graph.topic_meaning = graph.meaning_of_topic();
    critic.refresh(&graph);
    let judge = |page| {
        let terms = FeatureReader::new(page, &mut graph.vocabulary).terms();
        let judgment = critic.judge_terms(&terms, &graph).unwrap_or_default();
        Label {
            relevance: judgment.relevance.value(),
            log_odds: judgment.log_odds,
            example: None,
        }
    };
    (web.pages.iter().map(judge).collect(), critic.confidence())
}

/// Counts a page's words as those of the rest of the web.
fn see(graph: &mut WebGraph, web: &EvalWeb, number: u32) {
    let page = &web.pages[number as usize];
    let terms = FeatureReader::new(page, &mut graph.vocabulary).terms();
    graph.vocabulary.count_document(&terms.damped());
    graph.remember(KnownPage {
        address: page.address.clone(),
        judgment: Judgment::default(),
        unmarked: Judgment::default(),
        counted: true,
        terms: terms.heaviest(HEAVIEST_TERMS),
    });
}

fn draw_others(web: &EvalWeb, examples: &[u32], random_seed: u64) -> Vec<u32> {
    let mut rng = SplitMix(random_seed);
    let mut numbers: Vec<u32> = (0..web.pages.len() as u32).collect();
    numbers.retain(|number| !examples.contains(number));
    // Never more than a quarter of a small web: the rest is to be found.
    let wanted = OTHERS.min(numbers.len() / 4);
    for place in 0..wanted {
        let rest = numbers.len() - place;
        let other = place + (rng.unit() * rest as f64) as usize;
        numbers.swap(place, other);
    }
    numbers.truncate(wanted);
    numbers
}
