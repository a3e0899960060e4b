//! What stands in a crawl's archive besides pages.

use linkscent_archive::warc::Reader;
use linkscent_core::wire::api::Forget;

use super::*;
use crate::crawler::fake_web::moved_web;

fn unpacked(stage: &Stage) -> String {
    let mut bytes = Vec::new();
    let file = File::open(stage.store.warc_path(stage.crawl.id)).unwrap();
    let mut unpacked = flate2::read::MultiGzDecoder::new(file);
    std::io::Read::read_to_end(&mut unpacked, &mut bytes).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn a_redirect_is_kept_with_its_exchange_and_forgotten_with_its_page() {
    let stage = Stage::new(10, moved_web);
    let (ended, stats) = stage.resume().unwrap().run(|_| {}).unwrap();
    assert_eq!(ended, Ended::Done(StopReason::FrontierEmpty));
    assert_eq!(stats.pages, 2);
    let archive = unpacked(&stage);
    for part in [
        "HTTP/1.1 301",
        "location: /new",
        "x-served-by: bees",
        "GET /old ",
    ] {
        assert!(archive.contains(part), "{part}: {archive}");
    }
    // The log replays as before: what was kept of a redirect is no page.
    let log = stage
        .runtime
        .block_on(stage.store.fetches(stage.crawl.id))
        .unwrap();
    let offsets: Vec<bool> = log
        .iter()
        .map(|row| row.place.warc_offset.is_some())
        .collect();
    assert_eq!(offsets, [true, false, true]);
    assert_eq!(log[1].place.redirect.as_deref(), Some("http://a.test/new"));
    let again = stage.resume().unwrap();
    assert_eq!(again.session().stats().pages, 2);
    drop(again);
    let kept = stage.store.kept_page(stage.crawl.id, "http://a.test/old");
    assert_eq!(stage.runtime.block_on(kept).unwrap(), None);

    let gone = Forget {
        pages: vec!["http://a.test/old".to_owned()],
        ..Forget::default()
    };
    let service = Services::new(stage.store.clone(), stage.way.clone());
    let forgotten = stage
        .runtime
        .block_on(service.deletion.forget(&gone))
        .unwrap();
    assert!(forgotten.left.is_empty(), "{forgotten:?}");
    let archive = unpacked(&stage);
    assert!(
        !archive.contains("x-served-by") && !archive.contains("GET /old "),
        "{archive}"
    );
    let path = stage.store.warc_path(stage.crawl.id);
    let page = Reader::response_at(
        &path,
        log[2].place.warc_offset.unwrap(),
        "http://a.test/new",
    );
    assert!(page.unwrap().html().contains("hives of bees"));
}

#[test]
fn a_redirect_is_forgotten_with_the_page_it_leads_to() {
    let stage = Stage::new(10, moved_web);
    stage.resume().unwrap().run(|_| {}).unwrap();
    let gone = Forget {
        pages: vec!["http://a.test/new".to_owned()],
        ..Forget::default()
    };
    let service = Services::new(stage.store.clone(), stage.way.clone());
    stage
        .runtime
        .block_on(service.deletion.forget(&gone))
        .unwrap();
    let archive = unpacked(&stage);
    assert!(!archive.contains("location: /new"), "{archive}");
    assert!(archive.contains("bees and hives"), "others stay");
}
