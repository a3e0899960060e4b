//! A data folder looked through: whether database, pages and models can still be read, and are their
//! owner's alone. What can be mended is, if that is asked; nothing else is changed. What stands beside
//! pages in archives (redirects, requests) and the library's index, which is written again if it is
//! lost, are not looked at.

use std::collections::BTreeSet;
use std::path::Path;

use linkscent_archive::warc::{Reader, WarcError};
use linkscent_core::wire::read_model;
use serde::Serialize;

use crate::ServiceError;
use crate::Upkeep;
use crate::crawler::DAMAGED;
use linkscent_store::{
    CrawlRow, KeptRow, LostPage, crawl_of_archive, faults, is_open_to_others, make_private,
};

/// Pages that are read one after the other.
const BATCH: i64 = 200;
/// Pages of a crawl that are named one by one.
const MOST_NAMED: usize = 20;

/// Something that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// Where.
    pub place: String,
    /// What is wrong.
    pub problem: String,
    /// What was done about it, or what can be.
    pub remedy: String,
    /// Whether it is mended.
    pub is_mended: bool,
}

impl Fault {
    pub(crate) fn left(place: impl Into<String>, problem: impl Into<String>, remedy: &str) -> Self {
        Self {
            place: place.into(),
            problem: problem.into(),
            remedy: remedy.to_owned(),
            is_mended: false,
        }
    }

    fn mended(place: impl Into<String>, problem: impl Into<String>, remedy: &str) -> Self {
        Self {
            is_mended: true,
            ..Self::left(place, problem, remedy)
        }
    }
}

/// What was looked at.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// Crawls.
    pub crawls: usize,
    /// Pages in their archives.
    pub pages: u64,
    /// What is wrong.
    pub faults: Vec<Fault>,
}

impl Checked {
    /// Whether nothing is wrong any more.
    pub fn is_well(&self) -> bool {
        self.faults.iter().all(|fault| fault.is_mended)
    }
}

impl Upkeep {
    /// Reads database, pages and models. `told` hears how many pages were read. With `mends`, pages that cannot
    /// be read are put down as lost, so that their crawls ask for them again, and files are shut to
    /// others. What others put down meanwhile may be looked at or not.
    pub async fn check(
        &self,
        mends: bool,
        told: impl Fn(u64) + Send,
    ) -> Result<Checked, ServiceError> {
        let mut checked = Checked::default();
        let database = faults(self.context.store.folder()).await?;
        checked.faults.extend(database.into_iter().map(|problem| {
            let remedy = "end every linkscent on this folder; then `linkscent data repair` saves what can be read";
            Fault::left("linkscent.sqlite", problem, remedy)
        }));
        let known = match self.check_rows(mends, &mut checked, &told).await {
            Ok(known) => known,
            // Of a database that is damaged not all can be read.
            Err(_) if !checked.faults.is_empty() => return Ok(checked),
            Err(error) => return Err(error),
        };
        let folder = self.context.store.folder().to_owned();
        let looking = tokio::task::spawn_blocking(move || of_files(&folder, &known, mends));
        let found = looking.await.map_err(anyhow::Error::from)?;
        checked.faults.extend(found.map_err(anyhow::Error::from)?);
        checked.faults.extend(self.library.index_faults().await?);
        Ok(checked)
    }

    /// The crawls that there are, once their pages and all models were read.
    async fn check_rows(
        &self,
        mends: bool,
        checked: &mut Checked,
        told: &(impl Fn(u64) + Send),
    ) -> Result<BTreeSet<i64>, ServiceError> {
        let crawls = self.context.store.crawls(None).await?;
        for crawl in &crawls {
            self.check_pages(crawl, mends, checked, told).await?;
            let model = self.context.store.start_model(crawl.id).await?;
            if !crawl.is_reading()
                && let Err(error) = read_model(&model)
            {
                let remedy = if crawl.state.is_over() {
                    "it is not needed any more: the crawl is over"
                } else {
                    "it goes on with one made of what was marked, and says so"
                };
                let place = format!("the model crawl {} began with", crawl.id);
                checked
                    .faults
                    .push(Fault::left(place, error.to_string(), remedy));
            }
        }
        checked.crawls = crawls.len();
        for topic in self.context.store.topics().await? {
            let model = self.context.store.model(topic.id).await?;
            if let Some(Err(error)) = model.as_deref().map(read_model) {
                let remedy = "it is passed over, and made again by the next crawl of the topic";
                let place = format!("the model of “{}”", topic.name);
                checked
                    .faults
                    .push(Fault::left(place, error.to_string(), remedy));
            }
        }
        // Some may have begun meanwhile.
        let now = self.context.store.crawls(None).await?;
        Ok(crawls.iter().chain(&now).map(|crawl| crawl.id).collect())
    }

