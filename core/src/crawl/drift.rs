//! Notices when a crawl loses its way (methods 3.5; CUSUM after Page 1954).
//!
//! Three sums watch the pages as they come: what was found among the last pages
//! against what was usual before them; how many pages look stuffed with the topic's
//! words, because they score higher for it than any page of the person's own, or
//! say few words over and over; and by how much the strategy's beliefs
//! grew less sure. The first is a moving sum, as relevant pages come in runs: a
//! cumulative one never forgets the lean stretch before a run, and gave the alarm
//! twice as often for nothing on real webs. A fourth number, how many of the
//! strategy's strongest features changed between two trainings, is told along with the
//! cause: by itself it is high at every crawl's start. After an alarm its sum begins
//! again.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::page::LOW_GUIRAUD_INDEX;

/// Pages until the harvest so far is worth comparing with.
const WARM_UP: u32 = 60;
/// Targets until then.
const FEWEST_TARGETS: u32 = 8;
/// Pages after which a page's part in the usual entropy has halved.
const HALF: f64 = 400.0;
/// Last pages whose harvest is compared with what is usual, at least and at most.
/// Relevant pages come in runs, and so do others: a few dozen in a row say little.
const FEWEST_LAST: usize = 120;
const MOST_LAST: usize = 400;
/// Targets that are usual among as many pages, where not too many are needed: fewer
/// may be missing by chance.
const EXPECTED: f64 = 15.0;
/// Where not even so many are usual among the most pages, none may be found by chance.
const FEWEST_EXPECTED: f64 = 10.0;
/// The harvest has collapsed if it is this share of the usual.
const COLLAPSE: f64 = 0.12;
/// A harvest beyond this is not taken for what is usual: a run of good pages.
const MOST_USUAL: f64 = 0.5;
/// Spam pages, less a little for every other one, at which they are reported: four with not
/// more than fifty others between them. On the webs of people there is one in a
/// thousand, and hardly ever three close together; a crawl that does not fall for spam
/// still meets some.
const SPAM_ALARM: f64 = 3.5;
const OTHER_PAGE: f64 = 0.01;
/// A page looks like spam if its log-odds per word surpass those of the highest-scoring example by
/// this factor, while its words are fewer than those of people's texts. Genuine pages
/// of another kind than the examples can be three times as high.
const SPAM_FACTOR: f64 = 1.1;
/// Guiraud's index of people's texts, at least.
const USUAL_GUIRAUD_INDEX: f64 = 6.0;
/// Share of the strongest features that changed from which on it is told.
const TOLD_TURNOVER: f64 = 0.2;
/// Pages after an alarm in which its cause is not reported again; twice as many after
/// each further one, but for spam: that alarm names other hosts.
const QUIET: u32 = 300;
const MOST_DOUBLINGS: u32 = 6;
/// Spam pages of a host that counts as full of it, at least, and their share of its pages: a
/// large site with a few such pages is none.
const SPAM_PAGES: u32 = 2;
const SPAM_SHARE: f64 = 0.33;
/// Hosts with spam pages that are remembered.
const MOST_SPAM_HOSTS: usize = 1_000;
/// Entropy of a belief, in bits, by which it may rise over the usual.
const ENTROPY_SLACK: f64 = 0.4;
/// What is beyond, summed up, at which it is told.
const ENTROPY_ALARM: f64 = 18.0;

/// A page as far as drift is told by it.
#[derive(Debug, Clone, Copy, Default)]
pub struct PageSignal<'a> {
    /// Its host.
    pub host: &'a str,
    /// Whether it is what is looked for, by the critic.
    pub is_target: bool,
    /// Whether the person marked it.
    pub is_marked: bool,
    /// Log-odds per word.
    pub log_odds: f64,
    /// Distinct words by the root of all its words (Guiraud's index, which hangs
    /// little on length); `None` for a page of few words.
    pub guiraud_index: Option<f64>,
    /// The probability that it was expected to have, where the strategy says.
    pub expected: Option<f64>,
}

/// Why an alarm was raised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum DriftCause {
    /// Hardly anything is found any more.
    Exhausted,
    /// Pages stuffed with the topic's words.
    Spam,
    /// Nobody knows any more which links are good.
    Unsure,
}

impl DriftCause {
    /// As programs read it.
    pub fn code(self) -> &'static str {
        match self {
            Self::Exhausted => "exhausted",
            Self::Spam => "spam",
            Self::Unsure => "unsure",
        }
    }
}

