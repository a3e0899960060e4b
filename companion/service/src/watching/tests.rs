use std::sync::atomic::Ordering;

use linkscent_archive::warc::Reader;

use super::*;
use crate::LibraryQuery;

use crate::Services;
use crate::crawler::fake_web::changing_web;
use crate::crawler::way::Way;
use linkscent_store::{CrawlState, Store};

fn look(crawl: i64, page: u8, time: i64) -> LookRow {
    LookRow {
        crawl,
        is_recrawl: crawl > 1,
        address: format!("http://a.test/{page}"),
        from: None,
        time,
        came: true,
        is_target: false,
    }
}

#[test]
fn what_requests_tell_of_pages() {
    let from = |page: u8, mut look: LookRow| {
        look.from = Some(format!("http://a.test/{page}"));
        look.is_target = true;
        look
    };
    let unchanged = LookRow {
        came: false,
        ..look(2, 1, 300)
    };
    let looks = [
        look(1, 1, 100),
        from(1, look(1, 2, 110)),
        from(1, look(1, 3, 120)),
        unchanged,
        look(3, 1, 500),
        from(1, look(3, 4, 510)),
        from(9, look(3, 5, 520)),
    ];
    let pages = watched(&looks);
    assert_eq!(pages.len(), 5);
    let first = Watched {
        last: 500,
        span: 400,
        looks: 2,
        changes: 1,
        news: 1,
        led_to: 2,
        ..pages[0].clone()
    };
    assert_eq!(pages[0], first);
    assert_eq!(pages[1], Watched::new(pages[1].address.clone(), 110, 0));
}

