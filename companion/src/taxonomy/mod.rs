//! Topics out of taxonomies that others keep: a DMOZ dump, a bookmarks file, a
//! folder tree of pages ([A] 3.1).
//!
//! Nothing is kept whole: pages are sorted into the focus and into classes of
//! the rest as they are read, and of each class only a sample stays, so that
//! gigabytes take little memory. Small classes then join their parents, and the
//! rest gives the same number of pages from each class.

mod bookmarks;
mod dmoz;
mod folders;

use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::Path;

use anyhow::Result;
use linkscent_core::strategies::{Draw, SplitMix};

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

/// See the module.
#[derive(Debug)]
pub struct Taxonomy {
    choice: Choice,
    focus: Sample,
    rest: BTreeMap<String, Sample>,
    draw: SplitMix,
    /// Entries that could not be read, with their lines.
    pub problems: Vec<String>,
    /// How many more there were.
    pub more_problems: usize,
    /// Pages read.
    pub pages: u64,
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
    fn add(&mut self, page: String, most: usize, draw: &mut SplitMix) {
        self.seen += 1;
        if self.kept.len() < most {
            self.kept.push(page);
            return;
        }
        let place = (draw.unit() * self.seen as f64) as usize;
        if let Some(slot) = self.kept.get_mut(place) {
            *slot = page;
        }
    }
}

impl Taxonomy {
    /// An empty one.
    pub fn new(choice: Choice, random_seed: u64) -> Self {
        Self {
            choice,
            focus: Sample::default(),
            rest: BTreeMap::new(),
            draw: SplitMix(random_seed),
            problems: Vec::new(),
            more_problems: 0,
            pages: 0,
        }
    }

    /// Reads a DMOZ content dump.
    pub fn read_dmoz(&mut self, input: impl BufRead) -> Result<()> {
        dmoz::read(input, self)
    }

    /// Reads a bookmarks file, as browsers export it.
    pub fn read_bookmarks(&mut self, text: &str) {
        bookmarks::read(text, self);
    }

    /// Reads a folder tree of lists of addresses.
    pub fn read_folders(&mut self, folder: &Path) -> Result<()> {
        folders::read(folder, self)
    }

    /// A page stands at a node, such as `Top/Arts/Animation`.
    fn add(&mut self, node: &str, page: String) {
        self.pages += 1;
        let most = self.choice.most;
        let is_under = |focus: &String| {
            node.strip_prefix(focus.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if self.choice.focus.iter().any(is_under) {
            self.focus.add(page, most, &mut self.draw);
            return;
        }
        let parts: Vec<&str> = node.split('/').take(self.choice.depth).collect();
        let class = self.rest.entry(parts.join("/")).or_default();
        class.add(page, most, &mut self.draw);
    }

    fn problem(&mut self, line: usize, what: &str) {
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(format!("line {line}: {what}"));
        } else {
            self.more_problems += 1;
        }
    }

    /// Pages of the focus.
    pub fn examples(&self) -> &[String] {
        &self.focus.kept
    }

    /// At most `most` pages of the rest, as many from each class as there are;
    /// classes that are too small join their parents first. By class.
    pub fn others(&self, most: usize) -> Vec<(String, Vec<String>)> {
        let mut classes: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (name, sample) in &self.rest {
            classes.insert(name.clone(), sample.kept.clone());
        }
        for depth in (2..=self.choice.depth).rev() {
            let small = |(name, pages): &(&String, &Vec<String>)| {
                name.split('/').count() == depth && pages.len() < self.choice.least
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
        let mut share = 0;
        while share < self.choice.most
            && classes
                .values()
                .map(|pages| pages.len().min(share + 1))
                .sum::<usize>()
                <= most
        {
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
}

#[cfg(test)]
mod tests;
