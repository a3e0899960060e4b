//! The library: every page that crawls kept, one item for a topic whatever number of crawls met
//! it, searched by words. The index follows the logs and the archives; it is written by whoever
//! comes first, and made again from them where it is damaged or where something in it is to be
//! forgotten.

mod damage;
mod known;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use linkscent_archive::page::page_at;
use linkscent_archive::warc::{Reader, WarcError};
use linkscent_core::address::Address;
use linkscent_core::budget::OverBudget;
use linkscent_core::dom::html::inert;
use linkscent_core::page::Page;
use linkscent_core::wire::api::{LibraryCount, LibraryFound, LibraryPage, SnippetPiece};
use linkscent_library::{
    Found, Hit, Item, Library as Index, LibraryError, MEANING, Order, Query, Search, of_key,
};

use super::ServiceError;
use super::context::Context;
use super::{Models, Topics};
use crate::library::asking::speaking;
use crate::library::standings::Eligible;
use crate::library::standings::KnownPages;
use allowance::Allowance;
use linkscent_store::{CrawlRow, KeptRow, PageAnnotations, Store, Topic};
pub(super) mod allowance;
pub(super) mod asking;
pub(super) mod explaining;
pub(super) mod map;
pub(super) mod searches;
pub(super) mod shelf;
pub(super) mod standings;
pub(super) mod suggesting;
pub(super) mod versions;

/// Finds of all crawls: searched, shown, explained, drawn as a map.
#[derive(Clone)]
pub struct Library {
    pub(super) context: Arc<Context>,
    models: Models,
    topics: Topics,
    last_map: map::LastMap,
    /// Pages that assistants may still have fetched today.
    pub allowance: Allowance,
}

impl Library {
    pub(super) fn new(context: Arc<Context>, models: Models, topics: Topics) -> Self {
        Self {
            context,
            models,
            topics,
            last_map: map::LastMap::default(),
            allowance: Allowance::default(),
        }
    }
}

/// Pages of a library that are shown at once at most.
pub const MOST_SHOWN: usize = 100;
/// The index is written at most this often.
const INDEXED_EVERY: Duration = Duration::from_secs(3);
/// A search waits this long for pages that were kept before the companion began.
const LONGEST_WAIT: Duration = Duration::from_secs(2);
/// Pages that are read from an archive before they are written.
const BATCH: i64 = 500;

/// What the person said of a topic's pages.
struct Said {
    topic: String,
    marks: HashMap<String, bool>,
    annotations: BTreeMap<String, PageAnnotations>,
}

/// What is looked for in the library.
#[derive(Debug, Clone, Default)]
pub struct LibraryQuery {
    /// In words, see [`Query`].
    pub text: String,
    /// All pages that were read, not the finds alone.
    pub all: bool,
    /// Only pages that came since the person looked last.
    pub new: bool,
    /// What comes first.
    pub order: Order,
    /// So many pages, at most [`MOST_SHOWN`].
    pub most: usize,
    /// After so many others.
    pub skip: usize,
    /// Without what browsers kept as it was read: programs hear nothing of it.
    pub for_program: bool,
}

impl Library {
    /// Takes pages into the library's index that crawls kept since it was written last; how
    /// many. `told` hears how many there are so far. Where another process writes it, nothing is
    /// done.
    pub async fn catch_up(&self, told: impl Fn(u64) + Send) -> Result<u64, ServiceError> {
        let _one_at_a_time = self.context.shelf.writing.lock().await;
        let opened = || {
            let library = self.context.shelf.library()?;
            let read = library.read_up_to()?;
            Ok::<_, LibraryError>((library, read))
        };
        // Another process may have deleted what is open here.
        let opened = opened().or_else(|_| {
            self.context.shelf.close();
            opened()
        });
        let (library, read) = opened.map_err(anyhow::Error::from)?;
        let waiting = self.not_in(&read).await?;
        if waiting.is_empty() {
            return Ok(0);
        }
        let mut taken = 0;
        for crawl in waiting {
            let mut last = read.get(&crawl.id).copied().unwrap_or_default();
            loop {
                let rows = self.context.store.kept_after(crawl.id, last, BATCH).await?;
                let Some(newest) = rows.last().map(|row| row.number) else {
                    break;
                };
                let count = rows.len() as u64;
                let (library, archive) =
                    (Arc::clone(&library), self.context.store.warc_path(crawl.id));
                let (topic, id) = (crawl.topic, crawl.id);
                let left_out = self.brought_by_crawls(&crawl, &rows).await?;
                let written = tokio::task::spawn_blocking(move || {
                    take(&library, &archive, (topic, id), rows, &left_out)
                });
                match written.await.map_err(anyhow::Error::from)? {
                    Ok(()) => {}
                    Err(LibraryError::Busy) => return Ok(taken),
                    Err(error) => {
                        self.context.shelf.close();
                        return Err(anyhow::Error::from(error).into());
                    }
                }
                (last, taken) = (newest, taken + count);
                self.context.shelf.known.age();
                told(taken);
            }
        }
        Ok(taken)
    }

