//! Questions, notices, and hearing of changes.

use super::{NOBODY, crawl, failed, fetched, mark, numbers, take};
use crate::ports::MOST_NOTICES;
use crate::{QuestionRow, Store, StoreError};

promises! {
    questions_are_open_until_they_are_answered,
    a_question_is_asked_once,
    a_question_shows_the_last_fetch,
    notices_are_listed_newest_first,
    a_notice_is_new_once,
    a_notice_needs_a_topic,
    a_change_is_heard_of,
}

const A: &str = "http://a.test/";
const B: &str = "http://b.test/";
const C: &str = "http://c.test/";

async fn open(store: &Store, crawl: i64) -> Vec<String> {
    let questions = store.questions(crawl).await.unwrap();
    questions.into_iter().map(|one| one.address).collect()
}

async fn questions_are_open_until_they_are_answered(store: &Store) {
    let (id, other) = (crawl(&**store).await, crawl(&**store).await);
    let pages = [A, B, C, "http://d.test/"];
    let log: Vec<_> = (1..)
        .zip(pages)
        .map(|(n, page)| fetched(n, page, 0.5))
        .collect();
    take(store, id, &log).await;
    take(store, other, &log).await;
    for (page, asked) in [(C, 20), (B, 10), (A, 20), ("http://not-fetched.test/", 1)] {
        store.add_question(id, page, asked).await.unwrap();
    }
    assert_eq!(open(store, id).await, [B, A, C]);
    assert!(open(store, other).await.is_empty());
    let answered = [(B, "no"), ("http://d.test/", "yes"), (C, "skip")];
    for (page, answer) in answered {
        store.answer(id, page, answer).await.unwrap();
    }
    assert_eq!(open(store, id).await, [A]);
    let mut asked = store.asked(id).await.unwrap();
    asked.sort();
    assert_eq!(asked, [A, B, C, "http://not-fetched.test/"]);
}

async fn a_question_is_asked_once(store: &Store) {
    let id = crawl(&**store).await;
    take(store, id, &[fetched(1, A, 0.5), fetched(2, B, 0.5)]).await;
    store.add_question(id, A, 10).await.unwrap();
    store.add_question(id, B, 20).await.unwrap();
    store.add_question(id, A, 30).await.unwrap();
    assert_eq!(open(store, id).await, [A, B]);
    store.answer(id, A, "skip").await.unwrap();
    store.add_question(id, A, 40).await.unwrap();
    assert_eq!(open(store, id).await, [B]);
}

async fn a_question_shows_the_last_fetch(store: &Store) {
    let id = crawl(&**store).await;
    let log = [fetched(1, A, 0.5), fetched(2, A, 0.5), failed(3, B)];
    take(store, id, &log).await;
    store.add_question(id, A, 1).await.unwrap();
    let row = QuestionRow {
        address: A.to_owned(),
        title: "title 2".to_owned(),
        snippet: "snippet 2".to_owned(),
    };
    assert_eq!(store.questions(id).await.unwrap(), [row]);
}

async fn notices_are_listed_newest_first(store: &Store) {
    let topic = store.topic_named("bees").await.unwrap().id;
    let id = crawl(&**store).await;
    for (said, time) in [("b", 5), ("oldest", 1), ("a", 5), ("newest", 9)] {
        store.add_notice(topic, Some(id), said, time).await.unwrap();
    }
    let notices = store.notices(topic, Some(id)).await.unwrap();
    assert_eq!(notices, ["newest", "a", "b", "oldest"]);
    assert!(store.notices(topic, None).await.unwrap().is_empty());
    assert!(store.notices(NOBODY, None).await.unwrap().is_empty());
    for time in 0..20 {
        let said = format!("said {time}");
        store.add_notice(topic, None, &said, time).await.unwrap();
    }
    let notices = store.notices(topic, None).await.unwrap();
    assert_eq!(notices.len(), MOST_NOTICES);
    assert_eq!(notices[0], "said 19");
    assert_eq!(store.notices(topic, Some(id)).await.unwrap().len(), 4);
}

async fn a_notice_is_new_once(store: &Store) {
    let topic = store.topic_named("bees").await.unwrap().id;
    let other = store.topic_named("birds").await.unwrap().id;
    assert!(store.add_notice(topic, None, "one", 1).await.unwrap());
    assert!(store.add_notice(topic, None, "two", 2).await.unwrap());
    assert!(!store.add_notice(topic, None, "one", 3).await.unwrap());
    let notices = store.notices(topic, None).await.unwrap();
    assert_eq!(notices, ["two", "one"], "it keeps its time");
    // Of another topic, or of a crawl, it is another one.
    assert!(store.add_notice(other, None, "one", 1).await.unwrap());
    assert!(store.add_notice(topic, Some(1), "one", 1).await.unwrap());
}

async fn a_notice_needs_a_topic(store: &Store) {
    let refused = store.add_notice(NOBODY, None, "said", 1).await;
    assert!(
        matches!(refused, Err(StoreError::Missing(_))),
        "{refused:?}"
    );
}

async fn a_change_is_heard_of(store: &Store) {
    let mut watch = store.watch().await.unwrap();
    let mut seen = watch.version().await.unwrap();
    assert_eq!(watch.version().await.unwrap(), seen, "nothing was changed");
    for change in 0..3 {
        match change {
            0 => {
                crawl(&**store).await;
            }
            1 => take(store, 1, &[fetched(1, A, 0.5)]).await,
            _ => {
                let event = mark("1", "bees", A);
                store.take_events(&[event]).await.unwrap();
            }
        }
        let now = watch.version().await.unwrap();
        assert_ne!(now, seen, "change {change}");
        assert_eq!(numbers(store, 1).await.len(), change.min(1));
        seen = watch.version().await.unwrap();
        assert_eq!(seen, now, "to read is no change");
    }
}
