//! A crawl that somebody gave as a file, run again with the file as the web: whether its pages are
//! what they were, whether they are judged the same, and whether the same links are followed.
//!
//! On the web many requests are under way at a time, and whose answer came first is chance. Here
//! they are made one by one, each host resting as it was ordered to, so the order is the crawl's
//! own; where the file's is another from some request on, that is said and is no fault.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use anyhow::{Context, Result};
use linkscent_archive::page::page_at;
use linkscent_core::address::Address;
use linkscent_core::crawl::{
    CrawlDelay, Failure, Instant, Limits, Next, Outcome, Record, Robots, Seed, Session, UNRENDERED,
};
use linkscent_core::guide::Guide;
use linkscent_core::strategies::SplitMix;
use linkscent_core::web_graph::Mark;
use linkscent_core::wire::read_model;
use serde::Serialize;

use crate::research::{Request, Research, Unpacked};

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
    /// Pages that are judged as the file says, when its requests are told again in their order.
    pub judged_the_same: usize,
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
        self.damaged == 0 && self.judged_the_same == self.pages
    }

    fn note(&mut self, difference: String) {
        if self.differences.len() < MOST_NAMED {
            self.differences.push(difference);
        }
    }
}

/// Checks a file. `told` hears how many requests were done, of twice as many as there are. Blocks.
pub fn verify(unpacked: &Unpacked, mut told: impl FnMut(usize)) -> Result<Verified> {
    let Research { log, .. } = &unpacked.research;
    let mut found = Verified {
        requests: log.len(),
        ..Verified::default()
    };
    tell_again(unpacked, &mut found, &mut told)?;
    choose_again(unpacked, &mut found, &mut told)?;
    Ok(found)
}

/// A session as the crawl began.
fn begun(research: &Research) -> Result<Session> {
    let knowledge = read_model(&research.start).context("the model it began with")?;
    let guide = Guide::with_knowledge(knowledge);
    let guide = guide.context("this version lacks the critic or the strategy it went by")?;
    let about = &research.about;
    let limits = Limits {
        budget: about.budget,
        requests: None,
        delay: CrawlDelay(about.delay.max(1)),
        scope: about.scope(),
        stopping: about.stopping(),
    };
    let seed = |(address, example): &(String, bool)| {
        Ok(Seed {
            address: Address::parse(address).context("a page it began at")?,
            mark: example.then_some(Mark::Target),
        })
    };
    let seeds: Result<Vec<Seed>> = about.seeds.iter().map(seed).collect();
    Ok(Session::new(guide, limits, seeds?))
}

/// Does after an alarm what the crawl did.
fn react(session: &mut Session, research: &Research, record: Option<Record>) {
    let alarm = record.and_then(|record| record.alarm);
    if let Some(alarm) = alarm.filter(|_| research.about.on_drift == "restrict") {
        session.restrict(&alarm);
    }
}

/// What the file says came of a request; the problem, where a page cannot be read.
fn outcome(request: &Request, address: &Address, pages: &Path) -> Result<Outcome, String> {
    Ok(match (request.offset, &request.redirect) {
        (Some(offset), _) => match page_at(pages, offset, address) {
            Ok((page, digest)) => Outcome::Page(page, digest),
            Err(error) => return Err(error.to_string()),
        },
        (None, Some(target)) => match Address::parse(target) {
            Ok(target) => Outcome::Redirect(target),
            Err(error) => return Err(error.to_string()),
        },
        (None, None) => match request.problem.strip_prefix(UNRENDERED) {
            Some(why) => Outcome::Unrendered(why.to_owned()),
            None => Outcome::Failed(Failure::Other(request.problem.clone())),
        },
    })
}

/// The log told to a new session in its order: it has to judge as the file says.
fn tell_again(
    unpacked: &Unpacked,
    found: &mut Verified,
    told: &mut impl FnMut(usize),
) -> Result<()> {
    let Unpacked {
        research, pages, ..
    } = unpacked;
    let mut session = begun(research)?;
    let mut rng = SplitMix(research.about.random_seed);
    for (request, number) in research.log.iter().zip(1..) {
        told(number);
        let place = || format!("request {}", request.number);
        let address = Address::parse(&request.address).with_context(place)?;
        session.number_from(request.number);
        let outcome = outcome(request, &address, pages).unwrap_or_else(|problem| {
            found.damaged += 1;
            found.note(format!("{}: {problem}", place()));
            Outcome::Failed(Failure::Other(problem))
        });
        let record = session.replay(&address, outcome, &mut rng);
        react(&mut session, research, record);
    }
    let judged: HashMap<String, f64> = session
        .judge_again()
        .into_iter()
        .map(|(page, judgment)| (page.to_string(), judgment.relevance.value()))
        .collect();
    for request in &research.log {
        let Some(said) = request.relevance else {
            continue;
        };
        found.pages += 1;
        match judged.get(&request.address) {
            Some(now) if (now - said).abs() < SAME => found.judged_the_same += 1,
            Some(now) => found.note(format!(
                "{}: its relevance is {now:.4}, and the file says {said:.4}",
                request.address
            )),
            None => found.note(format!("{}: it is not judged", request.address)),
        }
    }
    Ok(())
}

/// A new session that chooses for itself, with the file as the web.
fn choose_again(
    unpacked: &Unpacked,
    found: &mut Verified,
    told: &mut impl FnMut(usize),
) -> Result<()> {
    let Unpacked {
        research, pages, ..
    } = unpacked;
    let mut session = begun(research)?;
    let mut rng = SplitMix(research.about.random_seed);
    let log = &research.log;
    let by_address: HashMap<&str, &Request> = log
        .iter()
        .map(|request| (&*request.address, request))
        .collect();
    let (mut now, mut chosen) = (Instant(0), Vec::new());
    let mut unanswered = HashSet::new();
    while chosen.len() + unanswered.len() < 2 * log.len() {
        match session.next(now) {
            Next::Robots(page) => session.robots(&page, Robots::allow_all()),
            Next::Fetch(fetch) => {
                let address = fetch.address;
                let outcome = if let Some(request) = by_address.get(address.as_str()) {
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

#[cfg(test)]
mod tests;
