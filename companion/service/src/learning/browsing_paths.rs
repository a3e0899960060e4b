//! The paths a person took, from the log of what happened in the browser.
//!
//! Visits name the visit they came from, so they form trees; a path leads from a root to a
//! leaf. Going back, forward or loading a page again returns to a visit and adds none.
//! Clicks that no visit names (an earlier browser extension sent them, or the page was not
//! logged) go on from the newest visit to the page with the link.
//!
//! A log may come from anywhere, in any order: a visit may come before the one it came from,
//! name one that was forgotten, or itself. What contradicts itself is cut there and named.

use std::collections::{HashMap, HashSet};

use linkscent_core::wire::api::{Event, EventKind, Visit};

/// Pages of the way before a branch that are repeated with it. A path whose branches all
/// repeated all of it would be of quadratic length.
const SHARED: usize = 10;

/// A page on a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step<'a> {
    /// The page.
    pub page: &'a str,
    /// What was noted of it when it was read, if it was.
    pub visit: Option<&'a Visit>,
    /// The event of the link that led to it from the page before, if one is known.
    pub click: Option<&'a Event>,
}

/// The paths of a topic, in the order in which their last pages were logged.
#[derive(Debug, Default, PartialEq)]
pub struct Paths<'a> {
    /// Each at least two pages long.
    pub paths: Vec<Vec<Step<'a>>>,
    /// What contradicted itself, for people.
    pub faults: Vec<String>,
}

/// A step and the one it came from, by number.
struct Node<'a> {
    step: Step<'a>,
    from: Option<usize>,
}

impl<'a> Paths<'a> {
    /// Puts the paths of a topic's events together. Events that were sent twice count once.
    pub fn of(events: &'a [Event]) -> Self {
        let mut trees = Trees::default();
        trees.add_visits(events);
        trees.add_clicks(events);
        trees.cut_circles();
        Self {
            paths: trees.paths(),
            faults: trees.faults,
        }
    }
}

#[derive(Default)]
struct Trees<'a> {
    nodes: Vec<Node<'a>>,
    /// The newest node of each page.
    newest: HashMap<&'a str, usize>,
    /// Clicks that a visit names.
    named: HashMap<&'a str, usize>,
    faults: Vec<String>,
}

impl<'a> Trees<'a> {
    fn push(&mut self, step: Step<'a>, from: Option<usize>) -> usize {
        let number = self.nodes.len();
        self.newest.insert(step.page, number);
        self.nodes.push(Node { step, from });
        number
    }

    fn add_visits(&mut self, events: &'a [Event]) {
        let clicks = events.iter().filter(|event| is_click(event));
        let clicks: HashMap<&str, &Event> = clicks.map(|event| (&*event.id, event)).collect();
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let mut arrivals = Vec::new();
        for event in events {
            let EventKind::Visit(visit) = &event.what else {
                continue;
            };
            if visit.how.returns() || numbers.contains_key(&*event.id) {
                continue;
            }
            let click = visit
                .click
                .as_deref()
                .and_then(|id| clicks.get(id).copied());
            let step = Step {
                page: &visit.page,
                visit: Some(visit),
                click,
            };
            let number = self.push(step, None);
            numbers.insert(&event.id, number);
            if let Some(click) = click {
                self.named.insert(&click.id, number);
            }
            arrivals.push((number, visit));
        }
        for (number, visit) in arrivals {
            if visit.how.begins() {
                continue;
            }
            let from = visit.from.as_deref();
            let before = from.and_then(|id| numbers.get(id).copied());
            let Some((click_from, _)) = self.nodes[number].step.click.and_then(ends) else {
                self.nodes[number].from = before;
                continue;
            };
            // The page with the link is the page before, or it is not known of this visit.
            let same = before.filter(|&before| self.nodes[before].step.page == click_from);
            if before.is_some() && same.is_none() {
                self.nodes[number].step.click = None;
            }
            self.nodes[number].from = match before {
                Some(before) => Some(before),
                None => Some(self.root(click_from)),
            };
        }
    }

    fn root(&mut self, page: &'a str) -> usize {
        let step = Step {
            page,
            visit: None,
            click: None,
        };
        self.push(step, None)
    }

