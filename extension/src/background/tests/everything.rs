//! What is kept is told line by line, can be taken away and deleted; what was read in the last
//! hour can be forgotten, and reading be switched off.

use linkscent_core::wire::api::EventKind;
use serde_json::Value as Json;

use crate::fakes::companion::{CODE, PORT};
use crate::fakes::town::{TO_DIET, dialysis, diet, marked, town};
use crate::fakes::{English, Stage, page};
use crate::ports::{TabMessage, Table};
use crate::request::{Request, Response};
use crate::rows::{LedgerLine, Way};
use crate::shown::LedgerView;
use crate::store::MOST_LINES;

const HOUR: f64 = 3_600_000.0;

fn ledger(stage: &mut Stage) -> LedgerView {
    match stage.own(Request::Ledger).unwrap().answer {
        Response::Ledger(view) => view,
        other => panic!("{other:?}"),
    }
}

fn pair(stage: &mut Stage) {
    let (port, code) = (PORT, CODE.to_owned());
    stage.own(Request::Pair { port, code }).unwrap();
}

#[test]
fn links_can_be_shown_in_the_panel_alone() {
    let mut stage = marked();
    let is_panel_only = |stage: &mut Stage| match stage.open(8, &town()).answer {
        Response::View(Some(view)) => (view.panel_only, view.links.len()),
        other => panic!("{other:?}"),
    };
    let (before, links) = is_panel_only(&mut stage);
    assert!(!before && links > 0);
    for on in [true, false] {
        stage.own(Request::PanelOnly { on }).unwrap();
        assert_eq!(is_panel_only(&mut stage), (on, links));
    }
}

#[test]
fn every_page_that_is_kept_and_event_that_is_sent_has_its_line() {
    let mut stage = marked();
    stage.wait(1.0);
    stage.open(8, &town());
    let view = ledger(&mut stage);
    let lines = view.lines.iter().map(|line| (&*line.what, &*line.about[0]));
    let mut lines: Vec<(&str, &str)> = lines.collect();
    lines.sort_unstable();
    let dialysis = "http://kidney.test/dialysis";
    let kept = [
        ("page", dialysis),
        ("page", "http://town.test/"),
        ("target", dialysis),
    ];
    assert_eq!(lines, kept);
    let bytes: usize = view.lines.iter().map(|line| line.bytes).sum();
    assert_eq!(view.kept, (3, bytes));
    assert!(bytes > 200 && view.sent == (0, 0), "{view:?}");
    pair(&mut stage);
    let view = ledger(&mut stage);
    let companion = stage.world.companion.borrow();
    let got: usize = companion
        .events
        .iter()
        .map(|event| serde_json::to_vec(event).unwrap().len())
        .sum();
    assert_eq!(view.sent, (companion.events.len(), got));
    assert!(view.lines.iter().any(|line| line.way == Way::Sent));
}

#[test]
fn the_ledger_is_bounded() {
    let mut stage = marked();
    let line = stage.rows::<Json>(Table::Ledger).remove(0);
    for number in 0..MOST_LINES + 20 {
        let key = (Table::Ledger, format!("{number:015}"));
        let value = crate::ports::Value::Json(line.clone());
        stage.world.rows.borrow_mut().insert(key, value);
    }
    stage.open(8, &town());
    stage.follow(8, &town(), TO_DIET, &diet());
    assert_eq!(stage.rows::<Json>(Table::Ledger).len(), MOST_LINES);
}

