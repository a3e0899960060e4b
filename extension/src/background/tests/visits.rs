//! How the person came to pages, in a world in memory.

use crate::fakes::bees::{
    arrive, bees, follow, follow_into, name, open_from_menu, place, stage, type_in, visits, walk,
};
use crate::fakes::{Stage, page};
use crate::paths::{Arrival, Showing, TabPath};
use crate::ports::Table;
use crate::request::Request;

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
