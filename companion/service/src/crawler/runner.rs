//! Runs one crawl: asks the session what comes next, makes the requests, and
//! takes the answers in, a few at a time: pages to the WARC file, then the
//! log, in one transaction.
//!
//! Whatever dies at whatever moment, a restart finds the log complete up to
//! some fetch, tells the session what came after its checkpoint, or all of it, and goes on. Whoever runs a crawl
//! holds its lock: one crawl has one writer. After a write or a sync has failed
//! nothing more is acknowledged; the crawl is paused, and when it goes on all files
//! are opened again and what was not acknowledged is fetched again.

use std::collections::{BTreeSet, HashMap};
use std::sync::mpsc::{RecvTimeoutError, Sender};
use std::time::{Duration, Instant as Clock};

use anyhow::Result;
use linkscent_core::address::Address;
use linkscent_core::crawl::{
    CrawlStats, DriftAlarm, Instant, Next, Reaction, Record, Session, StopReason,
};
use linkscent_core::strategies::SplitMix;
use linkscent_core::web_graph::Judgment;
use linkscent_core::wire::{ModelError, write_model};
use tokio::runtime::Handle;

use super::checkpoint::Told;
use super::reply::Hindrance;
use super::requests::Requests;
use super::retraining::Retraining;
use super::validators::Validators;
use linkscent_archive::warc::Writer;
use linkscent_store::clock;
use linkscent_store::{
    Command, CrawlLock, CrawlRow, CrawlState, Location, SharedLock, Store, StoreError, StoreResult,
    is_away,
};

use batches::BATCH_TIME;
pub use control::{Control, Hosts};
use control::{Inbox, Message};
pub use import::Given;
use pace::Pace;
use saving::Saving;
use tasks::Tasks;

/// How often it is looked whether another process left a command.
const LISTEN_EVERY: Duration = Duration::from_millis(300);
/// The topic's model is kept every so often while a crawl runs.
const MODEL_EVERY: Duration = Duration::from_secs(30);
/// And so seldom that it takes one of so many parts of the time.
const MODEL_SHARE: u32 = 100;

/// Where no host may be asked for so long it is said, and not again within that time.
const LONG_WAIT: Duration = Duration::from_mins(10);
/// That is said again at most this often.
const TOLD_EVERY: Duration = Duration::from_hours(1);

/// So long it is tried to put down that a crawl rests.
const LONGEST_OUTAGE: Duration = Duration::from_mins(1);

/// Why a crawl is stopped that somebody ended.
pub(super) const TOLD_TO: &str = "told_to";

/// Why a crawl is paused that lost its way.
pub const DRIFTED: &str = "drift";
/// Where there is nothing to ask about yet, it is looked for again after so many pages.
const LOOK_AGAIN: u64 = 10;
/// Pages and arrivals kept of a model that is too large for a file.
const FEWER_PAGES: usize = 10_000;

/// What is said while a crawl runs.
#[derive(Debug, Clone)]
pub struct Progress {
    /// The numbers so far.
    pub stats: CrawlStats,
    /// Pages that wait.
    pub frontier: usize,
    /// How often the critic puts a target that it was not shown before another page, 0..=1; a guess: 0.5.
    pub confidence: Option<f64>,
    /// How often the model by which it chooses links was trained again.
    pub trainings: u32,
    /// Once the crawl has ended: pages read to judge them by their sentences, of how many.
    pub judged_again: Option<(usize, usize)>,
}

/// How a crawl came to rest.
#[derive(Debug, Clone, PartialEq)]
pub enum Ended {
    /// By itself.
    Done(StopReason),
    /// Told to pause.
    Paused,
    /// Paused by itself: it lost its way.
    Drifted(DriftAlarm),
    /// Paused by itself: something outside keeps it from going on.
    Hindered(String),
    /// Told to stop.
    Stopped,
}

/// A crawl under way: its session, its requests and what it has kept.
pub struct Runner {
    store: Store,
    crawl: CrawlRow,
    session: Session,
    requests: Requests,
    pace: Pace,
    warc: Writer,
    rng: SplitMix,
    handle: Handle,
    sender: Sender<Message>,
    control: Control,
    receiver: Inbox,
    started: Clock,
    batch: Vec<(Record, Location)>,
    batch_began: Option<Clock>,
    model_kept: Clock,
    /// How long it is not kept again: the larger it is, the longer.
    model_rest: Duration,
    /// Pages that the person was asked about.
    asked: BTreeSet<Address>,
    /// Of pages that a recrawl begins with: what tells whether they have changed.
    known: HashMap<Address, Validators>,
    /// When it was last looked whether another process left a command.
    listened: Clock,
    /// When a browser looked last for pages to read, and of which hosts.
    browser: Option<(Clock, Vec<String>)>,
    /// If links are chosen by a model of hop distances.
    retraining: Option<Retraining>,
    /// The log that the session was told, as far as it is acknowledged.
    told: Told,
    saving: Saving,
    tasks: Tasks,
    /// When it said last that all hosts rest for long.
    told_to_wait: Option<Clock>,
    /// To pause or to end, until that is put down.
    told_to_rest: Option<Command>,
    lock_for_all: Option<SharedLock>,
    _lock: CrawlLock,
}