/// An alarm.
#[derive(Debug, Clone, PartialEq)]
pub struct DriftAlarm {
    /// Why.
    pub cause: DriftCause,
    /// Share of targets that was usual before the last pages, 0..=1; 0 at a crawl's
    /// start, when there are none before.
    pub usual: f64,
    /// Share of the strategy's strongest features that changed at its last training,
    /// 0..=1; 0 for a strategy that has none.
    pub turnover: f64,
    /// Hosts full of spam, where that is the cause.
    pub hosts: Vec<Box<str>>,
}

impl fmt::Display for DriftAlarm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let usual = 100.0 * self.usual;
        match self.cause {
            DriftCause::Exhausted => write!(
                f,
                "hardly anything is found any more, where {usual:.0} of 100 pages were relevant: \
                 the topic may be exhausted here. Starting from other pages may help"
            )?,
            DriftCause::Spam => write!(
                f,
                "many pages look as if they were stuffed with the topic's words to attract \
                 visitors. A crawl told to restrict itself leaves their sites"
            )?,
            DriftCause::Unsure => {
                write!(
                    f,
                    "it is hard to say any more which links lead to good pages. Marking a few \
                     pages, or answering a question, helps"
                )?;
            }
        }
        if self.turnover >= TOLD_TURNOVER {
            let turnover = 100.0 * self.turnover;
            write!(
                f,
                ". {turnover:.0} % of the strongest words changed of late"
            )?;
        }
        Ok(())
    }
}

/// A mean that forgets.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct DecayingMean {
    pages: u32,
    sum: f64,
    weight: f64,
}

impl DecayingMean {
    fn add(&mut self, value: f64) {
        let kept = 0.5f64.powf(1.0 / HALF);
        self.pages += 1;
        self.sum = self.sum * kept + value;
        self.weight = self.weight * kept + 1.0;
    }

    fn mean(self) -> f64 {
        self.sum / self.weight.max(1.0)
    }
}

/// Watches a crawl and says when it loses its topic, and why.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Drift {
    /// Whether each of the last pages was a target.
    last: VecDeque<bool>,
    /// Pages and targets since the crawl began, or since it was told to be exhausted.
    all: (u32, u32),
    entropy: DecayingMean,
    /// See [`Self::examples`].
    highest_target: f64,
    spam: f64,
    unsure: f64,
    /// Spam pages, and all pages since the first of them, by host.
    spam_hosts: BTreeMap<Box<str>, (u32, u32)>,
    features: Vec<u32>,
    turnover: f64,
    /// Pages until an alarm of the same cause is raised again, and how often it was.
    quiet: BTreeMap<DriftCause, (u32, u32)>,
}

impl Drift {
    /// Log-odds of the highest-scoring page that the person marked as a target; 0 if too few
    /// were marked to tell.
    pub fn examples(&mut self, highest_target: f64) {
        self.highest_target = highest_target;
    }

    /// The strategy's strongest features, after a training.
    pub fn trained(&mut self, mut features: Vec<u32>) {
        features.sort_unstable();
        if !self.features.is_empty() {
            let is_new = |feature: &&u32| self.features.binary_search(feature).is_err();
            let new = features.iter().filter(is_new).count();
            self.turnover = new as f64 / features.len().max(1) as f64;
        }
        self.features = features;
    }

    /// Takes a page into account.
    pub fn page(&mut self, signal: PageSignal<'_>) -> Option<DriftAlarm> {
        for (pages, _) in self.quiet.values_mut() {
            *pages = pages.saturating_sub(1);
        }
        // All are asked, so that none hides another.
        let causes = [
            (DriftCause::Spam, self.is_spam_host(signal)),
            (DriftCause::Unsure, self.is_unsure(signal)),
            (DriftCause::Exhausted, self.is_exhausted(signal)),
        ];
        let is_quiet = |cause| self.quiet.get(&cause).is_some_and(|row| row.0 > 0);
        let told = causes
            .into_iter()
            .find(|&(cause, is_so)| is_so && !is_quiet(cause));
        let cause = told?.0;
        let alarm = DriftAlarm {
            cause,
            usual: self.usual_before(FEWEST_LAST).unwrap_or_default(),
            turnover: self.turnover,
            hosts: match cause {
                DriftCause::Spam => self.spam_hosts(),
                _ => Vec::new(),
            },
        };
        self.reset_cause(cause);
        let (pages, times) = self.quiet.entry(cause).or_default();
        *pages = QUIET << (*times).min(MOST_DOUBLINGS);
        if cause != DriftCause::Spam {
            *times += 1;
        }
        Some(alarm)
    }

