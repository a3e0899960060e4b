//! An index that is damaged: named where it is looked for, written again where a search meets it. It
//! is never the only copy of anything.

use anyhow::Result;
use linkscent_library::{Library as Index, LibraryError};

use crate::{Fault, Library, ServiceError};

impl Library {
    /// What is wrong with the library's index, if there is one.
    pub(crate) async fn index_faults(&self) -> Result<Vec<Fault>, ServiceError> {
        if !self.context.shelf.folder.exists() {
            return Ok(Vec::new());
        }
        let folder = self.context.shelf.folder.clone();
        let reading = tokio::task::spawn_blocking(move || Index::open(&folder)?.damaged());
        let remedy = "`linkscent search --rebuild` writes the index again from the pages";
        let fault = |problem: String| Fault::left("library", problem, remedy);
        Ok(match reading.await.map_err(anyhow::Error::from)? {
            Ok(damaged) => damaged
                .into_iter()
                .map(|file| fault(format!("{file} is damaged")))
                .collect(),
            Err(error) => vec![fault(error.to_string())],
        })
    }

    /// What is said of a search that failed. If the index is damaged, it is written again.
    pub(super) async fn after_failed_search(&self, error: LibraryError) -> ServiceError {
        let is_damaged = self
            .index_faults()
            .await
            .is_ok_and(|faults| !faults.is_empty());
        if is_damaged && self.context.forget_index().await.is_ok() {
            self.context.say_changed();
            return ServiceError::refused(
                "The library's index was damaged, and is written again from the pages: search once \
                 more in a while.",
            );
        }
        anyhow::Error::from(error).into()
    }
}
