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

    /// A crawl of a topic that is to take an archive in, by whoever takes it up with it. As it has
    /// no budget before that, it fetches nothing, whatever becomes of the taking in.
    pub async fn prepare_intake(&self, topic: &Topic) -> Result<CrawlRow, ServiceError> {
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
        self.supervisor.start_with(crawl.id, given);
        Ok(crawl)
    }

    /// Goes on with a crawl that is over or rests, for so many pages more than it has.
    pub async fn go_on(&self, crawl: &CrawlRow, more: u64) -> Result<(), ServiceError> {
        self.prepare_to_go_on(crawl, more).await?;
        self.supervisor.resume(crawl.id).await?;
        Ok(())
    }

    /// The same without running it.
    pub async fn prepare_to_go_on(&self, crawl: &CrawlRow, more: u64) -> Result<(), ServiceError> {
        if crawl.state == CrawlState::Running {
            return Err(ServiceError::refused("This crawl is still running."));
        }
        if crawl.order.is_round {
            return Err(ServiceError::refused(
                "A round of watching is over for good: look again, or begin a crawl.",
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
