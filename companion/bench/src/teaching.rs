//! Choosing the next page by what it would teach (\[A\] 4 leaves active learning to later):
//! in some batches the apprentice's links are ordered by how little it knows of them, in all
//! others by how much they promise.
//!
//! Only an experiment asks for it.

use linkscent_core::models::FeatureCount;
use linkscent_core::strategies::{
    Apprentice, BestFirst, Candidate, Event, Explanation, Focus, Known, Learned, LinkScore,
    Priority, Profile, Strategy,
};

/// Batches at the beginning that are chosen to teach.
const FIRST: u32 = 2;

/// What a link is chosen by in a batch that teaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Teacher {
    /// The relevance of its page: the baseline, which is how \[A\] 3.7 begins.
    Relevance,
    /// How near its odds are to even.
    Uncertainty,
    /// How much one more instance is expected to tell about what its words mean.
    Information,
}

/// The apprentice, with batches that are chosen to teach.
pub struct Teaching {
    apprentice: Apprentice,
    by: Teacher,
    batch: u32,
    /// Of so many batches one teaches; only the first ones if `None`.
    again: Option<u32>,
    arrived: u32,
}

impl Teaching {
    /// With batches of so many arrivals.
    pub fn new(batch: u32, by: Teacher, again: Option<u32>) -> Self {
        Self {
            apprentice: Apprentice::every(batch),
            by,
            batch: batch.max(1),
            again,
            arrived: 0,
        }
    }

    fn teaches(&self) -> bool {
        let batch = self.arrived / self.batch;
        match self.again {
            Some(of) => batch.is_multiple_of(of),
            None => batch < FIRST,
        }
    }

    /// Mean over the words near a link of what one more instance would tell, in nats.
    fn information(&self, link: &Candidate) -> f64 {
        let (mut sum, mut words) = (0.0, 0.0_f64);
        for (word, _) in link.context.counts() {
            sum += expected_information(self.apprentice.seen(word));
            words += 1.0;
        }
        sum / words.max(1.0)
    }
}

/// What the class of one more link with a feature tells about the share of such links that
/// lead to good pages: the entropy of the mean less the mean entropy, the share being
/// distributed by Beta(1 + good, 1 + others).
fn expected_information(seen: FeatureCount) -> f64 {
    let (a, b) = (1.0 + f64::from(seen.high), 1.0 + f64::from(seen.low));
    let share = a / (a + b);
    let of_mean = -share * share.ln() - (1.0 - share) * (1.0 - share).ln();
    let all = digamma(a + b + 1.0);
    let mean = share * (all - digamma(a + 1.0)) + (1.0 - share) * (all - digamma(b + 1.0));
    of_mean - mean
}

/// The derivative of `ln Gamma(x)`, for `x > 0`: by recurrence to 10 and a series from there.
fn digamma(mut x: f64) -> f64 {
    let mut sum = 0.0;
    while x < 10.0 {
        sum -= 1.0 / x;
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    let series = square * (1.0 / 12.0 - square * (1.0 / 120.0 - square / 252.0));
    sum + x.ln() - 0.5 / x - series
}

impl Strategy for Teaching {
    fn profile(&self) -> Profile {
        self.apprentice.profile()
    }

    fn score(&self, links: &[Candidate], known: Known<'_>) -> Vec<LinkScore> {
        if !self.teaches() {
            return self.apprentice.score(links, known);
        }
        let follow = |value| LinkScore::Follow(Priority::new(0, value));
        match self.by {
            Teacher::Relevance => BestFirst(Focus::Soft).score(links, known),
            Teacher::Uncertainty => {
                let scores = self.apprentice.score(links, known).into_iter();
                let odds = scores.map(|score| score.priority().map_or(0.0, Priority::value));
                odds.map(|log_odds| follow(-log_odds.abs())).collect()
            }
            Teacher::Information => {
                let links = links.iter();
                links.map(|link| follow(self.information(link))).collect()
            }
        }
    }

    fn learn(&mut self, event: &Event<'_>, known: Known<'_>) -> Learned {
        let learned = self.apprentice.learn(event, known);
        if !matches!(event, Event::Arrival(_)) {
            return learned;
        }
        let before = self.teaches();
        self.arrived += 1;
        if before == self.teaches() {
            learned
        } else {
            Learned::Rebuilt
        }
    }

    fn explain(&self, link: &Candidate, known: Known<'_>) -> Explanation {
        self.apprentice.explain(link, known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn information_by_hand() {
        let told = |high: f32, low: f32| expected_information(FeatureCount { high, low });
        // psi(3) - psi(2) = 1/2, and the entropy of an even share is ln 2.
        assert!((told(0.0, 0.0) - (2.0_f64.ln() - 0.5)).abs() < 1e-9);
        // Beta(2, 1): share 2/3; psi(4) - psi(3) = 1/3, psi(4) - psi(2) = 1/2 + 1/3.
        let entropy = -(2.0 / 3.0) * (2.0_f64 / 3.0).ln() - (1.0 / 3.0) * (1.0_f64 / 3.0).ln();
        let by_hand = entropy - (2.0 / 3.0 * (1.0 / 3.0) + 1.0 / 3.0 * (5.0 / 6.0));
        assert!((told(1.0, 0.0) - by_hand).abs() < 1e-9);
        assert!(told(100.0, 100.0) < told(10.0, 10.0) && told(100.0, 100.0) > 0.0);
    }

    #[test]
    fn batches_teach_at_the_beginning_or_now_and_then() {
        let teaching = |again, arrived| Teaching {
            arrived,
            ..Teaching::new(10, Teacher::Uncertainty, again)
        };
        let by = |again| -> Vec<bool> {
            let arrived = (0..60).step_by(10);
            arrived
                .map(|arrived| teaching(again, arrived).teaches())
                .collect()
        };
        assert_eq!(by(None), [true, true, false, false, false, false]);
        assert_eq!(by(Some(4)), [true, false, false, false, true, false]);
    }
}
