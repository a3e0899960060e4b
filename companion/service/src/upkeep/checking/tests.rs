use std::io::{Seek, SeekFrom, Write};

use super::*;
use crate::fixtures::crawled;

fn damage(path: &Path, at: u64) {
    let mut file = std::fs::File::options().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(at)).unwrap();
    file.write_all(&[0xFF; 40]).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_whole_has_no_faults_and_what_is_damaged_is_named_and_mended() {
    let folder = tempfile::tempdir().unwrap();
    let (service, topic, crawl) = crawled(folder.path()).await;
    let whole = service.upkeep.check(true, |_| {}).await.unwrap();
    assert_eq!((whole.crawls, whole.faults), (1, Vec::new()));
    let kept = service
        .context
        .store
        .kept_after(crawl, 0, 100)
        .await
        .unwrap();
    assert_eq!(whole.pages, kept.len() as u64);

    let archive = service.context.store.warc_path(crawl);
    damage(&archive, kept[3].offset + 30);
    std::fs::write(folder.path().join("crawl-77.warc.gz"), "odd").unwrap();
    service
        .context
        .store
        .set_model(topic.id, b"no model")
        .await
        .unwrap();
    let looked = service.upkeep.check(false, |_| {}).await.unwrap();
    let places: Vec<&str> = looked.faults.iter().map(|fault| &*fault.place).collect();
    let page = format!(
        "crawl {crawl}, request {}: {}",
        kept[3].number, kept[3].address
    );
    // What was written beside the program is open to others by the usual rights.
    let expected = [
        &*page,
        "the model of “bees”",
        "crawl-77.warc.gz",
        "crawl-77.warc.gz",
    ];
    assert_eq!(places, expected, "{looked:?}");
    assert!(!looked.is_well());
    assert_eq!(
        service.upkeep.check(false, |_| {}).await.unwrap(),
        looked,
        "nothing was changed"
    );

    let mended = service.upkeep.check(true, |_| {}).await.unwrap();
    let of = |place: &str| {
        let mut faults = mended.faults.iter().filter(|fault| fault.place == place);
        faults.next_back().unwrap().is_mended
    };
    assert!(of(&page) && of("crawl-77.warc.gz") && !of("the model of “bees”"));
    let left = service
        .context
        .store
        .kept_after(crawl, 0, 100)
        .await
        .unwrap();
    assert_eq!(left.len(), kept.len() - 1);
    let log = service.context.store.fetches(crawl).await.unwrap();
    let row = log.iter().find(|row| row.number == kept[3].number).unwrap();
    assert!(row.problem.starts_with(DAMAGED), "{row:?}");
    let after = service.upkeep.check(false, |_| {}).await.unwrap();
    assert!(after.faults.iter().all(|fault| fault.place != page));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_archive_that_is_cut_off_or_gone_costs_its_pages_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (service, _, crawl) = crawled(folder.path()).await;
    let kept = service
        .context
        .store
        .kept_after(crawl, 0, 100)
        .await
        .unwrap();
    let archive = service.context.store.warc_path(crawl);
    let file = std::fs::File::options().write(true).open(&archive).unwrap();
    file.set_len(kept[4].offset + 10).unwrap();
    let looked = service.upkeep.check(false, |_| {}).await.unwrap();
    assert_eq!(looked.faults.len(), kept.len() - 4, "{looked:?}");
    // While somebody runs the crawl nothing is put down in its place.
    let lock = service.context.store.lock_crawl(crawl).unwrap();
    assert!(!service.upkeep.check(true, |_| {}).await.unwrap().is_well());
    drop(lock);
    let length = service.crawls.crawl(crawl).await.unwrap().0.warc_length;
    assert!(service.upkeep.check(true, |_| {}).await.unwrap().is_well());
    assert!(
        service
            .upkeep
            .check(false, |_| {})
            .await
            .unwrap()
            .faults
            .is_empty()
    );
    // How much of the archive counts is for whoever goes on to say.
    assert_eq!(
        service.crawls.crawl(crawl).await.unwrap().0.warc_length,
        length
    );
    assert!(
        service
            .context
            .store
            .kept_after(crawl, 0, 100)
            .await
            .unwrap()
            .len()
            == 4
    );
    std::fs::remove_file(&archive).unwrap();
    let gone = service.upkeep.check(true, |_| {}).await.unwrap();
    assert_eq!(gone.faults.len(), 1, "{gone:?}");
    assert!(!gone.is_well() && gone.faults[0].remedy.contains("backup"));
}
