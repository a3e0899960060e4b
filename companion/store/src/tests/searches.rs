//! Searches that the person keeps.

use super::NOBODY;
use crate::ports::SearchRow;
use crate::{Store, StoreError};

promises! {
    searches_are_kept_replaced_and_dropped,
    searches_go_with_their_topic,
}

fn search(topic: Option<i64>, name: &str, words: &str) -> SearchRow {
    SearchRow {
        id: 0,
        topic,
        name: name.to_owned(),
        words: words.to_owned(),
        pages: "all".to_owned(),
        first: "newest".to_owned(),
    }
}

async fn searches_are_kept_replaced_and_dropped(store: &Store) {
    let bees = store.topic_named("bees").await.unwrap().id;
    let (all, one) = (
        search(None, "moats", "moat"),
        search(Some(bees), "hives", "hive"),
    );
    let first = store.keep_search(&all).await.unwrap();
    let second = store.keep_search(&one).await.unwrap();
    let same_name = search(Some(bees), "moats", "“moat”");
    let third = store.keep_search(&same_name).await.unwrap();
    let again = search(None, "moats", "moat -hotel");
    assert_eq!(store.keep_search(&again).await.unwrap(), first);
    let row = |id, search: &SearchRow| SearchRow {
        id,
        ..search.clone()
    };
    let kept = [
        row(second, &one),
        row(first, &again),
        row(third, &same_name),
    ];
    assert_eq!(store.searches().await.unwrap(), kept);
    let wrong = store.keep_search(&search(Some(NOBODY), "x", "y")).await;
    assert!(
        matches!(wrong, Err(StoreError::Missing("topic"))),
        "{wrong:?}"
    );
    store.drop_search(first).await.unwrap();
    store.drop_search(NOBODY).await.unwrap();
    assert_eq!(
        store.searches().await.unwrap(),
        [row(second, &one), row(third, &same_name)]
    );
}

async fn searches_go_with_their_topic(store: &Store) {
    let bees = store.topic_named("bees").await.unwrap().id;
    let trains = store.topic_named("trains").await.unwrap().id;
    for topic in [Some(bees), Some(trains), None] {
        store.keep_search(&search(topic, "kept", "")).await.unwrap();
    }
    let topics = async || -> Vec<Option<i64>> {
        let kept = store.searches().await.unwrap();
        kept.iter().map(|row| row.topic).collect()
    };
    store.delete_topic(bees).await.unwrap();
    assert_eq!(topics().await, [Some(trains), None]);
    store.delete_everything().await.unwrap();
    assert!(topics().await.is_empty());
}
