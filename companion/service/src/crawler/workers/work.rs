//! The side of a worker: takes requests, makes them, many at a time, and answers each.
//!
//! It says every second that it is there. Where it could not for four, it breaks all its requests off
//! and starts again: its requests are about to be given to others.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::future::{Future, pending, poll_fn};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use linkscent_core::address::Address;
use sqlx::postgres::{PgListener, PgNotification};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout, timeout_at};
use tracing::Instrument;

use super::limits::LIMITS;
use super::wire::{Heard, Request};
use crate::crawler::fetch::Fetcher;
use crate::crawler::reply::{Answered, Hindrance, Reply};
use crate::crawler::turn::TurnTaker;
use crate::traces;
use linkscent_store::secret::random_bytes;
use linkscent_store::{Lease, Presence, StoreResult, Turns, WorkerSecret, Workers};

/// Requests that a worker makes at a time.
const AT_ONCE: usize = 64;
/// It says so often that it is there.
const BEAT: Duration = Duration::from_secs(1);
/// Where it could not say so for so long, it gives up; others give it up two seconds later.
const SURE: Duration = Duration::from_secs(4);
/// Where nobody says that there is something to do, it looks after so long on average.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// Where enough others hear that there is something to do, it asks again after so long.
const LISTEN_AGAIN: Duration = Duration::from_secs(30);
/// What went wrong is tried again after so long.
const AGAIN: Duration = Duration::from_millis(300);
/// What keeps it from making requests is given so long to pass.
const HINDERED: Duration = Duration::from_secs(2);
/// Answers handed in at a time, and bytes of them; one may be larger, up to what is taken of one.
const MOST_ANSWERS: usize = 32;
const MOST_BYTES: usize = 8 << 20;

const NO_ANSWER: &str = "the database does not answer";
/// Said to a worker that would ask real hosts for a crawl that leaves them no rest.
const OTHER_WEB: &str =
    "there is a crawl of a web that is replayed: give this worker the same --proxy";

/// A program that makes the requests of crawls.
pub struct Worker {
    workers: Workers,
    fetcher: Fetcher,
    name: String,
    /// The one that it was before, whose end nobody heard of.
    former: Mutex<Option<WorkerSecret>>,
}

/// A worker from when it joined until it ends or is given up.
struct Life {
    secret: WorkerSecret,
    /// When it began to say the last time that it is there, and was heard.
    sure: Mutex<Instant>,
    /// What keeps it from its work; empty if nothing does.
    problem: Mutex<String>,
    /// What it has to do.
    has: Mutex<BTreeSet<i64>>,
    /// As long as it lives, requests wait for their turn.
    goes_on: Arc<()>,
}

/// Something to do, and its place among all that is done at a time: until it is answered, or given up
/// for whatever reason. Then others may do it.
struct Held {
    lease: i64,
    life: Arc<Life>,
    _place: OwnedSemaphorePermit,
}

impl Drop for Held {
    fn drop(&mut self) {
        lock(&self.life.has).remove(&self.lease);
    }
}

/// An answer to be handed in.
type Done = (Held, Vec<u8>);

impl Life {
    /// Whether the others believe that it is there.
    fn is_sure(&self) -> bool {
        lock(&self.sure).elapsed() < SURE
    }
}

impl Worker {
    /// One that goes that way.
    pub fn new(workers: Workers, fetcher: Fetcher, name: String) -> Self {
        Self {
            workers,
            fetcher,
            name,
            former: Mutex::default(),
        }
    }

    /// Works until it is told to end. A database that does not answer is waited for.
    pub async fn work(&self, told_to_end: impl Future<Output = ()>) {
        let mut told_to_end = std::pin::pin!(told_to_end);
        loop {
            match self.live(told_to_end.as_mut()).await {
                Ok(None) => return,
                Ok(Some(why)) => message!("linkscent: {why}; it starts again"),
                Err(error) => message!("linkscent: {error}; it starts again"),
            }
            tokio::select! {
                () = told_to_end.as_mut() => return,
                () = sleep(AGAIN) => {}
            }
        }
    }

