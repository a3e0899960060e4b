//! Whose ranking the next page is taken by: a bandit over a strategy and its
//! rivals (METHODS "Ensemble"), so that one that has learned something wrong loses
//! its share of the fetches quickly; and, now and then, none: a page at random, to
//! see what no ranking would show.
//!
//! Each arm's rate of good pages has a Beta distribution, of which one value is
//! drawn each turn (Thompson sampling; a normal of the same mean and deviation
//! stands for the Beta). What lies back counts less, since pages grow worse and
//! learners better as a crawl goes on.

use crate::strategies::{Draw, SplitMix, TurnRule};

/// What an arm's rate is drawn towards as long as it was not tried, in pages.
const PRIOR_PAGES: f64 = 20.0;
/// Of the rate of all pages so far, a rival is believed to reach this share before
/// it was tried.
const PRIOR_SHARE: f64 = 0.5;
/// What remains of an arm's count after each page.
const MEMORY: f64 = 0.995;
/// Pages before any turn is given away: nobody has shown anything yet, and where
/// little is to be found they are too dear.
const WARM_UP: f64 = 50.0;
/// Share of the first pages that are taken at random.
const EXPLORATION: f64 = 0.02;
/// Pages after which that share has halved.
const HALF: f64 = 300.0;

/// By whose ranking a page is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// The strategy's own.
    Own,
    /// That of one of its rivals.
    Rival(usize),
    /// None: at random.
    Random,
}

/// What an arm brought.
#[derive(Debug, Clone, Copy, Default)]
struct Arm {
    good: f64,
    pages: f64,
}

/// See the module.
#[derive(Debug, Clone)]
pub struct Turns {
    /// The strategy, then its rivals.
    arms: Vec<Arm>,
    all: Arm,
    rule: TurnRule,
}

impl Turns {
    /// By a strategy's rule.
    pub fn new(rule: TurnRule) -> Self {
        Self {
            arms: vec![Arm::default(); rule.rivals.len() + 1],
            all: Arm::default(),
            rule,
        }
    }

    /// Whose turn it is at the fetch of that number: the same number and the same
    /// outcomes before it give the same turn.
    pub fn turn(&self, fetch: u64) -> Turn {
        if self.all.pages < WARM_UP {
            return Turn::Own;
        }
        let mut draw = SplitMix(fetch);
        let share = EXPLORATION * HALF / (HALF + self.all.pages);
        if draw.unit() < share && self.rule.explores {
            return Turn::Random;
        }
        if self.arms.len() == 1 {
            return Turn::Own;
        }
        let usual = (self.all.good + 0.5) / (self.all.pages + 1.0);
        let drawn: Vec<f64> = self
            .arms
            .iter()
            .enumerate()
            .map(|(number, arm)| {
                let share = if number == 0 { 1.0 } else { PRIOR_SHARE };
                arm.drawn(share * usual, &mut draw)
            })
            .collect();
        let best = (0..drawn.len())
            .rev()
            .max_by(|&a, &b| drawn[a].total_cmp(&drawn[b]));
        match best {
            None | Some(0) => Turn::Own,
            Some(arm) => Turn::Rival(arm - 1),
        }
    }

    /// What the page of a turn was.
    pub fn learn(&mut self, turn: Turn, is_good: bool) {
        let good = f64::from(u8::from(is_good));
        self.all.pages += 1.0;
        self.all.good += good;
        for arm in &mut self.arms {
            arm.pages *= MEMORY;
            arm.good *= MEMORY;
        }
        let arm = match turn {
            Turn::Own => 0,
            Turn::Rival(rival) => rival + 1,
            Turn::Random => return,
        };
        if let Some(arm) = self.arms.get_mut(arm) {
            arm.pages += 1.0;
            arm.good += good;
        }
    }
}

impl Arm {
    /// A rate that it may have.
    fn drawn(self, expected: f64, draw: &mut SplitMix) -> f64 {
        let pages = self.pages + PRIOR_PAGES;
        let mean = (self.good + PRIOR_PAGES * expected) / pages;
        let deviation = (mean * (1.0 - mean) / (pages + 1.0)).sqrt();
        mean + deviation * normal(draw)
    }
}

/// Normally distributed (Box and Muller).
fn normal(draw: &mut SplitMix) -> f64 {
    let radius = (-2.0 * (1.0 - draw.unit()).ln()).sqrt();
    radius * (std::f64::consts::TAU * draw.unit()).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 3] = ["one", "two", "three"];

    /// Turns of each arm, and random ones last, over many pages of which an arm
    /// finds good ones at its rate.
    fn shares(rates: &[f64], pages: u64, explores: bool) -> Vec<u64> {
        let mut turns = Turns::new(TurnRule {
            rivals: &NAMES[..rates.len() - 1],
            explores,
        });
        let mut draw = SplitMix(9);
        let mut taken = vec![0; rates.len() + 1];
        for fetch in 0..pages {
            let turn = turns.turn(fetch);
            let (arm, rate) = match turn {
                Turn::Own => (0, rates[0]),
                Turn::Rival(rival) => (rival + 1, rates[rival + 1]),
                Turn::Random => (rates.len(), 0.1),
            };
            taken[arm] += 1;
            turns.learn(turn, draw.unit() < rate);
        }
        taken
    }

    #[test]
    fn a_bad_learner_loses_its_share_quickly() {
        let taken = shares(&[0.1, 0.5, 0.2], 300, true);
        assert!(taken[1] > 170 && taken[0] < 110, "{taken:?}");
    }

    #[test]
    fn a_good_one_keeps_nearly_all_turns() {
        let taken = shares(&[0.5, 0.2, 0.3, 0.1], 1_000, true);
        assert!(taken[0] > 850, "{taken:?}");
        assert!(taken[4] > 5 && taken[4] < 40, "at random: {taken:?}");
    }

    #[test]
    fn alone_it_always_has_the_turn() {
        assert_eq!(shares(&[0.2], 200, false), [200, 0]);
        let explored = shares(&[0.2], 200, true)[1];
        assert!(explored > 0 && explored < 20, "{explored}");
    }

    #[test]
    fn normal_numbers_are_normal() {
        let mut draw = SplitMix(3);
        let numbers: Vec<f64> = (0..20_000).map(|_| normal(&mut draw)).collect();
        let mean = numbers.iter().sum::<f64>() / 20_000.0;
        let variance = numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 20_000.0;
        assert!(
            mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05,
            "{mean} {variance}"
        );
    }
}
