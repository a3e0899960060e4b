//! One crawl of a strategy on a frozen web: the product's own session and
//! topic model, answered from memory, each answer taking a millisecond of a clock
//! that only counts.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::Result;
use linkscent_core::address::Address;
use linkscent_core::crawl::{
    CrawlDelay, DriftAlarm, Instant, Limits, Next, Outcome, Record, Robots, Scope, Seed, Session,
};
use linkscent_core::critics::{self, Critic};
use linkscent_core::features::FeatureReader;
use linkscent_core::hops::{FeatureGroups, TrainingWeb};
use linkscent_core::models::TwoClassCounts;
use linkscent_core::site_memory::SiteMemory;
use linkscent_core::strategies::{
    BackwardPaths, Candidate, Event, Explanation, Known, Learned, LinkScore, Priority, Profile,
    Promise, Rng, SplitMix, StateError, Strategy, StrategyState, Subject, TrainedPaths,
};
use linkscent_core::text::Vocabulary;
use linkscent_core::topic_model::{ASKED_AFTER, MOST_WAITING, TopicModel};
use linkscent_core::web_graph::{Mark, Relevance};

use super::frozen_critic::FrozenCritic;
use super::scenario::{Asking, Scenario};
use super::topic::Topic;
use super::visits::Visit;
use super::web::EvalWeb;

/// A crawl that was made.
pub struct Crawled {
    /// What was fetched, in order.
    pub visits: Vec<Visit>,
    /// How often the strategy's model became another.
    pub retrainings: u32,
    /// What was learned.
    pub topic_model: TopicModel,
    /// Alarms, with the number of pages fetched until then.
    pub alarms: Vec<(usize, DriftAlarm)>,
}

impl Crawled {
    /// The web that it has seen, for models of hop distances.
    pub fn seen(&self, scenario: &Scenario, groups: FeatureGroups) -> TrainingWeb {
        let mut graph = self.topic_model.graph().clone();
        let mut seen = TrainingWeb::new(groups);
        for visit in &self.visits {
            let page = &scenario.web.pages[visit.page as usize];
            let judgment = graph.judgment(&page.address);
            seen.add(page, judgment, &mut graph);
        }
        seen
    }

    /// What all links between two pages that were fetched teach, each an instance (\[A\] 3.5).
    pub fn every_pair(&self, scenario: &Scenario) -> TwoClassCounts {
        let (web, graph) = (&scenario.web, self.topic_model.graph());
        let mut vocabulary = graph.vocabulary.clone();
        let fetched: HashSet<u32> = self.visits.iter().map(|visit| visit.page).collect();
        let mut counts = TwoClassCounts::default();
        for visit in &self.visits {
            let page = &web.pages[visit.page as usize];
            let reader = FeatureReader::new(page, &mut vocabulary);
            for link in &page.outlinks {
                let target = web.number(&link.target);
                let Some(target) = target.filter(|target| fetched.contains(target)) else {
                    continue;
                };
                if scenario.topic.labels[target as usize].example.is_some() {
                    continue;
                }
                let context = reader.context(link.leaves);
                let features = context.counts().map(|(word, n)| (word.to_bits(), n));
                let judgment = graph.judgment(&link.target);
                counts.add(features, judgment.relevance.is_high());
            }
        }
        counts
    }

    /// The paths that lie, seen backwards, on the pages it saw; and the words they are told
    /// in.
    pub fn backward_paths(&self, scenario: &Scenario) -> (TrainedPaths, Vocabulary) {
        let seen = self.seen(scenario, FeatureGroups::OF_ONE_TOPIC);
        let mut paths = BackwardPaths::new(seen.target_distances());
        let mut words = self.topic_model.graph().vocabulary.clone();
        for visit in &self.visits {
            paths.read(&scenario.web.pages[visit.page as usize], &mut words);
        }
        (paths.into_trained(), words)
    }
}

/// Makes a crawl. `only` confines it to some pages; `words` are those that the
/// strategy knows already.
pub fn crawl(
    scenario: &Scenario,
    strategy: Box<dyn Strategy>,
    words: Vocabulary,
    only: Option<&[bool]>,
) -> Result<Crawled> {
    watched(scenario, strategy, words, only, &mut |_, _, _| {})
}

/// Hears of every page that was fetched: the crawl, what is put down of it, how many there are.
pub type Watch<'a> = &'a mut dyn FnMut(&Session, &Record, usize);

