//! A data folder that was lost, made again from the copies of its archives; where it is there, what its
//! archives lack. Pages that were not copied yet stay lost: their crawls ask for them again.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Serialize;

use super::archive_copies;
use super::objects::Objects;
use crate::ports::Crawls;
use crate::postgres::{self, PostgresStore, SharedLock, Workers};
use crate::{files, newest_archive, warc_name};

/// In a folder into which archives are being brought.
const BEGUN: &str = "bringing-back";

/// The archive of a crawl that was brought back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BroughtBack {
    /// Whose it is.
    pub crawl: i64,
    /// Bytes that came.
    pub bytes: u64,
    /// Bytes that the log speaks of and that are not there now either.
    pub missing: u64,
}

/// Brings back what archives lack, into the data folder of a database, or into an empty one, which it has
/// from then on: the folder before is refused, and nothing is copied any more, so that whoever only tries
/// a back-up of the database touches nobody's copies. Nobody may use either folder meanwhile. What was cut
/// off goes on when it is done again. What came, and where copies lie that are no longer kept up.
pub async fn bring_back(
    address: &str,
    folder: &Path,
    mut on_crawl: impl FnMut(&BroughtBack),
) -> Result<(Vec<BroughtBack>, Option<String>)> {
    files::make_folder(folder)?;
    let lock = files::lock_folder(folder, true)?;
    let pool = PostgresStore::connect(address).await?;
    let place = postgres::may_bring_to(&pool, folder).await?;
    let is_own = postgres::is_tied(&mut *pool.acquire().await?, folder).await?;
    let begun = folder.join(BEGUN);
    let writing = || format!("writing {}", begun.display());
    let own = postgres::place_of(&mut *pool.acquire().await?).await?;
    let own = own.context("the database belongs to no data folder")?;
    let is_begun = std::fs::read_to_string(&begun).is_ok_and(|text| text == own);
    ensure!(
        is_own || is_begun || newest_archive(folder)? == 0,
        "{} has pages of other crawls: give an empty folder",
        folder.display()
    );
    let mut file = files::open_private(&begun).with_context(writing)?;
    file.set_len(0)
        .and_then(|()| file.write_all(own.as_bytes()))
        .with_context(writing)?;
    let objects = Objects::at(&place)?;
    let store = PostgresStore::over(pool, folder, lock);
    let workers = Workers::of(&store);
    let mut all = Vec::new();
    for crawl in store.crawls(None).await? {
        // Who ran it would write to another file.
        let running = SharedLock::take(&workers, crawl.id).await;
        let running = running.context("end every linkscent that uses the folder before")?;
        let archive = folder.join(warc_name(crawl.id));
        let parts = postgres::parts(&mut *store.pool.acquire().await?, crawl.id).await?;
        let bytes = archive_copies::bring_back(&objects, &parts, &archive)
            .await
            .with_context(|| format!("bringing back the pages of crawl {}", crawl.id))?;
        let there = std::fs::metadata(&archive).map_or(0, |metadata| metadata.len());
        let brought = BroughtBack {
            crawl: crawl.id,
            bytes,
            missing: crawl.warc_length.saturating_sub(there),
        };
        on_crawl(&brought);
        all.push(brought);
        drop(running);
    }
    let mut left = None;
    if !is_own {
        // Until now nobody goes on with a crawl there, which would put its pages down as lost.
        postgres::bring_to(&store.pool, folder).await?;
        left = Some(place);
    }
    std::fs::remove_file(&begun).with_context(|| format!("deleting {}", begun.display()))?;
    Ok((all, left))
}
