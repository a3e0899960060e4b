//! Forgetting pages and clicks, and finding what is left of them.

use linkscent_core::crawl::{Denial, Skipped};
use linkscent_core::topic_model::ToForget;
use linkscent_core::web_graph::Mark;

use super::{address, alarm, begin, click, crawl, failed, fetched, form, mark, order, take, texts};
use crate::ports::KeptPage;
use crate::{Command, ModelOf, Order, Store};

promises! {
    pages_are_known_in_every_spelling,
    a_kept_page_ends_where_the_next_one_begins,
    what_has_to_do_with_a_page_goes_and_nothing_else,
    a_host_goes_with_every_page_of_it,
    a_click_goes_and_its_pages_stay,
    an_event_that_was_forgotten_may_come_again,
    a_trace_is_found_wherever_it_is,
    models_are_replaced,
}

const GONE: &str = "http://gone.test/x";
/// Begins like the page that is forgotten.
const LONGER: &str = "http://gone.test/xy";
const OTHER: &str = "http://other.test/";

fn pages(pages: &[&str]) -> ToForget {
    ToForget {
        pages: pages.iter().map(|page| address(page)).collect(),
        ..ToForget::default()
    }
}

async fn pages_are_known_in_every_spelling(store: &Store) {
    let id = crawl(&**store).await;
    let with_secret = format!("{GONE}?sessionid=0123456789abcdef0123");
    let mut moved = failed(2, OTHER);
    moved.1.redirect = Some(with_secret.clone());
    take(store, id, &[fetched(1, LONGER, 0.5), moved]).await;
    let gone = pages(&[GONE]);
    assert!(gone.has_page(&address(&with_secret)), "it is one");
    let spellings = store.spellings(&gone).await.unwrap();
    assert_eq!(spellings, [GONE, &with_secret]);
    let unknown = store.spellings(&pages(&["http://unknown.test/"])).await;
    assert_eq!(unknown.unwrap(), ["http://unknown.test/"]);
    let clicks = ToForget {
        clicks: [(address(GONE), address(OTHER))].into(),
        ..ToForget::default()
    };
    assert!(store.spellings(&clicks).await.unwrap().is_empty());
}

async fn a_kept_page_ends_where_the_next_one_begins(store: &Store) {
    let (first, second) = (crawl(&**store).await, crawl(&**store).await);
    let log = [
        fetched(1, GONE, 0.5),
        fetched(4, OTHER, 0.5),
        failed(5, GONE),
    ];
    store.take_fetches(first, 8_000, &log).await.unwrap();
    let log = [fetched(3, GONE, 0.5)];
    store.take_fetches(second, 3_333, &log).await.unwrap();
    let mut kept = store.kept_pages(&texts(&[GONE, OTHER])).await.unwrap();
    kept.sort();
    let page = |crawl, offset, end| KeptPage { crawl, offset, end };
    let by_hand = [
        page(first, 1_000, 4_000),
        page(first, 4_000, 8_000),
        page(second, 3_000, 3_333),
    ];
    assert_eq!(kept, by_hand);
    assert_eq!(store.kept_pages(&texts(&[LONGER])).await.unwrap(), []);
    assert_eq!(store.kept_pages(&[]).await.unwrap(), []);
}

