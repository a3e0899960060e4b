//! The model file: everything a topic model has learned, as bytes.
//!
//! A header (magic, format version, kind, length, checksum) and a body of sections, each
//! with its name and length, so that one can be added or laid out otherwise without the
//! rest's being touched. What a strategy learned is a section a learner, which it writes
//! and reads itself. A file may come from anywhere, so it is read as hostile: sizes are
//! capped before anything is allocated, and every number is checked before it becomes part
//! of a topic model. Old versions go on loading.

mod before_sections;
mod forms;
mod graph;
mod sections;
mod taxonomy;

pub use taxonomy::{read_taxonomy, write_taxonomy};

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::budget::{MODEL, OverBudget};
use crate::codec::{self, CodecError};
use crate::critics::Sources;
use crate::critics::taxonomy::TaxonomyError;
use crate::strategies::{StateError, StrategyState, check_state};
use crate::topic_model::{Beginning, Knowledge};
use sections::{Body, Sections};
use taxonomy::WireTaxonomy;

const MAGIC: &[u8; 8] = b"LNKSCENT";
const VERSION: u16 = 5;
/// The first version whose body has sections.
const WITH_SECTIONS: u16 = 5;
/// A topic model's knowledge.
const KIND_KNOWLEDGE: u8 = 1;
/// A taxonomy alone.
const KIND_TAXONOMY: u8 = 2;
const HEADER: usize = 8 + 2 + 1 + 8 + 4;
/// Largest body read or written, in bytes.
pub const LARGEST_MODEL: usize = codec::LARGEST;

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
    #[error("the file holds something of kind {0}, not what was looked for")]
    Kind(u8),
    /// Cut off, or with something behind it.
    #[error("the model file should be {expected} bytes long and is {found}")]
    Length {
        /// By its header.
        expected: u64,
        /// Really.
        found: u64,
    },
    /// It is larger than is read.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// More was learned than a file may hold.
    #[error("the model has {0} bytes, more than a model file may hold")]
    Size(usize),
    /// Bytes changed on the way.
    #[error("the model file is damaged: its checksum does not fit")]
    Checksum,
    /// A part of it cannot be read.
    #[error("the model file, {0}: {1}")]
    Section(&'static str, CodecError),
    /// It has no such part.
    #[error("the model file has no part “{0}”")]
    Missing(&'static str),
    /// What a strategy learned cannot be read.
    #[error("the model file: {0}")]
    Learned(#[from] StateError),
    /// Its taxonomy makes no sense.
    #[error("the taxonomy: {0}")]
    Taxonomy(#[from] TaxonomyError),
    /// The body can be read but makes no sense.
    #[error("the model file contradicts itself: {0}")]
    Content(&'static str),
}

/// What a topic model is made of, by name.
#[derive(Serialize, Deserialize)]
struct WireTopicModel {
    critic: String,
    strategy: String,
    /// The learner whose strategy kept what was learned.
    owner: String,
}

/// The section of pages whose class was corrected.
const CORRECTED: &str = "corrected";
/// The section of what the person calls the topic.
const TOPIC_NAME: &str = "topic-name";
const PHRASES: &str = "phrases";
/// The section of what subtopic of the topic pages are said to be of.
const SUBTOPICS: &str = "facets";
/// The section of backlinks, where any are kept.
const BACKLINKS: &str = "backlinks";
/// The section that says with what another topic taught it began: that topic's name and the
/// learner that kept it.
const BEGINNING: &str = "beginning";
/// In front of the name of a learner, where a section holds what it knows, or what another
/// topic taught it.
const LEARNER: &str = "learned/";
const TAUGHT: &str = "taught/";

/// The knowledge as a model file.
pub fn write_model(knowledge: &Knowledge) -> Result<Vec<u8>, ModelError> {
    let graph = &knowledge.graph;
    let mut sections = Body::default();
    let topic_model = WireTopicModel {
        critic: knowledge.critic.clone(),
        strategy: knowledge.strategy.clone(),
        owner: knowledge.learned.owner().to_owned(),
    };
    sections.add("guide", &topic_model);
    sections.add("vocabulary", &graph::WireVocabulary::of(&graph.vocabulary));
    sections.add("marks", &graph::marks(graph));
    sections.add("pages", &graph::pages(graph));
    sections.add("examples", &graph::examples(&knowledge.arrivals));
    sections.add("topics", &forms::topics(&knowledge.sources.topics));
    sections.add("topic-forms", &forms::domains(&knowledge.sources.topics));
    sections.add("forms", &forms::forms(graph));
    sections.add("marked-forms", &forms::marked_forms(graph));
    if let Some(known) = &knowledge.sources.taxonomy {
        sections.add(taxonomy::SECTION, &WireTaxonomy::of(known));
    }
    if !graph.topic_name.is_empty() {
        sections.add(TOPIC_NAME, &graph.topic_name);
    }
    if !graph.phrases.is_empty() {
        let phrases: Vec<(String, bool)> = graph.phrases.clone().into_iter().collect();
        sections.add(PHRASES, &phrases);
    }
    if !graph.subtopics.is_empty() {
        sections.add(SUBTOPICS, &graph::subtopics(graph));
    }
    if !graph.corrected.is_empty() {
        sections.add(CORRECTED, &taxonomy::corrected(graph));
    }
    let backlinks = graph::backlinks(graph);
    if !backlinks.is_empty() {
        sections.add(BACKLINKS, &backlinks);
    }
    for (learner, bytes) in knowledge.learned.parts() {
        sections.add_bytes(&format!("{LEARNER}{learner}"), bytes);
    }
    if let Some(beginning) = &knowledge.beginning {
        let Beginning { topic, learned } = beginning;
        sections.add(BEGINNING, &(topic, learned.owner()));
        for (learner, bytes) in learned.parts() {
            sections.add_bytes(&format!("{TAUGHT}{learner}"), bytes);
        }
    }
    file_of(KIND_KNOWLEDGE, &sections)
}

/// A header with a body behind it.
fn file_of(kind: u8, Body(body): &Body) -> Result<Vec<u8>, ModelError> {
    if body.len() > LARGEST_MODEL {
        return Err(ModelError::Size(body.len()));
    }
    let mut file = Vec::with_capacity(HEADER + body.len());
    file.extend_from_slice(MAGIC);
    file.extend_from_slice(&VERSION.to_le_bytes());
    file.push(kind);
    file.extend_from_slice(&(body.len() as u64).to_le_bytes());
    file.extend_from_slice(&crc32fast::hash(body).to_le_bytes());
    file.extend_from_slice(body);
    Ok(file)
}

/// The knowledge in a model file.
///
/// ```
/// use linkscent_core::topic_model::TopicModel;
/// use linkscent_core::wire::{read_model, write_model};
///
/// let topic_model = TopicModel::new("topic", "ensemble").unwrap();
/// let file = write_model(&topic_model.knowledge())?;
/// assert!(TopicModel::with_knowledge(read_model(&file)?).is_some());
/// assert!(read_model(&file[1..]).is_err());
/// # Ok::<(), linkscent_core::wire::ModelError>(())
/// ```
pub fn read_model(file: &[u8]) -> Result<Knowledge, ModelError> {
    let (version, body) = checked_body(file, KIND_KNOWLEDGE)?;
    let knowledge = if version >= WITH_SECTIONS {
        from_sections(&Sections::of_body(body)?)?
    } else {
        before_sections::read(version, body)?
    };
    let known_terms = knowledge.graph.vocabulary.len();
    check_state(&knowledge.learned, known_terms)?;
    if let Some(beginning) = &knowledge.beginning {
        check_state(&beginning.learned, known_terms)?;
    }
    Ok(knowledge)
}

/// The version and the body, whose kind, length and checksum fit the header.
fn checked_body(file: &[u8], kind: u8) -> Result<(u16, &[u8]), ModelError> {
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
    if header[10] != kind {
        return Err(ModelError::Kind(header[10]));
    }
    let mut length = [0; 8];
    length.copy_from_slice(&header[11..19]);
    let (expected, found) = (u64::from_le_bytes(length), body.len() as u64);
    MODEL.check_bytes(body.len())?;
    if expected != found {
        return Err(ModelError::Length { expected, found });
    }
    let mut checksum = [0; 4];
    checksum.copy_from_slice(&header[19..23]);
    if crc32fast::hash(body) != u32::from_le_bytes(checksum) {
        return Err(ModelError::Checksum);
    }
    Ok((version, body))
}

fn from_sections(sections: &Sections<'_>) -> Result<Knowledge, ModelError> {
    let topic_model: WireTopicModel = sections.read("guide")?;
    let vocabulary: graph::WireVocabulary = sections.read("vocabulary")?;
    let mut read = vocabulary.into_graph()?;
    graph::put_marks(&mut read, sections.read("marks")?)?;
    graph::put_pages(&mut read, sections.read("pages")?)?;
    if let Some(backlinks) = sections.read_if_there(BACKLINKS)? {
        graph::put_backlinks(&mut read, backlinks)?;
    }
    forms::put_forms(&mut read, sections.read("forms")?)?;
    forms::put_marked_forms(&mut read, sections.read("marked-forms")?)?;
    read.topic_name = sections.read_if_there(TOPIC_NAME)?.unwrap_or_default();
    let phrases: Option<Vec<(String, bool)>> = sections.read_if_there(PHRASES)?;
    read.phrases = phrases.into_iter().flatten().collect();
    if let Some(subtopics) = sections.read_if_there(SUBTOPICS)? {
        graph::put_subtopics(&mut read, subtopics)?;
    }
    if let Some(corrected) = sections.read_if_there(CORRECTED)? {
        taxonomy::put_corrected(&mut read, corrected)?;
    }
    let taxonomy: Option<WireTaxonomy> = sections.read_if_there(taxonomy::SECTION)?;
    let taxonomy = taxonomy.map(WireTaxonomy::into_taxonomy).transpose()?;
    let learned = |owner: &str, prefix: &str| {
        let parts = sections.iter();
        let parts = parts.filter_map(|(name, bytes)| Some((name.strip_prefix(prefix)?, bytes)));
        parts.fold(StrategyState::owned_by(owner), |state, (learner, bytes)| {
            state.with_part(learner, bytes.to_vec())
        })
    };
    let beginning: Option<(String, String)> = sections.read_if_there(BEGINNING)?;
    let mut topics = forms::into_topics(sections.read("topics")?)?;
    forms::put_domains(
        &mut topics,
        sections.read_if_there("topic-forms")?.unwrap_or_default(),
    )?;
    Ok(Knowledge {
        critic: topic_model.critic,
        sources: Sources {
            topics,
            taxonomy: taxonomy.map(Arc::new),
        },
        strategy: topic_model.strategy,
        arrivals: graph::into_examples(sections.read("examples")?, read.vocabulary.len())?,
        learned: learned(&topic_model.owner, LEARNER),
        beginning: beginning.map(|(topic, owner)| Beginning {
            topic,
            learned: learned(&owner, TAUGHT),
        }),
        graph: read,
    })
}

/// The same file with a header that says the length and the checksum of what is there, as
/// somebody would write it on purpose.
#[cfg(test)]
fn with_checksum(file: &[u8]) -> Vec<u8> {
    let mut fitting = file.to_vec();
    let body = &file[HEADER..];
    fitting[11..19].copy_from_slice(&(body.len() as u64).to_le_bytes());
    fitting[19..23].copy_from_slice(&crc32fast::hash(body).to_le_bytes());
    fitting
}

#[cfg(test)]
mod tests;
