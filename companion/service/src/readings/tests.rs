use std::path::Path;

use linkscent_core::wire::api::{EventKind, Forget};

use super::*;

use crate::Services;
use crate::crawler::way::Way;
use crate::fixtures::{crawled, words};
use crate::{LibraryQuery, NewCrawl as Ordered, Starts};

const PAGE: &str = "http://read.test/1";
const BEES: &str = "<title>Bees</title><p>Bees in the hive keep honey and pollen there.</p>";

fn reading(topic: &str, address: &str, html: &str) -> Reading {
    Reading {
        topic: topic.to_owned(),
        address: address.to_owned(),
        html: html.to_owned(),
        time: 1_000_000_000_000,
        way: vec!["http://read.test/".to_owned(), "about:blank".to_owned()],
    }
}

async fn with_topic(folder: &Path) -> (Services, Topic) {
    let store = Store::open(folder).await.unwrap();
    let service = Services::new(store, Way::default());
    let page = "http://a.test/".to_owned();
    let topic = service.topics.create_topic("bees", &[page]).await.unwrap();
    (service, topic)
}

async fn total(service: &Services, topic: &Topic, text: &str, for_program: bool) -> usize {
    service.library.catch_up(|_| {}).await.unwrap();
    let query = LibraryQuery {
        for_program,
        ..words(text)
    };
    service
        .library
        .search(Some(topic), &query)
        .await
        .unwrap()
        .total
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_was_read_is_an_item_of_the_library_and_programs_hear_nothing_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let (service, topic) = with_topic(folder.path()).await;
    assert_eq!(service.readings.readings(&topic).await.unwrap(), []);
    let page = reading("bees", PAGE, BEES);
    assert!(service.readings.take_reading(page.clone()).await.unwrap());
    // The same again says nothing new; another text does.
    assert!(!service.readings.take_reading(page).await.unwrap());
    let other = "<title>Bees</title><p>Wasps build of paper.</p>";
    let newer = service.readings.take_reading(reading("bees", PAGE, other));
    assert!(newer.await.unwrap());
    let kept = service.readings.readings(&topic).await.unwrap()[0];
    assert_eq!(kept.pages, 2);
    assert_eq!(
        service.library.count_versions(kept.crawl, 1).await.unwrap(),
        2
    );

    service.library.catch_up(|_| {}).await.unwrap();
    let found = service
        .library
        .search(Some(&topic), &words("wasps is:browsed"))
        .await;
    let found = found.unwrap();
    assert_eq!(found.total, 1, "one item whatever the number of copies");
    let item = &found.pages[0];
    assert_eq!((&*item.address, &*item.reason), (PAGE, REASON));
    assert_eq!(item.path, ["http://read.test/"]);
    assert_eq!(item.read, "2001-09-09T01:46:40Z");
    assert!(!item.is_new, "the person has seen it");
    assert_eq!(total(&service, &topic, "wasps", true).await, 0);
    assert_eq!(total(&service, &topic, "", true).await, 0);

    // No crawl of the web: nothing goes on with it, nothing watches it, nothing asks for more.
    assert!(
        service
            .context
            .store
            .web_crawls(None)
            .await
            .unwrap()
            .is_empty()
    );
    assert!(
        service
            .context
            .store
            .looks(topic.id)
            .await
            .unwrap()
            .is_empty()
    );
    let (crawl, _) = service.crawls.crawl(kept.crawl).await.unwrap();
    assert!(!crawl.can_go_on() && !crawl.can_start_at_more() && !crawl.is_import());
    assert!(service.readings.is_reading(kept.crawl).await.unwrap());
    let none = service.watching.prepare_recrawl(&topic, 20).await.unwrap();
    assert_eq!(none, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_read_is_forgotten_removed_and_judged_like_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let (service, topic) = with_topic(folder.path()).await;
    for (address, html) in [
        (PAGE, BEES),
        ("http://read.test/2", "<p>Trains run late.</p>"),
    ] {
        let taken = service
            .readings
            .take_reading(reading("bees", address, html))
            .await;
        assert!(taken.unwrap());
    }
    // A mark is its judgment, once the list is asked to be judged again.
    let crawl = service.readings.readings(&topic).await.unwrap()[0].crawl;
    let (row, topic) = service.crawls.crawl(crawl).await.unwrap();
    let marked = service
        .crawls
        .mark_result(&row, &topic, "http://read.test/2", Some(true));
    marked.await.unwrap();
    let topic = service.topics.topic(topic.id).await.unwrap();
    service.readings.judge_again(&topic).await.unwrap();
    let trains = service
        .context
        .store
        .result_at(crawl, 2)
        .await
        .unwrap()
        .unwrap();
    assert!(trains.is_target);

    assert_eq!(total(&service, &topic, "trains", false).await, 1);
    let gone = Forget {
        pages: vec!["http://read.test/2".to_owned()],
        ..Forget::default()
    };
    let forgotten = service.deletion.forget(&gone).await.unwrap();
    assert!(forgotten.left.is_empty(), "{forgotten:?}");
    assert_eq!(total(&service, &topic, "trains", false).await, 0);
    // The number is free again, and nothing of the gone page comes back under it.
    let again =
        service
            .readings
            .take_reading(reading("bees", "http://read.test/3", "<p>Hives.</p>"));
    assert!(again.await.unwrap());
    assert_eq!(total(&service, &topic, "trains", false).await, 0);
    assert_eq!(total(&service, &topic, "", false).await, 2);

    // The last hour: copies made in it go, also of pages that are known from before.
    let now = clock::now() as u64;
    let mut later = reading("bees", PAGE, "<p>Bees, once more and otherwise.</p>");
    later.time = now;
    assert!(service.readings.take_reading(later).await.unwrap());
    let hour = Forget {
        visits_since: Some(now - 3_600_000),
        ..Forget::default()
    };
    service.deletion.forget(&hour).await.unwrap();
    let versions = service.library.versions(crawl, 1).await.unwrap();
    assert_eq!(versions.len(), 1, "{versions:?}");
    let archive = File::open(service.context.store.warc_path(crawl)).unwrap();
    let mut text = String::new();
    let mut unpacked = flate2::read::MultiGzDecoder::new(archive);
    std::io::Read::read_to_string(&mut unpacked, &mut text).unwrap();
    assert!(
        text.contains("honey and pollen") && !text.contains("otherwise"),
        "{text}"
    );

    service.crawls.hide_crawl(&row, true).await.unwrap();
    assert_eq!(service.readings.readings(&topic).await.unwrap(), []);
    assert_eq!(total(&service, &topic, "", false).await, 0);
    // Whoever has everything forgotten that was read means this, too.
    let all = Forget {
        every_click: true,
        ..Forget::default()
    };
    let archive = service.context.store.warc_path(crawl);
    assert!(archive.exists());
    service.deletion.forget(&all).await.unwrap();
    assert!(service.context.store.crawls(None).await.unwrap().is_empty() && !archive.exists());
    // What is read from now on is kept again.
    let new = service.readings.take_reading(reading("bees", PAGE, BEES));
    assert!(new.await.unwrap());
    let kept = service.readings.readings(&topic).await.unwrap()[0];
    assert!(kept.crawl != crawl && kept.pages == 1);
    // Removed, more kept, and brought back: all of it is in sight, and can be removed.
    let (row, _) = service.crawls.crawl(kept.crawl).await.unwrap();
    service.crawls.hide_crawl(&row, true).await.unwrap();
    let more = service
        .readings
        .take_reading(reading("bees", "http://read.test/9", BEES));
    assert!(more.await.unwrap());
    service.crawls.hide_crawl(&row, false).await.unwrap();
    assert_eq!(service.readings.readings(&topic).await.unwrap().len(), 2);
    assert_eq!(total(&service, &topic, "", false).await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_a_crawl_brought_too_is_the_crawls_item() {
    let folder = tempfile::tempdir().unwrap();
    let (service, topic, crawl) = crawled(folder.path()).await;
    let before = total(&service, &topic, "", true).await;
    let log = service.context.store.kept_after(crawl, 0, 1).await.unwrap();
    let page = &log[0].address;
    let taken =
        service
            .readings
            .take_reading(reading("bees", page, "<p>Shown as a member sees it.</p>"));
    assert!(taken.await.unwrap());
    assert_eq!(total(&service, &topic, "", true).await, before);
    assert_eq!(total(&service, &topic, "is:browsed", false).await, 0);
    // It is a version of the page all the same.
    assert_eq!(
        service
            .library
            .count_versions(crawl, log[0].number)
            .await
            .unwrap(),
        2
    );
    // The crawl's own log has nothing of it, and goes on.
    let (row, _) = service.crawls.crawl(crawl).await.unwrap();
    service.crawls.prepare_to_go_on(&row, 3).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_kept_is_refused_and_nothing_is_half() {
    let folder = tempfile::tempdir().unwrap();
    let (service, topic) = with_topic(folder.path()).await;
    let large = "x".repeat(LARGEST_READING + 1);
    for (topic, address, html) in [
        ("bees", "about:blank", BEES),
        ("bees", PAGE, large.as_str()),
        ("nobody", PAGE, BEES),
    ] {
        let refused = service
            .readings
            .take_reading(reading(topic, address, html))
            .await;
        assert!(refused.is_err(), "{topic} {address}");
    }
    assert_eq!(service.readings.readings(&topic).await.unwrap(), []);
    // What a crash left in the archive goes, and what is in the log stays.
    service
        .readings
        .take_reading(reading("bees", PAGE, BEES))
        .await
        .unwrap();
    let crawl = service.readings.readings(&topic).await.unwrap()[0].crawl;
    let path = service.context.store.warc_path(crawl);
    let whole = std::fs::metadata(&path).unwrap().len();
    let half = [std::fs::read(&path).unwrap(), b"half a record".to_vec()].concat();
    std::fs::write(&path, half).unwrap();
    let second = reading("bees", "http://read.test/2", "<p>Honey.</p>");
    service.readings.take_reading(second).await.unwrap();
    let rows = service.context.store.kept_after(crawl, 0, 9).await.unwrap();
    assert_eq!((rows.len(), rows[1].offset >= whole), (2, true));
    for row in rows {
        service.library.kept_page(crawl, row.number).await.unwrap();
    }
    // An archive that was cut short costs what was cut off, and nothing that comes after.
    let file = File::options().write(true).open(&path).unwrap();
    file.set_len(whole + 10).unwrap();
    let third = reading("bees", "http://read.test/4", "<p>Pollen.</p>");
    service.readings.take_reading(third).await.unwrap();
    let rows = service.context.store.kept_after(crawl, 0, 9).await.unwrap();
    let kept: Vec<&str> = rows.iter().map(|row| &*row.address).collect();
    assert_eq!(kept, [PAGE, "http://read.test/4"]);
    for row in rows {
        service.library.kept_page(crawl, row.number).await.unwrap();
    }
    // A removed topic keeps nothing more.
    let removed = EventKind::Remove {
        removed: true,
        for_good: false,
    };
    service
        .context
        .store
        .note(&topic, vec![removed])
        .await
        .unwrap();
    let refused = service
        .readings
        .take_reading(reading("bees", "http://read.test/3", BEES));
    assert!(refused.await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_begins_beside_it_as_if_it_were_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let (service, topic) = with_topic(folder.path()).await;
    service
        .readings
        .take_reading(reading("bees", PAGE, BEES))
        .await
        .unwrap();
    let new = Ordered::new(Starts::default(), 5);
    let crawl = service.crawls.prepare_crawl(&topic, &new).await.unwrap();
    let web = service
        .context
        .store
        .web_crawls(Some(topic.id))
        .await
        .unwrap();
    assert_eq!(web, [crawl]);
}
