//! Requests put down as they begin and as their answers come, before these are read and anything is
//! learned from them: a crawl that is killed and taken up does not ask again for what was answered.

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Result;
use linkscent_core::address::Address;
use linkscent_core::codec::{decode, encode};
use lz4_flex::block::{compress_prepend_size, decompress_size_prepended};

use crate::crawler::fetch::Brought;
use crate::crawler::fetch::Fetcher;
use crate::crawler::fetch::Got;
use crate::crawler::reply::Answered;
use crate::crawler::reply::Hindrance;
use crate::crawler::reply::Reply;
use crate::crawler::validators::Validators;
use crate::crawler::workers::Heard;
use crate::crawler::workers::Request;
use crate::crawler::workers::write_page;
use linkscent_store::clock;
use linkscent_store::{InFlight, Unfinished};

/// Makes requests and puts them down. Clones are the same.
#[derive(Clone)]
pub(in crate::crawler) struct Recorded {
    in_flight: InFlight,
    /// Pages whose answers whoever ran the crawl before left.
    left: Arc<Mutex<HashSet<String>>>,
    /// Whether it was said that they cannot be put down.
    is_told: Arc<AtomicBool>,
}

impl Recorded {
    /// For a crawl that nobody else runs, with what whoever ran it before left.
    pub async fn open(path: &Path) -> Result<(Self, Unfinished)> {
        let (in_flight, unfinished) = InFlight::open(path, clock::now()).await?;
        let left = unfinished.answered.iter().cloned().collect();
        let recorded = Self {
            in_flight,
            left: Arc::new(Mutex::new(left)),
            is_told: Arc::default(),
        };
        Ok((recorded, unfinished))
    }

    /// Asks for a page, unless its answer is there already.
    pub async fn page(
        &self,
        fetcher: &Fetcher,
        address: &Address,
        known: Option<&Validators>,
        delay: Duration,
    ) -> Result<Answered, Hindrance> {
        if let Some(brought) = self.left(address, known).await {
            return Ok(fetcher.read(address, brought, known).await);
        }
        let page = address.as_str();
        self.tell(self.in_flight.begin(page, clock::now()).await);
        let came = fetcher.ask(address, known, delay).await;
        let brought = match came {
            // They say nothing of the page, and it is asked for again.
            Err(_)
            | Ok(Brought {
                got: Got::Reply(Reply::PutOff(_) | Reply::Later(..)),
                ..
            }) => {
                self.tell(self.in_flight.end([page]).await);
                came
            }
            Ok(brought) => self.put_down(page, brought).await,
        }?;
        Ok(fetcher.read(address, brought, known).await)
    }

    async fn put_down(&self, page: &str, brought: Brought) -> Result<Brought, Hindrance> {
        let written = tokio::task::spawn_blocking(move || written(brought));
        // An error if the runtime ends.
        let (brought, bytes) = written.await.map_err(|_| Hindrance::AtRest)?;
        self.tell(self.in_flight.answer(page, &bytes).await);
        Ok(brought)
    }

    /// The answer that whoever ran the crawl before left, once.
    async fn left(&self, address: &Address, known: Option<&Validators>) -> Option<Brought> {
        let is_left = {
            let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
            left.remove(address.as_str())
        };
        if !is_left {
            return None;
        }
        let bytes = self.in_flight.answer_to(address.as_str()).await.ok()??;
        let (address, known) = (address.clone(), known.cloned());
        let reading = tokio::task::spawn_blocking(move || brought(&bytes, &address, known));
        reading.await.ok()?
    }

    /// Forgets requests that are in the log.
    pub async fn end<'a>(&self, pages: impl Iterator<Item = &'a str>) {
        self.tell(self.in_flight.end(pages).await);
    }

    /// Forgets all: the crawl has come to its end.
    pub async fn close(&self) {
        self.tell(self.in_flight.close().await);
    }

    /// A crawl goes on without: what it costs is that pages are asked for again after it was killed.
    fn tell(&self, put_down: Result<()>) {
        if let Err(error) = put_down
            && !self.is_told.swap(true, Ordering::Relaxed)
        {
            tracing::warn!("requests under way are not put down: {error:#}");
        }
    }
}

/// Stands before a body that is still to be read. Other answers begin with their form.
const BODY: u8 = b'B';

/// What a request brought, as bytes too.
fn written(brought: Brought) -> (Brought, Vec<u8>) {
    let Brought { got, took } = brought;
    match got {
        Got::Reply(reply) => {
            let answered = Answered { reply, took };
            let bytes = write_page(&answered);
            let got = Got::Reply(answered.reply);
            (Brought { got, took }, bytes)
        }
        Got::Body(body) => {
            let mut bytes = vec![BODY];
            bytes.extend(compress_prepend_size(&encode(&(took, &body))));
            let got = Got::Body(body);
            (Brought { got, took }, bytes)
        }
    }
}

/// What a request for a page brought that these bytes hold; none if they cannot be read.
fn brought(bytes: &[u8], address: &Address, known: Option<Validators>) -> Option<Brought> {
    if let Some((&BODY, packed)) = bytes.split_first() {
        let (took, body) = decode(&decompress_size_prepended(packed).ok()?).ok()?;
        let got = Got::Body(body);
        return Some(Brought { got, took });
    }
    let request = Request {
        address: address.to_string(),
        is_robots: false,
        known,
        delay: 0,
        trace: None,
    };
    match Heard::read(bytes, &request, address).ok()? {
        Heard::Page(Answered { reply, took }) => {
            let got = Got::Reply(reply);
            Some(Brought { got, took })
        }
        Heard::Robots(_) => None,
    }
}

/// What is said of requests that were under way when a crawl was cut short; `None` if there were none.
pub(in crate::crawler) fn summary(crawl: i64, unfinished: &Unfinished) -> Option<String> {
    let (answered, asked) = (unfinished.answered.len(), unfinished.unanswered.len());
    (answered + asked > 0).then(|| {
        format!(
            "crawl {crawl} was cut short: {answered} pages that had been answered are not fetched \
             again, and for {asked} pages that were asked no answer was recorded"
        )
    })
}
