//! ACHE's repository of paths in a model file.

use serde::{Deserialize, Serialize};

use super::{ModelError, address, known};
use crate::features::{LinkContext, OffsetTerm};
use crate::strategies::{Chosen, LearningIteration, PathLink, PathRepository};

/// Levels of a path.
const LEVELS: u8 = 3;

#[derive(Serialize, Deserialize)]
pub(super) struct WirePaths {
    links: Vec<(WirePathLink, u8)>,
    farther: Vec<WirePathLink>,
    iterations: Vec<WireIteration>,
    pages: u32,
    targets: u32,
}

#[derive(Serialize, Deserialize)]
struct WirePathLink {
    target: String,
    context: Vec<u32>,
}

#[derive(Serialize, Deserialize)]
struct WireIteration {
    pages: u32,
    targets: u32,
    chosen: [Vec<(String, u32)>; 3],
}

impl WirePathLink {
    fn of(link: &PathLink) -> Self {
        let context = link.context.features().iter();
        Self {
            target: link.target.to_string(),
            context: context.map(|feature| feature.to_bits()).collect(),
        }
    }

    fn into_link(self, known_terms: usize) -> Result<PathLink, ModelError> {
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

impl WirePaths {
    pub(super) fn of(repository: &PathRepository) -> Self {
        let rows = |chosen: &Vec<Chosen>| -> Vec<(String, u32)> {
            let rows = chosen
                .iter()
                .map(|chosen| (chosen.word.clone(), chosen.links));
            rows.collect()
        };
        let iterations = repository.iterations.iter().map(|iteration| WireIteration {
            pages: iteration.pages,
            targets: iteration.targets,
            chosen: [0, 1, 2].map(|space| rows(&iteration.chosen[space])),
        });
        let links = repository.links.iter();
        Self {
            links: links
                .map(|(link, level)| (WirePathLink::of(link), *level as u8))
                .collect(),
            farther: repository.farther.iter().map(WirePathLink::of).collect(),
            iterations: iterations.collect(),
            pages: repository.pages,
            targets: repository.targets,
        }
    }

    pub(super) fn into_repository(self, known_terms: usize) -> Result<PathRepository, ModelError> {
        let mut repository = PathRepository {
            pages: self.pages,
            targets: self.targets,
            ..PathRepository::default()
        };
        for (link, level) in self.links {
            if level >= LEVELS {
                return Err(ModelError::Content("a path is longer than three links"));
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
