//! Pages that the person's browsers keep as they are read, where the person allowed it: items of
//! the topic's library like those of crawls. They are the log and the archive of a crawl that asks
//! for nothing, one for each topic, so forgetting, deleting, searching and taking away reach them
//! as they reach all others. Programs hear nothing of them.
//!
//! A page is judged by what is known of the topic when it is read. One that says what it said the
//! last time is not kept again.

use std::fs::File;

use anyhow::{Context as _, Result};
use linkscent_archive::page::{build, page_at};
use linkscent_archive::warc::{Kept, WarcError, Writer, whole_until};
use linkscent_core::address::Address;
use linkscent_core::crawl::{Arm, CrawlSpec, Record};
use linkscent_core::page::Page;
use linkscent_core::web_graph::Judgment;
use linkscent_core::wire::api::{LONGEST_WAY, Reading};

use super::context::Context;
use super::{Crawls, Library, Models};
use crate::ServiceError;
use linkscent_store::clock;
use linkscent_store::{CrawlKind, CrawlRow, Location, NewCrawl, Order, Store, Topic, open_private};
use std::sync::Arc;
pub(super) mod judging;

/// Pages that browsers kept as they were read.
#[derive(Clone)]
pub struct Readings {
    pub(super) context: Arc<Context>,
    models: Models,
    crawls: Crawls,
    library: Library,
}

impl Readings {
    pub(super) fn new(
        context: Arc<Context>,
        models: Models,
        crawls: Crawls,
        library: Library,
    ) -> Self {
        Self {
            context,
            models,
            crawls,
            library,
        }
    }
}

/// Largest page that is taken, in bytes of HTML.
pub const LARGEST_READING: usize = 4 << 20;
/// As pages come from a browser.
const HTML: &str = "text/html; charset=utf-8";
/// Why such a page is in the library.
pub const REASON: &str = "read in the browser";

/// What browsers kept for a topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptReadings {
    /// The crawl that they are.
    pub crawl: i64,
    /// Pages.
    pub pages: u64,
    /// Those that are what is looked for.
    pub relevant: u64,
}

impl Readings {
    /// Takes a page in that a browser kept. Returns whether it says anything new.
    pub async fn take_reading(&self, reading: Reading) -> Result<bool, ServiceError> {
        let refused = |text: String| Err(ServiceError::refused(text));
        if reading.html.len() > LARGEST_READING {
            let most = LARGEST_READING >> 20;
            return refused(format!("the page is larger than {most} MiB"));
        }
        let address = |text: &String| Address::parse(text);
        let page = address(&reading.address);
        let page = page.map_err(|error| ServiceError::refused(error.to_string()))?;
        let way = reading.way.iter().take(LONGEST_WAY);
        let way: Vec<Address> = way.filter_map(|page| address(page).ok()).collect();
        // Nothing is forgotten meanwhile, and one page is taken at a time.
        let _alone = self.context.forgetting.lock().await;
        let topic = self.context.topic_known_as(&reading.topic).await?;
        if topic.is_removed {
            return Err(ServiceError::Missing("topic"));
        }
        let html = reading.html.into_bytes();
        let reading_it = tokio::task::spawn_blocking(move || {
            let (page, _) = build(page, &html, Some(HTML));
            (page, html)
        });
        let (page, html) = reading_it.await.map_err(anyhow::Error::from)?;
        let crawl = self.reading_crawl(&topic).await?;
        if self.is_as_it_was(&crawl, &page).await? {
            return Ok(false);
        }
        let topic_model = self.models.topic_model(&topic).await?;
        let time = i64::try_from(reading.time).unwrap_or(i64::MAX);
        let time = time.min(clock::now());
        let number = self.context.store.last_number(crawl.id).await? + 1;
        let writing = tokio::task::spawn_blocking({
            let store = self.context.store.clone();
            let handle = tokio::runtime::Handle::current();
            move || {
                let judgment = topic_model.judge(&page);
                let record = record(number, &page, judgment, way);
                write(&store, crawl.id, record, &html, time, &handle)
            }
        });
        writing.await.map_err(anyhow::Error::from)??;
        self.context.say_changed();
        Ok(true)
    }

    /// What browsers kept for a topic, and was not removed. There is more than one where it was
    /// removed, more was kept, and it was brought back.
    pub async fn readings(&self, topic: &Topic) -> Result<Vec<KeptReadings>, ServiceError> {
        let mut kept = Vec::new();
        for crawl in self.context.store.crawls(Some(topic.id)).await? {
            let counts = self.crawls.counts(crawl.id).await?;
            if crawl.is_reading() && !crawl.is_removed && counts.pages > 0 {
                kept.push(KeptReadings {
                    crawl: crawl.id,
                    pages: counts.pages,
                    relevant: counts.relevant,
                });
            }
        }
        Ok(kept)
    }

    /// Whether a crawl is what browsers kept, of which programs hear nothing.
    pub async fn is_reading(&self, crawl: i64) -> Result<bool, ServiceError> {
        let crawl = self.context.store.crawl(crawl).await?;
        Ok(crawl.is_some_and(|crawl| crawl.is_reading()))
    }

