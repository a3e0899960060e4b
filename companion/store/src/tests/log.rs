//! The log of a crawl: what is written, and how it is read.

use linkscent_core::address::Address;
use linkscent_core::crawl::{Arm, Denial, Skipped, UNRENDERED, Unfound};
use linkscent_core::web_graph::{Judgment, Relevance};

use super::{NOBODY, address, alarm, crawl, failed, fetched, form, numbers, take, texts};
use crate::ports::{MOST_ALARMS, MOST_REASONS, MOST_SKIPPED};
use crate::{
    AlarmRow, FetchRow, FormRow, Location, LostPage, Outcome, ResultRow, SkippedRow, Store,
    StoreError,
};

promises! {
    a_resume_reads_what_was_acknowledged,
    a_batch_is_taken_whole_or_not_at_all,
    a_batch_for_no_crawl_is_refused,
    an_empty_batch_moves_the_archive_alone,
    logs_stay_apart,
    results_are_listed_in_their_orders,
    the_class_of_a_page_is_kept,
    pages_are_found_by_their_class_and_those_above,
    only_scored_targets_are_finds,
    lines_that_change_are_told,
    counts_follow_the_log,
    what_waits_is_what_was_counted_last,
    a_lost_page_stays_as_a_request,
    pages_are_judged_again,
    a_page_lies_where_it_was_kept_first,
    forms_are_listed_by_what_they_promise,
    alarms_are_listed_newest_first,
    links_not_asked_for_are_told_by_reason,
    few_reasons_are_told,
    so_many_links_not_asked_for_are_kept,
    pages_wait_for_a_browser_until_one_read_them,
}

const A: &str = "http://a.test/";
const B: &str = "http://b.test/";
const C: &str = "http://c.test/";
const UNFOUND: Option<Unfound> = Some(Unfound {
    waiting: 7.5,
    coverage: Some(0.75),
});
/// Lines of a log that are asked for.
const MOST: i64 = 100;

/// For every scored page, by number, whether it is relevant.
async fn harvest(store: &Store, crawl: i64) -> Vec<bool> {
    let lines = store.outcomes(crawl, 0, MOST).await.unwrap();
    let scored = lines.iter().filter(|line| line.is_scored);
    scored.map(|line| line.is_find).collect()
}

async fn lines_that_change_are_told(store: &Store) {
    let (id, other) = (crawl(&**store).await, crawl(&**store).await);
    let log = [fetched(1, A, 0.9), fetched(2, B, 0.9), fetched(3, C, 0.9)];
    take(store, id, &log[..2]).await;
    take(store, other, &log).await;
    let mut before = store.log_changes(id).await.unwrap();
    let told = store.log_rewrites(id).await.unwrap();
    take(store, id, &log[2..]).await;
    let behind_first = store.fetches_after(id, 1).await.unwrap();
    assert_eq!(behind_first, store.fetches(id).await.unwrap()[1..]);
    assert!(store.fetches_after(id, 3).await.unwrap().is_empty());
    let judged = [(address(A), log[2].0.judgment.unwrap())];
    store.judge_again(other, &judged).await.unwrap();
    assert_eq!(store.log_changes(id).await.unwrap(), before);
    before = store.log_changes(id).await.unwrap();
    store.judge_again(id, &judged).await.unwrap();
    let judged = store.log_changes(id).await.unwrap();
    assert_ne!(judged, before);
    assert_eq!(store.log_rewrites(id).await.unwrap(), told);
    let lost = LostPage {
        number: 2,
        problem: "damaged".to_owned(),
    };
    store.lose_pages(id, &[lost], 10).await.unwrap();
    assert_ne!(store.log_changes(id).await.unwrap(), judged);
    assert_ne!(store.log_rewrites(id).await.unwrap(), told);
}

async fn pages_wait_for_a_browser_until_one_read_them(store: &Store) {
    let (id, other) = (crawl(&**store).await, crawl(&**store).await);
    let waiting = |number, page| {
        let (mut record, place) = failed(number, page);
        record.problem = format!("{UNRENDERED}it shows nothing without scripts");
        (record, place)
    };
    let gone = failed(3, C);
    take(store, id, &[waiting(1, B), waiting(2, A), gone]).await;
    take(store, other, &[waiting(1, C)]).await;
    assert_eq!(store.unrendered(id).await.unwrap(), [B, A]);
    take(store, id, &[fetched(4, B, 0.9)]).await;
    assert_eq!(store.unrendered(id).await.unwrap(), [A]);
    assert_eq!(store.unrendered(other).await.unwrap(), [C]);
    assert!(store.unrendered(NOBODY).await.unwrap().is_empty());
}