impl Runner {
    /// Tells this crawl things while it runs.
    pub fn control(&self) -> Control {
        self.control.clone()
    }

    /// The session, for what is to be seen of it.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Runs until the crawl ends or is told to. Blocks; not for a runtime's
    /// thread. On an error nothing acknowledged is lost: the crawl is paused.
    pub fn run(self, on_progress: impl FnMut(&Progress)) -> Result<(Ended, CrawlStats)> {
        self.run_with(None, on_progress)
    }

    /// The same, but first takes in the pages of an archive, if one is given.
    pub fn run_with(
        mut self,
        given: Option<&Given>,
        mut on_progress: impl FnMut(&Progress),
    ) -> Result<(Ended, CrawlStats)> {
        let _span = tracing::info_span!("crawl", id = self.crawl.id).entered();
        let ended = match given.map(|given| self.take_in(given, &mut on_progress)) {
            Some(Ok(Some(ended))) => Ok(ended),
            Some(Err(error)) => Err(error),
            Some(Ok(None)) | None => self.run_to_end(&mut on_progress),
        };
        let ended = ended.and_then(|ended| {
            let mut ended = ended;
            loop {
                self.commit()?;
                self.save_at_rest(&ended)?;
                if let Ended::Done(_) | Ended::Stopped = ended {
                    self.judge_again(&mut on_progress)?;
                    self.tell_worth()?;
                }
                self.keep_model()?;
                // While it judged it may have been given more pages to start from.
                if !matches!(ended, Ended::Done(_)) || !self.take_order()? {
                    return Ok(ended);
                }
                ended = self.run_to_end(&mut on_progress)?;
            }
        });
        // What it comes to is another's to put down where the lock was lost.
        let ended = match self.is_ours() {
            Ok(()) => ended,
            Err(lost) => Err(lost.into()),
        };
        if let Err(error) = &ended
            && is_away(error)
        {
            // Whoever runs it takes it up again: it does not rest.
            self.receiver.leave(self.told_to_rest.take());
            return ended.map(|ended| (ended, self.session.stats().clone()));
        }
        let (state, reason) = match &ended {
            Ok(Ended::Done(reason)) => (CrawlState::Done, reason.code().to_owned()),
            Ok(Ended::Stopped) => (CrawlState::Stopped, TOLD_TO.to_owned()),
            Ok(Ended::Paused) => (CrawlState::Paused, String::new()),
            Ok(Ended::Drifted(_)) => (CrawlState::Paused, DRIFTED.to_owned()),
            Ok(Ended::Hindered(reason)) => (CrawlState::Paused, reason.clone()),
            // What was not acknowledged before the error never is: what was written of
            // it is cut off, and it is fetched again when the crawl goes on.
            Err(error) => (CrawlState::Paused, format!("{error:#}")),
        };
        self.handle.block_on(self.requests.end());
        if let Ok(Ended::Done(_) | Ended::Stopped) = &ended {
            self.handle.block_on(self.requests.close());
        }
        let state_set = self.set_at_rest(state, &reason);
        if state_set.is_err() {
            self.receiver.leave(self.told_to_rest.take());
        }
        on_progress(&self.progress());
        let ended = ended?;
        state_set?;
        let mut stats = self.session.stats().clone();
        let counts = self.handle.block_on(self.store.counts(self.crawl.id))?;
        stats.relevant = counts.2;
        Ok((ended, stats))
    }

    /// Puts down that it rests, and why; where the database does not answer, as soon as it does.
    fn set_at_rest(&self, state: CrawlState, reason: &str) -> StoreResult<()> {
        let begun = Clock::now();
        loop {
            let set = self.store.set_state(self.crawl.id, state, reason);
            match self.handle.block_on(set) {
                Err(StoreError::Away(_)) if begun.elapsed() < LONGEST_OUTAGE => {
                    std::thread::sleep(LISTEN_EVERY);
                }
                set => return set,
            }
        }
    }

