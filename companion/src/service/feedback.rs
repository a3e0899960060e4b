//! The person's word on pages, forms and topics: lines in a topic's log, and a word to a
//! crawl that runs.

use linkscent_core::critics::{self, FormFilter};
use linkscent_core::strategies::{self, Form};
use linkscent_core::wire::api::{Answer, Event, EventKind, EventsTaken, mark_of};
use linkscent_core::wire::write_model;

use super::taxonomies::check_strategy;
use super::{Service, ServiceError};
use crate::page_archive;
use crate::store::{Command, CrawlRow, Topic};
use crate::topic_guide;

/// Events taken in one call at most.
pub const MOST_EVENTS: usize = 1_000;

impl Service {
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

    pub(super) async fn take_examples(
        &self,
        topic: &Topic,
        examples: &[String],
    ) -> Result<(), ServiceError> {
        let marks = examples.iter();
        let marks = marks.map(|page| EventKind::mark_unread(page, Some(true)));
        Ok(self.put_down(topic, marks.collect()).await?)
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
        let taken = self.store.take_events(&good).await?;
        self.say_changed();
        self.tell_crawls(&good).await?;
        self.pause_removed(&good).await?;
        self.delete_removed(&good).await?;
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
        self.put_down(topic, vec![marked]).await?;
        let mark = Command::Mark(page.address, mark_of(target));
        self.supervisor.send(crawl.id, mark).await?;
        Ok(())
    }

    /// The same of a page that any crawl of the topic fetched.
    pub async fn mark_fetched(
        &self,
        topic: &Topic,
        address: &str,
        target: bool,
    ) -> Result<(), ServiceError> {
        for crawl in self.store.crawls(Some(topic.id)).await? {
            let page = page_archive::page(&self.store, crawl.id, address).await?;
            if page.is_some() {
                return self.mark_result(&crawl, topic, address, Some(target)).await;
            }
        }
        Err(ServiceError::Missing("page in this topic's crawls"))
    }

    /// Takes a mark back, by the page's address alone.
    pub async fn unmark(&self, topic: &Topic, address: &str) -> Result<(), ServiceError> {
        let undone = EventKind::mark_unread(address, None);
        Ok(self.put_down(topic, vec![undone]).await?)
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
        self.say_changed();
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
        Ok(self.put_down(topic, vec![marked]).await?)
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
        let guide = topic_guide::of(&self.store, topic, None, Some(name)).await;
        let guide = guide.map_err(|error| ServiceError::refused(format!("{error:#}.")))?;
        check_strategy(&guide)?;
        let model = write_model(&guide.knowledge()).map_err(anyhow::Error::from)?;
        Ok(self.keep_model(topic.id, &model).await?)
    }

    /// Chooses what counts as found: the name of a critic, or a condition.
    pub async fn choose_critic(&self, topic: &Topic, critic: &str) -> Result<(), ServiceError> {
        if let Some(Ok(good)) = critics::good_nodes(critic) {
            return self.choose_good(topic, &good).await;
        }
        let wrong = |error| ServiceError::refused(format!("The condition, {error}."));
        let critic = critics::as_asked(critic).map_err(wrong)?;
        let topics = topic_guide::named_topics(&self.store, &critic).await;
        topics.map_err(|error| ServiceError::refused(format!("{error:#}.")))?;
        Ok(self.keep_critic(topic.id, &critic).await?)
    }
}

#[cfg(test)]
mod tests {
    use linkscent_core::address::Address;
    use tempfile::TempDir;

    use linkscent_core::wire::api::LONGEST_NAME;

    use super::*;
    use crate::crawler::way::Way;
    use crate::service::{NewCrawl, Starts};
    use crate::store::{CrawlRow, Store};

    const PAGE: &str = "http://a.test/";

