//! Who may come in. Every request passes [`guard`] first: right `Host`, no foreign `Origin`, not
//! asked for by another page. The API's calls are made in channels of paired browsers (see
//! `channel`), or with a token (see `tokens`).
//! Pages of the dashboard lie under an address that holds a secret, and the printed
//! one-time link leads there.
//!
//! There is no cookie: a browser sends cookies to every port of this machine, so to
//! every program on it. The secret stands in addresses of this port alone, which no
//! other site is told (`Referrer-Policy: same-origin`), needs no script, and ends with
//! the process: who takes the port later learns nothing that is worth anything.

use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::extract::{Request, State};
use axum::http::header::{CONTENT_LENGTH, HOST, LOCATION, ORIGIN, TRANSFER_ENCODING};
use axum::http::uri::{Authority, PathAndQuery};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Response};

use super::tokens::permitted;
use super::{App, Problem, visitors};
use crate::secret;

/// What the addresses of the dashboard's pages begin with, as the templates need it.
#[derive(Debug, Clone)]
pub struct Base(pub String);

/// An address on the web under which people reach this program, by something on this machine that
/// speaks TLS and passes their requests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicSite {
    /// Host, and port if it is another than usual.
    host: String,
}

impl PublicSite {
    /// From `https://` and a host.
    pub fn named(address: &str) -> Option<Self> {
        let address = address.strip_suffix('/').unwrap_or(address);
        let host = address.strip_prefix("https://")?.to_ascii_lowercase();
        let authority: Authority = host.parse().ok()?;
        let is_host = !authority.host().is_empty() && !host.contains('@');
        is_host.then_some(Self { host })
    }

    fn origin(&self) -> String {
        format!("https://{}", self.host)
    }
}

/// The port, and the dashboard's secrets; they live as long as the process.
pub struct AccessControl {
    port: u16,
    /// Where people sign in, if they do.
    public: Option<PublicSite>,
    /// Opens `/enter` once.
    entry: Mutex<Option<String>>,
    /// Stands in the addresses of the dashboard's pages.
    session: String,
    csrf: String,
}

impl AccessControl {
    /// Fresh secrets for a server on `port`.
    pub fn new(port: u16) -> Self {
        Self {
            port,
            public: None,
            entry: Mutex::new(None),
            session: secret::random_hex::<32>(),
            csrf: secret::random_hex::<32>(),
        }
    }

    /// The same for people who sign in, under that address.
    #[must_use]
    pub fn for_public(self, site: PublicSite) -> Self {
        Self {
            public: Some(site),
            ..self
        }
    }

    /// Whether people sign in here.
    pub fn is_public(&self) -> bool {
        self.public.is_some()
    }

    /// Where programs call.
    pub fn address(&self) -> String {
        match &self.public {
            Some(site) => site.origin(),
            None => format!("http://127.0.0.1:{}", self.port),
        }
    }

    /// A link that opens the dashboard, once; one given out before is void.
    pub fn entry_link(&self) -> String {
        let key = secret::random_hex::<32>();
        *self.entry() = Some(key.clone());
        format!("{}/enter?key={key}", self.address())
    }

    /// Uses up the key of an entry link; where the dashboard lies if it was right.
    pub fn enter(&self, key: &str) -> Option<Base> {
        let mut entry = self.entry();
        let is_right = entry
            .as_deref()
            .is_some_and(|entry| secret::same(entry, key));
        if !is_right {
            return None;
        }
        *entry = None;
        Some(self.base())
    }

    fn entry(&self) -> MutexGuard<'_, Option<String>> {
        self.entry.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn base(&self) -> Base {
        Base(format!("/d/{}", self.session))
    }

    /// The path of a page behind the dashboard's secret; `None` for any other path.
    fn behind<'a>(&self, path: &'a str) -> Option<&'a str> {
        let (session, _) = path.strip_prefix("/d/")?.split_once('/')?;
        let length = "/d/".len() + session.len();
        secret::same(session, &self.session).then(|| &path[length..])
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
        if let Some(site) = &self.public {
            return host.eq_ignore_ascii_case(&site.host);
        }
        host == format!("127.0.0.1:{}", self.port) || host == format!("localhost:{}", self.port)
    }

    fn is_own_origin(&self, origin: &str) -> bool {
        let scheme = if self.is_public() {
            "https://"
        } else {
            "http://"
        };
        origin
            .strip_prefix(scheme)
            .is_some_and(|host| self.is_own_host(host))
    }
}