async fn a_resume_reads_what_was_acknowledged(store: &Store) {
    let id = crawl(&**store).await;
    let (mut moved, mut place) = failed(7, B);
    moved.problem.clear();
    moved.arm = Arm::Explore;
    place.redirect = Some("http://b.test/“there”".to_owned());
    // Numbers may be missing, and come in any order.
    let mut counted = fetched(5, C, 0.1);
    counted.0.unfound = UNFOUND;
    let batch = [counted, (moved, place)];
    store.take_fetches(id, 6_000, &batch).await.unwrap();
    let batch = [failed(2, A)];
    store.take_fetches(id, 6_000, &batch).await.unwrap();
    let row = |number, address: &str, problem: &str, place| FetchRow {
        unfound: UNFOUND.filter(|_| number == 5),
        number,
        address: address.to_owned(),
        problem: problem.to_owned(),
        arm: Some(if number == 7 {
            Arm::Explore
        } else {
            Arm::Primary
        }),
        place,
    };
    let kept = Location {
        warc_offset: Some(5_000),
        redirect: None,
        time: 5,
    };
    let there = Location {
        warc_offset: None,
        redirect: Some("http://b.test/“there”".to_owned()),
        time: 7,
    };
    let lost = Location {
        time: 2,
        ..Location::default()
    };
    let log = [
        row(2, A, "gone", lost),
        row(5, C, "", kept),
        row(7, B, "", there),
    ];
    assert_eq!(store.fetches(id).await.unwrap(), log);
    let length = store.crawl(id).await.unwrap().unwrap().warc_length;
    assert_eq!(length, 6_000);
    assert_eq!(store.start_model(id).await.unwrap(), b"model");
}

async fn a_batch_is_taken_whole_or_not_at_all(store: &Store) {
    let id = crawl(&**store).await;
    take(store, id, &[fetched(1, A, 0.9)]).await;
    let all = || async {
        (
            store.fetches(id).await.unwrap(),
            store.counts(id).await.unwrap(),
            store.crawl(id).await.unwrap(),
            store.alarms(id).await.unwrap(),
            store.forms(id, 9).await.unwrap(),
        )
    };
    let before = all().await;
    let mut second = fetched(2, B, 0.9);
    second.0.alarm = Some(alarm());
    second.0.forms = vec![form("f", 0.9, None)];
    for wrong in [1, 2] {
        // Known from before, known from the same batch.
        let batch = [second.clone(), fetched(wrong, C, 0.9)];
        let refused = store.take_fetches(id, 9_000, &batch).await;
        assert!(matches!(refused, Err(StoreError::Conflict)), "{refused:?}");
        assert_eq!(all().await, before);
    }
    let batch = [second, fetched(3, C, 0.9)];
    store.take_fetches(id, 9_000, &batch).await.unwrap();
    assert_eq!(numbers(store, id).await, [1, 2, 3]);
    assert_eq!(store.alarms(id).await.unwrap().len(), 1);
    assert_eq!(store.forms(id, 9).await.unwrap().len(), 1);
}

async fn a_batch_for_no_crawl_is_refused(store: &Store) {
    let refused = store.take_fetches(NOBODY, 1, &[failed(1, A)]).await;
    assert!(
        matches!(refused, Err(StoreError::Missing(_))),
        "{refused:?}"
    );
    let link = Skipped {
        address: address(A),
        reason: Denial::Rule.into(),
        is_seed: false,
    };
    let refused = store.skip(NOBODY, &[link]).await;
    assert!(
        matches!(refused, Err(StoreError::Missing(_))),
        "{refused:?}"
    );
}

async fn an_empty_batch_moves_the_archive_alone(store: &Store) {
    let id = crawl(&**store).await;
    take(store, id, &[fetched(1, A, 0.9)]).await;
    store.take_fetches(id, 1 << 40, &[]).await.unwrap();
    let row = store.crawl(id).await.unwrap().unwrap();
    assert_eq!(row.warc_length, 1 << 40);
    assert_eq!(numbers(store, id).await, [1]);
}

