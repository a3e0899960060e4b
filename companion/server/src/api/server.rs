//! Serves a router on a listener. There is a bound on how many connections there are; who comes in
//! addition takes the place of another: first of one that has asked for nothing or does not read its
//! answer, then of one that waits for an answer or asks for nothing more just now, last of one whose
//! answer goes on; of several that of the one that has been idle longest. So whoever holds
//! connections open, sends nothing or reads nothing shuts out nobody but himself.

use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use anyhow::Result;
use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;
use tower::ServiceExt;

const MOST_CONNECTIONS: usize = 256;
const HEADER_TIME: Duration = Duration::from_secs(5);
/// A connection on which nothing could be written for so long is closed: nobody reads there.
const WRITE_TIME: Duration = Duration::from_mins(1);
/// A connection that was idle as long is closed; training a model may take minutes.
const IDLE_TIME: Duration = Duration::from_mins(10);
/// Between two looks for idle connections.
const LOOK_EVERY: Duration = Duration::from_secs(2);
const AFTER_FAILURE: Duration = Duration::from_millis(200);

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
        let line = Arc::new(Line::new(connections.began));
        let number = connections.next.fetch_add(1, Ordering::Relaxed);
        let stream = Watched {
            stream,
            line: Arc::clone(&line),
        };
        let (these, of_service) = (connections.clone(), Arc::clone(&line));
        let router = router.clone();
        let service = service_fn(move |request: Request<Incoming>| {
            of_service.has_asked.store(true, Ordering::Relaxed);
            let line = Arc::clone(&of_service);
            let answer = router.clone().oneshot(request.map(Body::new));
            async move {
                let Ok(response) = answer.await;
                let answering = Answering::of(&line);
                Ok::<_, Infallible>(response.map(|body| Answer {
                    body,
                    _answering: answering,
                }))
            }
        });
        let task = tokio::spawn(async move {
            let _ = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEADER_TIME)
                .serve_connection(TokioIo::new(stream), service)
                .await;
            these.remove(number);
        });
        connections.add(number, task.abort_handle(), line);
    }
}

/// How a connection stands.
struct Line {
    began: Instant,
    /// When it last read or wrote a byte, in milliseconds since the server began.
    progress: AtomicU64,
    /// Whether what it has to say is not taken.
    is_stuck: AtomicBool,
    /// Whether a whole head of a request came.
    has_asked: AtomicBool,
    /// Answers that have begun and are not at their end.
    answering: AtomicUsize,
}

/// Whose place is taken first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// Who has asked for nothing, or does not take the answer.
    Idler,
    /// Who may ask for more, or waits for an answer.
    Between,
    /// Who is being answered, or hears of changes.
    Answered,
}

impl Line {
    fn new(began: Instant) -> Self {
        let line = Self {
            began,
            progress: AtomicU64::new(0),
            is_stuck: AtomicBool::new(false),
            has_asked: AtomicBool::new(false),
            answering: AtomicUsize::new(0),
        };
        line.progresses();
        line
    }

    fn progresses(&self) {
        let now = self.began.elapsed().as_millis() as u64;
        self.progress.store(now, Ordering::Relaxed);
    }

    fn idle(&self) -> Duration {
        let last = Duration::from_millis(self.progress.load(Ordering::Relaxed));
        self.began.elapsed().saturating_sub(last)
    }

    fn rank(&self) -> Rank {
        let is_stuck = self.is_stuck.load(Ordering::Relaxed);
        if is_stuck || !self.has_asked.load(Ordering::Relaxed) {
            Rank::Idler
        } else if self.answering.load(Ordering::Relaxed) > 0 {
            Rank::Answered
        } else {
            Rank::Between
        }
    }

    fn is_over(&self) -> bool {
        let is_stuck = self.is_stuck.load(Ordering::Relaxed);
        let most = if is_stuck { WRITE_TIME } else { IDLE_TIME };
        self.idle() > most
    }
}

/// An answer that has begun, until the last of the answer was handed on.
struct Answering(Arc<Line>);

impl Answering {
    fn of(line: &Arc<Line>) -> Self {
        line.answering.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(line))
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.answering.fetch_sub(1, Ordering::Relaxed);
    }
}

/// An answer's body.
struct Answer {
    body: Body,
    _answering: Answering,
}

impl HttpBody for Answer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Those that are open, by their numbers.
type Open = HashMap<u64, (AbortHandle, Arc<Line>)>;

/// The connections that are open.
#[derive(Clone)]
struct Connections {
    began: Instant,
    open: Arc<Mutex<Open>>,
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
    fn with<T>(&self, act: impl FnOnce(&mut Open) -> T) -> T {
        act(&mut self.open.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, number: u64, task: AbortHandle, line: Arc<Line>) {
        // It may be over already.
        if !task.is_finished() {
            self.with(|open| open.insert(number, (task, line)));
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
            let all = open.iter().map(|(number, (_, line))| {
                let last = line.progress.load(Ordering::Relaxed);
                (line.rank(), last, *number)
            });
            if let Some((_, _, number)) = all.min()
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
            self.with(|open| {
                open.retain(|_, (task, line)| {
                    if line.is_over() {
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
    line: Arc<Line>,
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
            self.line.progresses();
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
            self.line.progresses();
        }
        let is_stuck = written.is_pending();
        self.line.is_stuck.store(is_stuck, Ordering::Relaxed);
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::sync::Notify;

    use super::*;

    async fn connect(port: u16) -> TcpStream {
        TcpStream::connect(("127.0.0.1", port)).await.unwrap()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn silent_connections_take_no_place_of_one_that_is_answered() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let changed = Arc::new(Notify::new());
        let told = Arc::clone(&changed);
        let live = move || {
            let told = Arc::clone(&told);
            let lines = futures_util::stream::unfold(0, move |line| {
                let told = Arc::clone(&told);
                async move {
                    if line > 0 {
                        told.notified().await;
                    }
                    Some((Ok::<_, Infallible>(format!("line {line}\n")), line + 1))
                }
            });
            async move { Body::from_stream(lines) }
        };
        let router = Router::new()
            .route("/live", get(live))
            .route("/", get(async || "here"));
        tokio::spawn(serve(listener, router));
        let mut stream = connect(port).await;
        let request = b"GET /live HTTP/1.1\r\nHost: a.test\r\n\r\n";
        stream.write_all(request).await.unwrap();
        let mut read = async |what: &str| {
            let mut so_far = String::new();
            while !so_far.contains(what) {
                let mut piece = [0; 1_000];
                let bytes = stream.read(&mut piece).await.unwrap();
                assert!(bytes > 0, "closed after {so_far:?}");
                so_far += &String::from_utf8_lossy(&piece[..bytes]);
            }
        };
        read("line 0").await;
        let mut silent = Vec::new();
        for _ in 0..MOST_CONNECTIONS + 50 {
            silent.push(connect(port).await);
        }
        // Who comes then is answered, and so all before were taken in.
        let mut another = connect(port).await;
        let request = b"GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n";
        another.write_all(request).await.unwrap();
        let mut answer = String::new();
        another.read_to_string(&mut answer).await.unwrap();
        assert!(answer.ends_with("here"), "{answer}");
        changed.notify_one();
        read("line 1").await;
        // Those that were closed are silent ones.
        let mut closed = 0;
        for mut stream in silent {
            let mut piece = [0; 1];
            closed += usize::from(matches!(stream.try_read(&mut piece), Ok(0)));
            drop(stream.shutdown().await);
        }
        assert!(closed >= 50, "{closed}");
    }
}
