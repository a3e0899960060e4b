//! What topics are called: a name can be changed, and stays apart from the key by which
//! browsers know the topic.

use linkscent_core::wire::api::{EventKind, LONGEST_NAME, is_topic_name};

use crate::ServiceError;
use crate::Topics;
use linkscent_store::Topic;

impl Topics {
    /// Calls a topic otherwise. Crawls that run hear of it, and browsers with its model.
    pub async fn rename(&self, topic: &Topic, name: &str) -> Result<(), ServiceError> {
        let _one_at_a_time = self.founding.lock().await;
        self.call(topic, name).await
    }

    pub(crate) async fn call(&self, topic: &Topic, name: &str) -> Result<(), ServiceError> {
        let name = checked(name)?;
        if topic.is_deleted {
            return Err(ServiceError::Missing("topic"));
        }
        match self.context.store.topic_called(name).await? {
            Some(known) if known.id == topic.id => return Ok(()),
            Some(known) if known.is_deleted => {}
            Some(_) => {
                return Err(ServiceError::refused(format!(
                    "Another topic is called “{name}” already: rename that one first."
                )));
            }
            None => {}
        }
        let name = name.to_owned();
        let event = self
            .context
            .store
            .happens(topic, EventKind::Name { name })
            .await?;
        self.take_events(vec![event]).await?;
        Ok(())
    }

    /// The topic that is called so, made if there is none, and brought back if it was removed.
    pub(crate) async fn topic_to_be_called(&self, name: &str) -> Result<Topic, ServiceError> {
        let name = name.trim();
        if let Some(topic) = self.context.store.topic_called(name).await? {
            self.remove(&topic, false).await?;
            return self.context.topic(topic.id).await;
        }
        let name = checked(name)?;
        if self.context.store.find_topic(name).await?.is_none() {
            return Ok(self.context.store.topic_named(name).await?);
        }
        // The topic that was made with this name is called otherwise now.
        let mut number = 2;
        let key = loop {
            let key = format!("{name} ({number})");
            if self.context.store.find_topic(&key).await?.is_none() {
                break key;
            }
            number += 1;
        };
        let topic = self.context.store.topic_named(&key).await?;
        self.call(&topic, name).await?;
        self.context.topic(topic.id).await
    }
}

pub(crate) fn checked(name: &str) -> Result<&str, ServiceError> {
    let name = name.trim();
    if is_topic_name(name) {
        return Ok(name);
    }
    Err(ServiceError::refused(format!(
        "A topic needs a name of at most {LONGEST_NAME} characters."
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Services;
    use crate::crawler::way::Way;
    use linkscent_store::Store;

    async fn service() -> (Services, tempfile::TempDir) {
        let folder = linkscent_store::fixtures::folder();
        let store = Store::open(folder.path()).await.unwrap();
        (Services::new(store, Way::default()), folder)
    }

    #[tokio::test]
    async fn a_topic_that_is_renamed_means_what_its_new_name_says() {
        let (service, _folder) = service().await;
        let topic = service.topics.create_topic("holidays", &[]).await.unwrap();
        service.topics.rename(&topic, " castles ").await.unwrap();
        let now = service.topics.topic(topic.id).await.unwrap();
        assert_eq!((&*now.name, &*now.key), ("castles", "holidays"));
        assert!(now.version > topic.version);
        let topic_model = service.models.topic_model(&now).await.unwrap();
        assert_eq!(
            topic_model.graph().wanted().collect::<Vec<_>>(),
            ["castles"]
        );
        // What browsers send for it goes on to reach it.
        assert_eq!(
            service.topics.topic_known_as("holidays").await.unwrap(),
            now
        );
        assert_eq!(service.topics.topic_known_as("castles").await.unwrap(), now);
        let again = service.topics.create_topic("castles", &[]).await.unwrap();
        assert_eq!(again.id, topic.id);
    }

    #[tokio::test]
    async fn a_name_that_is_free_again_makes_another_topic() {
        let (service, _folder) = service().await;
        let first = service.topics.create_topic("holidays", &[]).await.unwrap();
        service.topics.rename(&first, "castles").await.unwrap();
        let second = service.topics.create_topic("holidays", &[]).await.unwrap();
        assert_ne!(second.id, first.id);
        assert_eq!((&*second.name, &*second.key), ("holidays", "holidays (2)"));
        let again = service.topics.create_topic("holidays", &[]).await.unwrap();
        assert_eq!(again.id, second.id);
        let refused = service.topics.rename(&second, "castles").await.unwrap_err();
        assert!(refused.to_string().contains("already"), "{refused}");
        service.topics.rename(&first, "castles").await.unwrap();
    }

    #[tokio::test]
    async fn what_is_no_name_is_refused() {
        let (service, _folder) = service().await;
        let topic = service.topics.create_topic("holidays", &[]).await.unwrap();
        for name in ["", " \n ", &"x".repeat(LONGEST_NAME + 1)] {
            let refused = service.topics.rename(&topic, name).await.unwrap_err();
            assert!(refused.to_string().contains("at most 80"), "{refused}");
            let said = EventKind::Name {
                name: name.to_owned(),
            };
            let event = service.context.store.happens(&topic, said).await.unwrap();
            let taken = service.topics.take_events(vec![event]).await.unwrap();
            assert_eq!((taken.taken, taken.refused), (0, 1));
        }
        assert_eq!(
            service.topics.topic(topic.id).await.unwrap().name,
            "holidays"
        );
    }
}
