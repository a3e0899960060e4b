//! What scoring pages costs and gives in a browser, to be held against the native build.

use js_sys::Uint8Array;
use linkscent_core::rng::Rng;
use linkscent_core::strategies::{Candidate, LinkScore, Priority, SplitMix};
use linkscent_core::topic_model::TopicModel;
use linkscent_core::web_graph::Mark;
use linkscent_core::wire::Snapshot;
use linkscent_core::wire::api::{Event, EventKind, Transition, Visit, mark_of};
use linkscent_core::wire::views::PageView;
use linkscent_core::wire::write_model;
use linkscent_core::{critics, strategies};

use crate::background::{ENOUGH_STEPS, ModelStep, bounded, kept, tie_breaks};
use crate::browser::{BrowserRandom, now};
use crate::js_values::{give, take};
use crate::paths::{Arrival, Arriving, Showing, Step, TabPath};
use crate::ports::BrowserError;
use crate::problem::Problem;

/// Links followed before the clock starts, so that there is something to look up.
const FOLLOWED: usize = 60;

/// See [`crate::bench_scoring`]: builds the page once, follows links, then visits it.
pub fn milliseconds_to_score(snapshot: &Snapshot, rounds: u32) -> Result<f64, Problem> {
    let page = snapshot.to_page()?;
    let mut topic_model = TopicModel::new(critics::NAMES[0], strategies::default_name())
        .ok_or(Problem::NoTopicModel)?;
    topic_model.mark(&page, mark_of(Some(true)));
    let (mut tie_breaks, mut via) = (tie_breaks(&BrowserRandom), Vec::new());
    for number in 0..FOLLOWED {
        let visit = topic_model.visit(&page, &via, None, &mut tie_breaks);
        via = visit.outlinks.into_iter().map(|row| row.0).collect();
        via = via.split_off(number.min(via.len()));
        via.truncate(1);
    }
    let began = now();
    for _ in 0..rounds {
        let visit = topic_model.visit(&page, &[], None, &mut tie_breaks);
        PageView::of(&page, &visit, &topic_model);
    }
    Ok((now() - began) / f64::from(rounds.max(1)))
}

/// See [`crate::bench_visit`]: a page, its visit and a full path of its tab, as the database
/// takes them.
pub fn milliseconds_to_log(snapshot: &Snapshot, rounds: u32) -> Result<f64, Problem> {
    let page = snapshot.to_page()?;
    let mut topic_model = TopicModel::new(critics::NAMES[0], strategies::default_name())
        .ok_or(Problem::NoTopicModel)?;
    let visit = topic_model.visit(&page, &[], None, &mut tie_breaks(&BrowserRandom));
    let showing = Showing {
        at: now(),
        how: Arrival::Navigate,
        referrer: String::new(),
    };
    let arriving = Arriving {
        page: &page.address,
        topic: "bench",
        showing: &showing,
        started: showing.at,
    };
    let mut path = TabPath::new("bench".to_owned(), 7);
    let kept = |value: Result<serde_json::Value, _>| {
        let value = value.map_err(unwritten)?;
        give(&value)
    };
    let began = now();
    for number in 0..rounds {
        let event = Event {
            id: format!("{number:032x}"),
            topic: "bench".to_owned(),
            time: showing.at as u64,
            what: EventKind::Visit(Visit::of(&page, visit.judgment, 7, Transition::Typed)),
        };
        path.add(
            Step {
                page: page.address.to_string(),
                topic: event.topic.clone(),
                visit: event.id.clone(),
                click: None,
                title: page.title(),
            },
            &arriving,
        );
        let step = ModelStep::new(snapshot, &page, None, u64::from(number)).pack();
        std::hint::black_box(Uint8Array::from(step.map_err(unwritten)?.as_slice()));
        let row = kept(serde_json::to_value(&path))?;
        kept(serde_json::to_value(&event))?;
        path = take(row)?;
    }
    Ok((now() - began) / f64::from(rounds.max(1)))
}

/// Bytes that are written of a page when it is read, beside its visit.
pub fn bytes_to_keep(snapshot: &Snapshot) -> Result<usize, Problem> {
    let page = snapshot.to_page()?;
    let step = ModelStep::new(snapshot, &page, None, 1).pack();
    Ok(step.map_err(unwritten)?.len())
}

fn unwritten(error: serde_json::Error) -> BrowserError {
    BrowserError(error.to_string())
}

