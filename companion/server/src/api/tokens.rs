//! Calls of programs that have a token, which the person made in the settings and which says what
//! it permits. A token opens the calls that are listed here and no others: none that tells what was
//! read in a browser, and none that deletes or opens the dashboard. Pages that a browser read for a
//! crawl are the crawl's, and are told with it; those that it kept as they were read are not.
//!
//! A token goes over the loopback interface as it is: programs of this machine cannot be told apart
//! otherwise, and whoever takes the companion's port while it does not run can read one that is
//! sent there. Browsers are paired and speak in channels instead.

use axum::Router;
use axum::extract::Request;
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use linkscent_core::wire::api::{Event, EventKind};
use tower::ServiceExt;

use super::{App, Problem};
use linkscent_service::ServiceError;
use linkscent_store::{Permission, TokenRow};
use linkscent_store::{clock, secret};

/// That a token was used is put down once in so many milliseconds.
const USED_EVERY: i64 = 60_000;

/// Of a request that came with a token: the token's number.
#[derive(Debug, Clone, Copy)]
pub(super) struct ByToken(pub i64);

/// The calls that programs may make.
#[derive(Clone)]
pub(super) struct ForPrograms(pub Router<App>);

/// What a call needs; none for those that no token opens.
pub(super) fn needed(method: &Method, path: &str) -> Option<Permission> {
    let call = path.strip_prefix("/api/v1/")?;
    let parts: Vec<&str> = call.split('/').collect();
    match (method.as_str(), parts.as_slice()) {
        (
            "GET",
            [
                "topics" | "crawls" | "library" | "classes" | "strategies" | "export" | "live"
                | "metrics",
            ]
            | ["crawls", _, "classes" | "hosts"]
            | ["crawls", _, "pages", _],
        ) => Some(Permission::Read),
        ("POST", ["events"] | ["crawls", _, "answer" | "classes"]) => Some(Permission::Mark),
        ("POST", ["crawls"] | ["crawls", _, "seeds" | "change"]) => Some(Permission::Crawl),
        _ => None,
    }
}

/// The token of a request, if it was sent exactly once.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = values.next().filter(|_| values.next().is_none())?;
    let (kind, token) = value.to_str().ok()?.split_once(' ')?;
    kind.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// The token that a request came with, if it is one that was made and not revoked.
pub(super) async fn permitted(app: &App, headers: &HeaderMap) -> Result<TokenRow, Problem> {
    let token = bearer(headers).ok_or_else(Problem::not_taken)?;
    let accounts = &app.service.accounts;
    let known = accounts.token(&secret::digest(token)).await?;
    let known = known.ok_or_else(Problem::not_taken)?;
    let now = clock::now();
    if now - known.used > USED_EVERY {
        accounts.token_used(known.id, now).await?;
    }
    Ok(known)
}

/// Makes a call for a program, if its token permits it.
pub(super) async fn call(app: App, calls: Router<App>, mut request: Request) -> Response {
    let token = match permitted(&app, request.headers()).await {
        Ok(token) => token,
        Err(problem) => return problem.into_response(),
    };
    let refused = |text: String| Problem(StatusCode::FORBIDDEN, text).into_response();
    if ![Method::GET, Method::HEAD, Method::POST].contains(request.method()) {
        // No call is made by this one: the router says which there are.
        *request.method_mut() = Method::from_bytes(b"NONE").unwrap_or(Method::TRACE);
        request.extensions_mut().clear();
        let Ok(response) = calls.with_state(app).oneshot(request).await;
        return response;
    }
    let Some(needed) = needed(request.method(), request.uri().path()) else {
        let text = "no token opens this call: it is only taken in the channel of a paired browser";
        return refused(text.to_owned());
    };
    if !token.may.contains(&needed) {
        let needed = needed.name();
        return refused(format!(
            "this token does not permit to {needed}: make one that does in the dashboard's settings"
        ));
    }
    match is_of_reading(&app, request.uri().path()).await {
        Ok(false) => {}
        Ok(true) => return Problem::from(ServiceError::Missing("crawl")).into_response(),
        Err(problem) => return problem.into_response(),
    }
    // What it was routed by until here is no parameter of the call.
    request.extensions_mut().clear();
    request.extensions_mut().insert(ByToken(token.id));
    let Ok(response) = calls.with_state(app).oneshot(request).await;
    if response.status().is_success() && !token.may.contains(&Permission::Read) {
        // What a call answers besides tells of crawls and pages.
        return StatusCode::NO_CONTENT.into_response();
    }
    response
}

/// Whether a call is about what browsers kept, which tells what was read.
async fn is_of_reading(app: &App, path: &str) -> Result<bool, Problem> {
    let Some(rest) = path.strip_prefix("/api/v1/crawls/") else {
        return Ok(false);
    };
    let number = rest.split('/').next().unwrap_or_default();
    // A number that is written with escapes is refused: the call itself would understand it.
    match number.parse() {
        Ok(crawl) => Ok(app.service.readings.is_reading(crawl).await?),
        Err(_) => Ok(number.contains('%')),
    }
}

/// Programs may say of pages and topics what a person says on the dashboard; neither delete, nor
/// say where a browser was.
pub(super) fn check_events(events: &[Event]) -> Result<(), Problem> {
    let may_be_said = |event: &Event| match event.what {
        EventKind::Mark { .. }
        | EventKind::Form { .. }
        | EventKind::Class { .. }
        | EventKind::Phrase { .. }
        | EventKind::Subtopic { .. }
        | EventKind::Tag { .. }
        | EventKind::Note { .. } => true,
        EventKind::Name { .. }
        | EventKind::Remove { .. }
        | EventKind::Click { .. }
        | EventKind::Visit(_) => false,
    };
    if events.iter().all(may_be_said) {
        return Ok(());
    }
    let text = "a program may mark, describe, tag and note, and nothing else";
    Err(Problem(StatusCode::FORBIDDEN, text.to_owned()))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn a_token_is_taken_as_it_is_usually_sent_and_once() {
        let mut headers = HeaderMap::new();
        assert_eq!(bearer(&headers), None);
        let value = HeaderValue::from_static("bearer  linkscent_1 ");
        headers.append(AUTHORIZATION, value.clone());
        assert_eq!(bearer(&headers), Some("linkscent_1"));
        headers.append(AUTHORIZATION, value);
        assert_eq!(bearer(&headers), None);
        let basic = HeaderValue::from_static("Basic linkscent_1");
        assert_eq!(
            bearer(&HeaderMap::from_iter([(AUTHORIZATION, basic)])),
            None
        );
    }

    #[test]
    fn what_tells_of_browsing_or_deletes_is_opened_by_no_token() {
        let get = |path: &str| needed(&Method::GET, path);
        let post = |path: &str| needed(&Method::POST, path);
        assert_eq!(get("/api/v1/library"), Some(Permission::Read));
        assert_eq!(get("/api/v1/crawls/3/classes"), Some(Permission::Read));
        assert_eq!(post("/api/v1/events"), Some(Permission::Mark));
        assert_eq!(post("/api/v1/crawls"), Some(Permission::Crawl));
        for path in [
            "model",
            "forget",
            "dashboard",
            "renderings",
            "renderings/next",
            "readings",
            "train",
        ] {
            let path = format!("/api/v1/{path}");
            assert_eq!((get(&path), post(&path)), (None, None), "{path}");
        }
        assert_eq!(post("/api/v1/library"), None);
        assert_eq!(get("/api/v1/changes"), None, "it has words of marked pages");
        assert_eq!(get("/api/v1/crawls/3/answer"), None);
        assert_eq!(get("/api/v1/library/"), None);
    }
}
