use std::collections::BTreeSet;
use std::time::Duration;

use linkscent_archive::warc::{Exchange, Kept, Writer};

use linkscent_core::crawl::StopReason;
use linkscent_core::wire::api::Forget;

use super::*;

use crate::Services;
use crate::crawler::fake_web::web_about;
use crate::fixtures::{crawled, words};
use linkscent_core::crawl::LARGEST_BUDGET;
use linkscent_store::Store;

/// An archive of six pages that link to each other, one of which is no page.
fn archive(folder: &std::path::Path) -> PathBuf {
    archive_of(folder, 6)
}

fn archive_of(folder: &std::path::Path, pages: usize) -> PathBuf {
    let path = folder.join("web.warc.gz");
    let file = std::fs::File::create(&path).unwrap();
    let mut writer = Writer::open(file, 0, "2026-01-01T00:00:00Z").unwrap();
    for number in 1..=pages {
        let html = format!(
            "<title>Hive {number}</title><p>Honey of bees, number {number}</p>\
             <a href=/{}>more bees</a>",
            number + 1
        );
        let exchange = Exchange {
            headers: vec![("x-kept".to_owned(), b"as it was".to_vec())],
            ..Exchange::default()
        };
        let address = format!("http://host9.test/{number}");
        let page = Kept {
            address: &address,
            status: if number == 3 { 404 } else { 200 },
            content_type: Some("text/html"),
            body: html.as_bytes(),
            date: "2026-01-01T00:00:00Z",
            exchange: Some(&exchange).filter(|_| number == 2),
            conversion: None,
        };
        writer.page(&page).unwrap();
    }
    writer.sync().unwrap();
    path
}

async fn done(service: &Services, crawl: i64) -> CrawlRow {
    rests(service, crawl, CrawlState::Done).await
}