/// Links and words of a page of a long browse, and how many different words there are.
const LINKS: usize = 40;
const WORDS: usize = 300;
const DIFFERENT: u64 = 20_000;
/// Pages over which a mean is taken.
const MEASURED: u32 = 100;

/// See [`crate::bench_reading`]: pages of words drawn at random are read one after the other,
/// each reached by a link of the one before, packed, and kept whole with all that was learned
/// where that is due.
pub fn reading(pages: u32) -> Result<Vec<f64>, Problem> {
    let mut topic_model = TopicModel::new(critics::NAMES[0], strategies::default_name())
        .ok_or(Problem::NoTopicModel)?;
    topic_model.name_topic("word7 word8");
    let (mut rng, mut via) = (SplitMix(5), Vec::new());
    let (mut early, mut late, mut whole, mut bytes) = (0.0, 0.0, 0.0_f64, 0);
    for number in 0..pages {
        let snapshot = drawn(number, &mut rng);
        let page = snapshot.to_page()?;
        let began = now();
        let mark = (number % 100 == 0).then_some(Mark::Target);
        let visit = topic_model.visit(&page, &via, mark, &mut rng);
        PageView::of(&page, &visit, &topic_model);
        let step = ModelStep::new(&snapshot, &page, None, 1).pack();
        std::hint::black_box(step.map_err(unwritten)?);
        let took = now() - began;
        if mark.is_none() {
            match number {
                10..110 => early += took,
                _ if number + MEASURED >= pages => late += took,
                _ => {}
            }
        }
        via = visit
            .outlinks
            .into_iter()
            .map(|row| row.0)
            .take(1)
            .collect();
        if number % ENOUGH_STEPS == 0 {
            let began = now();
            let knowledge = kept(&topic_model);
            bytes = write_model(&knowledge)?.len();
            topic_model = bounded(topic_model, knowledge).ok_or(Problem::NoTopicModel)?;
            whole = whole.max(now() - began);
        }
    }
    let mean = |sum: f64| sum / f64::from(MEASURED - 1);
    Ok(vec![mean(early), mean(late), whole, bytes as f64])
}

fn drawn(number: u32, rng: &mut SplitMix) -> Snapshot {
    let mut words = |count: usize| -> String {
        let word = |_| format!("word{} ", rng.bits() % DIFFERENT);
        (0..count).map(word).collect()
    };
    let mut leaves = vec![format!("Page {number}"), words(WORDS)];
    let mut page = Snapshot {
        url: format!("http://bench.test/{number}"),
        title: format!("Page {number}"),
        lang: Some("en".to_owned()),
        ..Snapshot::default()
    };
    for link in 0..LINKS {
        let first = leaves.len() as u32;
        page.links.extend([first, first + 1]);
        page.hrefs.push(format!("/{}", number * 7 + link as u32));
        leaves.push(words(4));
    }
    page.leaf_count = leaves.len() as u32;
    page.leaves = leaves.join("\u{1}");
    page
}

/// Every number of a short browse over pages: the first is a target, each is reached by a
/// link of the one before. A page's relevance, then the priority of each of its links, or
/// minus infinity for a link that is not followed; at the end the scores of the first
/// page's links by all that was learned.
pub fn numbers(pages: &[Snapshot]) -> Result<Vec<f64>, Problem> {
    let mut topic_model = TopicModel::new(critics::NAMES[0], strategies::default_name())
        .ok_or(Problem::NoTopicModel)?;
    let mut rng = SplitMix(7);
    let (mut via, mut first, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    let value = |score: LinkScore| score.priority().map_or(f64::NEG_INFINITY, Priority::value);
    for (number, snapshot) in pages.iter().enumerate() {
        let page = snapshot.to_page()?;
        let mark = (number == 0).then_some(Mark::Target);
        let visit = topic_model.visit(&page, &via, mark, &mut rng);
        numbers.push(visit.judgment.relevance.value());
        numbers.extend(visit.outlinks.iter().map(|row| value(row.1)));
        let links: Vec<Candidate> = visit.outlinks.into_iter().map(|row| row.0).collect();
        via = links
            .get(number % links.len().max(1))
            .cloned()
            .into_iter()
            .collect();
        if number == 0 {
            first = links;
        }
    }
    numbers.extend(first.iter().map(|link| value(topic_model.score(link))));
    Ok(numbers)
}
