//! Pages that crawls kept, over all of them.

use super::{NOBODY, begin, crawl, failed, fetched, order, take};
use crate::Store;
use crate::ports::{CopyRow, KeptRow, StandingRow};
use crate::ports::{CrawlKind, Order};

promises! {
    kept_pages_are_listed_from_a_number_on,
    standings_are_of_what_is_in_sight,
    what_was_seen_is_new_no_more,
    what_browsers_kept_was_seen_and_is_no_look,
    a_page_is_found_by_its_number,
    redirects_are_found_by_where_they_lead,
    copies_are_found_by_address_in_all_crawls_of_a_topic,
}

const A: &str = "http://a.test/";
const B: &str = "http://b.test/";
const C: &str = "http://c.test/";

async fn kept_pages_are_listed_from_a_number_on(store: &Store) {
    let (id, other) = (crawl(&**store).await, crawl(&**store).await);
    let (mut lost, place) = fetched(4, C, 0.4);
    lost.judgment = None;
    let batch = [
        fetched(1, A, 0.9),
        failed(2, C),
        fetched(3, B, 0.1),
        (lost, place),
    ];
    take(store, id, &batch).await;
    take(store, other, &[fetched(1, C, 0.2)]).await;
    let row = |number, address: &str| KeptRow {
        number,
        address: address.to_owned(),
        offset: 1000 * number,
    };
    let all = store.kept_after(id, 0, 10).await.unwrap();
    assert_eq!(all, [row(1, A), row(3, B)]);
    assert_eq!(store.kept_after(id, 1, 10).await.unwrap(), [row(3, B)]);
    assert_eq!(store.kept_after(id, 0, 1).await.unwrap(), [row(1, A)]);
    assert!(store.kept_after(id, 3, 10).await.unwrap().is_empty());
    assert!(store.kept_after(id, u64::MAX, 10).await.unwrap().is_empty());
    assert!(store.kept_after(NOBODY, 0, 10).await.unwrap().is_empty());
}

async fn redirects_are_found_by_where_they_lead(store: &Store) {
    let (id, other) = (crawl(&**store).await, crawl(&**store).await);
    let redirect = |number: u64, from: &str, to: &str, is_kept: bool| {
        let (record, mut place) = failed(number, from);
        place.redirect = Some(to.to_owned());
        place.warc_offset = is_kept.then_some(1000 * number);
        (record, place)
    };
    let batch = [
        redirect(1, A, C, true),
        redirect(2, B, C, true),
        redirect(3, "http://b.test/2", C, false),
        redirect(4, "http://b.test/3", B, true),
        fetched(5, C, 0.9),
    ];
    take(store, id, &batch).await;
    take(store, other, &[redirect(1, "http://b.test/4", C, true)]).await;
    let led = async |crawl, address: &str, before| {
        let row = store.redirect_to(crawl, address, before).await.unwrap();
        row.map(|row| (row.number, row.address, row.offset))
    };
    let row = |number: u64, from: &str| Some((number, from.to_owned(), 1000 * number));
    assert_eq!(led(id, C, 5).await, row(2, B));
    assert_eq!(led(id, C, 2).await, row(1, A));
    assert_eq!(led(id, C, 1).await, None);
    assert_eq!(led(id, B, u64::MAX).await, row(4, "http://b.test/3"));
    assert_eq!(led(id, A, 9).await, None);
    assert_eq!(led(NOBODY, C, 9).await, None);
}

async fn standings_are_of_what_is_in_sight(store: &Store) {
    let (first, second) = (crawl(&**store).await, crawl(&**store).await);
    let trains = begin(&**store, "trains", &order()).await;
    take(store, first, &[fetched(2, A, 0.9), failed(3, C)]).await;
    take(store, second, &[fetched(1, B, 0.25)]).await;
    take(store, trains, &[fetched(1, C, 0.5)]).await;
    let row = |crawl, number: u64, relevance| StandingRow {
        crawl,
        number,
        relevance,
        is_target: relevance >= 0.5,
        is_new: true,
        time: number as i64,
    };
    let (a, b, c) = (
        row(first, 2, 0.9),
        row(second, 1, 0.25),
        row(trains, 1, 0.5),
    );
    assert_eq!(store.standings(None).await.unwrap(), [a, b, c]);
    let bees = store.topic_named("bees").await.unwrap();
    assert_eq!(store.standings(Some(bees.id)).await.unwrap(), [a, b]);
    store.hide_crawl(first, true).await.unwrap();
    assert_eq!(store.standings(Some(bees.id)).await.unwrap(), [b]);
    assert!(store.standings(Some(NOBODY)).await.unwrap().is_empty());
}

