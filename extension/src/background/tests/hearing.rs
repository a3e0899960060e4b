//! What is said elsewhere, in a world in memory.

use linkscent_core::wire::Snapshot;
use linkscent_core::wire::api::{Event, EventKind, TopicView};

use crate::fakes::companion::{CODE, Elsewhere, PORT};
use crate::fakes::{Stage, page};
use crate::ports::Table;
use crate::request::{Request, Response};
use crate::rows::MarkRow;

fn dialysis() -> Snapshot {
    let words = "Dialysis cleans the blood of kidney patients.";
    page("http://kidney.test/0", "Dialysis", words, &[])
}

fn topic(key: &str, name: &str) -> TopicView {
    TopicView {
        key: key.to_owned(),
        name: name.to_owned(),
        is_taught: false,
        is_removed: false,
        is_deleted: false,
    }
}

fn said(topic: &str, time: f64, what: EventKind) -> Event {
    Event {
        id: format!("elsewhere-{time}"),
        topic: topic.to_owned(),
        time: time as u64,
        what,
    }
}

fn mark(target: Option<bool>) -> EventKind {
    EventKind::mark_unread("http://kidney.test/0", target)
}

/// Paired, the page open in tab 7.
fn paired() -> Stage {
    let mut stage = Stage::with_topic("kidneys");
    stage.open(7, &dialysis());
    let (port, code) = (PORT, CODE.to_owned());
    stage.own(Request::Pair { port, code }).unwrap();
    stage.world.companion.borrow_mut().changes = Some(Elsewhere::default());
    stage
}

fn say_elsewhere(stage: &Stage, topics: &[TopicView], words: &[Event]) {
    let mut companion = stage.world.companion.borrow_mut();
    let changes = companion.changes.as_mut().unwrap();
    changes.topics = topics.to_vec();
    changes.said.extend_from_slice(words);
}

/// Whether anything was other than before.
fn sync(stage: &mut Stage) -> bool {
    match stage.own(Request::Sync).unwrap().answer {
        Response::Synced(is_other) => is_other,
        other => panic!("{other:?}"),
    }
}

#[test]
fn topics_made_and_renamed_elsewhere_can_be_chosen_here() {
    let mut stage = paired();
    let topics = [topic("bees", "wild bees"), topic("kidneys", "renal care")];
    say_elsewhere(&stage, &topics, &[]);
    assert!(sync(&mut stage));
    let state = stage.state(7);
    assert_eq!(state.topics, ["renal care", "wild bees"]);
    assert_eq!(state.current.as_deref(), Some("renal care"));
    assert!(!sync(&mut stage), "that is known");
    let (tab, name) = (7, "wild bees".to_owned());
    assert!(stage.own(Request::Topic { tab, name }).unwrap().news.sync);
    stage.mark(7, Some(true));
    sync(&mut stage);
    let companion = stage.world.companion.borrow();
    let last = companion.events.last().unwrap();
    assert_eq!(last.topic, "bees", "by its key");
}

#[test]
fn marks_and_phrases_of_elsewhere_are_in_force_here() {
    let mut stage = paired();
    let now = stage.world.time.get();
    let text = "haemodialysis".to_owned();
    let phrase = EventKind::Phrase {
        text: text.clone(),
        wanted: Some(true),
    };
    let words = [
        said("kidneys", now + 5.0, mark(Some(true))),
        said("kidneys", now + 6.0, phrase),
    ];
    say_elsewhere(&stage, &[], &words);
    assert!(sync(&mut stage), "in two parts");
    let state = stage.state(7);
    assert_eq!(state.mark, Some(true));
    assert_eq!(state.said, [(text, true)]);
    // Heard once: what is said here afterwards stays.
    stage.mark(7, Some(false));
    sync(&mut stage);
    assert_eq!(stage.state(7).mark, Some(false));
    let gone = [said("kidneys", now + 90.0, mark(None))];
    say_elsewhere(&stage, &[], &gone);
    assert!(sync(&mut stage));
    assert_eq!(stage.state(7).mark, None);
}

#[test]
fn words_of_a_page_stay_if_none_come_with_its_mark() {
    let mut stage = paired();
    stage.mark(7, Some(false));
    let words = |stage: &Stage| stage.rows::<MarkRow>(Table::Marks)[0].words.clone();
    let before = words(&stage);
    assert!(!before.is_empty());
    let later = stage.world.time.get() + 5.0;
    say_elsewhere(&stage, &[], &[said("kidneys", later, mark(Some(true)))]);
    assert!(sync(&mut stage));
    assert_eq!(stage.state(7).mark, Some(true));
    assert_eq!(words(&stage), before);
}

#[test]
fn what_is_said_here_comes_after_all_that_was_heard() {
    let mut stage = paired();
    let hour = 3_600_000.0;
    let ahead = stage.world.time.get() + hour;
    say_elsewhere(&stage, &[], &[said("kidneys", ahead, mark(Some(true)))]);
    sync(&mut stage);
    // The clock is set back, too.
    stage.wait(-hour);
    for target in [None, Some(false)] {
        stage.mark(7, target);
    }
    sync(&mut stage);
    let companion = stage.world.companion.borrow();
    let marks = companion.events.iter().filter_map(|event| {
        let is_mark = matches!(event.what, EventKind::Mark { .. });
        is_mark.then_some(event.time as f64)
    });
    let times: Vec<f64> = marks.collect();
    assert_eq!(times.len(), 2);
    assert!(ahead < times[0] && times[0] < times[1], "{times:?}");
}

#[test]
fn another_companion_is_heard_from_its_beginning() {
    let mut stage = paired();
    let later = stage.world.time.get() + 5.0;
    say_elsewhere(&stage, &[], &[said("kidneys", later, mark(Some(true)))]);
    sync(&mut stage);
    stage.own(Request::Unpair).unwrap();
    stage.mark(7, None);
    // It knows the mark, too, and was not told that it was taken back.
    let (port, code) = (PORT, CODE.to_owned());
    stage.own(Request::Pair { port, code }).unwrap();
    assert_eq!(stage.state(7).mark, Some(true));
}

#[test]
fn a_companion_that_tells_nothing_of_it_is_none_the_worse() {
    let mut stage = paired();
    stage.world.companion.borrow_mut().changes = None;
    stage.mark(7, Some(true));
    sync(&mut stage);
    assert_eq!(stage.state(7).mark, Some(true));
    assert_eq!(stage.state(7).waiting, 0);
}
