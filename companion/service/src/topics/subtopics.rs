//! The subtopics of a topic: targets of different kinds. The person says of which subtopic a target
//! is; a page then counts by its nearest subtopic. A subtopic that is dropped keeps its name: the marks
//! on its pages are taken back, and can be set again.

use std::collections::{BTreeMap, BTreeSet};

use linkscent_core::address::Address;
use linkscent_core::wire::api::{Event, EventKind, EventName, is_subtopic_name};

use crate::ServiceError;
use crate::Topics;
use crate::learning::topic_model;
use linkscent_store::Topic;

/// The subtopics of a topic, in the order of their names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Subtopics {
    /// Of targets that are said to be of one, the subtopic's name.
    pub of_targets: BTreeMap<String, String>,
    /// Names of those that were dropped: none of their pages is a target.
    pub dropped: BTreeSet<String>,
}

impl Topics {
    /// The subtopics in force.
    pub async fn subtopics(&self, topic: &Topic) -> Result<Subtopics, ServiceError> {
        let targets = self.targets(topic).await?;
        let (named, unmarked): (BTreeMap<_, _>, BTreeMap<_, _>) = self
            .said_subtopics(topic)
            .await?
            .into_iter()
            .map(|(page, subtopic)| (page.to_string(), subtopic))
            .partition(|(page, _)| targets.contains(page));
        let mut dropped: BTreeSet<String> = unmarked.into_values().collect();
        dropped.retain(|subtopic| named.values().all(|known| known != subtopic));
        Ok(Subtopics {
            of_targets: named,
            dropped,
        })
    }

    /// Says of targets of which subtopic they are, an empty name for none. Pages that are no
    /// targets are passed over.
    pub async fn set_subtopics(
        &self,
        topic: &Topic,
        subtopics: &BTreeMap<String, String>,
    ) -> Result<(), ServiceError> {
        let (targets, before) = (self.targets(topic).await?, self.subtopics(topic).await?);
        let mut events = Vec::new();
        for (address, name) in subtopics {
            let name = name.split_whitespace().collect::<Vec<&str>>().join(" ");
            let subtopic = (!name.is_empty()).then_some(name);
            if subtopic
                .as_ref()
                .is_some_and(|name| !is_subtopic_name(name))
            {
                return Err(ServiceError::refused(
                    "A kind has a name of at most 80 characters.",
                ));
            }
            if targets.contains(address) && subtopic.as_ref() != before.of_targets.get(address) {
                let address = address.clone();
                events.push(EventKind::Subtopic { address, subtopic });
            }
        }
        self.happen(topic, events).await
    }

    /// Takes the marks on all targets of a subtopic back.
    pub async fn drop_subtopic(&self, topic: &Topic, name: &str) -> Result<(), ServiceError> {
        let subtopics = self.subtopics(topic).await?;
        let pages = subtopics
            .of_targets
            .iter()
            .filter(|(_, subtopic)| *subtopic == name);
        let undone: Vec<EventKind> = pages
            .map(|(page, _)| EventKind::mark_unread(page, None))
            .collect();
        if undone.is_empty() {
            return Err(ServiceError::Missing("kind of that name"));
        }
        self.happen(topic, undone).await
    }

    /// Marks the pages of a subtopic again that was dropped.
    pub async fn bring_subtopic_back(&self, topic: &Topic, name: &str) -> Result<(), ServiceError> {
        if !self.subtopics(topic).await?.dropped.contains(name) {
            return Err(ServiceError::Missing("dropped kind of that name"));
        }
        let mut marked: BTreeMap<String, EventKind> = BTreeMap::new();
        for event in self
            .context
            .store
            .events_of(topic.id, EventName::Mark)
            .await?
        {
            if let EventKind::Mark {
                address,
                target: Some(true),
                ..
            } = &event.what
            {
                marked.insert(address.clone(), event.what.clone());
            }
        }
        let said = self.said_subtopics(topic).await?;
        let pages = said.iter().filter(|(_, subtopic)| *subtopic == name);
        let again = pages.filter_map(|(page, _)| marked.remove(page.as_str()));
        self.happen(topic, again.collect()).await
    }

    async fn happen(&self, topic: &Topic, what: Vec<EventKind>) -> Result<(), ServiceError> {
        let mut events: Vec<Event> = Vec::new();
        for what in what {
            let mut event = self.context.store.happens(topic, what).await?;
            // All of it happens now, one after the other.
            event.time += events.len() as u64;
            events.push(event);
        }
        self.take_events(events).await?;
        Ok(())
    }

    async fn said_subtopics(
        &self,
        topic: &Topic,
    ) -> Result<BTreeMap<Address, String>, ServiceError> {
        let events = self
            .context
            .store
            .events_of(topic.id, EventName::Subtopic)
            .await?;
        Ok(topic_model::subtopics(&events))
    }