/// A store in which a page stands wherever a page can; the crawl.
async fn filled(store: &Store) -> i64 {
    let order = Order {
        seeds: [GONE, LONGER, OTHER]
            .map(|page| (page.to_owned(), true))
            .into(),
        ..order()
    };
    let id = begin(&**store, "bees", &order).await;
    let events = [
        mark("1", "bees", GONE),
        mark("2", "bees", LONGER),
        click("3", "birds", GONE, OTHER),
        click("4", "birds", OTHER, LONGER),
        click("5", "birds", OTHER, GONE),
    ];
    store.take_events(&events).await.unwrap();
    let mut page = fetched(1, GONE, 0.9);
    page.0.forms = vec![form("f", 0.9, None)];
    let mut behind = fetched(2, LONGER, 0.9);
    behind.0.trail = [OTHER, GONE, LONGER].map(address).into();
    behind.0.forms = vec![form("g", 0.9, None)];
    behind.0.alarm = Some(alarm());
    let mut moved = failed(3, OTHER);
    moved.1.redirect = Some(GONE.to_owned());
    take(store, id, &[page, behind, moved]).await;
    let link = |page| Skipped {
        address: address(page),
        reason: Denial::Rule.into(),
        is_seed: false,
    };
    let links = [link(GONE), link(LONGER)];
    store.skip(id, &links).await.unwrap();
    for page in [GONE, LONGER] {
        store.add_question(id, page, 1).await.unwrap();
        let command = Command::Mark(address(page), Some(Mark::Target));
        store.leave_command(id, &command).await.unwrap();
    }
    store.leave_command(id, &Command::Stop).await.unwrap();
    let topic = store.topic_named("bees").await.unwrap().id;
    for said in [format!("{GONE} is damaged"), "all is well".to_owned()] {
        let said = store.add_notice(topic, Some(id), &said, 1).await;
        said.unwrap();
    }
    id
}

async fn what_has_to_do_with_a_page_goes_and_nothing_else(store: &Store) {
    let id = filled(store).await;
    let (gone, spelled) = (pages(&[GONE]), texts(&[GONE]));
    assert!(!store.traces(&spelled).await.unwrap().is_empty());
    // Three events, and one each of fetch, question, command, link, notice, seed.
    let rows = store.forget_rows(&gone, &spelled).await.unwrap();
    assert_eq!(rows, 9);
    store.sweep().await.unwrap();
    assert!(store.traces(&spelled).await.unwrap().is_empty());
    assert_eq!(store.forget_rows(&gone, &spelled).await.unwrap(), 0);

    let log = store.fetches(id).await.unwrap();
    let log: Vec<(u64, &str)> = log.iter().map(|row| (row.number, &*row.address)).collect();
    assert_eq!(log, [(2, LONGER), (3, OTHER)]);
    let results = store.last_results(id, 9).await.unwrap();
    assert_eq!(results[0].problem, "redirects to a page that was forgotten");
    assert_eq!(results[1].trail, [OTHER, LONGER]);
    assert_eq!(store.fetches(id).await.unwrap()[1].place.redirect, None);
    assert_eq!(store.counts(id).await.unwrap(), (1, 1, 1, 1));
    assert_eq!(store.forms(id, 9).await.unwrap()[0].name, "g");
    assert_eq!(store.count_forms(id).await.unwrap(), 1);
    assert_eq!(store.alarms(id).await.unwrap().len(), 1);
    assert_eq!(store.skipped(id).await.unwrap()[0].count, 1);
    assert_eq!(store.asked(id).await.unwrap(), [LONGER]);
    let commands = [
        Command::Mark(address(LONGER), Some(Mark::Target)),
        Command::Stop,
    ];
    assert_eq!(store.take_commands(id).await.unwrap(), commands);
    let row = store.crawl(id).await.unwrap().unwrap();
    let seeds = [LONGER, OTHER].map(|page| (page.to_owned(), true));
    assert_eq!(row.order.seeds, seeds);
    let notices = store.notices(row.topic, Some(id)).await.unwrap();
    assert_eq!(notices, ["all is well"]);
    let marks = store.marks(row.topic).await.unwrap();
    assert_eq!(marks.len(), 1);
    let clicks = store.clicks().await.unwrap();
    assert_eq!(clicks, [(address(OTHER), address(LONGER))]);
}

