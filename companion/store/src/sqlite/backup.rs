//! Everything a data folder keeps, in one tar file: the database as it stands at one moment, and
//! what it says of the archives of crawls. It can be made while crawls run; unpacked, it is a
//! data folder.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::Path;

use anyhow::{Context, Result};
use sqlx::Connection;
use tar::{Builder, Header};

use super::{DATABASE, connect};
use crate::clock;
use crate::files;
use crate::warc_name;

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackedUp {
    /// Archives of crawls.
    pub archives: usize,
    /// Bytes of all files.
    pub bytes: u64,
}

/// Writes everything that the folder keeps to `out`. The copy of the database lies in the
/// folder meanwhile. An error leaves `out` with a beginning that no program takes for whole.
pub async fn backup(folder: &Path, out: impl Write + Send + 'static) -> Result<BackedUp> {
    let copy = tempfile::Builder::new()
        .prefix("copy-")
        .tempdir_in(folder)
        .with_context(|| format!("making a folder in {}", folder.display()))?;
    let database = copy.path().join(DATABASE);
    let archives = copy_database(&folder.join(DATABASE), &database).await?;
    let folder = folder.to_owned();
    let writing = tokio::task::spawn_blocking(move || {
        let mut tar = Builder::new(out);
        let mut bytes = append(&mut tar, &database, DATABASE, None)?.unwrap_or(0);
        let mut kept = 0;
        for (crawl, length) in archives {
            let name = warc_name(crawl);
            let appended = append(&mut tar, &folder.join(&name), &name, Some(length))?;
            kept += usize::from(appended.is_some());
            bytes += appended.unwrap_or(0);
        }
        tar.into_inner()?.flush()?;
        drop(copy);
        anyhow::Ok(BackedUp {
            archives: kept,
            bytes,
        })
    });
    writing.await?
}

/// Copies the database as it is; returns the crawls with how much of their archives counts.
async fn copy_database(from: &Path, to: &Path) -> Result<Vec<(i64, u64)>> {
    let mut source = connect(from).await?;
    files::make_private(to).with_context(|| format!("making {}", to.display()))?;
    let target = to.to_str().context("the data folder's name is no text")?;
    let copied = sqlx::query("VACUUM INTO ?")
        .bind(target)
        .execute(&mut source);
    copied.await.context("copying the database")?;
    source.close().await?;
    let mut copy = connect(to).await?;
    let rows: Vec<(i64, i64)> = sqlx::query_as("SELECT id, warc_length FROM crawl ORDER BY id")
        .fetch_all(&mut copy)
        .await?;
    copy.close().await?;
    Ok(rows
        .into_iter()
        .map(|(id, length)| (id, length.max(0) as u64))
        .collect())
}

/// Appends a file, or its beginning; returns how much of it there was, nothing if it is not
/// there.
fn append(
    tar: &mut Builder<impl Write>,
    path: &Path,
    name: &str,
    length: Option<u64>,
) -> Result<Option<u64>> {
    let file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened.with_context(|| format!("opening {}", path.display()))?,
    };
    let whole = file.metadata()?.len();
    let length = length.map_or(whole, |length| length.min(whole));
    let mut header = Header::new_gnu();
    header.set_size(length);
    header.set_mode(0o600);
    header.set_mtime(clock::now() as u64 / 1000);
    tar.append_data(&mut header, name, file.take(length))
        .with_context(|| format!("writing {name}"))?;
    Ok(Some(length))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{crawl, fetched, folder};
    use crate::{Store, repair};

    #[tokio::test]
    async fn what_is_unpacked_is_a_data_folder_as_it_was_at_that_moment() {
        let folder = folder();
        let data = folder.path().join("data");
        let store = Store::open(&data).await.unwrap();
        let (with_archive, without) = (crawl(&*store).await, crawl(&*store).await);
        for (id, bytes) in [(with_archive, 5), (without, 0)] {
            let row = fetched(1, "http://a.test/", 0.9);
            store.take_fetches(id, bytes, &[row]).await.unwrap();
        }
        std::fs::write(store.warc_path(with_archive), "12345 not acknowledged").unwrap();
        let tar = folder.path().join("all.tar");
        let done = backup(&data, File::create(&tar).unwrap()).await.unwrap();
        assert_eq!(done.archives, 1);
        // What comes later is not in it, and the lock on the folder is held as before.
        let later = fetched(2, "http://a.test/later", 0.9);
        store.take_fetches(with_archive, 9, &[later]).await.unwrap();
        assert!(
            repair(&data)
                .await
                .unwrap_err()
                .to_string()
                .contains("in use")
        );
        let names = std::fs::read_dir(&data).unwrap();
        let mut names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        assert!(names.all(|name| !name.starts_with("copy-")));
        let restored = folder.path().join("restored");
        files::make_folder(&restored).unwrap();
        let mut archive = tar::Archive::new(File::open(&tar).unwrap());
        archive.unpack(&restored).unwrap();
        let store = Store::open(&restored).await.unwrap();
        assert_eq!(store.fetches(with_archive).await.unwrap().len(), 1);
        assert_eq!(store.fetches(without).await.unwrap().len(), 1);
        let kept = std::fs::read(store.warc_path(with_archive)).unwrap();
        assert_eq!(kept, b"12345");
    }
}
