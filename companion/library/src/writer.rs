//! Writing: pages come in, newer copies take the place of older ones, whole crawls go.

use linkscent_core::page::Page;
use linkscent_core::text::{Language, runs_of};
use tantivy::{IndexWriter, TantivyDocument, TantivyError, Term};

use super::{Fields, Library, LibraryError, Notes, Result, key_of};
use crate::meaning::of_page;
use crate::words::tokens;

/// Memory that pages wait in until they are written, in bytes.
const MEMORY: usize = 60_000_000;

/// A page for the index.
#[derive(Debug, Clone)]
pub struct Item {
    /// The topic it was read for.
    pub topic: i64,
    /// The crawl that read it.
    pub crawl: i64,
    /// Its number in the crawl's log.
    pub number: u64,
    /// Its address.
    pub address: String,
    /// Its host, without a port.
    pub site: String,
    /// Its title.
    pub title: String,
    /// What it says, see [`linkscent_core::dom::Document::passages`].
    pub passages: Vec<String>,
    /// The language it is in.
    pub language: Language,
}

impl Item {
    /// Of a page that a crawl read.
    pub fn of(page: &Page, topic: i64, crawl: i64, number: u64) -> Self {
        let host = page.address.host();
        Self {
            topic,
            crawl,
            number,
            address: page.address.to_string(),
            site: host
                .rsplit_once(':')
                .map_or(host, |split| split.0)
                .to_owned(),
            title: page.title(),
            passages: page.document().passages(),
            language: page.language,
        }
    }
}

/// The one that may write. Nothing is seen by others before [`Writer::commit`].
pub struct Writer {
    index: IndexWriter,
    fields: Fields,
    notes: Notes,
}

impl Library {
    /// Begins to write; an error if somebody else does.
    pub fn writer(&self) -> Result<Writer> {
        let writer = self.index.writer_with_num_threads(1, MEMORY);
        let writer = writer.map_err(|error| match error {
            TantivyError::LockFailure(..) => LibraryError::Busy,
            other => other.into(),
        })?;
        // A program that was killed while it wrote left files whose names are to be used again.
        writer.garbage_collect_files().wait()?;
        Ok(Writer {
            index: writer,
            fields: self.fields,
            notes: self.notes()?,
        })
    }

    /// Up to which number of its log each crawl was read.
    pub fn read_up_to(&self) -> Result<std::collections::BTreeMap<i64, u64>> {
        Ok(self.notes()?.read)
    }
}

impl Writer {
    /// Takes a page in, in the place of an older copy for the same topic.
    pub fn take(&mut self, item: &Item) -> Result<()> {
        let Fields {
            id,
            topic,
            crawl,
            key,
            address,
            title,
            title_words,
            words,
            site,
            language,
            meaning,
        } = self.fields;
        let name = format!("{} {}", item.topic, item.address);
        self.index.delete_term(Term::from_field_text(id, &name));
        let passages: Vec<&str> = item.passages.iter().map(String::as_str).collect();
        let runs = runs_of(item.language, passages.iter().copied());
        let mut page = TantivyDocument::new();
        page.add_text(id, &name);
        page.add_u64(topic, item.topic.unsigned_abs());
        page.add_u64(crawl, item.crawl.unsigned_abs());
        page.add_u64(key, key_of(item.crawl, item.number));
        page.add_text(address, &item.address);
        page.add_text(title, &item.title);
        page.add_pre_tokenized_text(title_words, tokens(&[&item.title], &[(1, item.language)]));
        page.add_pre_tokenized_text(words, tokens(&passages, &runs));
        page.add_text(site, &item.site);
        page.add_text(language, item.language.code());
        for number in of_page(&item.title, &item.passages, item.language) {
            page.add_u64(meaning, number);
        }
        self.index.add_document(page)?;
        let spoken = runs.iter().map(|run| run.1);
        for code in std::iter::once(item.language)
            .chain(spoken)
            .map(Language::code)
        {
            if !self.notes.languages.contains(code) {
                self.notes.languages.insert(code.to_owned());
            }
        }
        Ok(())
    }

    /// Notes that a crawl's log was read up to a number.
    pub fn note_read(&mut self, crawl: i64, number: u64) {
        self.notes.read.insert(crawl, number);
    }

    /// Drops all pages of a crawl. Their words may stay on the disk for a while.
    pub fn drop_crawl(&mut self, crawl: i64) {
        let term = Term::from_field_u64(self.fields.crawl, crawl.unsigned_abs());
        self.index.delete_term(term);
        self.notes.read.remove(&crawl);
    }

    /// Writes all that came since the last time: it is seen by whoever searches from now on.
    pub fn commit(&mut self) -> Result<()> {
        let notes = serde_json::to_string(&self.notes);
        let mut commit = self.index.prepare_commit()?;
        commit.set_payload(&notes.unwrap_or_default());
        commit.commit()?;
        Ok(())
    }

    /// Waits until parts of the index that are being joined are.
    pub fn finish(self) -> Result<()> {
        Ok(self.index.wait_merging_threads()?)
    }
}