    /// Of pages that browsers kept, those that crawls brought too: as these have them they stand in
    /// the index.
    async fn brought_by_crawls(
        &self,
        crawl: &CrawlRow,
        rows: &[KeptRow],
    ) -> Result<HashSet<String>, ServiceError> {
        if !crawl.is_reading() {
            return Ok(HashSet::new());
        }
        let web = self
            .context
            .store
            .web_crawls(Some(crawl.topic))
            .await?
            .into_iter();
        let web: HashSet<i64> = web
            .filter(|crawl| !crawl.is_removed)
            .map(|crawl| crawl.id)
            .collect();
        let addresses: Vec<String> = rows.iter().map(|row| row.address.clone()).collect();
        let copies = self
            .context
            .store
            .copies(crawl.topic, &addresses)
            .await?
            .into_iter();
        let copies = copies.filter(|copy| web.contains(&copy.crawl));
        Ok(copies.map(|copy| copy.address).collect())
    }

    /// Crawls with pages that are not in the index.
    async fn not_in(&self, read: &BTreeMap<i64, u64>) -> Result<Vec<CrawlRow>, ServiceError> {
        let mut waiting = Vec::new();
        let mut crawls = self.context.store.crawls(None).await?;
        // Of two copies of a page the newer takes the place of the older.
        crawls.sort_by_key(|crawl| crawl.id);
        for crawl in crawls.into_iter().filter(|crawl| !crawl.is_removed) {
            let last = read.get(&crawl.id).copied().unwrap_or_default();
            if !self
                .context
                .store
                .kept_after(crawl.id, last, 1)
                .await?
                .is_empty()
            {
                waiting.push(crawl);
            }
        }
        Ok(waiting)
    }

    /// Deletes the index, so that it is written again from logs and archives.
    pub async fn rebuild_index(&self) -> Result<(), ServiceError> {
        Ok(self.context.forget_index().await?)
    }

    /// Takes pages into the index as crawls bring them, as long as this is polled. A failure is
    /// told, and tried again at the next change.
    pub async fn keep_index(&self) -> Result<()> {
        let mut changes = self.context.supervisor.changes();
        self.context.shelf.is_behind.send_replace(true);
        loop {
            let service = self.clone();
            let catching_up = async move { service.catch_up(|_| {}).await };
            let caught_up = self.context.supervisor.background().spawn(catching_up);
            if let Err(error) = caught_up.await? {
                tracing::warn!("the library's index is not written: {error}");
            }
            self.context.shelf.is_behind.send_replace(false);
            changes.changed().await?;
            tokio::time::sleep(INDEXED_EVERY).await;
        }
    }

    /// Waits for what was kept before this process began, at most [`LONGEST_WAIT`]; whether
    /// some of it is not in the index yet.
    pub async fn is_behind(&self) -> bool {
        let mut behind = self.context.shelf.is_behind.subscribe();
        let caught_up = behind.wait_for(|is_behind| !is_behind);
        tokio::time::timeout(LONGEST_WAIT, caught_up).await.is_err()
    }

    /// Pages of a topic, or of all topics, by words.
    pub async fn search(
        &self,
        topic: Option<&Topic>,
        query: &LibraryQuery,
    ) -> Result<LibraryFound, ServiceError> {
        let most = query.most.min(MOST_SHOWN);
        let (found, known) = self.find(topic, query, most).await?;
        let asked = self.spoken_of(topic, &query.text).await;
        self.shown(found, &asked, &known).await
    }

