//! The turn of a request: before it is made, no other crawl may be asking the host, nor have asked it
//! within its delay.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use anyhow::Result;

use linkscent_store::clock;
use linkscent_store::{Asked, DailyBudget, Turn, Turns, is_away};

/// A host is looked at again after so long, though it may be free later.
const LONGEST_WAIT: Duration = Duration::from_secs(1);
/// One that another asks, after so long at first; then after longer and longer, since many may wait
/// for one server.
const LOOK_FIRST: Duration = Duration::from_millis(20);
const SHORTEST_WAIT: Duration = Duration::from_millis(5);
/// A request that waits holds a place that others need: one that has waited so long for what another
/// asks is put off for as long.
const PATIENCE: Duration = Duration::from_secs(10);
/// A turn that cannot be given back, as the database does not answer, is tried to be for so long.
const LONGEST_OUTAGE: Duration = Duration::from_secs(20);

/// How waiting for a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waited {
    /// It is the crawl's turn.
    Ours,
    /// Not now: the host may be asked no more today, or its server has been asked by others all the
    /// time. It may be tried again so much later.
    PutOff(Duration),
    /// The crawl has come to rest before, or whoever asks was given up.
    AtRest,
}

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

    /// Waits until it is the crawl's turn to ask a host and its server. The host rests for `delay` should
    /// whoever asks die.
    pub async fn wait(
        &self,
        asked: &Asked<'_>,
        budget: DailyBudget,
        delay: Duration,
    ) -> Result<Waited> {
        let delay = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        let (mut look_again, mut waited) = (LOOK_FIRST, Duration::ZERO);
        while self.goes_on.strong_count() > 0 {
            let now = clock::now();
            let until =
                |time: i64| Duration::from_millis(time.saturating_sub(now).max(0).unsigned_abs());
            let taken = match self.turns.take(asked, now, budget, delay).await {
                Err(error) if is_away(&error) => {
                    // It may be ours, and nobody would know.
                    let rest = Duration::from_millis(delay);
                    return self.end(asked, rest, 0).await.and(Err(error));
                }
                taken => taken?,
            };
            let rest = match taken {
                Turn::Ours => return Ok(Waited::Ours),
                Turn::Spent(over) => return Ok(Waited::PutOff(until(over))),
                Turn::Gone => return Ok(Waited::AtRest),
                Turn::Rests(free) => until(free),
                Turn::Taken if waited > PATIENCE => return Ok(Waited::PutOff(PATIENCE)),
                Turn::Taken => {
                    waited += look_again;
                    look_again = (look_again * 3 / 2).min(LONGEST_WAIT);
                    look_again
                }
            };
            tokio::time::sleep(rest.clamp(SHORTEST_WAIT, LONGEST_WAIT)).await;
        }
        Ok(Waited::AtRest)
    }

    /// The request has ended, and so many bytes came: the host rests. The clock counts whole
    /// milliseconds, so that it is one more: never less.
    pub async fn end(&self, asked: &Asked<'_>, rest: Duration, bytes: u64) -> Result<()> {
        let rest = u64::try_from(rest.as_millis()).unwrap_or(u64::MAX);
        let rest = rest.saturating_add(1);
        let begun = Instant::now();
        loop {
            let given = self.turns.give_back(asked, clock::now(), rest, bytes);
            match given.await {
                // Until it is free without that nobody else takes it.
                Err(error) if is_away(&error) && begun.elapsed() < LONGEST_OUTAGE => {
                    tokio::time::sleep(LONGEST_WAIT).await;
                }
                given => return given,
            }
        }
    }
}