    /// From joining to leaving: why it has to start again; nothing if it was told to end.
    async fn live(
        &self,
        mut told_to_end: Pin<&mut impl Future<Output = ()>>,
    ) -> StoreResult<Option<&'static str>> {
        let begun = Instant::now();
        let mut presence = tokio::select! {
            () = told_to_end.as_mut() => return Ok(None),
            joined = timeout(SURE, self.workers.join(&self.name)) => match joined {
                Ok(joined) => joined?,
                Err(_) => return Ok(Some(NO_ANSWER)),
            },
        };
        let former = lock(&self.former).take();
        if let Some(former) = former
            && !matches!(
                timeout(SURE, presence.end_former(&former)).await,
                Ok(Ok(()))
            )
        {
            tracing::warn!("the database did not hear that this worker had ended: it will miss it");
        }
        let life = Arc::new(Life {
            secret: presence.secret().clone(),
            sure: Mutex::new(begun),
            problem: Mutex::default(),
            has: Mutex::default(),
            goes_on: Arc::default(),
        });
        let mut under_way = JoinSet::new();
        let (answers, done) = channel(AT_ONCE);
        let ended = tokio::select! {
            () = told_to_end => Ok(None),
            why = beat(&mut presence, &life) => Ok(Some(why)),
            why = self.take_work(&life, &mut under_way, answers) => why.map(Some),
            never = self.hand_in(&life, done) => match never {},
        };
        // None is under way any more when others may ask the same hosts.
        under_way.shutdown().await;
        let left = timeout(SURE, presence.leave()).await;
        if !matches!(left, Ok(Ok(()))) {
            *lock(&self.former) = Some(life.secret.clone());
        }
        ended
    }

    /// Takes requests as there is room for them, and makes them; ends where the database does not answer.
    async fn take_work(
        &self,
        life: &Arc<Life>,
        under_way: &mut JoinSet<()>,
        answers: Sender<Done>,
    ) -> StoreResult<&'static str> {
        let (mut listener, mut asked) = (
            self.workers.listen_for_tasks(&life.secret).await?,
            Instant::now(),
        );
        let room = Arc::new(Semaphore::new(AT_ONCE));
        loop {
            while under_way.try_join_next().is_some() {}
            if !lock(&life.problem).is_empty() {
                sleep(HINDERED).await;
                lock(&life.problem).clear();
            }
            wait_for_room(&room, &mut listener).await;
            let most = i32::try_from(room.available_permits()).unwrap_or(i32::MAX);
            let has: Vec<i64> = lock(&life.has).iter().copied().collect();
            // What it does not hear of is another's the next time that it asks.
            let Ok(leases) = timeout(SURE, self.workers.take(&life.secret, &has, most)).await
            else {
                return Ok(NO_ANSWER);
            };
            let leases = leases?;
            if leases.is_empty() {
                wait_for_tasks(&mut listener).await;
                if listener.is_none() && asked.elapsed() > LISTEN_AGAIN {
                    (listener, asked) = (
                        self.workers.listen_for_tasks(&life.secret).await?,
                        Instant::now(),
                    );
                }
            }
            for lease in leases {
                let Ok(place) = Arc::clone(&room).acquire_owned().await else {
                    continue;
                };
                lock(&life.has).insert(lease.lease);
                let held = Held {
                    lease: lease.lease,
                    life: Arc::clone(life),
                    _place: place,
                };
                let (workers, fetcher) = (self.workers.clone(), self.fetcher.clone());
                let (life, answers) = (Arc::clone(life), answers.clone());
                under_way.spawn(async move {
                    let request = pin!(request(&workers, fetcher, &life, &lease));
                    match while_sure(&life, request).await {
                        Some(Ok(Some(answer))) => drop(answers.send((held, answer)).await),
                        Some(Err(problem)) => *lock(&life.problem) = problem,
                        Some(Ok(None)) | None => {}
                    }
                });
            }
        }
    }

    /// Hands answers in, those that are there at a time.
    async fn hand_in(&self, life: &Life, mut done: Receiver<Done>) -> Infallible {
        loop {
            let (mut held, mut answers, mut bytes) = (Vec::new(), Vec::new(), 0);
            while bytes < MOST_BYTES && answers.len() < MOST_ANSWERS {
                let one = if answers.is_empty() {
                    done.recv().await
                } else {
                    done.try_recv().ok()
                };
                let Some((place, answer)) = one else {
                    break;
                };
                bytes += answer.len();
                answers.push((place.lease, answer));
                held.push(place);
            }
            if answers.is_empty() {
                // Nobody works any more, so this ends, too.
                pending::<()>().await;
            }
            while let Err(error) = self.workers.answer(&life.secret, &answers).await {
                tracing::warn!("answers are handed in again: {error}");
                sleep(AGAIN).await;
            }
        }
    }
}