    /// What a search finds, so many pages of it, and what is known of all pages.
    pub(super) async fn find(
        &self,
        topic: Option<&Topic>,
        query: &LibraryQuery,
        most: usize,
    ) -> Result<(Found, Arc<KnownPages>), ServiceError> {
        let asked = Query::read(&query.text).map_err(too_large)?;
        let known = self.standings(topic).await?;
        let eligible = Eligible::new(Arc::clone(&known), query, &asked);
        let search = Search {
            query: asked,
            topic: topic.map(|topic| topic.id),
            standings: Arc::new(eligible),
            order: query.order,
            meaning: MEANING,
            most,
            skip: query.skip,
        };
        let shelf = self.context.shelf.clone();
        // At most so many are under way, each within its budget, whether or not somebody waits.
        let place = Arc::clone(&self.context.shelf.searching)
            .acquire_owned()
            .await;
        let place = place.map_err(anyhow::Error::from)?;
        let searching = tokio::task::spawn_blocking(move || {
            let _place = place;
            match shelf.library()?.search(&search) {
                Err(LibraryError::OverBudget(over)) => Err(over.into()),
                // Another process may have deleted what is open here.
                Err(_) => {
                    shelf.close();
                    shelf.library()?.search(&search)
                }
                found => found,
            }
        });
        let found: Result<Found, LibraryError> = searching.await.map_err(anyhow::Error::from)?;
        match found {
            Ok(found) => Ok((found, known)),
            Err(LibraryError::OverBudget(over)) => Err(too_large(over)),
            Err(error) => Err(self.after_failed_search(error).await),
        }
    }

    /// Notes that the person has seen all finds of a topic, or of all: they are new no more.
    pub async fn saw_finds(&self, topic: Option<&Topic>) -> Result<(), ServiceError> {
        self.context.store.look(topic.map(|topic| topic.id)).await?;
        self.context.say_changed();
        Ok(())
    }

    /// The saved copy of a page as HTML that connects to nobody.
    pub async fn kept_html(&self, crawl: i64, number: u64) -> Result<String, ServiceError> {
        let row = self.kept_row(crawl, number).await?;
        let archive = self.context.store.warc_path(crawl);
        let reading = tokio::task::spawn_blocking(move || {
            let page = Reader::response_at(&archive, row.offset, &row.address)?;
            Ok::<_, WarcError>(inert(&page.html(), &row.address))
        });
        let html = reading.await.map_err(anyhow::Error::from)?;
        Ok(html.map_err(anyhow::Error::from)?)
    }

    /// The same as it is read.
    pub async fn kept_page(&self, crawl: i64, number: u64) -> Result<Page, ServiceError> {
        let row = self.kept_row(crawl, number).await?;
        let archive = self.context.store.warc_path(crawl);
        let reading = tokio::task::spawn_blocking(move || {
            let address = Address::parse(&row.address)?;
            Ok::<_, anyhow::Error>(page_at(&archive, row.offset, &address)?.0)
        });
        let page = reading.await.map_err(anyhow::Error::from)??;
        Ok(*page)
    }

    pub(super) async fn kept_row(&self, crawl: i64, number: u64) -> Result<KeptRow, ServiceError> {
        let missing = || ServiceError::Missing("kept page");
        let before = number.checked_sub(1).ok_or_else(missing)?;
        let rows = self
            .context
            .store
            .kept_after(crawl, before, 1)
            .await?
            .into_iter();
        let mut rows = rows.filter(|row| row.number == number);
        rows.next().ok_or_else(missing)
    }

