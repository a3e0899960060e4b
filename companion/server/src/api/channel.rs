//! Calls of paired browsers, each in a channel of its own making: see
//! `linkscent_core::wire::channel`. What comes out of one is asked of the calls as
//! if it were a request of its own; nothing else reaches them.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

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
use crate::api::pairing::tickets::CODE;
use crate::api::pairing::tickets::TicketKey;
use linkscent_store::secret;

/// Channels in use. The one whose first call is longest ago makes room for another.
const MOST_USED: usize = 64;
/// Time from opening a channel to its first call.
const LONGEST_OPENING: Duration = Duration::from_mins(1);
/// Channels whose first call came within that time; more are not taken.
const MOST_BEGUN: usize = 4_096;
/// Bytes of a channel's name, and of the parts of what it says.
const NAME: usize = DEVICE + TIME + RANDOM + RANDOM + CODE;
const DEVICE: usize = 16;
const TIME: usize = 8;
const RANDOM: usize = 32;
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

/// How far the sender of a message has proved who they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Proof {
    /// They name a channel in which a call was made before.
    Proved,
    /// They name a channel that anybody may have opened: only its first call proves more.
    Opening,
    /// They name no channel.
    None,
}

/// The calls that are made in a channel.
#[derive(Clone)]
pub(super) struct Calls(pub Router<App>);

/// The channels that are open; they live as long as the process.
///
/// Whoever knows a browser's identifier can open one, but only the browser can use it. Until its first call a channel
/// is nothing but its name, a ticket. So a channel makes room only for one whose browser proved the key.
pub struct Channels {
    key: TicketKey,
    began: Instant,
    lists: Mutex<Lists>,
}

#[derive(Default)]
struct Lists {
    used: VecDeque<Open>,
    /// Channels whose first call came lately, and when they were opened: none begins twice, as its first call
    /// would be taken again.
    begun: VecDeque<(Name, Duration)>,
}

/// What the name of a channel says.
struct Opening {
    /// Identifier of the browser.
    device: String,
    /// When it was opened, since the process began.
    at: Duration,
    browser: Random,
    companion: Random,
}

/// A call that came out of a channel.
struct Call {
    name: Name,
    number: u64,
    device: i64,
    plain: Vec<u8>,
}

impl Default for Channels {
    fn default() -> Self {
        Self {
            key: TicketKey::random(),
            began: Instant::now(),
            lists: Mutex::default(),
        }
    }
}

impl Opening {
    /// `None` if the device has no identifier.
    fn write(&self) -> Option<Vec<u8>> {
        let device: [u8; DEVICE] = secret::from_hex(&self.device)?.try_into().ok()?;
        let at = u64::try_from(self.at.as_millis()).ok()?.to_be_bytes();
        Some([&device[..], &at, &self.browser, &self.companion].concat())
    }

    fn read(said: &[u8]) -> Option<Self> {
        let (device, said) = said.split_first_chunk::<DEVICE>()?;
        let (at, said) = said.split_first_chunk::<TIME>()?;
        let (browser, companion) = said.split_first_chunk::<RANDOM>()?;
        Some(Self {
            device: secret::hex(device),
            at: Duration::from_millis(u64::from_be_bytes(*at)),
            browser: *browser,
            companion: companion.try_into().ok()?,
        })
    }

    fn is_late(&self, now: Duration) -> bool {
        now.saturating_sub(self.at) > LONGEST_OPENING
    }
}

impl Channels {
    fn lock(&self) -> MutexGuard<'_, Lists> {
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The name of a new channel for a browser, and the companion's random number.
    fn begin(&self, device: &str, browser: Random, now: Duration) -> Option<(Name, Random)> {
        let companion = secret::random_bytes();
        let opening = Opening {
            device: device.to_owned(),
            at: now,
            browser,
            companion,
        };
        let name = self.key.issue(&opening.write()?).try_into().ok()?;
        Some((name, companion))
    }

    /// How the channel of a message was opened, if this is to be its first call.
    fn opening(&self, message: &[u8], now: Duration) -> Option<Opening> {
        let (name, _) = message.split_first_chunk::<NAME>()?;
        if self.lock().used.iter().any(|open| open.name == *name) {
            return None;
        }
        let opening = Opening::read(self.key.open(name)?)?;
        (!opening.is_late(now)).then_some(opening)
    }

    /// How far the sender of a message that begins so has proved who they are.
    pub(super) fn proof(&self, message: &[u8]) -> Proof {
        let now = self.began.elapsed();
        if self.opening(message, now).is_some() {
            return Proof::Opening;
        }
        let lists = self.lock();
        let is_used = lists
            .used
            .iter()
            .any(|open| message.starts_with(&open.name));
        if is_used { Proof::Proved } else { Proof::None }
    }

