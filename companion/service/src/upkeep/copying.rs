//! Archives copied to an object store as they grow: see the store's `archive_copies`.
//!
//! The file of the data folder is what is read; a copy is at most a minute behind it as long as one
//! program of the folder serves or crawls and can keep up. Where the object store does not answer, crawls go
//! on, and what it lacks is copied when it answers again.

use std::time::Duration;

use anyhow::{Context, Result};

use crate::Upkeep;
use linkscent_store::Copied;

/// Archives that have grown are copied so often.
const EVERY: Duration = Duration::from_mins(1);

impl Upkeep {
    /// Copies what archives have grown by, and deletes copies of what was forgotten or deleted. What fails
    /// for one crawl does not for others: the first error is told at the end.
    pub async fn copy_archives(&self, mut on_crawl: impl FnMut(&Copied)) -> Result<()> {
        if self.context.store.copied_to().await?.is_none() {
            return Ok(());
        }
        let mut done = self.context.store.sweep_copies().await;
        for copied in self.context.store.copied().await? {
            if copied.copied < copied.bytes {
                on_crawl(&copied);
                let copied = self.copy_archive(copied.crawl).await;
                done = done.and(copied);
            }
        }
        done
    }

    /// Copies what an archive has grown by, a part at a time: whoever forgets a page waits no longer than
    /// for one.
    pub async fn copy_archive(&self, crawl: i64) -> Result<()> {
        let archive = self.context.store.warc_path(crawl);
        loop {
            let Some(mut copies) = self.context.store.hold_copies().await? else {
                return Ok(());
            };
            let copied = copies.copy_part(crawl, &archive).await;
            if !copied.with_context(|| format!("copying the pages of crawl {crawl}"))? {
                return Ok(());
            }
        }
    }

    /// Copies archives as they grow, as long as this is polled. What fails is told, once until it
    /// succeeds, and tried again.
    pub async fn keep_copies(&self) -> Result<()> {
        let mut is_failing = false;
        loop {
            match self.copy_archives(|_| {}).await {
                Ok(()) if is_failing => {
                    is_failing = false;
                    tracing::warn!("archives are copied again");
                }
                Ok(()) => {}
                Err(error) if !is_failing => {
                    is_failing = true;
                    tracing::warn!(
                        "archives are not copied, and it is tried again every minute: {error:#}"
                    );
                }
                Err(error) => tracing::debug!("archives are not copied: {error:#}"),
            }
            tokio::time::sleep(EVERY).await;
        }
    }
}

#[cfg(all(test, feature = "team"))]
mod tests;
