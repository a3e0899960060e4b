//! A frozen web with its pages built: numbers in place of addresses, links that
//! lead out of it gone.

use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;

use anyhow::{Context, Result, bail};
use linkscent_core::address::Address;
use linkscent_core::dom::html::{self, TagTree};
use linkscent_core::page::Page;
use rustc_hash::{FxHashMap, FxHashSet};

use linkscent_archive::charset;
use linkscent_archive::frozen::key;
use linkscent_archive::warc::{Reader, Response};

/// Records handed to a builder at a time.
const CHUNK: usize = 64;

/// A frozen web in memory. A page's number is its place in the files.
pub struct EvalWeb {
    /// The pages. All links lead to pages of this web, by the very address
    /// that page has here.
    pub pages: Vec<Page>,
    /// Numbers of the pages a page links to, each once, in document order.
    pub links: Vec<Vec<u32>>,
    /// Bytes of HTML read.
    pub bytes: u64,
    /// What could not be read, a line each.
    pub problems: Vec<String>,
    numbers: FxHashMap<Address, u32>,
    keys: FxHashMap<String, u32>,
    files: Vec<PathBuf>,
}

type Raw = (String, Address, Response);

impl EvalWeb {
    /// Reads WARC files and builds their pages on all processors. Of several
    /// records with one key the first wins; a file that breaks off gives what
    /// came before.
    pub fn read(paths: &[PathBuf], mut on_page: impl FnMut(u64)) -> Result<Self> {
        let mut problems = Vec::new();
        let (to_builders, chunks) = crossbeam_channel::bounded::<(usize, Vec<Raw>)>(16);
        let (to_us, built) = mpsc::channel::<(usize, Vec<(String, Page, u64)>)>();
        let mut parts = thread::scope(|scope| -> Result<Vec<_>> {
            for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
                let (chunks, to_us) = (chunks.clone(), to_us.clone());
                scope.spawn(move || {
                    for (place, chunk) in chunks {
                        let pages = chunk.into_iter().map(build).collect();
                        if to_us.send((place, pages)).is_err() {
                            return;
                        }
                    }
                });
            }
            drop((chunks, to_us));
            read_records(paths, &mut problems, &mut on_page, |place, chunk| {
                let _ = to_builders.send((place, chunk));
            })?;
            drop(to_builders);
            Ok(built.into_iter().collect())
        })?;
        parts.sort_by_key(|(place, _)| *place);
        let built = parts.into_iter().flat_map(|(_, pages)| pages).collect();
        let mut web = Self::joined(built, problems);
        web.files = paths.to_vec();
        if web.pages.is_empty() {
            let reason = web.problems.first().map_or("", String::as_str);
            bail!("there is no page in {paths:?} {reason}");
        }
        Ok(web)
    }

    /// A web of pages from addresses and HTML.
    pub fn from_pages(pages: impl IntoIterator<Item = (String, String)>) -> Result<Self> {
        let mut built = Vec::new();
        for (address, body) in pages {
            let key = key(&address).with_context(|| format!("{address:?} is no web address"))?;
            built.push((key, page_of(&address, &body)?, body.len() as u64));
        }
        Ok(Self::joined(built, Vec::new()))
    }

    /// The same web with more pages behind its own, each of which was changed before.
    #[must_use]
    pub fn with_more(&self, more: Vec<Page>, mut change: impl FnMut(u32, &mut Page)) -> Self {
        let mut own = self.pages.clone();
        for (number, page) in (0..).zip(&mut own) {
            change(number, page);
        }
        let all = own.into_iter().chain(more);
        let keyed = all.map(|page| (key(page.address.as_str()).unwrap_or_default(), page, 0));
        Self::joined(keyed.collect(), self.problems.clone())
    }

    /// Some of its pages, by their numbers, with the links between them; they are numbered in
    /// this order.
    #[must_use]
    pub fn part(&self, pages: &[u32]) -> Self {
        let pages = pages.iter().map(|page| self.pages[*page as usize].clone());
        let keyed = pages.map(|page| (key(page.address.as_str()).unwrap_or_default(), page, 0));
        Self::joined(keyed.collect(), Vec::new())
    }

    fn joined(built: Vec<(String, Page, u64)>, problems: Vec<String>) -> Self {
        let mut web = Self {
            pages: Vec::with_capacity(built.len()),
            links: Vec::new(),
            bytes: 0,
            problems,
            numbers: FxHashMap::default(),
            keys: FxHashMap::default(),
            files: Vec::new(),
        };
        for (key, page, bytes) in built {
            let number = web.pages.len() as u32;
            web.numbers.insert(page.address.clone(), number);
            web.keys.insert(key, number);
            web.bytes += bytes;
            web.pages.push(page);
        }
        web.keep_inner_links();
        web
    }

    fn keep_inner_links(&mut self) {
        let addresses: Vec<Address> = self.pages.iter().map(|page| page.address.clone()).collect();
        let mut known: FxHashMap<Address, Option<u32>> = FxHashMap::default();
        for (number, page) in self.pages.iter_mut().enumerate() {
            let mut links = Vec::new();
            let mut met = FxHashSet::default();
            page.outlinks.retain_mut(|link| {
                let found = *known.entry(link.target.clone()).or_insert_with(|| {
                    let key = key(link.target.as_str())?;
                    self.keys.get(&key).copied()
                });
                let Some(target) = found.filter(|&target| target != number as u32) else {
                    return false;
                };
                link.target = addresses[target as usize].clone();
                if met.insert(target) {
                    links.push(target);
                }
                true
            });
            page.outlinks.shrink_to_fit();
            self.links.push(links);
        }
    }

    /// Number of the page at an address, by the loose key of frozen webs.
    pub fn find(&self, address: &str) -> Option<u32> {
        self.keys.get(&key(address)?).copied()
    }

    /// Number of the page that has exactly this address here.
    pub fn number(&self, address: &Address) -> Option<u32> {
        self.numbers.get(address).copied()
    }

    /// The tags of some pages, by their numbers: read from the files once more, since few
    /// ask for them.
    pub fn tags(&self, wanted: impl Fn(u32) -> bool) -> Result<FxHashMap<u32, TagTree>> {
        let mut trees = FxHashMap::default();
        read_records(&self.files, &mut Vec::new(), &mut |_| {}, |_, chunk| {
            for (key, _, response) in chunk {
                if let Some(&number) = self.keys.get(&key).filter(|number| wanted(**number)) {
                    let kind = response.content_type.as_deref();
                    let text = charset::decode(&response.body, kind);
                    trees.insert(number, html::parse_with_tags(&text).1);
                }
            }
        })?;
        Ok(trees)
    }

    /// Pages that can be reached from these by links, themselves included.
    pub fn reachable(&self, starts: impl IntoIterator<Item = u32>) -> Vec<bool> {
        let mut reached = vec![false; self.pages.len()];
        let mut open: Vec<u32> = starts.into_iter().collect();
        while let Some(page) = open.pop() {
            if !std::mem::replace(&mut reached[page as usize], true) {
                open.extend(&self.links[page as usize]);
            }
        }
        reached
    }
}

