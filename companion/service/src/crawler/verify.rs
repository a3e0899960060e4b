//! A crawl that somebody gave as a file, run again with the file as the web: whether its pages are
//! what they were, whether they are judged the same, and whether the same links are followed.
//!
//! What the file says of its pages follows from its log and from what the crawl began with, see
//! [`replayed`]. It is not checked that the web was like this: nobody can.
//!
//! On the web many requests are under way at a time, and whose answer came first is chance. Here
//! they are made one by one, each host resting as it was ordered to, so the order is the crawl's
//! own; where the file's is another from some request on, that is said and is no fault. Neither is
//! it one where the person said something while the crawl ran, which the file does not hold.

use std::collections::{HashMap, HashSet, VecDeque};

use anyhow::Result;
use linkscent_core::address::Address;
use linkscent_core::crawl::{Failure, Instant, Next, Outcome, Robots};
use linkscent_core::strategies::SplitMix;
use serde::Serialize;

use crate::research::{Request, Unpacked};
use replaying::{Judged, begun, outcome, react};

mod replaying;
pub use replaying::replayed;

/// Relevances that are nearer to each other are the same.
const SAME: f64 = 1e-6;
/// Differences that are named.
const MOST_NAMED: usize = 20;

/// What came of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Verified {
    /// Requests of the file.
    pub requests: usize,
    /// Pages of the file.
    pub pages: usize,
    /// Pages whose record in the archive is damaged or is that of another.
    pub damaged: usize,
    /// Pages that are judged as the file says.
    pub judged_the_same: usize,
    /// Requests of which the file says something else than follows.
    pub judged_otherwise: usize,
    /// Requests that no link of the pages before led to, with those that the file names as such.
    pub not_linked: usize,
    /// Those of them that the file does not name.
    pub out_of_nowhere: usize,
    /// Requests that the crawl makes again when it chooses for itself.
    pub chosen_again: usize,
    /// From the first on, so many of them in the very order of the file.
    pub in_order: usize,
    /// Links that it follows and the file has no answer to.
    pub unanswered: usize,
    /// What differs, a line each, the first few.
    pub differences: Vec<String>,
}

impl Verified {
    /// Whether nothing differs that chance cannot explain.
    pub fn is_true(&self) -> bool {
        self.damaged == 0 && self.judged_otherwise == 0 && self.out_of_nowhere == 0
    }

    fn note(&mut self, difference: String) {
        if self.differences.len() < MOST_NAMED {
            self.differences.push(difference);
        }
    }
}

/// Checks a file. `told` hears how many requests were done, of twice as many as there are. Blocks.
pub fn verify(unpacked: &Unpacked, mut told: impl FnMut(usize)) -> Result<Verified> {
    let mut found = Verified {
        requests: unpacked.research.log.len(),
        ..Verified::default()
    };
    compare(unpacked, &mut found, &mut told)?;
    choose_again(unpacked, &mut found, &mut told)?;
    Ok(found)
}

/// Whether what follows from the log is what the file says.
fn compare(unpacked: &Unpacked, found: &mut Verified, told: &mut impl FnMut(usize)) -> Result<()> {
    let (research, log) = (&unpacked.research, &unpacked.research.log);
    let follows = replayed(research, &unpacked.pages, told)?;
    found.damaged = follows.damaged.len();
    for (place, problem) in follows.damaged {
        found.note(format!("request {}: {problem}", log[place].number));
    }
    for (request, now) in log.iter().zip(follows.judged) {
        found.pages += usize::from(request.offset.is_some());
        match difference(request, now) {
            None => found.judged_the_same += usize::from(request.offset.is_some()),
            Some(difference) => {
                found.judged_otherwise += 1;
                found.note(format!("{}: {difference}", request.address));
            }
        }
    }
    let said: HashSet<u64> = research.about.not_linked.iter().copied().collect();
    found.not_linked = follows.not_linked.len();
    for place in follows.not_linked {
        let request = &log[place];
        if !said.contains(&request.number) {
            found.out_of_nowhere += 1;
            let (number, address) = (request.number, &request.address);
            found.note(format!(
                "request {number}, {address}: no link of the pages before leads there"
            ));
        }
    }
    Ok(())
}

/// How a page is judged other than its file says; none where it is not.
fn difference(request: &Request, now: Option<Judged>) -> Option<String> {
    match (request.relevance, now) {
        (None, None) if !request.is_target => None,
        (None, None) => Some("it is said to be found, and no page came".to_owned()),
        (Some(_), None) => Some("it is not judged, and the file says it is".to_owned()),
        (None, Some(_)) => Some("it is judged, and the file says nothing of it".to_owned()),
        (Some(said), Some(now)) if (now.relevance - said).abs() >= SAME => {
            let now = now.relevance;
            Some(format!(
                "its relevance is {now:.4}, and the file says {said:.4}"
            ))
        }
        (Some(_), Some(now)) if now.is_target != request.is_target => Some(if now.is_target {
            "it counts as found, and the file says it does not".to_owned()
        } else {
            "it does not count as found, and the file says it does".to_owned()
        }),
        _ => None,
    }
}

/// A new session that chooses for itself, with the file as the web.
fn choose_again(
    unpacked: &Unpacked,
    found: &mut Verified,
    told: &mut impl FnMut(usize),
) -> Result<()> {
    let (research, pages) = (&unpacked.research, &unpacked.pages);
    let mut session = begun(research)?;
    let mut rng = SplitMix(research.about.spec.random_seed);
    let log = &research.log;
    // A page may have been asked for again.
    let mut by_address: HashMap<&str, VecDeque<&Request>> = HashMap::new();
    for request in log {
        let asked = by_address.entry(&request.address).or_default();
        asked.push_back(request);
    }
    let (mut now, mut chosen) = (Instant(0), Vec::new());
    let mut unanswered = HashSet::new();
    while chosen.len() + unanswered.len() < 2 * log.len() {
        match session.next(now) {
            Next::Robots(page) => session.robots(&page, Robots::allow_all()),
            Next::Fetch(fetch) => {
                let address = fetch.address;
                let outcome = if let Some(request) = answer(&mut by_address, &address) {
                    chosen.push(request.number);
                    told(log.len() + chosen.len().min(log.len()));
                    let outcome = outcome(request, &address, pages);
                    outcome.unwrap_or_else(|problem| Outcome::Failed(Failure::Other(problem)))
                } else {
                    unanswered.insert(address.clone());
                    Outcome::Failed(Failure::Other("the file has no answer".to_owned()))
                };
                let record = session.take(&address, outcome, now, &mut rng);
                react(&mut session, research, record);
            }
            Next::Wait(until) => now = until,
            Next::Busy | Next::Stop(_) => break,
        }
    }
    let numbers = log.iter().map(|request| request.number);
    let in_order = numbers.zip(&chosen).take_while(|(was, is)| was == *is);
    found.in_order = in_order.count();
    found.chosen_again = chosen.iter().collect::<HashSet<_>>().len();
    found.unanswered = unanswered.len();
    if found.in_order < log.len() {
        let request = &log[found.in_order];
        found.note(format!(
            "from request {} on, {}, the order is another",
            request.number, request.address
        ));
    }
    Ok(())
}

/// The next answer that a file has of a page, or again its last.
fn answer<'a>(
    by_address: &mut HashMap<&str, VecDeque<&'a Request>>,
    page: &Address,
) -> Option<&'a Request> {
    let answers = by_address.get_mut(page.as_str())?;
    if answers.len() > 1 {
        return answers.pop_front();
    }
    answers.front().copied()
}

#[cfg(test)]
mod tests;
