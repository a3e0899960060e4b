//! The side of whoever runs a crawl: puts its requests down for workers, many at a time, and passes on what
//! they answer, each answer once.
//!
//! Where the database does not answer for a while, what was asked stays asked: afterwards it is looked
//! what of it is still there, and the rest is asked again.

use std::collections::{BTreeMap, HashSet};
use std::future::pending;
use std::time::{Duration, Instant};

use linkscent_core::address::Address;
use linkscent_core::crawl::Robots;
use sqlx::postgres::PgListener;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tracing::Span;

use super::wire::{Heard, Request, WireError};
use crate::crawler::reply::{Answered, Answers, Came, Reply};
use crate::crawler::validators::Validators;
use crate::traces;
use linkscent_store::{CrawlRow, Store, StoreResult, Workers};

/// Answers taken at a time.
const AT_ONCE: i64 = 64;
const SOON: Duration = Duration::from_millis(5);
/// Where nobody says that there are answers, it is looked for some after so long.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// A database that does not answer is asked again after so long.
const AGAIN: Duration = Duration::from_millis(300);
/// So often it is looked whether what was asked is still there, and whether there are workers at all.
const CHECK_EVERY: Duration = Duration::from_secs(5);
/// A request whose answers cannot be read is given to so many workers in all.
const MOST_TRIES: u32 = 3;

/// Said where nobody makes the requests of a crawl.
const NO_WORKERS: &str = "no worker is there to make its requests: start `linkscent team work` with the same \
                        database, on this machine or another";

/// Asks workers for what a crawl needs. When it is dropped, nothing more is asked or passed on.
pub struct Asking {
    workers: Workers,
    crawl: i64,
    asks: UnboundedSender<Request>,
    exchange: JoinHandle<()>,
}

impl Asking {
    /// For a crawl that nobody else runs, and that has asked for nothing. What comes is told to
    /// `answers`.
    pub(in crate::crawler) fn begin(
        workers: &Workers,
        store: &Store,
        crawl: &CrawlRow,
        answers: Answers,
        handle: &Handle,
    ) -> Self {
        let (asks, asked) = unbounded_channel();
        let exchange = Exchange {
            workers: workers.clone(),
            store: store.clone(),
            crawl: crawl.clone(),
            answers,
            asked,
            waiting: Vec::new(),
            open: BTreeMap::new(),
            is_in_doubt: false,
            checked: Instant::now(),
            lacked_workers: false,
        };
        Self {
            workers: workers.clone(),
            crawl: crawl.id,
            asks,
            exchange: handle.spawn(exchange.run()),
        }
    }

    /// Asks for a page, or for the robots.txt of its host.
    pub(in crate::crawler) fn ask(
        &self,
        address: &Address,
        is_robots: bool,
        known: Option<Validators>,
        delay: Duration,
        task: &Span,
    ) {
        let request = Request {
            address: address.to_string(),
            is_robots,
            known,
            delay: u64::try_from(delay.as_millis()).unwrap_or(u64::MAX),
            trace: traces::told(task),
        };
        // It ends with this alone.
        let _ = self.asks.send(request);
    }

    /// Ends it, and takes back what workers have not done yet.
    pub(in crate::crawler) async fn end(&self) -> StoreResult<()> {
        self.exchange.abort();
        // What it was about to put down is there by then, or never.
        while !self.exchange.is_finished() {
            tokio::time::sleep(SOON).await;
        }
        self.workers.take_back(self.crawl).await
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        self.exchange.abort();
    }
}

/// What was asked and not answered.
struct Open {
    request: Request,
    /// To how many workers it was given whose answers could not be read.
    tries: u32,
}

struct Exchange {
    workers: Workers,
    store: Store,
    crawl: CrawlRow,
    answers: Answers,
    asked: UnboundedReceiver<Request>,
    /// To be put down.
    waiting: Vec<Open>,
    /// Put down, by number.
    open: BTreeMap<i64, Open>,
    /// Whether something came between: answers may have been taken that did not arrive.
    is_in_doubt: bool,
    checked: Instant,
    /// Whether there were no workers when it was looked last.
    lacked_workers: bool,
}

impl Exchange {
    async fn run(mut self) {
        let mut listener = None;
        loop {
            match self.round(&mut listener).await {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => {
                    tracing::warn!("crawl {}: asking workers: {error}", self.crawl.id);
                    (self.is_in_doubt, listener) = (true, None);
                    tokio::time::sleep(AGAIN).await;
                }
            }
        }
    }

