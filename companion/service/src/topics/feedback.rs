//! The person's word on pages, forms and topics: lines in a topic's log, and a word to a
//! crawl that runs.

use linkscent_core::critics;
use linkscent_core::strategies::{self, Form};
use linkscent_core::wire::api::{Event, EventKind, EventsTaken};
use linkscent_core::wire::write_model;

use crate::ServiceError;
use crate::Topics;
use crate::learning::topic_model;
use crate::topics::taxonomies::check_strategy;
use linkscent_store::Topic;

/// Events taken in one call at most.
pub const MOST_EVENTS: usize = 1_000;

impl Topics {
    /// Makes a topic, or finds the one that is called so; pages that are what is looked for
    /// become its targets.
    pub async fn create_topic(
        &self,
        name: &str,
        examples: &[String],
    ) -> Result<Topic, ServiceError> {
        let topic = self.topic_to_be_called(name).await?;
        self.take_examples(&topic, examples).await?;
        Ok(topic)
    }

    pub(crate) async fn take_examples(
        &self,
        topic: &Topic,
        examples: &[String],
    ) -> Result<(), ServiceError> {
        let marks = examples.iter();
        let marks = marks.map(|page| EventKind::mark_unread(page, Some(true)));
        Ok(self.models.put_down(topic, marks.collect()).await?)
    }

    /// Takes in what happened in a browser or on a screen. What names no pages of the web, a
    /// class that the topic's taxonomy does not have, or a name that is none is passed over. Crawls that run hear
    /// of classes that were corrected.
    pub async fn take_events(&self, events: Vec<Event>) -> Result<EventsTaken, ServiceError> {
        if events.len() > MOST_EVENTS {
            return Err(ServiceError::refused(format!(
                "at most {MOST_EVENTS} events a call"
            )));
        }
        let sent = events.len();
        let good: Vec<Event> = events.into_iter().filter(Event::is_sound).collect();
        let good = self.with_known_classes(good).await?;
        let taken = self.context.store.take_events(&good).await?;
        self.context.say_changed();
        self.tell_crawls(&good).await?;
        self.pause_removed(&good).await?;
        self.deletion.delete_removed(&good).await?;
        Ok(EventsTaken {
            taken,
            known: good.len() - taken,
            refused: sent - good.len(),
        })
    }

    /// Takes a mark back, by the page's address alone.
    pub async fn unmark(&self, topic: &Topic, address: &str) -> Result<(), ServiceError> {
        let undone = EventKind::mark_unread(address, None);
        Ok(self.models.put_down(topic, vec![undone]).await?)
    }

    /// Chooses who orders the topic's links from now on. One that has to be trained and was
    /// not is refused.
    pub async fn choose_strategy(&self, topic: &Topic, name: &str) -> Result<(), ServiceError> {
        if let Some((strategy, weights)) = name.split_once(':') {
            let form = Form::with_weights(strategy, weights);
            form.map_err(|error| ServiceError::refused(format!("The weights: {error}.")))?;
        }
        if strategies::descriptor(name).is_none() {
            let names = strategies::all_names().join(", ");
            return Err(ServiceError::refused(format!(
                "There is no strategy “{name}”; there are {names}."
            )));
        }
        let topic_model = topic_model::of(&self.context.store, topic, None, Some(name)).await;
        let topic_model =
            topic_model.map_err(|error| ServiceError::refused(format!("{error:#}.")))?;
        check_strategy(&topic_model)?;
        let model = write_model(&topic_model.knowledge()).map_err(anyhow::Error::from)?;
        Ok(self.models.keep_model(topic.id, &model).await?)
    }

    /// Chooses what counts as found: the name of a critic, or a condition.
    pub async fn choose_critic(&self, topic: &Topic, critic: &str) -> Result<(), ServiceError> {
        if let Some(Ok(good)) = critics::good_nodes(critic) {
            return self.choose_good(topic, &good).await;
        }
        let wrong = |error| ServiceError::refused(format!("The condition, {error}."));
        let critic = critics::as_asked(critic).map_err(wrong)?;
        let topics = topic_model::named_topics(&self.context.store, &critic).await;
        topics.map_err(|error| ServiceError::refused(format!("{error:#}.")))?;
        Ok(self.models.keep_critic(topic.id, &critic).await?)
    }
}

#[cfg(test)]
mod tests {
    use linkscent_core::address::Address;
    use tempfile::TempDir;

    use linkscent_core::wire::api::{Answer, LONGEST_NAME};

    use super::*;

    use crate::Services;
    use crate::crawler::way::Way;
    use crate::{NewCrawl, Starts};
    use linkscent_store::{CrawlRow, Store};

    const PAGE: &str = "http://a.test/";

    async fn service() -> (TempDir, Services) {
        let folder = linkscent_store::fixtures::folder();
        let store = Store::open(folder.path()).await.unwrap();
        (folder, Services::new(store, Way::default()))
    }

    async fn crawl(service: &Services, topic: &Topic) -> CrawlRow {
        let starts = Starts {
            seeds: vec![PAGE.to_owned()],
            ..Starts::default()
        };
        let new = NewCrawl::new(starts, 10);
        service.crawls.prepare_crawl(topic, &new).await.unwrap()
    }