/// The page of an address and HTML.
pub fn page_of(address: &str, body: &str) -> Result<Page> {
    Ok(Page::new(Address::parse(address)?, html::parse(body)))
}

fn build((key, address, response): Raw) -> (String, Page, u64) {
    let text = charset::decode(&response.body, response.content_type.as_deref());
    let page = Page::new(address, html::parse(&text));
    (key, page, response.body.len() as u64)
}

fn read_records(
    paths: &[PathBuf],
    problems: &mut Vec<String>,
    on_page: &mut impl FnMut(u64),
    mut send: impl FnMut(usize, Vec<Raw>),
) -> Result<()> {
    let (mut seen, mut chunk, mut place) = (FxHashSet::default(), Vec::new(), 0);
    for path in paths {
        for record in Reader::open(path)? {
            let record = match record {
                Ok(record) if record.kind == "response" => record,
                Ok(_) => continue,
                Err(problem) => {
                    problems.push(problem.to_string());
                    continue;
                }
            };
            let Some(response) = record.response() else {
                problems.push(format!("{}: no HTTP response", record.target));
                continue;
            };
            let (Some(key), Ok(address)) = (key(&record.target), Address::parse(&record.target))
            else {
                continue;
            };
            if !seen.insert(key.clone()) {
                continue;
            }
            chunk.push((key, address, response));
            on_page(seen.len() as u64);
            if chunk.len() == CHUNK {
                send(place, std::mem::take(&mut chunk));
                place += 1;
            }
        }
    }
    send(place, chunk);
    Ok(())
}
