//! Topics that are removed and brought back. A removed topic keeps all it has, out of sight, so
//! removing one can always be undone.

use linkscent_core::wire::api::{Event, EventKind};

use crate::ServiceError;
use crate::Topics;
use linkscent_store::{Command, Topic};

impl Topics {
    /// Removes a topic, or brings it back. Browsers hear of it; its crawls are paused.
    pub async fn remove(&self, topic: &Topic, removed: bool) -> Result<(), ServiceError> {
        if topic.is_removed == removed {
            return Ok(());
        }
        let said = EventKind::Remove {
            removed,
            for_good: false,
        };
        let event = self.context.store.happens(topic, said).await?;
        self.take_events(vec![event]).await?;
        Ok(())
    }

    /// Pauses the crawls of topics that were just removed.
    pub(crate) async fn pause_removed(&self, events: &[Event]) -> Result<(), ServiceError> {
        for event in events {
            if !matches!(event.what, EventKind::Remove { removed: true, .. }) {
                continue;
            }
            let topic = self.context.store.find_topic(&event.topic).await?;
            let Some(topic) = topic.filter(|topic| topic.is_removed) else {
                continue;
            };
            for crawl in self.context.store.crawls(Some(topic.id)).await? {
                if crawl.state.is_running() {
                    self.context
                        .supervisor
                        .send(crawl.id, Command::Pause)
                        .await?;
                }
            }
        }
        Ok(())
    }

    /// Deletes a topic with all that hangs on it, but for its key: by that browsers hear of it.
    pub async fn delete_topic(&self, topic: &Topic) -> Result<(), ServiceError> {
        let said = EventKind::Remove {
            removed: true,
            for_good: true,
        };
        let event = self.context.store.happens(topic, said).await?;
        self.take_events(vec![event]).await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Services;
    use crate::crawler::way::Way;
    use crate::{NewCrawl, Starts};
    use linkscent_store::{CrawlState, Store};

    #[tokio::test]
    async fn a_removed_topic_keeps_what_it_has_and_can_be_brought_back() {
        let folder = linkscent_store::fixtures::folder();
        let service = Services::new(Store::open(folder.path()).await.unwrap(), Way::default());
        let page = "http://a.test/".to_owned();
        let topic = service
            .topics
            .create_topic("castles", &[page])
            .await
            .unwrap();
        let starts = Starts {
            seeds: vec!["http://a.test/".to_owned()],
            ..Starts::default()
        };
        let new = NewCrawl::new(starts, 10);
        let crawl = service.crawls.prepare_crawl(&topic, &new).await.unwrap();
        let store = &service.context.store;
        let running = CrawlState::Running;
        store.set_state(crawl.id, running, "").await.unwrap();
        let _held = store.lock_crawl(crawl.id).unwrap();
        service.topics.remove(&topic, true).await.unwrap();
        let removed = service.topics.topic(topic.id).await.unwrap();
        assert!(removed.is_removed);
        let commands = service.context.store.take_commands(crawl.id).await.unwrap();
        assert!(matches!(commands[..], [Command::Pause]), "{commands:?}");
        let told = service.topics.topics().await.unwrap();
        assert!(told[0].is_removed);
        // What is named again is brought back, with its marks.
        let again = service.topics.create_topic("castles", &[]).await.unwrap();
        assert_eq!((again.id, again.is_removed), (topic.id, false));
        assert_eq!(
            service.context.store.marks(topic.id).await.unwrap().len(),
            1
        );
        let version = service.topics.topic(topic.id).await.unwrap().version;
        service.topics.remove(&again, false).await.unwrap();
        let now = service.topics.topic(topic.id).await.unwrap();
        assert_eq!(now.version, version, "nothing to say");
    }
}
