//! One crawl of a strategy on a frozen web: the product's own session and
//! guide, answered from memory, each answer taking a millisecond of a clock
//! that only counts.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::Result;
use linkscent_core::address::Address;
use linkscent_core::crawl::{
    CrawlDelay, DriftAlarm, Instant, LeavingRule, Limits, Next, Outcome, Record, Robots, Scope,
};
use linkscent_core::crawl::{Seed, Session};
use linkscent_core::critics::{self, Critic};
use linkscent_core::guide::{ASKED_AFTER, Guide, MOST_WAITING};
use linkscent_core::hops::{Groups, TrainingWeb};
use linkscent_core::strategies::{
    Arrival, Batch, Candidate, Draw, Explanation, Known, Learned, LinkPolicy, LinkScore, Passing,
    Reading, Saved, SplitMix, Strategy, TurnRule,
};
use linkscent_core::text::Vocabulary;
use linkscent_core::web_graph::{Judgment, Mark, Relevance};

use super::frozen_critic::FrozenCritic;
use super::topic::Topic;
use super::visits::Visit;
use super::web::EvalWeb;

/// Where and how far a crawl goes.
#[derive(Clone)]
pub struct Course {
    /// The web.
    pub web: Arc<EvalWeb>,
    /// What is looked for.
    pub topic: Arc<Topic>,
    /// The seed set it starts from.
    pub seeds: String,
    /// Pages to fetch.
    pub budget: u64,
    /// Pages that are marked as targets, for a critic that learns from them and
    /// from what it meets; `None` where the labels speak.
    pub marked: Option<Vec<u32>>,
    /// Questions that the labels answer in a person's place.
    pub asking: Asking,
    /// Whether it narrows after an alarm, as a person may have chosen.
    pub narrows: bool,
    /// When a site is left.
    pub leaving: LeavingRule,
    /// What random numbers start from.
    pub random_seed: u64,
}

/// What a person is asked while a crawl goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Asking {
    /// Nothing.
    #[default]
    Nothing,
    /// About pages fetched, drawn at random.
    AtRandom,
    /// About the page whose label would change most.
    Best,
}

/// A crawl that was made.
pub struct Crawled {
    /// What was fetched, in order.
    pub visits: Vec<Visit>,
    /// How often the strategy's model became another.
    pub retrainings: u32,
    /// What was learned.
    pub guide: Guide,
    /// Alarms, with the number of pages fetched until then.
    pub alarms: Vec<(usize, DriftAlarm)>,
}

impl Crawled {
    /// The web that it has seen, for models of hop distances.
    pub fn seen(&self, course: &Course, groups: Groups) -> TrainingWeb {
        let mut graph = self.guide.graph().clone();
        let mut seen = TrainingWeb::new(groups);
        for visit in &self.visits {
            let page = &course.web.pages[visit.page as usize];
            let judgment = graph.judgment(&page.address);
            seen.add(page, judgment, &mut graph);
        }
        seen
    }
}

/// Makes a crawl. `only` confines it to some pages; `words` are those that the
/// strategy knows already.
pub fn crawl(
    course: &Course,
    strategy: Box<dyn Strategy>,
    words: Vocabulary,
    only: Option<&[bool]>,
) -> Result<Crawled> {
    let (web, topic) = (&course.web, &course.topic);
    let retrainings = Arc::new(AtomicU32::new(0));
    let pupil = Pupil {
        strategy,
        web: Arc::clone(web),
        topic: Arc::clone(topic),
        only: only.map(<[bool]>::to_vec),
        retrainings: Arc::clone(&retrainings),
        begins_anew: course.asking != Asking::Nothing,
    };
    let critic: Box<dyn Critic> = match &course.marked {
        Some(_) => Box::new(critics::Topic::default()),
        None => Box::new(FrozenCritic::new(Arc::clone(web), Arc::clone(topic))),
    };
    let mut guide = Guide::joining(critic, Box::new(pupil), words);
    let marked = match &course.marked {
        Some(marked) => marked.clone(),
        None => topic.examples().collect(),
    };
    for page in marked {
        guide.mark(&web.pages[page as usize], Some(Mark::Target));
    }
    let limits = Limits {
        budget: course.budget,
        delay: CrawlDelay(0),
        scope: Scope { hosts: Vec::new() },
        leaving: course.leaving,
    };
    let seeds = topic.starts(&course.seeds)?.iter().map(|&seed| Seed {
        address: web.pages[seed as usize].address.clone(),
        mark: None,
    });
    let mut session = Session::new(guide, limits, seeds.collect());
    let (visits, alarms) = run(course, &mut session);
    Ok(Crawled {
        visits,
        alarms,
        retrainings: retrainings.load(Ordering::Relaxed),
        guide: session.into_guide(),
    })
}

