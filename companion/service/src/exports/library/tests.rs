use std::path::PathBuf;
use std::sync::Mutex;

use super::*;

use crate::Services;
use crate::crawler::fake_web::{moved_web, web_about};
use crate::crawler::way::Way;
use crate::fixtures::crawled_on;

async fn crawled(folder: &std::path::Path, way: Way, start: &str) -> (Services, Topic) {
    let (service, topic, _) = crawled_on(folder, way, start).await;
    service.library.catch_up(|_| {}).await.unwrap();
    (service, topic)
}

fn all() -> LibraryQuery {
    LibraryQuery {
        all: true,
        ..LibraryQuery::default()
    }
}

/// What was written of all pages, in parts of at least that many bytes.
async fn parts(
    service: &Services,
    topic: &Topic,
    name: &str,
    size: u64,
    folder: &std::path::Path,
) -> (u64, Vec<PathBuf>) {
    let folder = tempfile::tempdir_in(folder).unwrap().keep();
    let format = Format::named(name).unwrap();
    let made: Arc<Mutex<Vec<PathBuf>>> = Arc::default();
    let begun = made.clone();
    let to = Destination::Parts {
        size,
        open: Box::new(move || {
            let mut made = begun.lock().unwrap();
            let path = folder.join(format!("{}.warc.gz", made.len()));
            let file = std::fs::File::create(&path)?;
            made.push(path);
            Ok(Box::new(file))
        }),
    };
    let query = all();
    let pages = service
        .exports
        .take_out(Some(topic), &query, format, to, |_| {});
    let pages = pages.await.unwrap();
    let made = made.lock().unwrap().clone();
    (pages, made)
}

fn responses(path: &std::path::Path) -> Vec<String> {
    let records = Reader::open(path).unwrap().map(Result::unwrap);
    let responses = records.filter(|record| record.kind == "response");
    responses.map(|record| record.target).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_archive_is_cut_between_pages() {
    let folder = tempfile::tempdir().unwrap();
    let way = web_about(|_| "bees in the hive").await;
    let (service, topic) = crawled(folder.path(), way, "http://host0.test/1").await;
    let (pages, whole) = parts(&service, &topic, "warc", u64::MAX, folder.path()).await;
    assert_eq!((whole.len(), responses(&whole[0]).len() as u64), (1, pages));
    assert!(pages > 5, "{pages}");
    let size = std::fs::metadata(&whole[0]).unwrap().len() / 3;
    let (again, cut) = parts(&service, &topic, "warc", size, folder.path()).await;
    assert_eq!(again, pages);
    assert!((2..=4).contains(&cut.len()), "{}", cut.len());
    let (before, last) = cut.split_at(cut.len() - 1);
    for part in before {
        assert!(std::fs::metadata(part).unwrap().len() >= size);
    }
    assert!(!responses(&last[0]).is_empty());
    let of_parts: Vec<String> = cut.iter().flat_map(|part| responses(part)).collect();
    assert_eq!(of_parts, responses(&whole[0]));
    let kinds = Reader::open(&last[0])
        .unwrap()
        .map(|record| record.unwrap().kind);
    assert_eq!(kinds.take(1).collect::<Vec<_>>(), ["warcinfo"]);
    // A table is one file.
    assert_eq!(
        parts(&service, &topic, "csv", 10, folder.path())
            .await
            .1
            .len(),
        1
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_redirects_that_led_to_a_page_go_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let (service, topic) = crawled(folder.path(), moved_web().await, "http://a.test/1").await;
    let (pages, files) = parts(&service, &topic, "warc", u64::MAX, folder.path()).await;
    assert_eq!(pages, 2);
    let mut written = responses(&files[0]);
    let page = written.iter().position(|page| page == "http://a.test/new");
    assert_eq!(written[page.unwrap() - 1], "http://a.test/old");
    written.sort();
    let expected = ["http://a.test/1", "http://a.test/new", "http://a.test/old"];
    assert_eq!(written, expected);
}
