//! What all services share: the store, the crawls under way, the topic models that were made, the library's
//! index and what was counted. It has the few questions and rules that belong to no one of them.

use std::sync::Arc;

use anyhow::Result;
use linkscent_core::critics;

use super::ServiceError;
use super::library::shelf::{HeldIndex, Shelf};
use super::supervisor::Supervisor;
use crate::crawler::way::Way;
use crate::models::topic_models::TopicModels;
use crate::reports::tally::Tallies;
use linkscent_store::{CrawlRow, Store, Topic};

/// What services have in common.
pub struct Context {
    pub(super) store: Store,
    pub(super) supervisor: Supervisor,
    /// How crawls make requests.
    pub(super) way: Way,
    pub(super) topic_models: TopicModels,
    pub(super) shelf: Shelf,
    pub(super) tallies: Tallies,
    /// Held while pages are forgotten, or crawls and topics deleted.
    pub(super) forgetting: Arc<tokio::sync::Mutex<()>>,
}

impl Context {
    pub(super) fn new(store: Store, way: Way) -> Self {
        Self {
            supervisor: Supervisor::new(store.clone(), way.clone()),
            topic_models: TopicModels::new(store.clone()),
            shelf: Shelf::new(store.folder()),
            tallies: Tallies::default(),
            forgetting: Arc::default(),
            store,
            way,
        }
    }

    /// Finds a topic by its number.
    pub(super) async fn topic(&self, id: i64) -> Result<Topic, ServiceError> {
        let topic = self.store.topic(id).await?;
        topic.ok_or(ServiceError::Missing("topic"))
    }

    /// Finds a topic by its key, or by its name if no topic has that key; an error if there is none.
    pub(super) async fn topic_known_as(&self, text: &str) -> Result<Topic, ServiceError> {
        let topic = self.find_known_as(text).await?;
        topic.ok_or(ServiceError::Missing("topic"))
    }

    /// Finds a topic by its key, or by its name if no topic has that key.
    pub(super) async fn find_known_as(&self, text: &str) -> Result<Option<Topic>, ServiceError> {
        let by_key = self.store.find_topic(text).await?;
        Ok(match by_key {
            Some(topic) if !topic.is_deleted => Some(topic),
            // Another may be called as one was that is gone.
            gone => self.store.topic_called(text).await?.or(gone),
        })
    }

    /// Finds a crawl by its number, with its topic.
    pub(super) async fn crawl(&self, id: i64) -> Result<(CrawlRow, Topic), ServiceError> {
        let crawl = self.store.crawl(id).await?;
        let crawl = crawl.ok_or(ServiceError::Missing("crawl"))?;
        let topic = self.topic(crawl.topic).await?;
        Ok((crawl, topic))
    }

    /// Names who judges a topic's pages, see [`linkscent_core::critics::described`].
    pub(super) async fn critic_of(&self, topic: &Topic) -> Result<String, ServiceError> {
        let chosen = self.store.critic(topic.id).await?;
        Ok(chosen.unwrap_or_else(|| critics::NAMES[0].to_owned()))
    }

    /// Says that the person changed something: it is seen at the next look.
    pub(super) fn say_changed(&self) {
        self.shelf.forget_standings();
        self.topic_models.begin_era();
        self.supervisor.say_changed();
    }

    /// Deletes the library's index: something in it is to be forgotten. It is written again when
    /// it is asked for next.
    pub(super) async fn forget_index(&self) -> Result<()> {
        self.hold_index().await.delete()
    }

    /// Holds the index, so that nobody in this process writes it.
    pub(super) async fn hold_index(&self) -> HeldIndex<'_> {
        self.shelf.hold().await
    }
}
