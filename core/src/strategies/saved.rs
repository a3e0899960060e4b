//! What strategies have learned, as bytes that each of them writes and reads itself.
//!
//! A [`StrategyState`] holds the bytes of a strategy and of its members, each under its
//! learner's name. So an ensemble's member can go on alone, and a model of hop distances
//! can join an ensemble, without anybody knowing all kinds of state.

mod apprentice;
mod context_graph;
mod ensemble;
mod hop_chain;
mod hop_clusters;
mod hub;
mod info_spiders;
mod intelligent;
mod link_graph;
mod path_repository;
mod q_linear;
mod reinforcement;
mod topic_pagerank;

pub(crate) use apprentice::SavedCounts;
pub(crate) use ensemble::SavedEnsemble;
pub(crate) use hop_chain::SavedHopChain;
pub(crate) use intelligent::SavedRatios;
pub(crate) use path_repository::SavedPaths;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::address::Address;
use crate::codec::{self, CodecError};
use crate::text::TermId;

/// Why a learner's bytes cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum StateError {
    /// They are no such data.
    #[error(transparent)]
    Codec(#[from] CodecError),
    /// They can be read but make no sense.
    #[error("what was learned contradicts itself: {0}")]
    Content(&'static str),
}

/// What a learner keeps from one crawl to the next.
pub trait Saved: Sized {
    /// The learner's name, under which its bytes are kept.
    const LEARNER: &'static str;

    /// Its bytes.
    fn encode(&self) -> Vec<u8>;

    /// Back from bytes that may come from anywhere. `known_terms` is how many words the
    /// vocabulary has to which they belong.
    fn decode(bytes: &[u8], known_terms: usize) -> Result<Self, StateError>;
}

/// What a strategy and its members have learned.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StrategyState {
    owner: String,
    parts: BTreeMap<String, Vec<u8>>,
}

impl StrategyState {
    /// What a strategy learned that has no members, or the owner of what is added next.
    pub fn of<T: Saved>(learned: &T) -> Self {
        Self::owned_by(T::LEARNER).with(learned)
    }

    /// Nothing yet, to be filled by a strategy of this name.
    pub fn owned_by(owner: &str) -> Self {
        Self {
            owner: owner.to_owned(),
            parts: BTreeMap::new(),
        }
    }

    /// The same with what one more learner knows.
    #[must_use]
    pub fn with<T: Saved>(self, learned: &T) -> Self {
        self.with_part(T::LEARNER, learned.encode())
    }

    /// The same with a learner's bytes.
    #[must_use]
    pub fn with_part(mut self, learner: &str, bytes: Vec<u8>) -> Self {
        self.parts.insert(learner.to_owned(), bytes);
        self
    }

    /// The same with the parts of another that it has not itself.
    #[must_use]
    pub fn beside(mut self, other: &Self) -> Self {
        for (learner, bytes) in other.parts() {
            if !self.parts.contains_key(learner) {
                self = self.with_part(learner, bytes.to_vec());
            }
        }
        self
    }

    /// The learner whose strategy kept all this; empty if it learns nothing.
    pub fn owner(&self) -> &str {
        &self.owner
    }

    /// Learners and their bytes.
    pub fn parts(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let parts = self.parts.iter();
        parts.map(|(learner, bytes)| (learner.as_str(), bytes.as_slice()))
    }

    /// Whether a learner is among them.
    pub fn has<T: Saved>(&self) -> bool {
        self.parts.contains_key(T::LEARNER)
    }

    /// What a learner knows, if it is among them.
    pub fn read<T: Saved>(&self, known_terms: usize) -> Result<Option<T>, StateError> {
        let bytes = self.parts.get(T::LEARNER);
        bytes.map(|bytes| T::decode(bytes, known_terms)).transpose()
    }
}

fn address(text: &str) -> Result<Address, StateError> {
    Address::parse(text).map_err(|_| StateError::Content("an address is no web address"))
}

fn known(term: u32, known_terms: usize) -> Result<TermId, StateError> {
    if (term as usize) < known_terms {
        Ok(TermId(term))
    } else {
        Err(StateError::Content(
            "a term number is beyond the vocabulary",
        ))
    }
}

/// Reads the saved form of a learner.
fn saved<S: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<S, StateError> {
    Ok(codec::decode(bytes)?)
}
