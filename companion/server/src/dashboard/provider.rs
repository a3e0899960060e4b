//! Signing in by an OpenID Connect provider: away to it and back.

use axum::Router;
use axum::extract::{Query, State};
use axum::http::header::HeaderMap;
use axum::response::{IntoResponse, Redirect};
use axum::routing::get;
use serde::Deserialize;

use super::people::{keeping, of_this_site, sign_in_refused, with_cookie};
use super::{PageError, PageResult, go_to};
use crate::api::{App, away_cookie, client, sent_away};
use linkscent_service::{Provider, ProviderError, ServiceError};
use linkscent_store::secret;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/sign-in/provider", get(away))
        .route("/sign-in/back", get(back))
}

#[derive(Deserialize)]
struct AwayQuery {
    #[serde(default)]
    to: String,
}

fn provider(app: &App) -> Result<&Provider, PageError> {
    let provider = app.provider.as_deref();
    provider.ok_or_else(|| PageError::missing("page"))
}

async fn away(State(app): State<App>, Query(query): Query<AwayQuery>) -> PageResult {
    let provider = provider(&app)?;
    let kept = secret::random_hex::<32>();
    let to = match provider.away(&kept).await {
        Ok(to) => to,
        Err(error) => return refused(&app, error),
    };
    let response = Redirect::to(to.as_str()).into_response();
    Ok(keeping(
        response,
        &away_cookie(Some((&kept, of_this_site(&query.to)))),
    ))
}

#[derive(Deserialize)]
struct BackQuery {
    #[serde(default)]
    code: String,
    #[serde(default)]
    state: String,
    #[serde(default)]
    error: String,
    /// Who sends somebody back (RFC 9207).
    iss: Option<String>,
}

async fn back(
    State(app): State<App>,
    headers: HeaderMap,
    Query(query): Query<BackQuery>,
) -> PageResult {
    let provider = provider(&app)?;
    let from = client(&headers);
    let (kept, to) = sent_away(&headers).unwrap_or_default();
    let response = if !Provider::was_sent(&kept, &query.state) {
        let text = "This sign-in was not begun in this browser, or too long ago. Begin it again.";
        sign_in_refused(&app, text.to_owned(), String::new(), to)?
    } else if let Err(ServiceError::Refused(text)) = app.service.accounts.may_come(&from) {
        sign_in_refused(&app, text, String::new(), to)?
    } else if let Err(error) = provider.check_sender(query.iss.as_deref()).await {
        not_signed_in(&app, error, &from)?
    } else if query.error.is_empty() {
        come_in(&app, provider, &kept, &query.code, &to, &from).await?
    } else {
        let said: String = query.error.chars().take(80).collect();
        let text = format!("{} did not sign you in: {said}.", provider.host());
        sign_in_refused(&app, text, String::new(), to)?
    };
    // A code is good once.
    Ok(keeping(response, &away_cookie(None)))
}

async fn come_in(
    app: &App,
    provider: &Provider,
    kept: &str,
    code: &str,
    to: &str,
    from: &str,
) -> PageResult {
    let person = match provider.person(kept, code).await {
        Ok(person) => person,
        Err(error) => return not_signed_in(app, error, from),
    };
    match app.service.accounts.sign_in_person(&person).await {
        Ok(key) => Ok(with_cookie(go_to(of_this_site(to)), Some(&key))),
        Err(ServiceError::Refused(text)) => {
            app.service.accounts.came_in_vain(from);
            sign_in_refused(app, text, String::new(), to.to_owned())
        }
        Err(error) => Err(error.into()),
    }
}

/// Says why somebody who came from there is not signed in, and counts that.
fn not_signed_in(app: &App, error: ProviderError, from: &str) -> PageResult {
    // What the provider fails in is nobody's who comes.
    if matches!(error, ProviderError::Wrong(..)) {
        app.service.accounts.came_in_vain(from);
    }
    refused(app, error)
}

fn refused(app: &App, error: ProviderError) -> PageResult {
    let text = format!("Nobody can sign in by it just now: {error}.");
    // Why a connection fails is for who looks after it.
    let error = anyhow::Error::from(error);
    message!("linkscent: signing in by the provider: {error:#}");
    sign_in_refused(app, text, String::new(), String::new())
}
