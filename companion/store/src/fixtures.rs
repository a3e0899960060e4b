//! Material for tests of whatever keeps something in a store: folders, databases, crawls, and records of
//! requests.

#![allow(
    clippy::missing_panics_doc,
    clippy::print_stderr,
    reason = "tests call it"
)]

#[cfg(unix)]
pub mod cluster;

use std::io::Write;

use linkscent_core::address::Address;
use linkscent_core::crawl::{Arm, CrawlSpec, Record};
#[cfg(test)]
use linkscent_core::crawl::{Reaction, Scope, StoppingRule};
use linkscent_core::web_graph::{Judgment, Relevance};
use tempfile::TempDir;

#[cfg(feature = "team")]
use crate::Store;
#[cfg(test)]
use crate::StoreError;
use crate::ports::Ports;
use crate::{CrawlKind, Location, NewCrawl, Order};
#[cfg(feature = "team")]
use cluster::Cluster;

/// A folder that goes with the test, in memory where the system has such a place: no promise
/// needs a disk to be waited for.
pub fn folder() -> TempDir {
    let in_memory = tempfile::tempdir_in("/dev/shm");
    in_memory.or_else(|_| tempfile::tempdir()).unwrap()
}

/// A store in an empty PostgreSQL database, if the machine has PostgreSQL: else it is said that the
/// test skips.
#[cfg(feature = "team")]
pub async fn in_postgres() -> Option<(TempDir, Store)> {
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
pub fn skipped(why: &str) {
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

/// The address of a page.
pub fn address(page: &str) -> Address {
    Address::parse(page).unwrap()
}

/// What a usual crawl is to do.
pub fn order() -> Order {
    Order {
        spec: CrawlSpec {
            delay: Some(0),
            ..CrawlSpec::new(10)
        },
        seeds: Vec::new(),
        kind: CrawlKind::Usual,
    }
}

/// Begins a crawl of a topic.
pub async fn begin(store: &dyn Ports, topic: &str, order: &Order) -> i64 {
    let new = NewCrawl {
        topic: store.topic_named(topic).await.unwrap().id,
        order,
        start_model: b"model",
    };
    store.begin_crawl(&new).await.unwrap()
}

/// A crawl of the topic "bees".
pub async fn crawl(store: &dyn Ports) -> i64 {
    begin(store, "bees", &order()).await
}

/// A request that brought no page.
pub fn failed(number: u64, page: &str) -> (Record, Location) {
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
pub fn fetched(number: u64, page: &str, relevance: f64) -> (Record, Location) {
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

/// Crawls as databases had them before their settings were one document, by statements that each of them
/// takes: all settings at their limits, none, and hosts that cannot be read.
#[cfg(test)]
pub(crate) const EARLIER_CRAWLS: &str = "
    INSERT INTO topic (id, name, created) VALUES (1, 'bees', 1);
    INSERT INTO crawl (id, topic, created, state, budget, delay, random_seed, seeds, hosts, left_out, depth,
                       documents, site_pages, site_targets, until_recall, on_drift)
    VALUES (1, 1, 1, 'done', 1000000, 0, -1, '[]', '[\"a.test\"]', '[\"b.a.test\"]', 3, TRUE, 1, 4294967295,
            0.95, 'pause');
    INSERT INTO crawl (id, topic, created, state, budget, delay, random_seed, seeds, hosts)
    VALUES (2, 1, 1, 'done', 7, 1000, 1, '[]', '[]'), (3, 1, 1, 'done', 7, 1000, 1, '[]', '[1');";

/// That each of the [`EARLIER_CRAWLS`] goes as it did, or is said to be unreadable.
#[cfg(test)]
pub(crate) async fn check_earlier_crawls(store: &dyn Ports) {
    let spec = async |id| {
        let row = store.crawl(id).await.unwrap();
        row.unwrap().order.spec
    };
    let first = CrawlSpec {
        budget: 1_000_000,
        delay: Some(0),
        random_seed: u64::MAX,
        scope: Scope {
            hosts: vec!["a.test".to_owned()],
            left_out: vec!["b.a.test".to_owned()],
            depth: Some(3),
            documents: true,
        },
        stopping: StoppingRule {
            pages: Some(1),
            targets: Some(u32::MAX),
        },
        until_recall: Some(0.95),
        most_bytes: None,
        on_drift: Reaction::Pause,
    };
    assert_eq!(spec(1).await, first);
    let mut second = CrawlSpec::new(7);
    (second.delay, second.scope.documents) = (Some(1_000), false);
    assert_eq!(spec(2).await, second);
    let third = store.crawl(3).await;
    assert!(matches!(third, Err(StoreError::Unreadable(_))), "{third:?}");
}