/// Says again and again that the worker is there; ends where nobody hears it.
async fn beat(presence: &mut Presence, life: &Life) -> &'static str {
    loop {
        let (begun, until) = (Instant::now(), *lock(&life.sure) + SURE);
        let problem = lock(&life.problem).clone();
        match timeout_at(until, presence.live(&problem)).await {
            Ok(Ok(true)) => *lock(&life.sure) = begun,
            Ok(Ok(false)) => return "the requests of this worker were given to others",
            _ => return NO_ANSWER,
        }
        sleep_until(begun + BEAT).await;
    }
}

/// Makes a request; its answer, or nothing where the worker's life has ended meanwhile. An error is what
/// keeps it from making any.
async fn request(
    workers: &Workers,
    fetcher: Fetcher,
    life: &Life,
    lease: &Lease,
) -> Result<Option<Vec<u8>>, String> {
    let read = Request::read(&lease.asked).map_err(|error| error.to_string())?;
    let address = Address::parse(&read.address).map_err(|error| error.to_string())?;
    let delay = Duration::from_millis(read.delay);
    let fetcher = if !delay.is_zero() {
        let turns = Turns::of_worker(workers, &life.secret, lease.crawl);
        fetcher.in_turn(TurnTaker::new(turns, &life.goes_on))
    } else if fetcher.is_replay() {
        fetcher
    } else {
        return Err(OTHER_WEB.to_owned());
    };
    let asking = async {
        if read.is_robots {
            fetcher.robots(&address, delay).await.map(Heard::Robots)
        } else {
            let page = fetcher.page(&address, read.known.as_ref(), delay).await;
            page.map(Heard::Page)
        }
    };
    let work = tracing::debug_span!(parent: None, "work", crawl = lease.crawl);
    traces::follow(&work, read.trace.as_deref());
    let heard = asking.instrument(work).await;
    match heard {
        Ok(heard) => {
            let written = tokio::task::spawn_blocking(move || heard.write()).await;
            let written = written.map_err(|error| error.to_string())?;
            if written.len() > LIMITS.packed {
                let reply = Reply::Problem("its page is too large to be handed in".to_owned());
                return Ok(Some(Heard::Page(Answered::nothing(reply)).write()));
            }
            Ok(Some(written))
        }
        Err(Hindrance::AtRest) => Ok(None),
        Err(hindrance) => Err(hindrance.to_string()),
    }
}

/// What comes of something as long as the others believe that its worker is there. A program that was
/// stopped for a while goes on with nothing.
async fn while_sure<T>(life: &Life, mut work: Pin<&mut impl Future<Output = T>>) -> Option<T> {
    poll_fn(|context| {
        if life.is_sure() {
            work.as_mut().poll(context).map(Some)
        } else {
            Poll::Ready(None)
        }
    })
    .await
}

/// Until there is room for a request; what is heard meanwhile is looked at then.
async fn wait_for_room(room: &Semaphore, listener: &mut Option<PgListener>) {
    loop {
        tokio::select! {
            _ = room.acquire() => return,
            task = heard(listener) => {
                if task.is_err() {
                    sleep(AGAIN).await;
                }
            }
        }
    }
}

/// Until somebody says that there is something to do, or it is time to look.
async fn wait_for_tasks(listener: &mut Option<PgListener>) {
    // Many that wait look one after the other.
    let share = f64::from(u16::from_le_bytes(random_bytes())) / f64::from(u16::MAX);
    let look_after = LOOK_EVERY.mul_f64(0.5 + share);
    match timeout(look_after, heard(listener)).await {
        Ok(Ok(_)) | Err(_) => {}
        Ok(Err(_)) => sleep(AGAIN).await,
    }
}

/// Something that is to do; never where others hear of it.
async fn heard(listener: &mut Option<PgListener>) -> sqlx::Result<PgNotification> {
    match listener {
        Some(listener) => listener.recv().await,
        None => pending().await,
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
