//! What stays of visits, in a world in memory: over stops of the background, changes of the
//! topic, pages that are not read, and when something is forgotten.

use crate::fakes::bees::{
    SITE, arrive, bees, events, follow, follow_into, open_from_menu, place, stage, type_in, visits,
    walk,
};
use crate::fakes::{Stage, page};
use crate::paths::{Arrival, Showing, TabPath};
use crate::ports::{Table, Value};
use crate::request::Request;

/// A walk with every transition.
fn long_walk(between: impl Fn(&mut Stage)) -> Vec<String> {
    let mut stage = stage();
    let steps: [&dyn Fn(&mut Stage); 9] = [
        &|stage| type_in(stage, 7, "a"),
        &|stage| follow(stage, 7, "a", "b"),
        &|stage| follow_into(stage, 7, "b", "c", 8),
        &|stage| arrive(stage, 7, "a", Arrival::BackForward),
        &|stage| arrive(stage, 7, "b", Arrival::BackForward),
        &|stage| open_from_menu(stage, 8, 9, &bees("d"), "http://bees.test/c"),
        &|stage| arrive(stage, 9, "d", Arrival::Reload),
        &|stage| stage.click(7, &bees("b"), place("e"), false),
        &|stage| type_in(stage, 7, "a"),
    ];
    for step in steps {
        step(&mut stage);
        between(&mut stage);
    }
    walk(&stage)
}

#[test]
fn a_background_that_is_stopped_loses_nothing() {
    let walked = long_walk(|_| {});
    let expected = [
        "0 typed a",
        "1 link b <- 0 *",
        "2 new_tab c <- 1 *",
        "3 back a <- 0",
        "4 forward b <- 1",
        "5 new_tab d <- 2",
        "6 reload d <- 5",
        "7 redirect a <- 1 *",
    ];
    assert_eq!(walked, expected);
    assert_eq!(long_walk(Stage::restart), walked);
}

#[test]
fn visits_of_another_topic_are_not_come_from() {
    let mut stage = stage();
    let topic = |stage: &mut Stage, name: &str| {
        let (tab, name) = (7, name.to_owned());
        stage.own(Request::Topic { tab, name }).unwrap();
    };
    type_in(&mut stage, 7, "a");
    stage.wait(1_000.0);
    stage.click(7, &bees("a"), place("b"), false);
    topic(&mut stage, "wasps");
    type_in(&mut stage, 7, "b");
    follow(&mut stage, 7, "b", "c");
    // Back to a page of the first topic; it is read for the second now.
    arrive(&mut stage, 7, "a", Arrival::BackForward);
    arrive(&mut stage, 7, "b", Arrival::BackForward);
    open_from_menu(&mut stage, 7, 8, &bees("d"), "http://bees.test/b");
    topic(&mut stage, "bees");
    arrive(&mut stage, 8, "d", Arrival::Reload);
    open_from_menu(&mut stage, 7, 9, &bees("e"), "http://bees.test/b");
    let expected = [
        "0 typed a",
        "1 link b",
        "2 link c <- 1 *",
        "3 restored a",
        "4 forward b <- 1",
        "5 new_tab d <- 1",
        "6 restored d",
        "7 new_tab e",
    ];
    assert_eq!(walk(&stage), expected);
    let visits = visits(&stage);
    let topics: Vec<&str> = visits.iter().map(|(event, _)| &*event.topic).collect();
    let (bees, wasps) = ("bees", "wasps");
    assert_eq!(
        topics,
        [bees, wasps, wasps, wasps, wasps, wasps, bees, bees]
    );
}

