//! A crawl whose database does not answer for a while: it is taken up where its log ends as soon as that
//! can be read again. Nothing that was acknowledged is lost by it, and what may have been written or not
//! is seen there.

use std::thread::sleep;
use std::time::Duration;

use anyhow::Result;
use tokio::runtime::Handle;

use super::runner::TOLD_TO;
use linkscent_store::{Command, CrawlState, Store, StoreError, StoreResult, is_away};

/// Between two looks whether it answers.
const AGAIN: Duration = Duration::from_millis(300);

/// Runs a crawl that is running, and again each time that its database had not answered; nothing where it
/// has come to rest meanwhile, and the error where somebody wants an end. Blocks; not for a runtime's
/// thread.
pub fn through_outages<T>(
    store: &Store,
    crawl: i64,
    handle: &Handle,
    is_told_to_end: impl Fn() -> bool,
    mut run: impl FnMut() -> Result<T>,
) -> Result<Option<T>> {
    loop {
        let error = match run() {
            Err(error) if is_away(&error) && store.workers().is_some() => error,
            ran => return ran.map(Some),
        };
        message!("linkscent: crawl {crawl}: {error:#}; it goes on as soon as it does");
        loop {
            sleep(AGAIN);
            if is_told_to_end() {
                return Err(error);
            }
            match handle.block_on(store.crawl(crawl)) {
                Ok(Some(row)) if row.state.is_running() => {}
                Ok(_) => return Ok(None),
                Err(StoreError::Away(_)) => continue,
                Err(_) => return Err(error),
            }
            if store.is_locked(crawl) {
                // Another took it over: what it is told is for that.
                break;
            }
            match handle.block_on(rests(store, crawl)) {
                Ok(false) => break,
                Ok(true) => return Ok(None),
                Err(StoreError::Away(_)) => {}
                Err(_) => return Err(error),
            }
        }
    }
}

/// Whether another program told the crawl to rest meanwhile; then it does. What else it was told it sees
/// when it is taken up.
async fn rests(store: &Store, crawl: i64) -> StoreResult<bool> {
    let told = store.take_commands(crawl).await?;
    let (state, reason) = if told.contains(&Command::Stop) {
        (CrawlState::Stopped, TOLD_TO)
    } else if told.contains(&Command::Pause) {
        (CrawlState::Paused, "")
    } else {
        return Ok(false);
    };
    store.set_state(crawl, state, reason).await?;
    Ok(true)
}
