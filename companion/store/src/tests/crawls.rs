//! Crawls, their states, and what they are told.

use linkscent_core::address::Address;
use linkscent_core::crawl::{CrawlSpec, Reaction, Scope, StopReason, StoppingRule};
use linkscent_core::web_graph::Mark;

use super::{NOBODY, address, begin, crawl, order};
use crate::{
    Command, CrawlKind, CrawlRow, CrawlState, LostPage, ModelOf, NewCrawl, Order, Store, StoreError,
};

promises! {
    a_crawl_begins_running_and_as_it_was_ordered,
    a_crawl_needs_a_topic,
    crawls_are_listed_newest_first,
    the_last_state_is_in_force,
    a_crawl_that_is_not_there_reads_as_nothing,
    commands_are_taken_once_and_in_order,
    of_many_who_take_commands_each_gets_others,
}

#[expect(clippy::too_many_lines, reason = "it is a list of cases")]
async fn a_crawl_begins_running_and_as_it_was_ordered(store: &Store) {
    let first = Order {
        seeds: vec![
            ("http://b.test/".to_owned(), true),
            ("http://a.test/“x”".to_owned(), false),
        ],
        spec: CrawlSpec {
            budget: 1_000_000,
            delay: Some(1_500),
            random_seed: u64::MAX,
            scope: Scope {
                hosts: vec!["b.test".to_owned(), "a.test".to_owned()],
                left_out: vec!["c.a.test".to_owned()],
                depth: Some(u32::MAX),
                documents: false,
            },
            stopping: StoppingRule {
                pages: Some(u32::MAX),
                targets: None,
            },
            until_recall: Some(0.9),
            most_bytes: Some(u64::MAX),
            on_drift: Reaction::Restrict,
        },
        kind: CrawlKind::Usual,
    };
    let second = Order {
        spec: CrawlSpec {
            stopping: StoppingRule {
                pages: None,
                targets: Some(0),
            },
            on_drift: Reaction::Pause,
            ..order().spec
        },
        ..order()
    };
    for order in [first, second] {
        let id = begin(&**store, "bees", &order).await;
        let share = order.spec.until_recall;
        let row = CrawlRow {
            left_since: Vec::new(),
            reactions: Vec::new(),
            id,
            topic: store.topic_named("bees").await.unwrap().id,
            state: CrawlState::Running,
            stop_reason: String::new(),
            is_removed: false,
            order,
            warc_length: 0,
        };
        assert_eq!(store.crawl(id).await.unwrap(), Some(row));
        assert_eq!(store.start_model(id).await.unwrap(), b"model");
        assert_eq!(store.counts(id).await.unwrap(), (0, 0, 0, 0));
        assert_eq!(store.fetches(id).await.unwrap(), []);
        store.set_budget(id, 7).await.unwrap();
        let changed = store.crawl(id).await.unwrap().unwrap();
        let until = changed.order.spec.until_recall;
        assert_eq!((changed.order.spec.budget, until), (7, share));
        // One that ended with its share goes on without it.
        let ended = StopReason::Recall.code();
        store.set_state(id, CrawlState::Done, ended).await.unwrap();
        store.set_budget(id, 7).await.unwrap();
        let changed = store.crawl(id).await.unwrap().unwrap();
        assert_eq!(changed.order.spec.until_recall, None);
        store.set_delay(id, 250).await.unwrap();
        let changed = store.crawl(id).await.unwrap().unwrap();
        assert_eq!(changed.order.spec.delay(), 250);
        assert_eq!(changed.reaction_at(1), changed.order.spec.on_drift);
        let ordered = changed.order.spec.on_drift;
        store.set_reaction(id, Reaction::Pause).await.unwrap();
        let changed = store.crawl(id).await.unwrap().unwrap();
        assert_eq!(changed.order.spec.on_drift, Reaction::Pause);
        assert_eq!(changed.reactions, [(1, ordered)], "nothing is done yet");
        store.note_reaction(id, 40, Reaction::Pause).await.unwrap();
        store.set_reaction(id, Reaction::Restrict).await.unwrap();
        store
            .note_reaction(id, 70, Reaction::Restrict)
            .await
            .unwrap();
        store
            .note_reaction(NOBODY, 7, Reaction::Tell)
            .await
            .unwrap();
        let changed = store.crawl(id).await.unwrap().unwrap();
        let at = [1, 39, 40, 69, 70, 900].map(|number| changed.reaction_at(number));
        let [then, since] = [Reaction::Pause, Reaction::Restrict];
        assert_eq!(at, [ordered, ordered, then, then, since, since]);
        assert_eq!(changed.first_reaction(), ordered);
        let more = [
            "http://new.test/%22",
            "http://new.test/2",
            "http://new.test/2",
        ];
        let more = more.map(|page| Address::parse(page).unwrap());
        assert_eq!(store.add_seeds(id, &more).await.unwrap(), 2);
        assert_eq!(store.add_seeds(id, &more).await.unwrap(), 0);
        assert_eq!(store.add_seeds(NOBODY, &more).await.unwrap(), 0);
        for (host, is_left_out) in [("d.test", true), ("e.test", true), ("d.test", true)] {
            store.leave_out(id, host, is_left_out).await.unwrap();
            store.leave_out(NOBODY, host, is_left_out).await.unwrap();
        }
        let left_since = async || store.crawl(id).await.unwrap().unwrap().left_since;
        assert_eq!(left_since().await, ["e.test", "d.test"]);
        for host in ["e.test", "f.test", "d.test"] {
            store.leave_out(id, host, false).await.unwrap();
        }
        assert!(left_since().await.is_empty());
        let changed = store.crawl(id).await.unwrap().unwrap();
        let added = &changed.order.seeds[changed.order.seeds.len() - 2..];
        assert_eq!(added[0], (more[0].to_string(), false));
        assert_eq!(added[1], (more[1].to_string(), false));
        assert!(store.take_commands(id).await.unwrap().is_empty());
    }
}