/// Lets a request in, or says why not. Comes before routing: the dashboard's pages
/// are found behind its secret only.
pub async fn guard(State(app): State<App>, mut request: Request, next: Next) -> Response {
    if let Err(refusal) = check(&app, request.method(), request.headers(), request.uri()).await {
        return harden(refusal);
    }
    if app.access.is_public() {
        return harden(visitors::let_in(app, request, next).await);
    }
    let path = request.uri().path().to_owned();
    let Some(inner) = app.access.behind(&path) else {
        let is_open = path.starts_with("/api/")
            || path.starts_with("/feed/")
            || matches!(&*path, "/mcp" | "/enter")
            || is_open_file(&path);
        return harden(if is_open {
            next.run(request).await
        } else {
            locked()
        });
    };
    if inner.starts_with("/api/") || !set_path(request.uri_mut(), inner) {
        return harden(locked());
    }
    let base = app.access.base();
    request.extensions_mut().insert(base.clone());
    let mut response = next.run(request).await;
    if let Some(to) = response
        .headers()
        .get(LOCATION)
        .and_then(|to| to.to_str().ok())
        && to.starts_with('/')
        && let Ok(to) = HeaderValue::from_str(&format!("{}{to}", base.0))
    {
        response.headers_mut().insert(LOCATION, to);
    }
    harden(response)
}

/// Whether it is one of the files that pages are drawn with.
pub(super) fn is_open_file(path: &str) -> bool {
    matches!(
        path,
        "/style.css" | "/live.js" | "/library.js" | "/lists.js" | "/map.js" | "/finds.js"
    )
}

/// Puts another path before an address's query; false if that gives no address.
pub(super) fn set_path(uri: &mut Uri, path: &str) -> bool {
    let text = match uri.query() {
        Some(query) => format!("{path}?{query}"),
        None => path.to_owned(),
    };
    let Ok(text) = text.parse::<PathAndQuery>() else {
        return false;
    };
    *uri = Uri::from(text);
    true
}

fn locked() -> Response {
    let text = Html(include_str!("../../templates/locked.html"));
    (StatusCode::UNAUTHORIZED, text).into_response()
}

async fn check(app: &App, method: &Method, headers: &HeaderMap, uri: &Uri) -> Result<(), Response> {
    let path = uri.path();
    let access = &app.access;
    let forbidden = |text: &str| Problem(StatusCode::FORBIDDEN, text.to_owned()).into_response();
    match one(headers, &HOST) {
        Some(host) if access.is_own_host(host) => {}
        _ => {
            return Err(forbidden(
                "wrong Host header: open the address that linkscent printed",
            ));
        }
    }
    let is_elsewhere = |authority: &Authority| !access.is_own_host(authority.as_str());
    if uri.authority().is_some_and(is_elsewhere) {
        return Err(forbidden("this is no proxy"));
    }
    // A browser says so of what other pages have it ask for; of a link that was followed to where the
    // dashboard lies it says that too.
    let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    let is_foreign = site.is_some_and(|site| ![&b"none"[..], b"same-origin"].contains(&site));
    let is_call = path.starts_with("/api/") || path == "/mcp" || method != Method::GET;
    if is_foreign && is_call && !headers.contains_key(ORIGIN) {
        return Err(forbidden("other pages do not call this program"));
    }
    if headers.contains_key(ORIGIN) {
        let origin = one(headers, &ORIGIN).unwrap_or_default();
        let is_fine = if path.starts_with("/api/") {
            let pairing = path == "/api/v1/pair" && is_extension(origin);
            pairing || is_paired(app, origin).await
        } else {
            access.is_own_origin(origin)
        };
        if !is_fine {
            return Err(forbidden("requests from this origin are not taken"));
        }
    }
    // Else it is told when the call is made, which is after its body was read.
    let has_body = [CONTENT_LENGTH, TRANSFER_ENCODING];
    let has_body = has_body.iter().any(|name| headers.contains_key(name));
    let is_call = path == "/mcp" || (path.starts_with("/api/") && !is_open_call(path));
    if has_body && is_call {
        let permitted = permitted(app, headers).await;
        permitted.map_err(Problem::into_response)?;
    }
    Ok(())
}

/// Whether a call is taken from anybody: it tells nothing, or browsers are paired by it, or prove who
/// they are in it.
fn is_open_call(path: &str) -> bool {
    matches!(
        path,
        "/api/v1/health"
            | "/api/v1/openapi.json"
            | "/api/v1/pair"
            | "/api/v1/channel"
            | "/api/v1/call"
    )
}

fn is_extension(origin: &str) -> bool {
    origin.starts_with("chrome-extension://") || origin.starts_with("moz-extension://")
}

