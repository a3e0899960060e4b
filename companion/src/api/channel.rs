//! Calls of paired browsers, each in a channel of its own making: see
//! `linkscent_core::wire::channel`. What comes out of one is asked of the calls as
//! if it were a request of its own; nothing else reaches them.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::Context;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use axum::http::{Method, Request, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json, Router};
use linkscent_core::wire::api::{AnswerHead, ApiError, CallHead, ChannelOpened, OpenChannel};
use linkscent_core::wire::channel::{Channel, Random};
use tower::ServiceExt;

use super::problem::WRONG;
use super::{App, Problem};
use crate::secret;

/// Channels that were opened and not used yet, and those in use; the oldest go.
const MOST_OPENED: usize = 64;
const MOST_USED: usize = 64;
/// Bytes of a channel's name.
const NAME: usize = 16;
/// Largest answer, in bytes: a model.
const LARGEST_ANSWER: usize = 64 << 20;
/// Where a model's version stands.
pub const MODEL_VERSION: &str = "x-model-version";

type Name = [u8; NAME];

struct Open {
    name: Name,
    device: i64,
    channel: Channel,
}

/// The calls that are made in a channel.
#[derive(Clone)]
pub(super) struct Calls(pub Router<App>);

/// The channels that are open; they live as long as the process.
#[derive(Default)]
pub struct Channels(Mutex<Lists>);

#[derive(Default)]
struct Lists {
    /// Whoever knows a browser's name can open one, but not use it.
    opened: VecDeque<Open>,
    used: VecDeque<Open>,
}

/// A call that came out of a channel.
struct Call {
    name: Name,
    number: u64,
    device: i64,
    plain: Vec<u8>,
}

impl Channels {
    fn lock(&self) -> MutexGuard<'_, Lists> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, open: Open) {
        let mut lists = self.lock();
        lists.opened.push_back(open);
        if lists.opened.len() > MOST_OPENED {
            lists.opened.pop_front();
        }
    }

    /// Whether a message begins with the name of a channel that is open.
    pub(super) fn knows(&self, message: &[u8]) -> bool {
        let lists = self.lock();
        let mut all = lists.used.iter().chain(&lists.opened);
        all.any(|open| message.starts_with(&open.name))
    }

    /// What a message says, if it was made by the other side of a channel.
    fn open(&self, message: &[u8]) -> Option<Call> {
        let (name, sealed) = message.split_first_chunk::<NAME>()?;
        let mut lists = self.lock();
        let place = lists.used.iter().position(|open| open.name == *name);
        if let Some(place) = place {
            let open = &mut lists.used[place];
            let (number, plain) = open.channel.open_call(sealed).ok()?;
            return Some(Call {
                name: *name,
                number,
                device: open.device,
                plain,
            });
        }
        let place = lists.opened.iter().position(|open| open.name == *name)?;
        let (number, plain) = lists.opened[place].channel.open_call(sealed).ok()?;
        let open = lists.opened.remove(place)?;
        let device = open.device;
        lists.used.push_back(open);
        if lists.used.len() > MOST_USED {
            lists.used.pop_front();
        }
        Some(Call {
            name: *name,
            number,
            device,
            plain,
        })
    }

    fn answer(&self, call: &Call, plain: &[u8]) -> Option<Vec<u8>> {
        let lists = self.lock();
        let open = lists.used.iter().find(|open| open.name == call.name)?;
        Some(open.channel.answer(call.number, plain))
    }

    /// Closes all channels of a browser that is forgotten.
    pub fn close(&self, device: i64) {
        let mut lists = self.lock();
        lists.opened.retain(|open| open.device != device);
        lists.used.retain(|open| open.device != device);
    }
}

