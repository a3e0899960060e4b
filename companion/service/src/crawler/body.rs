//! Bodies of answers, read within bounds of time and memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Result, bail};
use reqwest::Response;
use reqwest::header::{CONTENT_ENCODING, TRANSFER_ENCODING};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::answers::header;
use super::faults::Fault;

/// A body must bring so many bytes in each such time; one that takes memory from others, more.
const LEAST_BYTES: usize = 2_000;
const LEAST_OF_LARGE: usize = 16_000;
const RATE_TIME: Duration = Duration::from_secs(4);
/// Bodies that are being read take so much memory together, besides the first piece of each.
const PIECE: usize = 64 << 10;
const MOST_PIECES: usize = 1_024;
/// So long a body waits for memory; then its page is asked for again later.
const LONGEST_WAIT: Duration = Duration::from_secs(20);

/// Memory for bodies that are being read. Clones are the same.
#[derive(Clone)]
pub(super) struct Memory(Arc<Semaphore>);

/// The right to hold a body in memory.
pub(super) type Held = Option<OwnedSemaphorePermit>;

impl Memory {
    pub(super) fn new() -> Self {
        Self(Arc::new(Semaphore::new(MOST_PIECES)))
    }

    /// Room for a body of so many bytes, all of it at once: two that each had a part would wait for
    /// each other for ever.
    async fn hold(&self, bytes: usize) -> Result<OwnedSemaphorePermit> {
        let pieces = bytes.div_ceil(PIECE).min(MOST_PIECES) as u32;
        Ok(Arc::clone(&self.0).acquire_many_owned(pieces).await?)
    }

    /// The first `limit` bytes of the body, with the right to hold them in memory; what comes is
    /// counted. An error if they come too slowly, or packed in a way that nobody asked for.
    pub(super) async fn read(
        &self,
        mut response: Response,
        limit: usize,
        came: &AtomicU64,
    ) -> Result<(Vec<u8>, Held)> {
        if let Some(packed) = still_packed(&response) {
            bail!("the answer is packed as {packed}, which was not asked for");
        }
        // What is unpacked on the way has no length yet.
        let length = response.content_length().unwrap_or(u64::MAX);
        let most = usize::try_from(length).unwrap_or(limit).min(limit);
        let (mut body, mut held) = (Vec::new(), None);
        while body.len() < limit {
            let least = if held.is_some() {
                LEAST_OF_LARGE
            } else {
                LEAST_BYTES
            };
            let wanted = (body.len() + least).min(limit);
            let reading = async {
                while body.len() < wanted {
                    let Some(chunk) = response.chunk().await.map_err(|error| Fault::of(&error))?
                    else {
                        return anyhow::Ok(true);
                    };
                    came.fetch_add(chunk.len() as u64, Ordering::Relaxed);
                    let left = limit - body.len();
                    body.extend_from_slice(&chunk[..chunk.len().min(left)]);
                }
                Ok(false)
            };
            let Ok(is_over) = tokio::time::timeout(RATE_TIME, reading).await else {
                let seconds = RATE_TIME.as_secs();
                bail!("the server is too slow: less than {least} bytes in {seconds} seconds");
            };
            if is_over? {
                break;
            }
            if body.len() >= PIECE && held.is_none() {
                let holding = tokio::time::timeout(LONGEST_WAIT, self.hold(most)).await;
                held = Some(holding.map_err(|_| Fault::NoRoom)??);
            }
        }
        // What it did not come to is for others.
        let unused = held.as_ref().map_or(0, |held: &OwnedSemaphorePermit| {
            held.num_permits()
                .saturating_sub(body.len().div_ceil(PIECE).max(1))
        });
        drop(held.as_mut().and_then(|held| held.split(unused)));
        Ok((body, held))
    }
}