async fn a_crawl_needs_a_topic(store: &Store) {
    let new = NewCrawl {
        topic: NOBODY,
        order: &order(),
        start_model: b"",
    };
    let refused = store.begin_crawl(&new).await;
    assert!(
        matches!(refused, Err(StoreError::Missing(_))),
        "{refused:?}"
    );
    assert_eq!(store.crawls(None).await.unwrap(), []);
}

async fn crawls_are_listed_newest_first(store: &Store) {
    let mut begun = Vec::new();
    for topic in ["bees", "birds", "bees"] {
        begun.push(begin(&**store, topic, &order()).await);
    }
    assert!(begun.is_sorted_by(|older, newer| older < newer));
    let bees = store.topic_named("bees").await.unwrap().id;
    let listed = |topic| async move {
        let rows = store.crawls(topic).await.unwrap();
        rows.into_iter().map(|row| row.id).collect::<Vec<_>>()
    };
    assert_eq!(listed(None).await, [begun[2], begun[1], begun[0]]);
    assert_eq!(listed(Some(bees)).await, [begun[2], begun[0]]);
    assert!(listed(Some(NOBODY)).await.is_empty());
}

async fn the_last_state_is_in_force(store: &Store) {
    let (id, other) = (crawl(&**store).await, crawl(&**store).await);
    let states = [
        (CrawlState::Paused, "drift"),
        (CrawlState::Running, ""),
        (CrawlState::Done, "budget"),
        (CrawlState::Stopped, "told_to"),
        (CrawlState::Running, ""),
    ];
    for (state, reason) in states {
        store.set_state(id, state, reason).await.unwrap();
        let row = store.crawl(id).await.unwrap().unwrap();
        assert_eq!((row.state, &*row.stop_reason), (state, reason));
        assert_eq!(store.crawls(None).await.unwrap()[1], row);
    }
    store.set_state(id, CrawlState::Done, "x").await.unwrap();
    let other = store.crawl(other).await.unwrap().unwrap();
    assert!(other.state.is_running());
}

async fn a_crawl_that_is_not_there_reads_as_nothing(store: &Store) {
    crawl(&**store).await;
    let is_missing = |error| matches!(error, StoreError::Missing(_));
    for id in [NOBODY, 0, -1] {
        assert_eq!(store.crawl(id).await.unwrap(), None);
        assert_eq!(store.fetches(id).await.unwrap(), []);
        assert_eq!(store.last_results(id, 9).await.unwrap(), []);
        assert_eq!(store.best_results(id, 9, 0).await.unwrap(), []);
        assert_eq!(store.outcomes(id, 0, 9).await.unwrap(), []);
        assert_eq!(store.kept_page(id, "http://a.test/").await.unwrap(), None);
        assert_eq!(store.forms(id, 9).await.unwrap(), []);
        assert_eq!(store.count_forms(id).await.unwrap(), 0);
        assert_eq!(store.skipped(id).await.unwrap(), []);
        assert_eq!(store.alarms(id).await.unwrap(), []);
        assert_eq!(store.questions(id).await.unwrap(), []);
        assert!(store.asked(id).await.unwrap().is_empty());
        assert!(store.take_commands(id).await.unwrap().is_empty());
        assert!(is_missing(store.start_model(id).await.unwrap_err()));
        assert!(is_missing(store.counts(id).await.unwrap_err()));
        let told = store.leave_command(id, &Command::Stop).await;
        assert!(is_missing(told.unwrap_err()));
        let asked = store.add_question(id, "http://a.test/", 1).await;
        assert!(is_missing(asked.unwrap_err()));
        store.set_state(id, CrawlState::Done, "").await.unwrap();
        store.answer(id, "http://a.test/", "yes").await.unwrap();
        let of = ModelOf::Crawl(id);
        store.replace_model(of, b"").await.unwrap();
        let lost = LostPage {
            number: 1,
            problem: String::new(),
        };
        store.lose_pages(id, &[lost], 5).await.unwrap();
    }
    assert_eq!(store.crawls(None).await.unwrap().len(), 1);
    assert_eq!(store.start_model(1).await.unwrap(), b"model");
}

async fn commands_are_taken_once_and_in_order(store: &Store) {
    let (id, other) = (crawl(&**store).await, crawl(&**store).await);
    let page = address("http://a.test/");
    let commands = [
        Command::Mark(page.clone(), Some(Mark::NotTarget)),
        Command::Pause,
        Command::Mark(page.clone(), None),
        Command::Mark(page, Some(Mark::Target)),
        Command::Stop,
        Command::Pause,
    ];
    for command in &commands {
        store.leave_command(id, command).await.unwrap();
    }
    assert!(store.take_commands(other).await.unwrap().is_empty());
    assert_eq!(store.take_commands(id).await.unwrap(), commands);
    assert!(store.take_commands(id).await.unwrap().is_empty());
}

async fn of_many_who_take_commands_each_gets_others(store: &Store) {
    let id = crawl(&**store).await;
    for _ in 0..8 {
        store.leave_command(id, &Command::Pause).await.unwrap();
    }
    let takers: Vec<_> = (0..4)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move { store.take_commands(id).await.unwrap().len() })
        })
        .collect();
    let mut taken = 0;
    for taker in takers {
        taken += taker.await.unwrap();
    }
    assert_eq!(taken, 8);
}
