//! How the person came to pages, in a world in memory: what is sent of a walk, as lines
//! of number, transition, page and the number of the visit it came from.

use linkscent_core::wire::Snapshot;
use linkscent_core::wire::api::{Event, EventKind, Transition, Visit};

use crate::paths::{Arrival, Showing, TabPath};
use crate::ports::{Table, Value};
use crate::request::Request;
use crate::twins::{Stage, page};

const SITE: &str = "http://bees.test/";
/// The pages of the site, each with a link to each, in this order.
const PAGES: [&str; 5] = ["a", "b", "c", "d", "e"];

fn bees(name: &str) -> Snapshot {
    let links = PAGES.map(|name| (name, "bees"));
    let words = format!("Mason bees nest in reeds. Page{name} of the bees.");
    page(&format!("{SITE}{name}"), "Bees", &words, &links)
}

fn place(name: &str) -> i32 {
    PAGES.iter().position(|page| *page == name).unwrap() as i32
}

fn events(stage: &Stage) -> Vec<Event> {
    stage.rows(Table::Outbox)
}

fn visits(stage: &Stage) -> Vec<(Event, Visit)> {
    let visits = events(stage).into_iter().filter_map(|event| {
        let visit = match &event.what {
            EventKind::Visit(visit) => Some(visit.clone()),
            _ => None,
        };
        Some((event, visit?))
    });
    visits.collect()
}

fn name(how: Transition) -> String {
    let name = serde_json::to_value(how).unwrap();
    name.as_str().unwrap().to_owned()
}

/// The visits in the order in which they happened, a line each: `*` stands for a click,
/// `?` for what is no longer there.
fn walk(stage: &Stage) -> Vec<String> {
    let events = events(stage);
    let visits = visits(stage);
    let number = |id: &str| visits.iter().position(|(event, _)| event.id == id);
    let line = visits.iter().enumerate().map(|(own, (_, visit))| {
        let page = visit.page.strip_prefix(SITE).unwrap_or(&visit.page);
        let mut line = format!("{own} {} {page}", name(visit.how));
        if let Some(from) = &visit.from {
            let from = number(from).map_or("?".to_owned(), |from| from.to_string());
            line.push_str(&format!(" <- {from}"));
        }
        if let Some(click) = &visit.click {
            // The click is sent too, and says the same.
            let click = events.iter().find(|event| event.id == *click);
            let to = click.map(|click| match &click.what {
                EventKind::Click { to, .. } => to.as_str(),
                other => panic!("{other:?}"),
            });
            assert!(to.is_none_or(|to| to == visit.page), "{click:?}");
            line.push_str(if to.is_some() { " *" } else { " ?" });
        }
        line
    });
    line.collect()
}

fn stage() -> Stage {
    Stage::with_topic("bees")
}

/// A page comes to be shown in a tab a second later.
fn arrive(stage: &mut Stage, tab: i32, name: &str, how: Arrival) {
    stage.wait(1_000.0);
    stage.arrive(tab, &bees(name), how, "");
}

fn type_in(stage: &mut Stage, tab: i32, name: &str) {
    arrive(stage, tab, name, Arrival::Navigate);
}

fn follow(stage: &mut Stage, tab: i32, from: &str, to: &str) {
    stage.wait(1_000.0);
    stage.follow(tab, &bees(from), place(to), &bees(to));
}

/// A click that opens another tab, in which the page arrives.
fn follow_into(stage: &mut Stage, tab: i32, from: &str, to: &str, new: i32) {
    stage.wait(1_000.0);
    stage.click(tab, &bees(from), place(to), true);
    type_in(stage, new, to);
}

/// The person opens a tab from the browser's menu over a link: no click is heard of.
fn open_from_menu(stage: &mut Stage, opener: i32, new: i32, to: &Snapshot, referrer: &str) {
    stage.wait(1_000.0);
    let request = Request::Opened { tab: new, opener };
    stage.own(request).unwrap();
    stage.wait(1_000.0);
    stage.arrive(new, to, Arrival::Navigate, referrer);
}

