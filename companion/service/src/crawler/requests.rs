//! Who makes the requests of a crawl: this program, or workers.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail};
use linkscent_core::address::Address;
use tokio::runtime::Handle;
use tracing::{Instrument, Span};

use super::fetch::Fetcher;
use super::reply::{Answers, Came};
use super::turn::TurnTaker;
use super::validators::Validators;
#[cfg(feature = "team")]
use super::workers::Asking;
use crate::crawler::records::recorded::Recorded;
use linkscent_store::{CrawlRow, Store, Unfinished};

/// Said where requests are left to workers that could not hear of them.
const NO_DATABASE: &str = "requests are left to workers only over a PostgreSQL database: give --database, \
                           or leave --by-workers out";

/// What a crawl asks for, and whoever sees to it.
pub(super) enum Requests {
    Here {
        fetcher: Box<Fetcher>,
        answers: Answers,
        handle: Handle,
        recorded: Recorded,
        /// As long as it lives, requests wait for their turn.
        _goes_on: Arc<()>,
    },
    #[cfg(feature = "team")]
    ByWorkers(Asking),
}

impl Requests {
    /// For a crawl that nobody else runs, whose hosts rest for so many milliseconds, with the requests
    /// that whoever ran it before left unfinished. Blocks.
    pub fn begin(
        fetcher: Fetcher,
        store: &Store,
        crawl: &CrawlRow,
        delay: u64,
        answers: Answers,
        handle: &Handle,
    ) -> Result<(Self, Unfinished)> {
        if let Some(workers) = store.workers() {
            // Whoever ran it before may have been killed.
            handle.block_on(workers.take_back(crawl.id))?;
        }
        if fetcher.leaves_to_workers() {
            #[cfg(feature = "team")]
            if let Some(workers) = store.workers() {
                let asking = Asking::begin(workers, store, crawl, answers, handle);
                return Ok((Self::ByWorkers(asking), Unfinished::default()));
            }
            bail!(NO_DATABASE);
        }
        let goes_on = Arc::new(());
        let fetcher = if delay == 0 {
            fetcher
        } else {
            let turns = handle.block_on(store.turns(crawl.id, delay))?;
            fetcher.in_turn(TurnTaker::new(turns, &goes_on))
        };
        let path = store.requests_path(crawl.id);
        let (recorded, unfinished) = handle.block_on(Recorded::open(&path))?;
        let here = Self::Here {
            fetcher: Box::new(fetcher),
            answers,
            handle: handle.clone(),
            recorded,
            _goes_on: goes_on,
        };
        Ok((here, unfinished))
    }

    /// Asks for a page, which is known or not, or for the robots.txt of its host. The host rests for
    /// `delay` afterwards. What is done for it is a part of `task`.
    pub fn ask(
        &self,
        address: Address,
        is_robots: bool,
        known: Option<Validators>,
        delay: Duration,
        task: &Span,
    ) {
        let (fetcher, answers, recorded, handle) = match self {
            #[cfg(feature = "team")]
            Self::ByWorkers(asking) => return asking.ask(&address, is_robots, known, delay, task),
            Self::Here {
                fetcher,
                answers,
                handle,
                recorded,
                ..
            } => (fetcher.clone(), answers.clone(), recorded.clone(), handle),
        };
        let asking = async move {
            if is_robots {
                let robots = fetcher.robots(&address, delay).await;
                return Came::Robots(address, robots);
            }
            let reply = recorded
                .page(&fetcher, &address, known.as_ref(), delay)
                .await;
            Came::Page(address, reply)
        };
        let asking = asking.instrument(task.clone());
        // The span is left before anybody hears of the answer. Otherwise the task could seem to end
        // before what is done with the answer does.
        handle.spawn(async move { answers.tell(asking.await) });
    }

    /// Pages are in the log. Blocks.
    pub fn logged<'a>(&self, pages: impl Iterator<Item = &'a str>) {
        match self {
            Self::Here {
                recorded, handle, ..
            } => handle.block_on(recorded.end(pages)),
            #[cfg(feature = "team")]
            Self::ByWorkers(_) => {}
        }
    }

    /// The crawl has come to its end: nothing of what is under way is wanted any more.
    pub async fn close(&self) {
        match self {
            Self::Here { recorded, .. } => recorded.close().await,
            #[cfg(feature = "team")]
            Self::ByWorkers(_) => {}
        }
    }

    /// Takes back what workers have not done yet. What this program asks for comes to its end.
    #[cfg_attr(
        not(feature = "team"),
        expect(clippy::unused_async, reason = "workers are waited for")
    )]
    pub async fn end(&self) {
        #[cfg(feature = "team")]
        if let Self::ByWorkers(asking) = self
            && let Err(error) = asking.end().await
        {
            tracing::warn!("what was asked of workers is not taken back: {error}");
        }
    }
}
