//! The person's word on pages, forms and topics: lines in a topic's log, and a word to a
//! crawl that runs.

use linkscent_core::critics::{self, FormFilter};
use linkscent_core::predicate::Predicate;
use linkscent_core::wire::api::{Answer, Event, EventKind, EventsTaken, mark_of};

use super::{Service, ServiceError};
use crate::page_archive;
use crate::store::{Command, CrawlRow, Topic};
use crate::topic_guide;

/// Events taken in one call at most.
pub const MOST_EVENTS: usize = 1_000;
/// Characters of a topic's name at most.
pub const LONGEST_NAME: usize = 80;

impl Service {
    /// Makes a topic, or finds the one of that name; pages that are what is looked for
    /// become its targets.
    pub async fn create_topic(
        &self,
        name: &str,
        examples: &[String],
    ) -> Result<Topic, ServiceError> {
        let topic = if let Some(topic) = self.store.find_topic(name).await? {
            topic
        } else {
            let name = name.trim();
            if name.is_empty() || name.chars().count() > LONGEST_NAME {
                return Err(ServiceError::refused(format!(
                    "A topic needs a name of at most {LONGEST_NAME} characters."
                )));
            }
            self.store.topic_named(name).await?
        };
        let marks = examples.iter();
        let marks = marks.map(|page| EventKind::mark_unread(page, Some(true)));
        self.store.note(&topic, marks.collect()).await?;
        Ok(topic)
    }

    /// Takes in what happened in a browser. What names no pages of the web is passed over.
    pub async fn take_events(&self, events: Vec<Event>) -> Result<EventsTaken, ServiceError> {
        if events.len() > MOST_EVENTS {
            return Err(ServiceError::refused(format!(
                "at most {MOST_EVENTS} events a call"
            )));
        }
        let sent = events.len();
        let good: Vec<Event> = events.into_iter().filter(Event::names_pages).collect();
        let taken = self.store.take_events(&good).await?;
        Ok(EventsTaken {
            taken,
            known: good.len() - taken,
            refused: sent - good.len(),
        })
    }

    /// Marks a page that a crawl fetched, or takes the mark back, and tells the crawl if
    /// it still runs.
    pub async fn mark_result(
        &self,
        crawl: &CrawlRow,
        topic: &Topic,
        address: &str,
        target: Option<bool>,
    ) -> Result<(), ServiceError> {
        let page = page_archive::page(&self.store, crawl.id, address).await?;
        let page = page.ok_or(ServiceError::Missing("page in this crawl"))?;
        let marked = EventKind::mark(&page, target);
        self.store.note(topic, vec![marked]).await?;
        let mark = Command::Mark(page.address, mark_of(target));
        self.supervisor.send(crawl.id, mark).await?;
        Ok(())
    }

    /// Takes a mark back, by the page's address alone.
    pub async fn unmark(&self, topic: &Topic, address: &str) -> Result<(), ServiceError> {
        let undone = EventKind::mark_unread(address, None);
        Ok(self.store.note(topic, vec![undone]).await?)
    }

    /// Takes the answer to a crawl's question in: a mark, unless it is skipped.
    pub async fn answer_question(
        &self,
        crawl: &CrawlRow,
        topic: &Topic,
        address: &str,
        answer: Answer,
    ) -> Result<(), ServiceError> {
        let open = self.store.questions(crawl.id).await?;
        if open.iter().all(|question| question.address != address) {
            return Err(ServiceError::Missing("open question about this page"));
        }
        if answer.target().is_some() {
            self.mark_result(crawl, topic, address, answer.target())
                .await?;
        }
        self.store.answer(crawl.id, address, answer.code()).await?;
        self.supervisor.say_changed();
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
        let page = page_archive::page(&self.store, crawl.id, address).await?;
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
        Ok(self.store.note(topic, vec![marked]).await?)
    }

    /// Chooses what counts as found: the name of a critic, or a condition.
    pub async fn choose_critic(&self, topic: &Topic, critic: &str) -> Result<(), ServiceError> {
        let critic = if critics::NAMES.contains(&critic) {
            critic.to_owned()
        } else {
            let predicate: Result<Predicate, _> = critic.parse();
            let wrong = |error| ServiceError::refused(format!("The condition, {error}."));
            predicate.map_err(wrong)?.to_string()
        };
        let topics = topic_guide::named_topics(&self.store, &critic).await;
        topics.map_err(|error| ServiceError::refused(format!("{error:#}.")))?;
        Ok(self.store.set_critic(topic.id, &critic).await?)
    }
}