    fn reset_cause(&mut self, cause: DriftCause) {
        match cause {
            DriftCause::Spam => {
                self.spam = 0.0;
                self.spam_hosts.clear();
            }
            DriftCause::Unsure => {
                self.unsure = 0.0;
                self.entropy = DecayingMean::default();
            }
            DriftCause::Exhausted => {
                self.last.clear();
                self.all = (0, 0);
            }
        }
    }

    fn spam_hosts(&self) -> Vec<Box<str>> {
        let is_spam = |spam: u32, pages: u32| {
            spam >= SPAM_PAGES && f64::from(spam) >= SPAM_SHARE * f64::from(pages)
        };
        let spam_hosts = self
            .spam_hosts
            .iter()
            .filter(|row| is_spam(row.1.0, row.1.1));
        spam_hosts.map(|row| row.0.clone()).collect()
    }

    fn is_spam_host(&mut self, signal: PageSignal<'_>) -> bool {
        if signal.is_marked {
            return false;
        }
        let is_below = |bound| {
            signal
                .guiraud_index
                .is_some_and(|guiraud_index| guiraud_index < bound)
        };
        let scores_higher =
            self.highest_target > 0.0 && signal.log_odds > SPAM_FACTOR * self.highest_target;
        let looks_like_spam =
            (scores_higher && is_below(USUAL_GUIRAUD_INDEX)) || is_below(LOW_GUIRAUD_INDEX);
        let step = if looks_like_spam { 1.0 } else { -OTHER_PAGE };
        self.spam = (self.spam + step).clamp(0.0, SPAM_ALARM);
        if self.spam <= 0.0 {
            self.spam_hosts.clear();
        }
        if looks_like_spam && self.spam_hosts.len() < MOST_SPAM_HOSTS {
            self.spam_hosts.entry(signal.host.into()).or_default().0 += 1;
        }
        if let Some((_, pages)) = self.spam_hosts.get_mut(signal.host) {
            *pages += 1;
        }
        self.spam >= SPAM_ALARM
    }

    fn is_unsure(&mut self, signal: PageSignal<'_>) -> bool {
        let Some(expected) = signal.expected else {
            return false;
        };
        let entropy = entropy(expected);
        if self.entropy.pages > WARM_UP {
            let rise = entropy - self.entropy.mean() - ENTROPY_SLACK;
            self.unsure = (self.unsure + rise).clamp(0.0, ENTROPY_ALARM);
        }
        self.entropy.add(entropy);
        self.unsure >= ENTROPY_ALARM
    }

    fn is_exhausted(&mut self, signal: PageSignal<'_>) -> bool {
        self.last.push_front(signal.is_target);
        self.last.truncate(MOST_LAST);
        self.all.0 += 1;
        self.all.1 += u32::from(signal.is_target);
        let Some(roughly) = self.usual_before(FEWEST_LAST) else {
            return false;
        };
        let last = ((EXPECTED / roughly) as usize).clamp(FEWEST_LAST, MOST_LAST);
        let Some(usual) = self.usual_before(last) else {
            return false;
        };
        let usual = usual.min(MOST_USUAL);
        usual * (MOST_LAST as f64) >= FEWEST_EXPECTED
            && f64::from(self.found(last)) <= COLLAPSE * usual * last as f64
    }

    /// Share of targets before so many last pages, 0..=1; `None` if those are too few
    /// to tell.
    fn usual_before(&self, last: usize) -> Option<f64> {
        let pages = self.all.0.checked_sub(last as u32)?;
        let targets = self.all.1 - self.found(last);
        let is_enough = pages >= WARM_UP && targets >= FEWEST_TARGETS;
        is_enough.then(|| f64::from(targets) / f64::from(pages))
    }

    /// Targets among so many last pages.
    fn found(&self, last: usize) -> u32 {
        let last = self.last.iter().take(last);
        last.map(|&is_target| u32::from(is_target)).sum()
    }
}

/// In bits.
fn entropy(share: f64) -> f64 {
    let part = |share: f64| {
        if share > 0.0 {
            -share * share.log2()
        } else {
            0.0
        }
    };
    part(share) + part(1.0 - share)
}

#[cfg(test)]
mod tests;
