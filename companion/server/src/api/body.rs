//! Bodies of requests: read whole within a size and a time, and handled away from the server's
//! threads if they are large.

use std::collections::BTreeSet;
use std::io;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use bytes::BytesMut;
use futures_util::StreamExt;
use linkscent_core::budget::MESSAGE;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, timeout, timeout_at};

use super::channel::Proof;
use super::sender::Sender;
use super::visitors::{as_before, visitor};
use super::{App, Problem};
use linkscent_service::supervisor::priority::give_way;

/// Largest body, in bytes: some hundred marked pages with their words.
pub const LARGEST_BODY: usize = MESSAGE.bytes;
/// Bytes up to which anybody may send a body, and it needs no place.
const SMALL_BODY: usize = 64 << 10;
/// Places for larger bodies, from where they are read until they are answered.
static LARGE_BODIES: Semaphore = Semaphore::const_new(3);
/// Turn for a larger body that is the first call of its channel.
static FIRST_CALLS: Semaphore = Semaphore::const_new(1);
/// Threads on which larger bodies are handled. Parsing one may take seconds, and others are answered
/// meanwhile.
static LARGE_WORK: LazyLock<io::Result<Runtime>> = LazyLock::new(|| {
    Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .thread_name("linkscent-bodies")
        .on_thread_start(give_way)
        .build()
});
/// Bytes a second that a body has to bring at least.
const LEAST_RATE: f64 = (256 << 10) as f64;

/// What a body may take while it is read.
struct Terms {
    /// Places for large bodies.
    places: &'static Semaphore,
    /// How long a body may take, besides [`LEAST_RATE`].
    time: Duration,
    /// How long a body may bring nothing while it has a place.
    stall: Duration,
    /// How long a body waits for a place.
    wait: Duration,
}

const TERMS: Terms = Terms {
    places: &LARGE_BODIES,
    time: Duration::from_secs(5),
    stall: Duration::from_secs(2),
    wait: Duration::from_secs(20),
};

/// Why a body was not read.
#[derive(Debug, PartialEq, Eq)]
enum Unread {
    /// It has more bytes than may be sent.
    Large(usize),
    /// It came too slowly, or broke off.
    Slow,
    /// There was no place for it.
    Busy,
    /// Another one of the same account is being handled.
    Another,
}

impl IntoResponse for Unread {
    fn into_response(self) -> Response {
        let (status, text) = match self {
            Self::Large(most) => (
                StatusCode::PAYLOAD_TOO_LARGE,
                format!("a call may send at most {most} bytes"),
            ),
            Self::Slow => (
                StatusCode::REQUEST_TIMEOUT,
                "the body took too long".to_owned(),
            ),
            Self::Busy => (
                StatusCode::SERVICE_UNAVAILABLE,
                "other large requests are being handled: try again in a while".to_owned(),
            ),
            Self::Another => (
                StatusCode::TOO_MANY_REQUESTS,
                "another large request of yours is being handled: wait for its answer".to_owned(),
            ),
        };
        Problem(status, text).into_response()
    }
}

/// Reads a request's body whole before it is handled. Comes behind the guard, which says who the
/// [`Sender`] is.
pub async fn whole_body(State(app): State<App>, request: Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    let sender = head.extensions.get().copied().unwrap_or(Sender::Stranger);
    let turn = |beginning: &[u8]| match sender {
        Sender::Known => Turn::of(visitor().map(|visitor| visitor.id)),
        Sender::Browser => Turn::of_browser(app.channels.proof(beginning)),
        Sender::Stranger => Err(Unread::Large(SMALL_BODY)),
    };
    let (body, place) = match read(body, turn, &TERMS).await {
        Ok(read) => read,
        Err(unread) => return unread.into_response(),
    };
    let request = Request::from_parts(head, body.into());
    let (Some(place), Ok(threads)) = (place, &*LARGE_WORK) else {
        return next.run(request).await;
    };
    // It keeps its place until it is handled, whether or not somebody waits for the answer.
    let handling = as_before(async move {
        let response = next.run(request).await;
        drop(place);
        response
    });
    let handled = threads.spawn(handling).await;
    handled.unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}

/// Accounts whose large bodies are read or handled just now.
static ACCOUNTS: Mutex<BTreeSet<i64>> = Mutex::new(BTreeSet::new());

/// The right to send a large body: an account has one at a time, so that nobody holds all places.
#[derive(Debug, Default)]
struct Turn {
    account: Option<i64>,
    /// The one turn that all channels share in which no call was made yet.
    _opening: Option<SemaphorePermit<'static>>,
}

impl Turn {
    /// The turn of a browser. Channels that anybody may have opened have one turn together, so that
    /// strangers never hold all places.
    fn of_browser(proof: Proof) -> Result<Self, Unread> {
        let opening = match proof {
            Proof::Proved => None,
            Proof::Opening => Some(FIRST_CALLS.try_acquire().map_err(|_| Unread::Busy)?),
            Proof::None => return Err(Unread::Large(SMALL_BODY)),
        };
        Ok(Self {
            account: None,
            _opening: opening,
        })
    }

