//! What a model of hop distances is trained on as it lies in the store, read at once: what is
//! made of it then needs nobody but the processor and the archive.

use std::path::PathBuf;

use anyhow::Result;
use linkscent_archive::page::page_at;
use linkscent_core::address::Address;
use linkscent_core::page::Page;
use linkscent_core::wire::api::{Event, EventKind};

use linkscent_store::{CrawlRow, Store, Topic};

/// Clicks of other topics that are read, the newest topics first.
const MOST_OTHER_CLICKS: usize = 20_000;

/// The log of a topic, those of others, and the pages that a crawl kept.
#[derive(Debug)]
pub struct Sources {
    /// The topic.
    pub topic: Topic,
    /// What the person did.
    pub events: Vec<Event>,
    /// What they did for other topics, the newest topics first.
    pub others: Vec<Vec<Event>>,
    /// Pages that a crawl kept, in their order.
    pub kept: KeptPages,
}

/// Where the pages of a crawl lie.
#[derive(Debug, Default)]
pub struct KeptPages {
    archive: PathBuf,
    rows: Vec<(String, u64)>,
    /// Number of the newest request; 0 if there is none.
    pub newest: u64,
}

impl Sources {
    /// Reads them, with the pages of that crawl.
    pub async fn read(store: &Store, topic: &Topic, crawl: Option<&CrawlRow>) -> Result<Self> {
        let mut topics = store.topics().await?;
        topics.retain(|other| other.id != topic.id);
        topics.sort_by_key(|other| std::cmp::Reverse(other.id));
        let (mut others, mut clicks) = (Vec::new(), 0);
        for other in topics {
            if clicks >= MOST_OTHER_CLICKS {
                break;
            }
            let events = store.events(other.id).await?;
            clicks += count_clicks(&events);
            others.push(events);
        }
        let kept = match crawl {
            Some(crawl) => KeptPages::read(store, crawl.id, 0).await?,
            None => KeptPages::default(),
        };
        Ok(Self {
            topic: topic.clone(),
            events: store.events(topic.id).await?,
            others,
            kept,
        })
    }
}

impl KeptPages {
    /// Those behind a request of the log.
    pub async fn read(store: &Store, crawl: i64, behind: u64) -> Result<Self> {
        let log = store.fetches(crawl).await?;
        let newest = log.iter().map(|row| row.number).max().unwrap_or(behind);
        let new = log.into_iter().filter(|row| row.number > behind);
        let rows = new.filter_map(|row| Some((row.address, row.place.warc_offset?)));
        Ok(Self {
            archive: store.warc_path(crawl),
            rows: rows.collect(),
            newest,
        })
    }

    /// All of them. A page that cannot be read any more is passed over.
    pub fn pages(&self) -> impl Iterator<Item = Page> + '_ {
        self.last(usize::MAX)
    }

    /// The newest, at most so many.
    pub fn last(&self, most: usize) -> impl Iterator<Item = Page> + '_ {
        let rows = &self.rows[self.rows.len().saturating_sub(most)..];
        rows.iter().filter_map(|(address, offset)| {
            let address = Address::parse(address).ok()?;
            let page = page_at(&self.archive, *offset, &address).ok()?;
            Some(*page.0)
        })
    }
}

/// Links that were followed, repeated ones too.
pub fn count_clicks(events: &[Event]) -> usize {
    let clicks = events.iter();
    clicks
        .filter(|event| matches!(event.what, EventKind::Click { .. }))
        .count()
}
