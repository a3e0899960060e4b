//! How a crawl is taken up: under its lock, with the session as its log has it, and its files as far as
//! they are acknowledged.

use std::collections::HashMap;
use std::time::Instant as Clock;

use anyhow::{Context, Result};
use linkscent_archive::warc::Writer;
use linkscent_core::address::Address;
use linkscent_core::crawl::Session;
use tokio::runtime::Handle;

use super::control::{Inbox, Message};
use super::pace::{Pace, Waiting};
use super::saving::Saving;
use super::tasks::Tasks;
use super::{MODEL_EVERY, Runner};
use crate::crawler::checkpoint::Told;
use crate::crawler::fetch::Fetcher;
use crate::crawler::records::recorded;
use crate::crawler::replay::Replayed;
use crate::crawler::reply::Answers;
use crate::crawler::requests::Requests;
use crate::crawler::retraining::Retraining;
use crate::crawler::revisiting;
use crate::crawler::start::{Step, TakenUp, take_stock, take_up};
use linkscent_store::clock;
use linkscent_store::{CrawlRow, CrawlState, Store, open_private};

impl Runner {
    /// Resumes a crawl where its log ends; an error that holds a [`LockError`](linkscent_store::LockError) if
    /// it runs elsewhere. `on_replay` hears how many of how many requests were
    /// replayed. Blocks; not for a runtime's thread.
    pub fn resume(
        store: Store,
        crawl: CrawlRow,
        fetcher: Fetcher,
        handle: Handle,
        mut on_replay: impl FnMut(usize, usize),
    ) -> Result<Self> {
        let lock = store.lock_crawl(crawl.id)?;
        // What it was told while nobody ran it was done at once.
        handle.block_on(store.take_commands(crawl.id))?;
        let lock_for_all = handle.block_on(store.lock_for_all(crawl.id))?;
        handle.block_on(store.complete_archive(crawl.id))?;
        lock.goes_by(&fetcher.way_name())
            .context("writing the lock file")?;
        let is_cut_short = crawl.state == CrawlState::Running;
        handle.block_on(store.set_state(crawl.id, CrawlState::Running, ""))?;
        // The log may have grown before the lock was ours.
        let crawl = handle.block_on(store.crawl(crawl.id))?;
        let mut crawl = crawl.context("there is no such crawl")?;
        let left_out = &mut crawl.order.spec.scope.left_out;
        left_out.extend_from_slice(fetcher.never());
        let path = store.checkpoint_path(crawl.id);
        let mut saving = Saving::new(path, !crawl.is_recrawl());
        let on_step = |step: &Step| {
            on_replay(
                usize::try_from(step.told.count()).unwrap_or(usize::MAX),
                step.all,
            );
            saving.replayed(step, &crawl);
        };
        let TakenUp {
            mut session,
            rng,
            replayed,
            told,
            saved_rows,
        } = take_up(&store, &crawl, fetcher.is_replay(), &handle, on_step)?;
        saving.knows(saved_rows);
        if told.count() == 0 {
            tell_of_memory(&store, &crawl, &session, &handle)?;
        }
        let (warc, told) = recover_archive(&store, &crawl, &replayed, told, &handle)?;
        let known = if crawl.is_recrawl() {
            revisiting::validators(&store, &crawl, &handle)?
        } else {
            HashMap::new()
        };
        if fetcher.is_by_site() && session.turns().delay() > 0 {
            session.turns_mut().rest_by_site();
        }
        let (sender, control, receiver) = Inbox::new();
        let delay = session.turns().delay();
        let (sends, waiting) = (sender.clone(), Waiting::default());
        let counts = waiting.clone();
        let answers = Answers::to(move |came| {
            counts.came();
            // It may have come to rest.
            let _ = sends.send(Message::of(came));
        });
        let pace = if fetcher.leaves_to_workers() {
            Pace::of_workers(waiting)
        } else {
            Pace::new(waiting)
        };
        let (requests, mut unfinished) =
            Requests::begin(fetcher, &store, &crawl, delay, answers, &handle)?;
        // It may have been killed between its log and this file.
        let is_open =
            |page: &String| Address::parse(page).is_ok_and(|page| !session.is_seen(&page));
        unfinished.answered.retain(is_open);
        unfinished.unanswered.retain(is_open);
        if is_cut_short && let Some(said) = recorded::summary(crawl.id, &unfinished) {
            tracing::info!("{said}");
        }
        let asked = handle.block_on(store.asked(crawl.id))?;
        let retraining = Retraining::of(session.topic_model().strategy().profile().name);
        let mut runner = Self {
            rng,
            store,
            session,
            requests,
            pace,
            warc,
            handle,
            sender,
            control,
            receiver,
            started: Clock::now(),
            batch: Vec::new(),
            batch_began: None,
            model_kept: Clock::now(),
            model_rest: MODEL_EVERY,
            asked: asked.iter().flat_map(|page| Address::parse(page)).collect(),
            known,
            listened: Clock::now(),
            browser: None,
            saving,
            tasks: Tasks::default(),
            told,
            retraining,
            crawl,
            told_to_wait: None,
            told_to_rest: None,
            lock_for_all,
            _lock: lock,
        };
        runner.take_reaction(runner.crawl.order.spec.on_drift)?;
        runner.catch_up()?;
        runner.catch_up_on_training()?;
        Ok(runner)
    }
}

/// Says once that a crawl knows pages of earlier ones.
fn tell_of_memory(
    store: &Store,
    crawl: &CrawlRow,
    session: &Session,
    handle: &Handle,
) -> Result<()> {
    let remembered = session.topic_model().memory().len();
    if remembered == 0 {
        return Ok(());
    }
    let said = format!(
        "crawl {} knows {remembered} pages that crawls for other topics read, and looks at links by \
         that where it meets them",
        crawl.id
    );
    Ok(handle.block_on(store.notice(crawl.topic, Some(crawl.id), &said))?)
}

/// Opens a crawl's archive behind what counts of it. Pages that it lost are put down as lost; then the
/// log says another thing, and what was told of it is read again.
fn recover_archive(
    store: &Store,
    crawl: &CrawlRow,
    replayed: &Replayed,
    mut told: Told,
    handle: &Handle,
) -> Result<(Writer, Told)> {
    let path = store.warc_path(crawl.id);
    let length = handle.block_on(take_stock(store, crawl, replayed))?;
    if length < crawl.warc_length {
        handle.block_on(store.lose_pages(crawl.id, &[], length))?;
    }
    if !replayed.lost.is_empty() || length < crawl.warc_length {
        let changes = handle.block_on(store.log_rewrites(crawl.id))?;
        told = Told::all(&handle.block_on(store.fetches(crawl.id))?, changes);
    }
    let warc = open_private(&path)
        .and_then(|file| Writer::open(file, length, &clock::date(clock::now())))
        .with_context(|| format!("opening {}", path.display()))?;
    Ok((warc, told))
}
