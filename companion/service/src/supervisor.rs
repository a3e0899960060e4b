//! The crawls that run in this process: started, resumed after a restart, told
//! to pause or stop. A crawl that another process runs on the same data folder is
//! left to it: it is shown as it goes on, and what it is told is handed over.

mod background;
pub mod priority;
mod standby;

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use linkscent_core::address::Address;
use linkscent_core::topic_model::ToForget;
use tokio::runtime::Handle;
use tokio::sync::watch;

use crate::supervisor::background::Background;

use crate::crawler::fetch::Fetcher;
use crate::crawler::outages::through_outages;
use crate::crawler::runner::{Control, Ended, Given, Hosts, Runner};
use crate::crawler::way::Way;
use crate::supervisor::priority::give_way;
use linkscent_store::{Command, CrawlRow, CrawlState, LockError, Store};

/// Why a crawl rests that was taking an archive in when its program died.
const INTERRUPTED: &str = "its archive was not taken in whole: bring it in again";

/// Between two looks at what other processes changed.
const LOOK_EVERY: Duration = Duration::from_millis(700);

/// How long is waited for what a crawl says of itself.
const LONGEST_ANSWER: Duration = Duration::from_secs(2);

/// Pages from browsers that wait at a time until a crawl is taken up; others come again.
const MOST_RENDERED: usize = 8;

/// What could not be put down is tried again after so long.
const SAY_AGAIN: Duration = Duration::from_secs(1);

/// Who runs a crawl that is not at rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunBy {
    /// This process.
    Us,
    /// Another one, on the same data folder.
    Another,
    /// Nobody any more: whoever did has died.
    Nobody,
}

/// Whether an error says that a crawl runs elsewhere.
pub fn is_held(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(LockError::Held { .. }))
}

/// The crawls under way in this process.
#[derive(Clone)]
pub struct Supervisor {
    pub(super) store: Store,
    way: Way,
    crawls: Arc<Mutex<HashMap<i64, Entry>>>,
    /// Archives that crawls take in, until they have all of them.
    given: Arc<Mutex<HashMap<i64, Arc<Given>>>>,
    /// Counts whatever changes; screens wait for the next count.
    changes: Arc<watch::Sender<u64>>,
    /// Where crawls work.
    background: Arc<Background>,
}

struct Entry {
    control: Option<Control>,
    waiting: Vec<Command>,
    /// Pages that browsers read before it could be told of them.
    rendered: Vec<(Address, Vec<u8>)>,
}

impl Supervisor {
    /// Nothing runs yet.
    pub fn new(store: Store, way: Way) -> Self {
        Self {
            store,
            way,
            crawls: Arc::default(),
            given: Arc::default(),
            changes: Arc::new(watch::channel(0).0),
            background: Arc::default(),
        }
    }

    /// Resumes every crawl that was running when the process ended. One that was taking an
    /// archive in rests until that is brought in again.
    pub async fn resume_all(&self) -> Result<()> {
        for crawl in self.store.web_crawls(None).await? {
            if crawl.state.is_running() && !self.store.is_locked(crawl.id) {
                self.take_up(&crawl).await?;
            }
        }
        Ok(())
    }

    /// Resumes a crawl whose program died.
    pub(super) async fn take_up(&self, crawl: &CrawlRow) -> Result<()> {
        if crawl.is_import() {
            let (rests, why) = (CrawlState::Paused, INTERRUPTED);
            self.store.set_state(crawl.id, rests, why).await?;
        } else {
            self.start(crawl.id);
        }
        Ok(())
    }

    /// Goes on with a paused crawl.
    pub async fn resume(&self, id: i64) -> Result<()> {
        if self.store.is_locked(id) && !self.lock().contains_key(&id) {
            return Ok(()); // it runs elsewhere: what it was told it has to do itself
        }
        self.store.set_state(id, CrawlState::Running, "").await?;
        self.start(id);
        Ok(())
    }

    /// Tells a crawl something, wherever it runs; false if nobody runs it.
    pub async fn send(&self, id: i64, command: Command) -> Result<bool> {
        if let Some(running) = self.lock().get_mut(&id) {
            if let Some(control) = &running.control {
                return Ok(control.send(command));
            }
            running.waiting.push(command);
            return Ok(true);
        }
        if !self.store.is_locked(id) {
            return Ok(false);
        }
        self.store.leave_command(id, &command).await?;
        Ok(true)
    }

