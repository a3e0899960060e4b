//! The controls that look at no content: random order and breadth-first.

use super::{
    Arrival, Candidate, Explanation, Known, Learned, LinkScore, Priority, Rng, Strategy,
    StrategyState,
};

/// Follows links in random order.
#[derive(Debug, Clone, Copy, Default)]
pub struct Random;

/// Follows links nearest to the seeds first.
#[derive(Debug, Clone, Copy, Default)]
pub struct BreadthFirst;

impl Strategy for Random {
    fn name(&self) -> &'static str {
        "random"
    }

    fn score(&self, link: &Candidate, _: Known<'_>) -> LinkScore {
        LinkScore::Follow(Priority::new(0, f64::from(link.tie)))
    }

    fn learn(&mut self, _: &Arrival<'_>, _: Known<'_>, _: &mut dyn Rng) -> Learned {
        Learned::Nothing
    }

    fn explain(&self, link: &Candidate, _: Known<'_>) -> Explanation {
        Explanation::given("drawn at random", f64::from(link.tie))
    }

    fn state(&self) -> StrategyState {
        StrategyState::Nothing
    }
}

impl Strategy for BreadthFirst {
    fn name(&self) -> &'static str {
        "breadth-first"
    }

    fn score(&self, link: &Candidate, _: Known<'_>) -> LinkScore {
        LinkScore::Follow(Priority::new(0, -f64::from(link.trail.len())))
    }

    fn learn(&mut self, _: &Arrival<'_>, _: Known<'_>, _: &mut dyn Rng) -> Learned {
        Learned::Nothing
    }

    fn explain(&self, link: &Candidate, _: Known<'_>) -> Explanation {
        let clicks = f64::from(link.trail.len());
        Explanation::product(
            "nearest to the seeds first",
            vec![
                Explanation::given("clicks from the seed", clicks),
                Explanation::given("fewer is better", -1.0),
            ],
        )
    }

    fn state(&self) -> StrategyState {
        StrategyState::Nothing
    }
}
