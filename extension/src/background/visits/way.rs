//! The way to the page that a tab shows: a tree of the pages from which the person went on in
//! this session, by the links they followed in any tab and what they went to in this one.

use std::collections::{BTreeMap, BTreeSet};

use super::Visits;
use crate::ports::World;
use crate::problem::Problem;
use crate::shown::WayStep;

/// Pages of the tree that are shown.
const MOST_SHOWN: usize = 100;

/// Pages, and from which to which a person went, in the order in which they did.
#[derive(Default)]
struct Ways {
    titles: BTreeMap<String, String>,
    next: BTreeMap<String, Vec<String>>,
    before: BTreeMap<String, String>,
}

impl Ways {
    fn page(&mut self, address: &str, title: &str) {
        let known = self.titles.entry(address.to_owned()).or_default();
        if known.is_empty() {
            title.clone_into(known);
        }
    }

    /// A page is reached once: by the first way there.
    fn went(&mut self, from: &str, to: &str) {
        if from == to || self.before.contains_key(to) || self.is_before(from, to) {
            return;
        }
        self.before.insert(to.to_owned(), from.to_owned());
        self.next
            .entry(from.to_owned())
            .or_default()
            .push(to.to_owned());
    }

    /// Whether the way to `page` leads over `other`.
    fn is_before(&self, page: &str, other: &str) -> bool {
        self.way_to(page).any(|step| step == other)
    }

    /// The page, and those before it, last first.
    fn way_to<'a>(&'a self, page: &'a str) -> impl Iterator<Item = &'a str> {
        std::iter::successors(Some(page), |page| {
            self.before.get(*page).map(String::as_str)
        })
    }

    /// The tree that a page is in, from its root.
    fn tree_of(&self, here: &str) -> Vec<WayStep> {
        let on_the_way: BTreeSet<&str> = self.way_to(here).collect();
        let Some(root) = self.way_to(here).last() else {
            return Vec::new();
        };
        let mut steps = Vec::new();
        let mut waiting = vec![(root, 0)];
        while let Some((page, depth)) = waiting.pop() {
            steps.push(WayStep {
                depth,
                address: page.to_owned(),
                title: self.titles.get(page).cloned().unwrap_or_default(),
                is_here: page == here,
            });
            let next = self.next.get(page).into_iter().flatten();
            let mut next: Vec<&str> = next.map(String::as_str).collect();
            // Where there is more than can be shown, what led here is.
            next.sort_by_key(|page| !on_the_way.contains(page));
            waiting.extend(next.into_iter().rev().map(|page| (page, depth + 1)));
        }
        steps.truncate(MOST_SHOWN);
        steps
    }
}

impl<W: World> Visits<W> {
    /// See [`crate::request::Request::Way`]; empty where the tab shows no page that was read.
    pub(in crate::background) async fn way_here(&self, tab: i32) -> Result<Vec<WayStep>, Problem> {
        let path = self.tab(tab).await?.path;
        let Some(here) = path.current() else {
            return Ok(Vec::new());
        };
        let mut ways = Ways::default();
        ways.page(&here.page, &here.title);
        for trail in self.context.store.trails().await? {
            if trail.session == path.session && trail.topic == here.topic {
                ways.page(&trail.from, &trail.from_title);
                ways.page(&trail.to, &trail.title);
                ways.went(&trail.from, &trail.to);
            }
        }
        let steps: Vec<_> = path
            .steps
            .iter()
            .filter(|step| step.topic == here.topic)
            .collect();
        for pair in steps.windows(2) {
            ways.page(&pair[0].page, &pair[0].title);
            ways.page(&pair[1].page, &pair[1].title);
            ways.went(&pair[0].page, &pair[1].page);
        }
        Ok(ways.tree_of(&here.page))
    }
}

#[cfg(test)]
mod tests {
    use crate::fakes::{Stage, page};
    use crate::request::{Request, Response};

    const LINKS: [(&str, &str); 3] = [("/a", "to a"), ("/b", "to b"), ("/c", "to c")];

    fn way(stage: &mut Stage, tab: i32) -> Vec<(usize, String, bool)> {
        match stage.own(Request::Way { tab }).unwrap().answer {
            Response::Way(steps) => steps
                .into_iter()
                .map(|step| (step.depth, step.title, step.is_here))
                .collect(),
            other => panic!("{other:?}"),
        }
    }

    fn line(depth: usize, title: &str, is_here: bool) -> (usize, String, bool) {
        (depth, title.to_owned(), is_here)
    }

    #[test]
    fn the_way_is_a_tree_of_what_was_followed() {
        let mut stage = Stage::with_topic("kidneys");
        assert!(way(&mut stage, 7).is_empty());
        let start = page("http://k.test/", "Start", "Kidneys.", &LINKS);
        stage.open(7, &start);
        assert_eq!(way(&mut stage, 7), [line(0, "Start", true)]);
        stage.click(7, &start, 0, true);
        stage.wait(1_000.0);
        stage.open(8, &page("http://k.test/a", "A", "Dialysis.", &LINKS));
        let b = page("http://k.test/b", "B", "Diet.", &LINKS);
        stage.follow(7, &start, 1, &b);
        let c = page("http://k.test/c", "C", "Stones.", &[("/", "home")]);
        stage.follow(7, &b, 2, &c);
        let tree = |here: &str| {
            let lines = [(0, "Start"), (1, "A"), (1, "B"), (2, "C")];
            let mut lines = lines.map(|(depth, title)| line(depth, title, title == here));
            if here != "A" {
                // What led here comes first.
                lines = [0, 2, 3, 1].map(|place| lines[place].clone());
            }
            lines
        };
        assert_eq!(way(&mut stage, 7), tree("C"));
        assert_eq!(way(&mut stage, 8), tree("A"));
        // A path that turns back on itself stays a tree.
        stage.follow(7, &c, 0, &start);
        assert_eq!(way(&mut stage, 7).len(), 4);
        // Another session is another way.
        stage.world.session.replace("tomorrow".to_owned());
        stage.open(9, &c);
        assert_eq!(way(&mut stage, 9), [line(0, "C", true)]);
    }
}
