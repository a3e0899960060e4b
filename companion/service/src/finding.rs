//! Topics and crawls by what a person or a program calls them.

use super::{Crawls, ServiceError, Topics};
use linkscent_store::{CrawlRow, Topic};

impl Topics {
    /// Finds a topic by its number.
    pub async fn topic(&self, id: i64) -> Result<Topic, ServiceError> {
        self.context.topic(id).await
    }

    /// Finds a topic by its key, or by its name if no topic has that key; an error if there is none.
    pub async fn topic_known_as(&self, text: &str) -> Result<Topic, ServiceError> {
        self.context.topic_known_as(text).await
    }

    /// Finds a topic by its key, or by its name if no topic has that key.
    pub async fn find_known_as(&self, text: &str) -> Result<Option<Topic>, ServiceError> {
        self.context.find_known_as(text).await
    }

    /// Names who judges a topic's pages, see [`linkscent_core::critics::described`].
    pub async fn critic_of(&self, topic: &Topic) -> Result<String, ServiceError> {
        self.context.critic_of(topic).await
    }
}

impl Crawls {
    /// Finds a crawl by its number, with its topic.
    pub async fn crawl(&self, id: i64) -> Result<(CrawlRow, Topic), ServiceError> {
        self.context.crawl(id).await
    }
}
