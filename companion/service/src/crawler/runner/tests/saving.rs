//! A crawl that is taken up from its checkpoint is the one that its log makes.

use linkscent_core::codec::SaveError;
use linkscent_core::crawl::{CrawlDelay, FrontierEntry, Limits, Scope, StoppingRule};
use linkscent_core::topic_model::TopicModel;
use linkscent_core::wire::api::Forget;

use super::*;
use crate::crawler::checkpoint::{self, Checkpoint, CheckpointError};
use crate::crawler::start::{Step, TakenUp, take_up};
use linkscent_store::FetchRow;

/// A crawl that was paused, and its checkpoint.
fn paused() -> (Stage, std::path::PathBuf) {
    let stage = Stage::new(ENDLESS, endless_web);
    stage.run_a_little(|| Command::Pause);
    let path = stage.store.checkpoint_path(stage.crawl.id);
    assert!(path.is_file());
    (stage, path)
}

impl Stage {
    /// Takes the crawl up; how many rows of its log that was told, and what it comes to.
    fn taken_up(&self) -> (usize, TakenUp) {
        let (store, crawl) = (&self.store, self.row());
        let (mut rows, handle) = (0, self.runtime.handle());
        let taken_up = take_up(store, &crawl, false, handle, |_| rows += 1).unwrap();
        (rows, taken_up)
    }
}

fn all_that_waits(session: &Session) -> Vec<String> {
    let pages = session.frontier().best(usize::MAX);
    let mut pages: Vec<String> = pages
        .iter()
        .map(|page: &&FrontierEntry| format!("{page:?}"))
        .collect();
    pages.sort_unstable();
    pages
}

#[test]
fn a_crawl_that_was_saved_stands_where_its_log_would_bring_it() {
    let (stage, path) = paused();
    let (rows, saved) = stage.taken_up();
    assert_eq!(rows, 0, "it is told nothing");
    checkpoint::delete(&path).unwrap();
    let (rows, told) = stage.taken_up();
    assert_eq!(rows, stage.log().len(), "it is told all");
    assert_eq!(saved.session.stats(), told.session.stats());
    assert_eq!(saved.rng.0, told.rng.0);
    assert_eq!(saved.told.count(), told.told.count());
    let waits = all_that_waits(&told.session);
    assert!(waits.len() > 2);
    assert_eq!(all_that_waits(&saved.session), waits);
}

#[test]
fn only_what_came_after_the_checkpoint_is_told() {
    let stage = Stage::new(ENDLESS, endless_web);
    let mut runner = stage.resume().unwrap();
    runner.saving.worked(Duration::from_hours(1));
    assert!(!runner.saving.is_due(&runner.told), "there is nothing new");
    let control = runner.control();
    let path = stage.store.checkpoint_path(stage.crawl.id);
    let mut first = 0;
    let tell = |progress: &Progress| {
        if first == 0 && path.is_file() {
            first = progress.stats.pages + progress.stats.other;
        }
        // A power cut would leave no more than what there was then.
        if first > 0 && progress.stats.pages > first + 20 {
            std::fs::rename(&path, path.with_extension("kept")).unwrap();
            control.send(Command::Pause);
            first = u64::MAX - 1_000;
        }
    };
    runner.run(tell).unwrap();
    std::fs::rename(path.with_extension("kept"), &path).unwrap();
    let (rows, taken_up) = stage.taken_up();
    let all = stage.log().len();
    assert!(rows >= 20 && rows < all, "{rows} of {all}");
    let (ours, theirs) = (all_that_waits(&taken_up.session), {
        checkpoint::delete(&path).unwrap();
        all_that_waits(&stage.taken_up().1.session)
    });
    assert_eq!(ours, theirs);
}