/// The same, while somebody looks on.
pub fn watched(
    scenario: &Scenario,
    strategy: Box<dyn Strategy>,
    words: Vocabulary,
    only: Option<&[bool]>,
    watch: Watch<'_>,
) -> Result<Crawled> {
    let (mut session, retrainings) = begin(scenario, strategy, words, only)?;
    let (visits, alarms) = run(scenario, &mut session, watch);
    Ok(Crawled {
        visits,
        alarms,
        retrainings: retrainings.load(Ordering::Relaxed),
        topic_model: session.into_topic_model(),
    })
}

/// A crawl at its start, and how often its strategy's model became another.
pub(super) fn begin(
    scenario: &Scenario,
    strategy: Box<dyn Strategy>,
    words: Vocabulary,
    only: Option<&[bool]>,
) -> Result<(Session, Arc<AtomicU32>)> {
    let (web, topic) = (&scenario.web, &scenario.topic);
    let retrainings = Arc::new(AtomicU32::new(0));
    let instrumented = InstrumentedStrategy {
        strategy,
        web: Arc::clone(web),
        topic: Arc::clone(topic),
        only: only.map(<[bool]>::to_vec),
        retrainings: Arc::clone(&retrainings),
        resets: scenario.asking != Asking::Nothing,
    };
    let critic: Box<dyn Critic> = match &scenario.marked {
        Some(_) => Box::new(critics::Topic::default()),
        None => Box::new(FrozenCritic::new(Arc::clone(web), Arc::clone(topic))),
    };
    let mut topic_model = TopicModel::joining(critic, Box::new(instrumented), words);
    let marked = match &scenario.marked {
        Some(marked) => marked.clone(),
        None => topic.examples().collect(),
    };
    if scenario.is_named {
        topic_model.name_topic(&topic.name);
    }
    for page in marked {
        topic_model.mark(&web.pages[page as usize], Some(Mark::Target));
    }
    let subtopics = scenario.subtopics.iter();
    let subtopics =
        subtopics.map(|(page, subtopic)| (web.pages[*page as usize].address.clone(), subtopic));
    topic_model.take_subtopics(subtopics.map(|(page, subtopic)| (page, subtopic.clone())));
    if !scenario.memory.is_empty() {
        topic_model.remember_sites(SiteMemory::clone(&scenario.memory));
    }
    let limits = Limits {
        requests: None,
        budget: scenario.budget,
        delay: CrawlDelay(0),
        scope: Scope::default(),
        stopping: scenario.stopping,
        takes_repeats: scenario.takes_repeats,
        follows_all: true,
        until_recall: None,
    };
    let seeds = topic.starts(&scenario.seeds)?.iter().map(|&seed| Seed {
        address: web.pages[seed as usize].address.clone(),
        mark: None,
    });
    let session = Session::new(topic_model, limits, seeds.collect());
    Ok((session, retrainings))
}

fn run(
    scenario: &Scenario,
    session: &mut Session,
    watch: Watch<'_>,
) -> (Vec<Visit>, Vec<(usize, DriftAlarm)>) {
    let mut rng = SplitMix(scenario.random_seed);
    let (mut visits, mut alarms, mut now) = (Vec::new(), Vec::new(), 0);
    let mut asked = BTreeSet::new();
    let mut last_resort_taken = false;
    loop {
        now += 1;
        match session.next(Instant(now)) {
            Next::Robots(address) => session.robots(&address, Robots::allow_all()),
            Next::Fetch(fetch) => {
                let number = scenario.web.number(&fetch.address);
                let Some(page) = number.map(|number| &scenario.web.pages[number as usize]) else {
                    continue;
                };
                // No two pages have the same body here.
                let digest = u64::from(number.unwrap_or_default());
                let outcome = Outcome::Page(Box::new(page.clone()), digest);
                let record = session.take(&fetch.address, outcome, Instant(now), &mut rng);
                let Some(record) = record else {
                    continue;
                };
                visits.extend(visit(scenario, &record));
                watch(session, &record, visits.len());
                if let Some(alarm) = record.alarm {
                    if scenario.restricts {
                        session.restrict(&alarm);
                    }
                    alarms.push((visits.len(), alarm));
                }
                if ASKED_AFTER.contains(&(visits.len() as u64 % 1_000)) {
                    ask(scenario, session, &visits, &mut asked);
                }
            }
            Next::Stop(_) if !last_resort_taken => {
                last_resort_taken = true;
                for &page in scenario.topic.root() {
                    session.add_seed(&scenario.web.pages[page as usize].address);
                }
            }
            Next::Stop(_) => return (visits, alarms),
            Next::Wait(_) | Next::Busy => {}
        }
    }
}