#[test]
fn behind_a_page_that_is_not_read_nothing_is_made_up() {
    let mut stage = stage();
    type_in(&mut stage, 7, "a");
    stage.wait(1_000.0);
    let asked = |is_private| Request::MayRead {
        loaded: None,
        is_private,
    };
    // A page with a field for a password; on it a link is followed at once, then a tab is
    // opened from it, then a link is followed once more.
    let login = "http://bees.test/login";
    stage.click(7, &bees("a"), place("e"), false);
    stage.as_page(7, login, asked(true)).unwrap();
    stage.wait(1_000.0);
    stage.arrive(7, &bees("b"), Arrival::Navigate, login);
    assert!(stage.trails().is_empty());
    stage.as_page(7, login, asked(true)).unwrap();
    open_from_menu(&mut stage, 7, 8, &bees("b"), "http://bees.test/login");
    let far = page("http://far.test/", "Bees", "Bees.", &[]);
    open_from_menu(&mut stage, 7, 9, &far, SITE);
    stage.wait(1_000.0);
    stage.arrive(7, &bees("c"), Arrival::Navigate, login);
    // One on the list of sites that are not read.
    let bank = page(
        "http://www.mybank.test/",
        "Statement",
        "Bees.",
        &[("a", "a")],
    );
    stage.as_page(7, &bank.url, asked(false)).unwrap();
    stage.open(7, &bank);
    open_from_menu(&mut stage, 7, 10, &bees("d"), SITE);
    // A paused one.
    arrive(&mut stage, 7, "e", Arrival::BackForward);
    stage.own(Request::Pause { tab: 7, on: true }).unwrap();
    follow(&mut stage, 7, "e", "a");
    stage.own(Request::Pause { tab: 7, on: false }).unwrap();
    type_in(&mut stage, 7, "b");
    let expected = [
        "0 typed a",
        "1 link b",
        "2 link b",
        "3 link http://far.test/",
        "4 link c",
        "5 link d",
        "6 restored e",
        "7 typed b",
    ];
    assert_eq!(walk(&stage), expected);
    let kept = stage.kept();
    assert!(
        !kept.contains("login") && !kept.contains("mybank"),
        "{kept}"
    );
}

#[test]
fn addresses_of_visits_have_lost_their_secrets() {
    let mut stage = stage();
    let secret = "http://bees.test/x?token=CANARY&page=2";
    let shown = page(secret, "Bees", "Bees.", &[("/y?session=CANARY", "bees")]);
    stage.open(7, &shown);
    let to = page("http://bees.test/y?session=CANARY", "Bees", "Bees.", &[]);
    stage.follow(7, &shown, 0, &to);
    open_from_menu(
        &mut stage,
        7,
        8,
        &bees("a"),
        "http://bees.test/y?session=CANARY",
    );
    let expected = ["0 typed x?page=2", "1 link y <- 0 *", "2 new_tab a <- 1"];
    assert_eq!(walk(&stage), expected);
    assert!(!stage.kept().contains("CANARY"));
}

#[test]
fn everything_that_was_read_is_forgotten_with_its_paths() {
    let mut stage = stage();
    type_in(&mut stage, 7, "a");
    follow(&mut stage, 7, "a", "b");
    let started = stage.world.time.get();
    stage.wait(1_000.0);
    stage.own(Request::Forget { id: None }).unwrap();
    assert!(visits(&stage).is_empty());
    assert!(!stage.kept().contains("bees.test"), "{}", stage.kept());
    // The page that the tab shows may change after that: it was visited before.
    stage.wait(1_000.0);
    let showing = Showing {
        at: started,
        how: Arrival::Navigate,
        referrer: String::new(),
    };
    stage.show(7, &bees("b"), started, showing);
    assert!(visits(&stage).is_empty());
    arrive(&mut stage, 7, "a", Arrival::BackForward);
    follow(&mut stage, 7, "a", "c");
    assert_eq!(walk(&stage), ["0 restored a", "1 link c <- 0 *"]);
}

