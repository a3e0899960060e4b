use crate::crawler::fake_web::web_about;
use crate::learning::site_memory;
use crate::{NewCrawl, Services, Starts};
use linkscent_store::{CrawlRow, Role, Store, Topic};

const HOST: &str = "host0.test";

struct Stage {
    _folder: tempfile::TempDir,
    service: Services,
}

impl Stage {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let service = Services::new(store, web_about(|_| "bees in the hive").await);
        Self {
            _folder: folder,
            service,
        }
    }

    async fn topic(&self, name: &str) -> Topic {
        let start = format!("http://{HOST}/1");
        self.service
            .topics
            .create_topic(name, &[start])
            .await
            .unwrap()
    }

    async fn crawl(&self, topic: &Topic) -> CrawlRow {
        let new = NewCrawl::new(Starts::default(), 30);
        let crawl = self.service.crawls.begin_crawl(topic, &new).await.unwrap();
        let mut changes = self.service.context.supervisor.changes();
        loop {
            let row = self.service.crawls.crawl(crawl.id).await.unwrap().0;
            if row.state.is_over() && !self.service.context.store.is_locked(row.id) {
                return row;
            }
            changes.changed().await.unwrap();
        }
    }

    /// Pages that a crawl for the topic is told of.
    async fn told(&self, topic: &Topic) -> usize {
        let memory = site_memory::for_topic(&self.service.context.store, topic.id);
        memory.await.unwrap().len()
    }

    async fn notices(&self, crawl: &CrawlRow) -> Vec<String> {
        let store = &self.service.context.store;
        store.notices(crawl.topic, Some(crawl.id)).await.unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_is_told_what_one_for_another_topic_read() {
    let stage = Stage::new().await;
    let (bees, hives) = (stage.topic("bees").await, stage.topic("hives").await);
    let first = stage.crawl(&bees).await;
    assert!(stage.notices(&first).await.is_empty());
    assert_eq!(
        stage.told(&bees).await,
        0,
        "what is its own it knows itself"
    );
    let told = stage.told(&hives).await;
    assert!((20..=31).contains(&told), "{told}");
    let second = stage.crawl(&hives).await;
    let said = stage.notices(&second).await;
    assert!(said[0].contains(&format!("{told} pages")), "{said:?}");

    let sites = stage.service.upkeep.sites().await.unwrap();
    let site = sites.iter().find(|site| site.host == HOST).unwrap();
    assert!(site.pages > 0 && !site.leads.is_empty(), "{site:?}");
    // What its topic no longer keeps is not remembered.
    stage.service.topics.remove(&bees, true).await.unwrap();
    assert_eq!(stage.told(&hives).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_is_forgotten_and_remembered_again() {
    let stage = Stage::new().await;
    let (bees, hives) = (stage.topic("bees").await, stage.topic("hives").await);
    stage.crawl(&bees).await;
    let all = stage.told(&hives).await;
    let service = &stage.service;
    for wrong in ["", "http://host0.test/", "host0.test/1", "no host"] {
        let refused = service.upkeep.forget_site(wrong, true).await;
        assert!(refused.unwrap_err().to_string().contains("is no host"));
    }
    service
        .upkeep
        .forget_site(" HOST0.test ", true)
        .await
        .unwrap();
    let shown = service.upkeep.sites().await.unwrap();
    let site = shown.iter().find(|site| site.host == HOST).unwrap();
    assert!(site.is_forgotten && site.pages > 0);
    assert_eq!(stage.told(&hives).await, all - site.pages);
    // It is listed though nothing is left of it, so that it can be taken back.
    service.topics.remove(&bees, true).await.unwrap();
    let left = service.upkeep.sites().await.unwrap();
    assert_eq!(left.len(), 1);
    let removed = service.topics.topic(bees.id).await.unwrap();
    service.topics.remove(&removed, false).await.unwrap();
    service.upkeep.forget_site(HOST, false).await.unwrap();
    assert_eq!(stage.told(&hives).await, all);
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_told_of_pages_of_a_topic_that_they_may_not_see() {
    let stage = Stage::new().await;
    let (bees, hives) = (stage.topic("bees").await, stage.topic("hives").await);
    stage.crawl(&bees).await;
    assert!(stage.told(&hives).await > 0);
    let store = &stage.service.context.store;
    let mut people = Vec::new();
    for name in ["ida", "ola"] {
        let id = store.add_account(name, Role::Member, "", 0).await;
        people.push(id.unwrap());
    }
    let own = |topic: &Topic| (topic.id, Some(Role::Owner));
    for (person, topic) in [(people[0], own(&bees)), (people[0], own(&hives))] {
        store
            .set_topic_role(person, topic.0, topic.1)
            .await
            .unwrap();
    }
    assert!(stage.told(&hives).await > 0, "both are hers");
    stage.crawl(&hives).await;
    let reader = Some(Role::Reader);
    store
        .set_topic_role(people[1], hives.id, reader)
        .await
        .unwrap();
    assert_eq!(stage.told(&hives).await, 0, "he may not see the first");
    assert!(stage.told(&bees).await > 0, "she may see both");
}
