//! Reading, following and marking pages, in a world in memory.

use std::collections::BTreeMap;

use linkscent_core::wire::Snapshot;
use linkscent_core::wire::api::{Answer, EventKind};
use linkscent_core::wire::views::PageView;

use crate::ports::{Look, TabMessage, Table, Value};
use crate::request::{Handled, Request, Response};
use crate::rows::{MarkRow, TrailRow};
use crate::twins::{Stage, page};

const DIALYSIS: &str = "Dialysis cleans the blood of kidney patients three times a week. \
    A dialysis machine filters waste.";
const TRANSPLANT: &str =
    "A kidney transplant gives patients a donor kidney, so that dialysis is no longer needed.";

fn dialysis() -> Snapshot {
    page(
        "http://kidney.test/dialysis",
        "Dialysis for kidney patients",
        DIALYSIS,
        &[("/diet", "diet"), ("http://town.test/", "Town guide")],
    )
}

/// A page of links, most of them to trains.
fn town() -> Snapshot {
    let links = [
        ("http://trains.test/timetable", "Railway timetable"),
        ("http://trains.test/engines", "Railway engines"),
        (
            "http://kidney.test/diet",
            "Kidney patients: dialysis and diet",
        ),
        ("http://trains.test/tickets", "Railway tickets"),
        ("http://trains.test/stations", "Railway stations"),
        ("http://trains.test/bridges", "Railway bridges"),
    ];
    page(
        "http://town.test/",
        "Town guide",
        "Welcome to the town.",
        &links,
    )
}
const TO_DIET: i32 = 2;

fn diet() -> Snapshot {
    let words = "Kidney patients on dialysis watch salt, potassium and fluid.";
    page("http://kidney.test/diet", "Diet", words, &[])
}

/// A topic with one page marked.
fn marked() -> Stage {
    let mut stage = Stage::with_topic("kidneys");
    stage.open(7, &dialysis());
    stage.mark(7, Some(true));
    stage
}

fn view(handled: Handled) -> PageView {
    match handled.answer {
        Response::View(Some(view)) => view,
        other => panic!("{other:?}"),
    }
}

/// The addresses of the links that are highlighted.
fn highlighted(page: &Snapshot, view: &PageView) -> Vec<String> {
    let links = view.links.iter().take(view.most);
    links.map(|link| page.hrefs[link.place].clone()).collect()
}

fn rows<T: serde::de::DeserializeOwned>(stage: &Stage, table: Table) -> Vec<T> {
    let rows = stage.world.rows.borrow();
    let of_table = rows.iter().filter(|((of, _), _)| *of == table);
    let row = of_table.map(|(_, value)| match value {
        Value::Json(value) => serde_json::from_value(value.clone()).unwrap(),
        Value::Bytes(_) => panic!("a model file"),
    });
    row.collect()
}

#[test]
fn without_a_topic_nothing_is_read() {
    let mut stage = Stage::new();
    assert_eq!(view(stage.open(7, &town())), PageView::default());
    let request = Request::Followed {
        page: town(),
        place: TO_DIET,
        new_tab: false,
        loaded: None,
    };
    let told = stage.as_page(7, "http://town.test/", request).unwrap();
    assert!(matches!(told.answer, Response::Followed(false)));
    assert_eq!(stage.kept(), "");
    let refused = stage.own(Request::Mark {
        tab: 7,
        target: Some(true),
    });
    assert_eq!(refused.unwrap_err().to_string(), "choose a topic first");
}

#[test]
fn what_was_marked_is_looked_for_and_outlives_the_background() {
    let mut stage = Stage::with_topic("kidneys");
    stage.open(7, &dialysis());
    assert!(view(stage.open(8, &town())).links.is_empty());
    stage.mark(7, Some(true));
    let before = view(stage.open(8, &town()));
    assert_eq!(highlighted(&town(), &before)[0], "http://kidney.test/diet");
    assert_eq!(before.links[0].grade, 3);
    assert_eq!(stage.world.counts.borrow()[&8], before.most);
    stage.restart();
    let after = view(stage.open(8, &town()));
    assert!((after.relevance - before.relevance).abs() < 1e-6);
    assert_eq!(highlighted(&town(), &after)[0], "http://kidney.test/diet");
}

