//! Taxonomies that others keep: a DMOZ dump, a bookmarks file, a folder tree of pages
//! (\[A\] 3.1).
//!
//! Nothing is kept whole: pages are sorted into classes of the focus and of the
//! rest as they are read, and of each class only a sample stays, so that
//! gigabytes take little memory. Small classes then join their parents, and
//! every class gives the same number of pages. Nothing is fetched: of pages that are only
//! named, there are the words that the taxonomy says of them, unless an archive has them.

mod bookmarks;
mod dmoz;
mod folders;

use std::collections::{BTreeMap, HashSet};
use std::io::BufRead;
use std::path::Path;

use anyhow::Result;
use linkscent_core::address::Address;
use linkscent_core::critics::taxonomy::{EXAMPLE_WORDS, is_under};
use linkscent_core::dom::Builder;
use linkscent_core::page::Page;
use linkscent_core::strategies::{Rng, SplitMix};

use crate::frozen::key;
use crate::page::build;
use crate::warc::Reader;

/// Media type of pages that are text already.
const HTML: &str = "text/html; charset=utf-8";

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

/// A page as far as a taxonomy has it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entry {
    /// Its address; empty where that is not known.
    pub address: String,
    /// What the taxonomy says of it: title and description.
    pub said: String,
    /// Its commonest words with their counts; empty where its text is not there.
    pub words: Vec<(String, u32)>,
}

impl Entry {
    /// A page that is only named.
    fn named(address: &Address, said: &str) -> Self {
        Self {
            address: address.to_string(),
            said: shorten(said, LONGEST_SAID).to_owned(),
            words: Vec::new(),
        }
    }

    /// A page whose text is there.
    fn whole(address: &str, body: &[u8], content_type: Option<&str>) -> Self {
        Self {
            address: address.to_owned(),
            said: String::new(),
            words: words_of(address, body, content_type),
        }
    }

    /// The words that stand for the page: its own, or those of what is said of it.
    pub fn known_words(&self) -> Vec<(String, u32)> {
        if !self.words.is_empty() || self.said.is_empty() {
            return self.words.clone();
        }
        let mut text = Builder::new();
        text.leaf(&self.said);
        match (Address::parse(NOWHERE), text.finish()) {
            (Ok(nowhere), Ok(text)) => Page::new(nowhere, text).heaviest_words(EXAMPLE_WORDS),
            _ => Vec::new(),
        }
    }
}

fn words_of(address: &str, body: &[u8], content_type: Option<&str>) -> Vec<(String, u32)> {
    let address = Address::parse(address).or_else(|_| Address::parse(NOWHERE));
    let page = address.map(|address| build(address, body, content_type).0);
    page.map_or_else(|_| Vec::new(), |page| page.heaviest_words(EXAMPLE_WORDS))
}

/// The first so many bytes, whole letters only.
fn shorten(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// A class with the pages that stand for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassPages {
    /// Its node.
    pub name: String,
    /// Whether it is the topic or part of it.
    pub is_focus: bool,
    /// They.
    pub pages: Vec<Entry>,
}

/// Problems kept to be shown.
const MOST_PROBLEMS: usize = 50;
/// Bytes of a node's path at most.
const LONGEST_NODE: usize = 500;
/// Bytes kept of what is said of a page.
const LONGEST_SAID: usize = 500;
/// Where a page is taken to be of which nobody says.
const NOWHERE: &str = "http://nowhere.invalid/";
/// The node of pages that stand at none.
const NO_NODE: &str = "(at the top)";

/// A sample of a class in which every page seen is as likely to be.
#[derive(Debug, Default)]
struct Sample {
    seen: u64,
    kept: Vec<Entry>,
}

impl Sample {
    fn add(&mut self, page: impl FnOnce() -> Entry, most: usize, rng: &mut SplitMix) {
        self.seen += 1;
        if self.kept.len() < most {
            self.kept.push(page());
            return;
        }
        let place = (rng.unit() * self.seen as f64) as usize;
        if let Some(slot) = self.kept.get_mut(place) {
            *slot = page();
        }
    }
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