async fn logs_stay_apart(store: &Store) {
    let (one, other) = (crawl(&**store).await, crawl(&**store).await);
    take(store, one, &[fetched(1, A, 0.9), fetched(2, B, 0.9)]).await;
    take(store, other, &[failed(1, A)]).await;
    assert_eq!(store.counts(one).await.unwrap(), (2, 2, 2, 0));
    assert_eq!(store.counts(other).await.unwrap(), (0, 0, 0, 1));
    assert_eq!(numbers(store, other).await, [1]);
    assert_eq!(store.kept_page(other, A).await.unwrap(), None);
    let length = store.crawl(one).await.unwrap().unwrap().warc_length;
    assert_eq!(length, 3_000);
}

async fn results_are_listed_in_their_orders(store: &Store) {
    let id = crawl(&**store).await;
    let relevances = [0.6, 0.9, 0.2, 0.6, 1.0, 0.6];
    let page = |number: u64| format!("http://a.test/{number}");
    let mut log: Vec<_> = (1..)
        .zip(relevances)
        .map(|(number, relevance)| fetched(number, &page(number), relevance))
        .collect();
    log[4].0.trail = vec![address(B), address(A)];
    log.push(failed(7, &page(7)));
    take(store, id, &log).await;
    let addresses = |rows: Vec<ResultRow>| -> Vec<String> {
        let last = |row: ResultRow| row.address.replace("http://a.test/", "");
        rows.into_iter().map(last).collect()
    };
    let last = |most| async move { addresses(store.last_results(id, most).await.unwrap()) };
    assert_eq!(last(3).await, ["7", "6", "5"]);
    assert_eq!(last(99).await.len(), 7);
    let best =
        |most, skip| async move { addresses(store.best_results(id, most, skip).await.unwrap()) };
    assert_eq!(best(99, 0).await, ["5", "2", "1", "4", "6"]);
    assert_eq!(best(2, 0).await, ["5", "2"]);
    assert_eq!(best(2, 2).await, ["1", "4"]);
    assert_eq!(best(2, 4).await, ["6"]);
    assert!(best(2, 5).await.is_empty());
    assert_eq!(best(1, -1).await, ["5"]);
    for none in [0, -1] {
        assert!(last(none).await.is_empty());
        assert!(best(none, 0).await.is_empty());
    }
    let best = ResultRow {
        address: page(5),
        title: "title 5".to_owned(),
        snippet: "snippet 5".to_owned(),
        relevance: Some(1.0),
        is_target: true,
        reason: "reason 5".to_owned(),
        anchor: "anchor 5".to_owned(),
        trail: texts(&[B, A]),
        class: String::new(),
        problem: String::new(),
        time: 5,
    };
    assert_eq!(store.best_results(id, 1, 0).await.unwrap(), [best]);
    let last = store.last_results(id, 1).await.unwrap().remove(0);
    assert_eq!((last.relevance, last.is_target), (None, false));
    assert_eq!(last.problem, "gone");
}

async fn the_class_of_a_page_is_kept(store: &Store) {
    let id = crawl(&**store).await;
    let mut classed = fetched(1, A, 1.0);
    classed.0.class = "Science/Bees".to_owned();
    take(store, id, &[classed, fetched(2, B, 0.9)]).await;
    let found = store.best_results(id, 9, 0).await.unwrap();
    let classes: Vec<&str> = found.iter().map(|row| &*row.class).collect();
    assert_eq!(classes, ["Science/Bees", ""]);
}

async fn pages_are_found_by_their_class_and_those_above(store: &Store) {
    let id = crawl(&**store).await;
    let classes = [
        "Top/Bees",
        "Top/Bees/Wild",
        "Top/Beeswax",
        "",
        "Top/Bees",
        "Top%",
    ];
    let mut log: Vec<_> = (1..)
        .zip(classes)
        .map(|(number, class)| {
            let mut page = fetched(number, &format!("http://a.test/{number}"), 0.5);
            page.0.class = class.to_owned();
            page
        })
        .collect();
    log.push(failed(7, B));
    take(store, id, &log).await;
    let of = |node, most, skip| async move {
        let rows = store.pages_of_class(id, node, most, skip).await.unwrap();
        let number = |row: ResultRow| row.address.replace("http://a.test/", "");
        rows.into_iter().map(number).collect::<String>()
    };
    // What brought no page has no class.
    assert_eq!(of(None, 99, 0).await, "654321");
    assert_eq!(of(None, 2, 3).await, "32");
    assert_eq!(of(Some("Top/Bees"), 99, 0).await, "521");
    assert_eq!(of(Some("Top/Bees"), 1, 1).await, "2");
    assert_eq!(of(Some("Top"), 99, 0).await, "5321");
    assert_eq!(of(Some("Top%"), 99, 0).await, "6");
    for none in ["Top/Bee", "top/bees", "Top/Bees/"] {
        assert_eq!(of(Some(none), 99, 0).await, "", "{none}");
    }
    assert_eq!(of(None, -1, -1).await, "");
    assert!(
        store
            .pages_of_class(NOBODY, None, 9, 0)
            .await
            .unwrap()
            .is_empty()
    );
}

