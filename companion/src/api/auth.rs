//! Who may come in. Every request passes [`guard`] first: right `Host`, no
//! foreign `Origin`; then API calls need a bearer token, and dashboard pages
//! the cookie that the printed one-time link sets.

use std::sync::Mutex;

use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, COOKIE, HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Response};

use super::{App, Problem};
use crate::secret;

/// Name of the dashboard's cookie.
pub const COOKIE_NAME: &str = "linkscent";

/// The port, and the dashboard's secrets; they live as long as the process.
pub struct Doors {
    port: u16,
    /// Opens `/enter` once.
    entry: Mutex<Option<String>>,
    cookie: String,
    csrf: String,
}

impl Doors {
    /// Fresh secrets for a server on `port`.
    pub fn new(port: u16) -> Self {
        Self {
            port,
            entry: Mutex::new(None),
            cookie: secret::random_hex::<32>(),
            csrf: secret::random_hex::<32>(),
        }
    }

    /// A link that opens the dashboard, once.
    pub fn entry_link(&self) -> String {
        let key = secret::random_hex::<32>();
        *self
            .entry
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner) = Some(key.clone());
        format!("http://127.0.0.1:{}/enter?key={key}", self.port)
    }

    /// Uses up the key of an entry link; the cookie to set if it was right.
    pub fn enter(&self, key: &str) -> Option<String> {
        let mut entry = self
            .entry
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let right = entry
            .as_deref()
            .is_some_and(|entry| secret::same(entry, key));
        if !right {
            return None;
        }
        *entry = None;
        Some(format!(
            "{COOKIE_NAME}={}; HttpOnly; SameSite=Strict; Path=/",
            self.cookie
        ))
    }

    /// What every form of the dashboard carries.
    pub fn csrf(&self) -> &str {
        &self.csrf
    }

    /// Whether a form's token is right.
    pub fn is_csrf(&self, token: &str) -> bool {
        secret::same(&self.csrf, token)
    }

    fn is_own_host(&self, host: &str) -> bool {
        host == format!("127.0.0.1:{}", self.port) || host == format!("localhost:{}", self.port)
    }

    fn is_own_origin(&self, origin: &str) -> bool {
        origin
            .strip_prefix("http://")
            .is_some_and(|host| self.is_own_host(host))
    }

    fn has_cookie(&self, headers: &HeaderMap) -> bool {
        headers.get_all(COOKIE).iter().any(|value| {
            let pairs = value.to_str().unwrap_or_default().split(';');
            pairs
                .filter_map(|pair| pair.trim().split_once('='))
                .any(|(name, value)| name == COOKIE_NAME && secret::same(value, &self.cookie))
        })
    }
}

/// Lets a request in, or says why not.
pub async fn guard(State(app): State<App>, request: Request, next: Next) -> Response {
    let (headers, path) = (request.headers().clone(), request.uri().path().to_owned());
    match check(&app, &headers, &path).await {
        Ok(()) => harden(next.run(request).await),
        Err(refusal) => harden(refusal),
    }
}

async fn check(app: &App, headers: &HeaderMap, path: &str) -> Result<(), Response> {
    let doors = &app.doors;
    let forbidden = |text: &str| Problem(StatusCode::FORBIDDEN, text.to_owned()).into_response();
    match one(headers, &HOST) {
        Some(host) if doors.is_own_host(host) => {}
        _ => {
            return Err(forbidden(
                "wrong Host header: open the address that linkscent printed",
            ));
        }
    }
    let is_api = path.starts_with("/api/");
    if headers.contains_key(ORIGIN) {
        let origin = one(headers, &ORIGIN).unwrap_or_default();
        let pairing = path == "/api/v1/pair" && is_extension(origin);
        let fine = if is_api {
            pairing || is_paired(app, origin).await
        } else {
            doors.is_own_origin(origin)
        };
        if !fine {
            return Err(forbidden("requests from this origin are not taken"));
        }
    }
    if is_api {
        return check_token(app, path, headers).await;
    }
    let open = matches!(path, "/enter" | "/style.css" | "/live.js");
    if open || doors.has_cookie(headers) {
        return Ok(());
    }
    let text = Html(include_str!("../../templates/locked.html"));
    Err((StatusCode::UNAUTHORIZED, text).into_response())
}

async fn check_token(app: &App, path: &str, headers: &HeaderMap) -> Result<(), Response> {
    if matches!(path, "/api/v1/health" | "/api/v1/pair") {
        return Ok(());
    }
    let token = one(headers, &AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
    if let Some(token) = token
        && let Ok(Some(_)) = app.store.device_with_token(token).await
    {
        return Ok(());
    }
    let text = "this call needs the token of a paired browser: pair again in the popup";
    Err(Problem(StatusCode::UNAUTHORIZED, text.to_owned()).into_response())
}

fn is_extension(origin: &str) -> bool {
    origin.starts_with("chrome-extension://") || origin.starts_with("moz-extension://")
}

async fn is_paired(app: &App, origin: &str) -> bool {
    let devices = app.store.devices().await.unwrap_or_default();
    is_extension(origin) && devices.iter().any(|device| device.origin == origin)
}

/// The header's value if it was sent exactly once.
fn one<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    if values.next().is_some() {
        return None;
    }
    value.to_str().ok()
}

fn harden(mut response: Response) -> Response {
    const HEADERS: [(&str, &str); 5] = [
        (
            "content-security-policy",
            "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; \
             img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        ),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "same-origin"),
        ("cache-control", "no-store"),
        ("cross-origin-resource-policy", "same-origin"),
    ];
    for (name, value) in HEADERS {
        response.headers_mut().insert(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
    }
    response
}
