//! Material for tests: the services on a store of their own, and a crawl that was made with them.

#![allow(clippy::missing_panics_doc, reason = "tests call it")]

use std::path::Path;

use linkscent_store::{CrawlState, Store, Topic};

use crate::crawler::fake_web::web_about;
use crate::crawler::way::Way;
use crate::{LibraryQuery, NewCrawl, Services, Starts};

/// What the pages of a web say: of each third that it is about trains.
fn about(page: u64) -> &'static str {
    match page % 3 {
        0 => "a railway timetable with trains",
        _ => "bees in the hive. Honey and pollen are kept there",
    }
}

/// A crawl of twelve pages of a web about bees and trains, for the topic "bees".
pub async fn crawled(folder: &Path) -> (Services, Topic, i64) {
    crawled_on(folder, web_about(about).await, "http://host0.test/1").await
}

/// A crawl of twelve pages from that one.
pub async fn crawled_on(folder: &Path, way: Way, start: &str) -> (Services, Topic, i64) {
    let store = Store::open(folder).await.unwrap();
    let service = Services::new(store, way);
    let targets = [start.to_owned()];
    let topic = service.topics.create_topic("bees", &targets).await.unwrap();
    let new = NewCrawl::new(Starts::default(), 12);
    let crawl = service.crawls.begin_crawl(&topic, &new).await.unwrap();
    let mut changes = service.supervisor.changes();
    loop {
        let row = service.crawls.crawl(crawl.id).await.unwrap().0;
        if row.state == CrawlState::Done && !service.rows().is_locked(crawl.id) {
            return (service, topic, crawl.id);
        }
        changes.changed().await.unwrap();
    }
}

/// A question for some words.
pub fn words(text: &str) -> LibraryQuery {
    LibraryQuery {
        text: text.to_owned(),
        all: true,
        most: 50,
        ..LibraryQuery::default()
    }
}
