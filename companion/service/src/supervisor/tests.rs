//! What a supervisor promises. Crawls go through a proxy that answers nothing, so one
//! that was started runs until it is told otherwise; another process is whoever else
//! holds a crawl's lock.

use std::net::TcpListener;

use linkscent_core::crawl::CrawlSpec;
use linkscent_core::topic_model::TopicModel;
use linkscent_core::wire::write_model;
use tempfile::TempDir;

use super::*;
use crate::crawler::fake_web::silent_web;
use linkscent_store::CrawlKind;
use linkscent_store::{NewCrawl, Order};

struct Stage {
    store: Store,
    supervisor: Supervisor,
    topic: i64,
    _silent: TcpListener,
    _folder: TempDir,
}

impl Stage {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let (silent, way) = silent_web();
        Self {
            supervisor: Supervisor::new(store.clone(), way),
            topic: store.topic_named("bees").await.unwrap().id,
            store,
            _silent: silent,
            _folder: folder,
        }
    }

    /// A crawl from there, in the state that crawls begin in, and not run by anybody.
    async fn begin(&self, seed: &str) -> i64 {
        let order = Order {
            spec: CrawlSpec {
                delay: Some(0),
                ..CrawlSpec::new(10)
            },
            seeds: vec![(seed.to_owned(), true)],
            kind: CrawlKind::Usual,
        };
        let topic_model = TopicModel::new("topic", "best-first").unwrap();
        let new = NewCrawl {
            topic: self.topic,
            order: &order,
            start_model: &write_model(&topic_model.knowledge()).unwrap(),
        };
        self.store.begin_crawl(&new).await.unwrap()
    }

    async fn row(&self, id: i64) -> CrawlRow {
        self.store.crawl(id).await.unwrap().unwrap()
    }

    async fn run_by(&self, id: i64) -> Option<RunBy> {
        self.supervisor.run_by(&self.row(id).await)
    }

    /// Waits until a crawl does not run here any more.
    async fn rest(&self, id: i64) {
        let mut changes = self.supervisor.changes();
        while self.run_by(id).await == Some(RunBy::Us) {
            changes.changed().await.unwrap();
        }
    }
}

const SEED: &str = "http://a.test/";

