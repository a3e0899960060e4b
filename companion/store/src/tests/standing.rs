//! Topics that stand.

use linkscent_core::crawl::{Denial, Skipped, UNCHANGED};

use super::{NOBODY, address, begin, crawl, failed, fetched, order, take};
use crate::ports::{CrawlKind, LookRow, Order, StandingTopic};
use crate::{Store, StoreError};

promises! {
    topics_stand_and_rest,
    looks_tell_what_came_of_requests,
}

async fn topics_stand_and_rest(store: &Store) {
    let bees = store.topic_named("bees").await.unwrap().id;
    let trains = store.topic_named("trains").await.unwrap().id;
    let row = |topic, due| StandingTopic {
        topic,
        every: 3_600_000,
        requests: 50,
        due,
        feed: format!("secret {topic}"),
    };
    store.stand(&row(bees, 20)).await.unwrap();
    store.stand(&row(trains, 10)).await.unwrap();
    let standing = async || store.standing().await.unwrap();
    assert_eq!(standing().await, [row(trains, 10), row(bees, 20)]);
    store.stand(&row(trains, 30)).await.unwrap();
    assert_eq!(standing().await, [row(bees, 20), row(trains, 30)]);
    assert!(store.put_off(&row(trains, 30), 40).await.unwrap());
    assert!(!store.put_off(&row(trains, 30), 50).await.unwrap());
    assert!(!store.put_off(&row(NOBODY, 30), 50).await.unwrap());
    assert!(store.put_off(&row(trains, 40), 30).await.unwrap());
    let wrong = store.stand(&row(NOBODY, 1)).await;
    assert!(
        matches!(wrong, Err(StoreError::Missing("topic"))),
        "{wrong:?}"
    );
    store.rest(bees).await.unwrap();
    store.rest(NOBODY).await.unwrap();
    assert_eq!(standing().await, [row(trains, 30)]);
    store.delete_topic(trains).await.unwrap();
    assert!(standing().await.is_empty());
}

async fn looks_tell_what_came_of_requests(store: &Store) {
    let (a, b, c) = ("http://a.test/", "http://b.test/", "http://c.test/");
    let first = crawl(&**store).await;
    let (mut led, place) = fetched(3, b, 0.9);
    led.trail = vec![address(a), address(c)];
    take(
        store,
        first,
        &[fetched(1, a, 0.1), failed(2, c), (led, place)],
    )
    .await;
    let round = Order {
        kind: CrawlKind::Recrawl,
        ..order()
    };
    let round = begin(&**store, "bees", &round).await;
    let (mut same, place) = failed(1, a);
    same.problem = UNCHANGED.to_owned();
    take(
        store,
        round,
        &[(same, place), fetched(2, b, 0.9), failed(3, c)],
    )
    .await;
    let bees = store.topic_named("bees").await.unwrap().id;
    let row = |crawl, page: &str, time, from: Option<&str>| LookRow {
        crawl,
        is_recrawl: crawl == round,
        address: page.to_owned(),
        from: from.map(str::to_owned),
        time,
        came: true,
        is_target: page == b,
    };
    let same = LookRow {
        came: false,
        ..row(round, a, 1, None)
    };
    let looks = [
        row(first, a, 1, None),
        row(first, b, 3, Some(a)),
        same,
        row(round, b, 2, None),
        LookRow {
            came: false,
            ..row(round, c, 3, None)
        },
    ];
    assert_eq!(store.looks(bees).await.unwrap(), looks);
    let skip = |page: &str, is_seed, reason: Denial| Skipped {
        address: address(page),
        reason: reason.into(),
        is_seed,
    };
    let down = Denial::NoAnswer("down".to_owned());
    let skipped = [
        skip(c, true, Denial::Rule),
        skip(a, false, Denial::Rule),
        skip(b, true, down),
    ];
    store.skip(round, &skipped).await.unwrap();
    let elsewhere = [skip(b, true, Denial::Rule)];
    store.skip(first, &elsewhere).await.unwrap();
    assert_eq!(store.denied(bees).await.unwrap(), [c]);
    assert!(store.denied(NOBODY).await.unwrap().is_empty());
    store.hide_crawl(first, true).await.unwrap();
    assert_eq!(store.looks(bees).await.unwrap(), looks[2..]);
    assert!(store.looks(NOBODY).await.unwrap().is_empty());
    assert!(store.crawl(round).await.unwrap().unwrap().is_recrawl());
}
