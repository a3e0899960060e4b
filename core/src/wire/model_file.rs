//! The model file: everything a guide has learned, as bytes.
//!
//! A header (magic, format version, kind, length, checksum) and a bincode
//! body. It may come from anywhere, so it is read as hostile: sizes are capped
//! before anything is allocated, and every number is checked before it becomes
//! part of a guide. Old versions go on loading.

mod ensemble;
mod hop_chain;
mod more;
mod paths;
mod ratios;

use bincode::config::{Configuration, Limit, LittleEndian, Varint};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use ensemble::{WireEnsemble, WireMembers};
use hop_chain::WireHopChain;
use more::WireMore;
use paths::WirePaths;
use ratios::WireRatios;

use crate::address::Address;
use crate::critics::NamedTopics;
use crate::features::{LinkContext, OffsetTerm, PageTerms};
use crate::guide::{Knowledge, TrainingExample};
use crate::models::{FeatureCount, TwoClassCounts};
use crate::strategies::{Candidate, Step, StrategyState, Trail};
use crate::text::{TermId, TermRow, Vocabulary};
use crate::web_graph::{Judgment, KnownPage, Mark, MarkedPage, Relevance, WebGraph};

const MAGIC: &[u8; 8] = b"LNKSCENT";
const VERSION: u16 = 4;
/// The only kind so far: a guide's knowledge.
const KIND_KNOWLEDGE: u8 = 1;
const HEADER: usize = 8 + 2 + 1 + 8 + 4;
/// Pages on the way to a link that are written; the newest stay.
const LONGEST_TRAIL: usize = 32;
/// Largest body read or written, in bytes.
pub const LARGEST_MODEL: usize = 256 << 20;

type Config = Configuration<LittleEndian, Varint, Limit<LARGEST_MODEL>>;

fn config() -> Config {
    bincode::config::standard().with_limit::<LARGEST_MODEL>()
}

