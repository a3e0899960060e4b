//! Pages of the library taken away, all or those that a search finds, in any format that
//! `linkscent_archive::takeout` has.

use std::io::{self, Read, Seek, SeekFrom};

use linkscent_archive::citation::Citation;
use linkscent_archive::takeout::{About, Entry, Format, Out};
use linkscent_archive::warc::{KeptExchange, Reader};
use linkscent_core::address::Address;
use linkscent_core::dom::html;
use linkscent_core::wire::api::LibraryPage;
use linkscent_library::Found;

use super::{LibraryQuery, MOST_SHOWN, Service, ServiceError};
use crate::clock;
use crate::store::Topic;

impl Service {
    /// Writes pages of a topic, or of all topics, in a format; how many. `told` hears how many
    /// there are so far. A page whose copy is damaged is written without what stands in it.
    pub async fn take_out(
        &self,
        topic: Option<&Topic>,
        query: &LibraryQuery,
        format: &'static Format,
        out: Out,
        told: impl Fn(u64) + Send,
    ) -> Result<u64, ServiceError> {
        let now = clock::date(clock::now());
        let about = About {
            name: topic.map_or("Linkscent", |topic| &*topic.name),
            now: &now,
        };
        let failed = |error: io::Error| anyhow::Error::from(error);
        let mut takeout = (format.begin)(out, &about);
        takeout.begin().map_err(failed)?;
        let mut written = 0;
        // Which pages is settled once: while a crawl runs their order changes.
        let (mut found, known) = self.find(topic, query, usize::MAX).await?;
        let asked = self.spoken_of(topic, &query.text).await;
        let hits = std::mem::take(&mut found.hits);
        for batch in hits.chunks(MOST_SHOWN) {
            let batch = Found {
                hits: batch.to_vec(),
                ..Found::default()
            };
            for page in self.shown(batch, &asked, &known).await?.pages {
                let kept = self.kept_exchange(page.crawl, page.number).await;
                let reading = tokio::task::spawn_blocking(move || entry(page, kept, format));
                let entry = reading.await.map_err(anyhow::Error::from)?;
                takeout.page(&entry).map_err(failed)?;
                written += 1;
                told(written as u64);
            }
        }
        takeout.finish().map_err(failed)?;
        Ok(written as u64)
    }

    /// What was kept of a page, if it can be read.
    pub(super) async fn kept_exchange(&self, crawl: i64, number: u64) -> Option<KeptExchange> {
        let row = self.kept_row(crawl, number).await.ok()?;
        let archive = self.store.warc_path(crawl);
        let reading = tokio::task::spawn_blocking(move || {
            Reader::exchange_at(&archive, row.offset, &row.address).ok()
        });
        reading.await.ok()?
    }
}

/// Pages of a topic as an Atom feed.
pub fn feed_file(topic: &Topic, pages: Vec<LibraryPage>) -> Result<Vec<u8>, ServiceError> {
    let format = Format::named("atom").ok_or(ServiceError::Missing("format"))?;
    let now = clock::date(clock::now());
    let about = About {
        name: &topic.name,
        now: &now,
    };
    let write = || -> anyhow::Result<Vec<u8>> {
        let mut file = tempfile::tempfile()?;
        let mut takeout = (format.begin)(Box::new(file.try_clone()?), &about);
        takeout.begin()?;
        for page in pages {
            takeout.page(&entry(page, None, format))?;
        }
        takeout.finish()?;
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0))?;
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    Ok(write()?)
}

fn entry(page: LibraryPage, kept: Option<KeptExchange>, format: &Format) -> Entry {
    let date = kept.as_ref().map(|kept| kept.date.clone());
    let html = kept.as_ref().map(KeptExchange::html).unwrap_or_default();
    let text = format.has_text.then(|| html::parse(&html).passages());
    let snippet = page.snippet.iter().map(|piece| &*piece.text);
    Entry {
        snippet: snippet.collect(),
        topic: page.topic,
        // What is written is an address, whatever a log says.
        address: Address::parse(&page.address).map_or_else(|_| String::new(), |it| it.to_string()),
        title: page.title,
        site: page.site,
        language: page.language,
        probability: page.probability,
        mark: page.mark,
        reason: page.reason,
        tags: page.tags,
        note: page.note,
        path: page.path,
        read: date.filter(|date| !date.is_empty()).unwrap_or(page.read),
        citation: Citation::of(&html),
        text: text.unwrap_or_default(),
        kept: kept.filter(|_| format.has_records),
    }
}
