//! The person's word: marks on pages and forms, answers to questions, in a world in
//! memory.

use linkscent_core::wire::api::{Answer, Event, EventKind};
use linkscent_core::wire::snapshot::{SnapshotField, SnapshotForm};

use crate::fakes::town::{DIALYSIS, TRANSPLANT, dialysis, marked, town};
use crate::fakes::{English, Stage, page};
use crate::ports::{Look, TabMessage, Table};
use crate::request::Request;
use crate::rows::MarkRow;

#[test]
fn a_mark_is_kept_sent_and_taken_back() {
    let mut stage = marked();
    let told = stage.world.told.borrow().clone();
    assert_eq!(told, [(1, TabMessage::Refresh), (7, TabMessage::Refresh)]);
    assert_eq!(stage.state(7).mark, Some(true));
    let marks: Vec<MarkRow> = stage.rows(Table::Marks);
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
    assert!(undone.unwrap().news.sync, "the companion is to hear of it");
    assert_eq!(stage.state(7).mark, None);
    assert!(stage.rows::<MarkRow>(Table::Marks).is_empty());
    stage.open(8, &town());
    assert_eq!(stage.state(8).promising, 1, "by the topic's name alone");
    let events: Vec<Event> = stage.rows(Table::Outbox);
    let targets = events.iter().filter_map(|event| match &event.what {
        EventKind::Mark { target, .. } => Some(*target),
        EventKind::Visit(_) | EventKind::Name { .. } => None,
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
        refused.unwrap_err().text(&English)
    };
    assert_eq!(mark(&mut stage, 9), "There is nothing to read here.");
    let refused = Some("it has a field for a password".to_owned());
    let look = Look {
        refused,
        ..Look::default()
    };
    stage.world.tabs.borrow_mut().insert(9, look);
    let expected = "This page is not read: it has a field for a password.";
    assert_eq!(mark(&mut stage, 9), expected);
    // A content script that says the page is read does not make it so.
    let bank = page("http://www.mybank.test/", "Statement", DIALYSIS, &[]);
    let look = Look {
        page: Some(bank),
        ..Look::default()
    };
    stage.world.tabs.borrow_mut().insert(9, look);
    assert!(mark(&mut stage, 9).contains("list of sites that are not read"));
    assert!(!stage.kept().contains("mybank"));
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
        assert!(stage.own(request).unwrap().news.sync);
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
    let marks: Vec<MarkRow> = stage.rows(Table::Marks);
    assert!(marks.iter().any(|mark| mark.address == question.address));
}

#[test]
fn a_form_is_marked_and_taken_back() {
    let mut stage = Stage::with_topic("kidneys");
    let mut centres = dialysis();
    let field = |kind: &str, naming: &str| SnapshotField {
        kind: kind.to_owned(),
        naming: naming.to_owned(),
        label: "Search".to_owned(),
        options: 3,
    };
    centres.forms.push(SnapshotForm {
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
    assert_eq!(gone.text(&English), "this page has no such form any more");
}

#[test]
fn what_cannot_be_kept_is_not_said_to_be_done() {
    // A name that says nothing.
    let mut stage = Stage::with_topic("the");
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
    stage.open(8, &town());
    let shown = stage.world.counts.borrow()[&8];
    assert_eq!(shown, Some(0), "something of it was learned");
    assert_eq!(stage.state(7).mark, None);
}
