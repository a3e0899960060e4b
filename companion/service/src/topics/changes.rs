//! What browsers are told of what was said elsewhere: on the dashboard, or in another browser.
//!
//! The log of events is the one truth: of each page and phrase that was spoken of since, a
//! browser hears the word in force, which is the last by its time. So what it had heard before,
//! and in what order words came in, does not matter.

use std::collections::{BTreeSet, HashMap};

use linkscent_core::wire::api::{Changes, Event, EventKind, EventName, TopicView};

use crate::ServiceError;
use crate::Topics;
use linkscent_store::Topic;

/// Words looked at in one call at most.
const MOST_CHANGES: usize = 500;

impl Topics {
    /// What is in force of all that was said after the event of this number.
    pub async fn changes(&self, after: i64) -> Result<Changes, ServiceError> {
        let topics = self.topics().await?;
        let said = self.context.store.said_after(after, MOST_CHANGES).await?;
        let spoken_of: BTreeSet<&str> = said.events.iter().map(|one| &*one.topic).collect();
        let mut last = HashMap::new();
        for topic in spoken_of {
            let Some(topic) = self.context.store.find_topic(topic).await? else {
                continue;
            };
            for kind in [EventName::Mark, EventName::Phrase] {
                for event in self.context.store.events_of(topic.id, kind).await? {
                    if let Some(about) = about(&event) {
                        last.insert(about, event);
                    }
                }
            }
        }
        let in_force = said.events.iter().filter_map(about);
        Ok(Changes {
            topics,
            in_force: in_force.filter_map(|about| last.remove(&about)).collect(),
            until: said.until,
            more: said.events.len() == MOST_CHANGES,
        })
    }

    /// All topics, newest first, as browsers are told of them.
    pub async fn topics(&self) -> Result<Vec<TopicView>, ServiceError> {
        let taught = self.context.store.taught().await?;
        let view = |topic: Topic| TopicView {
            is_taught: taught.contains(&topic.id),
            is_removed: topic.is_removed,
            is_deleted: topic.is_deleted,
            key: topic.key,
            name: topic.name,
        };
        Ok(self
            .context
            .store
            .topics()
            .await?
            .into_iter()
            .map(view)
            .collect())
    }
}

/// What a word is about: its topic, and a page or a phrase.
fn about(event: &Event) -> Option<(String, EventName, String)> {
    let what = match &event.what {
        EventKind::Mark { address, .. } => address,
        EventKind::Phrase { text, .. } => text,
        _ => return None,
    };
    Some((event.topic.clone(), event.what.name(), what.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Services;
    use crate::crawler::way::Way;
    use linkscent_store::Store;

    fn marked(id: &str, page: &str, time: u64, target: Option<bool>) -> Event {
        Event {
            id: id.to_owned(),
            topic: "castles".to_owned(),
            time,
            what: EventKind::mark_unread(page, target),
        }
    }

    fn ids(changes: &Changes) -> Vec<&str> {
        let in_force = changes.in_force.iter();
        in_force.map(|event| &*event.id).collect()
    }

    #[tokio::test]
    async fn a_browser_hears_once_what_is_in_force() {
        let folder = linkscent_store::fixtures::folder();
        let service = Services::new(Store::open(folder.path()).await.unwrap(), Way::default());
        let nothing = service.topics.changes(0).await.unwrap();
        assert_eq!(nothing, Changes::default());
        service.topics.create_topic("empty", &[]).await.unwrap();
        let (a, b) = ("http://a.test/", "http://b.test/");
        let first = [
            marked("1", a, 10, Some(true)),
            marked("2", b, 20, Some(true)),
            marked("3", a, 30, None),
        ];
        service.topics.take_events(first.to_vec()).await.unwrap();
        let heard = service.topics.changes(0).await.unwrap();
        let keys: Vec<&str> = heard.topics.iter().map(|one| &*one.key).collect();
        assert_eq!(keys, ["castles", "empty"]);
        assert_eq!((ids(&heard), heard.more), (vec!["3", "2"], false));
        let again = service.topics.changes(heard.until).await.unwrap();
        assert_eq!((ids(&again), again.until), (vec![], heard.until));
        // A word from before that comes late is not in force.
        let late = vec![marked("4", b, 15, Some(false))];
        service.topics.take_events(late).await.unwrap();
        let topic = service
            .context
            .store
            .find_topic("castles")
            .await
            .unwrap()
            .unwrap();
        service
            .topics
            .say(&topic, "keeps", Some(true))
            .await
            .unwrap();
        let heard = service.topics.changes(heard.until).await.unwrap();
        assert_eq!(ids(&heard)[0], "2");
        assert!(matches!(&heard.in_force[1].what,
            EventKind::Phrase { text, wanted: Some(true) } if text == "keeps"));
        // Whoever heard more than there is begins at the start.
        let from_start = service.topics.changes(1_000).await.unwrap();
        assert_eq!(from_start, service.topics.changes(0).await.unwrap());
    }

    #[tokio::test]
    async fn many_changes_come_in_parts() {
        let folder = linkscent_store::fixtures::folder();
        let service = Services::new(Store::open(folder.path()).await.unwrap(), Way::default());
        let events: Vec<Event> = (0..MOST_CHANGES + 20)
            .map(|number| {
                let page = format!("http://a.test/{number}");
                marked(&number.to_string(), &page, 1, Some(true))
            })
            .collect();
        service.topics.take_events(events).await.unwrap();
        let first = service.topics.changes(0).await.unwrap();
        assert_eq!((first.in_force.len(), first.more), (MOST_CHANGES, true));
        let rest = service.topics.changes(first.until).await.unwrap();
        assert_eq!((rest.in_force.len(), rest.more), (20, false));
    }
}