    /// Puts down what is asked, and takes what was answered; false where nobody asks any more.
    async fn round(&mut self, listener: &mut Option<PgListener>) -> StoreResult<bool> {
        if listener.is_none() {
            *listener = Some(self.workers.listen_for_answers().await?);
        }
        if self.is_in_doubt || self.checked.elapsed() > CHECK_EVERY {
            self.check().await?;
        }
        self.put_down().await?;
        if self.take().await? {
            return Ok(true);
        }
        let mut asked = Vec::new();
        let heard = async {
            match listener {
                Some(listener) => answered(listener, self.crawl.id).await,
                None => pending().await,
            }
        };
        tokio::select! {
            count = self.asked.recv_many(&mut asked, usize::MAX) => {
                if count == 0 {
                    return Ok(false);
                }
            }
            () = heard => {}
            () = tokio::time::sleep(LOOK_EVERY), if !self.open.is_empty() => {}
        }
        let asked = asked.into_iter();
        self.waiting
            .extend(asked.map(|request| Open { request, tries: 0 }));
        Ok(true)
    }

    async fn put_down(&mut self) -> StoreResult<()> {
        while let Ok(request) = self.asked.try_recv() {
            self.waiting.push(Open { request, tries: 0 });
        }
        if self.waiting.is_empty() {
            return Ok(());
        }
        let asked: Vec<Vec<u8>> = self
            .waiting
            .iter()
            .map(|open| open.request.write())
            .collect();
        let numbers = self.workers.ask(self.crawl.id, &asked).await?;
        for (number, open) in numbers.into_iter().zip(std::mem::take(&mut self.waiting)) {
            // A server that crashed may give a number again.
            self.waiting.extend(self.open.insert(number, open));
        }
        Ok(())
    }

    /// Looks what of all that was asked is still there, and asks the rest again.
    async fn check(&mut self) -> StoreResult<()> {
        let there: HashSet<i64> = self
            .workers
            .asked(self.crawl.id)
            .await?
            .into_iter()
            .collect();
        let gone = self
            .open
            .extract_if(.., |number, _| !there.contains(number));
        let gone: Vec<Open> = gone.map(|(_, open)| open).collect();
        self.waiting.extend(gone);
        (self.is_in_doubt, self.checked) = (false, Instant::now());
        let lacks_workers = !self.open.is_empty() && self.workers.all().await?.is_empty();
        if lacks_workers && !self.lacked_workers {
            let (topic, crawl) = (self.crawl.topic, Some(self.crawl.id));
            self.store.notice(topic, crawl, NO_WORKERS).await?;
        }
        self.lacked_workers = lacks_workers;
        self.workers.end_stuck_workers().await?;
        self.put_down().await
    }

    /// Takes answers and passes them on; whether there may be more.
    async fn take(&mut self) -> StoreResult<bool> {
        if self.open.is_empty() {
            return Ok(false);
        }
        let answers = self.workers.take_answers(self.crawl.id, AT_ONCE).await?;
        let are_there = !answers.is_empty();
        // Several are read at a time.
        let mut reading = Vec::new();
        for (number, said) in answers {
            // One that is not known was asked again, and is answered again.
            if let Some(open) = self.open.remove(&number) {
                let request = open.request.clone();
                let read = tokio::task::spawn_blocking(move || heard(&request, &said));
                reading.push((open, read));
            }
        }
        for (open, read) in reading {
            let heard = read.await.unwrap_or(Err(WireError::Other));
            self.pass_on(open, heard);
        }
        Ok(are_there)
    }

    fn pass_on(&mut self, mut open: Open, heard: Result<Came, WireError>) {
        let came = match heard {
            Ok(came) => came,
            Err(error) => {
                let (address, is_robots) = (&open.request.address, open.request.is_robots);
                tracing::warn!("a worker's answer on {address} cannot be read: {error}");
                open.tries += 1;
                if open.tries < MOST_TRIES {
                    self.waiting.push(open);
                    return;
                }
                let Ok(address) = Address::parse(address) else {
                    return;
                };
                let why = format!("what workers answered cannot be read: {error}");
                if is_robots {
                    Came::Robots(address, Ok(Robots::deny_all(why)))
                } else {
                    Came::Page(address, Ok(Answered::nothing(Reply::Problem(why))))
                }
            }
        };
        self.answers.tell(came);
    }
}

fn heard(request: &Request, said: &[u8]) -> Result<Came, WireError> {
    let address = Address::parse(&request.address).map_err(|_| WireError::Other)?;
    Ok(match Heard::read(said, request, &address)? {
        Heard::Page(answered) => Came::Page(address, Ok(answered)),
        Heard::Robots(robots) => Came::Robots(address, Ok(robots)),
    })
}

/// Until there are answers to a crawl's requests; those to others are passed over.
async fn answered(listener: &mut PgListener, crawl: i64) {
    let crawl = crawl.to_string();
    // Where nothing can be heard it is looked for them all the same.
    while listener
        .recv()
        .await
        .is_ok_and(|said| said.payload() != crawl)
    {}
}
