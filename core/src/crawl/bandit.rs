//! Whose ranking the next page is taken by: a bandit over a strategy and its
//! members (methods 3.5), so that one that has learned something wrong loses
//! its share of the fetches quickly; and, now and then, none: a page at random, to
//! see what no ranking would show.
//!
//! Each arm's rate of good pages has a Beta distribution, of which one value is
//! drawn at each fetch (Thompson sampling; a normal of the same mean and deviation
//! stands for the Beta). What lies back counts less, since pages grow worse and
//! learners better as a crawl goes on.

use serde::{Deserialize, Serialize};

use crate::codec::{CodecError, Loader, SaveError, Saver};
use crate::strategies::{ArmRule, Rng, SplitMix};

/// What an arm's rate is drawn towards as long as it was not tried, in pages.
const PRIOR_PAGES: f64 = 20.0;
/// Of the rate of all pages so far, a member is believed to reach this share before
/// it was tried.
const PRIOR_SHARE: f64 = 0.5;
/// What remains of an arm's count after each page.
const MEMORY: f64 = 0.995;
/// Pages before any other arm is tried: nobody has shown anything yet, and where
/// little is to be found they are too dear.
const WARM_UP: f64 = 50.0;
/// Share of the first pages that are taken at random.
const EXPLORATION: f64 = 0.02;
/// Pages after which that share has halved.
const HALF: f64 = 300.0;

/// By whose ranking a page is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Arm {
    /// The strategy's own.
    Primary,
    /// That of one of its members.
    Member(usize),
    /// None: at random.
    Explore,
}

impl Arm {
    /// As a log has it.
    pub fn code(self) -> i64 {
        match self {
            Self::Explore => -1,
            Self::Primary => 0,
            Self::Member(member) => 1 + member as i64,
        }
    }

    /// Back from [`Self::code`].
    pub fn of_code(code: i64) -> Self {
        match code {
            ..0 => Self::Explore,
            0 => Self::Primary,
            member => Self::Member(usize::try_from(member - 1).unwrap_or(usize::MAX)),
        }
    }
}

/// What an arm brought.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct ArmCounts {
    good: f64,
    pages: f64,
}

/// Chooses who takes the next page, by what the choices of each brought.
#[derive(Debug, Clone)]
pub struct Bandit {
    /// The strategy, then its members.
    arms: Vec<ArmCounts>,
    all: ArmCounts,
    rule: ArmRule,
}

impl Bandit {
    /// By a strategy's rule.
    pub fn new(rule: ArmRule) -> Self {
        Self {
            arms: vec![ArmCounts::default(); rule.members.len() + 1],
            all: ArmCounts::default(),
            rule,
        }
    }

    /// Writes what the arms brought.
    pub(super) fn save(&self, to: &mut Saver<'_>) -> Result<(), SaveError> {
        to.put(&self.arms)?;
        to.put(&self.all)
    }

    /// Takes that back; the rule stays.
    pub(super) fn load(&mut self, from: &mut Loader<'_>) -> Result<(), CodecError> {
        self.arms = from.take()?;
        self.all = from.take()?;
        Ok(())
    }

    /// The arm that chooses at the fetch of that number: the same number and the same
    /// outcomes before it give the same arm.
    pub fn arm(&self, fetch: u64) -> Arm {
        if self.all.pages < WARM_UP {
            return Arm::Primary;
        }
        let mut rng = SplitMix(fetch);
        let share = EXPLORATION * HALF / (HALF + self.all.pages);
        if rng.unit() < share && self.rule.explores {
            return Arm::Explore;
        }
        if self.arms.len() == 1 {
            return Arm::Primary;
        }
        let base_rate = (self.all.good + 0.5) / (self.all.pages + 1.0);
        let drawn: Vec<f64> = self
            .arms
            .iter()
            .enumerate()
            .map(|(number, arm)| {
                let share = if number == 0 { 1.0 } else { PRIOR_SHARE };
                arm.drawn(share * base_rate, &mut rng)
            })
            .collect();
        let best = (0..drawn.len())
            .rev()
            .max_by(|&a, &b| drawn[a].total_cmp(&drawn[b]));
        match best {
            None | Some(0) => Arm::Primary,
            Some(arm) => Arm::Member(arm - 1),
        }
    }

    /// What the page of an arm was.
    pub fn learn(&mut self, arm: Arm, is_good: bool) {
        let good = f64::from(u8::from(is_good));
        self.all.pages += 1.0;
        self.all.good += good;
        for arm in &mut self.arms {
            arm.pages *= MEMORY;
            arm.good *= MEMORY;
        }
        let arm = match arm {
            Arm::Primary => 0,
            Arm::Member(member) => member.saturating_add(1),
            Arm::Explore => return,
        };
        if let Some(arm) = self.arms.get_mut(arm) {
            arm.pages += 1.0;
            arm.good += good;
        }
    }
}

impl ArmCounts {
    /// A rate that it may have.
    fn drawn(self, expected: f64, rng: &mut SplitMix) -> f64 {
        let pages = self.pages + PRIOR_PAGES;
        let mean = (self.good + PRIOR_PAGES * expected) / pages;
        let deviation = (mean * (1.0 - mean) / (pages + 1.0)).sqrt();
        mean + deviation * normal(rng)
    }
}

/// Normally distributed (Box and Muller).
fn normal(rng: &mut SplitMix) -> f64 {
    let radius = (-2.0 * (1.0 - rng.unit()).ln()).sqrt();
    radius * (std::f64::consts::TAU * rng.unit()).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 3] = ["one", "two", "three"];

    /// Fetches of each arm, and random ones last, over many pages of which an arm
    /// finds good ones at its rate.
    fn shares(rates: &[f64], pages: u64, explores: bool) -> Vec<u64> {
        let mut bandit = Bandit::new(ArmRule {
            members: &NAMES[..rates.len() - 1],
            explores,
        });
        let mut rng = SplitMix(9);
        let mut taken = vec![0; rates.len() + 1];
        for fetch in 0..pages {
            let arm = bandit.arm(fetch);
            let (place, rate) = match arm {
                Arm::Primary => (0, rates[0]),
                Arm::Member(member) => (member + 1, rates[member + 1]),
                Arm::Explore => (rates.len(), 0.1),
            };
            taken[place] += 1;
            bandit.learn(arm, rng.unit() < rate);
        }
        taken
    }

    #[test]
    fn a_bad_learner_loses_its_share_quickly() {
        let taken = shares(&[0.1, 0.5, 0.2], 300, true);
        assert!(taken[1] > 170 && taken[0] < 110, "{taken:?}");
    }

    #[test]
    fn a_good_one_keeps_nearly_all_fetches() {
        let taken = shares(&[0.5, 0.2, 0.3, 0.1], 1_000, true);
        assert!(taken[0] > 850, "{taken:?}");
        assert!(taken[4] > 5 && taken[4] < 40, "at random: {taken:?}");
    }

    #[test]
    fn alone_it_is_always_chosen() {
        assert_eq!(shares(&[0.2], 200, false), [200, 0]);
        let explored = shares(&[0.2], 200, true)[1];
        assert!(explored > 0 && explored < 20, "{explored}");
    }

    #[test]
    fn normal_numbers_are_normal() {
        let mut rng = SplitMix(3);
        let numbers: Vec<f64> = (0..20_000).map(|_| normal(&mut rng)).collect();
        let mean = numbers.iter().sum::<f64>() / 20_000.0;
        let variance = numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 20_000.0;
        assert!(
            mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05,
            "{mean} {variance}"
        );
    }
}
