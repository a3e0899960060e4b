//! The controls that look at no content: random order and breadth-first.

use super::{Candidate, Explanation, Known, LinkScore, Priority, Profile, Strategy};
use crate::codec::{SaveError, Saver};

/// Follows links in random order.
#[derive(Debug, Clone, Copy, Default)]
pub struct Random;

/// Follows links nearest to the seeds first.
#[derive(Debug, Clone, Copy, Default)]
pub struct BreadthFirst;

impl Strategy for Random {
    fn profile(&self) -> Profile {
        Profile::new("random")
    }

    fn score(&self, links: &[Candidate], _: Known<'_>) -> Vec<LinkScore> {
        let score = |link: &Candidate| LinkScore::Follow(Priority::new(0, f64::from(link.tie)));
        links.iter().map(score).collect()
    }

    fn save(&self, _: &mut Saver<'_>) -> Result<(), SaveError> {
        Ok(())
    }

    fn explain(&self, link: &Candidate, _: Known<'_>) -> Explanation {
        Explanation::given("drawn at random", f64::from(link.tie))
    }
}

impl Strategy for BreadthFirst {
    fn profile(&self) -> Profile {
        Profile::new("breadth-first")
    }

    fn score(&self, links: &[Candidate], _: Known<'_>) -> Vec<LinkScore> {
        let score =
            |link: &Candidate| LinkScore::Follow(Priority::new(0, -f64::from(link.trail.len())));
        links.iter().map(score).collect()
    }

    fn save(&self, _: &mut Saver<'_>) -> Result<(), SaveError> {
        Ok(())
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
}
