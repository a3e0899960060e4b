//! What is left of deleted rows in the database's files, and in those beside it.

use std::path::{Path, PathBuf};

use super::{BACKUP, SqliteStore, delete_copies};
use crate::stands_in::stands_in;
use crate::{StoreError, StoreResult};

impl SqliteStore {
    /// Rewrites the database, so that nothing of what was deleted lies in it any more, and deletes what
    /// lies beside it.
    pub(crate) async fn rewrite(&self) -> StoreResult<()> {
        delete_copies(&self.folder).map_err(|error| {
            let error = anyhow::Error::from(error).context("deleting copies of the database");
            StoreError::Backend(error.into())
        })?;
        // Rewritten, so that no free page holds what was deleted.
        for statement in [
            "PRAGMA wal_checkpoint(TRUNCATE)",
            "VACUUM",
            "PRAGMA wal_checkpoint(TRUNCATE)",
        ] {
            sqlx::raw_sql(statement).execute(&self.pool).await?;
        }
        Ok(())
    }

    /// What lies beside the database's own file and has one of the pages: what waits to go into
    /// it, the copy from before its form changed, damaged ones that a repair kept. The file
    /// itself is not opened here: to close it again would let go of all locks that this process
    /// holds on it.
    pub(crate) fn traces_beside(folder: &Path, spellings: &[String]) -> Vec<String> {
        let has_page = |file: &PathBuf| {
            let bytes = std::fs::read(file).unwrap_or_default();
            spellings.iter().any(|page| stands_in(&bytes, page))
        };
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let beside = entries.filter(|entry| {
            let name = entry.file_name();
            if name == BACKUP {
                return true;
            }
            let rest = name
                .to_str()
                .and_then(|name| name.strip_prefix("linkscent.sqlite"));
            rest.is_some_and(|rest| {
                rest == "-wal"
                    || [".damaged", ".moved"]
                        .iter()
                        .any(|aside| rest.starts_with(aside))
            })
        });
        let files = beside.map(|entry| entry.path()).filter(has_page);
        files.map(|file| file.display().to_string()).collect()
    }
}