#[test]
fn a_forgotten_page_is_gone_from_every_path() {
    let mut stage = stage();
    type_in(&mut stage, 7, "a");
    follow(&mut stage, 7, "a", "b");
    follow(&mut stage, 7, "b", "c");
    follow_into(&mut stage, 7, "c", "b", 8);
    stage.own(Request::Opened { tab: 9, opener: 8 }).unwrap();
    let (tab, address) = (8, format!("{SITE}b"));
    stage.own(Request::ForgetPage { tab, address }).unwrap();
    assert!(!stage.kept().contains("bees.test/b"), "{}", stage.kept());
    stage.wait(1_000.0);
    stage.arrive(9, &bees("d"), Arrival::Navigate, "http://bees.test/b");
    follow(&mut stage, 7, "c", "e");
    arrive(&mut stage, 7, "a", Arrival::BackForward);
    let expected = [
        "0 typed a",
        "1 link c <- ? ?",
        "2 link d",
        "3 link e <- 1 *",
        "4 back a <- 0",
    ];
    assert_eq!(walk(&stage), expected);
}

#[test]
fn with_a_forgotten_trail_goes_the_visit_it_led_to() {
    let mut stage = stage();
    type_in(&mut stage, 7, "a");
    follow(&mut stage, 7, "a", "b");
    // It is marked, so the page stays and only the way to it goes.
    stage.mark(7, Some(true));
    let trail = match stage.own(Request::Trails).unwrap().answer {
        crate::request::Response::Trails(trails) => trails[0].clone(),
        other => panic!("{other:?}"),
    };
    let click = trail.click().to_owned();
    assert!(stage.kept().contains(&click));
    let id = Some(trail.id.clone());
    stage.own(Request::Forget { id }).unwrap();
    assert_eq!(walk(&stage), ["0 typed a"]);
    assert!(!stage.kept().contains(&click), "{}", stage.kept());
    // A click on the page says no more where it stands.
    follow(&mut stage, 7, "b", "c");
    assert_eq!(walk(&stage), ["0 typed a", "1 link c *"]);
}

#[test]
fn paths_are_bounded() {
    let mut stage = stage();
    type_in(&mut stage, 1, "a");
    for number in 0..40 {
        let number = page(&format!("{SITE}{number}"), "Bees", "Bees.", &[]);
        stage.wait(1_000.0);
        stage.open(1, &number);
    }
    let paths: Vec<TabPath> = stage.rows(Table::Paths);
    let steps: Vec<&str> = paths[0].steps.iter().map(|step| &*step.page).collect();
    assert_eq!((steps.len(), steps[0]), (30, "http://bees.test/10"));
    assert_eq!(paths[0].current().unwrap().page, "http://bees.test/39");
    for tab in 2..=120 {
        stage.wait(1_000.0);
        stage.open(tab, &bees("a"));
    }
    let paths: Vec<TabPath> = stage.rows(Table::Paths);
    let mut tabs: Vec<i32> = paths.iter().map(|path| path.tab).collect();
    tabs.sort_unstable();
    assert_eq!(tabs, (21..=120).collect::<Vec<i32>>());
}

#[test]
fn a_browser_without_a_companion_keeps_the_newest_events() {
    let mut stage = stage();
    type_in(&mut stage, 7, "a");
    let (event, _) = visits(&stage).remove(0);
    for number in 0..10_100_u64 {
        let mut old = event.clone();
        (old.id, old.time) = (format!("old{number:05}"), number);
        let key = format!("{:015}-{}", old.time, old.id);
        let row = Value::Json(serde_json::to_value(&old).unwrap());
        let mut rows = stage.world.rows.borrow_mut();
        rows.insert((Table::Outbox, key), row);
    }
    for _ in 0..100 {
        arrive(&mut stage, 7, "a", Arrival::Reload);
    }
    let ids: Vec<String> = events(&stage).into_iter().map(|event| event.id).collect();
    assert!((10_000..10_100).contains(&ids.len()), "{}", ids.len());
    assert!(!ids.contains(&"old00000".to_owned()));
    assert!(ids.contains(&"old10099".to_owned()));
    assert_eq!(stage.state(7).waiting, ids.len());
}
