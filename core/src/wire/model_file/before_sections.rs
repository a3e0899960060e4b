//! Model files of versions 1 to 4, whose body had no sections. They are only read.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::ModelError;
use super::forms::{self, WireForm, WireTopic};
use super::graph::{self, WireArrival, WireJudgment, WireMark, WirePage, WireTerm, WireVocabulary};
use crate::codec;
use crate::critics::Sources;
use crate::strategies::{
    SavedCounts, SavedEnsemble, SavedHopChain, SavedPaths, SavedRatios, StrategyState,
};
use crate::topic_model::Knowledge;
use crate::web_graph::Judgment;

#[derive(Deserialize)]
struct OldModel {
    critic: String,
    strategy: String,
    documents_seen: u32,
    terms: Vec<WireTerm>,
    marks: Vec<WireMark>,
    pages: Vec<OldPage>,
    learned: OldLearned,
    arrivals: Vec<WireArrival>,
}

#[derive(Deserialize)]
struct OldPage {
    address: String,
    judgment: WireJudgment,
    counted: bool,
    terms: Vec<(u32, u32)>,
}

#[derive(Deserialize)]
enum OldLearned {
    Nothing,
    Apprentice(SavedCounts),
    /// Since version 2.
    HopChain(SavedHopChain),
    /// Since version 3.
    Intelligent(SavedRatios),
    /// Since version 3.
    Adaptive(SavedPaths),
    /// Since version 3.
    Ensemble(Box<OldEnsemble>),
}

/// The ensemble with the first of its members.
#[derive(Deserialize)]
struct OldEnsemble {
    weights: Vec<(u32, f32, f32)>,
    apprentice: SavedCounts,
    ratios: SavedRatios,
    sites: Vec<(String, f64, f64)>,
    templates: Vec<(String, f64, f64)>,
    stats: Vec<(f64, f64, f64)>,
    all: (f64, f64),
}

/// What stands behind it since version 3: what the critic said of pages, marks aside;
/// other topics that a predicate asks for; forms.
#[derive(Deserialize)]
struct OldMore {
    /// By page, in the order of the pages.
    unmarked: Vec<WireJudgment>,
    topics: Vec<WireTopic>,
    forms: Vec<WireForm>,
    marked_forms: Vec<(WireForm, bool)>,
}

/// The ensemble's members that came later, since version 4: empty for other strategies.
#[derive(Deserialize)]
struct OldMembers {
    paths: Option<SavedPaths>,
    hops: Option<SavedHopChain>,
}

/// The knowledge in a body of this version.
pub(super) fn read(version: u16, body: &[u8]) -> Result<Knowledge, ModelError> {
    let (model, rest): (OldModel, _) = first(body)?;
    let mut knowledge = model.into_knowledge()?;
    if version < 4 && knowledge.strategy == "apprentice" {
        // It was the default then, as the ensemble is now.
        "ensemble".clone_into(&mut knowledge.strategy);
    }
    if version >= 3 {
        let (more, rest): (OldMore, _) = first(rest)?;
        more.add_to(&mut knowledge)?;
        if version >= 4 {
            let (members, _): (OldMembers, _) = first(rest)?;
            members.add_to(&mut knowledge)?;
        }
    }
    Ok(knowledge)
}

fn first<T: DeserializeOwned>(body: &[u8]) -> Result<(T, &[u8]), ModelError> {
    codec::decode_first(body).map_err(|error| ModelError::Section("of an old version", error))
}

impl OldModel {
    fn into_knowledge(self) -> Result<Knowledge, ModelError> {
        let vocabulary = WireVocabulary {
            documents_seen: self.documents_seen,
            terms: self.terms,
        };
        let mut graph = vocabulary.into_graph()?;
        let known_terms = graph.vocabulary.len();
        graph::put_marks(&mut graph, self.marks)?;
        let pages = self.pages.into_iter().map(|page| WirePage {
            address: page.address,
            unmarked: page.judgment.clone(),
            judgment: page.judgment,
            counted: page.counted,
            terms: page.terms,
        });
        graph::put_pages(&mut graph, pages.collect())?;
        Ok(Knowledge {
            beginning: None,
            critic: self.critic,
            sources: Sources::default(),
            strategy: self.strategy,
            learned: self.learned.into_state(known_terms)?,
            arrivals: graph::into_examples(self.arrivals, known_terms)?,
            graph,
        })
    }
}

impl OldLearned {
    fn into_state(self, known_terms: usize) -> Result<StrategyState, ModelError> {
        Ok(match self {
            Self::Nothing => StrategyState::default(),
            Self::Apprentice(counts) => {
                let counts = counts.into_counts(known_terms)?;
                // None were kept where pages were forgotten: they are counted again.
                if counts.instances() == (0, 0) {
                    return Ok(StrategyState::default());
                }
                StrategyState::of(&counts)
            }
            Self::HopChain(chain) => StrategyState::of(&chain.into_chain()?),
            Self::Intelligent(ratios) => StrategyState::of(&ratios.into_counts(known_terms)?),
            Self::Adaptive(paths) => StrategyState::of(&paths.into_repository(known_terms)?),
            Self::Ensemble(old) => {
                let own = SavedEnsemble {
                    weights: old.weights,
                    sites: old.sites,
                    templates: old.templates,
                    stats: old.stats,
                    all: old.all,
                };
                StrategyState::of(&own.into_state()?)
                    .with(&old.apprentice.into_counts(known_terms)?)
                    .with(&old.ratios.into_counts(known_terms)?)
            }
        })
    }
}

impl OldMore {
    fn add_to(self, knowledge: &mut Knowledge) -> Result<(), ModelError> {
        forms::put_forms(&mut knowledge.graph, self.forms)?;
        forms::put_marked_forms(&mut knowledge.graph, self.marked_forms)?;
        knowledge.sources.topics = forms::into_topics(self.topics)?;
        let unmarked = self.unmarked.into_iter().map(WireJudgment::into_judgment);
        let unmarked: Vec<Judgment> = unmarked.collect();
        knowledge.graph.set_unmarked(&unmarked);
        Ok(())
    }
}

impl OldMembers {
    fn add_to(self, knowledge: &mut Knowledge) -> Result<(), ModelError> {
        let mut state = std::mem::take(&mut knowledge.learned);
        let known_terms = knowledge.graph.vocabulary.len();
        if let Some(paths) = self.paths {
            state = state.with(&paths.into_repository(known_terms)?);
        }
        if let Some(chain) = self.hops {
            state = state.with(&chain.into_chain()?);
        }
        knowledge.learned = state;
        Ok(())
    }
}
