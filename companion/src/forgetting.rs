//! Forgetting, as a browser asks for it: pages with all that has to do with them, or
//! every click. Rows, models and archives lose it; then every store is searched for
//! what should be gone, byte by byte, and the answer says where something is left.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use linkscent_core::address::Address;
use linkscent_core::guide::{Guide, ToForget};
use linkscent_core::wire::api::{Forget, Forgotten};
use linkscent_core::wire::{read_model, write_model};

use crate::api::App;
use crate::crawler::runner::Command;
use crate::store::{Store, open_private};
use crate::web::warc::{Reader, blank};

/// How often, and how long, it is looked whether a crawl has come to rest.
const LOOK_EVERY: Duration = Duration::from_millis(100);
const LOOKS: usize = 200;

/// Forgets what is asked for. Crawls that run are paused meanwhile.
pub async fn forget(app: &App, asked: &Forget) -> Result<Forgotten> {
    let mut gone = asked.to_forget();
    if asked.every_click {
        gone.clicks.extend(app.store.clicks().await?);
    }
    if gone.is_empty() {
        return Ok(Forgotten {
            rows: 0,
            left: Vec::new(),
        });
    }
    let paused = pause_all(app).await?;
    let forgotten = forget_at_rest(&app.store, &gone).await;
    for crawl in paused {
        app.running.resume(crawl).await?;
    }
    app.running.say_changed();
    forgotten
}

/// Pauses every crawl that runs, here or elsewhere, and waits until it rests.
async fn pause_all(app: &App) -> Result<Vec<i64>> {
    let mut paused = Vec::new();
    for crawl in app.store.crawls(None).await? {
        if app.running.tell(crawl.id, Command::Pause).await? {
            paused.push(crawl.id);
        }
    }
    for &crawl in &paused {
        let mut looks = 0;
        while app.store.is_locked(crawl) {
            if looks == LOOKS {
                bail!("crawl {crawl} does not come to rest: pause it, then forget again");
            }
            looks += 1;
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
    Ok(paused)
}

async fn forget_at_rest(store: &Store, gone: &ToForget) -> Result<Forgotten> {
    let kept = store.kept_pages(gone).await?;
    for page in &kept {
        let path = store.warc_path(page.crawl);
        let offset = page.offset;
        let blanking =
            tokio::task::spawn_blocking(move || blank(&mut open_private(&path)?, offset));
        blanking
            .await?
            .with_context(|| format!("taking a page out of crawl {}'s archive", page.crawl))?;
    }
    for (table, id, file) in store.model_files().await? {
        let without = tokio::task::spawn_blocking({
            let gone = gone.clone();
            move || model_without(&file, &gone)
        });
        if let Some(file) = without.await?? {
            store.replace_model(table, id, &file).await?;
        }
    }
    let rows = store.forget_rows(gone).await? + kept.len() as u64;
    store.sweep().await?;
    let crawls: Vec<i64> = store
        .crawls(None)
        .await?
        .iter()
        .map(|crawl| crawl.id)
        .collect();
    Ok(Forgotten {
        rows,
        left: find_left(store, gone, &crawls).await?,
    })
}

/// A model file without what is to be forgotten; `None` if it cannot be read, and so
/// cannot be used either.
fn model_without(file: &[u8], gone: &ToForget) -> Result<Option<Vec<u8>>> {
    let Ok(knowledge) = read_model(file) else {
        return Ok(None);
    };
    let guide = Guide::with_knowledge(knowledge.forget(gone));
    let guide = guide.context("a model names a critic or strategy this version lacks")?;
    Ok(Some(write_model(&guide.knowledge())?))
}

/// Where one of the pages still stands: in the database, its file, or an archive.
async fn find_left(store: &Store, gone: &ToForget, crawls: &[i64]) -> Result<Vec<String>> {
    let mut left = BTreeSet::new();
    for page in &gone.pages {
        // Other addresses that begin with this one are to be told apart from it.
        let others = store.find_text(page.as_str()).await?;
        if !others.is_empty() {
            left.extend(store.find_page(page, &others).await?);
        }
    }
    let folder = store.folder().to_owned();
    let archives: Vec<_> = crawls.iter().map(|&crawl| store.warc_path(crawl)).collect();
    let pages = gone.pages.clone();
    let in_files = tokio::task::spawn_blocking(move || {
        let mut left = Vec::new();
        for name in ["linkscent.sqlite", "linkscent.sqlite-wal"] {
            let bytes = std::fs::read(folder.join(name)).unwrap_or_default();
            if pages.iter().any(|page| stands_in(&bytes, page)) {
                left.push(name.to_owned());
            }
        }
        for archive in archives {
            if !pages.is_empty() && archive_has(&archive, &pages) {
                left.push(archive.display().to_string());
            }
        }
        left
    });
    left.extend(in_files.await?);
    Ok(left.into_iter().collect())
}

fn archive_has(archive: &Path, pages: &BTreeSet<Address>) -> bool {
    let Ok(records) = Reader::open(archive) else {
        return false;
    };
    let mut records = records.filter_map(Result::ok);
    records.any(|record| Address::parse(&record.target).is_ok_and(|page| pages.contains(&page)))
}

/// Whether an address stands somewhere in bytes, and not only as the beginning of
/// another one.
pub fn stands_in(bytes: &[u8], page: &Address) -> bool {
    let text = page.as_str().as_bytes();
    memchr::memmem::find_iter(bytes, text).any(|at| {
        let behind = bytes.get(at + text.len());
        behind.is_none_or(|byte| !is_of_address(*byte))
    })
}

fn is_of_address(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~:/?#@!$&'()*+,;=%".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_told_from_longer_ones() {
        let page = Address::parse("http://a.test/x").unwrap();
        for (text, stands) in [
            ("[\"http://a.test/x\"]", true),
            ("http://a.test/x", true),
            ("http://a.test/xy and http://a.test/x/1", false),
            ("http://a.test/xy http://a.test/x\u{1}", true),
            ("", false),
        ] {
            assert_eq!(stands_in(text.as_bytes(), &page), stands, "{text}");
        }
    }
}
