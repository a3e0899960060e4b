//! What a crawl reads and cuts off when it goes on, on the store in memory.

use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::fetch::Fetcher;
use super::runner::Runner;
use super::way::Way;
use crate::{NewCrawl, Services, Starts, is_held};
use linkscent_store::fixtures::{failed, fetched};
use linkscent_store::{Command, CrawlRow, CrawlState, Store};

const A: &str = "http://a.test/";
const B: &str = "http://b.test/";

/// A crawl from one page that rests, on an archive of 900 bytes that say nothing.
struct Resting {
    _folder: TempDir,
    runtime: Runtime,
    store: Store,
    crawl: CrawlRow,
}

impl Resting {
    fn new() -> Self {
        let folder = linkscent_store::fixtures::folder();
        let runtime = Runtime::new().unwrap();
        let store = runtime.block_on(Store::open(folder.path())).unwrap();
        let service = Services::new(store.clone(), Way::default());
        let starts = Starts {
            seeds: vec![A.to_owned()],
            ..Starts::default()
        };
        let crawl = runtime.block_on(async {
            let topic = service.topics.create_topic("bees", &[]).await.unwrap();
            let new = NewCrawl::new(starts, 10);
            let crawl = service.crawls.prepare_crawl(&topic, &new).await.unwrap();
            let paused = store.set_state(crawl.id, CrawlState::Paused, "drift");
            paused.await.unwrap();
            crawl
        });
        std::fs::write(store.warc_path(crawl.id), [7; 900]).unwrap();
        Self {
            _folder: folder,
            runtime,
            store,
            crawl,
        }
    }

    fn resume(&self, on_replay: impl FnMut(usize, usize)) -> anyhow::Result<Runner> {
        let (store, handle) = (self.store.clone(), self.runtime.handle().clone());
        let fetcher = Fetcher::new(Way::default())?;
        Runner::resume(store, self.crawl.clone(), fetcher, handle, on_replay)
    }
}

#[test]
fn a_crawl_goes_on_behind_its_log() {
    let resting = Resting::new();
    let (store, id) = (&resting.store, resting.crawl.id);
    let mut moved = failed(2, B);
    moved.1.redirect = Some("http://c.test/".to_owned());
    resting.runtime.block_on(async {
        let log = [failed(1, A), moved];
        store.take_fetches(id, 500, &log).await.unwrap();
        // What it was told while it rested was done at once.
        store.leave_command(id, &Command::Stop).await.unwrap();
    });
    let mut replayed = Vec::new();
    let runner = resting.resume(|told, all| replayed.push((told, all)));
    let runner = runner.unwrap();
    assert_eq!(replayed, [(1, 2), (2, 2)]);
    let stats = runner.session().stats();
    assert_eq!((stats.pages, stats.other), (0, 2));
    let archive = std::fs::metadata(store.warc_path(id)).unwrap();
    assert_eq!(archive.len(), 500, "what was not acknowledged is cut off");
    let (row, commands) = resting.runtime.block_on(async {
        let row = store.crawl(id).await.unwrap().unwrap();
        (row, store.take_commands(id).await.unwrap())
    });
    assert_eq!((row.state, &*row.stop_reason), (CrawlState::Running, ""));
    assert!(commands.is_empty());

    let second = resting.resume(|_, _| {}).err().unwrap();
    assert!(is_held(&second), "{second:#}");
    drop(runner);
    assert!(!store.is_locked(id));
    resting.resume(|_, _| {}).unwrap();
}

#[test]
fn a_request_of_the_log_is_not_made_again() {
    let resting = Resting::new();
    let waiting = || {
        let runner = resting.resume(|_, _| {}).unwrap();
        runner.session().frontier().len()
    };
    assert_eq!(waiting(), 1);
    let log = [failed(1, A)];
    let take = resting.store.take_fetches(resting.crawl.id, 0, &log);
    resting.runtime.block_on(take).unwrap();
    assert_eq!(waiting(), 0);
}

#[test]
fn a_page_that_cannot_be_read_is_asked_for_again() {
    let resting = Resting::new();
    let (store, crawl) = (&resting.store, &resting.crawl);
    let mut page = fetched(1, A, 0.9);
    page.1.warc_offset = Some(100);
    let take = store.take_fetches(crawl.id, 800, std::slice::from_ref(&page));
    resting.runtime.block_on(take).unwrap();
    let runner = resting.resume(|_, _| {}).unwrap();
    assert_eq!(runner.session().frontier().len(), 1);
    drop(runner);
    resting.runtime.block_on(async {
        assert_eq!(store.counts(crawl.id).await.unwrap(), (0, 0, 0, 1));
        let row = &store.fetches(crawl.id).await.unwrap()[0];
        assert_eq!(row.place.warc_offset, None);
        assert!(row.problem.contains("damaged"), "{}", row.problem);
        let notices = store.notices(crawl.topic, Some(crawl.id)).await.unwrap();
        assert!(notices[0].contains("request 1"), "{notices:?}");
    });
    // It is asked for again whenever the crawl goes on, until it came.
    let again = resting.resume(|_, _| {}).unwrap();
    assert_eq!(again.session().frontier().len(), 1);
}
