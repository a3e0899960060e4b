//! A site whose pages link to each other, ways over it, and what is logged of them: as lines
//! of number, transition, page and the number of the visit it came from.

use linkscent_core::wire::Snapshot;
use linkscent_core::wire::api::{Event, EventKind, Transition, Visit};

use crate::fakes::{Stage, page};
use crate::paths::Arrival;
use crate::ports::Table;
use crate::request::Request;

pub const SITE: &str = "http://bees.test/";
/// The pages of the site, each with a link to each, in this order.
pub const PAGES: [&str; 5] = ["a", "b", "c", "d", "e"];

pub fn bees(name: &str) -> Snapshot {
    let links = PAGES.map(|name| (name, "bees"));
    let words = format!("Mason bees nest in reeds. Page{name} of the bees.");
    page(&format!("{SITE}{name}"), "Bees", &words, &links)
}

pub fn place(name: &str) -> i32 {
    PAGES.iter().position(|page| *page == name).unwrap() as i32
}

pub fn events(stage: &Stage) -> Vec<Event> {
    stage.rows(Table::Outbox)
}

pub fn visits(stage: &Stage) -> Vec<(Event, Visit)> {
    let visits = events(stage).into_iter().filter_map(|event| {
        let visit = match &event.what {
            EventKind::Visit(visit) => Some(visit.clone()),
            _ => None,
        };
        Some((event, visit?))
    });
    visits.collect()
}

pub fn name(how: Transition) -> String {
    let name = serde_json::to_value(how).unwrap();
    name.as_str().unwrap().to_owned()
}

/// The visits in the order in which they happened, a line each: `*` stands for a click,
/// `?` for what is no longer there.
pub fn walk(stage: &Stage) -> Vec<String> {
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

pub fn stage() -> Stage {
    Stage::with_topic("bees")
}

/// A page comes to be shown in a tab a second later.
pub fn arrive(stage: &mut Stage, tab: i32, name: &str, how: Arrival) {
    stage.wait(1_000.0);
    stage.arrive(tab, &bees(name), how, "");
}

pub fn type_in(stage: &mut Stage, tab: i32, name: &str) {
    arrive(stage, tab, name, Arrival::Navigate);
}

pub fn follow(stage: &mut Stage, tab: i32, from: &str, to: &str) {
    stage.wait(1_000.0);
    stage.follow(tab, &bees(from), place(to), &bees(to));
}

/// A click that opens another tab, in which the page arrives.
pub fn follow_into(stage: &mut Stage, tab: i32, from: &str, to: &str, new: i32) {
    stage.wait(1_000.0);
    stage.click(tab, &bees(from), place(to), true);
    type_in(stage, new, to);
}

/// The person opens a tab from the browser's menu over a link: no click is heard of.
pub fn open_from_menu(stage: &mut Stage, opener: i32, new: i32, to: &Snapshot, referrer: &str) {
    stage.wait(1_000.0);
    let request = Request::Opened { tab: new, opener };
    stage.own(request).unwrap();
    stage.wait(1_000.0);
    stage.arrive(new, to, Arrival::Navigate, referrer);
}