    /// Reads a folder tree of pages (HTML and WARC files) and lists of addresses.
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

    /// A page stands at a node, such as `Top/Arts/Animation`. It is made only if it is
    /// among those that are kept.
    fn add(&mut self, line: usize, node: &str, page: impl FnOnce() -> Entry) {
        if node.len() > LONGEST_NODE {
            self.problem(line, "the path of this node is too long");
            return;
        }
        let node = if node.is_empty() { NO_NODE } else { node };
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

    /// Gives pages that are only named the words that an archive has of them; how many it
    /// had.
    pub fn read_pages(&mut self, archive: &Path) -> Result<usize> {
        let mut named: BTreeMap<String, Vec<&mut Entry>> = BTreeMap::new();
        let samples = self.classes.values_mut().map(|class| &mut class.sample);
        for entry in samples.flat_map(|sample| &mut sample.kept) {
            if entry.words.is_empty()
                && let Some(key) = key(&entry.address)
            {
                named.entry(key).or_default().push(entry);
            }
        }
        let mut found = HashSet::new();
        for capture in Reader::open(archive)?.captures() {
            // One that breaks off gives what stands before the break.
            let Ok(capture) = capture else { break };
            let record = &capture.record;
            let entries = key(&record.target).and_then(|key| Some((named.get_mut(&key)?, key)));
            let Some((entries, key)) = entries.filter(|_| record.kind == "response") else {
                continue;
            };
            if let Some(kept) = capture.exchange() {
                let words = words_of(&kept.address, kept.html().as_bytes(), Some(HTML));
                for entry in entries {
                    entry.words.clone_from(&words);
                }
                found.insert(key);
            }
        }
        Ok(found.len())
    }

    /// The classes, those of the focus first: of the focus at most as many
    /// pages as of any class, of the rest at most `others`; from each class as
    /// many as there are. Classes that are too small join their parents first, and the
    /// deepest ones as long as there are more than `most_classes`; those of the focus never
    /// beyond its node.
    pub fn classes(&self, others: usize, most_classes: usize) -> Vec<ClassPages> {
        let mut depth = self.choice.depth;
        loop {
            let classes = self.classes_down_to(depth, others);
            if classes.len() <= most_classes || depth == 1 {
                return classes;
            }
            depth -= 1;
        }
    }

    fn classes_down_to(&self, depth: usize, others: usize) -> Vec<ClassPages> {
        let mut classes = Vec::new();
        for (is_focus, most) in [(true, self.choice.most), (false, others)] {
            let joined = self.joined(is_focus, depth);
            let balanced = balanced(joined, most, self.choice.most);
            classes.extend(balanced.into_iter().map(|(name, pages)| ClassPages {
                name,
                is_focus,
                pages,
            }));
        }
        classes
    }

    fn joined(&self, is_focus: bool, deepest: usize) -> BTreeMap<String, Vec<Entry>> {
        let of_kind = self.classes.iter();
        let of_kind = of_kind.filter(|(_, class)| class.is_focus == is_focus);
        let mut classes: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
        for (name, class) in of_kind {
            let focus = self.choice.focus.iter().find(|focus| is_under(name, focus));
            let least = focus.map_or(0, |focus| depth_of(focus));
            let parts: Vec<&str> = name.split('/').take(deepest.max(least)).collect();
            let pages = classes.entry(parts.join("/")).or_default();
            pages.extend(class.sample.kept.iter().cloned());
        }
        let may_join = |name: &str| !self.choice.focus.iter().any(|focus| focus == name);
        for depth in (2..=self.choice.depth).rev() {
            let small = |(name, pages): &(&String, &Vec<Entry>)| {
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
    mut classes: BTreeMap<String, Vec<Entry>>,
    most: usize,
    most_of_one: usize,
) -> Vec<(String, Vec<Entry>)> {
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