    fn keep_judgments(&self, judged: &[(Address, Judgment)]) -> Result<()> {
        let judge_again = self.store.judge_again(self.crawl.id, judged);
        Ok(self.handle.block_on(judge_again)?)
    }

    /// Says what it was worth to begin with what another topic taught.
    fn tell_worth(&self) -> Result<()> {
        if let Some(worth) = self.session.topic_model().worth_of_beginning() {
            let (topic, crawl) = (self.crawl.topic, Some(self.crawl.id));
            let said = worth.to_string();
            let notice = self.store.notice(topic, crawl, &said);
            self.handle.block_on(notice)?;
        }
        Ok(())
    }

    fn run_to_end(&mut self, on_progress: &mut impl FnMut(&Progress)) -> Result<Ended> {
        loop {
            let began = Clock::now();
            let next = self.send_requests();
            self.keep_skipped()?;
            if let Some(Next::Wait(until)) = next {
                self.tell_of_a_long_wait(until)?;
            }
            if let Some(Next::Stop(reason)) = next
                && self.session.under_way() == 0
                && !(reason.leaves_room() && self.waits_for_browser())
            {
                // It may have been told something that it was taken up for.
                let Ok(message) = self.receiver.try_recv() else {
                    return Ok(Ended::Done(reason));
                };
                if let Some(ended) = self.handle(message)? {
                    return Ok(ended);
                }
                continue;
            }
            let patience = self.patience(next.as_ref());
            let waiting = Clock::now();
            let came = self.receiver.recv_timeout(patience);
            let waited = waiting.elapsed();
            match came {
                Ok(message) => {
                    if let Some(ended) = self.handle(message)? {
                        return Ok(ended);
                    }
                }
                Err(RecvTimeoutError::Timeout) => self.pace.wait(),
                Err(RecvTimeoutError::Disconnected) => return Ok(Ended::Paused),
            }
            if self.batch_is_due() {
                self.commit()?;
                on_progress(&self.progress());
            }
            self.retrain()?;
            if self.model_kept.elapsed() > self.model_rest {
                self.keep_model()?;
            }
            self.saving.worked(began.elapsed().saturating_sub(waited));
            if self.saving.is_due(&self.told) {
                self.save()?;
            }
            if self.listened.elapsed() > LISTEN_EVERY
                && let Some(ended) = self.listen()?
            {
                return Ok(ended);
            }
        }
    }

    /// Does what another process left to be done.
    fn listen(&mut self) -> Result<Option<Ended>> {
        self.listened = Clock::now();
        let commands = self.store.take_commands(self.crawl.id);
        for command in self.handle.block_on(commands)? {
            if let Some(ended) = self.handle(Message::Told(command))? {
                return Ok(Some(ended));
            }
        }
        Ok(None)
    }

    /// Says that nothing can be asked for until then, if that is long.
    fn tell_of_a_long_wait(&mut self, until: Instant) -> Result<()> {
        let wait = Duration::from_millis(until.0.saturating_sub(self.now().0));
        let is_told = self
            .told_to_wait
            .is_some_and(|told| told.elapsed() < TOLD_EVERY);
        if wait < LONG_WAIT || is_told {
            return Ok(());
        }
        self.told_to_wait = Some(Clock::now());
        let then = clock::now().saturating_add_unsigned(wait.as_millis() as u64);
        let date = clock::date(then).replace('T', " ").replace('Z', " UTC");
        let said = format!("all hosts with links that wait rest; it goes on at {date}");
        tracing::warn!("crawl {}: {said}", self.crawl.id);
        let notice = self
            .store
            .notice(self.crawl.topic, Some(self.crawl.id), &said);
        Ok(self.handle.block_on(notice)?)
    }

    fn keep_skipped(&mut self) -> Result<()> {
        let skipped = self.session.take_skipped();
        if skipped.is_empty() {
            return Ok(());
        }
        let skip = self.store.skip(self.crawl.id, &skipped);
        Ok(self.handle.block_on(skip)?)
    }

    /// Sends out what may be sent; what is left to do besides, if anything
    /// came between.
    fn send_requests(&mut self) -> Option<Next> {
        let most = self.crawl.order.spec.most_bytes;
        if most.is_some_and(|most| self.warc.length() >= most) {
            return Some(Next::Stop(StopReason::Bytes));
        }
        while self.session.under_way() < self.pace.most() {
            match self.session.next(self.now()) {
                Next::Fetch(fetch) => {
                    let known = self.known.get(&fetch.address).cloned();
                    let delay = self.delay_of(&fetch.address);
                    let task = self.tasks.begin(self.crawl.id, &fetch.address, false);
                    self.requests.ask(fetch.address, false, known, delay, &task);
                }
                Next::Robots(address) => {
                    let delay = self.delay_of(&address);
                    let task = self.tasks.begin(self.crawl.id, &address, true);
                    self.requests.ask(address, true, None, delay, &task);
                }
                next => return Some(next),
            }
        }
        None
    }