    /// What was found with all that is to be shown of it.
    pub(super) async fn shown(
        &self,
        found: Found,
        asked: &Query,
        known: &KnownPages,
    ) -> Result<LibraryFound, ServiceError> {
        let mut pages = Vec::new();
        let mut topics: HashMap<i64, Said> = HashMap::new();
        for hit in found.hits {
            let (crawl, number) = of_key(hit.key);
            let Some(row) = self.context.store.result_at(crawl, number).await? else {
                continue;
            };
            let Some(of) = self.context.store.crawl(crawl).await? else {
                continue;
            };
            let said = match topics.entry(of.topic) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    let topic = self.context.topic(of.topic).await?;
                    let marks = self.context.store.marks(topic.id).await?.into_iter();
                    let marks = marks.map(|mark| (mark.address, mark.target));
                    new.insert(Said {
                        marks: marks.collect(),
                        annotations: self.context.store.annotations(topic.id).await?,
                        topic: topic.name,
                    })
                }
            };
            let snippet = snippet_of(&self.context.store, crawl, &hit, asked).await;
            let annotations = said
                .annotations
                .get(&hit.address)
                .cloned()
                .unwrap_or_default();
            pages.push(LibraryPage {
                topic: said.topic.clone(),
                crawl,
                number,
                mark: said.marks.get(&hit.address).copied(),
                is_new: known.is_new(hit.key),
                read: known.read(hit.key),
                tags: annotations.tags.into_iter().collect(),
                note: annotations.note,
                address: hit.address,
                title: hit.title,
                site: hit.site,
                language: hit.language.code().to_owned(),
                probability: hit.probability,
                snippet: snippet.unwrap_or_else(|| {
                    vec![SnippetPiece {
                        text: row.snippet,
                        is_match: false,
                    }]
                }),
                reason: row.reason,
                path: row.trail.into_iter().rev().collect(),
            });
        }
        let counts = |counts: Vec<(String, usize)>| {
            let counts = counts.into_iter();
            let counts = counts.map(|(name, pages)| LibraryCount { name, pages });
            counts.collect()
        };
        Ok(LibraryFound {
            total: found.total,
            is_relaxed: found.is_relaxed,
            pages,
            sites: counts(found.sites),
            languages: counts(found.languages),
            labels: known.named(&found.labels),
        })
    }
}

/// Refuses a search that exceeds a limit.
pub(super) fn too_large(over: OverBudget) -> ServiceError {
    ServiceError::refused(format!("This search is too large: {over}."))
}

/// Takes pages of a topic's crawl into the index from its archive, but those left out. One whose
/// copy is damaged is passed over.
fn take(
    library: &Index,
    archive: &Path,
    (topic, crawl): (i64, i64),
    rows: Vec<KeptRow>,
    left_out: &HashSet<String>,
) -> Result<(), LibraryError> {
    let mut writer = library.writer()?;
    for row in rows {
        if left_out.contains(&row.address) {
            writer.note_read(crawl, row.number);
            continue;
        }
        let page = Address::parse(&row.address).ok();
        match page.map(|address| page_at(archive, row.offset, &address)) {
            Some(Ok((page, _))) => writer.take(&Item::of(&page, topic, crawl, row.number))?,
            // The file may be there again a moment later.
            Some(Err(WarcError::File { path, source })) => {
                writer.commit()?;
                return Err(LibraryError::Folder(path, source));
            }
            Some(Err(_)) | None => {
                tracing::warn!(crawl, number = row.number, "a kept page cannot be read");
            }
        }
        writer.note_read(crawl, row.number);
    }
    writer.commit()?;
    writer.finish()
}

/// The sentences of a kept page that speak for it.
async fn snippet_of(
    store: &Store,
    crawl: i64,
    hit: &Hit,
    asked: &Query,
) -> Option<Vec<SnippetPiece>> {
    let address = Address::parse(&hit.address).ok()?;
    let before = of_key(hit.key).1.checked_sub(1)?;
    let row = store.kept_after(crawl, before, 1).await.ok()?.pop()?;
    let offset = (row.number == before + 1).then_some(row.offset)?;
    let (archive, asked) = (store.warc_path(crawl), asked.clone());
    let language = hit.language;
    let reading = tokio::task::spawn_blocking(move || {
        let (page, _) = page_at(&archive, offset, &address).ok()?;
        Some(speaking(&page.document().passages(), &asked, language))
    });
    let pieces = reading.await.ok()??;
    Some(pieces).filter(|pieces| !pieces.is_empty())
}

#[cfg(test)]
pub(crate) mod tests;
