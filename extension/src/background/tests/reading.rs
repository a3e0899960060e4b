//! Reading and following pages, in a world in memory.

use std::collections::BTreeMap;

use linkscent_core::critics;
use linkscent_core::strategies::{self, SplitMix};
use linkscent_core::topic_model::TopicModel;
use linkscent_core::wire::api::{Event, EventKind, mark_of};
use linkscent_core::wire::views::PageView;
use linkscent_core::wire::{Snapshot, read_model, write_model};

use crate::fakes::town::{TO_DIET, dialysis, diet, marked, town};
use crate::fakes::{English, Stage, page};
use crate::paths::{Arrival, Showing};
use crate::ports::{Table, Value};
use crate::problem::Problem;
use crate::request::{Handled, Request, Response};
use crate::rows::TrailRow;
use crate::texts;

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
    assert_eq!(refused.unwrap_err().text(&English), "choose a topic first");
}

#[test]
fn what_was_marked_is_looked_for_and_outlives_the_background() {
    // A name that says nothing.
    let mut stage = Stage::with_topic("the");
    stage.open(7, &dialysis());
    assert!(view(stage.open(8, &town())).links.is_empty());
    stage.mark(7, Some(true));
    let before = view(stage.open(8, &town()));
    assert_eq!(highlighted(&town(), &before)[0], "http://kidney.test/diet");
    assert!(before.links[0].grade > 0, "{before:?}");
    assert_eq!(stage.world.counts.borrow()[&8], Some(before.most));
    stage.restart();
    let after = view(stage.open(8, &town()));
    assert!((after.relevance - before.relevance).abs() < 1e-6);
    assert_eq!(highlighted(&town(), &after)[0], "http://kidney.test/diet");
}

/// Browses and looks at the town's page again: what the background shows then, and what
/// a topic model of the core shows that did the same.
fn browsed(is_restarted: bool) -> (PageView, PageView) {
    let mut stage = marked();
    stage.open(8, &town());
    stage.follow(8, &town(), TO_DIET, &diet());
    if is_restarted {
        stage.restart();
    }
    let shown = view(stage.open(9, &town()));

    let mut ties = SplitMix(1);
    let mut topic_model = TopicModel::new(critics::NAMES[0], strategies::default_name()).unwrap();
    topic_model.name_topic("kidneys");
    let [dialysis, town, diet] = [dialysis(), town(), diet()].map(|page| page.to_page().unwrap());
    topic_model.visit(&dialysis, &[], None, &mut ties);
    topic_model.mark(&dialysis, mark_of(Some(true)));
    if is_restarted {
        // What is read after that is read again.
        let file = write_model(&topic_model.knowledge()).unwrap();
        topic_model = TopicModel::with_knowledge(read_model(&file).unwrap()).unwrap();
    }
    topic_model.visit(&town, &[], None, &mut ties);
    let (link, _) = topic_model.followed(&town, TO_DIET as usize, &mut ties);
    topic_model.visit(&diet, &[link], None, &mut ties);
    let visit = topic_model.visit(&town, &[], None, &mut ties);
    (shown, PageView::of(&town, &visit, &topic_model))
}

#[test]
fn what_is_learned_is_what_a_topic_model_learns() {
    for is_restarted in [false, true] {
        let (shown, expected) = browsed(is_restarted);
        assert!((shown.relevance - expected.relevance).abs() < 1e-5);
        assert_eq!(shown.most, expected.most);
        assert_eq!(shown.links.len(), expected.links.len());
        for (shown, expected) in shown.links.iter().zip(&expected.links) {
            let is_same = (shown.probability - expected.probability).abs() < 1e-5;
            assert!(is_same, "{shown:?} {expected:?}");
            let why = texts::why(&English, expected.probability, &expected.reasons);
            assert_eq!(shown.why, why);
        }
    }
}

#[test]
fn a_click_leads_to_the_page_that_arrives() {
    let mut stage = marked();
    stage.open(8, &town());
    let read = stage.follow(8, &town(), TO_DIET, &diet());
    assert!(read.news.sync, "the companion is to hear of it");
    let trails: Vec<TrailRow> = stage.rows(Table::Trails);
    assert_eq!(trails.len(), 1);
    let trail = &trails[0];
    assert_eq!(trail.from, "http://town.test/");
    assert_eq!(trail.to, "http://kidney.test/diet");
    assert_eq!(trail.anchor, "Kidney patients: dialysis and diet");
    assert_eq!((trail.topic.as_str(), trail.tab), ("kidneys", 8));
    // It is used up: the same page opened again leaves no second trail.
    assert!(!stage.open(8, &diet()).news.sync);
    assert_eq!(stage.trails().len(), 1);
}

#[test]
fn two_links_that_were_passed_over_go_with_a_click() {
    let mut stage = marked();
    stage.open(8, &town());
    stage.follow(8, &town(), TO_DIET, &diet());
    let events: Vec<Event> = stage.rows(Table::Outbox);
    let passed_over = events.iter().find_map(|event| match &event.what {
        EventKind::Click { passed_over, .. } => Some(passed_over),
        _ => None,
    });
    let passed_over = passed_over.unwrap();
    assert_eq!(passed_over.len(), 2, "{passed_over:?}");
    assert_ne!(passed_over[0].to, passed_over[1].to);
    for link in passed_over {
        assert!(link.to.starts_with("http://trains.test/"), "{link:?}");
        assert!(link.context.contains(&("railway".to_owned(), 0)));
    }
}

