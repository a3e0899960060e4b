//! People's ways through a web, and the web they walked.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, Result, bail};
use flate2::read::MultiGzDecoder;
use rustc_hash::FxHashMap;
use sha1::{Digest, Sha1};

use crate::web::EvalWeb;

/// Where the pages lie that names of articles stand for.
const ADDRESS: &str = "http://wikispeedia.test/wiki/";

/// One way: pages by number, the last one is the target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClickPath {
    /// The pages, pages gone back from left out.
    pub pages: Vec<u32>,
}

impl ClickPath {
    /// The page that was looked for.
    pub fn target(&self) -> u32 {
        self.pages[self.pages.len() - 1]
    }
}

/// Trails to learn from and to be tested on; no target is in both.
#[derive(Debug, Default)]
pub struct Trails {
    /// To learn from.
    pub train: Vec<ClickPath>,
    /// To be tested on.
    pub test: Vec<ClickPath>,
    /// Lines that name pages the web lacks.
    pub missing: usize,
}

/// Whether trails to this target are tested on: the SHA-1 of its name, as a
/// number, is 1 modulo 5.
fn is_tested(name: &str) -> bool {
    // 256 is 1 modulo 5, so the digits may be added up.
    let digits = Sha1::digest(name.as_bytes()).into_iter().map(u32::from);
    digits.sum::<u32>() % 5 == 1
}

impl Trails {
    /// Reads a file of finished trails: a line of titles, then lines with the
    /// path in the fifth field, its pages parted by `;`, `<` for a step back.
    pub fn read(path: &Path, web: &EvalWeb) -> Result<Self> {
        let file = std::fs::File::open(path);
        let file = file.with_context(|| format!("reading {}", path.display()))?;
        let mut trails = Self::default();
        let lines = BufReader::new(MultiGzDecoder::new(file)).lines();
        for (number, line) in lines.enumerate().skip(1) {
            let place = || format!("{}, line {}", path.display(), number + 1);
            let line = line.with_context(place)?;
            let Some(names) = line.split('\t').nth(4) else {
                bail!("{}: there is no path in it", place());
            };
            let names = forward(names);
            let Some(target) = names.last() else {
                continue;
            };
            let pages = names
                .iter()
                .map(|name| web.find(&format!("{ADDRESS}{name}")));
            match pages.collect::<Option<Vec<u32>>>() {
                Some(pages) if pages.len() > 1 => {
                    let of_kind = if is_tested(target) {
                        &mut trails.test
                    } else {
                        &mut trails.train
                    };
                    of_kind.push(ClickPath { pages });
                }
                Some(_) => {}
                None => trails.missing += 1,
            }
        }
        Ok(trails)
    }
}

/// The pages of a path without those that were left by going back.
fn forward(path: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for name in path.split(';') {
        if name == "<" {
            names.pop();
        } else {
            names.push(name);
        }
    }
    names
}

/// Clicks from every page to a target, by number; computed once a target.
#[derive(Debug)]
pub struct Distances {
    backlinks: Vec<Vec<u32>>,
    known: FxHashMap<u32, Vec<u8>>,
}

/// Farther than any page lies.
pub const FAR: u8 = u8::MAX;

impl Distances {
    /// Of a web.
    pub fn new(web: &EvalWeb) -> Self {
        let mut backlinks = vec![Vec::new(); web.pages.len()];
        for (page, links) in web.links.iter().enumerate() {
            for &target in links {
                backlinks[target as usize].push(page as u32);
            }
        }
        Self {
            backlinks,
            known: FxHashMap::default(),
        }
    }

    /// Clicks from each page to this one.
    pub fn to(&mut self, target: u32) -> &[u8] {
        self.known.entry(target).or_insert_with(|| {
            let mut distances = vec![FAR; self.backlinks.len()];
            distances[target as usize] = 0;
            let mut open = VecDeque::from([target]);
            while let Some(page) = open.pop_front() {
                for &source in &self.backlinks[page as usize] {
                    if distances[source as usize] == FAR {
                        distances[source as usize] = distances[page as usize].saturating_add(1);
                        open.push_back(source);
                    }
                }
            }
            distances
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_back_are_taken_out() {
        assert_eq!(forward("a;b;<;c;d;<;<;e"), ["a", "e"]);
        assert_eq!(forward("a;<;<"), [""; 0]);
    }

    #[test]
    fn the_parts_are_those_of_the_whole_number() {
        // sha1("abc") = a9993e36...; by hand: 968236873715988614170569073515315707566766479517 mod 5.
        assert!("968236873715988614170569073515315707566766479517".ends_with('7'));
        assert!(!is_tested("abc"), "7 modulo 5 is 2");
    }

    #[test]
    fn distances_are_clicks() {
        let page = |n: u32, links: &[u32]| {
            let links: String = links
                .iter()
                .map(|to| format!("<a href='/{to}'>x</a>"))
                .collect();
            (format!("http://a.test/{n}"), links)
        };
        let web = EvalWeb::from_pages([page(0, &[1]), page(1, &[2]), page(2, &[0]), page(3, &[])]);
        let mut distances = Distances::new(&web.unwrap());
        assert_eq!(distances.to(2), [2, 1, 0, FAR]);
    }
}