fn run(course: &Course, session: &mut Session) -> (Vec<Visit>, Vec<(usize, DriftAlarm)>) {
    let mut draw = SplitMix(course.random_seed);
    let (mut visits, mut alarms, mut now) = (Vec::new(), Vec::new(), 0);
    let mut asked = BTreeSet::new();
    let mut last_resort_taken = false;
    loop {
        now += 1;
        match session.next(Instant(now)) {
            Next::Robots(address) => session.robots(&address, Robots::allow_all()),
            Next::Fetch(fetch) => {
                let number = course.web.number(&fetch.address);
                let Some(page) = number.map(|number| &course.web.pages[number as usize]) else {
                    continue;
                };
                // No two pages count as the same here.
                let digest = u64::from(number.unwrap_or_default());
                let outcome = Outcome::Page(Box::new(page.clone()), digest);
                let record = session.take(&fetch.address, outcome, Instant(now), &mut draw);
                let Some(record) = record else {
                    continue;
                };
                visits.extend(visit(course, &record));
                if let Some(alarm) = record.alarm {
                    if course.narrows {
                        session.narrow(&alarm);
                    }
                    alarms.push((visits.len(), alarm));
                }
                if ASKED_AFTER.contains(&(visits.len() as u64 % 1_000)) {
                    ask(course, session, &visits, &mut asked);
                }
            }
            Next::Stop(_) if !last_resort_taken => {
                last_resort_taken = true;
                for &page in course.topic.root() {
                    session.add_seed(&course.web.pages[page as usize].address);
                }
            }
            Next::Stop(_) => return (visits, alarms),
            Next::Wait(_) | Next::Busy => {}
        }
    }
}

/// Asks about a page, and marks it by its label.
fn ask(course: &Course, session: &mut Session, visits: &[Visit], asked: &mut BTreeSet<Address>) {
    let page = match course.asking {
        Asking::Nothing => return,
        Asking::AtRandom => {
            let mut draw = SplitMix(course.random_seed + visits.len() as u64);
            let place = draw.unit() * visits.len() as f64;
            visits.get(place as usize).map(|visit| visit.page)
        }
        Asking::Best => {
            let waiting = session.frontier().best(MOST_WAITING);
            let links = waiting.iter().filter_map(|page| page.links.first());
            let question = session.guide().question(links, asked);
            question.and_then(|question| course.web.number(&question.address))
        }
    };
    let Some(page) = page.map(|page| page as usize) else {
        return;
    };
    asked.insert(course.web.pages[page].address.clone());
    let mark = if course.topic.labels[page].is_relevant() {
        Mark::Target
    } else {
        Mark::NotTarget
    };
    session.amend(|guide| guide.mark(&course.web.pages[page], Some(mark)));
}

fn visit(course: &Course, record: &Record) -> Option<Visit> {
    let source = record.trail.first();
    Some(Visit {
        page: course.web.number(&record.address)?,
        via: source.and_then(|source| course.web.number(source)),
        priority: record.priority,
        expected: record.expected.map(Relevance::value),
    })
}

/// A strategy that never learns from the critic's own training pages, and may
/// be confined to some pages.
struct Pupil {
    strategy: Box<dyn Strategy>,
    web: Arc<EvalWeb>,
    topic: Arc<Topic>,
    only: Option<Vec<bool>>,
    retrainings: Arc<AtomicU32>,
    /// Whether it learns again from the log when a page is marked; one that was
    /// trained beforehand would forget it.
    begins_anew: bool,
}

impl Pupil {
    fn number(&self, link: &Candidate) -> Option<usize> {
        self.web.number(&link.target).map(|number| number as usize)
    }
}

impl Strategy for Pupil {
    fn name(&self) -> &'static str {
        "pupil"
    }

    fn policy(&self) -> LinkPolicy {
        self.strategy.policy()
    }

    fn batch(&self) -> Option<Batch> {
        self.strategy.batch()
    }

    fn reading(&self) -> Reading {
        self.strategy.reading()
    }

    fn turns(&self) -> TurnRule {
        self.strategy.turns()
    }

    fn expected(&self, link: &Candidate, known: Known<'_>) -> Option<Relevance> {
        self.strategy.expected(link, known)
    }

    fn score(&self, link: &Candidate, known: Known<'_>) -> LinkScore {
        let outside = |only: &Vec<bool>| self.number(link).is_none_or(|number| !only[number]);
        if self.only.as_ref().is_some_and(outside) {
            return LinkScore::Reject;
        }
        self.strategy.score(link, known)
    }

    fn learn(&mut self, arrival: &Arrival<'_>, known: Known<'_>, draw: &mut dyn Draw) -> Learned {
        let page = arrival.via.first().and_then(|link| self.number(link));
        let is_example = |page: usize| self.topic.labels[page].example.is_some();
        if page.is_none_or(is_example) {
            return Learned::Nothing;
        }
        let learned = self.strategy.learn(arrival, known, draw);
        if learned == Learned::Rebuilt {
            self.retrainings.fetch_add(1, Ordering::Relaxed);
        }
        learned
    }

    fn learn_from_known(&mut self, link: &Candidate, judgment: Judgment, known: Known<'_>) {
        let page = self.number(link);
        if page.is_some_and(|page| self.topic.labels[page].example.is_none()) {
            self.strategy.learn_from_known(link, judgment, known);
        }
    }

    fn read(&mut self, passing: &Passing<'_>, known: Known<'_>) {
        self.strategy.read(passing, known);
    }

    fn explain(&self, link: &Candidate, known: Known<'_>) -> Explanation {
        self.strategy.explain(link, known)
    }

    fn loudest(&self) -> Vec<u32> {
        self.strategy.loudest()
    }

    fn begun_anew(&self, known: Known<'_>) -> Option<Box<dyn Strategy>> {
        let strategy = self.strategy.begun_anew(known);
        let strategy = strategy.filter(|_| self.begins_anew)?;
        Some(Box::new(Self {
            strategy,
            web: Arc::clone(&self.web),
            topic: Arc::clone(&self.topic),
            only: self.only.clone(),
            retrainings: Arc::clone(&self.retrainings),
            begins_anew: true,
        }))
    }

    fn saved(&self) -> Saved {
        self.strategy.saved()
    }
}