async fn rests(service: &Services, crawl: i64, state: CrawlState) -> CrawlRow {
    let mut changes = service.context.supervisor.changes();
    loop {
        let row = service.crawls.crawl(crawl).await.unwrap().0;
        if row.state == state && !service.context.store.is_locked(crawl) {
            return row;
        }
        let changed = tokio::time::timeout(Duration::from_mins(1), changes.changed());
        changed.await.expect("it does not come to rest").unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_archive_becomes_a_crawl_that_can_be_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let (service, topic, _) = crawled(folder.path()).await;
    let given = service
        .crawls
        .look_through(archive(folder.path()))
        .await
        .unwrap();
    assert_eq!(given.import().survey().pages, 4 + 1);
    let crawl = service.crawls.take_in(&topic, given).await.unwrap();
    let row = done(&service, crawl.id).await;
    let counts = service.crawls.counts(crawl.id).await.unwrap();
    assert_eq!((counts.pages, counts.other), (5, 0));
    assert_eq!(row.order.spec.budget, 5, "it has what it was to have");
    let notices = service
        .context
        .store
        .notices(topic.id, Some(crawl.id))
        .await;
    let notices = notices.unwrap().join("\n");
    assert!(notices.contains("5 pages were taken in"), "{notices}");
    assert!(notices.contains("1 errors and parts"), "{notices}");

    // Judged, searched and kept as the archive had it.
    service.library.catch_up(|_| {}).await.unwrap();
    let found = service
        .library
        .search(Some(&topic), &words("title:hive"))
        .await;
    let found = found.unwrap();
    assert_eq!(found.total, 5);
    assert!(found.pages.iter().any(|page| page.probability > 0.5));
    let kept = service.exports.kept_exchange(crawl.id, 2).await.unwrap();
    assert_eq!(kept.date, "2026-01-01T00:00:00Z");
    assert_eq!(kept.header("x-kept").as_deref(), Some("as it was"));
    let way = service
        .context
        .store
        .result_at(crawl.id, 2)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        way.trail,
        ["http://host9.test/1"],
        "by the link that led there"
    );

    // Gone on with, it follows the links that waited; here these lead to pages 3 and 7.
    assert!(service.crawls.go_on(&row, 0).await.is_err());
    assert!(service.crawls.go_on(&row, LARGEST_BUDGET).await.is_err());
    service.crawls.go_on(&row, 2).await.unwrap();
    let row = done(&service, crawl.id).await;
    assert_eq!(row.order.spec.budget, 7);
    let asked = service.context.store.fetches(crawl.id).await.unwrap();
    let asked: Vec<&str> = asked[5..].iter().map(|row| &*row.address).collect();
    assert!(asked.contains(&"http://host9.test/3"), "{asked:?}");
    assert!(asked.contains(&"http://host9.test/7"), "{asked:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_that_died_fetches_nothing_when_it_is_taken_up() {
    let folder = linkscent_store::fixtures::folder();
    let store = Store::open(folder.path()).await.unwrap();
    let service = Services::new(store, web_about(|_| "bees").await);
    let start = "http://host0.test/1".to_owned();
    let targets = std::slice::from_ref(&start);
    let topic = service.topics.create_topic("bees", targets).await.unwrap();
    let given = service
        .crawls
        .look_through(archive(folder.path()))
        .await
        .unwrap();
    let crawl = service.crawls.prepare_import(&topic, &given).await.unwrap();
    let running = CrawlState::Running;
    let died = service.context.store.set_state(crawl.id, running, "").await;
    died.unwrap();
    service.context.supervisor.resume_all().await.unwrap();
    let (row, _) = service.crawls.crawl(crawl.id).await.unwrap();
    assert_eq!((row.order.spec.budget, row.state), (0, CrawlState::Paused));
    let refused = service.crawls.resume(&row).await.unwrap_err().to_string();
    assert!(refused.contains("bring that in again"), "{refused}");
    assert!(
        service
            .context
            .store
            .fetches(crawl.id)
            .await
            .unwrap()
            .is_empty()
    );

    let given = service
        .crawls
        .look_through(archive(folder.path()))
        .await
        .unwrap();
    let again = service.crawls.take_in(&topic, given).await.unwrap();
    assert_eq!(again.id, crawl.id, "the same goes on");
    let row = done(&service, crawl.id).await;
    assert_eq!(row.order.spec.budget, 5);
    let counts = service.crawls.counts(crawl.id).await.unwrap();
    assert_eq!((counts.pages, counts.other), (5, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_that_is_paused_goes_on_with_the_rest_and_fetches_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (service, topic, _) = crawled(folder.path()).await;
    let given = service
        .crawls
        .look_through(archive_of(folder.path(), 400))
        .await;
    let crawl = service
        .crawls
        .take_in(&topic, given.unwrap())
        .await
        .unwrap();
    // It hears of it before it has all.
    let (row, _) = service.crawls.crawl(crawl.id).await.unwrap();
    service.crawls.pause(&row).await.unwrap();
    let row = rests(&service, crawl.id, CrawlState::Paused).await;
    assert_eq!(row.order.spec.budget, 0);
    let before = service.crawls.counts(crawl.id).await.unwrap().pages;
    assert!(before < 399, "{before}");
    assert!(!row.can_go_on() && service.crawls.go_on(&row, 5).await.is_err());

    // What is forgotten meanwhile does not come back.
    let gone = "http://host9.test/30".to_owned();
    let forget = Forget {
        pages: vec![gone.clone()],
        ..Forget::default()
    };
    service.deletion.forget(&forget).await.unwrap();
    // Another archive is another crawl's.
    let other = tempfile::tempdir().unwrap();
    let given = service
        .crawls
        .look_through(archive(other.path()))
        .await
        .unwrap();
    let second = service.crawls.take_in(&topic, given).await.unwrap();
    assert_ne!(second.id, crawl.id);
    done(&service, second.id).await;
    service.crawls.resume(&row).await.unwrap();
    let row = done(&service, crawl.id).await;
    assert_eq!(
        row.order.spec.budget, 398,
        "399 are pages, one of them is gone"
    );
    let asked = service.context.store.fetches(crawl.id).await.unwrap();
    assert_eq!(asked.len(), 398);
    let pages: BTreeSet<&str> = asked.iter().map(|row| &*row.address).collect();
    assert_eq!(pages.len(), 398, "each is there once");
    assert!(!pages.contains(&*gone));
    assert!(asked.iter().all(|row| row.place.warc_offset.is_some()));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_that_is_stopped_while_it_rests_is_content_with_what_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let (service, topic, _) = crawled(folder.path()).await;
    let given = service
        .crawls
        .look_through(archive_of(folder.path(), 400))
        .await;
    let crawl = service
        .crawls
        .take_in(&topic, given.unwrap())
        .await
        .unwrap();
    let (row, _) = service.crawls.crawl(crawl.id).await.unwrap();
    service.crawls.pause(&row).await.unwrap();
    let row = rests(&service, crawl.id, CrawlState::Paused).await;
    service.crawls.stop(&row).await.unwrap();
    let (row, _) = service.crawls.crawl(crawl.id).await.unwrap();
    let pages = service.crawls.counts(crawl.id).await.unwrap().pages;
    assert_eq!(
        (row.state, row.order.spec.budget),
        (CrawlState::Stopped, pages)
    );
    assert!(!service.context.supervisor.has_given(crawl.id));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_what_is_over_and_has_links_left_is_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let (service, topic, crawl) = crawled(folder.path()).await;
    let (row, _) = service.crawls.crawl(crawl).await.unwrap();
    assert!(row.can_go_on());
    let at_its_end = CrawlRow {
        stop_reason: StopReason::FrontierEmpty.code().to_owned(),
        ..row.clone()
    };
    let running = CrawlRow {
        state: CrawlState::Running,
        ..row.clone()
    };
    for refused in [at_its_end, running] {
        assert!(
            service.crawls.go_on(&refused, 5).await.is_err(),
            "{refused:?}"
        );
    }
    let removed = CrawlRow {
        is_removed: true,
        ..row.clone()
    };
    let refused = service
        .crawls
        .go_on(&removed, 5)
        .await
        .unwrap_err()
        .to_string();
    assert!(refused.contains("bring it back"), "{refused}");
    service.topics.remove(&topic, true).await.unwrap();
    assert!(service.crawls.go_on(&row, 5).await.is_err());
    let (row, _) = service.crawls.crawl(crawl).await.unwrap();
    assert_eq!(row.order.spec.budget, 12, "nothing was changed");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_archive_is_refused_with_its_name() {
    let folder = linkscent_store::fixtures::folder();
    let service = Services::new(
        Store::open(folder.path()).await.unwrap(),
        crate::crawler::way::Way::default(),
    );
    let file = folder.path().join("notes.txt");
    let refused = service
        .crawls
        .look_through(file.clone())
        .await
        .err()
        .unwrap();
    assert!(refused.to_string().contains("notes.txt"), "{refused}");
    let endless = service.crawls.look_through("/dev/zero".into()).await;
    let refused = endless.err().unwrap().to_string();
    assert!(refused.contains("no file"), "{refused}");
    std::fs::write(&file, "no archive").unwrap();
    let refused = service.crawls.look_through(file).await.err().unwrap();
    assert!(
        refused.to_string().contains("neither a WARC nor"),
        "{refused}"
    );
}
