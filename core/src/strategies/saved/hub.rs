//! Hubs and authorities as bytes.

use serde::{Deserialize, Serialize};

use super::link_graph::SavedLinks;
use super::{Saved, StateError, saved};
use crate::codec;
use crate::strategies::HubScores;

/// The links that were read, and what each page gives to those that link to it.
#[derive(Serialize, Deserialize)]
struct SavedHubs {
    links: SavedLinks,
    authorities: Vec<f64>,
}

impl Saved for HubScores {
    const LEARNER: &'static str = "hub";

    fn encode(&self) -> Vec<u8> {
        codec::encode(&SavedHubs {
            links: SavedLinks::of(self.graph()),
            authorities: self.authorities().to_vec(),
        })
    }

    fn decode(bytes: &[u8], _known_terms: usize) -> Result<Self, StateError> {
        let SavedHubs { links, authorities } = saved(bytes)?;
        Self::new(links.into_graph()?, authorities)
            .ok_or(StateError::Content("the worth of a page is no number"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_no_sense_is_refused() {
        let decoded = |outlinks: Vec<Vec<u32>>, authorities: Vec<f64>| {
            let pages = vec![3, 8];
            let links = SavedLinks { pages, outlinks };
            let bytes = codec::encode(&SavedHubs { links, authorities });
            HubScores::decode(&bytes, 0)
        };
        let fine = decoded(vec![vec![1], vec![]], vec![0.0, 0.5]).unwrap();
        assert_eq!(HubScores::decode(&fine.encode(), 0), Ok(fine));
        for (outlinks, authorities) in [
            (vec![vec![2], vec![]], vec![0.0, 0.5]),
            (vec![vec![1]], vec![0.0, 0.5]),
            (vec![vec![1], vec![]], vec![0.5]),
            (vec![vec![1], vec![]], vec![0.0, f64::NAN]),
            (vec![vec![1], vec![]], vec![0.0, f64::INFINITY]),
            (vec![vec![1], vec![]], vec![0.0, -0.5]),
        ] {
            let error = decoded(outlinks, authorities).unwrap_err();
            assert!(matches!(error, StateError::Content(_)), "{error}");
        }
    }
}
