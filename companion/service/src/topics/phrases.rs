//! What the person says of a topic in words: what it is, and what it is not.

use std::collections::BTreeMap;

use linkscent_core::topic_model::{LONGEST_PHRASE, MOST_PHRASES};
use linkscent_core::wire::api::{EventKind, EventName};

use crate::ServiceError;
use crate::Topics;
use crate::learning::topic_model;
use linkscent_store::Topic;

impl Topics {
    /// Takes in what the person says of a topic (`true`: it is what they look for), or that
    /// they take it back. Crawls that run hear of it.
    pub async fn say(
        &self,
        topic: &Topic,
        text: &str,
        wanted: Option<bool>,
    ) -> Result<(), ServiceError> {
        let text = text.trim();
        if text.is_empty() || text.chars().count() > LONGEST_PHRASE {
            return Err(ServiceError::refused(format!(
                "Say it in 1 to {LONGEST_PHRASE} characters."
            )));
        }
        let said = self.said(topic).await?;
        if wanted.is_some() && said.len() >= MOST_PHRASES && !said.contains_key(text) {
            return Err(ServiceError::refused(format!(
                "{MOST_PHRASES} things were said of this topic: take one back first."
            )));
        }
        let text = text.to_owned();
        let said = EventKind::Phrase { text, wanted };
        let event = self.context.store.happens(topic, said).await?;
        self.take_events(vec![event]).await?;
        Ok(())
    }

    /// What was said of a topic, by its text.
    pub async fn said(&self, topic: &Topic) -> Result<BTreeMap<String, bool>, ServiceError> {
        let events = self
            .context
            .store
            .events_of(topic.id, EventName::Phrase)
            .await?;
        Ok(topic_model::phrases(&events))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Services;
    use crate::crawler::way::Way;
    use crate::{NewCrawl, Starts};
    use linkscent_store::{Command, CrawlState, Store};

    #[tokio::test]
    async fn what_is_said_reaches_the_topics_topic_model_and_can_be_taken_back() {
        let folder = linkscent_store::fixtures::folder();
        let service = Services::new(Store::open(folder.path()).await.unwrap(), Way::default());
        let topic = service.topics.create_topic("castles", &[]).await.unwrap();
        let say = |text, wanted| service.topics.say(&topic, text, wanted);
        say(" Norman keeps ", Some(true)).await.unwrap();
        say("hotels", Some(false)).await.unwrap();
        let now = service.topics.topic(topic.id).await.unwrap();
        let known = service.models.topic_model(&now).await.unwrap();
        let wanted: Vec<&str> = known.graph().wanted().collect();
        assert_eq!(wanted, ["castles", "Norman keeps"]);
        assert_eq!(known.graph().unwanted().collect::<Vec<_>>(), ["hotels"]);
        say("hotels", None).await.unwrap();
        say("Norman keeps", Some(false)).await.unwrap();
        let now = service.topics.topic(topic.id).await.unwrap();
        let known = service.models.topic_model(&now).await.unwrap();
        assert_eq!(
            known.graph().unwanted().collect::<Vec<_>>(),
            ["Norman keeps"]
        );
    }

    #[tokio::test]
    async fn too_much_or_nothing_is_refused() {
        let folder = linkscent_store::fixtures::folder();
        let service = Services::new(Store::open(folder.path()).await.unwrap(), Way::default());
        let topic = service.topics.create_topic("castles", &[]).await.unwrap();
        for text in ["", " \n", &"x".repeat(LONGEST_PHRASE + 1)] {
            let refused = service.topics.say(&topic, text, Some(true)).await;
            assert!(refused.unwrap_err().to_string().contains("1 to 1000"));
        }
        for number in 0..MOST_PHRASES {
            let text = number.to_string();
            service.topics.say(&topic, &text, Some(true)).await.unwrap();
        }
        let refused = service
            .topics
            .say(&topic, "more", Some(true))
            .await
            .unwrap_err();
        assert!(refused.to_string().contains("take one back"), "{refused}");
        service.topics.say(&topic, "7", Some(false)).await.unwrap();
        service.topics.say(&topic, "7", None).await.unwrap();
        service
            .topics
            .say(&topic, "more", Some(true))
            .await
            .unwrap();
    }

    #[tokio::test]
    async fn a_crawl_that_runs_elsewhere_is_told() {
        let folder = linkscent_store::fixtures::folder();
        let service = Services::new(Store::open(folder.path()).await.unwrap(), Way::default());
        let topic = service.topics.create_topic("castles", &[]).await.unwrap();
        let starts = Starts {
            seeds: vec!["http://a.test/".to_owned()],
            ..Starts::default()
        };
        let new = NewCrawl::new(starts, 5);
        let crawl = service.crawls.prepare_crawl(&topic, &new).await.unwrap();
        let store = &service.context.store;
        store
            .set_state(crawl.id, CrawlState::Running, "")
            .await
            .unwrap();
        let _held = store.lock_crawl(crawl.id).unwrap();
        service
            .topics
            .say(&topic, "keeps", Some(true))
            .await
            .unwrap();
        let told = store.take_commands(crawl.id).await.unwrap();
        assert_eq!(told, [Command::Said]);
    }
}