    /// Hands a page on that a browser read, and takes the crawl up that rests. One that another
    /// process runs does not get it: the page goes on waiting.
    pub async fn rendered(&self, id: i64, page: Address, html: Vec<u8>) -> Result<()> {
        let is_elsewhere = self.store.is_locked(id) && !self.lock().contains_key(&id);
        if is_elsewhere || self.is_handed_on(id, &page, &html) {
            return Ok(());
        }
        // It rests, or is about to: it is taken up, and told of the page then.
        self.resume(id).await?;
        if !self.is_handed_on(id, &page, &html)
            && let Some(running) = self.lock().get_mut(&id)
            && running.rendered.len() < MOST_RENDERED
        {
            running.rendered.push((page, html));
        }
        Ok(())
    }

    /// Whether a crawl that runs here took a page.
    fn is_handed_on(&self, id: i64, page: &Address, html: &[u8]) -> bool {
        let crawls = self.lock();
        let control = crawls.get(&id).and_then(|running| running.control.as_ref());
        control.is_some_and(|control| control.rendered(page.clone(), html.to_vec()))
    }

    /// Says that a browser looks for pages of these hosts to read, for a crawl that runs here.
    pub fn browser_looks(&self, id: i64, hosts: &[String]) {
        if let Some(running) = self.lock().get(&id)
            && let Some(control) = &running.control
        {
            control.browser_looks(hosts.to_vec());
        }
    }

    /// How a crawl that runs here stands with its hosts; none where it does not, or is too busy to
    /// say so.
    pub async fn hosts(&self, id: i64) -> Option<Hosts> {
        let control = {
            let crawls = self.lock();
            crawls.get(&id)?.control.clone()
        };
        let answer = tokio::time::timeout(LONGEST_ANSWER, control?.hosts());
        answer.await.ok()?.ok()
    }

    /// Who runs a crawl; nothing for one that is at rest.
    pub fn run_by(&self, crawl: &CrawlRow) -> Option<RunBy> {
        if self.lock().contains_key(&crawl.id) {
            return Some(RunBy::Us);
        }
        let is_locked = self.store.is_locked(crawl.id);
        match (is_locked, crawl.state) {
            (true, _) => Some(RunBy::Another),
            (false, CrawlState::Running) => Some(RunBy::Nobody),
            (false, _) => None,
        }
    }

