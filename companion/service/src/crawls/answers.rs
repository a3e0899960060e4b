//! The person's word on what a crawl fetched: marks, forms, and answers to its questions.

use linkscent_core::critics::FormFilter;
use linkscent_core::wire::api::{Answer, EventKind, mark_of};

use crate::Crawls;
use crate::ServiceError;
use crate::page_archive;
use linkscent_store::{Command, CrawlRow, Topic};

impl Crawls {
    /// Marks a page that a crawl fetched, or takes the mark back, and tells the crawl if
    /// it still runs.
    pub async fn mark_result(
        &self,
        crawl: &CrawlRow,
        topic: &Topic,
        address: &str,
        target: Option<bool>,
    ) -> Result<(), ServiceError> {
        let page = page_archive::page(&self.context.store, crawl.id, address).await?;
        let page = page.ok_or(ServiceError::Missing("page in this crawl"))?;
        let marked = EventKind::mark(&page, target);
        self.models.put_down(topic, vec![marked]).await?;
        let mark = Command::Mark(page.address, mark_of(target));
        self.context.supervisor.send(crawl.id, mark).await?;
        Ok(())
    }

    /// The same of a page that any crawl of the topic fetched.
    pub async fn mark_fetched(
        &self,
        topic: &Topic,
        address: &str,
        target: bool,
    ) -> Result<(), ServiceError> {
        for crawl in self.context.store.crawls(Some(topic.id)).await? {
            let page = page_archive::page(&self.context.store, crawl.id, address).await?;
            if page.is_some() {
                return self.mark_result(&crawl, topic, address, Some(target)).await;
            }
        }
        Err(ServiceError::Missing("page in this topic's crawls"))
    }

    /// Takes the answer to a crawl's question in: a mark, unless it is skipped.
    pub async fn answer_question(
        &self,
        crawl: &CrawlRow,
        topic: &Topic,
        address: &str,
        answer: Answer,
    ) -> Result<(), ServiceError> {
        let open = self.context.store.questions(crawl.id).await?;
        if open.iter().all(|question| question.address != address) {
            return Err(ServiceError::Missing("open question about this page"));
        }
        if answer.target().is_some() {
            self.mark_result(crawl, topic, address, answer.target())
                .await?;
        }
        self.context
            .store
            .answer(crawl.id, address, answer.code())
            .await?;
        self.context.say_changed();
        Ok(())
    }

    /// Marks a form on a page that a crawl fetched: whether it leads to a database that
    /// is looked for.
    pub async fn mark_form(
        &self,
        crawl: &CrawlRow,
        topic: &Topic,
        address: &str,
        form: &str,
        wanted: Option<bool>,
    ) -> Result<(), ServiceError> {
        let page = page_archive::page(&self.context.store, crawl.id, address).await?;
        let page = page.ok_or(ServiceError::Missing("page in this crawl"))?;
        let found = FormFilter::default().find(&page);
        let found = found.into_iter().find(|found| found.name == form);
        let found = found.ok_or(ServiceError::Missing("form on this page"))?;
        let marked = EventKind::Form {
            address: address.to_owned(),
            form: found.name,
            wanted,
            words: found.words.own().to_vec(),
            around: found.words.around().to_vec(),
        };
        Ok(self.models.put_down(topic, vec![marked]).await?)
    }
}
