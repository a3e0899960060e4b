//! Topics out of taxonomies that others keep: a DMOZ dump, a bookmarks file, a
//! folder tree of pages (\[A\] 3.1).
//!
//! Nothing is kept whole: pages are sorted into classes of the focus and of the
//! rest as they are read, and of each class only a sample stays, so that
//! gigabytes take little memory. Small classes then join their parents, and
//! every class gives the same number of pages.

mod bookmarks;
mod dmoz;
mod folders;

use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::Path;

use anyhow::Result;
use linkscent_core::strategies::{Rng, SplitMix};

/// How a taxonomy is read.
#[derive(Debug, Clone)]
pub struct Choice {
    /// Nodes that are the topic, with all below them.
    pub focus: Vec<String>,
    /// Classes of the rest are told apart down to this depth.
    pub depth: usize,
    /// Pages kept of a class, and of the focus.
    pub most: usize,
    /// A class with fewer pages joins its parent.
    pub least: usize,
}

/// Nodes by path, with their pages.
#[derive(Debug)]
pub struct Taxonomy {
    choice: Choice,
    classes: BTreeMap<String, Class>,
    rng: SplitMix,
    /// Nodes of the focus that the structure names.
    known_focus: Vec<String>,
    /// Nodes of the structure.
    pub nodes: u64,
    /// Entries that could not be read, with their lines.
    pub problems: Vec<String>,
    /// How many more there were.
    pub more_problems: usize,
    /// Pages read.
    pub pages: u64,
}

/// A class of the taxonomy that is told apart.
#[derive(Debug, Default)]
struct Class {
    is_focus: bool,
    sample: Sample,
}

/// A class with the pages that stand for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassPages {
    /// Its node.
    pub name: String,
    /// Whether it is the topic or part of it.
    pub is_focus: bool,
    /// Addresses.
    pub pages: Vec<String>,
}

/// Problems kept to be shown.
const MOST_PROBLEMS: usize = 50;

/// A sample of a class in which every page seen is as likely to be.
#[derive(Debug, Default)]
struct Sample {
    seen: u64,
    kept: Vec<String>,
}

impl Sample {
    fn add(&mut self, page: String, most: usize, rng: &mut SplitMix) {
        self.seen += 1;
        if self.kept.len() < most {
            self.kept.push(page);
            return;
        }
        let place = (rng.unit() * self.seen as f64) as usize;
        if let Some(slot) = self.kept.get_mut(place) {
            *slot = page;
        }
    }
}

