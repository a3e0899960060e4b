//! The weights of Q-learning as bytes.

use serde::{Deserialize, Serialize};

use super::{Saved, StateError, saved};
use crate::codec;
use crate::strategies::QWeights;

/// Features and their weights, in the order of the features, without those of weight 0.
#[derive(Serialize, Deserialize)]
struct SavedWeights {
    weights: Vec<(u32, f32)>,
}

impl Saved for QWeights {
    const LEARNER: &'static str = "q-linear";

    fn encode(&self) -> Vec<u8> {
        let weights = self.rows();
        codec::encode(&SavedWeights { weights })
    }

    /// Words are hashed, so any vocabulary fits.
    fn decode(bytes: &[u8], _known_terms: usize) -> Result<Self, StateError> {
        let SavedWeights { weights } = saved(bytes)?;
        Self::from_rows(&weights).ok_or(StateError::Content("a weight is of no feature, or none"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_no_sense_is_refused() {
        let decoded = |weights: Vec<(u32, f32)>| {
            QWeights::decode(&codec::encode(&SavedWeights { weights }), 0)
        };
        let fine = decoded(vec![(3, 0.5), (900, -1.5)]).unwrap();
        assert_eq!(QWeights::decode(&fine.encode(), 0), Ok(fine));
        for weights in [
            vec![(3, f32::NAN)],
            vec![(3, f32::NEG_INFINITY)],
            vec![(900, 0.5), (3, 0.5)],
            vec![(1 << 20, 0.5)],
        ] {
            let error = decoded(weights).unwrap_err();
            assert!(matches!(error, StateError::Content(_)), "{error}");
        }
    }
}
