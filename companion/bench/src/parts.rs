//! One crawl by several sessions, each with a strategy of its own, that share the hosts and tell each
//! other what they read: what a crawl is worth that outgrew one process. After every so many pages
//! they hear of each other, and share out the next ones by what waits: whoever has more of the best
//! links reads more. Within such a round they take turns, a page each. What is told is heard at once.

use std::cmp::Reverse;
use std::sync::atomic::Ordering;

use anyhow::{Context, Result};
use linkscent_core::address::Address;
use linkscent_core::crawl::{Instant, Next, Outcome, Part, Robots, Session};
use linkscent_core::strategies::{SplitMix, Strategy};
use linkscent_core::text::Vocabulary;

use super::crawl::{Crawled, begin, visit};
use super::scenario::Scenario;
use super::visits::Visit;

/// Such a round is a twentieth of the pages that were read before it: at first every page teaches
/// much.
const ROUNDS: usize = 20;

/// How a crawl is split.
#[derive(Debug, Clone, Copy)]
pub struct Split {
    /// Sessions.
    pub parts: u32,
    /// Pages at most that all read together before they hear of each other.
    pub most: usize,
    /// Which pages stay with one session.
    pub kept_together: fn(&Address) -> &str,
}

/// A session, its random numbers, and how many pages it is still to read in this round.
struct Member {
    session: Session,
    rng: SplitMix,
    share: usize,
}

/// Makes a crawl.
pub fn crawl_split(
    scenario: &Scenario,
    make: impl Fn() -> Box<dyn Strategy>,
    split: Split,
) -> Result<Crawled> {
    let (mut members, mut retrainings) = (Vec::new(), Vec::new());
    for number in 0..split.parts {
        let part = Part::new(number, split.parts).context("a crawl of no parts")?;
        let part = part.keeping(split.kept_together);
        let (session, rebuilt) = begin(scenario, make(), Vocabulary::default(), None)?;
        retrainings.push(rebuilt);
        members.push(Member {
            session: session.for_part(part),
            rng: SplitMix(scenario.random_seed + u64::from(number)),
            share: 0,
        });
    }
    let visits = run(scenario, split, &mut members);
    let first = members.into_iter().next().context("a crawl of no parts")?;
    Ok(Crawled {
        visits,
        alarms: Vec::new(),
        retrainings: retrainings
            .iter()
            .map(|rebuilt| rebuilt.load(Ordering::Relaxed))
            .sum(),
        topic_model: first.session.into_topic_model(),
    })
}

fn run(scenario: &Scenario, split: Split, members: &mut [Member]) -> Vec<Visit> {
    let (mut visits, mut now) = (Vec::new(), 0);
    let mut last_resort_taken = false;
    loop {
        let before = visits.len();
        share_out(members, (before / ROUNDS).clamp(1, split.most));
        while members.iter().any(|member| member.share > 0) {
            now += 1;
            for member in members.iter_mut().filter(|member| member.share > 0) {
                if visits.len() as u64 >= scenario.budget {
                    return visits;
                }
                member.share -= 1;
                visits.extend(member.step(scenario, Instant(now)));
            }
        }
        if tell_all(members) || visits.len() > before {
            continue;
        }
        if last_resort_taken {
            return visits;
        }
        last_resort_taken = true;
        for &page in scenario.topic.root() {
            let page = &scenario.web.pages[page as usize].address;
            for member in &mut *members {
                member.session.add_seed(page);
            }
        }
    }
}

/// Gives each as many of the next pages as it has links among the best of all that wait.
fn share_out(members: &mut [Member], pages: usize) {
    let mut waiting = Vec::new();
    for (number, member) in members.iter_mut().enumerate() {
        member.share = 0;
        let best = member.session.frontier().best(pages).into_iter();
        waiting.extend(best.map(|page| (page.pinned, page.priority, number)));
    }
    waiting.sort_by_key(|page| Reverse((page.0, page.1)));
    for (_, _, number) in waiting.into_iter().take(pages) {
        members[number].share += 1;
    }
}

/// Has each hear of what the others did; false if that is nothing.
fn tell_all(members: &mut [Member]) -> bool {
    let news = members.iter_mut().map(|member| member.session.news());
    let news: Vec<_> = news.collect();
    for (teller, news) in news.iter().enumerate() {
        for (number, member) in members.iter_mut().enumerate() {
            if let Some(news) = news.as_ref().filter(|_| number != teller) {
                member.session.hear(news);
            }
        }
    }
    news.iter().any(Option::is_some)
}

impl Member {
    /// Reads its next page, if it has one.
    fn step(&mut self, scenario: &Scenario, now: Instant) -> Option<Visit> {
        loop {
            match self.session.next(now) {
                Next::Robots(address) => self.session.robots(&address, Robots::allow_all()),
                Next::Fetch(fetch) => {
                    let number = scenario.web.number(&fetch.address)?;
                    let page = scenario.web.pages[number as usize].clone();
                    let outcome = Outcome::Page(Box::new(page), number.into());
                    let taken = self
                        .session
                        .take(&fetch.address, outcome, now, &mut self.rng);
                    return visit(scenario, &taken?);
                }
                Next::Stop(_) | Next::Wait(_) | Next::Busy => return None,
            }
        }
    }
}