#[test]
fn a_mark_is_kept_sent_and_taken_back() {
    let mut stage = marked();
    let told = stage.world.told.borrow().clone();
    assert_eq!(told, [(1, TabMessage::Refresh), (7, TabMessage::Refresh)]);
    assert_eq!(stage.state(7).mark, Some(true));
    let marks: Vec<MarkRow> = rows(&stage, Table::Marks);
    assert_eq!(marks.len(), 1);
    assert_eq!(marks[0].address, "http://kidney.test/dialysis");
    assert_eq!(marks[0].topic, "kidneys");
    assert!(marks[0].target);
    // "dialysis": twice in the text, once in the heading, once in the title.
    let dialysis = marks[0].words.iter().find(|(word, _)| word == "dialysi");
    assert_eq!(dialysis.map(|(_, count)| *count), Some(4), "{marks:?}");
    let undone = stage.own(Request::Mark {
        tab: 7,
        target: None,
    });
    assert!(undone.unwrap().sync, "the companion is to hear of it");
    assert_eq!(stage.state(7).mark, None);
    assert!(rows::<MarkRow>(&stage, Table::Marks).is_empty());
    assert!(view(stage.open(8, &town())).links.is_empty());
    let events: Vec<linkscent_core::wire::api::Event> = rows(&stage, Table::Outbox);
    let targets = events.iter().map(|event| match &event.what {
        EventKind::Mark { target, .. } => *target,
        other => panic!("{other:?}"),
    });
    let mut targets: Vec<_> = targets.collect();
    targets.sort_unstable();
    assert_eq!(targets, [None, Some(true)]);
}

#[test]
fn a_page_that_is_not_read_cannot_be_marked() {
    let mut stage = Stage::with_topic("kidneys");
    let mark = |stage: &mut Stage, tab| {
        let target = Some(true);
        let refused = stage.own(Request::Mark { tab, target });
        refused.unwrap_err().to_string()
    };
    assert_eq!(mark(&mut stage, 9), "There is nothing to read here.");
    let refused = Some("it has a field for a password".to_owned());
    let look = Look {
        page: None,
        refused,
    };
    stage.world.tabs.borrow_mut().insert(9, look);
    let expected = "This page is not read: it has a field for a password.";
    assert_eq!(mark(&mut stage, 9), expected);
    // A content script that says the page is read does not make it so.
    let bank = page("http://www.mybank.test/", "Statement", DIALYSIS, &[]);
    let look = Look {
        page: Some(bank),
        refused: None,
    };
    stage.world.tabs.borrow_mut().insert(9, look);
    assert!(mark(&mut stage, 9).contains("list of sites that are not read"));
    assert!(!stage.kept().contains("mybank"));
}

#[test]
fn a_click_leads_to_the_page_that_arrives() {
    let mut stage = marked();
    stage.open(8, &town());
    let read = stage.follow(8, &town(), TO_DIET, &diet());
    assert!(read.sync, "the companion is to hear of it");
    let trails: Vec<TrailRow> = rows(&stage, Table::Trails);
    assert_eq!(trails.len(), 1);
    let trail = &trails[0];
    assert_eq!(trail.from, "http://town.test/");
    assert_eq!(trail.to, "http://kidney.test/diet");
    assert_eq!(trail.anchor, "Kidney patients: dialysis and diet");
    assert_eq!((trail.topic.as_str(), trail.tab), ("kidneys", 8));
    // It is used up: the same page opened again leaves no second trail.
    assert!(!stage.open(8, &diet()).sync);
    assert_eq!(stage.trails().len(), 1);
}

#[test]
fn a_click_outlives_the_background_but_not_two_minutes() {
    let follow = |wait: f64| {
        let mut stage = marked();
        stage.open(8, &town());
        let request = Request::Followed {
            page: town(),
            place: TO_DIET,
            new_tab: true,
            loaded: None,
        };
        stage.as_page(8, "http://town.test/", request).unwrap();
        stage.restart();
        stage.wait(wait);
        stage.open(9, &diet());
        stage.trails().len()
    };
    assert_eq!(follow(119_000.0), 1);
    assert_eq!(follow(121_000.0), 0);
}