    /// What a message says, if it was made by the other side of a channel. `first` is the channel, the browser, and
    /// when it was opened, if the message may be its first call.
    fn open(
        &self,
        message: &[u8],
        first: Option<(Channel, i64, Duration)>,
        now: Duration,
    ) -> Option<Call> {
        let (name, sealed) = message.split_first_chunk::<NAME>()?;
        let mut lists = self.lock();
        if let Some(open) = lists.used.iter_mut().find(|open| open.name == *name) {
            let (number, plain) = open.channel.open_call(sealed).ok()?;
            return Some(Call {
                name: *name,
                number,
                device: open.device,
                plain,
            });
        }
        let (mut channel, device, at) = first?;
        let (number, plain) = channel.open_call(sealed).ok()?;
        lists.begin(*name, at, now)?;
        lists.used.push_back(Open {
            name: *name,
            device,
            channel,
        });
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
        lists.used.retain(|open| open.device != device);
    }
}

impl Lists {
    /// Takes a channel for begun; `None` if it was begun before.
    fn begin(&mut self, name: Name, at: Duration, now: Duration) -> Option<()> {
        self.begun
            .retain(|(_, at)| now.saturating_sub(*at) <= LONGEST_OPENING);
        let is_new = self.begun.iter().all(|(begun, _)| *begun != name);
        (is_new && self.begun.len() < MOST_BEGUN).then(|| self.begun.push_back((name, at)))
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
    let known = app.service.accounts.device_key(&asked.device).await?;
    let now = app.channels.began.elapsed();
    let begun = app.channels.begin(&asked.device, browser, now);
    let ((_, key), (name, companion)) = known.zip(begun).ok_or_else(|| {
        let text = "this browser is not paired with this companion: pair again in the popup";
        Problem(StatusCode::FORBIDDEN, text.to_owned())
    })?;
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
    let channels = &app.channels;
    let first = match channels.opening(&message, channels.began.elapsed()) {
        Some(opening) => {
            let known = app.service.accounts.device_key(&opening.device).await?;
            known.map(|(device, key)| {
                let channel = key.channel(&opening.browser, &opening.companion);
                (channel, device, opening.at)
            })
        }
        None => None,
    };
    let call = channels.open(&message, first, channels.began.elapsed());
    let call = call.ok_or_else(refused)?;
    if !app.service.accounts.has_device(call.device).await? {
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

#[cfg(test)]
mod tests {
    use linkscent_core::wire::channel::DeviceKey;

    use super::*;

    const IDENTIFIER: &str = "00112233445566778899aabbccddeeff";
    const NOW: Duration = Duration::from_secs(100);

    struct Stage {
        channels: Channels,
        key: DeviceKey,
    }

    impl Stage {
        fn new() -> Self {
            Self {
                channels: Channels::default(),
                key: DeviceKey::from_bytes(&[7; 32]).unwrap(),
            }
        }

        /// The browser's side of a new channel.
        fn begin(&self) -> (Name, Channel) {
            let browser = secret::random_bytes();
            let (name, companion) = self.channels.begin(IDENTIFIER, browser, NOW).unwrap();
            (name, self.key.channel(&browser, &companion))
        }

        /// Whether a message is taken.
        fn takes(&self, message: &[u8], now: Duration) -> bool {
            let first = self.channels.opening(message, now).map(|opening| {
                let channel = self.key.channel(&opening.browser, &opening.companion);
                (channel, 1, opening.at)
            });
            self.channels.open(message, first, now).is_some()
        }
    }

    fn call(channel: &mut (Name, Channel)) -> Vec<u8> {
        let (name, channel) = channel;
        [&name[..], &channel.call(b"{}")].concat()
    }

    #[test]
    fn strangers_who_open_channels_close_none() {
        let stage = Stage::new();
        let (mut used, mut opened) = (stage.begin(), stage.begin());
        assert!(stage.takes(&call(&mut used), NOW));
        for _ in 0..1_000 {
            // A stranger knows the browser's identifier, and not its key.
            let (name, _) = stage.begin();
            assert!(!stage.takes(&[&name[..], &[0; 40]].concat(), NOW));
        }
        assert!(stage.takes(&call(&mut opened), NOW));
        assert!(stage.takes(&call(&mut used), NOW));
        assert_eq!(stage.channels.lock().used.len(), 2);
    }

    #[test]
    fn a_first_call_is_taken_once_and_soon() {
        let stage = Stage::new();
        let mut channel = stage.begin();
        let first = call(&mut channel);
        assert!(!stage.takes(&first, NOW + LONGEST_OPENING + Duration::from_millis(1)));
        assert!(stage.takes(&first, NOW + LONGEST_OPENING));
        assert!(!stage.takes(&first, NOW));
        // Not even when it has made room for others.
        for _ in 0..MOST_USED {
            assert!(stage.takes(&call(&mut stage.begin()), NOW));
        }
        assert!(!stage.takes(&first, NOW));
        assert!(!stage.takes(&call(&mut channel), NOW));
    }

    #[test]
    fn a_name_that_was_made_elsewhere_opens_nothing() {
        let stage = Stage::new();
        let mut channel = stage.begin();
        let message = call(&mut channel);
        assert!(!Stage::new().takes(&message, NOW));
        for place in 0..message.len() {
            let mut changed = message.clone();
            changed[place] ^= 1;
            assert!(!stage.takes(&changed, NOW), "{place}");
        }
        assert!(!stage.takes(&message[..NAME], NOW) && !stage.takes(&[], NOW));
        assert!(stage.channels.begin("nobody", [0; 32], NOW).is_none());
        assert!(stage.takes(&message, NOW));
    }
}
