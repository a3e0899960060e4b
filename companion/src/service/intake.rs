//! Archives that others made, taken in as a crawl of a topic: its pages are judged, searched and
//! crawled on from like those that were fetched. And crawls that are over, gone on with.

use std::path::PathBuf;

use linkscent_archive::intake::Survey;
use linkscent_core::crawl::{Scope, StoppingRule};

use super::{LARGEST_BUDGET, NewCrawl, Service, ServiceError, Starts};
use crate::crawler::DEFAULT_DELAY;
use crate::crawler::runner::Given;
use crate::store::{CrawlRow, CrawlState, Order, Reaction, Topic};

impl Service {
    /// Looks through an archive: WARC or WACZ, told by its first bytes.
    pub async fn look_through(&self, file: PathBuf) -> Result<Given, ServiceError> {
        let looking = tokio::task::spawn_blocking(move || Given::open(file));
        let given = looking.await.map_err(anyhow::Error::from)?;
        let given = given.map_err(|error| ServiceError::refused(format!("{error}.")))?;
        check(given.intake().survey())?;
        Ok(given)
    }

    /// A crawl of a topic that is to take an archive in, by whoever takes it up with it: one that
    /// was interrupted at that, or a new one. As it has no budget before it has all, it fetches
    /// nothing, whatever becomes of the taking in.
    pub async fn prepare_intake(&self, topic: &Topic) -> Result<CrawlRow, ServiceError> {
        let interrupted = self
            .store
            .crawls(Some(topic.id))
            .await?
            .into_iter()
            .find(|crawl| {
                let is_open = crawl.is_intake() && !crawl.state.is_over() && !crawl.is_removed;
                is_open && !self.store.is_locked(crawl.id)
            });
        if let Some(crawl) = interrupted {
            return Ok(crawl);
        }
        let new = NewCrawl::new(Starts::default(), 0);
        let order = Order {
            budget: 0,
            delay: DEFAULT_DELAY,
            random_seed: new.random_seed,
            seeds: Vec::new(),
            scope: Scope {
                documents: true,
                ..Scope::default()
            },
            stopping: StoppingRule::default(),
            on_drift: Reaction::Tell,
            is_round: false,
        };
        self.keep_order(topic, &new, &order).await
    }

    /// Takes an archive in here, as a crawl of a topic.
    pub async fn take_in(&self, topic: &Topic, given: Given) -> Result<CrawlRow, ServiceError> {
        let crawl = self.prepare_intake(topic).await?;
        let running = CrawlState::Running;
        self.store.set_state(crawl.id, running, "").await?;
        self.supervisor.start_with(crawl.id, given);
        Ok(crawl)
    }

    /// Goes on with a crawl that is over, for so many pages more than it has.
    pub async fn go_on(&self, crawl: &CrawlRow, more: u64) -> Result<(), ServiceError> {
        self.prepare_to_go_on(crawl, more).await?;
        self.supervisor.resume(crawl.id).await?;
        Ok(())
    }

    /// The same without running it.
    pub async fn prepare_to_go_on(&self, crawl: &CrawlRow, more: u64) -> Result<(), ServiceError> {
        let topic = self.topic(crawl.topic).await?;
        if crawl.is_removed || topic.is_removed {
            return Err(ServiceError::refused(
                "It was removed: bring it back first.",
            ));
        }
        if !crawl.can_go_on() {
            return Err(ServiceError::refused(
                "This crawl cannot be gone on with: it is not over, has no link left to follow, \
                 or was a round of watching. Begin another.",
            ));
        }
        let (pages, ..) = self.store.counts(crawl.id).await?;
        let budget = pages.saturating_add(more);
        if more == 0 || budget > LARGEST_BUDGET {
            return Err(ServiceError::refused(format!(
                "A crawl's budget is 1 to {LARGEST_BUDGET} pages, and this one has {pages}."
            )));
        }
        self.store.set_budget(crawl.id, budget).await?;
        Ok(())
    }
}

fn check(survey: &Survey) -> Result<(), ServiceError> {
    if survey.pages > 0 {
        return Ok(());
    }
    let why = survey
        .problems
        .first()
        .map_or(String::new(), |problem| format!(" ({problem})"));
    Err(ServiceError::refused(format!(
        "There is no page in this archive that can be taken in{why}."
    )))
}

#[cfg(test)]
mod tests;
