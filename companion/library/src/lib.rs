//! A full-text index over pages: what the library of the companion is searched by.
//!
//! It knows pages by their words and nothing else of them: what they are worth, what the person
//! said of them and where they were found stand in the store, and whoever searches brings it. No
//! text is kept here but titles: snippets are made of the pages in the archives. So nothing in it
//! is the only copy of anything; it can be deleted at any moment and is written again.
//!
//! Words are what the learners read (`linkscent_core::text`): normalised, without stop words,
//! stemmed by the language of their page. A query is stemmed by every language there is in the
//! index. Among pages with its words those come first that say most of them (BM25) and that mean
//! much the same (`meaning`).

#![warn(clippy::print_stdout, clippy::print_stderr)]

mod expansion;
mod found;
mod meaning;
mod query;
mod snippet;
mod words;
mod writer;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use linkscent_core::budget::OverBudget;
use serde::{Deserialize, Serialize};
use tantivy::directory::MmapDirectory;
use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::{Index, IndexReader, ReloadPolicy, Searcher};
use thiserror::Error;

pub use found::{Found, Hit, MEANING, Order, Search, Standing, Standings};
pub use query::{Condition, Query};
pub use snippet::{Piece, snippet};
pub use writer::{Item, Writer};

/// Why the index cannot be used. It can be deleted and made again at any time.
#[derive(Debug, Error)]
pub enum LibraryError {
    /// What lies in its folder is no index of this version.
    #[error("the index in {0} is none of this version")]
    Form(PathBuf),
    /// Somebody else writes to it.
    #[error("another linkscent writes to the index")]
    Busy,
    /// The index itself.
    #[error("the index fails: {0}")]
    Index(#[source] tantivy::TantivyError),
    /// Its folder.
    #[error("{0}: {1}")]
    Folder(PathBuf, std::io::Error),
    /// A search would take more than it may.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
}

impl From<tantivy::TantivyError> for LibraryError {
    fn from(error: tantivy::TantivyError) -> Self {
        match expansion::over_budget(&error) {
            Some(over) => Self::OverBudget(over),
            None => Self::Index(error),
        }
    }
}

/// Results of this crate.
pub type Result<T> = std::result::Result<T, LibraryError>;

/// The fields of a page.
#[derive(Debug, Clone, Copy)]
struct Fields {
    /// Topic and address: what makes it one item.
    id: Field,
    topic: Field,
    crawl: Field,
    /// Crawl and number of the fetch it was read by.
    key: Field,
    address: Field,
    title: Field,
    title_words: Field,
    words: Field,
    site: Field,
    language: Field,
    meaning: Field,
}

/// What is noted beside the index with each commit.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Notes {
    /// How texts were cut into words: by [`WORDS`], or as earlier versions did.
    #[serde(default)]
    words: u32,
    /// Up to which number of its log each crawl was read.
    read: std::collections::BTreeMap<i64, u64>,
    /// Languages of its pages, by their codes.
    languages: BTreeSet<String>,
}

/// Goes up whenever texts are cut into other words than before: an index of others finds nothing.
const WORDS: u32 = 1;

impl Default for Notes {
    fn default() -> Self {
        Self {
            words: WORDS,
            read: std::collections::BTreeMap::new(),
            languages: BTreeSet::new(),
        }
    }
}

/// The index, to be searched.
pub struct Library {
    folder: PathBuf,
    index: Index,
    reader: IndexReader,
    fields: Fields,
    /// The list of parts by which it was read last, and what was noted with it.
    seen: Mutex<(Vec<u8>, Notes)>,
}

impl Library {
    /// Opens the index in a folder, made if there is none.
    pub fn open(folder: &Path) -> Result<Self> {
        let wrong = |error| LibraryError::Folder(folder.to_owned(), error);
        make_private(folder).map_err(wrong)?;
        let (schema, fields) = schema();
        let directory = MmapDirectory::open(folder).map_err(tantivy::TantivyError::from)?;
        let index = Index::open_or_create(directory, schema);
        let index = index.map_err(|error| match error {
            tantivy::TantivyError::SchemaError(_) | tantivy::TantivyError::IncompatibleIndex(_) => {
                LibraryError::Form(folder.to_owned())
            }
            other => other.into(),
        })?;
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual);
        let reader = reader.try_into()?;
        let library = Self {
            folder: folder.to_owned(),
            index,
            reader,
            fields,
            seen: Mutex::default(),
        };
        if library.notes()?.words != WORDS {
            return Err(LibraryError::Form(folder.to_owned()));
        }
        Ok(library)
    }

    /// Deletes the index in a folder with all it holds. One that is open elsewhere goes on
    /// with what it read last.
    pub fn delete(folder: &Path) -> Result<()> {
        match fs::remove_dir_all(folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(LibraryError::Folder(folder.to_owned(), error))
            }
            _ => Ok(()),
        }
    }

    /// Files of the index that are not as they were written, by their names.
    pub fn damaged(&self) -> Result<BTreeSet<String>> {
        let damaged = self.index.validate_checksum()?.into_iter();
        Ok(damaged.map(|file| file.display().to_string()).collect())
    }

    /// Number of pages.
    pub fn len(&self) -> Result<u64> {
        Ok(self.searcher()?.0.num_docs())
    }

    /// Whether there is no page.
    pub fn is_empty(&self) -> Result<bool> {
        Ok(self.len()? == 0)
    }

    /// The newest state of the index, and what was noted with it.
    fn searcher(&self) -> Result<(Searcher, Notes)> {
        // Not by its time: two commits may fall into one tick of the clock.
        let parts = fs::read(self.folder.join("meta.json")).unwrap_or_default();
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.0.is_empty() || seen.0 != parts {
            self.reader.reload()?;
            *seen = (parts, self.notes()?);
        }
        Ok((self.reader.searcher(), seen.1.clone()))
    }

    /// What was noted with the last commit.
    fn notes(&self) -> Result<Notes> {
        let payload = self.index.load_metas()?.payload;
        let notes = payload.and_then(|payload| serde_json::from_str(&payload).ok());
        Ok(notes.unwrap_or_default())
    }
}

/// Makes a folder for its owner alone.
fn make_private(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

fn schema() -> (Schema, Fields) {
    let mut schema = Schema::builder();
    let indexing = TextFieldIndexing::default()
        .set_tokenizer("raw")
        .set_index_option(IndexRecordOption::WithFreqsAndPositions);
    let words = TextOptions::default().set_indexing_options(indexing);
    let fields = Fields {
        id: schema.add_text_field("id", STRING),
        topic: schema.add_u64_field("topic", INDEXED),
        crawl: schema.add_u64_field("crawl", INDEXED),
        key: schema.add_u64_field("key", FAST),
        address: schema.add_text_field("address", STORED),
        title: schema.add_text_field("title", STORED),
        title_words: schema.add_text_field("title_words", words.clone()),
        words: schema.add_text_field("words", words),
        site: schema.add_text_field("site", STRING | FAST),
        language: schema.add_text_field("language", STRING | FAST),
        meaning: schema.add_u64_field("meaning", FAST),
    };
    (schema.build(), fields)
}

/// What a fetch is known by in the index: its crawl and its number in the crawl's log.
pub fn key_of(crawl: i64, number: u64) -> u64 {
    (crawl.unsigned_abs() << 32) | (number & 0xffff_ffff)
}

/// Crawl and number of a key.
pub fn of_key(key: u64) -> (i64, u64) {
    ((key >> 32) as i64, key & 0xffff_ffff)
}

#[cfg(test)]
mod tests;
