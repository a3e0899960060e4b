//! Topic-sensitive `PageRank` as bytes.

use serde::{Deserialize, Serialize};

use super::link_graph::SavedLinks;
use super::{Saved, StateError, saved};
use crate::codec;
use crate::strategies::PageRanks;

/// The links that were read, and the ranks they came to.
#[derive(Serialize, Deserialize)]
struct SavedRanks {
    links: SavedLinks,
    ranks: Vec<f64>,
}

impl Saved for PageRanks {
    const LEARNER: &'static str = "topic-pagerank";

    fn encode(&self) -> Vec<u8> {
        codec::encode(&SavedRanks {
            links: SavedLinks::of(self.graph()),
            ranks: self.ranks().to_vec(),
        })
    }

    fn decode(bytes: &[u8], _known_terms: usize) -> Result<Self, StateError> {
        let SavedRanks { links, ranks } = saved(bytes)?;
        Self::new(links.into_graph()?, ranks)
            .ok_or(StateError::Content("the rank of a page is no number"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_no_sense_is_refused() {
        let decoded = |outlinks: Vec<Vec<u32>>, ranks: Vec<f64>| {
            let pages = vec![3, 8];
            let links = SavedLinks { pages, outlinks };
            PageRanks::decode(&codec::encode(&SavedRanks { links, ranks }), 0)
        };
        let fine = decoded(vec![vec![1], vec![]], vec![0.6, 0.4]).unwrap();
        assert_eq!(PageRanks::decode(&fine.encode(), 0), Ok(fine));
        for (outlinks, ranks) in [
            (vec![vec![1, 0], vec![]], vec![0.6, 0.4]),
            (vec![vec![1], vec![]], vec![1.0]),
            (vec![vec![1], vec![]], vec![0.6, f64::NAN]),
            (vec![vec![1], vec![]], vec![f64::INFINITY, 0.0]),
            (vec![vec![1], vec![]], vec![0.6, -0.4]),
        ] {
            let error = decoded(outlinks, ranks).unwrap_err();
            assert!(matches!(error, StateError::Content(_)), "{error}");
        }
    }
}