    fn delay_of(&self, address: &Address) -> Duration {
        Duration::from_millis(self.session.turns().delay_of(address.host()))
    }

    fn handle(&mut self, message: Message) -> Result<Option<Ended>> {
        if let Message::Page(..) | Message::Robots(..) = message {
            self.pace.take();
        }
        match message {
            Message::Page(address, Ok(answered)) => {
                if self.batch.is_empty() {
                    // Its record is about to be written.
                    self.is_ours()?;
                }
                if let Some(took) = answered.took {
                    self.session
                        .turns_mut()
                        .took(address.host(), took.as_millis() as u64);
                }
                if let Some(work) = answered.work() {
                    self.session
                        .turns_mut()
                        .worked(address.host(), work.as_millis() as u64);
                }
                return self.take(&address, answered.reply);
            }
            Message::Robots(address, Ok(robots)) => {
                let _span = self.tasks.end(&address, true).entered();
                self.session.robots(&address, robots);
            }
            Message::Page(_, Err(Hindrance::Away(why)))
            | Message::Robots(_, Err(Hindrance::Away(why))) => {
                return Err(StoreError::Away(why.into()).into());
            }
            Message::Page(_, Err(down)) | Message::Robots(_, Err(down)) => {
                return Ok(Some(Ended::Hindered(down.to_string())));
            }
            Message::Told(Command::Pause) => {
                self.told_to_rest = Some(Command::Pause);
                return Ok(Some(Ended::Paused));
            }
            Message::Told(Command::Stop) => {
                self.told_to_rest = Some(Command::Stop);
                return Ok(Some(Ended::Stopped));
            }
            Message::Told(Command::Mark(address, mark)) => self.mark(&address, mark)?,
            Message::Told(Command::Said) => self.hear()?,
            Message::Told(Command::Order) => drop(self.take_order()?),
            Message::Rendered(page, html) => return self.take_rendered(&page, html),
            Message::BrowserLooks(hosts) => self.browser = Some((Clock::now(), hosts)),
            Message::Retrained(trained) => self.go_on_with(trained)?,
            Message::Woken => {}
            // Whoever asked may have given up.
            Message::Hosts(answer) => drop(answer.send(self.session.hosts(self.now()))),
        }
        Ok(None)
    }

    fn react(&mut self, number: u64, alarm: DriftAlarm) -> Option<Ended> {
        match self.crawl.reaction_at(number) {
            Reaction::Tell => {}
            Reaction::Restrict => self.session.restrict(&alarm),
            Reaction::Pause => return Some(Ended::Drifted(alarm)),
        }
        None
    }

    fn keep_model(&mut self) -> Result<()> {
        let began = Clock::now();
        let knowledge = self.session.topic_model().knowledge();
        let model = match write_model(&knowledge) {
            Err(ModelError::Size(_)) => write_model(&knowledge.trimmed(FEWER_PAGES, FEWER_PAGES)),
            written => written,
        }?;
        let keep = self.store.set_model(self.crawl.topic, &model);
        self.handle.block_on(keep)?;
        self.model_kept = Clock::now();
        self.model_rest = MODEL_EVERY.max(MODEL_SHARE * (self.model_kept - began));
        Ok(())
    }

    fn now(&self) -> Instant {
        Instant(self.started.elapsed().as_millis() as u64)
    }

    /// How long to wait for a message: until a host has rested or the batch is
    /// due.
    fn patience(&self, next: Option<&Next>) -> Duration {
        let longest = if self.batch.is_empty() {
            Duration::from_millis(500)
        } else {
            BATCH_TIME
        };
        match next {
            Some(Next::Wait(until)) => {
                let rest = until.0.saturating_sub(self.now().0);
                longest.min(Duration::from_millis(rest.max(1)))
            }
            _ => longest,
        }
    }

    fn progress(&self) -> Progress {
        Progress {
            stats: self.session.stats().clone(),
            frontier: self.session.waiting(),
            confidence: self.session.topic_model().critic().confidence(),
            trainings: self.retraining.as_ref().map_or(0, Retraining::count),
            judged_again: None,
        }
    }
}

mod batches;
mod browser;
mod control;
mod import;
mod judging;
mod keeping;
mod pace;
mod resuming;
mod saving;
mod tasks;
#[cfg(test)]
mod tests;
mod training;
mod word;
