//! The apprentice as \[A\] has it (2.2-2.3, methods 3.1): two-class
//! multinomial naive Bayes over `<term, DOM offset>` with Laplace's smoothing,
//! priority = the probability that the link leads to a good page, and the bare
//! baseline until it was trained for the first time.
//!
//! It is here to be measured; what ships is [`super::Apprentice`].

use super::{
    BestFirst, Candidate, Event, Explanation, Focus, Known, Learned, LinkScore, Priority, Profile,
    StateError, Strategy, StrategyState,
};
use crate::models::TwoClassCounts;
use crate::web_graph::Relevance;

/// The apprentice as its paper has it, without this project's changes.
#[derive(Debug, Clone)]
pub struct PlainApprentice {
    counts: TwoClassCounts,
    /// Arrivals between two trainings.
    batch: u32,
    since_trained: u32,
    is_trained: bool,
}

impl Default for PlainApprentice {
    fn default() -> Self {
        Self::every(100)
    }
}

impl PlainApprentice {
    /// One that is trained after every `batch` arrivals.
    pub fn every(batch: u32) -> Self {
        Self {
            counts: TwoClassCounts::default(),
            batch: batch.max(1),
            since_trained: 0,
            is_trained: false,
        }
    }

    /// With counts learned before.
    pub fn with_counts(counts: TwoClassCounts) -> Self {
        Self {
            is_trained: !counts.is_empty(),
            counts,
            ..Self::default()
        }
    }

    fn log_odds(&self, link: &Candidate) -> f64 {
        let features = link.context.counts();
        let evidence: f64 = features
            .map(|(feature, count)| {
                f64::from(count) * self.counts.laplace_log_ratio(feature.to_bits())
            })
            .sum();
        self.counts.prior_log_ratio() + evidence
    }
}

fn probability(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

impl Strategy for PlainApprentice {
    fn profile(&self) -> Profile {
        Profile::new("apprentice-plain")
    }

    fn score(&self, links: &[Candidate], known: Known<'_>) -> Vec<LinkScore> {
        if !self.is_trained {
            return BestFirst(Focus::Soft).score(links, known);
        }
        let score = |link| LinkScore::Follow(Priority::new(0, probability(self.log_odds(link))));
        links.iter().map(score).collect()
    }

    fn expected(&self, link: &Candidate, known: Known<'_>) -> Option<Relevance> {
        if !self.is_trained {
            return BestFirst(Focus::Soft).expected(link, known);
        }
        Some(Relevance::new(probability(self.log_odds(link))))
    }

    fn learn(&mut self, event: &Event<'_>, _: Known<'_>) -> Learned {
        let Event::Arrival(arrival) = event else {
            return Learned::Nothing;
        };
        // One instance a page, by the link that was chosen.
        let Some(link) = arrival.via.first() else {
            return Learned::Nothing;
        };
        let features = link.context.counts();
        self.counts.add(
            features.map(|(feature, count)| (feature.to_bits(), count)),
            arrival.judgment.relevance.is_high(),
        );
        self.since_trained += 1;
        if self.since_trained < self.batch {
            return Learned::Refined;
        }
        self.since_trained = 0;
        self.is_trained = true;
        Learned::Rebuilt
    }

    fn explain(&self, link: &Candidate, known: Known<'_>) -> Explanation {
        if !self.is_trained {
            return BestFirst(Focus::Soft).explain(link, known);
        }
        let mut parts = vec![Explanation::given(
            "log-odds of a good page before any word",
            self.counts.prior_log_ratio(),
        )];
        parts.extend(link.context.counts().map(|(feature, count)| {
            let word = known.graph.vocabulary.surface(feature.term());
            Explanation::given(
                format!("{word} at offset {}", feature.offset().0),
                f64::from(count) * self.counts.laplace_log_ratio(feature.to_bits()),
            )
        }));
        Explanation::logistic(
            "probability of a good page",
            Explanation::sum("log-odds of a good page", parts),
        )
    }

    fn begin_with(
        &mut self,
        learned: &StrategyState,
        known_terms: usize,
    ) -> Result<(), StateError> {
        self.counts = learned.read(known_terms)?.unwrap_or_default();
        self.is_trained = !self.counts.is_empty();
        Ok(())
    }

    fn state(&self) -> StrategyState {
        StrategyState::of(&self.counts)
    }
}