async fn only_scored_targets_are_finds(store: &Store) {
    let id = crawl(&**store).await;
    let mut marked_before = fetched(1, A, 1.0);
    marked_before.0.scored = false;
    let log = [marked_before, fetched(2, B, 0.4), fetched(3, C, 0.5)];
    take(store, id, &log).await;
    let finds = store.best_results(id, 9, 0).await.unwrap();
    assert_eq!(finds.len(), 1);
    assert_eq!(finds[0].address, C);
    assert_eq!(harvest(store, id).await, [false, true]);
    assert_eq!(store.counts(id).await.unwrap(), (3, 2, 1, 0));
    let outcome = |number: i64, page: &str, is_find: bool| Outcome {
        number: number as u64,
        address: page.to_owned(),
        time: number,
        is_page: true,
        is_scored: number > 1,
        is_find,
        problem: String::new(),
        unfound: None,
        warc_offset: log[number as usize - 1].1.warc_offset,
        is_redirect: false,
    };
    let pages = [
        outcome(1, A, false),
        outcome(2, B, false),
        outcome(3, C, true),
    ];
    assert_eq!(store.outcomes(id, 0, MOST).await.unwrap(), pages);
    assert_eq!(store.outcomes(id, 1, 1).await.unwrap(), pages[1..2]);
    assert_eq!(store.outcomes(id, 3, MOST).await.unwrap(), []);
    take(store, id, &[failed(4, A)]).await;
    let last = store.outcomes(id, 0, MOST).await.unwrap().pop().unwrap();
    assert_eq!((last.is_page, last.is_find), (false, false));
    assert_eq!((last.time, &*last.problem), (4, "gone"));
}

async fn what_waits_is_what_was_counted_last(store: &Store) {
    let id = crawl(&**store).await;
    assert_eq!(store.unfound(id).await.unwrap(), None);
    let mut counted = [fetched(1, A, 0.9), fetched(2, B, 0.1), fetched(3, C, 0.1)];
    let counts = |waiting, coverage| Some(Unfound { waiting, coverage });
    counted[0].0.unfound = counts(7.5, None);
    counted[1].0.unfound = counts(4.25, Some(0.75));
    take(store, id, &counted).await;
    assert_eq!(store.unfound(id).await.unwrap(), counts(4.25, Some(0.75)));
    let outcomes = store.outcomes(id, 0, MOST).await.unwrap();
    let counted: Vec<_> = outcomes.iter().map(|outcome| outcome.unfound).collect();
    assert_eq!(counted, [counts(7.5, None), counts(4.25, Some(0.75)), None]);
    assert_eq!(store.unfound(NOBODY).await.unwrap(), None);
}

async fn counts_follow_the_log(store: &Store) {
    let id = crawl(&**store).await;
    let log = [
        fetched(1, A, 0.9),
        failed(2, B),
        fetched(3, C, 0.1),
        fetched(4, B, 0.9),
    ];
    take(store, id, &log).await;
    assert_eq!(store.counts(id).await.unwrap(), (3, 3, 2, 1));
    assert_eq!(harvest(store, id).await, [true, false, true]);
    lose(store, id, &[1]).await;
    assert_eq!(store.counts(id).await.unwrap(), (2, 2, 1, 2));
    assert_eq!(harvest(store, id).await, [false, true]);
    take(store, id, &[fetched(5, A, 0.9)]).await;
    assert_eq!(store.counts(id).await.unwrap(), (3, 3, 2, 2));
}

