//! What the ports promise, each promise once, for every backend: a promise is a function on
//! an empty store. What only a database on a disk can show is tested in `sqlite`.

/// Holds every backend to the promises of a file.
macro_rules! promises {
    ($($promise:ident),+ $(,)?) => {
        mod sqlite {
            $(#[tokio::test]
            async fn $promise() {
                let folder = crate::store::tests::folder();
                let data = folder.path().join("data");
                let store = crate::store::Store::open(&data).await.unwrap();
                super::$promise(&store).await;
            })+
        }

        mod postgres {
            $(#[tokio::test]
            async fn $promise() {
                let Some((folder, store)) = crate::store::tests::in_postgres().await else {
                    return;
                };
                super::$promise(&store).await;
                drop(folder);
            })+
        }

        mod memory {
            $(#[tokio::test]
            async fn $promise() {
                let folder = tempfile::tempdir().unwrap();
                let store = crate::store::Store::in_memory(folder.path());
                super::$promise(&store).await;
            })+
        }
    };
}

mod accounts;
mod cluster;
mod crawls;
mod deleting;
mod forgetting;
mod hands;
mod hostile_workers;
mod kept;
mod log;
mod moving;
mod people;
mod postgres;
mod searches;
mod sites;
mod standing;
mod tokens;
mod topics;

use std::io::Write;

use linkscent_core::address::Address;
use linkscent_core::crawl::{Arm, DriftAlarm, DriftCause, Record, Scope, StoppingRule};
use linkscent_core::critics::FoundForm;
use linkscent_core::forms::FormWords;
use linkscent_core::web_graph::{Judgment, Relevance};
use linkscent_core::wire::api::{Event, EventKind};
use tempfile::TempDir;

use super::ports::Ports;
use super::{CrawlKind, Location, NewCrawl, Order, Reaction, Store};
use cluster::Cluster;

/// A folder that goes with the test, in memory where the system has such a place: no promise
/// needs a disk to be waited for.
pub(crate) fn folder() -> TempDir {
    let in_memory = tempfile::tempdir_in("/dev/shm");
    in_memory.or_else(|_| tempfile::tempdir()).unwrap()
}

/// A store in an empty PostgreSQL database, if the machine has PostgreSQL: else it is said that the
/// test skips.
pub(crate) async fn in_postgres() -> Option<(TempDir, Store)> {
    let cluster = match Cluster::of_program() {
        Ok(cluster) => cluster,
        Err(why) => {
            skipped(why);
            return None;
        }
    };
    let folder = folder();
    let store = Store::open_database(&cluster.fresh().unwrap(), folder.path()).await;
    Some((folder, store.unwrap()))
}

/// Says that a test skips, and why; `LINKSCENT_SKIPPED` names a file that is told, too.
fn skipped(why: &str) {
    eprintln!("skipped: {why}");
    let Some(file) = std::env::var_os("LINKSCENT_SKIPPED") else {
        return;
    };
    let open = std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(file);
    // To count is a courtesy: a test does not fail over it.
    let _ = open.and_then(|mut file| file.write_all(format!("{why}\n").as_bytes()));
}

/// No topic, crawl or browser has this number.
const NOBODY: i64 = 7_777;

fn address(page: &str) -> Address {
    Address::parse(page).unwrap()
}

fn texts(pages: &[&str]) -> Vec<String> {
    pages.iter().map(ToString::to_string).collect()
}

/// A mark as a target.
fn mark(id: &str, topic: &str, page: &str) -> Event {
    Event {
        id: id.to_owned(),
        topic: topic.to_owned(),
        time: 1,
        what: EventKind::mark_unread(page, Some(true)),
    }
}

fn click(id: &str, topic: &str, from: &str, to: &str) -> Event {
    Event {
        what: EventKind::Click {
            from: from.to_owned(),
            to: to.to_owned(),
            anchor: "on".to_owned(),
            context: vec![("hive".to_owned(), -1)],
            relevance: 0.5,
            passed_over: Vec::new(),
        },
        ..mark(id, topic, from)
    }
}

fn order() -> Order {
    Order {
        budget: 10,
        delay: 0,
        random_seed: 1,
        seeds: Vec::new(),
        scope: Scope::default(),
        stopping: StoppingRule::default(),
        until_recall: None,
        on_drift: Reaction::Tell,
        kind: CrawlKind::Usual,
    }
}

async fn begin(store: &dyn Ports, topic: &str, order: &Order) -> i64 {
    let new = NewCrawl {
        topic: store.topic_named(topic).await.unwrap().id,
        order,
        start_model: b"model",
    };
    store.begin_crawl(&new).await.unwrap()
}

/// A crawl of the topic "bees".
pub(crate) async fn crawl(store: &dyn Ports) -> i64 {
    begin(store, "bees", &order()).await
}

/// A request that brought no page.
pub(crate) fn failed(number: u64, page: &str) -> (Record, Location) {
    let record = Record {
        number,
        address: address(page),
        trail: Vec::new(),
        anchor: format!("anchor {number}"),
        reason: format!("reason {number}"),
        priority: None,
        expected: None,
        judgment: None,
        class: String::new(),
        scored: false,
        title: String::new(),
        snippet: String::new(),
        problem: "gone".to_owned(),
        forms: Vec::new(),
        alarm: None,
        unfound: None,
        arm: Arm::Primary,
    };
    let place = Location {
        time: number as i64,
        ..Location::default()
    };
    (record, place)
}

/// A page that counts for the harvest, at offset `1000 * number` of the archive; a target
/// from a relevance of one half on.
pub(crate) fn fetched(number: u64, page: &str, relevance: f64) -> (Record, Location) {
    let (mut record, mut place) = failed(number, page);
    record.judgment = Some(Judgment {
        relevance: Relevance::new(relevance),
        is_target: relevance >= 0.5,
        ..Judgment::default()
    });
    record.scored = true;
    record.title = format!("title {number}");
    record.snippet = format!("snippet {number}");
    record.problem.clear();
    place.warc_offset = Some(1000 * number);
    (record, place)
}

fn form(name: &str, searchable: f64, wanted: Option<f64>) -> FoundForm {
    FoundForm {
        place: 0,
        name: name.to_owned(),
        action: format!("/{name}"),
        fields: texts(&["query", "year"]),
        searchable,
        wanted,
        words: FormWords::new([], []),
    }
}

fn alarm() -> DriftAlarm {
    DriftAlarm {
        cause: DriftCause::Spam,
        usual: 0.5,
        turnover: 0.0,
        hosts: Vec::new(),
    }
}

async fn take(store: &Store, crawl: i64, fetches: &[(Record, Location)]) {
    let end = 1000 * (1 + fetches.iter().map(|row| row.0.number).max().unwrap_or(0));
    store.take_fetches(crawl, end, fetches).await.unwrap();
}

async fn numbers(store: &Store, crawl: i64) -> Vec<u64> {
    let rows = store.fetches(crawl).await.unwrap();
    rows.into_iter().map(|row| row.number).collect()
}
