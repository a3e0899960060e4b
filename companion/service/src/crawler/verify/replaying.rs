//! The log of a crawl in a file, replayed in its order from the model that the crawl began with.
//! What follows from that is what the file says of its pages; whoever has it comes to the same.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use anyhow::{Context, Result};
use linkscent_archive::page::page_at;
use linkscent_core::address::Address;
use linkscent_core::crawl::{
    CrawlDelay, Failure, Limits, Outcome, Reaction, Record, Seed, Session,
};
use linkscent_core::strategies::SplitMix;
use linkscent_core::topic_model::TopicModel;
use linkscent_core::web_graph::Mark;
use linkscent_core::wire::read_model;

use crate::research::{Request, Research};
use linkscent_store::in_force;

/// Rest of a host between requests at most, in milliseconds: a day.
const LONGEST_DELAY: u64 = 86_400_000;

/// What a page is judged to be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judged {
    /// How relevant it is, 0..=1.
    pub relevance: f64,
    /// Whether it counts as found.
    pub is_target: bool,
}

/// What follows from a log.
#[derive(Debug, Default)]
pub struct Replayed {
    /// By request, what is said of its page; none where no page came.
    pub judged: Vec<Option<Judged>>,
    /// Requests, counted from 0, that no link of the pages before led to and that are no start.
    pub not_linked: Vec<usize>,
    /// Requests, counted from 0, whose page cannot be read, and why.
    pub damaged: Vec<(usize, String)>,
}

/// Replays the log of a file whose pages are in an archive. `told` hears how many requests were
/// done. Blocks.
pub fn replayed(
    research: &Research,
    pages: &Path,
    mut told: impl FnMut(usize),
) -> Result<Replayed> {
    let mut session = begun(research)?;
    let mut rng = SplitMix(research.about.spec.random_seed);
    let mut found = Replayed::default();
    let mut asked = HashSet::new();
    for (request, number) in research.log.iter().zip(0..) {
        told(number + 1);
        let place = || format!("request {}", request.number);
        let address = Address::parse(&request.address).with_context(place)?;
        session.number_from(request.number);
        let outcome = outcome(request, &address, pages).unwrap_or_else(|problem| {
            found.damaged.push((number, problem.clone()));
            Outcome::Failed(Failure::Other(problem))
        });
        if !session.expects(&address) && !asked.contains(&address) {
            found.not_linked.push(number);
        }
        let record = session.replay(&address, outcome, None, &mut rng);
        react(&mut session, research, record);
        asked.insert(address);
    }
    let judged: HashMap<String, Judged> = session
        .judge_again()
        .into_iter()
        .map(|(page, judgment)| {
            let judged = Judged {
                relevance: judgment.relevance.value(),
                is_target: judgment.is_target,
            };
            (page.to_string(), judged)
        })
        .collect();
    let of = |request: &Request| {
        let is_page = request.offset.is_some();
        judged.get(&request.address).copied().filter(|_| is_page)
    };
    found.judged = research.log.iter().map(of).collect();
    Ok(found)
}

/// A session as the crawl began.
pub(super) fn begun(research: &Research) -> Result<Session> {
    let knowledge = read_model(&research.start).context("the model it began with")?;
    let topic_model = TopicModel::with_knowledge(knowledge);
    let topic_model =
        topic_model.context("this version lacks the critic or the strategy it went by")?;
    let about = &research.about;
    let limits = Limits {
        budget: about.spec.budget,
        requests: None,
        delay: CrawlDelay(about.spec.delay().clamp(1, LONGEST_DELAY)),
        scope: about.spec.scope.clone(),
        stopping: about.spec.stopping,
        takes_repeats: about.takes_repeats,
        follows_all: about.follows_all,
        until_recall: None,
    };
    let seed = |(address, example): &(String, bool)| {
        Ok(Seed {
            address: Address::parse(address).context("a page it began at")?,
            mark: example.then_some(Mark::Target),
        })
    };
    let seeds: Result<Vec<Seed>> = about.seeds.iter().map(seed).collect();
    Ok(Session::new(topic_model, limits, seeds?))
}

/// Does after an alarm what the crawl did.
pub(super) fn react(session: &mut Session, research: &Research, record: Option<Record>) {
    let Some((number, alarm)) = record.and_then(|record| Some((record.number, record.alarm?)))
    else {
        return;
    };
    let about = &research.about;
    let changed = in_force(&about.reactions, number);
    if changed.map_or(about.spec.on_drift, |code| Reaction::of(code)) == Reaction::Restrict {
        session.restrict(&alarm);
    }
}

/// What the file says came of a request; the problem, where a page cannot be read.
pub(super) fn outcome(
    request: &Request,
    address: &Address,
    pages: &Path,
) -> Result<Outcome, String> {
    Ok(match (request.offset, &request.redirect) {
        (Some(offset), _) => match page_at(pages, offset, address) {
            Ok((page, digest)) => Outcome::Page(page, digest),
            Err(error) => return Err(error.to_string()),
        },
        (None, Some(target)) => match Address::parse(target) {
            Ok(target) => Outcome::Redirect(target),
            Err(error) => return Err(error.to_string()),
        },
        (None, None) => Outcome::of_problem(&request.problem),
    })
}