/// Whether a node is another one or stands below it.
fn is_under(node: &str, above: &str) -> bool {
    node.strip_prefix(above)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn depth_of(node: &str) -> usize {
    node.split('/').count()
}

impl Taxonomy {
    /// An empty one.
    pub fn new(choice: Choice, random_seed: u64) -> Self {
        Self {
            choice,
            classes: BTreeMap::new(),
            rng: SplitMix(random_seed),
            known_focus: Vec::new(),
            nodes: 0,
            problems: Vec::new(),
            more_problems: 0,
            pages: 0,
        }
    }

    /// Reads a DMOZ content dump.
    pub fn read_dmoz(&mut self, input: impl BufRead) -> Result<()> {
        dmoz::read_content(input, self)
    }

    /// Reads a DMOZ structure dump; comes before the content.
    pub fn read_dmoz_structure(&mut self, input: impl BufRead) -> Result<()> {
        dmoz::read_structure(input, self)
    }

    /// Reads a bookmarks file, as browsers export it.
    pub fn read_bookmarks(&mut self, text: &str) {
        bookmarks::read(text, self);
    }

    /// Reads a folder tree of lists of addresses.
    pub fn read_folders(&mut self, folder: &Path) -> Result<()> {
        folders::read(folder, self)
    }

    /// The nodes that are the topic: those chosen, and those that a structure
    /// says they refer to.
    pub fn focus(&self) -> &[String] {
        &self.choice.focus
    }

    /// Nodes of the focus that a structure was read for and does not have.
    pub fn unknown_focus(&self) -> Vec<&String> {
        let unknown = |node: &&String| self.nodes > 0 && !self.known_focus.contains(node);
        self.choice.focus.iter().filter(unknown).collect()
    }

    /// The structure has a node, which refers to others.
    fn add_node<'a>(&mut self, node: &str, others: impl Iterator<Item = &'a str>) {
        self.nodes += 1;
        if !self.choice.focus.iter().any(|focus| is_under(node, focus)) {
            return;
        }
        if self.choice.focus.iter().any(|focus| focus == node) {
            self.known_focus.push(node.to_owned());
        }
        for other in others {
            if !self.choice.focus.iter().any(|focus| is_under(other, focus)) {
                self.choice.focus.push(other.to_owned());
                self.known_focus.push(other.to_owned());
            }
        }
    }

    /// A page stands at a node, such as `Top/Arts/Animation`.
    fn add(&mut self, node: &str, page: String) {
        self.pages += 1;
        let focus = self.choice.focus.iter().find(|focus| is_under(node, focus));
        let least = focus.map_or(0, |focus| depth_of(focus));
        let depth = self.choice.depth.max(least);
        let parts: Vec<&str> = node.split('/').take(depth).collect();
        let class = self.classes.entry(parts.join("/")).or_default();
        class.is_focus = focus.is_some();
        class.sample.add(page, self.choice.most, &mut self.rng);
    }

    fn problem(&mut self, line: usize, what: &str) {
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(format!("line {line}: {what}"));
        } else {
            self.more_problems += 1;
        }
    }

    /// The classes, those of the focus first: of the focus at most as many
    /// pages as of any class, of the rest at most `others`; from each class as
    /// many as there are. Classes that are too small join their parents first,
    /// those of the focus never beyond its node.
    pub fn classes(&self, others: usize) -> Vec<ClassPages> {
        let mut classes = Vec::new();
        for (is_focus, most) in [(true, self.choice.most), (false, others)] {
            let balanced = balanced(self.joined(is_focus), most, self.choice.most);
            classes.extend(balanced.into_iter().map(|(name, pages)| ClassPages {
                name,
                is_focus,
                pages,
            }));
        }
        classes
    }

    fn joined(&self, is_focus: bool) -> BTreeMap<String, Vec<String>> {
        let of_kind = self.classes.iter();
        let of_kind = of_kind.filter(|(_, class)| class.is_focus == is_focus);
        let mut classes: BTreeMap<String, Vec<String>> = of_kind
            .map(|(name, class)| (name.clone(), class.sample.kept.clone()))
            .collect();
        let may_join = |name: &str| !self.choice.focus.iter().any(|focus| focus == name);
        for depth in (2..=self.choice.depth).rev() {
            let small = |(name, pages): &(&String, &Vec<String>)| {
                depth_of(name) == depth && pages.len() < self.choice.least && may_join(name)
            };
            let small: Vec<String> = classes
                .iter()
                .filter(small)
                .map(|row| row.0.clone())
                .collect();
            for name in small {
                let parent = name
                    .rsplit_once('/')
                    .map_or("", |(parent, _)| parent)
                    .to_owned();
                let pages = classes.remove(&name).unwrap_or_default();
                classes.entry(parent).or_default().extend(pages);
            }
        }
        classes
    }
}

/// At most `most` pages in all and `most_of_one` of a class, as many of each
/// class as there are.
fn balanced(
    mut classes: BTreeMap<String, Vec<String>>,
    most: usize,
    most_of_one: usize,
) -> Vec<(String, Vec<String>)> {
    let taken = |share: usize| -> usize {
        let pages = classes.values();
        pages.map(|pages| pages.len().min(share)).sum()
    };
    let mut share = 0;
    while share < most_of_one && taken(share + 1) <= most {
        share += 1;
    }
    for pages in classes.values_mut() {
        pages.truncate(share.max(1));
    }
    classes.retain(|_, pages| !pages.is_empty());
    // More classes than pages wanted: one page from evenly spaced ones.
    let step = classes.len().div_ceil(most.max(1)).max(1);
    classes.into_iter().step_by(step).collect()
}

#[cfg(test)]
mod tests;