/// In what a body comes that was not unpacked, if it does.
fn still_packed(response: &Response) -> Option<String> {
    // Those that were unpacked are no longer named.
    let content = header(response, CONTENT_ENCODING);
    let content = content.filter(|name| !name.trim().eq_ignore_ascii_case("identity"));
    let transfer = header(response, TRANSFER_ENCODING);
    let transfer = transfer.filter(|name| !name.trim().eq_ignore_ascii_case("chunked"));
    content.or(transfer).filter(|name| !name.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use bytes::Bytes;
    use hyper::body::{Body, Frame};

    use super::*;

    /// A body of 100,000 bytes at every second look.
    struct Slow(u32);

    impl Body for Slow {
        type Data = Bytes;
        type Error = io::Error;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            context: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
            self.0 = match self.0.checked_sub(1) {
                None => return Poll::Ready(None),
                Some(left) => left,
            };
            if self.0.is_multiple_of(2) {
                let piece = Bytes::from(vec![b'a'; 100_000]);
                return Poll::Ready(Some(Ok(Frame::data(piece))));
            }
            context.waker().wake_by_ref();
            Poll::Pending
        }
    }

    fn answer(headers: &[(&str, &str)], body: Vec<u8>) -> Response {
        let mut answer = axum::http::Response::builder();
        for (name, value) in headers {
            answer = answer.header(*name, *value);
        }
        answer.body(body).unwrap().into()
    }

    #[tokio::test]
    async fn many_large_bodies_at_once_all_come_to_their_end() {
        let memory = Memory::new();
        // Four times as many as there is memory for, in pieces that take turns.
        let bytes = 4 << 20;
        let reading = (0..64).map(|_| {
            let memory = memory.clone();
            tokio::spawn(async move {
                let body = reqwest::Body::wrap(Slow(100));
                let response: Response = axum::http::Response::new(body).into();
                let read = memory.read(response, bytes, &AtomicU64::new(0)).await;
                read.map(|(body, _)| body.len()).unwrap()
            })
        });
        let reading: Vec<_> = reading.collect();
        for body in reading {
            assert_eq!(body.await.unwrap(), bytes);
        }
        assert_eq!(memory.0.available_permits(), MOST_PIECES);
    }

    #[tokio::test]
    async fn a_body_takes_no_more_memory_than_it_says_it_has_bytes() {
        let memory = Memory::new();
        let read = async |body: usize, limit| {
            let response = answer(&[], vec![b'a'; body]);
            memory
                .read(response, limit, &AtomicU64::new(0))
                .await
                .unwrap()
        };
        let (body, held) = read(10_000, 4 << 20).await;
        assert!(body.len() == 10_000 && held.is_none());
        let (body, held) = read(200_000, 4 << 20).await;
        assert_eq!(body.len(), 200_000);
        assert_eq!(held.map(|held| held.num_permits()), Some(4));
        let (body, _) = read(200_000, 150_000).await;
        assert_eq!(body.len(), 150_000);
        // Of one whose length nobody says all that it may come to is held, until it has come.
        let response: Response = axum::http::Response::new(reqwest::Body::wrap(Slow(4))).into();
        let read = memory.read(response, 4 << 20, &AtomicU64::new(0)).await;
        let held = read.unwrap().1.map(|held| held.num_permits());
        assert_eq!(held, Some(4), "200,000 bytes");
    }

    #[tokio::test]
    async fn what_is_packed_in_another_way_is_no_page() {
        let memory = Memory::new();
        for (name, value, is_read) in [
            ("content-encoding", "br", false),
            ("content-encoding", "gzip, gzip", false),
            ("content-encoding", "identity", true),
            ("transfer-encoding", "gzip, chunked", false),
            ("transfer-encoding", "chunked", true),
        ] {
            let response = answer(&[(name, value)], b"<p>bees".to_vec());
            let read = memory.read(response, 100, &AtomicU64::new(0)).await;
            assert_eq!(read.is_ok(), is_read, "{name}: {value}");
        }
    }
}