    #[tokio::test]
    async fn a_topic_has_a_name_and_its_examples_are_targets() {
        let (_folder, service) = service().await;
        let long = "x".repeat(LONGEST_NAME + 1);
        for name in ["", "  ", long.as_str()] {
            let refused = service.topics.create_topic(name, &[PAGE.to_owned()]).await;
            assert!(matches!(refused, Err(ServiceError::Refused(_))), "{name:?}");
        }
        assert!(service.context.store.topics().await.unwrap().is_empty());
        let topic = service.topics.create_topic(" bees ", &[]).await.unwrap();
        assert_eq!(topic.name, "bees");
        let again = service
            .topics
            .create_topic("bees", &[PAGE.to_owned()])
            .await;
        assert_eq!(again.unwrap().id, topic.id);
        let marks = service.context.store.marks(topic.id).await.unwrap();
        assert_eq!(marks.len(), 1);
        assert_eq!((&*marks[0].address, marks[0].target), (PAGE, true));
        service.topics.unmark(&topic, PAGE).await.unwrap();
        assert!(
            service
                .context
                .store
                .marks(topic.id)
                .await
                .unwrap()
                .is_empty()
        );
    }

    #[tokio::test]
    async fn events_are_counted_as_new_known_or_refused() {
        let (_folder, service) = service().await;
        let event = |id: &str, page: &str| Event {
            id: id.to_owned(),
            topic: "bees".to_owned(),
            time: 1,
            what: EventKind::mark_unread(page, Some(true)),
        };
        let first = event("1", PAGE);
        let taken = service
            .topics
            .take_events(vec![first.clone()])
            .await
            .unwrap();
        assert_eq!((taken.taken, taken.known, taken.refused), (1, 0, 0));
        let batch = vec![
            first.clone(),
            event("2", "file:///secret"),
            event("3", PAGE),
        ];
        let taken = service.topics.take_events(batch).await.unwrap();
        assert_eq!((taken.taken, taken.known, taken.refused), (1, 1, 1));
        let many = vec![first; MOST_EVENTS + 1];
        let refused = service.topics.take_events(many).await;
        assert!(matches!(refused, Err(ServiceError::Refused(_))));
    }

    #[tokio::test]
    async fn a_strategy_is_chosen_if_it_knows_something() {
        let folder = linkscent_store::fixtures::folder();
        let service = Services::new(Store::open(folder.path()).await.unwrap(), Way::default());
        let topic = service.topics.create_topic("bees", &[]).await.unwrap();
        let chosen = || async {
            let topic = service.topics.topic(topic.id).await.unwrap();
            service
                .models
                .learned(&topic)
                .await
                .unwrap()
                .strategy
                .clone()
        };
        for (wrong, why) in [
            ("nonesuch", "ensemble"),
            ("crf", "--model crf"),
            ("intelligent:words=1", "“words=1”"),
            ("apprentice:url=1", "no factors"),
        ] {
            let refused = service
                .topics
                .choose_strategy(&topic, wrong)
                .await
                .unwrap_err();
            assert!(refused.to_string().contains(why), "{refused}");
            assert_eq!(chosen().await, "ensemble");
        }
        let weighted = "intelligent:content=2,url=0,link=1,sibling=1";
        for right in ["apprentice", "depth-first", weighted, "ensemble"] {
            service.topics.choose_strategy(&topic, right).await.unwrap();
            assert_eq!(chosen().await, right);
        }
    }

    #[tokio::test]
    async fn a_critic_is_a_name_or_a_condition_on_topics_there_are() {
        let (_folder, service) = service().await;
        let topic = service.topics.create_topic("bees", &[]).await.unwrap();
        let critic = || async { service.context.store.critic(topic.id).await.unwrap() };
        for wrong in ["nonsense (", "topic \"birds\" > 0.5"] {
            let refused = service.topics.choose_critic(&topic, wrong).await;
            assert!(matches!(refused, Err(ServiceError::Refused(_))), "{wrong}");
            assert_eq!(critic().await, None);
        }
        service.topics.create_topic("birds", &[]).await.unwrap();
        for right in ["targets", "topic \"birds\" > 0.5"] {
            service.topics.choose_critic(&topic, right).await.unwrap();
            assert_eq!(critic().await.as_deref(), Some(right));
        }
    }

    #[tokio::test]
    async fn only_what_was_asked_is_answered() {
        let (_folder, service) = service().await;
        let topic = service.topics.create_topic("bees", &[]).await.unwrap();
        let crawl = crawl(&service, &topic).await;
        let answer = || {
            service
                .crawls
                .answer_question(&crawl, &topic, PAGE, Answer::Skip)
        };
        let missing = answer().await;
        assert!(matches!(missing, Err(ServiceError::Missing(_))));
        service.context.store.ask(crawl.id, PAGE).await.unwrap();
        let missing = answer().await;
        assert!(
            matches!(missing, Err(ServiceError::Missing(_))),
            "not fetched"
        );
        let page = Address::parse(PAGE).unwrap();
        let fetch = linkscent_store::fixtures::failed(1, page.as_str());
        service
            .context
            .store
            .take_fetches(crawl.id, 0, &[fetch])
            .await
            .unwrap();
        answer().await.unwrap();
        let again = answer().await;
        assert!(matches!(again, Err(ServiceError::Missing(_))), "answered");
        assert!(
            service
                .context
                .store
                .marks(topic.id)
                .await
                .unwrap()
                .is_empty()
        );
    }

    #[tokio::test]
    async fn a_page_that_was_not_kept_is_not_marked() {
        let (_folder, service) = service().await;
        let topic = service.topics.create_topic("bees", &[]).await.unwrap();
        let crawl = crawl(&service, &topic).await;
        let missing = service
            .crawls
            .mark_result(&crawl, &topic, PAGE, Some(true))
            .await;
        assert!(matches!(missing, Err(ServiceError::Missing(_))));
        let missing = service
            .crawls
            .mark_form(&crawl, &topic, PAGE, "f", Some(true));
        assert!(matches!(missing.await, Err(ServiceError::Missing(_))));
        assert!(
            service
                .context
                .store
                .marks(topic.id)
                .await
                .unwrap()
                .is_empty()
        );
    }
}
