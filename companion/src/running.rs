//! The crawls that run in this process: begun, taken up after a restart, told
//! to pause or stop.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result, anyhow};
use linkscent_core::wire::write_model;
use tokio::runtime::Handle;
use tokio::sync::watch;

use crate::crawler::fetch::{Fetcher, Way};
use crate::crawler::runner::{Command, Control, Runner};
use crate::store::{NewCrawl, Order, Store, Topic};
use crate::topic_guide;

/// See the module.
#[derive(Clone)]
pub struct Running {
    store: Store,
    way: Way,
    crawls: Arc<Mutex<HashMap<i64, Entry>>>,
    /// Counts whatever changes; screens wait for the next count.
    changes: Arc<watch::Sender<u64>>,
}

struct Entry {
    control: Option<Control>,
    waiting: Vec<Command>,
}

impl Running {
    /// Nothing runs yet.
    pub fn new(store: Store, way: Way) -> Self {
        Self {
            store,
            way,
            crawls: Arc::default(),
            changes: Arc::new(watch::channel(0).0),
        }
    }

    /// Takes up every crawl that was running when the process ended.
    pub async fn take_up_all(&self) -> Result<()> {
        for crawl in self.store.crawls(None).await? {
            if crawl.state == "running" {
                self.start(crawl.id);
            }
        }
        Ok(())
    }

    /// Begins a crawl; returns its number.
    pub async fn begin(&self, topic: &Topic, order: &Order) -> Result<i64> {
        let guide = topic_guide::of(&self.store, topic, None, None).await?;
        let start_model = write_model(&guide.knowledge())?;
        let new = NewCrawl {
            topic: topic.id,
            order,
            start_model: &start_model,
        };
        let id = self.store.begin_crawl(&new).await?;
        self.start(id);
        Ok(id)
    }

    /// Goes on with a paused crawl.
    pub async fn resume(&self, id: i64) -> Result<()> {
        self.store.set_state(id, "running", "").await?;
        self.start(id);
        Ok(())
    }

    /// Tells a running crawl something; false if it does not run.
    pub fn tell(&self, id: i64, command: Command) -> bool {
        match self.lock().get_mut(&id) {
            Some(running) => {
                if let Some(control) = &running.control {
                    return control.tell(command);
                }
                running.waiting.push(command);
                true
            }
            None => false,
        }
    }

    /// Hears of changes.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    fn start(&self, id: i64) {
        let new = Entry {
            control: None,
            waiting: Vec::new(),
        };
        {
            let mut crawls = self.lock();
            if crawls.contains_key(&id) {
                return;
            }
            crawls.insert(id, new);
        }
        let (this, handle) = (self.clone(), Handle::current());
        std::thread::spawn(move || {
            loop {
                let ran = catch_unwind(AssertUnwindSafe(|| this.run(id, &handle)));
                let ran = ran.unwrap_or_else(|_| Err(anyhow!("a fault in the program; see above")));
                let failed = ran.is_err();
                if let Err(error) = ran {
                    eprintln!("linkscent: crawl {id}: {error:#}");
                    let reason = format!("{error:#}");
                    let set = this.store.set_state(id, "paused", &reason);
                    let _ = handle.block_on(set);
                }
                if this.leave(id, failed, &handle) {
                    break;
                }
            }
            this.say_changed();
        });
    }

    /// Takes a crawl that came to rest off the list; false if it was resumed
    /// in the meantime and has to go on. One that failed waits to be resumed.
    fn leave(&self, id: i64, failed: bool, handle: &Handle) -> bool {
        let mut crawls = self.lock();
        let crawl = handle.block_on(self.store.crawl(id));
        let is_running = matches!(crawl, Ok(Some(crawl)) if crawl.state == "running");
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
        let crawl = handle.block_on(self.store.crawl(id))?;
        let crawl = crawl.context("there is no such crawl")?;
        let fetcher = Fetcher::new(self.way.clone())?;
        let store = self.store.clone();
        let runner = Runner::take_up(store, crawl, fetcher, handle.clone(), |_, _| {})?;
        let control = runner.control();
        if let Some(running) = self.lock().get_mut(&id) {
            for command in running.waiting.drain(..) {
                control.tell(command);
            }
            running.control = Some(control);
        }
        runner.run(|_| self.say_changed())?;
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
