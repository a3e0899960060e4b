//! What a runner promises, on webs that a proxy on loopback makes up.

use std::collections::HashSet;
use std::fs::File;
use std::io::Write;

use linkscent_core::crawl::{CrawlDelay, Robots};
use linkscent_core::web_graph::Mark;
use linkscent_core::wire::api::{Event, EventKind};
use linkscent_core::wire::read_model;
use tempfile::TempDir;
use tokio::runtime::Runtime;

mod classes;
mod judging;
mod keeping;
mod requests;
mod saving;

use super::*;
use crate::crawler::delete_checkpoint;
use crate::crawler::fake_web::{endless_web, no_web, silent_web};
use crate::crawler::fetch::Fetcher;
use crate::crawler::reply::{Answered, Reply};
use crate::crawler::way::Way;
use crate::learning::hop_training::{self, DistanceModel};
use crate::{NewCrawl, Services, Starts};
use linkscent_store::{LockError, Topic};

const START: &str = "http://a.test/1";
/// More pages than a test waits for.
const ENDLESS: u64 = 100_000;

/// A topic and a crawl of it. A runner blocks, so tests run outside the runtime.
struct Stage {
    runtime: Runtime,
    store: Store,
    way: Way,
    topic: Topic,
    crawl: CrawlRow,
    _folder: TempDir,
}

impl Stage {
    fn new(budget: u64, way: impl AsyncFnOnce() -> Way) -> Self {
        Self::by(None, budget, way)
    }

    /// By a model that is trained first, if one is given.
    fn by(model: Option<DistanceModel>, budget: u64, way: impl AsyncFnOnce() -> Way) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let runtime = Runtime::new().unwrap();
        let (store, way, topic, crawl) = runtime.block_on(async {
            let way = way().await;
            let store = Store::open(folder.path()).await.unwrap();
            let topic = store.topic_named("bees").await.unwrap();
            let service = Services::new(store.clone(), way.clone());
            let starts = Starts {
                examples: vec![START.to_owned()],
                ..Starts::default()
            };
            let mut new = NewCrawl::new(starts, budget);
            if let Some(model) = model {
                train_first(&store, &topic, model).await;
                new.strategy = Some(model.strategy().to_owned());
            }
            let crawl = service.crawls.prepare_crawl(&topic, &new).await.unwrap();
            (store, way, topic, crawl)
        });
        Self {
            runtime,
            store,
            way,
            topic,
            crawl,
            _folder: folder,
        }
    }

    fn resume(&self) -> Result<Runner> {
        self.resume_hearing(|_, _| {})
    }

    fn resume_hearing(&self, on_replay: impl FnMut(usize, usize)) -> Result<Runner> {
        let (store, crawl) = (self.store.clone(), self.crawl.clone());
        let fetcher = Fetcher::new(self.way.clone())?;
        let handle = self.runtime.handle().clone();
        Runner::resume(store, crawl, fetcher, handle, on_replay)
    }

    /// Runs the crawl until it has fetched something, then tells it that.
    fn run_a_little(&self, command: fn() -> Command) -> (Ended, CrawlStats) {
        let runner = self.resume().unwrap();
        let control = runner.control();
        let tell = |progress: &Progress| {
            if progress.stats.pages > 0 {
                control.send(command());
            }
        };
        runner.run(tell).unwrap()
    }

    fn say(&self, what: EventKind) {
        let said = self.store.note(&self.topic, vec![what]);
        self.runtime.block_on(said).unwrap();
    }

    fn row(&self) -> CrawlRow {
        let row = self.store.crawl(self.crawl.id);
        self.runtime.block_on(row).unwrap().unwrap()
    }

    fn log(&self) -> Vec<String> {
        let log = self.store.fetches(self.crawl.id);
        let log = self.runtime.block_on(log).unwrap();
        log.into_iter().map(|row| row.address).collect()
    }

    fn leave(&self, command: &Command) {
        let leave = self.store.leave_command(self.crawl.id, command);
        self.runtime.block_on(leave).unwrap();
    }
}

fn start() -> Address {
    Address::parse(START).unwrap()
}