    fn add_clicks(&mut self, events: &'a [Event]) {
        let mut seen = HashSet::new();
        for event in events {
            let Some((from, to)) = ends(event) else {
                continue;
            };
            if self.named.contains_key(&*event.id) || !seen.insert(&*event.id) {
                continue;
            }
            let before = self.newest.get(from).copied();
            let before = before.unwrap_or_else(|| self.root(from));
            let step = Step {
                page: to,
                visit: None,
                click: Some(event),
            };
            self.push(step, Some(before));
        }
    }

    /// Visits that came from each other begin a path where the circle is met.
    fn cut_circles(&mut self) {
        let mut is_sound = vec![false; self.nodes.len()];
        for start in 0..self.nodes.len() {
            let (mut at, mut passed) = (Some(start), Vec::new());
            let mut is_passed = HashSet::new();
            while let Some(node) = at.filter(|&node| !is_sound[node]) {
                if !is_passed.insert(node) {
                    let page = self.nodes[node].step.page;
                    self.faults.push(format!(
                        "a path through {page} comes from itself: it is taken to begin there"
                    ));
                    self.nodes[node].from = None;
                    self.nodes[node].step.click = None;
                    break;
                }
                passed.push(node);
                at = self.nodes[node].from;
            }
            for node in passed {
                is_sound[node] = true;
            }
        }
    }

    fn paths(&self) -> Vec<Vec<Step<'a>>> {
        let mut has_next = vec![false; self.nodes.len()];
        for node in &self.nodes {
            if let Some(from) = node.from {
                has_next[from] = true;
            }
        }
        let mut used = vec![false; self.nodes.len()];
        let mut paths = Vec::new();
        for leaf in (0..self.nodes.len()).filter(|&node| !has_next[node]) {
            let (mut path, mut shared) = (Vec::new(), 0);
            let mut at = Some(leaf);
            while let Some(node) = at.filter(|_| shared < SHARED) {
                shared += usize::from(used[node]);
                used[node] = true;
                path.push(self.nodes[node].step);
                at = self.nodes[node].from;
            }
            path.reverse();
            if let Some(first) = path.first_mut() {
                first.click = None;
            }
            if path.len() > 1 {
                paths.push(path);
            }
        }
        paths
    }
}

fn is_click(event: &Event) -> bool {
    matches!(event.what, EventKind::Click { .. })
}