#[test]
fn the_last_hour_goes_and_what_was_before_stays() {
    let mut stage = marked();
    pair(&mut stage);
    stage.wait(2.0 * HOUR);
    stage.open(8, &town());
    stage.follow(8, &town(), TO_DIET, &diet());
    assert_eq!(stage.trails().len(), 1);
    // A page from before that is read once more is not new.
    stage.open(9, &dialysis());
    stage.own(Request::Sync).unwrap();
    let lines = |stage: &Stage| stage.rows::<LedgerLine>(Table::Ledger);
    let since = stage.world.time.get() - HOUR;
    assert!(lines(&stage).iter().any(|line| line.time >= since));
    stage.wait(0.1 * HOUR);
    assert!(
        stage
            .own(Request::ForgetSince { minutes: 60 })
            .unwrap()
            .news
            .sync
    );
    assert_eq!(stage.trails(), []);
    let late = lines(&stage).into_iter().filter(|line| line.time >= since);
    assert_eq!(late.count(), 0);
    let kept = stage.kept();
    let named = kept
        .lines()
        .filter(|line| line.contains("kidney.test/diet"));
    // The mark's page links there; else only what the companion has yet to forget.
    let named: Vec<&str> = named
        .filter(|line| !line.starts_with("steps ") && !line.contains("visits_since"))
        .collect();
    assert_eq!(named, Vec::<&str>::new());
    assert!(kept.contains("http://kidney.test/dialysis"));
    let told = stage.world.told.borrow().clone();
    assert!(told.contains(&(8, TabMessage::Forgotten)), "{told:?}");
    assert!(!told.contains(&(9, TabMessage::Forgotten)), "{told:?}");
    let waiting: Vec<linkscent_core::wire::api::Event> = stage.rows(Table::Outbox);
    let visits = waiting
        .iter()
        .filter(|event| matches!(event.what, EventKind::Visit(_)));
    assert_eq!(visits.count(), 0, "{waiting:?}");
    stage.own(Request::Sync).unwrap();
    let asked = stage.world.companion.borrow().forgotten.clone();
    assert!(asked[0].pages.contains(&"http://town.test/".to_owned()));
    assert!(asked[0].visits_since.is_some() && asked[0].clicks.len() == 1);
}

#[test]
fn everything_can_be_taken_away_but_the_key() {
    let mut stage = marked();
    pair(&mut stage);
    let Response::Text(all) = stage.own(Request::Everything).unwrap().answer else {
        panic!("no text");
    };
    let all: Json = serde_json::from_str(&all).unwrap();
    let tables = all["tables"].as_object().unwrap();
    assert_eq!(tables.len(), Table::ALL.len());
    let settings = &tables["values"]["settings"];
    assert_eq!(settings["topics"][0], "kidneys");
    assert!(settings["device"].is_string() && settings.get("key").is_none());
    let model = tables["guides"]["kidneys"]["hexadecimal"].as_str().unwrap();
    assert!(model.starts_with("4c4e4b53"), "a model file");
    assert_eq!(tables["marks"].as_object().unwrap().len(), 1);
}

#[test]
fn everything_can_be_deleted() {
    let mut stage = marked();
    pair(&mut stage);
    stage.open(8, &town());
    stage.own(Request::Reads { on: false }).unwrap();
    assert_eq!(stage.world.drops.get(), 0);
    stage.own(Request::DeleteEverything).unwrap();
    assert_eq!(stage.world.drops.get(), 1);
    let kept = stage.kept();
    for gone in ["kidney", "town.test", "key", "device"] {
        assert!(!kept.contains(gone), "{gone}: {kept}");
    }
    assert!(stage.world.is_on.get());
    let state = stage.state(8);
    assert!(state.topics.is_empty() && !state.paired && !state.is_off);
}

#[test]
fn while_reading_is_switched_off_nothing_is_read_or_marked() {
    let mut stage = marked();
    stage.own(Request::Reads { on: false }).unwrap();
    assert!(!stage.world.is_on.get());
    let before = stage.kept();
    let url = "http://a.test/";
    let asked = Request::MayRead {
        loaded: None,
        is_private: false,
    };
    match stage.as_page(8, url, asked).unwrap().answer {
        Response::MayRead { refused } => {
            assert_eq!(refused.as_deref(), Some("reading is switched off"));
        }
        other => panic!("{other:?}"),
    }
    stage.open(8, &page(url, "A", "Kidneys.", &[]));
    let mark = Request::Mark {
        tab: 8,
        target: Some(true),
    };
    let refused = stage.own(mark).unwrap_err().text(&English);
    assert!(refused.contains("switched off"), "{refused}");
    assert!(stage.state(8).is_off);
    assert_eq!(stage.kept(), before);
    // A background that starts shows it at the button again.
    stage.world.is_on.set(true);
    stage.restart();
    stage.show_switch();
    assert!(!stage.world.is_on.get());
    stage.own(Request::Reads { on: true }).unwrap();
    stage.open(8, &page(url, "A", "Kidneys.", &[]));
    assert!(stage.kept().contains(url));
}