#[test]
fn links_lead_from_visit_to_visit() {
    let mut stage = stage();
    type_in(&mut stage, 7, "a");
    follow(&mut stage, 7, "a", "b");
    follow(&mut stage, 7, "b", "c");
    type_in(&mut stage, 7, "d");
    follow(&mut stage, 7, "d", "e");
    let expected = [
        "0 typed a",
        "1 link b <- 0 *",
        "2 link c <- 1 *",
        "3 typed d",
        "4 link e <- 3 *",
    ];
    assert_eq!(walk(&stage), expected);
    assert!(visits(&stage).iter().all(|(_, visit)| visit.tab == 7));
    assert!(
        visits(&stage)
            .iter()
            .all(|(event, _)| event.topic == "bees")
    );
}

#[test]
fn a_visit_tells_the_words_of_its_page_and_a_return_does_not() {
    let mut stage = stage();
    let mut shown = bees("a");
    shown.headings = vec![1, 0, 1];
    stage.open(7, &shown);
    stage.wait(1_000.0);
    stage.arrive(7, &shown, Arrival::Reload, "");
    let visits = visits(&stage);
    let first = &visits[0].1;
    assert_eq!(first.title_words, ["bee"]);
    assert_eq!(first.heading_words, ["bee"]);
    // Title, heading, five links, and twice in the text.
    assert_eq!(first.words[0], ("bee".to_owned(), 9));
    assert!(first.words.contains(&("reed".to_owned(), 1)));
    let again = &visits[1].1;
    assert_eq!(name(again.how), "reload");
    assert!(again.words.is_empty() && again.title_words.is_empty());
    assert!(again.heading_words.is_empty());
}

#[test]
fn a_link_that_leads_elsewhere_is_a_redirect() {
    let mut stage = stage();
    type_in(&mut stage, 7, "a");
    stage.wait(1_000.0);
    stage.click(7, &bees("a"), place("b"), false);
    type_in(&mut stage, 7, "c");
    follow(&mut stage, 7, "c", "d");
    let expected = ["0 typed a", "1 redirect c <- 0 *", "2 link d <- 1 *"];
    assert_eq!(walk(&stage), expected);
}

#[test]
fn a_new_tab_is_a_branch_of_the_tree() {
    let mut stage = stage();
    type_in(&mut stage, 7, "a");
    follow_into(&mut stage, 7, "a", "b", 8);
    follow_into(&mut stage, 7, "a", "c", 9);
    follow(&mut stage, 8, "b", "d");
    follow(&mut stage, 7, "a", "e");
    let expected = [
        "0 typed a",
        "1 new_tab b <- 0 *",
        "2 new_tab c <- 0 *",
        "3 link d <- 1 *",
        "4 link e <- 0 *",
    ];
    assert_eq!(walk(&stage), expected);
    let tabs: Vec<i32> = visits(&stage).iter().map(|(_, visit)| visit.tab).collect();
    assert_eq!(tabs, [7, 8, 9, 8, 7]);
}

#[test]
fn a_tab_opened_from_the_browsers_menu_comes_from_the_page_that_says_so() {
    let mut stage = stage();
    type_in(&mut stage, 7, "a");
    // A site names its page to itself, and only itself to others.
    open_from_menu(&mut stage, 7, 8, &bees("b"), "http://bees.test/a");
    let far = page("http://far.test/", "Bees", "Bees.", &[]);
    open_from_menu(&mut stage, 7, 9, &far, "http://bees.test/");
    // By the time the page is there, the other tab may be elsewhere.
    stage.wait(1_000.0);
    let opened = Request::Opened { tab: 10, opener: 7 };
    stage.own(opened).unwrap();
    follow(&mut stage, 7, "a", "c");
    stage.wait(1_000.0);
    stage.arrive(10, &bees("d"), Arrival::Navigate, "http://bees.test/a");
    // An empty tab in which an address is typed was opened from one too.
    open_from_menu(&mut stage, 7, 11, &bees("e"), "");
    open_from_menu(&mut stage, 7, 12, &bees("e"), "http://other.test/");
    open_from_menu(&mut stage, 7, 13, &bees("e"), "http://bees.test/d");
    let expected = [
        "0 typed a",
        "1 new_tab b <- 0",
        "2 new_tab http://far.test/ <- 0",
        "3 link c <- 0 *",
        "4 new_tab d <- 0",
        "5 typed e",
        "6 link e",
        "7 link e",
    ];
    assert_eq!(walk(&stage), expected);
}

