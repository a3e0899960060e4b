//! The paths that ACHE learns from as bytes: those of its crawls, and those that were found
//! before them.

use serde::{Deserialize, Serialize};

use super::{Saved, StateError, address, known, saved};
use crate::codec;
use crate::features::{LinkContext, OffsetTerm};
use crate::strategies::{Chosen, LearningIteration, PathLink, PathRepository, TrainedPaths};

/// Levels of a path.
const LEVELS: u8 = 3;

#[derive(Serialize, Deserialize)]
pub(crate) struct SavedPaths {
    links: Vec<(SavedPathLink, u8)>,
    farther: Vec<SavedPathLink>,
    iterations: Vec<SavedIteration>,
    pages: u32,
    targets: u32,
}

#[derive(Serialize, Deserialize)]
struct SavedPathLink {
    target: String,
    context: Vec<u32>,
}

#[derive(Serialize, Deserialize)]
struct SavedIteration {
    pages: u32,
    targets: u32,
    chosen: [Vec<(String, u32)>; 3],
}

impl SavedPathLink {
    fn of(link: &PathLink) -> Self {
        let context = link.context.features().iter();
        Self {
            target: link.target.to_string(),
            context: context.map(|feature| feature.to_bits()).collect(),
        }
    }

    fn into_link(self, known_terms: usize) -> Result<PathLink, StateError> {
        let mut features = Vec::with_capacity(self.context.len());
        for bits in self.context {
            let feature = OffsetTerm::from_bits(bits);
            known(feature.term().0, known_terms)?;
            features.push(feature);
        }
        Ok(PathLink {
            target: address(&self.target)?,
            context: LinkContext::new(features),
        })
    }
}

impl SavedPaths {
    fn of(repository: &PathRepository) -> Self {
        let rows = |chosen: &Vec<Chosen>| -> Vec<(String, u32)> {
            let rows = chosen
                .iter()
                .map(|chosen| (chosen.word.clone(), chosen.links));
            rows.collect()
        };
        let iterations = repository
            .iterations
            .iter()
            .map(|iteration| SavedIteration {
                pages: iteration.pages,
                targets: iteration.targets,
                chosen: [0, 1, 2].map(|space| rows(&iteration.chosen[space])),
            });
        let links = repository.links.iter();
        Self {
            links: links
                .map(|(link, level)| (SavedPathLink::of(link), *level as u8))
                .collect(),
            farther: repository.farther.iter().map(SavedPathLink::of).collect(),
            iterations: iterations.collect(),
            pages: repository.pages,
            targets: repository.targets,
        }
    }

    pub(crate) fn into_repository(self, known_terms: usize) -> Result<PathRepository, StateError> {
        let mut repository = PathRepository {
            pages: self.pages,
            targets: self.targets,
            ..PathRepository::default()
        };
        for (link, level) in self.links {
            if level >= LEVELS {
                return Err(StateError::Content("a path is longer than three links"));
            }
            let link = link.into_link(known_terms)?;
            repository.links.push_back((link, usize::from(level)));
        }
        for link in self.farther {
            repository.farther.push(link.into_link(known_terms)?);
        }
        for iteration in self.iterations {
            let chosen = iteration.chosen.map(|rows| {
                let rows = rows.into_iter();
                rows.map(|(word, links)| Chosen { word, links }).collect()
            });
            repository.iterations.push_back(LearningIteration {
                pages: iteration.pages,
                targets: iteration.targets,
                chosen,
            });
        }
        Ok(repository)
    }
}

impl Saved for PathRepository {
    const LEARNER: &'static str = "ache";

    fn encode(&self) -> Vec<u8> {
        codec::encode(&SavedPaths::of(self))
    }

    fn decode(bytes: &[u8], known_terms: usize) -> Result<Self, StateError> {
        saved::<SavedPaths>(bytes)?.into_repository(known_terms)
    }
}

impl Saved for TrainedPaths {
    const LEARNER: &'static str = "ache-paths";

    fn encode(&self) -> Vec<u8> {
        let repository = PathRepository {
            links: self.links.iter().cloned().collect(),
            farther: self.farther.clone(),
            ..PathRepository::default()
        };
        codec::encode(&SavedPaths::of(&repository))
    }

    fn decode(bytes: &[u8], known_terms: usize) -> Result<Self, StateError> {
        let repository = saved::<SavedPaths>(bytes)?.into_repository(known_terms)?;
        if repository.links.is_empty() {
            return Err(StateError::Content("no path is among those found before"));
        }
        Ok(Self {
            links: repository.links.into(),
            farther: repository.farther,
        })
    }
}
