//! Trains the model of hop distances by which a crawl chooses its links again on what the
//! crawl fetched, every so many pages, in a thread of its own: the crawl goes on meanwhile.
//!
//! What is learned from is what `linkscent research train --of` learns from, the person's paths among
//! it, and an earlier chain is trained on. The crawl then goes on with the new model and what
//! it believes of the pages so far. It follows from log, archive and paths, so a crawl that is
//! resumed trains once before it goes on. An ensemble that has such a model as one of its
//! members is left as it is: its other members learn all the time.

use anyhow::Result;
use linkscent_core::models::Inference;
use linkscent_core::strategies::Strategy;
use linkscent_core::topic_model::TopicModel;

use crate::learning::hop_training::{self, DistanceModel, Sources, Words};

/// Pages after which a model is trained again for the first time.
const FIRST: u64 = 200;
/// By what the pages must have grown for each further time, in tenths: all trainings of a
/// crawl together cost a few times as much as the last.
const GROWTH_TENTHS: u64 = 15;

/// When a crawl's model is trained again, and how.
#[derive(Debug)]
pub(super) struct Retraining {
    model: DistanceModel,
    inference: Inference,
    /// Pages at which it is due.
    due: u64,
    under_way: bool,
    /// How often the crawl went on with a new model.
    count: u32,
}

/// A strategy that was trained again.
pub(super) struct Retrained {
    pub(super) strategy: Box<dyn Strategy>,
    /// Number of the last request whose page it knows.
    pub(super) known: u64,
}

impl Retraining {
    /// Of a crawl that follows a model of hop distances; `None` if it follows something else,
    /// or what stays as it was trained before.
    pub(super) fn of(strategy: &str) -> Option<Self> {
        let (name, inference) = match strategy.strip_suffix("-viterbi") {
            Some(name) => (name, Inference::Viterbi),
            None => (strategy, Inference::Marginal),
        };
        Some(Self {
            model: DistanceModel::named(name).filter(|&model| model != DistanceModel::AchePaths)?,
            inference,
            due: FIRST,
            under_way: false,
            count: 0,
        })
    }

    /// Whether it is to be begun after so many pages; then it is taken to be under way.
    pub(super) fn is_due(&mut self, pages: u64) -> bool {
        if self.under_way || pages < self.due {
            return false;
        }
        self.under_way = true;
        self.due = pages * GROWTH_TENTHS / 10;
        true
    }

    /// It came to an end.
    pub(super) fn ended(&mut self) {
        self.under_way = false;
    }

    /// The crawl goes on with what came of it.
    pub(super) fn taken_in(&mut self) {
        self.count += 1;
    }

    /// How often the crawl went on with a new model.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// One training on what the store holds now.
    pub(super) fn lesson(&self, sources: Sources) -> Lesson {
        Lesson {
            model: self.model,
            inference: self.inference,
            sources,
        }
    }
}

/// One training.
pub(super) struct Lesson {
    model: DistanceModel,
    inference: Inference,
    sources: Sources,
}

impl Lesson {
    /// Trains. The topic model is the crawl's, as it was when the sources were read.
    pub(super) fn train(&self, topic_model: &TopicModel) -> Result<Retrained> {
        let _span = tracing::debug_span!(parent: None, "train").entered();
        let (model, sources) = (self.model, &self.sources);
        let (trained, _, report) =
            hop_training::train(sources, topic_model, model, Words::Known, None, |_| {})?;
        let mut strategy = trained.into_strategy(self.inference);
        topic_model.tell_pages(&mut *strategy, sources.kept.pages());
        tracing::info!(
            pages = report.pages,
            paths = report.paths,
            walks = report.walks,
            "trained the model of hop distances again"
        );
        Ok(Retrained {
            strategy,
            known: sources.kept.newest,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trainings_come_ever_farther_apart_and_never_two_at_a_time() {
        assert!(Retraining::of("ensemble").is_none());
        let mut retraining = Retraining::of("memm-viterbi").unwrap();
        assert_eq!(retraining.model.strategy(), "memm");
        assert_eq!(retraining.inference, Inference::Viterbi);
        let mut begun = Vec::new();
        for pages in 0..2_000 {
            if retraining.is_due(pages) {
                begun.push(pages);
                assert!(!retraining.is_due(10_000), "one is under way");
                retraining.ended();
            }
        }
        assert_eq!(begun, [200, 300, 450, 675, 1_012, 1_518]);
    }
}