async fn a_host_goes_with_every_page_of_it(store: &Store) {
    let id = filled(store).await;
    let only_visited = "http://gone.test/visited";
    let event = mark("6", "birds", only_visited);
    store.take_events(&[event]).await.unwrap();
    let gone = ToForget {
        hosts: ["gone.test".to_owned()].into(),
        ..ToForget::default()
    };
    let spelled = store.spellings(&gone).await.unwrap();
    assert_eq!(spelled, [only_visited, GONE, LONGER]);
    store.forget_rows(&gone, &spelled).await.unwrap();
    store.sweep().await.unwrap();
    assert_eq!(store.traces(&spelled).await.unwrap(), texts(&[]));
    let log = store.fetches(id).await.unwrap();
    let log: Vec<&str> = log.iter().map(|row| &*row.address).collect();
    assert_eq!(log, [OTHER]);
    assert!(store.clicks().await.unwrap().is_empty());
    assert_eq!(store.forget_rows(&gone, &spelled).await.unwrap(), 0);
}

async fn a_click_goes_and_its_pages_stay(store: &Store) {
    let id = filled(store).await;
    let gone = ToForget {
        clicks: [(address(GONE), address(OTHER))].into(),
        ..ToForget::default()
    };
    assert_eq!(store.forget_rows(&gone, &[]).await.unwrap(), 1);
    assert_eq!(store.clicks().await.unwrap().len(), 2);
    assert_eq!(store.fetches(id).await.unwrap().len(), 3);
    let row = store.crawl(id).await.unwrap().unwrap();
    assert_eq!(store.marks(row.topic).await.unwrap().len(), 2);
    assert_eq!(row.order.seeds.len(), 3);
}

async fn an_event_that_was_forgotten_may_come_again(store: &Store) {
    let event = mark("1", "bees", GONE);
    let events = std::slice::from_ref(&event);
    store.take_events(events).await.unwrap();
    let rows = store.forget_rows(&pages(&[GONE]), &texts(&[GONE])).await;
    assert_eq!(rows.unwrap(), 1);
    assert_eq!(store.take_events(events).await.unwrap(), 1);
}

async fn a_trace_is_found_wherever_it_is(store: &Store) {
    let spelled = texts(&[OTHER, GONE]);
    let topic = store.topic_named("bees").await.unwrap().id;
    let id = crawl(&**store).await;
    let found = || async { !store.traces(&spelled).await.unwrap().is_empty() };
    take(store, id, &[fetched(1, LONGER, 0.5)]).await;
    assert!(!found().await, "it is another page");
    assert!(store.traces(&[]).await.unwrap().is_empty());
    let model = [b"\0\0model ", GONE.as_bytes(), b"\0"].concat();
    store.set_model(topic, &model).await.unwrap();
    assert!(found().await, "in a topic's model");
    store.set_model(topic, b"model").await.unwrap();
    store.sweep().await.unwrap();
    assert!(!found().await);
    let of = ModelOf::Crawl(id);
    store.replace_model(of, &model).await.unwrap();
    assert!(found().await, "in the model a crawl began with");
    store.replace_model(of, b"model").await.unwrap();
    store.sweep().await.unwrap();
    assert!(!found().await);
    take(store, id, &[failed(2, GONE)]).await;
    assert!(found().await, "in a log");
}

async fn models_are_replaced(store: &Store) {
    let topic = store.topic_named("bees").await.unwrap().id;
    store.topic_named("without a model").await.unwrap();
    let id = crawl(&**store).await;
    store.set_model(topic, b"topic's").await.unwrap();
    let mut files = store.model_files().await.unwrap();
    files.sort();
    let both = [
        (ModelOf::Topic(topic), b"topic's".to_vec()),
        (ModelOf::Crawl(id), b"model".to_vec()),
    ];
    assert_eq!(files, both);
    for (of, _) in files {
        store.replace_model(of, b"new").await.unwrap();
    }
    let model = store.model(topic).await.unwrap();
    assert_eq!(model.as_deref(), Some(&b"new"[..]));
    assert_eq!(store.start_model(id).await.unwrap(), b"new");
}
