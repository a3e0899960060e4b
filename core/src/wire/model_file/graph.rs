//! Words, pages, marks and training examples in a model file.

use serde::{Deserialize, Serialize};

use super::ModelError;
use crate::address::Address;
use crate::features::{LinkContext, OffsetTerm, PageTerms};
use crate::strategies::{Candidate, Step, Trail};
use crate::text::{TermId, TermRow, Vocabulary};
use crate::topic_model::TrainingExample;
use crate::web_graph::{Judgment, KnownPage, Mark, MarkedPage, Relevance, WebGraph};

/// Pages on the way to a link that are written; the newest stay.
const LONGEST_TRAIL: usize = 32;

/// All words, each at the place of its number.
#[derive(Serialize, Deserialize)]
pub(super) struct WireVocabulary {
    pub(super) documents_seen: u32,
    pub(super) terms: Vec<WireTerm>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct WireTerm {
    term: String,
    surface: String,
    documents: u32,
    occurrences: f32,
}

#[derive(Serialize, Deserialize)]
pub(super) struct WireMark {
    address: String,
    target: bool,
    terms: Vec<(u32, u32)>,
}

#[derive(Clone, Serialize, Deserialize)]
pub(super) struct WireJudgment {
    relevance: f64,
    log_odds: f64,
    similarity: f64,
    is_target: bool,
}

#[derive(Serialize, Deserialize)]
pub(super) struct WirePage {
    pub(super) address: String,
    pub(super) judgment: WireJudgment,
    /// What the critic said, marks aside.
    pub(super) unmarked: WireJudgment,
    pub(super) counted: bool,
    pub(super) terms: Vec<(u32, u32)>,
}

#[derive(Serialize, Deserialize)]
struct WireLink {
    target: String,
    anchor: String,
    context: Vec<u32>,
    trail: Vec<(String, f64)>,
    tie: f32,
}

#[derive(Serialize, Deserialize)]
pub(super) struct WireArrival {
    via: Vec<WireLink>,
    address: String,
    judgment: WireJudgment,
}

impl WireVocabulary {
    pub(super) fn of(vocabulary: &Vocabulary) -> Self {
        let terms = vocabulary.rows().map(|row| WireTerm {
            term: row.term,
            surface: row.surface,
            documents: row.documents,
            occurrences: row.occurrences,
        });
        Self {
            documents_seen: vocabulary.documents_seen(),
            terms: terms.collect(),
        }
    }

    /// A web graph that knows these words and nothing else.
    pub(super) fn into_graph(self) -> Result<WebGraph, ModelError> {
        let rows = self.terms.into_iter().map(|row| TermRow {
            term: row.term,
            surface: row.surface,
            documents: row.documents,
            occurrences: if row.occurrences.is_finite() {
                row.occurrences.max(0.0)
            } else {
                0.0
            },
        });
        let vocabulary = Vocabulary::from_rows(self.documents_seen, rows)
            .ok_or(ModelError::Content("a term stands in it twice"))?;
        Ok(WebGraph::with_vocabulary(vocabulary))
    }
}

/// The marks of a graph.
pub(super) fn marks(graph: &WebGraph) -> Vec<WireMark> {
    let marks = graph.marks.iter().map(|(address, page)| WireMark {
        address: address.to_string(),
        target: page.mark == Mark::Target,
        terms: term_rows(&page.terms),
    });
    marks.collect()
}

/// Sets marks in a graph whose words are known.
pub(super) fn put_marks(graph: &mut WebGraph, marks: Vec<WireMark>) -> Result<(), ModelError> {
    let known_terms = graph.vocabulary.len();
    for mark in marks {
        let page = MarkedPage {
            mark: if mark.target {
                Mark::Target
            } else {
                Mark::NotTarget
            },
            terms: page_terms(mark.terms, known_terms)?,
        };
        graph.marks.insert(address(&mark.address)?, page);
    }
    Ok(())
}

/// Pages with the subtopics that they are said to be of.
pub(super) fn subtopics(graph: &WebGraph) -> Vec<(String, String)> {
    let subtopics = graph.subtopics.iter();
    subtopics
        .map(|(page, subtopic)| (page.to_string(), subtopic.clone()))
        .collect()
}

/// Says of pages of which subtopics they are.
pub(super) fn put_subtopics(
    graph: &mut WebGraph,
    subtopics: Vec<(String, String)>,
) -> Result<(), ModelError> {
    for (page, subtopic) in subtopics {
        graph.subtopics.insert(address(&page)?, subtopic);
    }
    Ok(())
}

/// The pages of a graph, oldest first.
pub(super) fn pages(graph: &WebGraph) -> Vec<WirePage> {
    let pages = graph.pages().map(|page| WirePage {
        address: page.address.to_string(),
        judgment: WireJudgment::of(page.judgment),
        unmarked: WireJudgment::of(page.unmarked),
        counted: page.counted,
        terms: term_rows(&page.terms),
    });
    pages.collect()
}

/// Puts pages into a graph whose words are known.
pub(super) fn put_pages(graph: &mut WebGraph, pages: Vec<WirePage>) -> Result<(), ModelError> {
    let known_terms = graph.vocabulary.len();
    for page in pages {
        graph.remember(KnownPage {
            address: address(&page.address)?,
            judgment: page.judgment.into_judgment(),
            unmarked: page.unmarked.into_judgment(),
            counted: page.counted,
            terms: page_terms(page.terms, known_terms)?,
        });
    }
    Ok(())
}

/// Backlinks by the hash of the page linked to, in its order: the places of the pages with
/// the links among [`pages`].
pub(super) fn backlinks(graph: &WebGraph) -> Vec<(u64, Vec<u32>)> {
    let mut rows: Vec<_> = graph.backlink_rows().collect();
    rows.sort_unstable_by_key(|row| row.0);
    rows
}

/// Puts backlinks into a graph whose pages are known.
pub(super) fn put_backlinks(
    graph: &mut WebGraph,
    rows: Vec<(u64, Vec<u32>)>,
) -> Result<(), ModelError> {
    for (target, places) in rows {
        if !graph.put_backlinks(target, &places) {
            return Err(ModelError::Content("a link stands on a page that it lacks"));
        }
    }
    Ok(())
}

/// What can be learned again from, oldest first.
pub(super) fn examples(arrivals: &[TrainingExample]) -> Vec<WireArrival> {
    arrivals.iter().map(WireArrival::of).collect()
}

/// Back from [`examples`], with a vocabulary of so many words.
pub(super) fn into_examples(
    arrivals: Vec<WireArrival>,
    known_terms: usize,
) -> Result<Vec<TrainingExample>, ModelError> {
    let arrivals = arrivals.into_iter();
    arrivals
        .map(|arrival| arrival.into_example(known_terms))
        .collect()
}

impl WireJudgment {
    pub(super) fn of(judgment: Judgment) -> Self {
        Self {
            relevance: judgment.relevance.value(),
            log_odds: judgment.log_odds,
            similarity: judgment.similarity,
            is_target: judgment.is_target,
        }
    }

