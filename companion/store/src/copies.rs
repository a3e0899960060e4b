//! A store in a PostgreSQL database, and the copies of its archives in an object store.

mod archive_copies;
mod bringing_back;
mod objects;

pub use archive_copies::ArchiveCopies;
pub use bringing_back::{BroughtBack, bring_back};
pub use objects::ObjectsError;

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};

use super::postgres::{self, PostgresStore, SharedLock, Workers};
use super::{Copied, Store, StoreError};
use crate::secret;
use objects::Objects;

/// An object that is put down to see whether it can be.
const TRIED: &str = "tried";

impl Store {
    /// Opens the store in a PostgreSQL database, beside a data folder.
    pub async fn open_database(address: &str, folder: &Path) -> Result<Self> {
        let ports = PostgresStore::open(address, folder).await?;
        let workers = Some(Workers::of(&ports));
        Ok(Self {
            workers,
            ..Self::new(Arc::new(ports), folder)
        })
    }

    /// Where archives are copied to; `None` if they are not. Those of a database in the data folder never
    /// are: `linkscent data backup` copies both.
    pub async fn copied_to(&self) -> Result<Option<String>> {
        let Some(workers) = self.workers() else {
            return Ok(None);
        };
        let mut database = workers.pool().acquire().await.map_err(StoreError::from)?;
        Ok(postgres::copies(&mut database).await?)
    }

    /// The same, to write there, while nobody else does.
    pub async fn hold_copies(&self) -> Result<Option<ArchiveCopies>> {
        let (Some(workers), Some(_)) = (self.workers(), self.copied_to().await?) else {
            return Ok(None);
        };
        let mut lock = SharedLock::of_copies(workers).await?;
        // It may have been another place until now.
        let Some(place) = postgres::copies(lock.connection()).await? else {
            return Ok(None);
        };
        let objects = tokio::task::spawn_blocking(move || Objects::at(&place)).await??;
        Ok(Some(ArchiveCopies { objects, lock }))
    }

    /// How far the archive of each crawl is copied.
    pub async fn copied(&self) -> Result<Vec<Copied>> {
        let Some(workers) = self.workers() else {
            return Ok(Vec::new());
        };
        let mut database = workers.pool().acquire().await.map_err(StoreError::from)?;
        let extents = postgres::extents(&mut database, None).await?.into_iter();
        let copied = extents.map(|extent| Copied {
            crawl: extent.crawl,
            bytes: extent.bytes,
            copied: extent.copied,
        });
        Ok(copied.collect())
    }

    /// Has archives be copied to a place from now on, to a folder of their own there.
    pub async fn copy_to(&self, place: &str) -> Result<()> {
        let workers = self.workers().context(
            "archives are copied only where the rows are in a database elsewhere (--database); \
             `linkscent data backup` copies rows and archives of a data folder",
        )?;
        let mut lock = SharedLock::of_copies(workers).await?;
        if let Some(before) = postgres::copies(lock.connection()).await? {
            bail!("archives are copied to {before} already: --stop that first");
        }
        let own = secret::random_hex::<8>();
        let own = format!("{}/{own}", place.trim_end_matches('/'));
        let opening = tokio::task::spawn_blocking({
            let own = own.clone();
            move || {
                Objects::make(&own)?;
                Objects::at(&own)
            }
        });
        // One that cannot be used is not put down.
        let objects = opening.await??;
        objects.put(TRIED, Vec::new()).await?;
        objects.delete(TRIED).await?;
        postgres::set_copies(lock.connection(), Some(&own)).await?;
        Ok(())
    }

    /// Has archives be copied no more. Where what was copied stays. An error if something there is still to
    /// be deleted and cannot be.
    pub async fn stop_copies(&self) -> Result<Option<String>> {
        let Some(workers) = self.workers() else {
            return Ok(None);
        };
        self.sweep_copies().await.context(
            "what was forgotten or deleted cannot be deleted there just now, and nobody would know of it \
             later",
        )?;
        let mut lock = SharedLock::of_copies(workers).await?;
        let place = postgres::copies(lock.connection()).await?;
        postgres::set_copies(lock.connection(), None).await?;
        Ok(place)
    }

    /// Deletes copies of what was forgotten or deleted. An error says where something is left.
    pub async fn sweep_copies(&self) -> Result<()> {
        match self.hold_copies().await? {
            Some(mut copies) => copies.sweep().await,
            None => Ok(()),
        }
    }

    /// Brings back what a crawl's archive lacks of its copy, for who holds the crawl's lock: before pages
    /// are put down as lost.
    pub async fn complete_archive(&self, crawl: i64) -> Result<()> {
        let (Some(workers), Some(place)) = (self.workers(), self.copied_to().await?) else {
            return Ok(());
        };
        let mut database = workers.pool().acquire().await.map_err(StoreError::from)?;
        let parts = postgres::parts(&mut database, crawl).await?;
        drop(database);
        let archive = self.warc_path(crawl);
        let there = std::fs::metadata(&archive).map_or(0, |metadata| metadata.len());
        if parts.last().is_none_or(|part| part.to <= there) {
            return Ok(());
        }
        let objects = tokio::task::spawn_blocking(move || Objects::at(&place)).await??;
        let brought = archive_copies::bring_back(&objects, &parts, &archive);
        let bytes = brought
            .await
            .context("its archive has lost pages, and they are not brought back from their copy")?;
        message!("linkscent: {bytes} bytes of crawl {crawl}'s archive were brought back");
        Ok(())
    }
}