/// The page that is asked for next.
fn next_page(runner: &mut Runner) -> Address {
    loop {
        match runner.session.next(runner.now()) {
            Next::Fetch(fetch) => break fetch.address,
            Next::Robots(host) => runner.session.robots(&host, Robots::allow_all()),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn another_delay_reaches_a_crawl_that_runs() {
    let stage = Stage::new(5, endless_web);
    let mut runner = stage.resume().unwrap();
    let set = stage.store.set_delay(stage.crawl.id, 250);
    stage.runtime.block_on(set).unwrap();
    assert!(
        runner
            .handle(Message::Told(Command::Order))
            .unwrap()
            .is_none()
    );
    assert_eq!(runner.session.turns().delay(), 250);
    assert_eq!(runner.session.turns().delay_of("host0.test"), 250);
}

#[test]
fn behind_a_slow_answer_a_host_rests_longer() {
    let stage = Stage::new(5, endless_web);
    let mut runner = stage.resume().unwrap();
    runner.session.set_delay(CrawlDelay(250));
    let page = next_page(&mut runner);
    let answered = Answered {
        reply: Reply::Problem("the server answered 404 Not Found".to_owned()),
        took: Some(Duration::from_secs(2)),
    };
    let message = Message::Page(page.clone(), Ok(answered));
    assert!(runner.handle(message).unwrap().is_none());
    let hosts = runner.session.hosts(runner.now());
    assert_eq!(hosts[page.host()].rest, 4_000);
}

#[test]
fn a_crawl_ends_once_its_pages_take_as_many_bytes_as_they_may() {
    let mut stage = Stage::new(5_000, endless_web);
    let mut order = stage.crawl.order.clone();
    order.spec.most_bytes = Some(20_000);
    stage.crawl = stage.runtime.block_on(async {
        let start_model = stage.store.start_model(stage.crawl.id).await.unwrap();
        let new = linkscent_store::NewCrawl {
            topic: stage.topic.id,
            order: &order,
            start_model: &start_model,
        };
        let id = stage.store.begin_crawl(&new).await.unwrap();
        stage.store.crawl(id).await.unwrap().unwrap()
    });
    let (ended, stats) = stage.resume().unwrap().run(|_| {}).unwrap();
    assert_eq!(ended, Ended::Done(StopReason::Bytes));
    let (row, pages) = (stage.row(), stats.pages);
    assert_eq!(row.stop_reason, "bytes");
    // What was under way then is still taken in.
    let of_a_page = row.warc_length / pages;
    assert!(
        (20_000..20_000 + 100 * of_a_page).contains(&row.warc_length),
        "{row:?}"
    );
}

#[test]
fn a_crawl_ends_at_its_budget_with_log_archive_and_model_written() {
    let stage = Stage::new(5, endless_web);
    let (ended, stats) = stage.resume().unwrap().run(|_| {}).unwrap();
    assert_eq!(ended, Ended::Done(StopReason::Budget));
    assert_eq!(stats.pages, 5);
    let row = stage.row();
    assert_eq!(row.state, CrawlState::Done);
    assert_eq!(row.stop_reason, "budget");
    let log = stage.log();
    assert_eq!(log[0], START);
    assert_eq!(log.iter().collect::<HashSet<_>>().len(), 5, "{log:?}");
    // The log says how much of the archive counts: all of it.
    let archive = std::fs::metadata(stage.store.warc_path(row.id)).unwrap();
    assert_eq!(row.warc_length, archive.len());
    let model = stage.store.model(stage.topic.id);
    let model = stage.runtime.block_on(model).unwrap().unwrap();
    assert!(read_model(&model).is_ok());
}

#[test]
fn a_paused_crawl_goes_on_where_its_log_ends() {
    let stage = Stage::new(ENDLESS, endless_web);
    let (ended, before) = stage.run_a_little(|| Command::Pause);
    assert_eq!(ended, Ended::Paused);
    assert_eq!(stage.row().state, CrawlState::Paused);
    let first = stage.log();
    assert_eq!(first.len() as u64, before.pages + before.other);
    // Without its checkpoint the session is told all of it again, row by row, and stands where it
    // stood.
    delete_checkpoint(&stage.store.checkpoint_path(stage.crawl.id)).unwrap();
    let mut told = Vec::new();
    let hear = |done, all| told.push((done, all));
    let runner = stage.resume_hearing(hear).unwrap();
    assert_eq!(runner.session().stats(), &before);
    assert_eq!(stage.row().state, CrawlState::Running);
    drop(runner);
    let all: Vec<_> = (1..=first.len()).map(|done| (done, first.len())).collect();
    assert_eq!(told, all);
    // What comes then comes behind it, and no page comes twice.
    let (ended, after) = stage.run_a_little(|| Command::Stop);
    assert_eq!(ended, Ended::Stopped);
    assert!(after.pages >= before.pages);
    let row = stage.row();
    assert_eq!(
        (row.state, &*row.stop_reason),
        (CrawlState::Stopped, "told_to")
    );
    let log = stage.log();
    assert_eq!(log[..first.len()], first);
    assert_eq!(log.iter().collect::<HashSet<_>>().len(), log.len());
}

/// A person who went from the start to a page with bees, forty times over; the way is
/// marked, and a model of hop distances trained on it.
async fn train_first(store: &Store, topic: &Topic, model: DistanceModel) {
    let page = |name: u64| format!("http://b.test/{name}");
    let mut events = Vec::new();
    let mut event = |what: EventKind| {
        events.push(Event {
            id: format!("event-{}", events.len()),
            topic: topic.name.clone(),
            time: events.len() as u64,
            what,
        });
    };
    for n in 0..40 {
        event(EventKind::Click {
            from: page(2 * n),
            to: page(2 * n + 1),
            anchor: "bees".to_owned(),
            context: vec![("bees".to_owned(), 0)],
            relevance: 0.9,
            passed_over: Vec::new(),
        });
        event(EventKind::Mark {
            address: page(2 * n + 1),
            title: String::new(),
            target: Some(true),
            words: vec![("bees".to_owned(), 3)],
        });
    }
    store.take_events(&events).await.unwrap();
    let trained = hop_training::learn(store, topic, model, None, |_| {}).await;
    assert_eq!(trained.unwrap().paths, 40);
}

#[test]
fn a_crawl_by_hop_distances_trains_its_model_on_what_it_fetches() {
    for model in [DistanceModel::default(), DistanceModel::Hmm] {
        let name = model.strategy();
        let stage = Stage::by(Some(model), ENDLESS, endless_web);
        // Whenever it was trained again it is paused, and goes on with that model.
        let run = || {
            let runner = stage.resume().unwrap();
            assert_eq!(
                runner.session().topic_model().strategy().profile().name,
                name
            );
            let control = runner.control();
            let mut trainings = 0;
            let tell = |progress: &Progress| {
                trainings = progress.trainings;
                if trainings > 0 {
                    control.send(Command::Pause);
                }
            };
            let (ended, stats) = runner.run(tell).unwrap();
            assert_eq!(ended, Ended::Paused);
            (stats.pages, trainings)
        };
        let (pages, trainings) = run();
        assert!(
            pages >= 200 && trainings == 1,
            "{name}: {pages} pages, {trainings}"
        );
        let model = stage.runtime.block_on(stage.store.model(stage.topic.id));
        let knowledge = read_model(&model.unwrap().unwrap()).unwrap();
        if let Some(chain) = hop_training::hops(&knowledge.learned) {
            // Only the pages of the crawl have such words.
            let words = chain.feature_index();
            assert!(words.id("link: hive").is_some(), "{name}");
            assert!(chain.passed().count() as u64 >= pages, "{name}");
        }
        // It was trained on all of it before it went on.
        let (again, trainings) = run();
        assert!(
            again >= pages && trainings >= 1,
            "{name}: {again}, {trainings}"
        );
    }
}

#[test]
fn a_crawl_has_one_runner_and_its_control_ends_with_it() {
    let stage = Stage::new(1, endless_web);
    let runner = stage.resume().unwrap();
    let refused = stage.resume().err().unwrap();
    let held = refused.downcast_ref::<LockError>();
    assert!(matches!(held, Some(LockError::Held { .. })), "{refused:#}");
    let control = runner.control();
    assert!(control.send(Command::Mark(start(), None)));
    runner.run(|_| {}).unwrap();
    assert!(!control.send(Command::Pause), "it has come to rest");
    assert!(!stage.store.is_locked(stage.crawl.id));
}

#[test]
fn pages_to_start_from_that_are_added_while_it_runs_are_asked_for() {
    let stage = Stage::new(9, endless_web);
    let runner = stage.resume().unwrap();
    let added = Address::parse("http://added.test/77").unwrap();
    let pages = [added.clone(), Address::parse(START).unwrap()];
    let adding = stage.store.add_seeds(stage.crawl.id, &pages);
    assert_eq!(stage.runtime.block_on(adding).unwrap(), 1);
    runner.control().send(Command::Order);
    runner.run(|_| {}).unwrap();
    let log = stage.log();
    assert!(log.iter().any(|page| page == added.as_str()), "{log:?}");
    assert_eq!(log.iter().filter(|page| *page == START).count(), 1);
}

#[test]
fn a_proxy_that_is_down_pauses_a_crawl_and_no_page_is_blamed() {
    let stage = Stage::new(5, async || no_web());
    let (ended, stats) = stage.resume().unwrap().run(|_| {}).unwrap();
    let Ended::Hindered(reason) = ended else {
        panic!("{ended:?}");
    };
    assert!(reason.contains("does not answer"), "{reason}");
    assert_eq!((stats.pages, stats.other), (0, 0));
    let row = stage.row();
    assert_eq!((row.state, row.stop_reason), (CrawlState::Paused, reason));
    assert!(stage.log().is_empty());
}

#[test]
fn what_was_written_and_not_acknowledged_is_cut_off() {
    let stage = Stage::new(ENDLESS, endless_web);
    stage.run_a_little(|| Command::Pause);
    let counted = stage.row().warc_length;
    let path = stage.store.warc_path(stage.crawl.id);
    let mut archive = File::options().append(true).open(&path).unwrap();
    archive.write_all(b"half a page").unwrap();
    drop(archive);
    drop(stage.resume().unwrap());
    assert_eq!(std::fs::metadata(&path).unwrap().len(), counted);
}

#[test]
fn what_another_process_leaves_is_done_and_what_it_left_before_is_not() {
    let stage = Stage::new(ENDLESS, endless_web);
    stage.leave(&Command::Stop);
    let mut runner = stage.resume().unwrap();
    assert_eq!(
        runner.listen().unwrap(),
        None,
        "it was left for an earlier run"
    );
    stage.leave(&Command::Mark(start(), None));
    assert_eq!(runner.listen().unwrap(), None);
    stage.leave(&Command::Pause);
    stage.leave(&Command::Stop);
    assert_eq!(
        runner.listen().unwrap(),
        Some(Ended::Paused),
        "oldest first"
    );
    assert_eq!(runner.listen().unwrap(), None, "all were taken");
}

#[test]
fn marks_count_those_made_while_nobody_ran_it_and_those_made_meanwhile() {
    let stage = Stage::new(ENDLESS, endless_web);
    stage.run_a_little(|| Command::Pause);
    let later = Address::parse("http://a.test/9000").unwrap();
    let note = EventKind::Mark {
        address: later.to_string(),
        title: String::new(),
        target: Some(false),
        words: vec![("wasps".to_owned(), 2)],
    };
    let note = stage.store.note(&stage.topic, vec![note]);
    stage.runtime.block_on(note).unwrap();
    let mut runner = stage.resume().unwrap();
    let mark = |runner: &Runner, page: &Address| runner.session().topic_model().graph().mark(page);
    assert_eq!(mark(&runner, &later), Some(Mark::NotTarget));
    assert_eq!(mark(&runner, &start()), Some(Mark::Target), "an example");
    let not = Command::Mark(start(), Some(Mark::NotTarget));
    assert_eq!(runner.handle(Message::Told(not)).unwrap(), None);
    assert_eq!(mark(&runner, &start()), Some(Mark::NotTarget));
    // Of a page that was not fetched there is nothing to learn.
    let unknown = Address::parse("http://b.test/").unwrap();
    let marked = Command::Mark(unknown.clone(), Some(Mark::Target));
    assert_eq!(runner.handle(Message::Told(marked)).unwrap(), None);
    assert_eq!(mark(&runner, &unknown), None);
}

#[test]
fn a_batch_is_due_when_it_is_large_or_old() {
    let (_listener, way) = silent_web();
    let stage = Stage::new(5, async || way);
    let mut runner = stage.resume().unwrap();
    assert!(!runner.batch_is_due(), "it is empty");
    runner.batch_began = Some(Clock::now());
    let long_ago = Clock::now().checked_sub(BATCH_TIME).unwrap();
    assert_eq!(runner.patience(None), Duration::from_millis(500));
    runner.batch_began = Some(long_ago);
    assert!(runner.batch_is_due());
    // It waits no longer than until a host has rested, and always a little.
    let soon = Next::Wait(Instant(runner.now().0 + 20));
    assert!(runner.patience(Some(&soon)) <= Duration::from_millis(20));
    assert_eq!(
        runner.patience(Some(&Next::Wait(Instant(0)))),
        Duration::from_millis(1)
    );
}

#[test]
fn a_crawl_hears_what_its_topic_is_called_and_what_is_said_of_it() {
    let stage = Stage::new(5, async || no_web());
    let mut runner = stage.resume().unwrap();
    let name = "wild bees".to_owned();
    stage.say(EventKind::Name { name });
    let (text, wanted) = ("insects".to_owned(), Some(true));
    stage.say(EventKind::Phrase { text, wanted });
    let wanted = |runner: &Runner| {
        let graph = runner.session.topic_model().graph();
        graph.wanted().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(wanted(&runner), ["bees"]);
    runner.hear().unwrap();
    assert_eq!(wanted(&runner), ["wild bees", "insects"]);
    // One that is taken up after it knows it too.
    drop(runner);
    assert_eq!(wanted(&stage.resume().unwrap()), ["wild bees", "insects"]);
}