async fn pages_are_judged_again(store: &Store) {
    let id = crawl(&**store).await;
    take(store, id, &[fetched(1, A, 0.9), fetched(2, B, 0.1)]).await;
    lose(store, id, &[1]).await;
    let now = |page: &str, relevance| {
        let judgment = Judgment {
            relevance: Relevance::new(relevance),
            is_target: relevance >= 0.5,
            ..Judgment::default()
        };
        (Address::parse(page).unwrap(), judgment)
    };
    let judged = [now(A, 0.8), now(B, 0.7), now("http://elsewhere.org/", 0.9)];
    store.judge_again(id, &judged).await.unwrap();
    let log = store.fetches(id).await.unwrap();
    assert_eq!(log.len(), 2);
    assert_eq!(store.counts(id).await.unwrap().2, 1, "one is relevant now");
    let results = store.best_results(id, 10, 0).await.unwrap();
    assert_eq!(results.len(), 1);
    assert_eq!(results[0].relevance, Some(0.7));
    store.judge_again(id + 1, &judged).await.unwrap();
}

async fn lose(store: &Store, id: i64, numbers: &[u64]) {
    let lost = |&number: &u64| LostPage {
        number,
        problem: format!("lost {number}"),
    };
    let lost: Vec<LostPage> = numbers.iter().map(lost).collect();
    store.lose_pages(id, &lost, 9_999).await.unwrap();
}

async fn a_lost_page_stays_as_a_request(store: &Store) {
    let id = crawl(&**store).await;
    let mut first = fetched(1, A, 0.9);
    first.0.forms = vec![form("f", 0.9, None)];
    let mut second = fetched(2, B, 0.9);
    second.0.forms = vec![form("g", 0.9, None)];
    take(store, id, &[first, second]).await;
    lose(store, id, &[1, 99]).await;
    let log = store.fetches(id).await.unwrap();
    assert_eq!(log.len(), 2);
    let (row, whole) = (&log[0], &log[1]);
    assert_eq!((&*row.address, &*row.problem), (A, "lost 1"));
    let nowhere = Location {
        time: 1,
        ..Location::default()
    };
    assert_eq!(row.place, nowhere);
    assert_eq!(whole.place.warc_offset, Some(2_000));
    let row = store.last_results(id, 9).await.unwrap().remove(1);
    assert_eq!((row.relevance, row.is_target), (None, false));
    assert_eq!(row.title, "title 1");
    assert_eq!(store.kept_page(id, A).await.unwrap(), None);
    let forms = store.forms(id, 9).await.unwrap();
    assert_eq!(forms.len(), 1);
    assert_eq!(forms[0].name, "g");
    let length = store.crawl(id).await.unwrap().unwrap().warc_length;
    assert_eq!(length, 9_999);
    // What lay behind the end is nowhere any more.
    store.lose_pages(id, &[], 2_000).await.unwrap();
    let log = store.fetches(id).await.unwrap();
    assert_eq!(log[1].place.warc_offset, None);
}

async fn a_page_lies_where_it_was_kept_first(store: &Store) {
    let id = crawl(&**store).await;
    let log = [
        failed(1, A),
        fetched(2, A, 0.1),
        fetched(3, A, 0.1),
        failed(4, B),
    ];
    take(store, id, &log).await;
    let kept = |page| async move { store.kept_page(id, page).await.unwrap() };
    assert_eq!(kept(A).await, Some((2_000, "title 2".to_owned())));
    assert_eq!(kept(B).await, None);
    assert_eq!(kept("http://a.test/x").await, None);
    lose(store, id, &[2]).await;
    assert_eq!(kept(A).await, Some((3_000, "title 3".to_owned())));
}

