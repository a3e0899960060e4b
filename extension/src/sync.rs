//! Talking to the companion on this machine, and to nobody else: in a channel that
//! only the companion this browser was paired with can open. Whoever else holds its
//! port is told a name and a random number, and hears no more.

use std::cell::RefCell;

use js_sys::{Function, Reflect, Uint8Array};
use linkscent_core::wire::api::{
    Answer, AnswerHead, ApiError, CallHead, ChannelOpened, CrawlOrder, CrawlView, DashboardLink,
    Event, Forget, Forgotten, OpenChannel, PairRequest, PairStarted, Paired, QuestionAnswer,
};
use linkscent_core::wire::channel::{Channel, DeviceKey, Random};
use linkscent_core::wire::pairing::{Attempt, Side};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortSignal, Crypto, Headers, Request, RequestInit, Response};

use crate::store::Settings;

/// Milliseconds the companion has to answer; sending a model takes longest.
const LONGEST: u32 = 20_000;

type Fetched<T> = Result<T, String>;

/// What pairing brought.
pub struct Pairing {
    /// What this browser is called by.
    pub device: String,
    /// The common key.
    pub key: DeviceKey,
}

/// A paired companion, and the channel to it once it is open.
pub struct Companion {
    port: u16,
    pairing: Pairing,
    open: RefCell<Option<Open>>,
}

struct Open {
    name: Vec<u8>,
    channel: Channel,
}

/// What came back in the channel.
struct Answered {
    head: AnswerHead,
    body: Vec<u8>,
}

impl Companion {
    /// The one the settings name, if they do.
    pub fn of(settings: &Settings) -> Option<Self> {
        let key = DeviceKey::from_bytes(&from_hex(settings.key.as_deref()?))?;
        let device = settings.device.clone()?;
        Some(Self {
            port: settings.port,
            pairing: Pairing { device, key },
            open: RefCell::default(),
        })
    }

    /// Sends events; one that was sent before is taken once.
    pub async fn send(&self, events: &[Event]) -> Fetched<()> {
        self.call("POST", "events", Some(json(&events)?)).await?;
        Ok(())
    }

    /// The topic's model and its version, if newer than `version`.
    pub async fn model(&self, topic: &str, version: i64) -> Fetched<Option<(Vec<u8>, i64)>> {
        let path = format!("model?topic={}&version={version}", escape(topic));
        let answer = self.call("GET", &path, None).await?;
        if answer.head.status == 204 {
            return Ok(None);
        }
        Ok(Some((answer.body, answer.head.version.unwrap_or(0))))
    }

    /// The topic's last crawls, newest first.
    pub async fn crawls(&self, topic: &str) -> Fetched<Vec<CrawlView>> {
        let path = format!("crawls?topic={}", escape(topic));
        self.call("GET", &path, None).await?.read()
    }

    /// Hands a topic over.
    pub async fn begin(&self, order: &CrawlOrder) -> Fetched<CrawlView> {
        self.call("POST", "crawls", Some(json(order)?))
            .await?
            .read()
    }

    /// Answers a crawl's question.
    pub async fn answer(&self, crawl: i64, page: &str, answer: Answer) -> Fetched<()> {
        let given = QuestionAnswer {
            address: page.to_owned(),
            answer,
        };
        let path = format!("crawls/{crawl}/answer");
        let answered = self.call("POST", &path, Some(json(&given)?)).await?;
        let _: CrawlView = answered.read()?;
        Ok(())
    }

    /// Has something forgotten.
    pub async fn forget(&self, what: &Forget) -> Fetched<Forgotten> {
        self.call("POST", "forget", Some(json(what)?)).await?.read()
    }

    /// A link that opens the dashboard, once.
    pub async fn dashboard(&self) -> Fetched<String> {
        let link: DashboardLink = self.call("POST", "dashboard", None).await?.read()?;
        Ok(link.link)
    }

