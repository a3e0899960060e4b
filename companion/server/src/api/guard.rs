//! Who may come in. Every request passes [`guard`] first: right `Host`, no foreign `Origin`, not
//! asked for by another page. The API's calls are made in channels of paired browsers (see
//! `channel`), or with a token (see `tokens`); the dashboard's pages lie behind a secret (see `auth`),
//! or are held to a role (see `visitors`).

use axum::body::HttpBody;
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_LENGTH, HOST, LOCATION, ORIGIN, TRANSFER_ENCODING};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Response};

use super::auth::{is_open_file, set_path};
use super::sender::Sender;
use super::tokens::permitted;
use super::{App, Problem, visitors};

/// Lets a request in, or says why not. Comes before routing: the dashboard's pages
/// are found behind its secret only.
pub async fn guard(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let checked = check(&app, request.method(), request.headers(), request.uri()).await;
    match checked {
        Ok(sender) => request.extensions_mut().insert(sender),
        Err(_) if !is_of_programs(request.uri().path()) => return refuse(locked()),
        Err(problem) => return refuse(problem.into_response()),
    };
    if app.access.is_public() {
        return harden(visitors::let_in(app, request, next).await);
    }
    let path = request.uri().path().to_owned();
    let Some(inner) = app.access.behind(&path) else {
        let is_open = path.starts_with("/api/")
            || path
                .strip_prefix("/feed/")
                .is_some_and(|feed| !feed.is_empty())
            || matches!(&*path, "/mcp" | "/enter")
            || is_open_file(&path);
        return if is_open {
            harden(next.run(request).await)
        } else {
            refuse(locked())
        };
    };
    if inner.starts_with("/api/") || !set_path(request.uri_mut(), inner) {
        return refuse(locked());
    }
    let base = app.access.base();
    request.extensions_mut().insert(base.clone());
    request.extensions_mut().insert(Sender::Known);
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

/// The one answer to every page that is asked for without the dashboard's secret.
pub fn locked() -> Response {
    let text = Html(include_str!("../../templates/locked.html"));
    (StatusCode::FORBIDDEN, text).into_response()
}

fn is_of_programs(path: &str) -> bool {
    path.starts_with("/api/") || path == "/mcp"
}

async fn check(
    app: &App,
    method: &Method,
    headers: &HeaderMap,
    uri: &Uri,
) -> Result<Sender, Problem> {
    let path = uri.path();
    let access = &app.access;
    let is_elsewhere = |authority: &Authority| !access.is_own_host(authority.as_str());
    if !one(headers, &HOST).is_some_and(|host| access.is_own_host(host))
        || uri.authority().is_some_and(is_elsewhere)
    {
        return Err(Problem::not_taken());
    }
    // A browser says so of what other pages have it ask for; of a link that was followed to where the
    // dashboard lies it says that too.
    let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    let is_foreign = site.is_some_and(|site| ![&b"none"[..], b"same-origin"].contains(&site));
    let is_call = is_of_programs(path) || method != Method::GET;
    if is_foreign && is_call && !headers.contains_key(ORIGIN) {
        return Err(Problem::not_taken());
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
            return Err(Problem::not_taken());
        }
    }
    // Else it is told when the call is made, which is after its body was read.
    let has_body = [CONTENT_LENGTH, TRANSFER_ENCODING];
    let has_body = has_body.iter().any(|name| headers.contains_key(name));
    let is_call = path == "/mcp" || (path.starts_with("/api/") && !is_open_call(path));
    if has_body && is_call {
        permitted(app, headers).await?;
    }
    Ok(match path {
        "/api/v1/call" => Sender::Browser,
        // Questions of programs are short.
        _ if is_call && path != "/mcp" => Sender::Known,
        _ => Sender::Stranger,
    })
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
    let devices = app.service.accounts.devices().await.unwrap_or_default();
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

/// Refuses without asking the routes, in the same bytes as they do: the length of a routed answer stands
/// before the headers that harden it.
fn refuse(mut response: Response) -> Response {
    if let Some(length) = response.body().size_hint().exact() {
        let length = HeaderValue::from(length);
        response.headers_mut().insert(CONTENT_LENGTH, length);
    }
    harden(response)
}

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
}