    pub(super) fn into_judgment(self) -> Judgment {
        let number = |value: f64| if value.is_finite() { value } else { 0.0 };
        Judgment {
            relevance: Relevance::new(self.relevance),
            log_odds: number(self.log_odds),
            similarity: number(self.similarity).clamp(0.0, 1.0),
            is_target: self.is_target,
        }
    }
}

impl WireArrival {
    fn of(arrival: &TrainingExample) -> Self {
        Self {
            via: arrival.via.iter().map(WireLink::of).collect(),
            address: arrival.address.to_string(),
            judgment: WireJudgment::of(arrival.judgment),
        }
    }

    fn into_example(self, known_terms: usize) -> Result<TrainingExample, ModelError> {
        let links = self.via.into_iter();
        Ok(TrainingExample {
            via: links
                .map(|link| link.into_candidate(known_terms))
                .collect::<Result<_, _>>()?,
            address: address(&self.address)?,
            judgment: self.judgment.into_judgment(),
        })
    }
}

impl WireLink {
    fn of(link: &Candidate) -> Self {
        let mut trail: Vec<(String, f64)> = link
            .trail
            .steps()
            .take(LONGEST_TRAIL)
            .map(|step| (step.address.to_string(), step.relevance.value()))
            .collect();
        trail.reverse();
        let context = link.context.features().iter();
        Self {
            target: link.target.to_string(),
            anchor: link.anchor.to_string(),
            context: context.map(|feature| feature.to_bits()).collect(),
            trail,
            tie: link.tie,
        }
    }

    fn into_candidate(self, known_terms: usize) -> Result<Candidate, ModelError> {
        let mut features = Vec::with_capacity(self.context.len());
        for bits in self.context {
            let feature = OffsetTerm::from_bits(bits);
            known(feature.term().0, known_terms)?;
            features.push(feature);
        }
        let mut steps = Vec::with_capacity(self.trail.len());
        for (step, relevance) in self.trail {
            steps.push(Step {
                address: address(&step)?,
                relevance: Relevance::new(relevance),
            });
        }
        Ok(Candidate {
            target: address(&self.target)?,
            anchor: self.anchor.into(),
            context: LinkContext::new(features),
            trail: Trail::from_oldest(steps),
            tie: if self.tie.is_finite() { self.tie } else { 0.0 },
            neighbours: Box::default(),
        })
    }
}

pub(super) fn address(text: &str) -> Result<Address, ModelError> {
    Address::parse(text).map_err(|_| ModelError::Content("an address is no web address"))
}

fn known(term: u32, known_terms: usize) -> Result<TermId, ModelError> {
    if (term as usize) < known_terms {
        Ok(TermId(term))
    } else {
        Err(ModelError::Content(
            "a term number is beyond the vocabulary",
        ))
    }
}

pub(super) fn term_rows(terms: &PageTerms) -> Vec<(u32, u32)> {
    let rows = terms.rows().iter();
    rows.map(|&(TermId(id), count)| (id, count)).collect()
}

pub(super) fn page_terms(
    rows: Vec<(u32, u32)>,
    known_terms: usize,
) -> Result<PageTerms, ModelError> {
    let mut checked = Vec::with_capacity(rows.len());
    for (term, count) in rows {
        checked.push((known(term, known_terms)?, count.max(1)));
    }
    Ok(PageTerms::from_rows(checked))
}
