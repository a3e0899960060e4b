//! When are alarms raised? On the ensemble's crawls from every set of seeds: until
//! half of what can be reached is found, a crawl is an ordinary one and no alarm is
//! due. Once most of it is found and hardly anything comes any more, one is. And from
//! five marked pages on a web with spam, told from when the crawl met its first page.
//! And what is it worth to narrow after an alarm? Each crawl is made again that way.

use anyhow::Result;
use linkscent_core::crawl::{DriftAlarm, DriftCause};
use linkscent_core::strategies::Ensemble;
use linkscent_core::text::Vocabulary;
use serde_json::{Value, json};

use super::attack;
use super::marked;
use super::{Finding, Subject};
use crate::crawl::{Crawled, crawl};
use crate::report::Section;
use crate::scenario::Scenario;
use crate::visits::Visit;

/// Share of the pages that can be reached that was found, at least, once a topic is
/// exhausted.
const MOST: f64 = 0.9;
/// Pages, from when it is exhausted.
const LEAN: usize = 100;
/// Their harvest, at most, in that of the ordinary part.
const LEFT: f64 = 0.1;
/// Marked pages on the web with spam.
const MARKED: usize = 5;

/// A crawl: when the ordinary part ended, when which alarm was due, alarms.
struct Watched {
    crawl: String,
    expects: DriftCause,
    half: Option<usize>,
    due: Option<usize>,
    alarms: Vec<(usize, DriftAlarm)>,
    pages: usize,
    /// Relevant pages that it found, and found where it restricted.
    found: usize,
    found_restricted: usize,
}

impl Watched {
    /// Pages from when an alarm was due to the first one of that cause.
    fn delay(&self) -> Option<usize> {
        let due = self.due?;
        let expected = self
            .alarms
            .iter()
            .filter(|alarm| alarm.1.cause == self.expects);
        let late = expected.filter_map(|alarm| alarm.0.checked_sub(due));
        late.min()
    }

    /// Alarms while nothing was wrong.
    fn false_alarms(&self) -> usize {
        let until = self.half.or(self.due).unwrap_or(self.pages);
        self.alarms.iter().filter(|alarm| alarm.0 < until).count()
    }

    fn row(&self, topic: &str) -> Value {
        let alarms: Vec<Value> = self
            .alarms
            .iter()
            .map(|(page, alarm)| json!({ "page": page, "cause": alarm.cause.code() }))
            .collect();
        json!({
            "topic": topic, "crawl": self.crawl, "ordinary_until": self.half, "due": self.due,
            "delay": self.delay(), "false_alarms": self.false_alarms(), "alarms": alarms,
            "pages": self.pages, "found": self.found, "found_restricted": self.found_restricted,
        })
    }
}

fn made(scenario: &Scenario, every: u32) -> Result<Crawled> {
    crawl(
        scenario,
        Box::new(Ensemble::every(every)),
        Vocabulary::default(),
        None,
    )
}

/// Relevant pages among those fetched.
fn found(scenario: &Scenario, made: &Crawled) -> usize {
    let labels = &scenario.topic.labels;
    let is_relevant = |visit: &&Visit| labels[visit.page as usize].is_relevant();
    made.visits.iter().filter(is_relevant).count()
}

/// The same where the crawl restricts; without an alarm it is the same crawl.
fn found_restricted(scenario: &Scenario, told: &Crawled, every: u32) -> Result<usize> {
    if told.alarms.is_empty() {
        return Ok(found(scenario, told));
    }
    let scenario = Scenario {
        restricts: true,
        ..scenario.clone()
    };
    Ok(found(&scenario, &made(&scenario, every)?))
}

fn watched(scenario: &Scenario, every: u32) -> Result<Watched> {
    let made = made(scenario, every)?;
    let reachable = scenario
        .topic
        .reachable(&scenario.seeds, &scenario.web, None)? as f64;
    let mut sum = 0.0;
    // By fetches, as alarms are: pages that are not scored count too.
    let curve: Vec<f64> = made
        .visits
        .iter()
        .map(|visit| {
            let label = scenario.topic.labels[visit.page as usize];
            sum += f64::from(u8::from(label.counts()));
            sum
        })
        .collect();
    let at = |share: f64| curve.iter().position(|&found| found >= share * reachable);
    let half = at(0.5);
    let is_lean = |page: usize| {
        let (half, later) = (half?, curve.get(page + LEAN)?);
        let usual = curve[half] / (half + 1) as f64;
        Some(later - curve[page] <= LEFT * usual * LEAN as f64)
    };
    let due = at(MOST).and_then(|most| {
        let mut pages = most..curve.len();
        pages.find(|&page| is_lean(page).unwrap_or(false))
    });
    Ok(Watched {
        crawl: scenario.seeds.clone(),
        expects: DriftCause::Exhausted,
        half,
        due,
        found: found(scenario, &made),
        found_restricted: found_restricted(scenario, &made, every)?,
        pages: made.visits.len(),
        alarms: made.alarms,
    })
}

fn spammed(subject: &Subject<'_>, every: u32) -> Result<Watched> {
    let (scenario, _) = marked::scenario(&subject.plan, MARKED, 0)?;
    let attacked = attack::attacked(&scenario, subject.plan.random_seed)?;
    let genuine = scenario.web.pages.len();
    let made = made(&attacked, every)?;
    let is_spam = |page: u32| page as usize >= genuine;
    Ok(Watched {
        crawl: "spam, from five marked pages".to_owned(),
        expects: DriftCause::Spam,
        half: None,
        due: made.visits.iter().position(|visit| is_spam(visit.page)),
        found: found(&attacked, &made),
        found_restricted: found_restricted(&attacked, &made, every)?,
        pages: made.visits.len(),
        alarms: made.alarms,
    })
}

pub(super) fn run(subject: &Subject<'_>) -> Result<Finding> {
    let plan = &subject.plan;
    let every = plan.topics[0].1;
    let mut crawls = Vec::new();
    for seeds in &plan.seed_sets {
        crawls.push(watched(&plan.scenario(0, seeds, 1), every)?);
    }
    crawls.push(spammed(subject, every)?);
    let cell = |number: Option<usize>| number.map_or("-".to_owned(), |number| number.to_string());
    let lines: String = crawls
        .iter()
        .map(|one| {
            let alarms: Vec<String> = one
                .alarms
                .iter()
                .map(|(page, alarm)| format!("{page} ({})", alarm.cause.code()))
                .collect();
            format!(
                "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>\
                 <td>{}</td></tr>",
                one.crawl,
                cell(one.half),
                cell(one.due),
                cell(one.delay()),
                one.found,
                one.found_restricted,
                alarms.join(", ")
            )
        })
        .collect();
    Ok(Finding {
        section: Section {
            title: format!("Alarms: {}", subject.name),
            body: format!(
                "<table><thead><tr><th>Crawl</th><th>Half found at page</th><th>Alarm due at \
                 page</th><th>Pages late</th><th>Found</th><th>Found if it \
                 restricts</th><th>Alarms</th></tr></thead><tbody>{lines}</tbody>\
                 </table>"
            ),
        },
        rows: crawls.iter().map(|one| one.row(&subject.name)).collect(),
    })
}