    async fn check_pages(
        &self,
        crawl: &CrawlRow,
        mends: bool,
        checked: &mut Checked,
        told: &(impl Fn(u64) + Send),
    ) -> Result<(), ServiceError> {
        let archive = self.context.store.warc_path(crawl.id);
        let (mut after, mut lost) = (0, Vec::new());
        loop {
            let rows = self
                .context
                .store
                .kept_after(crawl.id, after, BATCH)
                .await?;
            let Some(last) = rows.last() else {
                break;
            };
            after = last.number;
            if std::fs::metadata(&archive).map_or(0, |there| there.len()) == 0 {
                // It may only lie elsewhere: its pages are not put down as lost.
                checked
                    .faults
                    .push(gone(&archive, "the file is not there, or empty"));
                return Ok(());
            }
            checked.pages += rows.len() as u64;
            let path = archive.clone();
            let reading = tokio::task::spawn_blocking(move || unreadable(&path, rows));
            match reading.await.map_err(anyhow::Error::from)? {
                Ok(found) => lost.extend(found),
                Err(error) => {
                    checked.faults.push(gone(&archive, &error.to_string()));
                    return Ok(());
                }
            }
            told(checked.pages);
        }
        if lost.is_empty() {
            return Ok(());
        }
        let is_mended = mends && self.put_down_lost(crawl.id, &lost).await?;
        let more = lost.len().saturating_sub(MOST_NAMED);
        for (row, problem) in lost.into_iter().take(MOST_NAMED) {
            let place = format!(
                "crawl {}, request {}: {}",
                crawl.id, row.number, row.address
            );
            checked.faults.push(if is_mended {
                let remedy = "put down as lost; a crawl that goes on asks for it again";
                Fault::mended(place, problem, remedy)
            } else {
                let remedy = "a backup may have it; `linkscent data check --repair` while its crawl rests \
                              puts it down as lost";
                Fault::left(place, problem, remedy)
            });
        }
        if more > 0 {
            let (place, problem) = (format!("crawl {}", crawl.id), format!("{more} more pages"));
            checked.faults.push(if is_mended {
                Fault::mended(place, problem, "put down as lost")
            } else {
                Fault::left(place, problem, "as those before")
            });
        }
        Ok(())
    }

    /// Puts down pages as lost, if nobody runs their crawl and they cannot be read a second time
    /// either; whether they are.
    async fn put_down_lost(
        &self,
        crawl: i64,
        lost: &[(KeptRow, String)],
    ) -> Result<bool, ServiceError> {
        let (store, archive) = (
            self.context.store.clone(),
            self.context.store.warc_path(crawl),
        );
        if store.is_locked(crawl) {
            return Ok(false);
        }
        store.complete_archive(crawl).await?;
        let rows: Vec<KeptRow> = lost.iter().map(|(row, _)| row.clone()).collect();
        let looking = tokio::task::spawn_blocking(move || {
            let lock = store.lock_crawl(crawl).ok()?;
            let still = unreadable(&archive, rows).ok()?;
            Some((lock, still))
        });
        let Some((lock, still)) = looking.await.map_err(anyhow::Error::from)? else {
            return Ok(false);
        };
        let pages: Vec<LostPage> = still
            .iter()
            .map(|(row, problem)| LostPage {
                number: row.number,
                problem: format!("{DAMAGED} ({problem}); it is asked for again"),
            })
            .collect();
        // As it is now that nobody else writes. How much of the archive counts stays: whoever goes
        // on with the crawl finds where its last whole record ends.
        let (row, _) = self.context.crawl(crawl).await?;
        self.context
            .store
            .lose_pages(crawl, &pages, row.warc_length)
            .await?;
        drop(lock);
        Ok(pages.len() == lost.len())
    }
}

fn gone(archive: &Path, problem: &str) -> Fault {
    let remedy = "bring the file back from a backup, or delete the crawl";
    Fault::left(archive.display().to_string(), problem, remedy)
}

/// Those pages that cannot be read from an archive, with what is wrong; an error if the archive
/// itself cannot.
fn unreadable(archive: &Path, rows: Vec<KeptRow>) -> Result<Vec<(KeptRow, String)>, WarcError> {
    let mut found = Vec::new();
    for row in rows {
        match Reader::exchange_at(archive, row.offset, &row.address) {
            Ok(_) => {}
            Err(error @ WarcError::File { .. }) => return Err(error),
            Err(error) => found.push((row, error.to_string())),
        }
    }
    Ok(found)
}

/// Files that others may use, and archives that belong to no crawl.
fn of_files(folder: &Path, crawls: &BTreeSet<i64>, mends: bool) -> std::io::Result<Vec<Fault>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy().into_owned();
        if let Some(crawl) = crawl_of_archive(&name)
            && !crawls.contains(&crawl)
        {
            let remedy = "it stays; `linkscent import` takes its pages in as a new crawl";
            found.push(Fault::left(
                &name,
                "pages of a crawl that is not in the database",
                remedy,
            ));
        }
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            // The index has files of its own.
            found.extend(of_files(&path, crawls, mends).unwrap_or_default());
        }
        // It may go meanwhile, as files of the index do.
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if !is_file || !is_open_to_others(&path).unwrap_or(false) {
            continue;
        }
        let problem = "others may read or write it";
        found.push(if mends && make_private(&path).is_ok() {
            Fault::mended(&name, problem, "it is its owner's alone now")
        } else {
            Fault::left(
                &name,
                problem,
                "`linkscent data check --repair` shuts it (chmod 600)",
            )
        });
    }
    Ok(found)
}

#[cfg(test)]
mod tests;