    /// Looks for ever what other processes change, for live screens.
    pub async fn watch_others(self) -> Result<()> {
        let mut watch = self.store.watch().await?;
        let mut seen = watch.version().await?;
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            // A look that fails is tried again: nothing hangs on it but a screen.
            let now = watch.version().await.unwrap_or(seen);
            if now != seen {
                seen = now;
                self.say_changed();
            }
        }
    }

    /// Where work is done that gives way to whoever looks at a page meanwhile.
    pub(super) fn background(&self) -> Handle {
        self.background.handle()
    }

    /// Hears of changes.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Runs a crawl that first takes in the pages of an archive. Paused and resumed here, it goes
    /// on with the rest of it.
    pub fn start_with(&self, id: i64, given: Given) {
        self.given().insert(id, Arc::new(given));
        self.start(id);
    }

    /// Forgets the archive of a crawl.
    pub fn drop_given(&self, id: i64) {
        self.given().remove(&id);
    }

    /// Whether a crawl has an archive here that it does not have all of.
    pub fn has_given(&self, id: i64) -> bool {
        self.given().contains_key(&id)
    }

    /// Leaves what is forgotten out of what archives still bring.
    pub fn forget(&self, gone: &ToForget) {
        for given in self.given().values() {
            given.forget(gone);
        }
    }

    fn given(&self) -> MutexGuard<'_, HashMap<i64, Arc<Given>>> {
        self.given.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a crawl whose state is `running`, unless it runs here already.
    pub fn start(&self, id: i64) {
        let new = Entry {
            control: None,
            waiting: Vec::new(),
            rendered: Vec::new(),
        };
        {
            let mut crawls = self.lock();
            if crawls.contains_key(&id) {
                return;
            }
            crawls.insert(id, new);
        }
        let (this, handle) = (self.clone(), self.background());
        std::thread::spawn(move || {
            give_way();
            let mut untold = None;
            loop {
                let ran = catch_unwind(AssertUnwindSafe(|| this.run(id, &handle)));
                let ran = ran.unwrap_or_else(|_| Err(anyhow!("a fault in the program; see above")));
                let failed = ran.is_err();
                if let Err(error) = ran {
                    message!("linkscent: {error:#}");
                    if is_held(&error) {
                        this.leave_to_another(id, &handle);
                        break;
                    }
                    let reason = format!("{error:#}");
                    let set = this.store.set_state(id, CrawlState::Paused, &reason);
                    untold = handle.block_on(set).is_err().then_some(reason);
                }
                if this.leave(id, failed, &handle) {
                    break;
                }
            }
            if let Some(reason) = untold {
                handle.spawn(this.clone().say_why_later(id, reason));
            }
            this.say_changed();
        });
    }

    /// Puts down why a crawl rests as soon as that can be done, as when there is room on a full disk
    /// again; not if it was taken up before.
    async fn say_why_later(self, id: i64, reason: String) {
        loop {
            tokio::time::sleep(SAY_AGAIN).await;
            if self.lock().contains_key(&id) || self.store.is_locked(id) {
                return;
            }
            let paused = self.store.set_state(id, CrawlState::Paused, &reason);
            if paused.await.is_ok() {
                return self.say_changed();
            }
        }
    }

    /// The name of the way that requests go of crawls that run here.
    pub(super) fn way_name(&self) -> String {
        self.way.name()
    }

    /// Takes a crawl off the list that turned out to run elsewhere, and hands over what
    /// it was told here.
    fn leave_to_another(&self, id: i64, handle: &Handle) {
        let waiting = self.lock().remove(&id).map(|entry| entry.waiting);
        for command in waiting.unwrap_or_default() {
            if let Err(error) = handle.block_on(self.store.leave_command(id, &command)) {
                message!("linkscent: crawl {id}: {error:#}");
            }
        }
    }

    /// Takes a crawl that came to rest off the list; false if it was resumed
    /// in the meantime and has to go on. One that failed waits to be resumed.
    fn leave(&self, id: i64, failed: bool, handle: &Handle) -> bool {
        let mut crawls = self.lock();
        let crawl = handle.block_on(self.store.crawl(id));
        let is_running = matches!(crawl, Ok(Some(crawl)) if crawl.state.is_running());
        let resumed = is_running && !failed;
        match crawls.get_mut(&id) {
            Some(entry) if resumed => entry.control = None,
            _ => {
                crawls.remove(&id);
            }
        }
        !resumed
    }

    fn run(&self, id: i64, handle: &Handle) -> Result<()> {
        let run = || {
            let ran = self.run_until_it_rests(id, handle);
            if ran.is_err()
                && let Some(running) = self.lock().get_mut(&id)
                && let Some(control) = running.control.take()
            {
                // What it is told is kept for when it goes on.
                running.waiting.extend(control.undone());
            }
            ran
        };
        through_outages(&self.store, id, handle, || false, run).map(|_| ())
    }

    fn run_until_it_rests(&self, id: i64, handle: &Handle) -> Result<()> {
        let crawl = handle.block_on(self.store.crawl(id))?;
        let crawl = crawl.context("there is no such crawl")?;
        if !crawl.state.is_running() {
            // It was told to rest since it was begun or taken over.
            return Ok(());
        }
        let name = format!("crawl {id}");
        let fetcher = Fetcher::new(self.way.clone())?;
        let store = self.store.clone();
        let runner = Runner::resume(store, crawl, fetcher, handle.clone(), |_, _| {});
        let runner = match runner {
            Err(error) if !is_held(&error) => return Err(error.context(name)),
            runner => runner?,
        };
        let control = runner.control();
        if let Some(running) = self.lock().get_mut(&id) {
            for command in running.waiting.drain(..) {
                control.send(command);
            }
            for (page, html) in running.rendered.drain(..) {
                control.rendered(page, html);
            }
            running.control = Some(control);
        }
        let given = self.given().get(&id).cloned();
        let ran = runner.run_with(given.as_deref(), |_| self.say_changed());
        let (ended, _) = ran.context(name)?;
        if matches!(ended, Ended::Done(_) | Ended::Stopped) {
            self.given().remove(&id);
        }
        Ok(())
    }

    /// Tells live screens that something changed.
    pub fn say_changed(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<i64, Entry>> {
        self.crawls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
