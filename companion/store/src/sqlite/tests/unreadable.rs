//! Rows that cannot be read, and archives of crawls that are no rows any more.

use linkscent_core::wire::api::{Event, EventKind};

use crate::StoreError;
use crate::fixtures::crawl as begin;
use crate::ports::{Crawls, Events, Notices, Topics};
use crate::sqlite::SqliteStore;

#[tokio::test]
async fn an_event_that_cannot_be_read_is_passed_over_and_told_of_once() {
    let folder = crate::fixtures::folder();
    let store = SqliteStore::open(folder.path()).await.unwrap();
    let event = |id: &str| Event {
        id: id.to_owned(),
        topic: "bees".to_owned(),
        time: 1,
        what: EventKind::mark_unread("http://a.test/", Some(true)),
    };
    let events = ["1", "2", "3"].map(event);
    store.take_events(&events).await.unwrap();
    sqlx::raw_sql("UPDATE event SET body = '{\"id\":' WHERE id = '2'")
        .execute(&store.pool)
        .await
        .unwrap();
    let topic = store.topic_named("bees").await.unwrap().id;
    for _ in 0..2 {
        let kept = store.events(topic).await.unwrap();
        assert_eq!(kept, [events[0].clone(), events[2].clone()]);
    }
    let notices = store.notices(topic, None).await.unwrap();
    assert_eq!(notices.len(), 1);
    assert!(
        notices[0].contains("row 2 of the table event"),
        "{notices:?}"
    );
}

#[tokio::test]
async fn a_crawl_that_cannot_be_read_is_passed_over_and_told_of_once() {
    let folder = crate::fixtures::folder();
    let store = SqliteStore::open(folder.path()).await.unwrap();
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(begin(&store).await);
    }
    let [whole, no_state, no_seeds] = ids[..] else {
        panic!("three were begun")
    };
    for (change, id) in [("state = 'x'", no_state), ("seeds = '[1'", no_seeds)] {
        let statement = format!("UPDATE crawl SET {change} WHERE id = {id}");
        sqlx::raw_sql(sqlx::AssertSqlSafe(statement))
            .execute(&store.pool)
            .await
            .unwrap();
        let refused = store.crawl(id).await;
        assert!(matches!(refused, Err(StoreError::Unreadable(_))));
    }
    let topic = store.crawl(whole).await.unwrap().unwrap().topic;
    for _ in 0..2 {
        let listed = store.crawls(None).await.unwrap();
        assert_eq!(listed.len(), 1);
        assert_eq!(listed[0].id, whole);
    }
    let mut notices = store.notices(topic, None).await.unwrap();
    notices.sort();
    assert_eq!(notices.len(), 2);
    let first = format!("crawl {no_state} cannot be shown or run: its state is \"x\"");
    assert_eq!(notices[0], first);
    let second = format!("crawl {no_seeds} cannot be shown or run: reading a crawl's seeds: ");
    assert!(notices[1].starts_with(&second), "{notices:?}");
}

#[tokio::test]
async fn pages_of_a_crawl_that_was_lost_are_not_written_over() {
    let folder = crate::fixtures::folder();
    let store = SqliteStore::open(folder.path()).await.unwrap();
    std::fs::write(folder.path().join("crawl-7.warc.gz"), "pages").unwrap();
    assert_eq!(begin(&store).await, 8);
    assert_eq!(begin(&store).await, 9);
}