async fn what_was_seen_is_new_no_more(store: &Store) {
    let id = crawl(&**store).await;
    let trains = begin(&**store, "trains", &order()).await;
    take(store, id, &[fetched(1, A, 0.9), fetched(2, B, 0.1)]).await;
    take(store, trains, &[fetched(1, C, 0.5)]).await;
    let bees = store.topic_named("bees").await.unwrap();
    let new = async || -> Vec<(i64, u64)> {
        let rows = store.standings(None).await.unwrap().into_iter();
        let rows = rows.filter(|row| row.is_new);
        rows.map(|row| (row.crawl, row.number)).collect()
    };
    assert_eq!(new().await, [(id, 1), (id, 2), (trains, 1)]);
    store.look(Some(bees.id)).await.unwrap();
    assert_eq!(new().await, [(trains, 1)]);
    take(store, id, &[fetched(3, C, 0.2)]).await;
    assert_eq!(new().await, [(id, 3), (trains, 1)]);
    store.look(Some(NOBODY)).await.unwrap();
    store.look(None).await.unwrap();
    assert!(new().await.is_empty());
    // What was seen is not new in a later crawl; but what is a target now, and was none, is.
    let later = crawl(&**store).await;
    take(
        store,
        later,
        &[fetched(1, A, 0.8), fetched(2, B, 0.9), fetched(3, C, 0.1)],
    )
    .await;
    assert_eq!(new().await, [(later, 2)]);
    // Nor is it in one behind a crawl that is out of sight.
    store.hide_crawl(id, true).await.unwrap();
    store.look(None).await.unwrap();
    let last = crawl(&**store).await;
    let again = [fetched(1, A, 0.8), fetched(2, "http://d.test/", 0.1)];
    take(store, last, &again).await;
    store.hide_crawl(later, true).await.unwrap();
    assert_eq!(new().await, [(last, 2)]);
}

async fn copies_are_found_by_address_in_all_crawls_of_a_topic(store: &Store) {
    let (first, second) = (crawl(&**store).await, crawl(&**store).await);
    let trains = begin(&**store, "trains", &order()).await;
    take(store, first, &[fetched(1, A, 0.9), fetched(2, B, 0.1)]).await;
    take(store, second, &[fetched(1, B, 0.2), failed(2, A)]).await;
    take(store, trains, &[fetched(1, A, 0.5)]).await;
    let bees = store.topic_named("bees").await.unwrap();
    let row = |crawl, number, address: &str| CopyRow {
        crawl,
        number,
        address: address.to_owned(),
    };
    let wanted = [A.to_owned(), B.to_owned(), C.to_owned()];
    let copies = store.copies(bees.id, &wanted).await.unwrap();
    assert_eq!(
        copies,
        [row(first, 1, A), row(first, 2, B), row(second, 1, B)]
    );
    let copies = store.copies(bees.id, &wanted[..1]).await.unwrap();
    assert_eq!(
        copies,
        [row(first, 1, A)],
        "what came to nothing is no copy"
    );
    assert!(store.copies(bees.id, &[]).await.unwrap().is_empty());
    assert!(store.copies(NOBODY, &wanted).await.unwrap().is_empty());
}

async fn a_page_is_found_by_its_number(store: &Store) {
    let id = crawl(&**store).await;
    take(store, id, &[fetched(2, A, 0.9)]).await;
    let page = store.result_at(id, 2).await.unwrap().unwrap();
    assert_eq!((&*page.address, &*page.title), (A, "title 2"));
    assert_eq!(store.result_at(id, 1).await.unwrap(), None);
    assert_eq!(store.result_at(NOBODY, 2).await.unwrap(), None);
}

async fn what_browsers_kept_was_seen_and_is_no_look(store: &Store) {
    let reading = Order {
        kind: CrawlKind::Reading,
        ..order()
    };
    let read = begin(&**store, "bees", &reading).await;
    let crawl = begin(&**store, "bees", &order()).await;
    assert!(store.crawl(read).await.unwrap().unwrap().is_reading());
    assert_eq!(store.last_number(read).await.unwrap(), 0);
    let others = store.web_crawls(None).await.unwrap();
    assert_eq!(others.iter().map(|row| row.id).collect::<Vec<_>>(), [crawl]);
    take(store, read, &[fetched(1, A, 0.9), fetched(2, B, 0.9)]).await;
    take(store, crawl, &[fetched(1, B, 0.9), fetched(2, C, 0.9)]).await;
    assert_eq!(store.last_number(read).await.unwrap(), 2);
    let standings = store.standings(None).await.unwrap();
    let new = standings.iter().filter(|row| row.is_new);
    let new: Vec<(i64, u64)> = new.map(|row| (row.crawl, row.number)).collect();
    assert_eq!(new, [(crawl, 2)], "what the person has read is no news");
    let topic = store.crawl(read).await.unwrap().unwrap().topic;
    let looks = store.looks(topic).await.unwrap();
    let looks: Vec<&str> = looks.iter().map(|look| &*look.address).collect();
    assert_eq!(looks, [B, C]);
}
