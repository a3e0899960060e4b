//! The links that were read as bytes, for those who rank by links.

use serde::{Deserialize, Serialize};

use super::StateError;
use crate::strategies::LinkGraph;

/// Hashes of the pages' addresses, and of each page the numbers of those it links to.
#[derive(Serialize, Deserialize)]
pub(super) struct SavedLinks {
    pub(super) pages: Vec<u64>,
    pub(super) outlinks: Vec<Vec<u32>>,
}

impl SavedLinks {
    pub(super) fn of(graph: &LinkGraph) -> Self {
        let (pages, outlinks) = graph.rows();
        Self {
            pages: pages.to_vec(),
            outlinks: outlinks.to_vec(),
        }
    }

    pub(super) fn into_graph(self) -> Result<LinkGraph, StateError> {
        LinkGraph::from_rows(self.pages, self.outlinks)
            .ok_or(StateError::Content("links lead from or to no page"))
    }
}
