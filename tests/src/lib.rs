//! What the tests across Linkscent's parts share: browsers, a small web, the
//! companion as a process, and the real material where it is there.

pub mod browser;
pub mod collector;
pub mod companion;
pub mod contrast;
pub mod kills;
pub mod outages;
pub mod paired;
pub mod preloaded;
pub mod scripted;
pub mod shell;
pub mod soak;
pub mod stage;
pub mod synthetic_web;
pub mod tls_front;
pub mod watched_web;
pub mod web;

pub use linkscent_store::fixtures::cluster as postgres;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// The folder of real material beside the project, if it is there. Tests that
/// need it say that they skip.
pub fn material() -> Option<PathBuf> {
    let folder = linkscent_pack::root().join("../shared");
    if folder.join("webs").is_dir() {
        return Some(folder);
    }
    skipped("the real webs are not beside this checkout");
    None
}

/// Says that a test skips, and why; `LINKSCENT_SKIPPED` names a file that is told, too.
pub fn skipped(why: &str) {
    use std::io::Write;
    eprintln!("skipped: {why}");
    if let Some(file) = std::env::var_os("LINKSCENT_SKIPPED") {
        let open = std::fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(file);
        // To count is a courtesy: a test does not fail over it.
        let _ = open.and_then(|mut file| file.write_all(format!("{why}\n").as_bytes()));
    }
}

/// Waits until `condition` gives something; an error after `seconds`.
pub async fn wait_for<T, F>(what: &str, seconds: u64, mut condition: impl FnMut() -> F) -> Result<T>
where
    F: Future<Output = Result<Option<T>>>,
{
    let began = Instant::now();
    loop {
        if let Some(found) = condition().await? {
            return Ok(found);
        }
        if began.elapsed() > Duration::from_secs(seconds) {
            bail!("waited {seconds} s in vain: {what}");
        }
        tokio::time::sleep(Duration::from_millis(40)).await;
    }
}