async fn is_paired(app: &App, origin: &str) -> bool {
    let devices = app.service.store.devices().await.unwrap_or_default();
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

/// Says of an answer that it is a page of the web: it runs nothing, reaches nobody, and is of no
/// origin, so that it cannot be taken for one of the dashboard's.
#[derive(Clone)]
pub struct Sandboxed;

fn harden(mut response: Response) -> Response {
    const SANDBOX: [(&str, &str); 3] = [
        ("x-dns-prefetch-control", "off"),
        (
            "content-security-policy",
            "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; \
             base-uri 'none'; frame-ancestors 'none'; sandbox",
        ),
        ("referrer-policy", "no-referrer"),
    ];
    const HEADERS: [(&str, &str); 6] = [
        (
            "content-security-policy",
            "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; \
             img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        ),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "same-origin"),
        ("cache-control", "no-store"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
    ];
    let is_sandboxed = response.extensions().get::<Sandboxed>().is_some();
    let sandbox = SANDBOX.into_iter().filter(|_| is_sandboxed);
    for (name, value) in HEADERS.into_iter().chain(sandbox) {
        response.headers_mut().insert(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    const PORT: u16 = 7000;

    /// The key in an entry link.
    fn key(link: &str) -> &str {
        link.rsplit_once("?key=").unwrap().1
    }

    #[test]
    fn an_entry_link_opens_once_and_the_newest_only() {
        let access = AccessControl::new(PORT);
        assert!(access.enter("").is_none(), "no link was given out");
        let old = access.entry_link();
        let new = access.entry_link();
        assert!(new.starts_with("http://127.0.0.1:7000/enter?key="), "{new}");
        assert!(access.enter(key(&old)).is_none(), "it is void");
        assert!(access.enter(&key(&new)[1..]).is_none());
        let base = access.enter(key(&new)).unwrap();
        assert!(access.enter(key(&new)).is_none(), "it was used");
        assert_eq!(access.behind(&format!("{}/", base.0)), Some("/"));
    }

    #[test]
    fn only_what_lies_behind_the_secret_is_found() {
        let access = AccessControl::new(PORT);
        let base = access.base().0;
        assert_eq!(access.behind(&format!("{base}/crawl/7")), Some("/crawl/7"));
        // The rest of the path is taken as it stands.
        assert_eq!(access.behind(&format!("{base}//d/x")), Some("//d/x"));
        let other = AccessControl::new(PORT).base().0;
        assert_ne!(base, other, "secrets are drawn");
        for path in [
            base.clone(),
            "/".to_owned(),
            "/d/".to_owned(),
            "/d//".to_owned(),
            format!("{other}/"),
            format!("{}/", &base[..base.len() - 1]),
            format!("{base}0/"),
            format!("x{base}/"),
            format!("{}/", base.to_uppercase()),
        ] {
            assert_eq!(access.behind(&path), None, "{path}");
        }
    }

    #[test]
    fn forms_of_another_run_are_not_taken() {
        let access = AccessControl::new(PORT);
        assert!(access.is_csrf(access.csrf()));
        assert!(!access.is_csrf(""));
        assert!(!access.is_csrf(AccessControl::new(PORT).csrf()));
    }

    #[test]
    fn hosts_and_origins_are_this_machine_on_this_port() {
        let access = AccessControl::new(PORT);
        for host in ["127.0.0.1:7000", "localhost:7000"] {
            assert!(access.is_own_host(host), "{host}");
            assert!(access.is_own_origin(&format!("http://{host}")), "{host}");
            assert!(!access.is_own_origin(&format!("https://{host}")), "{host}");
            assert!(!access.is_own_origin(host), "{host}");
        }
        for host in [
            "",
            "127.0.0.1",
            "localhost",
            "127.0.0.1:70000",
            "127.0.0.1:7001",
            "localhost:7000.evil.example",
            "evil.example:7000",
            "[::1]:7000",
        ] {
            assert!(!access.is_own_host(host), "{host}");
        }
        assert!(!access.is_own_origin("null"));
    }

    #[test]
    fn extensions_are_told_by_their_scheme() {
        assert!(is_extension("chrome-extension://abc"));
        assert!(is_extension("moz-extension://abc"));
        assert!(!is_extension("http://chrome-extension://abc"));
        assert!(!is_extension("null"));
    }

    #[test]
    fn a_header_sent_twice_is_as_good_as_none() {
        let mut headers = HeaderMap::new();
        assert_eq!(one(&headers, &HOST), None);
        headers.append(HOST, HeaderValue::from_static("a"));
        assert_eq!(one(&headers, &HOST), Some("a"));
        headers.append(HOST, HeaderValue::from_static("a"));
        assert_eq!(one(&headers, &HOST), None);
    }

    #[test]
    fn a_query_stays_behind_another_path() {
        let mut uri = Uri::from_static("/d/secret/crawl/1?page=2");
        assert!(set_path(&mut uri, "/crawl/1"));
        assert_eq!(uri, "/crawl/1?page=2");
        let mut uri = Uri::from_static("/d/secret/");
        assert!(set_path(&mut uri, "/"));
        assert_eq!(uri, "/");
        assert!(!set_path(&mut uri, "a path with spaces"));
    }
}