#[test]
fn another_page_in_another_tab_was_not_reached_by_the_click() {
    let mut stage = marked();
    stage.open(8, &town());
    let request = Request::Followed {
        page: town(),
        place: TO_DIET,
        new_tab: false,
        loaded: None,
    };
    stage.as_page(8, "http://town.test/", request).unwrap();
    stage.wait(500.0);
    let timetable = page("http://trains.test/timetable", "Timetable", "Trains.", &[]);
    assert!(!stage.open(9, &timetable).sync);
    assert!(stage.trails().is_empty());
    // A link that is none of the page's leaves no click at all.
    let request = Request::Followed {
        page: town(),
        place: -1,
        new_tab: false,
        loaded: None,
    };
    let told = stage.as_page(8, "http://town.test/", request).unwrap();
    assert!(matches!(told.answer, Response::Followed(false)));
}

#[test]
fn topics_are_apart_and_named_once() {
    let mut stage = marked();
    let topic = |stage: &mut Stage, name: &str| {
        let (tab, name) = (7, name.to_owned());
        stage.own(Request::Topic { tab, name })
    };
    topic(&mut stage, " trains ").unwrap();
    let state = stage.state(7);
    assert_eq!(state.topics, ["kidneys", "trains"]);
    assert_eq!(state.current.as_deref(), Some("trains"));
    assert_eq!(state.mark, None);
    assert!(view(stage.open(8, &town())).links.is_empty());
    topic(&mut stage, "kidneys").unwrap();
    let state = stage.state(7);
    assert_eq!(state.topics, ["kidneys", "trains"]);
    assert_eq!(state.mark, Some(true));
    assert_eq!(state.targets.len(), 1);
    assert!(topic(&mut stage, "  ").is_err());
    assert!(topic(&mut stage, &"x".repeat(81)).is_err());
    assert!(topic(&mut stage, &"x".repeat(80)).is_ok());
}

#[test]
fn excluded_and_paused_sites_leave_nothing() {
    let mut stage = marked();
    let patterns = Some("town.test".to_owned());
    stage.own(Request::Exclude { patterns }).unwrap();
    let before = stage.kept();
    assert_eq!(view(stage.open(8, &town())), PageView::default());
    stage.follow(8, &town(), TO_DIET, &town());
    assert_eq!(stage.kept(), before);
    let may = |stage: &mut Stage, url: &str| {
        let asked = stage.as_page(8, url, Request::MayRead { loaded: None });
        match asked.unwrap().answer {
            Response::MayRead { refused } => refused,
            other => panic!("{other:?}"),
        }
    };
    assert!(may(&mut stage, "http://town.test/").is_some());
    assert_eq!(may(&mut stage, "http://webmail.city.test/"), None);
    let said = stage.own(Request::Excluded).unwrap().answer;
    assert!(matches!(said, Response::Text(list) if list == "town.test"));
    stage.own(Request::Exclude { patterns: None }).unwrap();
    assert_eq!(may(&mut stage, "http://town.test/"), None);
    assert!(may(&mut stage, "http://webmail.city.test/").is_some());

    let pause = |stage: &mut Stage, on| stage.own(Request::Pause { tab: 8, on }).unwrap();
    pause(&mut stage, true);
    assert_eq!(view(stage.open(8, &town())), PageView::default());
    assert!(stage.state(8).paused);
    pause(&mut stage, false);
    assert!(!view(stage.open(8, &town())).links.is_empty());
}

#[test]
fn what_the_browser_knows_of_a_page_keeps_it_from_being_read() {
    let mut stage = marked();
    let why = "its site says that it must not be stored";
    let address = "http://town.test/".to_owned();
    *stage.world.unread.borrow_mut() = BTreeMap::from([(address, why.to_owned())]);
    let before = stage.kept();
    let handled = stage.open(8, &town());
    assert!(matches!(handled.answer, Response::View(None)));
    assert_eq!(stage.kept(), before);
    // Also if the page calls itself something else since it was loaded.
    let loaded = Some("http://town.test/".to_owned());
    let asked = Request::MayRead { loaded };
    let asked = stage.as_page(8, "http://town.test/inside", asked);
    let Response::MayRead { refused } = asked.unwrap().answer else {
        panic!("another answer");
    };
    assert_eq!(refused.as_deref(), Some(why));
}