    fn service() -> (TempDir, Service) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::in_memory(folder.path());
        (folder, Service::new(store, Way::default()))
    }

    async fn crawl(service: &Service, topic: &Topic) -> CrawlRow {
        let starts = Starts {
            seeds: vec![PAGE.to_owned()],
            ..Starts::default()
        };
        let new = NewCrawl::new(starts, 10);
        service.prepare_crawl(topic, &new).await.unwrap()
    }

    #[tokio::test]
    async fn a_topic_has_a_name_and_its_examples_are_targets() {
        let (_folder, service) = service();
        let long = "x".repeat(LONGEST_NAME + 1);
        for name in ["", "  ", long.as_str()] {
            let refused = service.create_topic(name, &[PAGE.to_owned()]).await;
            assert!(matches!(refused, Err(ServiceError::Refused(_))), "{name:?}");
        }
        assert!(service.store.topics().await.unwrap().is_empty());
        let topic = service.create_topic(" bees ", &[]).await.unwrap();
        assert_eq!(topic.name, "bees");
        let again = service.create_topic("bees", &[PAGE.to_owned()]).await;
        assert_eq!(again.unwrap().id, topic.id);
        let marks = service.store.marks(topic.id).await.unwrap();
        assert_eq!(marks.len(), 1);
        assert_eq!((&*marks[0].address, marks[0].target), (PAGE, true));
        service.unmark(&topic, PAGE).await.unwrap();
        assert!(service.store.marks(topic.id).await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn events_are_counted_as_new_known_or_refused() {
        let (_folder, service) = service();
        let event = |id: &str, page: &str| Event {
            id: id.to_owned(),
            topic: "bees".to_owned(),
            time: 1,
            what: EventKind::mark_unread(page, Some(true)),
        };
        let first = event("1", PAGE);
        let taken = service.take_events(vec![first.clone()]).await.unwrap();
        assert_eq!((taken.taken, taken.known, taken.refused), (1, 0, 0));
        let batch = vec![
            first.clone(),
            event("2", "file:///secret"),
            event("3", PAGE),
        ];
        let taken = service.take_events(batch).await.unwrap();
        assert_eq!((taken.taken, taken.known, taken.refused), (1, 1, 1));
        let many = vec![first; MOST_EVENTS + 1];
        let refused = service.take_events(many).await;
        assert!(matches!(refused, Err(ServiceError::Refused(_))));
    }

    #[tokio::test]
    async fn a_strategy_is_chosen_if_it_knows_something() {
        let folder = tempfile::tempdir().unwrap();
        let service = Service::new(Store::in_memory(folder.path()), Way::default());
        let topic = service.create_topic("bees", &[]).await.unwrap();
        let chosen = || async {
            let topic = service.topic(topic.id).await.unwrap();
            service.learned(&topic).await.unwrap().strategy.clone()
        };
        for (wrong, why) in [
            ("nonesuch", "ensemble"),
            ("crf", "--model crf"),
            ("intelligent:words=1", "“words=1”"),
            ("apprentice:url=1", "no factors"),
        ] {
            let refused = service.choose_strategy(&topic, wrong).await.unwrap_err();
            assert!(refused.to_string().contains(why), "{refused}");
            assert_eq!(chosen().await, "ensemble");
        }
        let weighted = "intelligent:content=2,url=0,link=1,sibling=1";
        for right in ["apprentice", "depth-first", weighted, "ensemble"] {
            service.choose_strategy(&topic, right).await.unwrap();
            assert_eq!(chosen().await, right);
        }
    }

    #[tokio::test]
    async fn a_critic_is_a_name_or_a_condition_on_topics_there_are() {
        let (_folder, service) = service();
        let topic = service.create_topic("bees", &[]).await.unwrap();
        let critic = || async { service.store.critic(topic.id).await.unwrap() };
        for wrong in ["nonsense (", "topic \"birds\" > 0.5"] {
            let refused = service.choose_critic(&topic, wrong).await;
            assert!(matches!(refused, Err(ServiceError::Refused(_))), "{wrong}");
            assert_eq!(critic().await, None);
        }
        service.create_topic("birds", &[]).await.unwrap();
        for right in ["targets", "topic \"birds\" > 0.5"] {
            service.choose_critic(&topic, right).await.unwrap();
            assert_eq!(critic().await.as_deref(), Some(right));
        }
    }

    #[tokio::test]
    async fn only_what_was_asked_is_answered() {
        let (_folder, service) = service();
        let topic = service.create_topic("bees", &[]).await.unwrap();
        let crawl = crawl(&service, &topic).await;
        let answer = || service.answer_question(&crawl, &topic, PAGE, Answer::Skip);
        let missing = answer().await;
        assert!(matches!(missing, Err(ServiceError::Missing(_))));
        service.store.ask(crawl.id, PAGE).await.unwrap();
        let missing = answer().await;
        assert!(
            matches!(missing, Err(ServiceError::Missing(_))),
            "not fetched"
        );
        let page = Address::parse(PAGE).unwrap();
        let fetch = crate::store::tests::failed(1, page.as_str());
        service
            .store
            .take_fetches(crawl.id, 0, &[fetch])
            .await
            .unwrap();
        answer().await.unwrap();
        let again = answer().await;
        assert!(matches!(again, Err(ServiceError::Missing(_))), "answered");
        assert!(service.store.marks(topic.id).await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn a_page_that_was_not_kept_is_not_marked() {
        let (_folder, service) = service();
        let topic = service.create_topic("bees", &[]).await.unwrap();
        let crawl = crawl(&service, &topic).await;
        let missing = service.mark_result(&crawl, &topic, PAGE, Some(true)).await;
        assert!(matches!(missing, Err(ServiceError::Missing(_))));
        let missing = service.mark_form(&crawl, &topic, PAGE, "f", Some(true));
        assert!(matches!(missing.await, Err(ServiceError::Missing(_))));
        assert!(service.store.marks(topic.id).await.unwrap().is_empty());
    }
}
