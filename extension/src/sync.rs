//! Talking to the companion on this machine, and to nobody else.

use js_sys::{Function, Reflect, Uint8Array};
use linkscent_core::wire::api::{
    Answer, ApiError, CrawlOrder, CrawlView, Event, PairRequest, PairStarted, Paired,
    QuestionAnswer,
};
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

/// A paired companion.
pub struct Companion {
    port: u16,
    token: String,
}

impl Companion {
    /// The one the settings name, if they do.
    pub fn of(settings: &Settings) -> Option<Self> {
        Some(Self {
            port: settings.port,
            token: settings.token.clone()?,
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
        let response = self.call("GET", &path, None).await?;
        if response.status() == 204 {
            return Ok(None);
        }
        let version = response.headers().get("x-model-version").ok().flatten();
        let version = version
            .and_then(|version| version.parse().ok())
            .unwrap_or(0);
        let buffer = response.array_buffer().map_err(|error| text(&error))?;
        let buffer = JsFuture::from(buffer).await.map_err(|error| text(&error))?;
        Ok(Some((Uint8Array::new(&buffer).to_vec(), version)))
    }

    /// The topic's last crawls, newest first.
    pub async fn crawls(&self, topic: &str) -> Fetched<Vec<CrawlView>> {
        let path = format!("crawls?topic={}", escape(topic));
        read(self.call("GET", &path, None).await?).await
    }

    /// Hands a topic over.
    pub async fn begin(&self, order: &CrawlOrder) -> Fetched<CrawlView> {
        read(self.call("POST", "crawls", Some(json(order)?)).await?).await
    }

    /// Answers a crawl's question.
    pub async fn answer(&self, crawl: i64, page: &str, answer: Answer) -> Fetched<()> {
        let given = QuestionAnswer {
            address: page.to_owned(),
            answer,
        };
        let path = format!("crawls/{crawl}/answer");
        let answered = self.call("POST", &path, Some(json(&given)?)).await?;
        let _: CrawlView = read(answered).await?;
        Ok(())
    }

    async fn call(&self, method: &str, path: &str, body: Option<String>) -> Fetched<Response> {
        fetch(self.port, method, path, body, Some(&self.token)).await
    }
}

/// Pairs by code; the token. The companion's proof is checked before ours is
/// sent, so a program that merely holds the port gets nothing.
pub async fn pair(port: u16, code: &str) -> Fetched<String> {
    let (attempt, message) = Attempt::begin(Side::Extension, code, port, random::<64>());
    let start = PairRequest::Start {
        message: hex(&message),
    };
    let started: PairStarted =
        read(fetch(port, "POST", "pair", Some(json(&start)?), None).await?).await?;
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
    let paired: Paired =
        read(fetch(port, "POST", "pair", Some(json(&finish)?), None).await?).await?;
    Ok(paired.token)
}

async fn fetch(
    port: u16,
    method: &str,
    path: &str,
    body: Option<String>,
    token: Option<&str>,
) -> Fetched<Response> {
    let failed = |error: JsValue| text(&error);
    let headers = Headers::new().map_err(failed)?;
    if let Some(token) = token {
        let bearer = format!("Bearer {token}");
        headers.set("Authorization", &bearer).map_err(failed)?;
    }
    let init = RequestInit::new();
    init.set_method(method);
    if let Some(body) = body {
        headers
            .set("Content-Type", "application/json")
            .map_err(failed)?;
        init.set_body(&JsValue::from(body));
    }
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
    if response.ok() {
        return Ok(response);
    }
    let status = response.status();
    let problem: Fetched<ApiError> = read(response).await;
    Err(problem.map_or_else(
        |_| format!("the companion answered {status}"),
        |problem| problem.error,
    ))
}

async fn read<T: DeserializeOwned>(response: Response) -> Fetched<T> {
    let body = response.text().map_err(|error| text(&error))?;
    let body = JsFuture::from(body).await.map_err(|error| text(&error))?;
    serde_json::from_str(&body.as_string().unwrap_or_default()).map_err(|error| error.to_string())
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

fn hex(bytes: &[u8]) -> String {
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
