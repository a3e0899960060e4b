//! Posting to the companion's port by the browser's `fetch`.

use js_sys::{Function, Promise, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortSignal, Headers, Request, RequestInit, Response};

use super::Browser;
use crate::js_values::message;
use crate::ports::{Body, Network, NetworkError};

/// Milliseconds the companion has to answer; sending a model takes longest.
const LONGEST: u32 = 20_000;

impl Network for Browser {
    async fn post(
        &self,
        port: u16,
        path: &str,
        body: Body<'_>,
    ) -> Result<(u16, Vec<u8>), NetworkError> {
        let request = request(port, path, body).map_err(failed)?;
        // A service worker has no window: `fetch` is looked up where we are.
        let global = js_sys::global();
        let fetch: Function = Reflect::get(&global, &"fetch".into())
            .and_then(JsCast::dyn_into)
            .map_err(failed)?;
        let promise = fetch.call1(&global, &request).map_err(failed)?;
        let answered = JsFuture::from(Promise::resolve(&promise)).await;
        let response: Response = answered
            .map_err(|_| NetworkError::Silent(port))?
            .dyn_into()
            .map_err(failed)?;
        let buffer = response.array_buffer().map_err(failed)?;
        let buffer = JsFuture::from(buffer).await.map_err(failed)?;
        Ok((response.status(), Uint8Array::new(&buffer).to_vec()))
    }
}

fn request(port: u16, path: &str, body: Body<'_>) -> Result<Request, JsValue> {
    let headers = Headers::new()?;
    let init = RequestInit::new();
    init.set_method("POST");
    let (kind, body) = match body {
        Body::Json(text) => ("application/json", JsValue::from(text)),
        Body::Bytes(bytes) => ("application/octet-stream", Uint8Array::from(bytes).into()),
    };
    headers.set("Content-Type", kind)?;
    init.set_body(&body);
    init.set_headers(&headers);
    init.set_signal(Some(&AbortSignal::timeout_with_u32(LONGEST)));
    let url = format!("http://127.0.0.1:{port}/api/v1/{path}");
    Request::new_with_str_and_init(&url, &init)
}

fn failed(error: JsValue) -> NetworkError {
    NetworkError::Browser(message(&error).0)
}
