//! How soon a link is to be followed.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

/// Beliefs over up to five hop distances fit in a rank.
const RANK_LENGTH: usize = 5;
/// Members of the ensemble.
const MEMBERS: usize = 4;

/// A queue: all of an earlier one is served before any of a later one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Tier {
    /// Held back by a crawl that keeps close to what is known to be good: behind all
    /// tiers that are not.
    pub is_held_back: bool,
    /// The strategy's own order: 0 is served first.
    pub level: u8,
}

/// What orders a tier, greatest first: by the first number, of equal ones by the second,
/// and so on. What is no number comes last.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Rank([f64; RANK_LENGTH]);

/// How the members of a strategy would rank a link, each by a number of its own, in the
/// order of its [`super::ArmRule::members`].
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct MemberScores([f64; MEMBERS]);

/// When a link is followed. Greater is sooner. Comparable only within one strategy.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Priority {
    /// Its queue.
    pub tier: Tier,
    /// Its place there.
    pub rank: Rank,
    /// By how much its rank is above what is known of the link, where that is in log-odds: so that
    /// it is tried, and not since a good page is as probable as that.
    pub boost: f64,
    /// What other rankings make of the link.
    pub members: MemberScores,
}

impl Tier {
    fn last() -> Self {
        Self {
            is_held_back: true,
            level: u8::MAX,
        }
    }
}

impl Rank {
    /// By these numbers, at most 5 of them.
    pub fn new(values: &[f64]) -> Self {
        let mut numbers = [0.0; RANK_LENGTH];
        numbers[0] = f64::MIN;
        for (number, &value) in numbers.iter_mut().zip(values) {
            *number = if value.is_nan() { f64::MIN } else { value };
        }
        Self(numbers)
    }

    /// The number that counts first.
    pub fn value(self) -> f64 {
        self.0[0]
    }

    /// One of its numbers; 0 where there is none.
    pub fn number(self, place: usize) -> f64 {
        self.0.get(place).copied().unwrap_or_default()
    }
}

impl Eq for Rank {}

impl Ord for Rank {
    fn cmp(&self, other: &Self) -> Ordering {
        let pairs = self.0.iter().zip(&other.0);
        pairs
            .map(|(a, b)| a.total_cmp(b))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }
}

impl PartialOrd for Rank {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl MemberScores {
    /// In the members' order.
    pub fn new(scores: [f64; MEMBERS]) -> Self {
        Self(scores)
    }

    /// The score by one of them; 0 for one that there is not.
    pub fn by(self, member: usize) -> f64 {
        self.0.get(member).copied().unwrap_or_default()
    }
}

impl Priority {
    /// At a level (0 is served first), ordered there by one number.
    pub fn new(level: u8, value: f64) -> Self {
        Self::ranked(level, Rank::new(&[value]))
    }

    /// At a level, with a place there.
    pub fn ranked(level: u8, rank: Rank) -> Self {
        Self {
            tier: Tier {
                is_held_back: false,
                level,
            },
            rank,
            boost: 0.0,
            members: MemberScores::default(),
        }
    }

    /// The same, ranked higher by so many log-odds.
    #[must_use]
    pub fn boosted(mut self, boost: f64) -> Self {
        if boost.is_finite() {
            self.rank.0[0] += boost;
            self.boost += boost;
        }
        self
    }

    /// Its value without its boost: where values are log-odds, those of a good page.
    pub fn log_odds(self) -> f64 {
        self.value() - self.boost
    }

    /// The same with what members make of the link.
    #[must_use]
    pub fn with_members(self, members: MemberScores) -> Self {
        Self { members, ..self }
    }

    /// The number that orders its tier first.
    pub fn value(self) -> f64 {
        self.rank.value()
    }

    /// The same behind all that are not held back.
    #[must_use]
    pub fn held_back(mut self) -> Self {
        self.tier.is_held_back = true;
        self
    }

    /// The mean of several; of their tiers the soonest. Of none, the last there is.
    pub(super) fn mean(scores: &[Self]) -> Self {
        let share = 1.0 / scores.len().max(1) as f64;
        let (mut rank, mut members) = ([0.0; RANK_LENGTH], [0.0; MEMBERS]);
        let mut boost = 0.0;
        for score in scores {
            boost += share * score.boost;
            for (mean, value) in rank.iter_mut().zip(score.rank.0) {
                *mean += share * value;
            }
            for (mean, value) in members.iter_mut().zip(score.members.0) {
                *mean += share * value;
            }
        }
        let tiers = scores.iter().map(|score| score.tier);
        Self {
            tier: tiers.min().unwrap_or(Tier::last()),
            rank: Rank(rank),
            boost,
            members: MemberScores(members),
        }
    }
}

impl Eq for Priority {}

impl Ord for Priority {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_tier = other.tier.cmp(&self.tier);
        by_tier.then_with(|| self.rank.cmp(&other.rank))
    }
}

impl PartialOrd for Priority {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiers_come_before_ranks_and_held_back_comes_last() {
        let in_order = [
            Priority::new(0, 9.0),
            Priority::ranked(0, Rank::new(&[1.0, 2.0, 3.0])),
            Priority::ranked(0, Rank::new(&[1.0, 2.0, -3.0])),
            Priority::new(0, f64::NAN),
            Priority::new(1, 9.0),
            Priority::new(255, 9.0),
            Priority::new(0, 9.0).held_back(),
            Priority::new(1, 99.0).held_back(),
        ];
        assert!(in_order.is_sorted_by(|a, b| a > b));
    }

    #[test]
    fn a_mean_is_of_each_number_and_the_soonest_tier() {
        let members = |value: f64| MemberScores::new([value, 2.0 * value, 0.0, 0.0]);
        let mean = Priority::mean(&[
            Priority::new(3, 1.0).with_members(members(1.0)),
            Priority::new(2, 3.0).with_members(members(5.0)),
        ]);
        assert_eq!((mean.tier.level, mean.value()), (2, 2.0));
        assert_eq!((mean.members.by(1), mean.members.by(9)), (6.0, 0.0));
        assert!(Priority::mean(&[]) < Priority::new(255, -1e300));
    }

    #[test]
    fn a_boost_ranks_higher_and_is_no_evidence() {
        let scores = [Priority::new(0, 1.0).boosted(2.0), Priority::new(0, -1.0)];
        assert!(scores[0] > Priority::new(0, 2.9));
        assert_eq!((scores[0].value(), scores[0].log_odds()), (3.0, 1.0));
        let mean = Priority::mean(&scores);
        assert_eq!((mean.value(), mean.log_odds()), (1.0, 0.0));
    }
}