#[test]
fn what_does_not_fit_or_is_damaged_is_passed_over() {
    let (stage, path) = paused();
    let whole = std::fs::read(&path).unwrap();
    let is_told_all = |why: &str| {
        let (rows, taken_up) = stage.taken_up();
        assert_eq!(rows, stage.log().len(), "{why}");
        assert_eq!(
            taken_up.session.stats().pages + taken_up.session.stats().other,
            rows as u64
        );
    };
    for place in [0, 9, whole.len() / 2, whole.len() - 5, whole.len() - 1] {
        let mut bytes = whole.clone();
        bytes[place] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        is_told_all("a byte is another");
    }
    for length in [0, 3, 4, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&path, &whole[..length]).unwrap();
        is_told_all("it is cut off");
    }
    // One that was being written when the crawl died is none yet.
    std::fs::write(&path, &whole).unwrap();
    std::fs::write(path.with_extension("checkpoint.new"), &whole[..9]).unwrap();
    assert_eq!(stage.taken_up().0, 0);
    // An archive that is too short has lost pages, which are looked for.
    let archive = stage.store.warc_path(stage.crawl.id);
    let pages = std::fs::read(&archive).unwrap();
    std::fs::write(&archive, &pages[..pages.len() - 1]).unwrap();
    is_told_all("the archive is too short");
    std::fs::write(&archive, &pages).unwrap();
    // Something in the log is another thing.
    let row = stage.row();
    let log = stage.runtime.block_on(stage.store.fetches(row.id)).unwrap();
    let changes = stage.store.log_rewrites(row.id);
    let changes = stage.runtime.block_on(changes).unwrap();
    let open = |crawl: &CrawlRow, log: &[FetchRow]| {
        let checkpoint = Checkpoint::open(&path, crawl, changes)?;
        let checkpoint = checkpoint.expect("a checkpoint");
        assert!(checkpoint.shown_after() <= log[log.len() - 1].number);
        Ok(checkpoint.told(log)?.1.len())
    };
    assert_eq!(open(&row, &log).unwrap(), 0);
    let more = [
        log.clone(),
        vec![FetchRow {
            number: 9_999,
            ..log[0].clone()
        }],
    ]
    .concat();
    assert_eq!(open(&row, &more).unwrap(), 1, "it was not told of the last");
    let mut other = log.clone();
    other[log.len() - 1].problem.push('!');
    assert!(matches!(open(&row, &other), Err(CheckpointError::Log)));
    let shorter = &log[..log.len() - 1];
    assert!(matches!(open(&row, shorter), Err(CheckpointError::Log)));
    let changed = Checkpoint::open(&path, &row, changes + 1);
    assert!(matches!(changed, Err(CheckpointError::Log)));
    let mut bounded = row.clone();
    bounded.order.spec.scope.left_out.push("h.test".to_owned());
    assert!(matches!(open(&bounded, &log), Err(CheckpointError::Order)));
    bounded = row.clone();
    bounded.order.spec.budget += 100;
    assert_eq!(open(&bounded, &log).unwrap(), 0);
}

#[test]
fn pages_to_start_from_that_were_added_while_it_rested_are_asked_for() {
    let (stage, _path) = paused();
    let added = Address::parse("http://added.test/77").unwrap();
    let pages = [added.clone()];
    let adding = stage.store.add_seeds(stage.crawl.id, &pages);
    assert_eq!(stage.runtime.block_on(adding).unwrap(), 1);
    let (rows, taken_up) = stage.taken_up();
    assert_eq!(rows, 0);
    assert!(taken_up.session.expects(&added));
}

#[test]
fn a_crawl_that_has_ended_keeps_none() {
    let (stage, path) = paused();
    let (ended, _) = stage.run_a_little(|| Command::Stop);
    assert_eq!(ended, Ended::Stopped);
    assert!(!path.exists());
}

#[test]
fn what_is_forgotten_is_in_no_checkpoint() {
    let (stage, path) = paused();
    let service = Services::new(stage.store.clone(), stage.way.clone());
    let page = "http://elsewhere.test/".to_owned();
    let gone = Forget {
        pages: vec![page],
        ..Forget::default()
    };
    let forgotten = stage
        .runtime
        .block_on(service.deletion.forget(&gone))
        .unwrap();
    assert!(forgotten.left.is_empty(), "{:?}", forgotten.left);
    assert!(!path.exists(), "whatever it knows");
    let (rows, _) = stage.taken_up();
    assert_eq!(rows, stage.log().len());
}

#[test]
fn of_what_cannot_be_saved_nothing_is_left() {
    let (stage, path) = paused();
    let before = std::fs::read(&path).unwrap();
    let (_, taken_up) = stage.taken_up();
    let limits = Limits {
        requests: None,
        budget: 9,
        delay: CrawlDelay(0),
        scope: Scope::default(),
        stopping: StoppingRule::default(),
        takes_repeats: false,
        follows_all: false,
        until_recall: None,
    };
    let session = |strategy: &str| {
        let topic_model = TopicModel::new("topic", strategy).unwrap();
        Session::new(topic_model, limits.clone(), Vec::new())
    };
    let (row, rng) = (stage.row(), SplitMix(1));
    let written = checkpoint::write(&path, &session("hub"), &row, &taken_up.told, &rng);
    assert!(matches!(written, Err(SaveError::NotFor(_))));
    assert!(!path.with_extension("checkpoint.new").exists());
    assert_eq!(std::fs::read(&path).unwrap(), before);
    // Nor is it read into a session that learns by something else.
    let changes = stage.store.log_rewrites(row.id);
    let changes = stage.runtime.block_on(changes).unwrap();
    let open = || Checkpoint::open(&path, &row, changes).unwrap().unwrap();
    let read = open().session(session("best-first"));
    assert!(matches!(read, Err(CheckpointError::Model)));
    assert!(open().session(session("ensemble")).is_ok());
}

