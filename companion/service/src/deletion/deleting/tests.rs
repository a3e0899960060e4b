use linkscent_core::wire::api::EventName;

use linkscent_core::wire::api::EventKind;

use super::*;

use crate::Services;
use crate::crawler::way::Way;
use crate::{NewCrawl, Starts};
use linkscent_store::CrawlState;
use linkscent_store::fixtures::fetched;

const PAGE: &str = "http://a.test/";

struct Stage {
    _folder: tempfile::TempDir,
    service: Services,
    topic: Topic,
}

impl Stage {
    /// A topic with a target, two crawls of it, each with a page and an archive, and a topic
    /// beside it.
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("data")).await.unwrap();
        let service = Services::new(store, Way::default());
        let page = PAGE.to_owned();
        service
            .topics
            .create_topic("bees", std::slice::from_ref(&page))
            .await
            .unwrap();
        let topic = service
            .topics
            .create_topic("castles", &[page])
            .await
            .unwrap();
        let stage = Self {
            _folder: folder,
            service,
            topic,
        };
        for _ in 0..2 {
            let new = NewCrawl::new(Starts::default(), 10);
            let crawl = stage.service.crawls.prepare_crawl(&stage.topic, &new);
            let id = crawl.await.unwrap().id;
            let store = &stage.service.context.store;
            let row = fetched(1, "http://a.test/keep", 0.9);
            store.take_fetches(id, 5, &[row]).await.unwrap();
            store.set_state(id, CrawlState::Paused, "").await.unwrap();
            fs::write(store.warc_path(id), "bytes").unwrap();
            fs::write(store.checkpoint_path(id), "http://a.test/keep").unwrap();
            fs::write(store.requests_path(id), "http://a.test/keep").unwrap();
        }
        stage
    }

    async fn crawls(&self) -> Vec<CrawlRow> {
        self.service.context.store.crawls(None).await.unwrap()
    }

    /// Archives, each of which has a checkpoint beside it.
    fn archives(&self) -> usize {
        let entries = fs::read_dir(self.service.context.store.folder()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let names: Vec<String> = names.collect();
        let count = |end: &str| names.iter().filter(|name| name.ends_with(end)).count();
        assert_eq!(count(".warc.gz"), count(".checkpoint"), "{names:?}");
        assert_eq!(count(".warc.gz"), count(".requests"), "{names:?}");
        count(".warc.gz")
    }

    /// Whether a text stands in the database's files.
    fn is_written(&self, text: &str) -> bool {
        let entries = fs::read_dir(self.service.context.store.folder()).unwrap();
        let mut files = entries.map(|entry| fs::read(entry.unwrap().path()).unwrap());
        files.any(|bytes| memchr::memmem::find(&bytes, text.as_bytes()).is_some())
    }
}

#[tokio::test]
async fn a_crawl_is_out_of_sight_and_comes_back() {
    let stage = Stage::new().await;
    let crawl = stage.crawls().await.remove(0);
    stage.service.crawls.hide_crawl(&crawl, true).await.unwrap();
    assert!(
        stage
            .service
            .crawls
            .crawl(crawl.id)
            .await
            .unwrap()
            .0
            .is_removed
    );
    assert_eq!(
        stage.service.crawls.counts(crawl.id).await.unwrap().pages,
        1
    );
    stage
        .service
        .crawls
        .hide_crawl(&crawl, false)
        .await
        .unwrap();
    assert_eq!(stage.crawls().await[0], crawl);
}

#[tokio::test]
async fn a_deleted_crawl_takes_its_archive_along_and_nothing_else() {
    let stage = Stage::new().await;
    let [newest, other] = stage.crawls().await.try_into().unwrap();
    assert!(stage.is_written("http://a.test/keep"));
    stage.service.deletion.delete_crawl(&newest).await.unwrap();
    assert_eq!(stage.crawls().await, std::slice::from_ref(&other));
    assert_eq!(stage.archives(), 1);
    let missing = stage.service.crawls.crawl(newest.id).await;
    assert!(matches!(missing, Err(ServiceError::Missing("crawl"))));
    assert!(stage.is_written("http://a.test/keep"), "the other's");
    stage.service.deletion.delete_crawl(&other).await.unwrap();
    assert!(!stage.is_written("http://a.test/keep"));
    let new = NewCrawl::new(Starts::default(), 10);
    let next = stage.service.crawls.prepare_crawl(&stage.topic, &new);
    assert_eq!(next.await.unwrap().id, newest.id + 1, "numbers rise");
}

#[tokio::test]
async fn of_a_deleted_topic_its_key_is_left_until_it_is_named_again() {
    let stage = Stage::new().await;
    let (service, topic) = (&stage.service, &stage.topic);
    service.topics.rename(topic, "strongholds").await.unwrap();
    service
        .topics
        .say(topic, "moats and towers", Some(true))
        .await
        .unwrap();
    service.topics.delete_topic(topic).await.unwrap();
    assert!(stage.crawls().await.is_empty());
    assert_eq!(stage.archives(), 0);
    for gone in ["strongholds", "moats and towers", "http://a.test/keep"] {
        assert!(!stage.is_written(gone), "{gone}");
    }
    let told = service.topics.topics().await.unwrap();
    assert_eq!((&*told[0].key, told[0].is_deleted), ("castles", true));
    assert!(!told[1].is_deleted, "another topic");
    let bees = service.topics.topic_known_as("bees").await.unwrap();
    assert_eq!(service.context.store.marks(bees.id).await.unwrap().len(), 1);
    // A browser that had not heard of it says more: that goes, too.
    let late = EventKind::mark_unread("http://a.test/late", Some(true));
    let late = service.context.store.happens(topic, late).await.unwrap();
    service.topics.take_events(vec![late]).await.unwrap();
    assert!(!stage.is_written("http://a.test/late"));
    let again = service.topics.create_topic("castles", &[]).await.unwrap();
    assert_eq!((again.id, again.is_deleted), (topic.id, false));
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
async fn what_was_begun_is_finished_at_the_next_start() {
    let stage = Stage::new().await;
    let [newest, _] = stage.crawls().await.try_into().unwrap();
    let store = &stage.service.context.store;
    store.delete_crawl(newest.id).await.unwrap();
    assert_eq!(stage.archives(), 2, "as if the program had ended here");
    stage.service.deletion.finish_deleting().await.unwrap();
    assert_eq!(stage.archives(), 1);
    // The same with a topic of which only the word was kept.
    let said = EventKind::Remove {
        removed: true,
        for_good: true,
    };
    store.note(&stage.topic, vec![said]).await.unwrap();
    stage.service.deletion.finish_deleting().await.unwrap();
    assert_eq!(stage.archives(), 0);
    let events = store.events_of(stage.topic.id, EventName::Mark).await;
    assert!(events.unwrap().is_empty());
}

#[tokio::test]
async fn everything_is_deleted() {
    let stage = Stage::new().await;
    let [newest, _] = stage.crawls().await.try_into().unwrap();
    stage
        .service
        .context
        .store
        .delete_crawl(newest.id)
        .await
        .unwrap();
    stage.service.deletion.delete_everything().await.unwrap();
    assert_eq!(stage.archives(), 0);
    assert!(stage.service.topics.topics().await.unwrap().is_empty());
    for gone in ["castles", "bees", PAGE] {
        assert!(!stage.is_written(gone), "{gone}");
    }
    let topic = stage
        .service
        .topics
        .create_topic("tiles", &[])
        .await
        .unwrap();
    assert_eq!(topic.id, 1);
}