#[test]
fn questions_are_answered_once_and_three_in_a_session() {
    let mut stage = marked();
    let mut asked = Vec::new();
    let links: Vec<String> = (0..6).map(|number| format!("/{number}")).collect();
    let links: Vec<(&str, &str)> = links.iter().map(|link| (link.as_str(), "more")).collect();
    let hub = page("http://kidney.test/hub", "Kidneys", TRANSPLANT, &links);
    stage.open(8, &hub);
    for (place, (href, _)) in links.iter().enumerate() {
        let words = format!("{TRANSPLANT} Number{place} of kidney dialysis pages.");
        let to = page(&format!("http://kidney.test{href}"), "More", &words, &[]);
        stage.follow(8, &hub, place as i32, &to);
    }
    stage.open(8, &hub);
    while let Some(question) = stage.state(8).question {
        assert!(!asked.contains(&question.address), "asked twice: {asked:?}");
        asked.push(question.address.clone());
        let request = Request::Answer {
            tab: 8,
            crawl: None,
            page: question.address,
            answer: Answer::Skip,
        };
        assert!(stage.own(request).unwrap().sync);
    }
    assert_eq!(asked.len(), 3);
    stage.wait(31.0 * 60_000.0);
    let question = stage.state(8).question.unwrap();
    assert!(!asked.contains(&question.address));
    let request = Request::Answer {
        tab: 8,
        crawl: None,
        page: question.address.clone(),
        answer: Answer::Yes,
    };
    stage.own(request).unwrap();
    let marks: Vec<MarkRow> = rows(&stage, Table::Marks);
    assert!(marks.iter().any(|mark| mark.address == question.address));
}

#[test]
fn a_form_is_marked_and_taken_back() {
    let mut stage = Stage::with_topic("kidneys");
    let mut centres = dialysis();
    let field = |kind: &str, naming: &str| linkscent_core::wire::snapshot::SnapshotField {
        kind: kind.to_owned(),
        naming: naming.to_owned(),
        label: "Search".to_owned(),
        options: 3,
    };
    centres
        .forms
        .push(linkscent_core::wire::snapshot::SnapshotForm {
            action: "/find".to_owned(),
            method: "get".to_owned(),
            naming: String::new(),
            fields: vec![
                field("text", "town"),
                field("select", "kind"),
                field("submit", ""),
            ],
            leaves: (1, 2),
        });
    stage.open(7, &centres);
    let forms = stage.state(7).forms;
    assert_eq!(forms.len(), 1);
    assert_eq!(
        (forms[0].fields.clone(), forms[0].mark),
        (vec!["town".to_owned(), "kind".to_owned()], None)
    );
    let mark = |stage: &mut Stage, form, wanted| {
        stage.own(Request::MarkForm {
            tab: 7,
            form,
            wanted,
        })
    };
    mark(&mut stage, forms[0].place, Some(true)).unwrap();
    stage.restart();
    assert_eq!(stage.state(7).forms[0].mark, Some(true));
    mark(&mut stage, forms[0].place, None).unwrap();
    assert_eq!(stage.state(7).forms[0].mark, None);
    let gone = mark(&mut stage, 5, Some(true)).unwrap_err();
    assert_eq!(gone.to_string(), "this page has no such form any more");
}

#[test]
fn what_cannot_be_kept_is_not_said_to_be_done() {
    let mut stage = Stage::with_topic("kidneys");
    stage.open(7, &dialysis());
    stage.world.is_full.set(true);
    let before = stage.kept();
    let refused = stage.own(Request::Mark {
        tab: 7,
        target: Some(true),
    });
    assert!(refused.is_err());
    assert_eq!(stage.kept(), before);
    stage.world.is_full.set(false);
    assert_eq!(stage.state(7).mark, None);
}

#[test]
fn a_guide_that_cannot_be_read_is_made_again_from_the_marks() {
    let mut stage = marked();
    let key = (Table::Guides, "kidneys".to_owned());
    let broken = Value::Bytes(b"no model".to_vec());
    let was = stage.world.rows.borrow_mut().insert(key, broken);
    assert!(was.is_some(), "the guide was kept");
    stage.restart();
    let after = view(stage.open(8, &town()));
    assert_eq!(highlighted(&town(), &after)[0], "http://kidney.test/diet");
}