#[test]
fn a_crawl_that_was_told_its_log_is_saved_without_news() {
    let (stage, path) = paused();
    checkpoint::delete(&path).unwrap();
    let runner = stage.resume().unwrap();
    let control = runner.control();
    control.send(Command::Pause);
    runner.run(|_| {}).unwrap();
    assert!(path.is_file(), "nobody is to tell it again");
    assert_eq!(stage.taken_up().0, 0);
}

#[test]
fn what_is_told_again_is_saved_before_all_of_it_was() {
    let (stage, path) = paused();
    checkpoint::delete(&path).unwrap();
    let (crawl, handle) = (stage.row(), stage.runtime.handle());
    let mut saving = Saving::new(path.clone(), true);
    // As if each row were much work.
    let mut saved = None;
    let on_step = |step: &Step| {
        saving.worked(Duration::from_mins(1));
        saving.replayed(step, &crawl);
        saving.finish();
        if path.is_file() {
            saved.get_or_insert(step.told.count());
        }
    };
    let told = take_up(&stage.store, &crawl, false, handle, on_step).unwrap();
    drop(saving);
    let all = stage.log().len();
    assert!(saved.unwrap() < all as u64, "{saved:?} of {all}");
    let (rows, taken_up) = stage.taken_up();
    assert!(rows < all, "it is told {rows} of {all}");
    assert_eq!(
        all_that_waits(&taken_up.session),
        all_that_waits(&told.session)
    );
    assert_eq!(taken_up.session.stats(), told.session.stats());
}

#[test]
fn a_log_is_known_by_its_last_rows_whatever_numbers_they_have() {
    let row = |number: u64| FetchRow {
        number,
        address: format!("http://a.test/{number}"),
        problem: String::new(),
        place: Location::default(),
        arm: None,
        unfound: None,
    };
    // Some were forgotten.
    let log: Vec<FetchRow> = (1..=400).filter(|number| number % 7 > 1).map(row).collect();
    let (stage, path) = paused();
    let (_, taken_up) = stage.taken_up();
    let mut row = stage.row();
    row.order.spec.budget = 9;
    let told = Told::all(&log[..200], 5);
    let file = checkpoint::write(&path, &taken_up.session, &row, &told, &taken_up.rng).unwrap();
    checkpoint::finish(&path, &file).unwrap();
    let checkpoint = Checkpoint::open(&path, &row, 5).unwrap().unwrap();
    let after = checkpoint.shown_after();
    assert!(after > log[100].number, "not all of it is read");
    let shown: Vec<FetchRow> = log
        .iter()
        .filter(|row| row.number > after)
        .cloned()
        .collect();
    let (known, rest) = checkpoint.told(&shown).unwrap();
    assert_eq!((known.count(), rest), (200, &log[200..]));
    let mut other = shown.clone();
    other[0].address.push('x');
    assert!(matches!(checkpoint.told(&other), Err(CheckpointError::Log)));
    assert!(matches!(
        checkpoint.told(&shown[1..]),
        Err(CheckpointError::Log)
    ));
}

#[test]
fn a_host_that_is_left_out_leaves_checkpoint_and_log_at_one() {
    let (stage, path) = paused();
    let leaving = stage.store.leave_out(stage.crawl.id, "a.test", true);
    stage.runtime.block_on(leaving).unwrap();
    let (rows, saved) = stage.taken_up();
    assert_eq!(rows, 0, "it fits");
    assert_eq!(saved.session.frontier().waiting_at("a.test"), 0);
    checkpoint::delete(&path).unwrap();
    let (_, told) = stage.taken_up();
    assert_eq!(told.session.frontier().waiting_at("a.test"), 0);
    // What was learned there stays.
    let model = |session: &Session| write_model(&session.topic_model().knowledge()).unwrap();
    assert_eq!(model(&saved.session), model(&told.session));
    assert!(saved.session.topic_model().graph().pages().len() > 0);
}
