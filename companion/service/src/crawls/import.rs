//! Archives that others made, taken in as a crawl of a topic: its pages are judged, searched and
//! crawled on from like those that were fetched.

use std::path::PathBuf;

use linkscent_archive::import::Survey;
use linkscent_core::crawl::{CrawlSpec, DEFAULT_DELAY};

use crate::Crawls;
use crate::NewCrawl;
use crate::ServiceError;
use crate::Starts;
use crate::crawler::runner::Given;
use linkscent_store::{CrawlKind, CrawlRow, CrawlState, Order, Topic};

impl Crawls {
    /// Looks through an archive: WARC or WACZ, told by its first bytes.
    pub async fn look_through(&self, file: PathBuf) -> Result<Given, ServiceError> {
        let looking = tokio::task::spawn_blocking(move || Given::open(file));
        let given = looking.await.map_err(anyhow::Error::from)?;
        let given = given.map_err(|error| ServiceError::refused(format!("{error}.")))?;
        check(given.import().survey())?;
        Ok(given)
    }

    /// A crawl of a topic that is to take an archive in, by whoever takes it up with it: one that
    /// was interrupted at the same archive, or a new one. As it has no budget before it has all, it
    /// fetches nothing, whatever becomes of the taking in.
    pub async fn prepare_import(
        &self,
        topic: &Topic,
        given: &Given,
    ) -> Result<CrawlRow, ServiceError> {
        for crawl in self.context.store.web_crawls(Some(topic.id)).await? {
            let is_open = crawl.is_import() && !crawl.state.is_over() && !crawl.is_removed;
            let is_free = !self.context.store.is_locked(crawl.id)
                && !self.context.supervisor.has_given(crawl.id);
            if is_open && is_free && self.began_with(&crawl, given).await? {
                return Ok(crawl);
            }
        }
        let new = NewCrawl::new(Starts::default(), 0);
        let order = Order {
            spec: CrawlSpec {
                delay: Some(DEFAULT_DELAY),
                ..CrawlSpec::new(0)
            },
            seeds: Vec::new(),
            kind: CrawlKind::Usual,
        };
        self.keep_order(topic, &new, &order).await
    }

    /// Whether the pages that a crawl has begin as an archive does.
    async fn began_with(&self, crawl: &CrawlRow, given: &Given) -> Result<bool, ServiceError> {
        let log = self.context.store.fetches(crawl.id).await?;
        let Some(first) = log.first() else {
            return Ok(true);
        };
        let begins = given.first_page();
        Ok(begins.is_none_or(|page| page.as_str() == first.address))
    }

    /// Takes an archive in here, as a crawl of a topic.
    pub async fn take_in(&self, topic: &Topic, given: Given) -> Result<CrawlRow, ServiceError> {
        let _one_at_a_time = self.imports.lock().await;
        let crawl = self.prepare_import(topic, &given).await?;
        let running = CrawlState::Running;
        self.context.store.set_state(crawl.id, running, "").await?;
        self.context.supervisor.start_with(crawl.id, given);
        Ok(crawl)
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