#[test]
fn going_back_and_forward_returns_to_the_visits_of_the_path() {
    let mut stage = stage();
    type_in(&mut stage, 7, "a");
    follow(&mut stage, 7, "a", "b");
    follow(&mut stage, 7, "b", "c");
    arrive(&mut stage, 7, "b", Arrival::BackForward);
    arrive(&mut stage, 7, "a", Arrival::BackForward);
    arrive(&mut stage, 7, "b", Arrival::BackForward);
    arrive(&mut stage, 7, "c", Arrival::BackForward);
    arrive(&mut stage, 7, "a", Arrival::BackForward);
    let expected = [
        "0 typed a",
        "1 link b <- 0 *",
        "2 link c <- 1 *",
        "3 back b <- 1",
        "4 back a <- 0",
        "5 forward b <- 1",
        "6 forward c <- 2",
        "7 back a <- 0",
    ];
    assert_eq!(walk(&stage), expected);
}

#[test]
fn another_link_after_going_back_is_a_branch() {
    let mut stage = stage();
    type_in(&mut stage, 7, "a");
    follow(&mut stage, 7, "a", "b");
    arrive(&mut stage, 7, "a", Arrival::BackForward);
    follow(&mut stage, 7, "a", "c");
    // What lay before it is gone from the tab: there is no way forward to it.
    arrive(&mut stage, 7, "a", Arrival::BackForward);
    arrive(&mut stage, 7, "c", Arrival::BackForward);
    arrive(&mut stage, 7, "b", Arrival::BackForward);
    let expected = [
        "0 typed a",
        "1 link b <- 0 *",
        "2 back a <- 0",
        "3 link c <- 0 *",
        "4 back a <- 0",
        "5 forward c <- 3",
        "6 restored b",
    ];
    assert_eq!(walk(&stage), expected);
}

#[test]
fn of_a_page_that_was_shown_twice_the_nearer_visit_is_returned_to() {
    let mut stage = stage();
    type_in(&mut stage, 7, "a");
    follow(&mut stage, 7, "a", "b");
    follow(&mut stage, 7, "b", "a");
    follow(&mut stage, 7, "a", "c");
    arrive(&mut stage, 7, "a", Arrival::BackForward);
    let lines = walk(&stage);
    assert_eq!(
        lines[2..],
        ["2 link a <- 1 *", "3 link c <- 2 *", "4 back a <- 2"]
    );
}

#[test]
fn a_page_that_is_loaded_again_is_the_same_visit() {
    let mut stage = stage();
    type_in(&mut stage, 7, "a");
    follow(&mut stage, 7, "a", "b");
    arrive(&mut stage, 7, "b", Arrival::Reload);
    follow(&mut stage, 7, "b", "c");
    arrive(&mut stage, 7, "b", Arrival::BackForward);
    arrive(&mut stage, 7, "b", Arrival::Reload);
    let expected = [
        "0 typed a",
        "1 link b <- 0 *",
        "2 reload b <- 1",
        "3 link c <- 1 *",
        "4 back b <- 1",
        "5 reload b <- 1",
    ];
    assert_eq!(walk(&stage), expected);
}