#[test]
fn links_to_sites_that_are_not_read_are_not_told_of() {
    let mut stage = marked();
    let railway = page("http://trains.test/", "Trains", "Trains go.", &[]);
    stage.open(9, &railway);
    stage.own(Request::Pause { tab: 9, on: true }).unwrap();
    stage.open(8, &town());
    stage.follow(8, &town(), TO_DIET, &diet());
    let events: Vec<Event> = stage.rows(Table::Outbox);
    let clicks = events.iter().filter_map(|event| match &event.what {
        EventKind::Click { passed_over, .. } => Some(passed_over.len()),
        _ => None,
    });
    assert_eq!(clicks.collect::<Vec<_>>(), [0], "all others lead to trains");
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
    assert!(!stage.open(9, &timetable).news.sync);
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
    topic(&mut stage, " volcanoes ").unwrap();
    let state = stage.state(7);
    assert_eq!(state.topics, ["kidneys", "volcanoes"]);
    assert_eq!(state.current.as_deref(), Some("volcanoes"));
    assert_eq!(state.mark, None);
    assert!(view(stage.open(8, &town())).links.is_empty());
    topic(&mut stage, "kidneys").unwrap();
    let state = stage.state(7);
    assert_eq!(state.topics, ["kidneys", "volcanoes"]);
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
        let asked = stage.as_page(
            8,
            url,
            Request::MayRead {
                loaded: None,
                is_private: false,
            },
        );
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
    let asked = Request::MayRead {
        loaded,
        is_private: false,
    };
    let asked = stage.as_page(8, "http://town.test/inside", asked);
    let Response::MayRead { refused } = asked.unwrap().answer else {
        panic!("another answer");
    };
    assert_eq!(refused.as_deref(), Some(why));
}

#[test]
fn a_topic_model_that_cannot_be_read_is_made_again_from_the_marks() {
    let mut stage = marked();
    let key = (Table::TopicModels, "kidneys".to_owned());
    let broken = Value::Bytes(b"no model".to_vec());
    let was = stage.world.rows.borrow_mut().insert(key, broken);
    assert!(was.is_some(), "the topic model was kept");
    stage.restart();
    let after = view(stage.open(8, &town()));
    assert_eq!(highlighted(&town(), &after)[0], "http://kidney.test/diet");
}

/// What a newer version learned is not thrown away for what the marks teach.
#[test]
fn a_topic_model_of_a_newer_version_is_left_alone() {
    let mut stage = marked();
    stage.restart();
    let key = (Table::TopicModels, "kidneys".to_owned());
    let mut file = match stage.world.rows.borrow().get(&key) {
        Some(Value::Bytes(file)) => file.clone(),
        other => panic!("{other:?}"),
    };
    // The header's version.
    file[8] = 99;
    let newer = Value::Bytes(file);
    let tables = &stage.world.rows;
    tables.borrow_mut().insert(key.clone(), newer.clone());
    let said = stage.own(Request::Mark {
        tab: 7,
        target: None,
    });
    let said = said.unwrap_err().text(&English);
    assert!(said.contains("update it"), "{said}");
    assert_eq!(stage.world.rows.borrow().get(&key), Some(&newer));
}

/// A page that changes may be sent just when the person forgets it.
#[test]
fn a_forgotten_page_that_was_on_its_way_is_not_read_again() {
    let mut stage = marked();
    stage.open(8, &town());
    let started = stage.world.time.get();
    stage.wait(5_000.0);
    let address = "http://town.test/".to_owned();
    stage.own(Request::ForgetPage { tab: 8, address }).unwrap();
    assert!(!stage.kept().contains("town.test"));
    let request = Request::Page {
        page: town(),
        started,
        showing: Showing {
            at: started,
            how: Arrival::Navigate,
            referrer: String::new(),
        },
        loaded: None,
    };
    let told = stage.as_page(8, "http://town.test/", request).unwrap();
    assert!(matches!(told.answer, Response::View(None)));
    assert!(!stage.kept().contains("town.test"));
    // Loaded again, it is a page like any other.
    stage.wait(1_000.0);
    assert!(!view(stage.open(8, &town())).links.is_empty());
}

#[test]
fn of_any_link_it_is_told_why_or_why_not_without_a_trace() {
    let mut stage = Stage::with_topic("kidney dialysis");
    let links = [
        ("/dialysis", "Dialysis for the kidneys"),
        ("/trains", "Trains"),
    ];
    let hub = page("http://hub.test/", "Hub", "Two links.", &links);
    stage.open(7, &hub);
    let before = stage.kept();
    let mut why = |place| {
        let asked = Request::Why {
            page: hub.clone(),
            place,
            loaded: None,
        };
        stage.as_page(7, "http://hub.test/", asked)
    };
    let said = |handled: Handled| match handled.answer {
        Response::Text(text) => text,
        other => panic!("{other:?}"),
    };
    let (good, bad) = (said(why(0).unwrap()), said(why(1).unwrap()));
    assert!(good.contains("“Dialysis”") && good.contains('%'), "{good}");
    assert!(bad.contains('%') && !bad.contains("Dialysis"), "{bad}");
    assert!(matches!(why(2), Err(Problem::NoLink)));
    assert_eq!(stage.kept(), before);
}