/// Open a channel
///
/// The companion proves at once that it knows the key.
#[utoipa::path(
    operation_id = "open_channel",
    post,
    path = "/api/v1/channel",
    request_body = OpenChannel,
    responses(
        (status = 200, body = ChannelOpened,
         description = "the channel, and the companion's proof that it knows the key"),
        (status = 400, description = WRONG, body = ApiError),
        (status = 403, description = WRONG, body = ApiError),
        (status = 413, description = WRONG, body = ApiError),
        (status = 415, description = WRONG, body = ApiError),
        (status = 422, description = WRONG, body = ApiError),
    )
)]
pub(super) async fn open(
    State(app): State<App>,
    asked: Result<Json<OpenChannel>, JsonRejection>,
) -> Result<Json<ChannelOpened>, Problem> {
    let Json(asked) = asked?;
    let random = secret::from_hex(&asked.random).and_then(|bytes| bytes.try_into().ok());
    let browser: Random = random.ok_or_else(|| Problem::bad("random is 64 hexadecimal digits"))?;
    let known = app.service.store.device_key(&asked.device).await?;
    let (device, key) = known.ok_or_else(|| {
        let text = "this browser is not paired with this companion: pair again in the popup";
        Problem(StatusCode::FORBIDDEN, text.to_owned())
    })?;
    let companion = secret::random_bytes();
    let name: Name = secret::random_bytes();
    app.channels.add(Open {
        name,
        device,
        channel: key.channel(&browser, &companion),
    });
    Ok(Json(ChannelOpened {
        channel: secret::hex(&name),
        random: secret::hex(&companion),
        proof: secret::hex(&key.proof(&browser, &companion)),
    }))
}

/// Make a call in a channel
///
/// The answer goes back in it.
#[utoipa::path(
    operation_id = "call_in_channel",
    post,
    path = "/api/v1/call",
    request_body(
        content_type = "application/octet-stream",
        description = "the channel's bytes, the call's number, the sealed call"
    ),
    responses(
        (status = 200, content_type = "application/octet-stream",
         description = "the answer, in the channel"),
        (status = 401, description = WRONG, body = ApiError),
        (status = 413, description = WRONG, body = ApiError),
    )
)]
pub(super) async fn call(
    State(app): State<App>,
    Extension(Calls(calls)): Extension<Calls>,
    message: Bytes,
) -> Result<Vec<u8>, Problem> {
    let refused = || {
        let text = "this call was not made in a channel that is open: open one";
        Problem(StatusCode::UNAUTHORIZED, text.to_owned())
    };
    let call = app.channels.open(&message).ok_or_else(refused)?;
    if !app.service.store.has_device(call.device).await? {
        app.channels.close(call.device);
        return Err(refused());
    }
    let response = match request(&call.plain) {
        Ok(request) => {
            let Ok(response) = calls.with_state(app.clone()).oneshot(request).await;
            response
        }
        Err(problem) => problem.into_response(),
    };
    let answer = plain(response).await?;
    app.channels.answer(&call, &answer).ok_or_else(refused)
}

/// The request in a call: a line of JSON, then the body.
fn request(call: &[u8]) -> Result<Request<Body>, Problem> {
    let end = call.iter().position(|&byte| byte == b'\n');
    let (head, rest) = call.split_at(end.unwrap_or(call.len()));
    let head: CallHead =
        serde_json::from_slice(head).map_err(|error| Problem::bad(error.to_string()))?;
    let method = Method::from_bytes(head.method.as_bytes())
        .map_err(|error| Problem::bad(error.to_string()))?;
    let request = Request::builder()
        .method(method)
        .uri(format!("/api/v1/{}", head.path))
        .header("content-type", "application/json");
    let body = Body::from(rest.get(1..).unwrap_or_default().to_vec());
    request
        .body(body)
        .map_err(|error| Problem::bad(error.to_string()))
}

/// The answer as it goes into a channel: a line of JSON, then the body.
async fn plain(response: Response) -> anyhow::Result<Vec<u8>> {
    let version = response.headers().get(MODEL_VERSION);
    let version = version.and_then(|version| version.to_str().ok());
    let head = AnswerHead {
        status: response.status().as_u16(),
        version: version.and_then(|version| version.parse().ok()),
    };
    let mut plain = serde_json::to_vec(&head)?;
    plain.push(b'\n');
    let body = to_bytes(response.into_body(), LARGEST_ANSWER).await;
    plain.extend_from_slice(&body.context("the answer is too large")?);
    Ok(plain)
}
