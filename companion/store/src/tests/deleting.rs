//! Crawls and topics that are deleted.

use linkscent_core::wire::api::{Event, EventKind};

use super::*;
use crate::{Command, StoreError};

promises!(
    a_hidden_crawl_is_there_and_says_so,
    a_deleted_crawl_is_unknown_and_its_number_is_not_given_again,
    of_a_deleted_topic_its_key_and_its_removal_are_left,
    everything_can_be_deleted,
    a_browser_can_be_called_otherwise,
);

async fn a_hidden_crawl_is_there_and_says_so(store: &Store) {
    let (id, other) = (crawl(&**store).await, crawl(&**store).await);
    for removed in [true, true, false] {
        store.hide_crawl(id, removed).await.unwrap();
        assert_eq!(store.crawl(id).await.unwrap().unwrap().is_removed, removed);
        let listed = store.crawls(None).await.unwrap();
        let removed_ones = listed.iter().filter(|crawl| crawl.is_removed);
        assert_eq!(removed_ones.count(), usize::from(removed));
    }
    store.hide_crawl(NOBODY, true).await.unwrap();
    assert!(!store.crawl(other).await.unwrap().unwrap().is_removed);
}

async fn a_deleted_crawl_is_unknown_and_its_number_is_not_given_again(store: &Store) {
    let (kept, gone) = (crawl(&**store).await, crawl(&**store).await);
    let topic = store.topic_named("bees").await.unwrap().id;
    for id in [kept, gone] {
        let (mut record, place) = fetched(1, "http://a.test/", 0.9);
        record.forms = vec![form("search", 0.9, None)];
        record.alarm = Some(alarm());
        take(store, id, &[(record, place)]).await;
        let asked = store.add_question(id, "http://a.test/", 1);
        asked.await.unwrap();
        store.leave_command(id, &Command::Stop).await.unwrap();
        store
            .notice(topic, Some(id), &format!("said of {id}"))
            .await
            .unwrap();
    }
    store.notice(topic, None, "of the topic").await.unwrap();
    store.delete_crawl(gone).await.unwrap();
    store.delete_crawl(NOBODY).await.unwrap();
    assert_eq!(store.crawl(gone).await.unwrap(), None);
    assert!(store.fetches(gone).await.unwrap().is_empty());
    let counts = store.counts(gone).await;
    assert!(matches!(counts, Err(StoreError::Missing(_))), "{counts:?}");
    assert!(store.notices(topic, Some(gone)).await.unwrap().is_empty());
    assert_eq!(store.notices(topic, Some(kept)).await.unwrap().len(), 1);
    assert_eq!(store.notices(topic, None).await.unwrap().len(), 1);
    assert_eq!(store.count_forms(kept).await.unwrap(), 1);
    assert_eq!(numbers(store, kept).await, [1]);
    assert_eq!(store.deleted_crawls().await.unwrap(), [gone]);
    assert_eq!(crawl(&**store).await, gone + 1);
}

fn removed(id: &str, time: u64, for_good: bool) -> Event {
    Event {
        what: EventKind::Remove {
            removed: true,
            for_good,
        },
        time,
        ..mark(id, "bees", "http://a.test/")
    }
}

async fn of_a_deleted_topic_its_key_and_its_removal_are_left(store: &Store) {
    let id = crawl(&**store).await;
    let other = begin(&**store, "birds", &order()).await;
    let named = Event {
        what: EventKind::Name {
            name: "wasps".to_owned(),
        },
        ..mark("name", "bees", "http://a.test/")
    };
    let bird = mark("bird", "birds", "http://a.test/");
    let last = removed("last", 30, true);
    let events = [
        mark("mark", "bees", "http://a.test/"),
        named,
        bird.clone(),
        last.clone(),
        removed("first", 20, false),
    ];
    store.take_events(&events).await.unwrap();
    let topic = store.topic_named("bees").await.unwrap();
    assert!(topic.is_removed && topic.is_deleted);
    store.set_critic(topic.id, "targets").await.unwrap();
    store.set_model(topic.id, b"model").await.unwrap();
    store.set_taxonomy(topic.id, b"tree").await.unwrap();
    store.notice(topic.id, None, "said").await.unwrap();
    for _ in 0..2 {
        store.delete_topic(topic.id).await.unwrap();
        let left = store.topic_named("bees").await.unwrap();
        assert_eq!((&*left.key, &*left.name), ("bees", "bees"));
        assert!(left.is_removed && left.is_deleted);
        assert!(left.version > topic.version);
        let left = store.events(topic.id).await.unwrap();
        assert_eq!(left, std::slice::from_ref(&last));
        assert_eq!(store.critic(topic.id).await.unwrap(), None);
        assert_eq!(store.model(topic.id).await.unwrap(), None);
        assert_eq!(store.taxonomy(topic.id).await.unwrap(), None);
        assert!(store.notices(topic.id, None).await.unwrap().is_empty());
        assert_eq!(store.deleted_crawls().await.unwrap(), [id]);
    }
    store.delete_topic(NOBODY).await.unwrap();
    let birds = store.topic_named("birds").await.unwrap();
    assert_eq!(store.events(birds.id).await.unwrap(), [bird]);
    assert!(store.crawl(other).await.unwrap().is_some());
    // Brought back, it is empty.
    let back = Event {
        what: EventKind::Remove {
            removed: false,
            for_good: false,
        },
        ..removed("back", 40, false)
    };
    store.take_events(&[back]).await.unwrap();
    let topic = store.topic_named("bees").await.unwrap();
    assert!(!topic.is_removed && !topic.is_deleted);
}

async fn everything_can_be_deleted(store: &Store) {
    let id = crawl(&**store).await;
    take(store, id, &[fetched(1, "http://a.test/", 0.9)]).await;
    store
        .take_events(&[mark("1", "bees", "http://a.test/")])
        .await
        .unwrap();
    let key = linkscent_core::wire::channel::DeviceKey::from_bytes(&[7; 32]).unwrap();
    store.add_device("browser", "", &key).await.unwrap();
    store.delete_everything().await.unwrap();
    assert!(store.topics().await.unwrap().is_empty());
    assert!(store.crawls(None).await.unwrap().is_empty());
    assert!(store.devices().await.unwrap().is_empty());
    assert!(store.deleted_crawls().await.unwrap().is_empty());
    assert_eq!(store.latest_time().await.unwrap(), 0);
    assert_eq!(crawl(&**store).await, 1);
}

async fn a_browser_can_be_called_otherwise(store: &Store) {
    let key = linkscent_core::wire::channel::DeviceKey::from_bytes(&[7; 32]).unwrap();
    store.add_device("browser", "here", &key).await.unwrap();
    let id = store.devices().await.unwrap()[0].id;
    store.rename_device(id, "at the library").await.unwrap();
    store.rename_device(NOBODY, "nobody").await.unwrap();
    let devices = store.devices().await.unwrap();
    assert_eq!((&*devices[0].name, devices.len()), ("at the library", 1));
}