#[test]
fn a_link_that_waits_is_not_taken_for_the_way_back() {
    let mut stage = stage();
    type_in(&mut stage, 7, "a");
    follow(&mut stage, 7, "a", "b");
    // The page behind the link is slow; the person goes back instead.
    stage.click(7, &bees("b"), place("c"), false);
    arrive(&mut stage, 7, "a", Arrival::BackForward);
    assert_eq!(walk(&stage)[2..], ["2 back a <- 0"]);
    assert_eq!(stage.trails().len(), 1);
    // Nor for the way to a page that was not read in the tab before.
    stage.click(7, &bees("a"), place("c"), false);
    arrive(&mut stage, 7, "e", Arrival::BackForward);
    assert_eq!(walk(&stage)[3..], ["3 restored e"]);
    assert_eq!(stage.trails().len(), 1);
}

#[test]
fn what_the_browser_brings_back_begins_a_path() {
    let mut stage = stage();
    arrive(&mut stage, 7, "a", Arrival::BackForward);
    arrive(&mut stage, 8, "b", Arrival::Reload);
    follow(&mut stage, 7, "a", "c");
    arrive(&mut stage, 7, "a", Arrival::BackForward);
    // The browser is started again, and numbers its tabs again.
    "second".clone_into(&mut stage.world.session.borrow_mut());
    stage.restart();
    arrive(&mut stage, 7, "a", Arrival::BackForward);
    arrive(&mut stage, 8, "c", Arrival::BackForward);
    follow(&mut stage, 8, "c", "d");
    let expected = [
        "0 restored a",
        "1 restored b",
        "2 link c <- 0 *",
        "3 back a <- 0",
        "4 restored a",
        "5 restored c",
        "6 link d <- 5 *",
    ];
    assert_eq!(walk(&stage), expected);
    let paths: Vec<TabPath> = stage.rows(Table::Paths);
    assert!(paths.iter().all(|path| path.session == "second"));
    assert_eq!(paths.len(), 2);
}

#[test]
fn a_page_that_is_read_again_is_no_new_visit() {
    let mut stage = stage();
    type_in(&mut stage, 7, "a");
    let started = stage.world.time.get();
    let showing = Showing {
        at: started,
        how: Arrival::Navigate,
        referrer: String::new(),
    };
    let mut changed = bees("a");
    changed.title = "More bees".to_owned();
    for is_restarted in [false, true] {
        stage.wait(20_000.0);
        if is_restarted {
            stage.restart();
        }
        stage.show(7, &changed, started, showing.clone());
    }
    // Nor if a person looks at it in the meantime from another topic.
    let (tab, name) = (7, "wasps".to_owned());
    stage.own(Request::Topic { tab, name }).unwrap();
    stage.show(7, &changed, started, showing.clone());
    assert_eq!(walk(&stage), ["0 typed a"]);
}

#[test]
fn a_page_that_becomes_another_by_itself_leads_on() {
    let mut stage = stage();
    type_in(&mut stage, 7, "a");
    let started = stage.world.time.get();
    let show = |stage: &mut Stage, name: &str, how| {
        stage.wait(1_000.0);
        let showing = Showing {
            at: stage.world.time.get(),
            how,
            referrer: String::new(),
        };
        stage.show(7, &bees(name), started, showing);
    };
    show(&mut stage, "b", Arrival::SameDocument);
    show(&mut stage, "c", Arrival::SameDocument);
    show(&mut stage, "b", Arrival::BackForward);
    // In a document of which nothing was read.
    stage.wait(1_000.0);
    let showing = Showing {
        at: stage.world.time.get(),
        how: Arrival::SameDocument,
        referrer: String::new(),
    };
    stage.show(7, &bees("d"), started + 500.0, showing);
    let expected = [
        "0 typed a",
        "1 link b <- 0",
        "2 link c <- 1",
        "3 back b <- 1",
        "4 link d",
    ];
    assert_eq!(walk(&stage), expected);
}

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
