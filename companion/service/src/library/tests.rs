use linkscent_core::wire::api::Forget;

use std::sync::Mutex;

use super::*;

use crate::Services;
use crate::crawler::way::Way;
use crate::fixtures::{crawled, words};

#[tokio::test(flavor = "multi_thread")]
async fn what_a_crawl_kept_is_found_by_words_with_its_way() {
    let folder = tempfile::tempdir().unwrap();
    let (service, topic, crawl) = crawled(folder.path()).await;
    let kept = service
        .context
        .store
        .kept_after(crawl, 0, 100)
        .await
        .unwrap();
    assert!(kept.len() > 5, "{kept:?}");
    let nothing = service
        .library
        .search(Some(&topic), &words("honey"))
        .await
        .unwrap();
    assert_eq!(nothing.total, 0, "nothing was taken in yet");
    let told = Mutex::new(Vec::new());
    let taken = service
        .library
        .catch_up(|so_far| told.lock().unwrap().push(so_far));
    assert_eq!(taken.await.unwrap(), kept.len() as u64);
    assert_eq!(told.into_inner().unwrap(), [kept.len() as u64]);
    assert_eq!(service.library.catch_up(|_| {}).await.unwrap(), 0);

    let found = service
        .library
        .search(Some(&topic), &words("honey"))
        .await
        .unwrap();
    let trains = service
        .library
        .search(None, &words("trains"))
        .await
        .unwrap();
    assert_eq!(found.total + trains.total, kept.len());
    assert!(found.total > 0 && trains.total > 0);
    let page = &found.pages[0];
    assert_eq!((&*page.topic, page.crawl), ("bees", crawl));
    let marked: Vec<&str> = page
        .snippet
        .iter()
        .filter(|piece| piece.is_match)
        .map(|piece| &*piece.text)
        .collect();
    assert_eq!(marked, ["Honey"]);
    let far = found.pages.iter().find(|page| !page.path.is_empty());
    assert_eq!(far.unwrap().path[0], "http://host0.test/1");

    // The page that the crawl began with is known to whoever named it.
    let new = found.pages.iter().find(|page| page.path.is_empty());
    assert!(!new.unwrap().is_new);
    assert!(found.pages.iter().any(|page| page.is_new));

    // Finds alone are those that the crawl takes for the topic.
    let finds = LibraryQuery {
        all: false,
        ..words("")
    };
    let finds = service.library.search(Some(&topic), &finds).await.unwrap();
    let best = service
        .context
        .store
        .best_results(crawl, 100, 0)
        .await
        .unwrap();
    assert!(finds.total >= best.len() && finds.total < kept.len());
    let mark = found.pages[0].address.clone();
    let row = service.crawls.crawl(crawl).await.unwrap().0;
    let marking = service.crawls.mark_result(&row, &topic, &mark, Some(false));
    marking.await.unwrap();
    let found = service
        .library
        .search(Some(&topic), &words("honey"))
        .await
        .unwrap();
    let page = found.pages.iter().find(|page| page.address == mark);
    assert_eq!(page.unwrap().mark, Some(false));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_forgotten_or_deleted_is_in_no_index() {
    let folder = tempfile::tempdir().unwrap();
    let (service, topic, crawl) = crawled(folder.path()).await;
    service.library.catch_up(|_| {}).await.unwrap();
    let all = service
        .library
        .search(Some(&topic), &words(""))
        .await
        .unwrap();
    let gone = all.pages[0].address.clone();
    // Another process has the index open.
    let store = Store::open(folder.path()).await.unwrap();
    let other = Services::new(store, Way::default());
    let seen = other
        .library
        .search(Some(&topic), &words(""))
        .await
        .unwrap();
    assert_eq!(seen.total, all.total);

    let asked = Forget {
        pages: vec![gone.clone()],
        ..Forget::default()
    };
    let forgotten = service.deletion.forget(&asked).await.unwrap();
    assert!(forgotten.left.is_empty(), "{forgotten:?}");
    assert!(!folder.path().join("library/meta.json").exists());
    service.library.catch_up(|_| {}).await.unwrap();
    for service in [&service, &other] {
        let left = service
            .library
            .search(Some(&topic), &words(""))
            .await
            .unwrap();
        assert_eq!(left.total, all.total - 1);
        assert!(left.pages.iter().all(|page| page.address != gone));
    }

    let row = service.crawls.crawl(crawl).await.unwrap().0;
    service.crawls.hide_crawl(&row, true).await.unwrap();
    let hidden = service.library.search(None, &words("")).await.unwrap();
    assert_eq!(hidden.total, 0);
    service.deletion.delete_crawl(&row).await.unwrap();
    assert!(!folder.path().join("library/meta.json").exists());
    assert_eq!(service.library.catch_up(|_| {}).await.unwrap(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_that_no_search_can_read_is_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let (service, topic, _) = crawled(folder.path()).await;
    let taken = service.library.catch_up(|_| {}).await.unwrap();
    assert!(service.library.index_faults().await.unwrap().is_empty());
    let files = std::fs::read_dir(folder.path().join("library")).unwrap();
    let mut files = files.map(|file| file.unwrap().path());
    let columns = files.find(|file| file.extension().is_some_and(|end| end == "fast"));
    let columns = columns.unwrap();
    let mut bytes = std::fs::read(&columns).unwrap();
    // Its end, by which files are known, stays.
    let end = bytes.len() * 3 / 4;
    bytes[..end].fill(0);
    std::fs::write(&columns, bytes).unwrap();
    let store = Store::open(folder.path()).await.unwrap();
    let again = Services::new(store, Way::default());
    let faults = again.library.index_faults().await.unwrap();
    assert!(faults[0].problem.contains(".fast is damaged"), "{faults:?}");
    let refused = again
        .library
        .search(Some(&topic), &words(""))
        .await
        .unwrap_err();
    assert!(refused.to_string().contains("was damaged"), "{refused}");
    assert_eq!(again.library.catch_up(|_| {}).await.unwrap(), taken);
    let found = again
        .library
        .search(Some(&topic), &words(""))
        .await
        .unwrap();
    assert_eq!(found.total as u64, taken);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_that_is_damaged_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let (service, topic, _) = crawled(folder.path()).await;
    let taken = service.library.catch_up(|_| {}).await.unwrap();
    std::fs::write(folder.path().join("library/meta.json"), "{").unwrap();
    let store = Store::open(folder.path()).await.unwrap();
    let again = Services::new(store, Way::default());
    assert_eq!(again.library.catch_up(|_| {}).await.unwrap(), taken);
    let found = again
        .library
        .search(Some(&topic), &words(""))
        .await
        .unwrap();
    assert_eq!(found.total as u64, taken);
}