/// Why bytes are no model file.
#[derive(Debug, Error)]
pub enum ModelError {
    /// Not one at all.
    #[error("this is not a Linkscent model file")]
    Magic,
    /// From a newer Linkscent.
    #[error("the model file has format {0}; this Linkscent reads up to {VERSION}: update it")]
    Version(u16),
    /// Some other kind of file of ours.
    #[error("the file holds something of kind {0}, not a guide's knowledge")]
    Kind(u8),
    /// Cut off, or with something behind it.
    #[error("the model file should be {expected} bytes long and is {found}")]
    Length {
        /// By its header.
        expected: u64,
        /// Really.
        found: u64,
    },
    /// More was learned than a file may hold.
    #[error("the model has {0} bytes, more than a model file may hold")]
    Size(usize),
    /// Bytes changed on the way.
    #[error("the model file is damaged: its checksum does not fit")]
    Checksum,
    /// The body cannot be read.
    #[error("the model file cannot be read: {0}")]
    Body(#[from] bincode::error::DecodeError),
    /// The body cannot be written.
    #[error("the model cannot be written: {0}")]
    Write(#[from] bincode::error::EncodeError),
    /// The body can be read but makes no sense.
    #[error("the model file contradicts itself: {0}")]
    Content(&'static str),
}

#[derive(Serialize, Deserialize)]
struct WireModel {
    critic: String,
    strategy: String,
    documents_seen: u32,
    terms: Vec<WireTerm>,
    marks: Vec<WireMark>,
    pages: Vec<WirePage>,
    learned: WireLearned,
    arrivals: Vec<WireArrival>,
}

#[derive(Serialize, Deserialize)]
struct WireTerm {
    term: String,
    surface: String,
    documents: u32,
    occurrences: f32,
}

#[derive(Serialize, Deserialize)]
struct WireMark {
    address: String,
    target: bool,
    terms: Vec<(u32, u32)>,
}

#[derive(Serialize, Deserialize)]
struct WireJudgment {
    relevance: f64,
    log_odds: f64,
    similarity: f64,
    is_target: bool,
}

#[derive(Serialize, Deserialize)]
struct WirePage {
    address: String,
    judgment: WireJudgment,
    counted: bool,
    terms: Vec<(u32, u32)>,
}

#[derive(Serialize, Deserialize)]
enum WireLearned {
    Nothing,
    Apprentice {
        features: Vec<(u32, f32, f32)>,
        high: u32,
        low: u32,
    },
    /// Since version 2.
    HopChain(WireHopChain),
    /// Since version 3.
    Intelligent(WireRatios),
    /// Since version 3.
    Adaptive(WirePaths),
    /// Since version 3.
    Ensemble(Box<WireEnsemble>),
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
struct WireArrival {
    via: Vec<WireLink>,
    address: String,
    judgment: WireJudgment,
}

/// The knowledge as a model file.
pub fn write_model(knowledge: &Knowledge) -> Result<Vec<u8>, ModelError> {
    let mut body = bincode::serde::encode_to_vec(WireModel::of(knowledge), config())?;
    let more = WireMore::of(knowledge);
    body.extend(bincode::serde::encode_to_vec(more, config())?);
    let members = WireMembers::of(&knowledge.learned);
    body.extend(bincode::serde::encode_to_vec(members, config())?);
    if body.len() > LARGEST_MODEL {
        return Err(ModelError::Size(body.len()));
    }
    let mut file = Vec::with_capacity(HEADER + body.len());
    file.extend_from_slice(MAGIC);
    file.extend_from_slice(&VERSION.to_le_bytes());
    file.push(KIND_KNOWLEDGE);
    file.extend_from_slice(&(body.len() as u64).to_le_bytes());
    file.extend_from_slice(&crc32fast::hash(&body).to_le_bytes());
    file.extend_from_slice(&body);
    Ok(file)
}

/// The knowledge in a model file.
pub fn read_model(file: &[u8]) -> Result<Knowledge, ModelError> {
    let Some((header, body)) = file.split_at_checked(HEADER) else {
        return Err(ModelError::Magic);
    };
    if !header.starts_with(MAGIC) {
        return Err(ModelError::Magic);
    }
    let version = u16::from_le_bytes([header[8], header[9]]);
    if version == 0 || version > VERSION {
        return Err(ModelError::Version(version));
    }
    if header[10] != KIND_KNOWLEDGE {
        return Err(ModelError::Kind(header[10]));
    }
    let mut length = [0; 8];
    length.copy_from_slice(&header[11..19]);
    let (expected, found) = (u64::from_le_bytes(length), body.len() as u64);
    if expected != found || body.len() > LARGEST_MODEL {
        return Err(ModelError::Length { expected, found });
    }
    let mut checksum = [0; 4];
    checksum.copy_from_slice(&header[19..23]);
    if crc32fast::hash(body) != u32::from_le_bytes(checksum) {
        return Err(ModelError::Checksum);
    }
    let (model, length): (WireModel, usize) = bincode::serde::decode_from_slice(body, config())?;
    let mut knowledge = model.into_knowledge()?;
    if version < 4 && knowledge.strategy == "apprentice" {
        // It was the default then, as the ensemble is now.
        "ensemble".clone_into(&mut knowledge.strategy);
    }
    if version >= 3 {
        let body = &body[length..];
        let (more, length): (WireMore, usize) = bincode::serde::decode_from_slice(body, config())?;
        let unmarked = more.into_knowledge(&mut knowledge)?;
        knowledge.graph.set_unmarked(&unmarked);
        if version >= 4 {
            let (members, _): (WireMembers, usize) =
                bincode::serde::decode_from_slice(&body[length..], config())?;
            let known_terms = knowledge.graph.vocabulary.len();
            members.join(&mut knowledge.learned, known_terms)?;
        }
    }
    Ok(knowledge)
}

impl WireModel {
    fn of(knowledge: &Knowledge) -> Self {
        let graph = &knowledge.graph;
        let terms = graph.vocabulary.rows().map(|row| WireTerm {
            term: row.term,
            surface: row.surface,
            documents: row.documents,
            occurrences: row.occurrences,
        });
        let marks = graph.marks.iter().map(|(address, page)| WireMark {
            address: address.to_string(),
            target: page.mark == Mark::Target,
            terms: term_rows(&page.terms),
        });
        let pages = graph.pages().map(|page| WirePage {
            address: page.address.to_string(),
            judgment: WireJudgment::of(page.judgment),
            counted: page.counted,
            terms: term_rows(&page.terms),
        });
        Self {
            critic: knowledge.critic.clone(),
            strategy: knowledge.strategy.clone(),
            documents_seen: graph.vocabulary.documents_seen(),
            terms: terms.collect(),
            marks: marks.collect(),
            pages: pages.collect(),
            learned: WireLearned::of(&knowledge.learned),
            arrivals: knowledge.arrivals.iter().map(WireArrival::of).collect(),
        }
    }

    fn into_knowledge(self) -> Result<Knowledge, ModelError> {
        let known_terms = self.terms.len();
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
        let mut graph = WebGraph::with_vocabulary(vocabulary);
        for mark in self.marks {
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
        for page in self.pages {
            let judgment = page.judgment.into_judgment();
            graph.remember(KnownPage {
                address: address(&page.address)?,
                judgment,
                unmarked: judgment,
                counted: page.counted,
                terms: page_terms(page.terms, known_terms)?,
            });
        }
        let arrivals = self.arrivals.into_iter();
        Ok(Knowledge {
            critic: self.critic,
            topics: NamedTopics::new(),
            strategy: self.strategy,
            graph,
            learned: self.learned.into_state(known_terms)?,
            arrivals: arrivals
                .map(|arrival| arrival.into_past(known_terms))
                .collect::<Result<_, _>>()?,
        })
    }
}

impl WireJudgment {
    fn of(judgment: Judgment) -> Self {
        Self {
            relevance: judgment.relevance.value(),
            log_odds: judgment.log_odds,
            similarity: judgment.similarity,
            is_target: judgment.is_target,
        }
    }

    fn into_judgment(self) -> Judgment {
        let number = |value: f64| if value.is_finite() { value } else { 0.0 };
        Judgment {
            relevance: Relevance::new(self.relevance),
            log_odds: number(self.log_odds),
            similarity: number(self.similarity).clamp(0.0, 1.0),
            is_target: self.is_target,
        }
    }
}

impl WireLearned {
    fn of(state: &StrategyState) -> Self {
        match state {
            StrategyState::Nothing => Self::Nothing,
            StrategyState::HopChain(chain) => Self::HopChain(WireHopChain::of(chain)),
            StrategyState::Intelligent(counts) => Self::Intelligent(WireRatios::of(counts)),
            StrategyState::Ensemble(state) => Self::Ensemble(Box::new(WireEnsemble::of(state))),
            StrategyState::Adaptive(repository) => Self::Adaptive(WirePaths::of(repository)),
            StrategyState::Apprentice(counts) => {
                let (features, high, low) = wire_counts(counts);
                Self::Apprentice {
                    features,
                    high,
                    low,
                }
            }
        }
    }

    fn into_state(self, known_terms: usize) -> Result<StrategyState, ModelError> {
        match self {
            Self::Nothing => Ok(StrategyState::Nothing),
            Self::HopChain(chain) => chain.into_chain().map(StrategyState::HopChain),
            Self::Intelligent(ratios) => ratios
                .into_counts(known_terms)
                .map(StrategyState::Intelligent),
            Self::Ensemble(state) => {
                let state = state.into_state(known_terms)?;
                Ok(StrategyState::Ensemble(Box::new(state)))
            }
            Self::Adaptive(paths) => paths
                .into_repository(known_terms)
                .map(StrategyState::Adaptive),
            Self::Apprentice {
                features,
                high,
                low,
            } => counts(features, high, low, known_terms).map(StrategyState::Apprentice),
        }
    }
}

/// Counts over `<t,d>`: features with their counts of good and other links, and
/// all links of either kind.
type WireCounts = (Vec<(u32, f32, f32)>, u32, u32);

fn wire_counts(counts: &TwoClassCounts) -> WireCounts {
    let (rows, (high, low)) = counts.rows();
    let rows = rows.into_iter();
    let features = rows.map(|(id, count)| (id, count.high, count.low));
    (features.collect(), high, low)
}

fn counts(
    features: Vec<(u32, f32, f32)>,
    high: u32,
    low: u32,
    known_terms: usize,
) -> Result<TwoClassCounts, ModelError> {
    for (feature, _, _) in &features {
        known(OffsetTerm::from_bits(*feature).term().0, known_terms)?;
    }
    let rows = features.into_iter();
    let rows = rows.map(|(id, high, low)| (id, FeatureCount { high, low }));
    TwoClassCounts::from_rows(rows, (high, low))
        .ok_or(ModelError::Content("a count is negative or no number"))
}

impl WireArrival {
    fn of(arrival: &TrainingExample) -> Self {
        Self {
            via: arrival.via.iter().map(WireLink::of).collect(),
            address: arrival.address.to_string(),
            judgment: WireJudgment::of(arrival.judgment),
        }
    }

    fn into_past(self, known_terms: usize) -> Result<TrainingExample, ModelError> {
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

fn address(text: &str) -> Result<Address, ModelError> {
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

fn term_rows(terms: &PageTerms) -> Vec<(u32, u32)> {
    let rows = terms.rows().iter();
    rows.map(|&(TermId(id), count)| (id, count)).collect()
}

fn page_terms(rows: Vec<(u32, u32)>, known_terms: usize) -> Result<PageTerms, ModelError> {
    let mut checked = Vec::with_capacity(rows.len());
    for (term, count) in rows {
        checked.push((known(term, known_terms)?, count.max(1)));
    }
    Ok(PageTerms::from_rows(checked))
}

#[cfg(test)]
mod tests;