/// The page with the link that was followed, and the page it led to.
fn ends(event: &Event) -> Option<(&str, &str)> {
    match &event.what {
        EventKind::Click { from, to, .. } => Some((from, to)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use linkscent_core::wire::api::Transition;

    fn event(id: &str, what: EventKind) -> Event {
        Event {
            id: id.to_owned(),
            topic: "bees".to_owned(),
            time: 1,
            what,
        }
    }

    fn click(id: &str, from: &str, to: &str) -> Event {
        let (from, to) = (from.to_owned(), to.to_owned());
        let what = EventKind::Click {
            from,
            to,
            anchor: String::new(),
            context: Vec::new(),
            relevance: 0.0,
            passed_over: Vec::new(),
        };
        event(id, what)
    }

    fn visit(id: &str, page: &str, how: Transition, from: &str, click: &str) -> Event {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let visit = Visit {
            page: page.to_owned(),
            tab: 1,
            how,
            from: some(from),
            click: some(click),
            relevance: 0.0,
            title_words: Vec::new(),
            heading_words: Vec::new(),
            words: Vec::new(),
        };
        event(id, EventKind::Visit(visit))
    }

    /// Pages of each path, a link that is known as `>`, one that is not as `-`.
    fn drawn(events: &[Event]) -> Vec<String> {
        let paths = Paths::of(events);
        assert_eq!(paths.faults, Vec::<String>::new());
        let draw = |path: &Vec<Step<'_>>| {
            let mut text = path[0].page.to_owned();
            for step in &path[1..] {
                text += if step.click.is_some() { ">" } else { "-" };
                text += step.page;
            }
            text
        };
        paths.paths.iter().map(draw).collect()
    }

    #[test]
    fn a_hundred_walks_are_a_hundred_paths() {
        let mut events = Vec::new();
        for walk in 0..100 {
            for pair in ["start", "garden", "hive", "bees"].windows(2) {
                events.push(click(&format!("{walk} {}", pair[0]), pair[0], pair[1]));
            }
        }
        events.push(click("a", "start", "quarry"));
        events.push(click("b", "start", "quarry"));
        let drawn = drawn(&events);
        let way = "start>garden>hive>bees";
        assert_eq!(drawn.iter().filter(|path| *path == way).count(), 100);
        assert_eq!(drawn.len(), 102);
        assert_eq!(drawn[101], "start>quarry");
    }

    #[test]
    fn back_and_new_tabs_branch_and_typed_addresses_begin() {
        use Transition::{Back, Link, NewTab, Redirect, Reload, Typed};
        let events = [
            visit("1", "a", Typed, "", ""),
            click("c1", "a", "b"),
            visit("2", "b", Link, "1", "c1"),
            visit("3", "a", Back, "1", ""),
            visit("4", "a", Reload, "1", ""),
            click("c2", "a", "x"),
            visit("5", "c", Redirect, "1", "c2"),
            visit("6", "d", NewTab, "5", ""),
            visit("7", "e", Typed, "6", ""),
            click("c3", "e", "f"),
        ];
        assert_eq!(drawn(&events), ["a>b", "a>c-d", "e>f"]);
        let mut mixed: Vec<Event> = events.iter().rev().cloned().collect();
        mixed.extend(events.clone());
        let mut again = drawn(&mixed);
        again.sort();
        assert_eq!(again, ["a>b", "a>c-d", "e>f"], "in any order, sent twice");
    }

    #[test]
    fn what_is_missing_or_does_not_fit_is_left_out() {
        use Transition::Link;
        // The visit before was forgotten, but the click says where it stood.
        let missing = [click("c", "a", "b"), visit("2", "b", Link, "1", "c")];
        assert_eq!(drawn(&missing), ["a>b"]);
        // The click stood on another page than the one before.
        let jump = [
            visit("1", "x", Transition::Typed, "", ""),
            click("c", "a", "b"),
            visit("2", "b", Link, "1", "c"),
        ];
        assert_eq!(drawn(&jump), ["x-b"]);
        assert_eq!(drawn(&[visit("1", "x", Link, "gone", "gone")]), [""; 0]);
    }

    #[test]
    fn a_circle_is_cut_and_named() {
        use Transition::Link;
        let events = [
            visit("1", "a", Link, "3", ""),
            visit("2", "b", Link, "1", ""),
            visit("3", "c", Link, "2", ""),
            visit("4", "d", Link, "4", ""),
            visit("5", "e", Link, "2", ""),
        ];
        let paths = Paths::of(&events);
        assert_eq!(paths.faults.len(), 2, "{:?}", paths.faults);
        assert!(paths.faults[0].contains("comes from itself"));
        let lengths: Vec<usize> = paths.paths.iter().map(Vec::len).collect();
        assert_eq!(lengths.iter().sum::<usize>(), 6, "{lengths:?}");
    }

    #[test]
    fn ten_thousand_pages_are_one_path_and_branches_repeat_little() {
        let chain = |n: usize| click(&n.to_string(), &pages()[n], &pages()[n + 1]);
        let mut events: Vec<Event> = (0..10_000).map(chain).collect();
        let paths = Paths::of(&events);
        assert_eq!((paths.paths.len(), paths.paths[0].len()), (1, 10_001));
        for n in 0..5_000 {
            events.push(click(
                &format!("aside {n}"),
                &pages()[n],
                &format!("aside {n}"),
            ));
        }
        let paths = Paths::of(&events);
        let all: usize = paths.paths.iter().map(Vec::len).sum();
        assert_eq!(paths.paths.len(), 5_001);
        assert!(all <= 10_001 + 5_000 * (1 + SHARED), "{all}");
    }

    fn pages() -> &'static [String] {
        static PAGES: std::sync::LazyLock<Vec<String>> =
            std::sync::LazyLock::new(|| (0..=10_000).map(|n| format!("page {n}")).collect());
        &PAGES
    }
}