    /// The turn of an account, or of somebody who needs none.
    fn of(account: Option<i64>) -> Result<Self, Unread> {
        let Some(id) = account else {
            return Ok(Self::default());
        };
        let mut accounts = ACCOUNTS.lock().unwrap_or_else(PoisonError::into_inner);
        if accounts.insert(id) {
            Ok(Self {
                account,
                _opening: None,
            })
        } else {
            Err(Unread::Another)
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(id) = self.account {
            let mut accounts = ACCOUNTS.lock().unwrap_or_else(PoisonError::into_inner);
            accounts.remove(&id);
        }
    }
}

/// What a large body has until it is handled.
#[derive(Debug)]
struct Place {
    _turn: Turn,
    _permit: SemaphorePermit<'static>,
}

/// A body, and the place it has if it is large.
async fn read(
    body: Body,
    turn: impl Fn(&[u8]) -> Result<Turn, Unread>,
    terms: &Terms,
) -> Result<(Bytes, Option<Place>), Unread> {
    let mut pieces = body.into_data_stream();
    let (mut whole, mut place) = (BytesMut::new(), None);
    let mut begun = Instant::now();
    loop {
        let for_bytes = Duration::from_secs_f64(whole.len() as f64 / LEAST_RATE);
        let mut end = begun + terms.time + for_bytes;
        if place.is_some() {
            end = end.min(Instant::now() + terms.stall);
        }
        let piece = timeout_at(end, pieces.next()).await;
        let Some(piece) = piece.map_err(|_| Unread::Slow)? else {
            return Ok((whole.freeze(), place));
        };
        whole.extend_from_slice(&piece.map_err(|_| Unread::Slow)?);
        if whole.len() > LARGEST_BODY {
            return Err(Unread::Large(LARGEST_BODY));
        }
        if whole.len() > SMALL_BODY && place.is_none() {
            let turn = turn(&whole)?;
            let waited = Instant::now();
            let free = timeout(terms.wait, terms.places.acquire()).await;
            let free = free.map_err(|_| Unread::Busy)?;
            place = Some(Place {
                _turn: turn,
                _permit: free.map_err(|_| Unread::Busy)?,
            });
            begun += waited.elapsed();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use futures_util::stream;

    use super::*;

    fn of(bytes: usize) -> Body {
        Body::from(vec![b'a'; bytes])
    }

    /// A body that brings so many bytes and never ends.
    fn endless(bytes: usize) -> Body {
        let piece = Ok::<_, Infallible>(Bytes::from(vec![b'a'; bytes]));
        Body::from_stream(stream::once(async { piece }).chain(stream::pending()))
    }

    #[tokio::test]
    async fn a_body_is_read_up_to_its_bound() {
        for bytes in [0, SMALL_BODY, SMALL_BODY + 1, LARGEST_BODY] {
            let (body, place) = read(of(bytes), |_| Ok(Turn::default()), &TERMS)
                .await
                .unwrap();
            assert_eq!(body.len(), bytes);
            assert_eq!(place.is_some(), bytes > SMALL_BODY);
        }
        let refused = read(of(LARGEST_BODY + 1), |_| Ok(Turn::default()), &TERMS).await;
        assert_eq!(refused.unwrap_err(), Unread::Large(LARGEST_BODY));
    }

    #[tokio::test]
    async fn a_stranger_gets_no_place() {
        static NONE: Semaphore = Semaphore::const_new(0);
        let terms = Terms {
            places: &NONE,
            ..TERMS
        };
        assert!(
            read(of(SMALL_BODY), |_| Err(Unread::Large(SMALL_BODY)), &terms)
                .await
                .is_ok()
        );
        // It is refused before it ends and without a place, of which there is none.
        let refused = read(
            endless(SMALL_BODY + 1),
            |_| Err(Unread::Large(SMALL_BODY)),
            &terms,
        )
        .await;
        assert_eq!(refused.unwrap_err(), Unread::Large(SMALL_BODY));
    }

    #[tokio::test]
    async fn a_body_that_brings_nothing_loses_its_place() {
        static ONE: Semaphore = Semaphore::const_new(1);
        let terms = Terms {
            places: &ONE,
            stall: Duration::from_millis(20),
            ..TERMS
        };
        let refused = read(endless(SMALL_BODY + 1), |_| Ok(Turn::default()), &terms).await;
        assert_eq!(refused.unwrap_err(), Unread::Slow);
        let (_, place) = read(of(SMALL_BODY + 1), |_| Ok(Turn::default()), &terms)
            .await
            .unwrap();
        let terms = Terms {
            wait: Duration::from_millis(20),
            ..terms
        };
        let refused = read(of(SMALL_BODY + 1), |_| Ok(Turn::default()), &terms).await;
        assert_eq!(refused.unwrap_err(), Unread::Busy);
        drop(place);
    }

    #[test]
    fn channels_that_nobody_proved_have_one_turn_together() {
        let refused = Turn::of_browser(Proof::None).unwrap_err();
        assert_eq!(refused, Unread::Large(SMALL_BODY));
        let turn = Turn::of_browser(Proof::Opening).unwrap();
        let refused = Turn::of_browser(Proof::Opening).unwrap_err();
        assert_eq!(refused, Unread::Busy);
        assert!(Turn::of_browser(Proof::Proved).is_ok());
        drop(turn);
        assert!(Turn::of_browser(Proof::Opening).is_ok());
    }

    #[test]
    fn an_account_has_one_turn_at_a_time() {
        let turn = Turn::of(Some(-1)).unwrap();
        assert_eq!(Turn::of(Some(-1)).unwrap_err(), Unread::Another);
        assert!(Turn::of(Some(-2)).is_ok() && Turn::of(None).is_ok());
        drop(turn);
        assert!(Turn::of(Some(-1)).is_ok());
    }

    #[tokio::test]
    async fn a_body_that_comes_too_slowly_is_given_up() {
        let terms = Terms {
            time: Duration::from_millis(50),
            ..TERMS
        };
        let slow = stream::unfold((), |()| async {
            tokio::time::sleep(Duration::from_millis(5)).await;
            Some((Ok::<_, Infallible>(Bytes::from_static(b"a")), ()))
        });
        let refused = read(Body::from_stream(slow), |_| Ok(Turn::default()), &terms).await;
        assert_eq!(refused.unwrap_err(), Unread::Slow);
    }
}
