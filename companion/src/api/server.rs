//! Serves a router on a listener. There is a bound on how many connections there
//! are; who comes in addition takes the place of the one that has been idle longest.
//! So whoever holds connections open, sends nothing or reads nothing shuts out nobody
//! but himself.

use std::collections::HashMap;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use anyhow::Result;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::{Router, body};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;

use super::Problem;

const MOST_CONNECTIONS: usize = 256;
const HEADER_TIME: Duration = Duration::from_secs(10);
const BODY_TIME: Duration = Duration::from_secs(20);
/// A connection that was idle as long is closed; training a model may take minutes.
const IDLE_TIME: Duration = Duration::from_mins(10);
/// Between two looks for idle connections.
const LOOK_EVERY: Duration = Duration::from_secs(5);
const AFTER_FAILURE: Duration = Duration::from_millis(200);
/// A call may send so many bytes: some hundred marked pages with their words.
pub const LARGEST_BODY: usize = 16 << 20;

/// Serves for ever.
pub async fn serve(listener: TcpListener, router: Router) -> Result<()> {
    let connections = Connections::default();
    tokio::spawn(connections.clone().close_idle());
    loop {
        // An accept may fail for a while, such as for want of file handles.
        let Ok((stream, _)) = listener.accept().await else {
            connections.close_longest_idle();
            tokio::time::sleep(AFTER_FAILURE).await;
            continue;
        };
        connections.make_room();
        // An answer is not held back until the last one was acknowledged.
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(router.clone());
        let (number, progress) = connections.next_number();
        let stream = Watched {
            stream,
            progress: Arc::clone(&progress),
            began: connections.began,
        };
        let these = connections.clone();
        let task = tokio::spawn(async move {
            let _ = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEADER_TIME)
                .serve_connection(TokioIo::new(stream), service)
                .await;
            these.remove(number);
        });
        connections.add(number, task.abort_handle(), progress);
    }
}

/// Reads a request's body whole before it is handled, within a time and a size.
/// Comes behind the guard: of strangers nothing is read.
pub async fn whole_body(request: Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    let read = tokio::time::timeout(BODY_TIME, body::to_bytes(body, LARGEST_BODY));
    match read.await {
        Ok(Ok(body)) => next.run(Request::from_parts(head, body.into())).await,
        Ok(Err(_)) => Problem(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("a call may send at most {LARGEST_BODY} bytes"),
        )
        .into_response(),
        Err(_) => Problem(
            StatusCode::REQUEST_TIMEOUT,
            "the body took too long".to_owned(),
        )
        .into_response(),
    }
}

/// When a connection last read or wrote a byte, in milliseconds since the server began.
type Progress = Arc<AtomicU64>;

/// The connections that are open.
#[derive(Clone)]
struct Connections {
    began: Instant,
    open: Arc<Mutex<HashMap<u64, (AbortHandle, Progress)>>>,
    next: Arc<AtomicU64>,
}

impl Default for Connections {
    fn default() -> Self {
        Self {
            began: Instant::now(),
            open: Arc::default(),
            next: Arc::default(),
        }
    }
}

impl Connections {
    fn now(&self) -> u64 {
        self.began.elapsed().as_millis() as u64
    }

    fn next_number(&self) -> (u64, Progress) {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        (number, Arc::new(AtomicU64::new(self.now())))
    }

    fn with<T>(&self, act: impl FnOnce(&mut HashMap<u64, (AbortHandle, Progress)>) -> T) -> T {
        act(&mut self.open.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, number: u64, task: AbortHandle, progress: Progress) {
        // It may be over already.
        if !task.is_finished() {
            self.with(|open| open.insert(number, (task, progress)));
        }
    }

    fn remove(&self, number: u64) {
        self.with(|open| open.remove(&number));
    }

    fn make_room(&self) {
        if self.with(|open| open.len()) >= MOST_CONNECTIONS {
            self.close_longest_idle();
        }
    }

    fn close_longest_idle(&self) {
        self.with(|open| {
            open.retain(|_, (task, _)| !task.is_finished());
            let idle = open
                .iter()
                .map(|(number, (_, progress))| (progress.load(Ordering::Relaxed), *number));
            if let Some((_, number)) = idle.min()
                && let Some((task, _)) = open.remove(&number)
            {
                task.abort();
            }
        });
    }

    /// Closes what is idle too long, for ever.
    async fn close_idle(self) {
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            let now = self.now();
            self.with(|open| {
                open.retain(|_, (task, progress)| {
                    let idle = now.saturating_sub(progress.load(Ordering::Relaxed));
                    if idle > IDLE_TIME.as_millis() as u64 {
                        task.abort();
                    }
                    !task.is_finished()
                });
            });
        }
    }
}

/// A stream that notes when it read or wrote something.
struct Watched {
    stream: TcpStream,
    progress: Progress,
    began: Instant,
}

impl Watched {
    fn note(&self) {
        let now = self.began.elapsed().as_millis() as u64;
        self.progress.store(now, Ordering::Relaxed);
    }
}

impl AsyncRead for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.note();
        }
        read
    }
}

impl AsyncWrite for Watched {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        if matches!(written, Poll::Ready(Ok(1..))) {
            self.note();
        }
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
