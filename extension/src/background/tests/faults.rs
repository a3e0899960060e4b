//! Whatever fails at whatever moment, what was answered is kept, and what failed can be done
//! again: the background is stopped between any two requests, and the database refuses any one
//! write.

use linkscent_core::wire::api::EventKind;

use crate::fakes::companion::{CODE, PORT};
use crate::fakes::town::{TO_DIET, diet, town};
use crate::fakes::{English, Stage, page};
use crate::ports::Table;
use crate::request::{Request, Response};
use crate::rows::{LaterRow, MarkRow};

const TAB: i32 = 7;

/// What a person does, one request after another.
fn requests() -> Vec<Request> {
    let mark = |target| Request::Mark { tab: TAB, target };
    let say = |text: &str, wanted| Request::Say {
        tab: TAB,
        text: text.to_owned(),
        wanted,
    };
    vec![
        mark(Some(true)),
        say("clean blood", Some(true)),
        Request::KeepForLater {
            address: "http://kidney.test/later".to_owned(),
            title: "Later".to_owned(),
        },
        mark(Some(false)),
        say("holidays", Some(false)),
        mark(Some(true)),
        say("holidays", None),
        Request::Rename {
            tab: TAB,
            name: "renal care".to_owned(),
        },
        Request::Remove { tab: TAB },
        Request::BringBack {
            tab: TAB,
            name: "renal care".to_owned(),
        },
        Request::Pair {
            port: PORT,
            code: CODE.to_owned(),
        },
        Request::Sync,
    ]
}

fn begun() -> Stage {
    let mut stage = Stage::with_topic("kidneys");
    stage.open(TAB, &town());
    stage.follow(TAB, &town(), TO_DIET, &diet());
    stage
}

/// What counts of all that is kept: what the person said, here and at the companion.
fn said(stage: &mut Stage) -> String {
    let marks: Vec<MarkRow> = stage.rows(Table::Marks);
    let marks: Vec<_> = marks
        .into_iter()
        .map(|mark| (mark.topic, mark.address, mark.target))
        .collect();
    let state = stage.state(TAB);
    let later = match stage.own(Request::Later).unwrap().answer {
        Response::Later(view) => view.rows,
        other => panic!("{other:?}"),
    };
    let later: Vec<String> = later.into_iter().map(|row: LaterRow| row.address).collect();
    let trails = stage.trails();
    let companion = stage.world.companion.borrow();
    let mut heard: Vec<String> = companion
        .events
        .iter()
        .filter(|event| {
            matches!(
                event.what,
                EventKind::Mark { .. } | EventKind::Phrase { .. }
            )
        })
        .map(|event| format!("{} {:?}", event.topic, event.what.name()))
        .collect();
    heard.dedup();
    format!(
        "{marks:?} {:?} {:?} {:?} {later:?} {trails:?} {}",
        state.current,
        state.said,
        state.mark,
        !heard.is_empty()
    )
}

fn whole() -> String {
    let mut stage = begun();
    for request in requests() {
        stage.own(request).unwrap();
    }
    said(&mut stage)
}

#[test]
fn the_background_may_be_stopped_before_any_request() {
    let expected = whole();
    for stopped in 0..=requests().len() {
        let mut stage = begun();
        for (number, request) in requests().into_iter().enumerate() {
            if number == stopped {
                stage.restart();
            }
            stage.own(request).unwrap();
        }
        if stopped == requests().len() {
            stage.restart();
        }
        assert_eq!(said(&mut stage), expected, "stopped before {stopped}");
    }
}

#[test]
fn a_write_that_fails_loses_nothing_and_is_done_again() {
    let expected = whole();
    let count = {
        let mut stage = begun();
        stage.world.writes_left.set(Some(u32::MAX));
        for request in requests() {
            stage.own(request).unwrap();
        }
        u32::MAX - stage.world.writes_left.get().unwrap()
    };
    assert!(count > requests().len() as u32, "{count}");
    for failing in 0..count {
        let mut stage = begun();
        stage.world.writes_left.set(Some(failing));
        let mut failures = 0;
        for request in requests() {
            while stage.own(request.clone()).is_err() {
                failures += 1;
                assert!(failures < 3, "write {failing} fails for good");
                // There is room again.
                stage.world.writes_left.set(None);
            }
        }
        assert!(failures > 0, "write {failing} did not fail");
        assert_eq!(said(&mut stage), expected, "write {failing} failed");
    }
}

#[test]
fn a_clock_that_is_set_back_changes_nothing_that_was_said() {
    let mut stage = begun();
    stage.mark(TAB, Some(true));
    stage.wait(-86_400_000.0);
    stage.mark(TAB, Some(false));
    let (port, code) = (PORT, CODE.to_owned());
    stage.own(Request::Pair { port, code }).unwrap();
    assert_eq!(stage.state(TAB).mark, Some(false));
    let companion = stage.world.companion.borrow();
    let marks = companion
        .events
        .iter()
        .filter_map(|event| match event.what {
            EventKind::Mark { target, .. } => Some((event.time, target)),
            _ => None,
        });
    let last = marks.max_by_key(|mark| mark.0);
    assert_eq!(last.map(|mark| mark.1), Some(Some(false)));
}

#[test]
fn a_row_that_cannot_be_read_is_named_and_marks_stay() {
    let mut stage = begun();
    stage.mark(TAB, Some(true));
    // What a topic model had learned is damaged: it is made again from the marks.
    for table in [Table::TopicModels, Table::Steps, Table::Pages] {
        let mut rows = stage.world.rows.borrow_mut();
        for ((of, _), value) in rows.iter_mut() {
            if *of == table {
                *value = crate::ports::Value::Bytes(b"no such thing".to_vec());
            }
        }
    }
    stage.restart();
    let state = stage.state(TAB);
    assert_eq!((state.mark, state.targets.len()), (Some(true), 1));
    let again = page("http://kidney.test/again", "Again", "Dialysis.", &[]);
    stage.open(TAB, &again);
    stage.mark(TAB, Some(true));
    assert_eq!(stage.state(TAB).targets.len(), 2);
    // A value that is none is said, and nothing is written over.
    let key = (Table::Values, crate::store::SETTINGS.to_owned());
    let wrong = crate::ports::Value::Json(serde_json::json!({ "topics": 7 }));
    stage
        .world
        .rows
        .borrow_mut()
        .insert(key.clone(), wrong.clone());
    let refused = stage.own(Request::Mark {
        tab: TAB,
        target: None,
    });
    let said = refused.unwrap_err().text(&English);
    assert!(said.contains("cannot be read"), "{said}");
    assert_eq!(stage.world.rows.borrow()[&key], wrong);
}
