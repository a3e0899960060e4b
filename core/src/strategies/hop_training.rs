//! Training a MEMM or a CRF on what a crawl has seen (\[C\] 3.1-3.3).

use super::HopChain;
use crate::hops::{STATES, TrainingWeb, WalkRules, Walks};
use crate::models::lbfgs::{Iteration, Stopping};
use crate::models::{ChainKind, ChainModel, ChainWeights, Inference, Prior, Sequences};
use crate::rng::Rng;

/// How a model is trained.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HopTraining {
    /// Which model.
    pub kind: ChainKind,
    /// The walks to train on.
    pub rules: WalkRules,
    /// Whether features are conjoined with steps too, not only with states.
    pub with_steps: bool,
    /// How weights are held back.
    pub prior: Prior,
    /// When to stop.
    pub stopping: Stopping,
    /// How beliefs are carried on.
    pub inference: Inference,
}

impl HopTraining {
    /// As \[C\] has it, but for the walks, which may go anywhere.
    pub fn new(kind: ChainKind) -> Self {
        Self {
            kind,
            rules: WalkRules::new(Walks::Anywhere),
            with_steps: false,
            prior: Prior::default(),
            stopping: Stopping {
                iterations: 100,
                gradient: 1e-4,
                gain: 1e-4,
            },
            inference: Inference::Marginal,
        }
    }

    /// Trains on walks over a web. `on_iteration` hears of every iteration.
    pub fn train(
        &self,
        web: TrainingWeb,
        rng: &mut dyn Rng,
        on_iteration: impl FnMut(Iteration),
    ) -> HopChain {
        let sequences = web.sequences(&web.walks(self.rules, rng));
        let start = ChainWeights::new(STATES, web.feature_index.len(), self.with_steps);
        let model = self.fit(start, &sequences, on_iteration);
        let groups = web.groups();
        HopChain::new(model, web.feature_index, groups, self.inference)
    }

    /// Trains on sequences, from zero or from an earlier model's weights.
    pub fn fit(
        &self,
        start: ChainWeights,
        sequences: &Sequences,
        on_iteration: impl FnMut(Iteration),
    ) -> ChainModel {
        let (prior, stopping) = (self.prior, self.stopping);
        ChainModel::train(self.kind, start, sequences, prior, stopping, on_iteration).0
    }
}