async fn forms_are_listed_by_what_they_promise(store: &Store) {
    let id = crawl(&**store).await;
    let mut first = fetched(1, A, 0.9);
    first.0.trail = vec![address(B)];
    first.0.forms = vec![
        form("b", 0.5, None),
        form("a", 0.5, None),
        form("unwanted", 1.0, Some(0.25)),
        // Of one name the first is kept.
        form("a", 1.0, None),
    ];
    let mut second = fetched(2, C, 0.9);
    second.0.forms = vec![form("a", 0.5, None), form("best", 0.75, None)];
    take(store, id, &[first, second]).await;
    let forms = store.forms(id, 99).await.unwrap();
    let order: Vec<(&str, &str)> = forms.iter().map(|f| (&*f.address, &*f.name)).collect();
    let by_hand = [(C, "best"), (A, "a"), (A, "b"), (C, "a"), (A, "unwanted")];
    assert_eq!(order, by_hand);
    let row = FormRow {
        address: A.to_owned(),
        title: "title 1".to_owned(),
        trail: texts(&[B]),
        name: "a".to_owned(),
        action: "/a".to_owned(),
        fields: texts(&["query", "year"]),
        confidence: 0.5,
        wanted: true,
    };
    assert_eq!(forms[1], row);
    assert!((forms[4].confidence, forms[4].wanted) == (0.25, false));
    assert_eq!(store.forms(id, 2).await.unwrap(), forms[..2]);
    assert!(store.forms(id, 0).await.unwrap().is_empty());
    assert!(store.forms(id, -1).await.unwrap().is_empty());
    assert_eq!(store.count_forms(id).await.unwrap(), 4);
}

async fn alarms_are_listed_newest_first(store: &Store) {
    let id = crawl(&**store).await;
    let most = MOST_ALARMS as u64;
    let row = |number: u64| {
        let mut row = failed(number, A);
        row.0.alarm = Some(alarm());
        row
    };
    let log: Vec<_> = (1..=most + 2).map(row).collect();
    take(store, id, &log).await;
    let alarms = store.alarms(id).await.unwrap();
    let newest = (3..=most + 2).rev().map(|number| AlarmRow {
        number: number as i64,
        said: alarm().to_string(),
    });
    assert_eq!(alarms, newest.collect::<Vec<_>>());
}

fn link(page: &str, reason: Denial, is_seed: bool) -> Skipped {
    Skipped {
        address: address(page),
        reason: reason.into(),
        is_seed,
    }
}

async fn links_not_asked_for_are_told_by_reason(store: &Store) {
    let id = crawl(&**store).await;
    let no_answer = |said: &str| Denial::NoAnswer(said.to_owned());
    let links = [
        link(B, Denial::TooLarge, false),
        link(A, Denial::Rule, true),
        link(C, Denial::Rule, false),
        link("http://d.test/", no_answer("x"), true),
        // Known already, whatever the reason.
        link(A, Denial::TooLarge, false),
    ];
    store.skip(id, &links).await.unwrap();
    store.skip(id, &links).await.unwrap();
    store.skip(id, &[]).await.unwrap();
    let row = |reason: Denial, count, seeds, example: &str| SkippedRow {
        reason: reason.to_string(),
        count,
        seeds,
        example: example.to_owned(),
    };
    let mut equals = [
        row(Denial::TooLarge, 1, 0, B),
        row(no_answer("x"), 1, 1, "http://d.test/"),
    ];
    equals.sort_by(|a, b| a.reason.cmp(&b.reason));
    let [second, third] = equals;
    let rows = [row(Denial::Rule, 2, 1, C), second, third];
    assert_eq!(store.skipped(id).await.unwrap(), rows);
}

async fn few_reasons_are_told(store: &Store) {
    let id = crawl(&**store).await;
    let link = |number: usize| {
        let reason = Denial::NoAnswer(format!("{number:03}"));
        link(&format!("http://a.test/{number}"), reason, false)
    };
    let links: Vec<_> = (0..MOST_REASONS + 3).rev().map(link).collect();
    store.skip(id, &links).await.unwrap();
    let rows = store.skipped(id).await.unwrap();
    let first = Denial::NoAnswer("000".to_owned()).to_string();
    assert_eq!(rows.len(), MOST_REASONS);
    assert_eq!(rows[0].reason, first);
}

async fn so_many_links_not_asked_for_are_kept(store: &Store) {
    let (id, other) = (crawl(&**store).await, crawl(&**store).await);
    let link = |number: u64| link(&format!("http://a.test/{number}"), Denial::Rule, false);
    let count = |id| async move { store.skipped(id).await.unwrap()[0].count };
    let links: Vec<_> = (0..MOST_SKIPPED - 1).map(link).collect();
    store.skip(id, &links).await.unwrap();
    let links: Vec<_> = (0..=MOST_SKIPPED).rev().take(5).map(link).collect();
    store.skip(id, &links).await.unwrap();
    assert_eq!(count(id).await, MOST_SKIPPED);
    store.skip(other, &links).await.unwrap();
    assert_eq!(count(other).await, 5);
}
