//! The library's index on its shelf: opened once, held while it is written, and deleted.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use linkscent_library::{Library as Index, LibraryError};
use tokio::sync::{Semaphore, watch};

use super::known::Known;

/// Most searches that go through the index at the same time.
const MOST_SEARCHES: usize = 4;

/// The index once it is open, and what was last worked out of the logs. Clones are the same.
#[derive(Clone)]
pub(crate) struct Shelf {
    pub(super) folder: PathBuf,
    open: Arc<Mutex<Option<Arc<Index>>>>,
    pub(super) known: Known,
    /// Held while the index is written or deleted.
    pub(super) writing: Arc<tokio::sync::Mutex<()>>,
    /// Places for searches: [`MOST_SEARCHES`].
    pub(super) searching: Arc<Semaphore>,
    /// Whether what was kept before this process began is still being taken in.
    pub(super) is_behind: watch::Sender<bool>,
}

impl Shelf {
    /// Holds the index, so that nobody in this process writes it.
    pub(crate) async fn hold(&self) -> HeldIndex<'_> {
        HeldIndex {
            shelf: self,
            _writing: self.writing.lock().await,
        }
    }

    /// Has what is known of pages worked out again before it is used.
    pub(crate) fn forget_standings(&self) {
        self.known.forget();
    }

    pub(crate) fn new(data: &Path) -> Self {
        Self {
            folder: data.join("library"),
            open: Arc::default(),
            known: Known::default(),
            writing: Arc::default(),
            searching: Arc::new(Semaphore::new(MOST_SEARCHES)),
            is_behind: watch::Sender::new(false),
        }
    }

    /// Opens the index. One that cannot be read is written again: it is never the only copy of anything.
    pub(super) fn library(&self) -> Result<Arc<Index>, LibraryError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(library) = &*open {
            return Ok(Arc::clone(library));
        }
        let library = match Index::open(&self.folder) {
            Err(LibraryError::Form(_) | LibraryError::Index(_)) => {
                Index::delete(&self.folder)?;
                Index::open(&self.folder)?
            }
            opened => opened?,
        };
        let library = Arc::new(library);
        *open = Some(Arc::clone(&library));
        Ok(library)
    }

    /// Lets go of the index: another process deleted it, or it fails.
    pub(super) fn close(&self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        *open = None;
    }

    /// Deletes the index with all the words in it.
    fn delete(&self) -> Result<(), LibraryError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        *open = None;
        Index::delete(&self.folder)
    }
}

/// See [`Shelf::hold`].
pub(crate) struct HeldIndex<'a> {
    shelf: &'a Shelf,
    _writing: tokio::sync::MutexGuard<'a, ()>,
}

impl HeldIndex<'_> {
    /// Deletes it with all the words in it.
    pub(crate) fn delete(&self) -> Result<()> {
        Ok(self.shelf.delete()?)
    }
}
