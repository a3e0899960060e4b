//! Copies of crawls' archives in an object store.
//!
//! The files of the data folder stay what is read and written. What the log has of one is copied behind it, in
//! parts of a few megabytes, each an object of its own; the database knows which they are, and put together
//! they are the archive. When a page is forgotten or lost, or a crawl deleted, the database says in the same
//! transaction that what was copied of the archive is to be deleted; then the rest is copied again.
//!
//! One program at a time writes copies, by a lock of the database, and what it writes counts only while it has
//! that. Where the object store keeps older versions of objects, pages that were forgotten stay in those.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::objects::Objects;
use crate::files::open_private;
use crate::postgres::{self, Extent, Part, SharedLock};
use crate::secret;

/// Bytes of a part, at most.
const LARGEST: u64 = 8 << 20;

/// A place where archives are copied to, for the one who may write there.
pub struct ArchiveCopies {
    pub(super) objects: Objects,
    pub(super) lock: SharedLock,
}

impl ArchiveCopies {
    /// Copies the next part of a crawl's archive. Whether there was one: its file may have lost it.
    pub async fn copy_part(&mut self, crawl: i64, archive: &Path) -> Result<bool> {
        self.copy_part_after(crawl, archive, std::future::ready(()))
            .await
    }

    /// The same, where something comes between reading the part and writing its copy.
    pub async fn copy_part_after(
        &mut self,
        crawl: i64,
        archive: &Path,
        between: impl Future<Output = ()>,
    ) -> Result<bool> {
        let extents = postgres::extents(self.lock.connection(), Some(crawl)).await?;
        let Some(extent) = extents.first() else {
            return Ok(false);
        };
        let bytes = next_bytes(archive.to_owned(), *extent).await;
        let bytes = bytes.with_context(|| format!("reading {}", archive.display()))?;
        if bytes.is_empty() {
            return Ok(false);
        }
        between.await;
        let part = Part {
            from: extent.copied,
            to: extent.copied + bytes.len() as u64,
            object: format!(
                "crawl-{crawl}-{:015}-{}.warc.gz",
                extent.copied,
                secret::random_hex::<8>()
            ),
        };
        postgres::begin_object(self.lock.connection(), &part.object).await?;
        self.objects.put(&part.object, bytes).await?;
        Ok(postgres::keep_part(self.lock.connection(), extent, &part).await?)
    }

    /// Deletes objects that are copies of nothing any more. One that cannot be keeps none of the others;
    /// the first error is told at the end.
    pub async fn sweep(&mut self) -> Result<()> {
        let mut done = Ok(());
        for object in postgres::gone_objects(self.lock.connection()).await? {
            match self.objects.delete(&object).await {
                Ok(()) => postgres::let_go(self.lock.connection(), &object).await?,
                Err(error) => done = done.and(Err(error.into())),
            }
        }
        done
    }
}

/// What is to be copied next of an archive.
async fn next_bytes(archive: PathBuf, extent: Extent) -> io::Result<Vec<u8>> {
    let length = extent.bytes.saturating_sub(extent.copied).min(LARGEST);
    let reading = tokio::task::spawn_blocking(move || {
        let mut bytes = Vec::new();
        let mut file = File::open(&archive)?;
        file.seek(SeekFrom::Start(extent.copied))?;
        file.take(length).read_to_end(&mut bytes)?;
        Ok(bytes)
    });
    match reading.await.map_err(io::Error::other).flatten() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        read => read,
    }
}

/// Brings back what an archive lacks of its copy. Nobody may write it meanwhile. Bytes that came. Where a
/// copy is not there, what lies behind it does not come either.
///
/// A file that ends in other bytes than its copy has there, as one from a back-up may, is written again from its beginning.
pub(super) async fn bring_back(objects: &Objects, parts: &[Part], archive: &Path) -> Result<u64> {
    let writing = || format!("writing {}", archive.display());
    let mut end = std::fs::metadata(archive).map_or(0, |metadata| metadata.len());
    if parts.last().is_none_or(|part| part.to <= end) {
        return Ok(0);
    }
    // The one in which the file ends, at its own end perhaps.
    let seam = parts.iter().find(|part| part.from < end && end <= part.to);
    if let Some(part) = seam {
        let Some(bytes) = objects.get(&part.object).await? else {
            return Ok(0);
        };
        let known = usize::try_from(end - part.from)?;
        let there = read_at(archive, part.from, end).with_context(writing)?;
        if bytes.get(..known) != Some(&there[..]) {
            end = 0;
        }
    }
    let before = end;
    for part in parts.iter().filter(|part| part.to > before) {
        let bytes = objects.get(&part.object).await?;
        let known = end.checked_sub(part.from).map(usize::try_from);
        let (Some(bytes), Some(known)) = (bytes, known) else {
            break;
        };
        let lacking = bytes.get(known?..).unwrap_or_default();
        write_at(archive, lacking, end).with_context(writing)?;
        end += lacking.len() as u64;
    }
    Ok(end - before)
}

fn read_at(archive: &Path, from: u64, to: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut file = File::open(archive)?;
    file.seek(SeekFrom::Start(from))?;
    file.take(to - from).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn write_at(archive: &Path, bytes: &[u8], offset: u64) -> io::Result<()> {
    let mut file = open_private(archive)?;
    file.seek(SeekFrom::Start(offset))?;
    file.write_all(bytes)?;
    file.sync_all()
}