    /// Makes a call. A channel that the companion no longer knows, as after it was
    /// started again, is opened once more.
    async fn call(&self, method: &str, path: &str, body: Option<String>) -> Fetched<Answered> {
        let head = CallHead {
            method: method.to_owned(),
            path: path.to_owned(),
        };
        let plain = format!("{}\n{}", json(&head)?, body.unwrap_or_default());
        let sealed = self.seal(plain.as_bytes()).await?;
        let (status, bytes) = match fetch(self.port, "call", Body::Bytes(&sealed)).await? {
            (401, _) => {
                self.open.replace(None);
                let sealed = self.seal(plain.as_bytes()).await?;
                fetch(self.port, "call", Body::Bytes(&sealed)).await?
            }
            answered => answered,
        };
        if status != 200 {
            return Err(problem(status, &bytes));
        }
        let open = self.open.borrow();
        let open = open.as_ref().ok_or("the channel was closed")?;
        let plain = open
            .channel
            .open_answer(&bytes)
            .map_err(|_| stranger(self.port))?;
        let end = plain.iter().position(|&byte| byte == b'\n');
        let (head, rest) = plain.split_at(end.unwrap_or(plain.len()));
        let head: AnswerHead = parse(head)?;
        let body = rest.get(1..).unwrap_or_default().to_vec();
        if head.status >= 400 {
            return Err(problem(head.status, &body));
        }
        Ok(Answered { head, body })
    }

    /// A call as it is sent, in the channel, which is opened if it is not.
    async fn seal(&self, plain: &[u8]) -> Fetched<Vec<u8>> {
        if self.open.borrow().is_none() {
            let open = self.open_channel().await?;
            self.open.replace(Some(open));
        }
        let mut open = self.open.borrow_mut();
        let open = open.as_mut().ok_or("the channel was closed")?;
        let mut message = open.name.clone();
        message.extend(open.channel.call(plain));
        Ok(message)
    }

    /// Opens a channel. Nothing else is sent before the companion has proven that it
    /// knows the key.
    async fn open_channel(&self) -> Fetched<Open> {
        let own: Random = random();
        let asked = OpenChannel {
            device: self.pairing.device.clone(),
            random: hex(&own),
        };
        let (status, bytes) = fetch(self.port, "channel", Body::Json(&json(&asked)?)).await?;
        if status != 200 {
            return Err(problem(status, &bytes));
        }
        let opened: ChannelOpened = parse(&bytes).map_err(|_| stranger(self.port))?;
        let theirs = from_hex(&opened.random).try_into();
        let theirs: Random = theirs.map_err(|_| stranger(self.port))?;
        let key = &self.pairing.key;
        if !key.proves(&own, &theirs, &from_hex(&opened.proof)) {
            return Err(stranger(self.port));
        }
        Ok(Open {
            name: from_hex(&opened.channel),
            channel: key.channel(&own, &theirs),
        })
    }
}

impl Answered {
    fn read<T: DeserializeOwned>(&self) -> Fetched<T> {
        parse(&self.body)
    }
}

fn stranger(port: u16) -> String {
    format!(
        "what answers on port {port} is not the companion this browser was paired with, so it was \
         told nothing: start the companion, or pair again"
    )
}

/// Pairs by code. The companion's proof is checked before ours is sent, so a program
/// that merely holds the port gets nothing.
pub async fn pair(port: u16, code: &str) -> Fetched<Pairing> {
    let (attempt, message) = Attempt::begin(Side::Extension, code, port, random::<64>());
    let start = PairRequest::Start {
        message: hex(&message),
    };
    let started: PairStarted = ask_to_pair(port, &start).await?;
    let key = attempt
        .finish(&from_hex(&started.message))
        .map_err(|error| error.to_string())?;
    if !key.proves(Side::Companion, &from_hex(&started.proof)) {
        return Err(
            "the code does not fit: look at the companion's settings page and try again".to_owned(),
        );
    }
    let finish = PairRequest::Finish {
        attempt: started.attempt,
        proof: hex(&key.proof(Side::Extension)),
        name: "Browser extension".to_owned(),
    };
    let paired: Paired = ask_to_pair(port, &finish).await?;
    Ok(Pairing {
        device: paired.device,
        key: key.device_key(),
    })
}