    async fn targets(&self, topic: &Topic) -> Result<BTreeSet<String>, ServiceError> {
        let marks = self.context.store.marks(topic.id).await?.into_iter();
        let targets = marks.filter(|mark| mark.target);
        Ok(targets.map(|mark| mark.address).collect())
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    use crate::Services;
    use crate::crawler::way::Way;
    use linkscent_store::Store;

    const KEEP: &str = "http://a.test/keep";
    const ROSES: &str = "http://a.test/roses";
    const TULIPS: &str = "http://a.test/tulips";

    async fn castles() -> (TempDir, Services, Topic) {
        let folder = linkscent_store::fixtures::folder();
        let service = Services::new(Store::open(folder.path()).await.unwrap(), Way::default());
        let topic = service.topics.create_topic("castles", &[]).await.unwrap();
        let marks = [KEEP, ROSES, TULIPS].map(|address| EventKind::Mark {
            address: address.to_owned(),
            title: String::new(),
            target: Some(true),
            words: vec![("castle".to_owned(), 3)],
        });
        service.topics.happen(&topic, marks.to_vec()).await.unwrap();
        (folder, service, topic)
    }

    fn named(rows: &[(&str, &str)]) -> BTreeMap<String, String> {
        let rows = rows.iter();
        rows.map(|(page, name)| ((*page).to_owned(), (*name).to_owned()))
            .collect()
    }

    async fn subtopics_of_topic_model(service: &Services, topic: &Topic) -> Vec<(String, usize)> {
        let topic = service.topics.topic(topic.id).await.unwrap();
        let learned = service.models.learned(&topic).await.unwrap();
        let subtopics = learned.belief.subtopics.iter();
        subtopics
            .map(|subtopic| (subtopic.name.clone(), subtopic.pages.len()))
            .collect()
    }

    #[tokio::test]
    async fn a_subtopic_is_named_dropped_and_brought_back() {
        let (_folder, service, topic) = castles().await;
        let said = named(&[(ROSES, " castle  gardens "), (TULIPS, "castle gardens")]);
        service.topics.set_subtopics(&topic, &said).await.unwrap();
        let subtopics = service.topics.subtopics(&topic).await.unwrap();
        let gardens = named(&[(ROSES, "castle gardens"), (TULIPS, "castle gardens")]);
        assert_eq!(subtopics.of_targets, gardens);
        let topic_model = subtopics_of_topic_model(&service, &topic).await;
        assert_eq!(
            topic_model,
            [("castle gardens".to_owned(), 2), (String::new(), 1)]
        );
        service
            .topics
            .drop_subtopic(&topic, "castle gardens")
            .await
            .unwrap();
        let subtopics = service.topics.subtopics(&topic).await.unwrap();
        assert_eq!(subtopics.of_targets.len(), 0);
        assert!(subtopics.dropped.contains("castle gardens"));
        let marks = service.context.store.marks(topic.id).await.unwrap();
        assert_eq!(marks.len(), 1);
        let again = service.topics.drop_subtopic(&topic, "castle gardens").await;
        assert!(matches!(again, Err(ServiceError::Missing(_))));
        service
            .topics
            .bring_subtopic_back(&topic, "castle gardens")
            .await
            .unwrap();
        let subtopics = service.topics.subtopics(&topic).await.unwrap();
        assert_eq!(
            (subtopics.of_targets, subtopics.dropped.len()),
            (gardens, 0)
        );
        assert_eq!(
            subtopics_of_topic_model(&service, &topic).await,
            topic_model
        );
    }

    #[tokio::test]
    async fn only_targets_are_of_a_subtopic_and_a_name_is_short() {
        let (_folder, service, topic) = castles().await;
        let other = named(&[("http://a.test/other", "gardens"), (KEEP, "")]);
        service.topics.set_subtopics(&topic, &other).await.unwrap();
        assert_eq!(
            service.topics.subtopics(&topic).await.unwrap(),
            Subtopics::default()
        );
        let long = named(&[(KEEP, &"x".repeat(81))]);
        let refused = service
            .topics
            .set_subtopics(&topic, &long)
            .await
            .unwrap_err();
        assert!(refused.to_string().contains("80 characters"), "{refused}");
        let missing = service.topics.bring_subtopic_back(&topic, "gardens").await;
        assert!(matches!(missing, Err(ServiceError::Missing(_))));
        service
            .topics
            .set_subtopics(&topic, &named(&[(KEEP, "keeps")]))
            .await
            .unwrap();
        service
            .topics
            .set_subtopics(&topic, &named(&[(KEEP, "")]))
            .await
            .unwrap();
        assert_eq!(
            service.topics.subtopics(&topic).await.unwrap(),
            Subtopics::default()
        );
    }
}