#[tokio::test(flavor = "multi_thread")]
async fn who_runs_a_crawl_is_told_by_its_lock_and_its_state() {
    let stage = Stage::new().await;
    let id = stage.begin(SEED).await;
    assert_eq!(stage.run_by(id).await, Some(RunBy::Nobody));
    let lock = stage.store.lock_crawl(id).unwrap();
    assert_eq!(stage.run_by(id).await, Some(RunBy::Another));
    drop(lock);
    let paused = stage.store.set_state(id, CrawlState::Paused, "");
    paused.await.unwrap();
    assert_eq!(stage.run_by(id).await, None);
    stage.supervisor.resume(id).await.unwrap();
    assert_eq!(stage.run_by(id).await, Some(RunBy::Us));
    assert!(stage.supervisor.send(id, Command::Stop).await.unwrap());
    stage.rest(id).await;
    assert_eq!(stage.run_by(id).await, None);
    assert_eq!(stage.row(id).await.state, CrawlState::Stopped);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_is_told_things_wherever_it_runs() {
    let stage = Stage::new().await;
    let id = stage.begin(SEED).await;
    let told = stage.supervisor.send(id, Command::Pause).await.unwrap();
    assert!(!told, "nobody runs it");
    let waiting = stage.store.take_commands(id).await.unwrap();
    assert!(waiting.is_empty(), "{waiting:?}");
    // Another process is left a word.
    let lock = stage.store.lock_crawl(id).unwrap();
    assert!(stage.supervisor.send(id, Command::Pause).await.unwrap());
    let waiting = stage.store.take_commands(id).await.unwrap();
    assert!(matches!(waiting[..], [Command::Pause]), "{waiting:?}");
    drop(lock);
    // Here it hears it, even before it has begun.
    stage.supervisor.start(id);
    assert!(stage.supervisor.send(id, Command::Pause).await.unwrap());
    stage.rest(id).await;
    assert_eq!(stage.row(id).await.state, CrawlState::Paused);
    assert!(stage.store.take_commands(id).await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_restart_only_what_ran_and_nobody_runs_goes_on() {
    let stage = Stage::new().await;
    let ran = stage.begin(SEED).await;
    let paused = stage.begin(SEED).await;
    let elsewhere = stage.begin(SEED).await;
    let pause = stage.store.set_state(paused, CrawlState::Paused, "");
    pause.await.unwrap();
    let lock = stage.store.lock_crawl(elsewhere).unwrap();
    stage.supervisor.resume_all().await.unwrap();
    assert_eq!(stage.run_by(ran).await, Some(RunBy::Us));
    assert_eq!(stage.run_by(paused).await, None);
    assert_eq!(stage.run_by(elsewhere).await, Some(RunBy::Another));
    // What runs elsewhere is not resumed here either.
    stage.supervisor.resume(elsewhere).await.unwrap();
    assert_eq!(stage.run_by(elsewhere).await, Some(RunBy::Another));
    drop(lock);
    stage.supervisor.send(ran, Command::Stop).await.unwrap();
    stage.rest(ran).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_that_turns_out_to_run_elsewhere_is_left_to_it() {
    let stage = Stage::new().await;
    let id = stage.begin(SEED).await;
    let lock = stage.store.lock_crawl(id).unwrap();
    stage.supervisor.start(id);
    stage.rest(id).await;
    let row = stage.row(id).await;
    assert_eq!((row.state, &*row.stop_reason), (CrawlState::Running, ""));
    assert_eq!(stage.run_by(id).await, Some(RunBy::Another));
    drop(lock);
    // What it was told meanwhile is handed over.
    let told = vec![Command::Stop, Command::Pause];
    let entry = Entry {
        control: None,
        waiting: told,
        rendered: Vec::new(),
    };
    stage.supervisor.lock().insert(id, entry);
    let (this, handle) = (stage.supervisor.clone(), Handle::current());
    let leave = tokio::task::spawn_blocking(move || this.leave_to_another(id, &handle));
    leave.await.unwrap();
    let left = stage.store.take_commands(id).await.unwrap();
    assert!(
        matches!(left[..], [Command::Stop, Command::Pause]),
        "{left:?}"
    );
    assert_eq!(stage.run_by(id).await, Some(RunBy::Nobody));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_that_fails_is_paused_and_says_why() {
    let stage = Stage::new().await;
    let id = stage.begin("no address").await;
    stage.supervisor.start(id);
    stage.rest(id).await;
    let row = stage.row(id).await;
    assert_eq!(row.state, CrawlState::Paused);
    let reason = &row.stop_reason;
    assert!(reason.contains(&format!("crawl {id}: ")), "{reason}");
    assert_eq!(stage.run_by(id).await, None);
    // One that is not there harms nobody.
    stage.supervisor.start(99);
    let mut changes = stage.supervisor.changes();
    while stage.supervisor.lock().contains_key(&99) {
        changes.changed().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_resumed_before_it_has_left_goes_on() {
    let stage = Stage::new().await;
    let id = stage.begin(SEED).await;
    let entry = || Entry {
        control: None,
        waiting: Vec::new(),
        rendered: Vec::new(),
    };
    stage.supervisor.lock().insert(id, entry());
    let leave = async |failed| {
        let (this, handle) = (stage.supervisor.clone(), Handle::current());
        let leave = tokio::task::spawn_blocking(move || this.leave(id, failed, &handle));
        leave.await.unwrap()
    };
    assert!(!leave(false).await, "its state is running: it was resumed");
    assert_eq!(stage.run_by(id).await, Some(RunBy::Us));
    assert!(leave(true).await, "one that failed waits to be resumed");
    stage.supervisor.lock().insert(id, entry());
    let paused = stage.store.set_state(id, CrawlState::Paused, "");
    paused.await.unwrap();
    assert!(leave(false).await, "it rests");
    assert_eq!(stage.run_by(id).await, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_that_runs_is_not_started_twice() {
    let stage = Stage::new().await;
    let id = stage.begin(SEED).await;
    stage.supervisor.start(id);
    let mut changes = stage.supervisor.changes();
    stage.supervisor.start(id);
    stage.supervisor.send(id, Command::Pause).await.unwrap();
    stage.rest(id).await;
    // A second runner would have found the lock held, and said so in the state.
    let row = stage.row(id).await;
    assert_eq!((row.state, &*row.stop_reason), (CrawlState::Paused, ""));
    assert!(!stage.store.is_locked(id));
    assert!(*changes.borrow_and_update() > 0, "screens heard of it");
}