fn unpacked(archive: &std::path::Path) -> String {
    let mut bytes = Vec::new();
    let file = std::fs::File::open(archive).unwrap();
    let mut unpacked = flate2::read::MultiGzDecoder::new(file);
    std::io::Read::read_to_end(&mut unpacked, &mut bytes).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

async fn ended(service: &Services, crawl: i64) {
    let mut changes = service.context.supervisor.changes();
    loop {
        let row = service.crawls.crawl(crawl).await.unwrap().0;
        if row.state == CrawlState::Done && !service.context.store.is_locked(crawl) {
            return;
        }
        changes.changed().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
#[expect(clippy::too_many_lines, reason = "it is a list of cases")]
async fn a_round_asks_for_what_may_have_changed_and_follows_what_came() {
    let folder = tempfile::tempdir().unwrap();
    let (way, web) = changing_web().await;
    web.listed.store(3, Ordering::SeqCst);
    let service = Services::new(Store::open(folder.path()).await.unwrap(), way);
    let start = "http://a.test/1".to_owned();
    let topic = service
        .topics
        .create_topic("bees", std::slice::from_ref(&start))
        .await
        .unwrap();
    let nothing = service.watching.prepare_recrawl(&topic, 20).await.unwrap();
    assert_eq!(nothing, None, "nothing is known yet");
    let first = NewCrawl::new(Starts::default(), 60);
    let first = service.crawls.begin_crawl(&topic, &first).await.unwrap();
    ended(&service, first.id).await;
    assert_eq!(
        service.context.store.looks(topic.id).await.unwrap().len(),
        25
    );
    service.library.catch_up(|_| {}).await.unwrap();
    service.library.saw_finds(Some(&topic)).await.unwrap();

    // What the crawl left out meanwhile is no recrawl's either.
    let leave_out = async |is_left_out| {
        let left = service
            .context
            .store
            .leave_out(first.id, "a.test", is_left_out);
        left.await.unwrap();
    };
    leave_out(true).await;
    let nothing = service.watching.prepare_recrawl(&topic, 20).await.unwrap();
    assert_eq!(nothing, None, "every page lies there");
    leave_out(false).await;

    // What was said is kept as it was said.
    let still = ["http://a.test/still1".to_owned()];
    let copy = service
        .context
        .store
        .copies(topic.id, &still)
        .await
        .unwrap()
        .remove(0);
    let row = service
        .library
        .kept_row(copy.crawl, copy.number)
        .await
        .unwrap();
    let archive = service.context.store.warc_path(copy.crawl);
    let kept = Reader::exchange_at(&archive, row.offset, &row.address).unwrap();
    assert_eq!(kept.header("etag").as_deref(), Some("\"one\""));
    let request = kept.exchange.request.unwrap();
    assert_eq!((&*request.method, &*request.target), ("GET", "/still1"));
    assert!(
        request
            .headers
            .contains(&("host".to_owned(), b"a.test".to_vec()))
    );

    let (first_date, first_archive) = (kept.date, archive);

    web.listed.store(5, Ordering::SeqCst);
    web.asked.lock().unwrap().clear();
    let round = service
        .watching
        .begin_recrawl(&topic, 60)
        .await
        .unwrap()
        .unwrap();
    ended(&service, round.id).await;
    let asked = web.asked.lock().unwrap().clone();
    let pages: Vec<&(String, bool)> = asked
        .iter()
        .filter(|page| page.0 != "/robots.txt")
        .collect();
    assert!(pages.contains(&&("/list".to_owned(), false)), "{asked:?}");
    for page in ["/bee4", "/bee5"] {
        assert!(pages.contains(&&(page.to_owned(), false)), "{asked:?}");
    }
    assert!(
        pages.iter().any(|page| page.1),
        "some are asked conditionally: {asked:?}"
    );
    // The archive says of a page that is as it was where it was fetched.
    let archive = unpacked(&service.context.store.warc_path(round.id));
    let revisits = archive.matches("WARC-Type: revisit").count();
    assert_eq!(revisits, pages.iter().filter(|page| page.1).count());
    assert!(archive.contains("HTTP/1.1 304"), "{archive}");
    let of = unpacked(&first_archive);
    let mut dates = archive.lines();
    let refers = dates.find_map(|line| line.strip_prefix("WARC-Refers-To-Date: "));
    let refers = refers.unwrap().trim();
    assert!(
        of.contains(&format!("WARC-Date: {refers}")),
        "{refers} is not {first_date}"
    );
    let seeds: Vec<&str> = round
        .order
        .seeds
        .iter()
        .filter_map(|seed| seed.0.strip_prefix("http://a.test"))
        .collect();
    assert!(seeds.len() < 20, "{seeds:?}");
    for (page, _) in &pages {
        let is_new = ["/bee4", "/bee5"].contains(&&**page);
        assert!(
            is_new || seeds.contains(&&**page),
            "{page} is known: {asked:?}"
        );
    }
    let mut once: Vec<&str> = pages.iter().map(|page| &*page.0).collect();
    once.sort_unstable();
    once.dedup();
    assert_eq!(
        once.len(),
        pages.len(),
        "nothing is asked for twice: {asked:?}"
    );

    service.library.catch_up(|_| {}).await.unwrap();
    let new = LibraryQuery {
        new: true,
        most: 50,
        ..LibraryQuery::default()
    };
    let new = service.library.search(Some(&topic), &new).await.unwrap();
    let mut titles: Vec<&str> = new.pages.iter().map(|page| &*page.title).collect();
    titles.sort_unstable();
    assert_eq!(titles, ["/bee4", "/bee5"]);
    assert_eq!(new.pages[0].path, ["http://a.test/list"]);

    // It is known now that the list brought two, and the others nothing.
    let pages = watched(&service.context.store.looks(topic.id).await.unwrap());
    let list = pages
        .iter()
        .find(|page| page.address.as_str().ends_with("/list"));
    let list = list.unwrap();
    assert_eq!((list.looks, list.changes, list.news), (1, 1, 2));
    let still = pages
        .iter()
        .find(|page| page.address.as_str().contains("still"));
    assert_eq!(still.unwrap().changes, 0);
}

#[tokio::test]
async fn a_topic_stands_within_bounds_and_its_feed_is_a_secret() {
    let folder = linkscent_store::fixtures::folder();
    let service = Services::new(Store::open(folder.path()).await.unwrap(), Way::default());
    let topic = service.topics.create_topic("bees", &[]).await.unwrap();
    let day = Duration::from_hours(24);
    for (every, requests) in [
        (Duration::from_secs(59), 10),
        (day * 91, 10),
        (day, 0),
        (day, MOST_REQUESTS + 1),
    ] {
        let refused = service.watching.stand(&topic, every, requests).await;
        assert!(matches!(refused, Err(ServiceError::Refused(_))));
    }
    assert_eq!(service.watching.standing(&topic).await.unwrap(), None);
    let before = clock::now();
    let standing = service.watching.stand(&topic, day, 50).await.unwrap();
    assert!(standing.due >= before + 86_400_000);
    let again = service.watching.stand(&topic, day * 2, 60).await.unwrap();
    assert_eq!(again.feed, standing.feed, "who reads it goes on reading it");
    assert_eq!(
        service.exports.feed(&again.feed).await.unwrap().0.id,
        topic.id
    );
    for wrong in ["", "x", &again.feed[1..]] {
        assert!(service.exports.feed(wrong).await.is_err());
    }
    service.watching.rest(&topic).await.unwrap();
    assert!(service.exports.feed(&again.feed).await.is_err());
}
