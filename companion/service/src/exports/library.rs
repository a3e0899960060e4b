//! Pages of the library taken away, all or those that a search finds, in any format that
//! `linkscent_archive::export` has.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use linkscent_archive::citation::Citation;
use linkscent_archive::export::{About, AnyExport, Entry, Format, Out};
use linkscent_archive::warc::{KeptExchange, Reader};
use linkscent_core::address::Address;
use linkscent_core::crawl::MOST_REDIRECTS;
use linkscent_core::dom::html;
use linkscent_core::wire::api::LibraryPage;
use linkscent_library::Found;

use crate::Exports;
use crate::LibraryQuery;
use crate::MOST_SHOWN;
use crate::ServiceError;
use linkscent_store::clock;
use linkscent_store::{KeptRow, Topic};

impl Exports {
    /// Writes pages of a topic, or of all topics, in a format; how many. `told` hears how many
    /// there are so far. A page whose copy is damaged is written without what stands in it.
    pub async fn take_out(
        &self,
        topic: Option<&Topic>,
        query: &LibraryQuery,
        format: &'static Format,
        mut to: Destination,
        told: impl Fn(u64) + Send,
    ) -> Result<u64, ServiceError> {
        let now = clock::date(clock::now());
        let about = About {
            name: topic.map_or("Linkscent", |topic| &*topic.name),
            now: &now,
        };
        let failed = |error: io::Error| anyhow::Error::from(error);
        let size = Arc::new(AtomicU64::new(0));
        let begin = |to: &mut Destination| -> io::Result<AnyExport> {
            size.store(0, Ordering::Relaxed);
            let counted = Box::new(Counted(to.next()?, size.clone()));
            let mut export = (format.begin)(counted, &about);
            export.begin()?;
            Ok(export)
        };
        let mut export = begin(&mut to).map_err(failed)?;
        let mut written = 0;
        // Which pages is settled once: while a crawl runs their order changes.
        let (mut found, known) = self.library.find(topic, query, usize::MAX).await?;
        let asked = self.library.spoken_of(topic, &query.text).await;
        let hits = std::mem::take(&mut found.hits);
        for batch in hits.chunks(MOST_SHOWN) {
            let batch = Found {
                hits: batch.to_vec(),
                ..Found::default()
            };
            for page in self.library.shown(batch, &asked, &known).await?.pages {
                if format.is_cut && to.is_full(size.load(Ordering::Relaxed)) {
                    export.finish().map_err(failed)?;
                    export = begin(&mut to).map_err(failed)?;
                }
                let kept = self.kept_exchange(page.crawl, page.number).await;
                let redirects = match &kept {
                    Some(kept) if format.has_records => {
                        self.redirects_before(page.crawl, page.number, &kept.address)
                            .await?
                    }
                    _ => Vec::new(),
                };
                let reading =
                    tokio::task::spawn_blocking(move || entry(page, kept, redirects, format));
                let entry = reading.await.map_err(anyhow::Error::from)?;
                export.page(&entry).map_err(failed)?;
                written += 1;
                told(written as u64);
            }
        }
        export.finish().map_err(failed)?;
        Ok(written as u64)
    }

    /// What was kept of a page, if it can be read.
    pub(crate) async fn kept_exchange(&self, crawl: i64, number: u64) -> Option<KeptExchange> {
        let row = self.library.kept_row(crawl, number).await.ok()?;
        self.exchange_of(crawl, row).await
    }

    async fn exchange_of(&self, crawl: i64, row: KeptRow) -> Option<KeptExchange> {
        let archive = self.context.store.warc_path(crawl);
        let reading = tokio::task::spawn_blocking(move || {
            Reader::exchange_at(&archive, row.offset, &row.address).ok()
        });
        reading.await.ok()?
    }

    /// The redirects that led a crawl to a page, as far as they were kept, the first one first: to
    /// each step the last that was answered before it.
    async fn redirects_before(
        &self,
        crawl: i64,
        number: u64,
        page: &str,
    ) -> Result<Vec<KeptExchange>, ServiceError> {
        let (mut at, mut before) = (page.to_owned(), number);
        let mut kept = Vec::new();
        for _ in 0..MOST_REDIRECTS {
            let Some(row) = self.context.store.redirect_to(crawl, &at, before).await? else {
                break;
            };
            (at, before) = (row.address.clone(), row.number);
            kept.extend(self.exchange_of(crawl, row).await);
        }
        kept.reverse();
        Ok(kept)
    }
}

/// Where pages that are taken out are written.
pub enum Destination {
    /// One file, however large; none once it was begun.
    One(Option<Out>),
    /// As many files as it takes, where a format can be cut.
    Parts {
        /// Bytes after which another one is begun, at the next page.
        size: u64,
        /// Opens another one.
        open: Box<dyn FnMut() -> io::Result<Out> + Send>,
    },
}

impl Destination {
    /// One file.
    pub fn one(out: Out) -> Self {
        Self::One(Some(out))
    }

    fn next(&mut self) -> io::Result<Out> {
        match self {
            Self::One(out) => out
                .take()
                .ok_or_else(|| io::Error::other("there is one file")),
            Self::Parts { open, .. } => open(),
        }
    }

    /// Whether so many bytes are a part.
    fn is_full(&self, bytes: u64) -> bool {
        matches!(self, Self::Parts { size, .. } if bytes >= *size)
    }
}

/// Counts what is written.
struct Counted(Out, Arc<AtomicU64>);

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.0.write(bytes)?;
        self.1.fetch_add(written as u64, Ordering::Relaxed);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
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
        let mut export = (format.begin)(Box::new(file.try_clone()?), &about);
        export.begin()?;
        for page in pages {
            export.page(&entry(page, None, Vec::new(), format))?;
        }
        export.finish()?;
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0))?;
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    Ok(write()?)
}

fn entry(
    page: LibraryPage,
    kept: Option<KeptExchange>,
    redirects: Vec<KeptExchange>,
    format: &Format,
) -> Entry {
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
        redirects,
    }
}

#[cfg(test)]
mod tests;
