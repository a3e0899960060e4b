//! The turn of a request: before it is made, no other crawl may be asking the host, nor have asked it
//! within its delay.

use std::sync::{Arc, Weak};
use std::time::Duration;

use anyhow::Result;

use crate::clock;
use crate::store::{Turn, Turns};

/// A host is looked at again after so long, though it may be free later.
const LONGEST_WAIT: Duration = Duration::from_secs(1);
/// One that another crawl asks, after so long.
const LOOK_EVERY: Duration = Duration::from_millis(50);
const SHORTEST_WAIT: Duration = Duration::from_millis(5);

/// Waits for turns as long as its crawl goes on.
#[derive(Debug, Clone)]
pub struct TurnTaker {
    turns: Turns,
    /// Gone when the crawl has come to rest.
    goes_on: Weak<()>,
}

impl TurnTaker {
    /// For a crawl that goes on as long as the token lives.
    pub fn new(turns: Turns, goes_on: &Arc<()>) -> Self {
        let goes_on = Arc::downgrade(goes_on);
        Self { turns, goes_on }
    }

    /// Waits until it is the crawl's turn to ask a host; false if the crawl has come to rest before.
    pub async fn wait(&self, host: &str) -> Result<bool> {
        while self.goes_on.strong_count() > 0 {
            let now = clock::now();
            let rest = match self.turns.take(host, now).await? {
                Turn::Ours => return Ok(true),
                Turn::Taken => LOOK_EVERY,
                Turn::Rests(free) => {
                    Duration::from_millis(free.saturating_sub(now).max(0).unsigned_abs())
                }
            };
            tokio::time::sleep(rest.clamp(SHORTEST_WAIT, LONGEST_WAIT)).await;
        }
        Ok(false)
    }

    /// The request has ended: the host rests. The clock counts whole milliseconds, so that it is one
    /// more: never less.
    pub async fn end(&self, host: &str, rest: Duration) -> Result<()> {
        let rest = u64::try_from(rest.as_millis()).unwrap_or(u64::MAX);
        let rest = rest.saturating_add(1);
        self.turns.give_back(host, clock::now(), rest).await
    }
}
