use super::*;
use crate::Services;
use crate::crawler::way::Way;
use linkscent_store::Store;
use linkscent_store::fixtures::folder;

const PAGE: &str = "http://a.test/";

async fn service() -> (tempfile::TempDir, Services, Topic) {
    let folder = folder();
    let store = Store::open(folder.path()).await.unwrap();
    let topic = store.topic_named("bees").await.unwrap();
    (folder, Services::new(store, Way::default()), topic)
}

fn starts(seeds: &[&str], examples: &[&str]) -> Starts {
    let list = |pages: &[&str]| pages.iter().map(ToString::to_string).collect();
    Starts {
        seeds: list(seeds),
        examples: list(examples),
        from_targets: false,
    }
}

#[tokio::test]
async fn what_is_refused_leaves_nothing() {
    let (_folder, service, topic) = service().await;
    let usual = NewCrawl::new(starts(&[], &[PAGE]), 10);
    let with = |change: fn(&mut CrawlSpec)| {
        let mut new = usual.clone();
        change(&mut new.spec);
        new
    };
    let cases = [
        (NewCrawl::new(Starts::default(), 10), "start somewhere"),
        (with(|spec| spec.budget = 0), "budget"),
        (
            with(|spec| spec.stopping.pages = Some(0)),
            "after 1 to 1000000 pages, or never",
        ),
        (with(|spec| spec.delay = Some(0)), "delay of 0"),
        (
            with(|spec| {
                spec.scope.left_out = vec!["a.test".to_owned(), "http://b.test/".to_owned()];
            }),
            "“http://b.test/” is no host",
        ),
        (
            NewCrawl {
                critic: Some("nobody".to_owned()),
                ..usual.clone()
            },
            "nobody",
        ),
    ];
    for (new, said) in cases {
        let refused = service
            .crawls
            .prepare_crawl(&topic, &new)
            .await
            .unwrap_err();
        assert!(refused.to_string().contains(said), "{refused}");
    }
    assert!(
        service
            .context
            .store
            .marks(topic.id)
            .await
            .unwrap()
            .is_empty()
    );
    assert!(service.context.store.crawls(None).await.unwrap().is_empty());
}

#[tokio::test]
async fn examples_become_targets_and_targets_are_where_it_starts() {
    let (_folder, service, topic) = service().await;
    let new = NewCrawl::new(starts(&["http://b.test/"], &[PAGE]), 10);
    let crawl = service.crawls.prepare_crawl(&topic, &new).await.unwrap();
    let pair = |page: &str, example| (page.to_owned(), example);
    let both = [pair(PAGE, true), pair("http://b.test/", false)];
    assert_eq!(crawl.order.seeds, both);
    assert_eq!(crawl.order.spec.delay(), DEFAULT_DELAY);
    let again = NewCrawl::new(Starts::default(), 10);
    let crawl = service.crawls.prepare_crawl(&topic, &again).await.unwrap();
    assert_eq!(crawl.order.seeds, [pair(PAGE, true)]);
    // A seed that is a target counts as an example.
    let seeds = NewCrawl::new(starts(&[PAGE, PAGE], &[]), 10);
    let crawl = service.crawls.prepare_crawl(&topic, &seeds).await.unwrap();
    assert_eq!(crawl.order.seeds, [pair(PAGE, true)]);
    assert_eq!(
        service.context.store.marks(topic.id).await.unwrap().len(),
        1
    );
}

#[tokio::test]
async fn a_crawl_whose_process_died_can_be_paused_and_stopped() {
    let (_folder, service, topic) = service().await;
    let new = NewCrawl::new(starts(&[PAGE], &[]), 10);
    let id = service.crawls.prepare_crawl(&topic, &new).await.unwrap().id;
    let crawl = || async { service.crawls.crawl(id).await.unwrap().0 };
    assert_eq!(crawl().await.state, CrawlState::Running);
    service.crawls.pause(&crawl().await).await.unwrap();
    assert_eq!(crawl().await.state, CrawlState::Paused);
    service.crawls.stop(&crawl().await).await.unwrap();
    assert_eq!(crawl().await.state, CrawlState::Stopped);
    service.crawls.pause(&crawl().await).await.unwrap();
    service.crawls.resume(&crawl().await).await.unwrap();
    assert_eq!(crawl().await.state, CrawlState::Stopped, "it is over");
    assert!(matches!(
        service.crawls.crawl(id + 1).await,
        Err(ServiceError::Missing("crawl"))
    ));
}