async fn ask_to_pair<T: DeserializeOwned>(port: u16, request: &PairRequest) -> Fetched<T> {
    let (status, bytes) = fetch(port, "pair", Body::Json(&json(request)?)).await?;
    if status != 200 {
        return Err(problem(status, &bytes));
    }
    parse(&bytes)
}

/// What is sent.
enum Body<'a> {
    Json(&'a str),
    Bytes(&'a [u8]),
}

/// Posts something to the companion's port; status and body of the answer.
async fn fetch(port: u16, path: &str, body: Body<'_>) -> Fetched<(u16, Vec<u8>)> {
    let failed = |error: JsValue| text(&error);
    let headers = Headers::new().map_err(failed)?;
    let init = RequestInit::new();
    init.set_method("POST");
    let (kind, body) = match body {
        Body::Json(text) => ("application/json", JsValue::from(text)),
        Body::Bytes(bytes) => ("application/octet-stream", Uint8Array::from(bytes).into()),
    };
    headers.set("Content-Type", kind).map_err(failed)?;
    init.set_body(&body);
    init.set_headers(&headers);
    init.set_signal(Some(&AbortSignal::timeout_with_u32(LONGEST)));
    let url = format!("http://127.0.0.1:{port}/api/v1/{path}");
    let request = Request::new_with_str_and_init(&url, &init).map_err(failed)?;
    // A service worker has no window: `fetch` is looked up where we are.
    let global = js_sys::global();
    let fetch: Function = Reflect::get(&global, &"fetch".into())
        .and_then(JsCast::dyn_into)
        .map_err(failed)?;
    let promise = fetch.call1(&global, &request).map_err(failed)?;
    let answered = JsFuture::from(js_sys::Promise::resolve(&promise)).await;
    let response: Response = answered
        .map_err(|_| format!("the companion does not answer on port {port}: is it running?"))?
        .dyn_into()
        .map_err(failed)?;
    let buffer = response.array_buffer().map_err(|error| text(&error))?;
    let buffer = JsFuture::from(buffer).await.map_err(|error| text(&error))?;
    Ok((response.status(), Uint8Array::new(&buffer).to_vec()))
}

fn problem(status: u16, body: &[u8]) -> String {
    let said: Fetched<ApiError> = parse(body);
    said.map_or_else(
        |_| format!("the companion answered {status}"),
        |problem| problem.error,
    )
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Fetched<T> {
    serde_json::from_slice(bytes).map_err(|error| error.to_string())
}

fn json<T: Serialize>(value: &T) -> Fetched<String> {
    serde_json::to_string(value).map_err(|error| error.to_string())
}

fn text(error: &JsValue) -> String {
    let message = Reflect::get(error, &"message".into()).ok();
    message
        .and_then(|message| message.as_string())
        .unwrap_or_else(|| "something failed in the browser".to_owned())
}

fn escape(part: &str) -> String {
    js_sys::encode_uri_component(part).into()
}

/// In hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Empty where the text is no hexadecimal; what is made of it then fails.
fn from_hex(text: &str) -> Vec<u8> {
    if !text.is_ascii() || !text.len().is_multiple_of(2) {
        return Vec::new();
    }
    let pairs = (0..text.len()).step_by(2);
    let bytes: Result<Vec<u8>, _> = pairs
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16))
        .collect();
    bytes.unwrap_or_default()
}

/// Random bytes of the browser. Without them nothing here is safe; every
/// browser has them.
pub fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    let crypto = Reflect::get(&js_sys::global(), &"crypto".into());
    let crypto: Crypto = crypto.unwrap_or_default().unchecked_into();
    crypto
        .get_random_values_with_u8_array(&mut bytes)
        .expect("browsers have random numbers");
    bytes
}