    /// Judges the pages that browsers kept by what is known of the topic now.
    pub(crate) async fn judge_readings(&self, crawl: &CrawlRow) -> Result<(), ServiceError> {
        let topic = self.context.topic(crawl.topic).await?;
        let topic_model = self.models.topic_model(&topic).await?;
        let (archive, mut last) = (self.context.store.warc_path(crawl.id), 0);
        loop {
            let rows = self.context.store.kept_after(crawl.id, last, 100).await?;
            let Some(newest) = rows.last().map(|row| row.number) else {
                return Ok(());
            };
            let (topic_model, archive) = (topic_model.clone(), archive.clone());
            let judging = tokio::task::spawn_blocking(move || {
                let pages = rows.iter().filter_map(|row| {
                    let address = Address::parse(&row.address).ok()?;
                    let page = page_at(&archive, row.offset, &address).ok()?.0;
                    Some((address, *page))
                });
                let (addresses, pages): (Vec<Address>, Vec<Page>) = pages.unzip();
                let judged = topic_model.judge_all(&pages);
                addresses.into_iter().zip(judged).collect::<Vec<_>>()
            });
            let judged = judging.await.map_err(anyhow::Error::from)?;
            self.context.store.judge_again(crawl.id, &judged).await?;
            last = newest;
        }
    }

    async fn find_reading(&self, topic: &Topic) -> Result<Option<CrawlRow>, ServiceError> {
        let crawls = self.context.store.crawls(Some(topic.id)).await?.into_iter();
        let mut kept = crawls.filter(|crawl| crawl.is_reading() && !crawl.is_removed);
        Ok(kept.next())
    }

    async fn reading_crawl(&self, topic: &Topic) -> Result<CrawlRow, ServiceError> {
        if let Some(crawl) = self.find_reading(topic).await? {
            return Ok(crawl);
        }
        let order = Order {
            spec: CrawlSpec::new(0),
            seeds: Vec::new(),
            kind: CrawlKind::Reading,
        };
        let new = NewCrawl {
            topic: topic.id,
            order: &order,
            start_model: &[],
        };
        let id = self.context.store.begin_crawl(&new).await?;
        Ok(self.context.crawl(id).await?.0)
    }

    /// Whether the last copy of a page has the same passages.
    async fn is_as_it_was(&self, crawl: &CrawlRow, page: &Page) -> Result<bool, ServiceError> {
        let address = page.address.to_string();
        let copies = self.context.store.copies(crawl.topic, &[address]).await?;
        let last = copies.iter().rfind(|copy| copy.crawl == crawl.id);
        let Some(last) = last else {
            return Ok(false);
        };
        // A copy that is damaged is kept again.
        let kept = self.library.kept_page(crawl.id, last.number).await;
        Ok(kept.is_ok_and(|kept| kept.document().passages() == page.document().passages()))
    }
}

fn record(number: u64, page: &Page, judgment: Judgment, way: Vec<Address>) -> Record {
    Record {
        number,
        address: page.address.clone(),
        trail: way,
        anchor: String::new(),
        reason: REASON.to_owned(),
        priority: None,
        expected: None,
        judgment: Some(judgment),
        class: String::new(),
        scored: true,
        title: page.title(),
        snippet: page.snippet(),
        problem: String::new(),
        forms: Vec::new(),
        alarm: None,
        unfound: None,
        arm: Arm::Primary,
    }
}

/// Writes a page to the archive, then to the log. What a crash leaves in the archive that is not
/// in the log is cut off the next time. Blocks.
fn write(
    store: &Store,
    crawl: i64,
    record: Record,
    html: &[u8],
    time: i64,
    handle: &tokio::runtime::Handle,
) -> Result<()> {
    let _lock = store.lock_crawl(crawl)?;
    let row = handle.block_on(store.crawl(crawl))?;
    let row = row.context("there is no such crawl")?;
    let path = store.warc_path(crawl);
    let writing = || format!("writing {}", path.display());
    handle.block_on(store.complete_archive(crawl))?;
    let file = open_private(&path).with_context(writing)?;
    let there = file.metadata().with_context(writing)?.len();
    let length = if there < row.warc_length {
        mend(store, crawl, handle)?
    } else {
        row.warc_length
    };
    let mut archive =
        Writer::open(file, length, &clock::date(clock::now())).with_context(writing)?;
    let kept = Kept {
        address: record.address.as_str(),
        status: 200,
        content_type: Some(HTML),
        body: html,
        date: &clock::date(time),
        ..Kept::default()
    };
    let place = Location {
        warc_offset: Some(archive.page(&kept).with_context(writing)?),
        redirect: None,
        time,
    };
    archive.sync().with_context(writing)?;
    let fetches = [(record, place)];
    let taken = store.take_fetches(crawl, archive.length(), &fetches);
    Ok(handle.block_on(taken)?)
}

/// How much of an archive that is too short is whole. Pages that cannot be read any more go from the
/// log.
fn mend(store: &Store, crawl: i64, handle: &tokio::runtime::Handle) -> Result<u64> {
    let path = store.warc_path(crawl);
    let (mut last, mut lost) = (None, Vec::new());
    for row in handle.block_on(store.fetches(crawl))? {
        let Some(offset) = row.place.warc_offset else {
            continue;
        };
        let address = Address::parse(&row.address)?;
        match page_at(&path, offset, &address) {
            Ok(_) => last = last.max(Some(offset)),
            Err(error @ WarcError::File { .. }) => return Err(error.into()),
            Err(_) => lost.push((crawl, row.number)),
        }
    }
    let length = match last {
        Some(last) => File::open(&path).and_then(|mut file| whole_until(&mut file, last))?,
        None => 0,
    };
    handle.block_on(store.forget_copies(&lost))?;
    handle.block_on(store.lose_pages(crawl, &[], length))?;
    Ok(length)
}

#[cfg(test)]
mod tests;
