//! A disk that is full for a while: crawls pause and say so, what was acknowledged stays, and they go
//! on when the person says so once there is room.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use linkscent_store::{CrawlState, Store};

use super::{TOPICS, send};
use crate::preloaded::preloaded;
use crate::wait_for;

/// Seconds that a crawl has to notice.
const NOTICED: u64 = 60;

/// A disk below a data folder that can be full.
pub(super) struct FullDisk {
    library: PathBuf,
    sign: PathBuf,
    data: PathBuf,
}

impl FullDisk {
    /// One with room; none where no C compiler makes it.
    pub(super) fn of(folder: &Path, data: &Path) -> Result<Option<Self>> {
        std::fs::create_dir_all(data)?;
        let data = data.canonicalize()?;
        Ok(preloaded("failing_disk", folder).map(|library| Self {
            library,
            sign: folder.join("full"),
            data,
        }))
    }

    /// What a program has to be told so that it meets this disk.
    pub(super) fn environment(&self) -> [(&'static str, &Path); 3] {
        [
            ("LD_PRELOAD", &self.library),
            ("FULL_WHILE", &self.sign),
            ("FULL_FOLDER", &self.data),
        ]
    }

    /// Fills it up, until all crawls that run pause; then there is room again, and they are told to go
    /// on by the dashboard there. What they said of it.
    pub(super) async fn fill(&self, store: &Store, port: u16, base: &str) -> Result<Vec<String>> {
        std::fs::write(&self.sign, "")?;
        let crawls = 1..=TOPICS.len() as i64;
        let noticed = wait_for("crawls notice the full disk", NOTICED, || async {
            let mut running = crawls.clone().filter(|crawl| store.is_locked(*crawl));
            Ok(running.next().is_none().then_some(()))
        });
        let noticed = noticed.await;
        std::fs::remove_file(&self.sign)?;
        if noticed.is_err() {
            // The rest of the promises is looked at all the same.
            return Ok(vec![format!("crawls went on for {NOTICED} s")]);
        }
        let said = wait_for("crawls say why they pause", NOTICED, || async {
            let mut said = Vec::new();
            for crawl in crawls.clone() {
                let row = store.crawl(crawl).await?.context("no crawl")?;
                if row.state != CrawlState::Paused {
                    return Ok(None);
                }
                said.push(row.stop_reason);
            }
            Ok(Some(said))
        });
        let said = said.await?;
        for crawl in crawls {
            let page = send(port, &format!("GET {base}/crawl/{crawl}"), "").await;
            let csrf = page.split("name=\"csrf\" value=\"").nth(1);
            let csrf = csrf.and_then(|rest| rest.split('"').next());
            let form = format!("csrf={}", csrf.unwrap_or_default());
            send(port, &format!("POST {base}/crawl/{crawl}/resume"), &form).await;
        }
        Ok(said)
    }
}