/// Asks about a page, and marks it by its label.
fn ask(
    scenario: &Scenario,
    session: &mut Session,
    visits: &[Visit],
    asked: &mut BTreeSet<Address>,
) {
    let page = match scenario.asking {
        Asking::Nothing => return,
        Asking::AtRandom => {
            let mut rng = SplitMix(scenario.random_seed + visits.len() as u64);
            let place = rng.unit() * visits.len() as f64;
            visits.get(place as usize).map(|visit| visit.page)
        }
        Asking::Best => {
            let waiting = session.frontier().best(MOST_WAITING);
            let links = waiting.iter().filter_map(|page| page.links.first());
            let question = session.topic_model().question(links, asked);
            question.and_then(|question| scenario.web.number(&question.address))
        }
    };
    let Some(page) = page.map(|page| page as usize) else {
        return;
    };
    asked.insert(scenario.web.pages[page].address.clone());
    let mark = if scenario.topic.labels[page].is_relevant() {
        Mark::Target
    } else {
        Mark::NotTarget
    };
    session.amend(|topic_model| topic_model.mark(&scenario.web.pages[page], Some(mark)));
}

pub(super) fn visit(scenario: &Scenario, record: &Record) -> Option<Visit> {
    let source = record.trail.first();
    Some(Visit {
        page: scenario.web.number(&record.address)?,
        via: source.and_then(|source| scenario.web.number(source)),
        priority: record.priority,
        expected: record.expected.map(Relevance::value),
        judgment: record.judgment,
    })
}

/// A strategy that never learns from the critic's own training pages, and may
/// be confined to some pages.
struct InstrumentedStrategy {
    strategy: Box<dyn Strategy>,
    web: Arc<EvalWeb>,
    topic: Arc<Topic>,
    only: Option<Vec<bool>>,
    retrainings: Arc<AtomicU32>,
    /// Whether it learns again from the log when a page is marked; one that was
    /// trained beforehand would forget it.
    resets: bool,
}

impl InstrumentedStrategy {
    fn number(&self, link: &Candidate) -> Option<usize> {
        self.web.number(&link.target).map(|number| number as usize)
    }
}

impl Strategy for InstrumentedStrategy {
    fn begin(&mut self, budget: u64) {
        self.strategy.begin(budget);
    }

    fn profile(&self) -> Profile {
        Profile {
            name: "instrumented",
            ..self.strategy.profile()
        }
    }

    fn score(&self, links: &[Candidate], known: Known<'_>) -> Vec<LinkScore> {
        let mut scores = self.strategy.score(links, known);
        if let Some(only) = &self.only {
            for (link, score) in links.iter().zip(&mut scores) {
                if self.number(link).is_none_or(|number| !only[number]) {
                    *score = LinkScore::Reject;
                }
            }
        }
        scores
    }

    fn learn(&mut self, event: &Event<'_>, known: Known<'_>) -> Learned {
        let led_to = match event {
            Event::Page(_) | Event::Click(..) => return self.strategy.learn(event, known),
            Event::Arrival(arrival) => arrival.via.first(),
            Event::KnownLink(link, _) => Some(*link),
        };
        let page = led_to.and_then(|link| self.number(link));
        if page.is_none_or(|page| self.topic.labels[page].example.is_some()) {
            return Learned::Nothing;
        }
        let learned = self.strategy.learn(event, known);
        if learned == Learned::Rebuilt {
            self.retrainings.fetch_add(1, Ordering::Relaxed);
        }
        learned
    }

    fn begin_with(
        &mut self,
        learned: &StrategyState,
        known_terms: usize,
    ) -> Result<(), StateError> {
        self.strategy.begin_with(learned, known_terms)
    }

    fn expected(&self, link: &Candidate, known: Known<'_>) -> Option<Relevance> {
        self.strategy.expected(link, known)
    }

    fn promise(&self, priority: Priority) -> Promise {
        self.strategy.promise(priority)
    }

    fn describe(&self, subject: Subject<'_>, known: Known<'_>) -> Option<String> {
        self.strategy.describe(subject, known)
    }

    fn explain(&self, link: &Candidate, known: Known<'_>) -> Explanation {
        self.strategy.explain(link, known)
    }

    fn top_features(&self) -> Vec<u32> {
        self.strategy.top_features()
    }

    fn reset(&self, known: Known<'_>) -> Option<Box<dyn Strategy>> {
        let strategy = self.strategy.reset(known);
        let strategy = strategy.filter(|_| self.resets)?;
        Some(Box::new(Self {
            strategy,
            web: Arc::clone(&self.web),
            topic: Arc::clone(&self.topic),
            only: self.only.clone(),
            retrainings: Arc::clone(&self.retrainings),
            resets: true,
        }))
    }

    fn state(&self) -> StrategyState {
        self.strategy.state()
    }
}
