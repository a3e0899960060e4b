//! The dashboard: server-rendered pages. Everything harvested is escaped by
//! the templates; links and forms work without script, one small script
//! brings live numbers.

mod annotations;
mod classes;
mod crawl;
mod databases;
mod dry_run;
mod finds;
mod import;
mod library;
mod map;
mod people;
mod provider;
mod removed;
mod settings;
mod sites;
mod strategy;
mod subtopics;
mod tokens;
mod topic_files;
mod topics;
mod watching;
mod why;

use askama::Template;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::get;
use axum::{Extension, Router};
use serde::Deserialize;

use crate::api::{App, Base, Problem, locked, visitor};
use linkscent_service::ServiceError;
use linkscent_store::StoreError;

/// All pages.
pub fn routes() -> Router<App> {
    Router::new()
        .route("/enter", get(enter).head(no_look))
        .route("/style.css", get(style))
        .route("/live.js", get(script))
        .route("/library.js", get(judging))
        .route("/lists.js", get(lists))
        .route("/map.js", get(pointing))
        .merge(topics::routes())
        .merge(finds::routes())
        .merge(tokens::routes())
        .merge(crawl::workers::routes())
        .merge(classes::routes())
        .merge(subtopics::routes())
        .merge(library::routes())
        .merge(annotations::routes())
        .merge(watching::routes())
        .merge(map::routes())
        .merge(crawl::beginning::routes())
        .merge(import::routes())
        .merge(topic_files::routes())
        .merge(dry_run::routes())
        .merge(removed::routes())
        .merge(crawl::routes())
        .merge(crawl::hosts::routes())
        .merge(strategy::routes())
        .merge(crawl::yields::routes())
        .merge(why::routes())
        .merge(databases::routes())
        .merge(settings::routes())
        .merge(sites::routes())
        .merge(people::routes())
        .merge(people::of_topic::routes())
        .merge(provider::routes())
        .fallback(async || PageError::missing("page"))
        .layer(middleware::from_fn(show_error))
}

#[derive(Deserialize)]
struct EnterQuery {
    key: String,
}

/// Who only looks whether the link works does not use it up.
async fn no_look() -> StatusCode {
    StatusCode::METHOD_NOT_ALLOWED
}

/// The printed link: works once, leads to where the dashboard lies.
async fn enter(
    State(app): State<App>,
    query: Result<Query<EnterQuery>, QueryRejection>,
    headers: HeaderMap,
) -> Response {
    // A browser that fetches ahead may never show it.
    if headers.contains_key("sec-purpose") {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    let base = query.ok().and_then(|query| app.access.enter(&query.key));
    match base {
        Some(base) => Redirect::to(&format!("{}/", base.0)).into_response(),
        None => locked(),
    }
}

async fn style() -> impl IntoResponse {
    (
        [(CONTENT_TYPE, "text/css")],
        include_str!("../static/style.css"),
    )
}

async fn script() -> impl IntoResponse {
    (
        [(CONTENT_TYPE, "text/javascript")],
        include_str!("../static/live.js"),
    )
}

async fn judging() -> impl IntoResponse {
    (
        [(CONTENT_TYPE, "text/javascript")],
        include_str!("../static/library.js"),
    )
}

async fn pointing() -> impl IntoResponse {
    (
        [(CONTENT_TYPE, "text/javascript")],
        include_str!("../static/map.js"),
    )
}

async fn lists() -> impl IntoResponse {
    (
        [(CONTENT_TYPE, "text/javascript")],
        include_str!("../static/lists.js"),
    )
}

/// Why a page cannot be shown or a form not be taken.
struct PageError(StatusCode, String);

impl From<Problem> for PageError {
    fn from(Problem(status, text): Problem) -> Self {
        Self(status, text)
    }
}

impl PageError {
    fn missing(what: &str) -> Self {
        Self(StatusCode::NOT_FOUND, format!("There is no such {what}."))
    }

    fn bad(text: impl Into<String>) -> Self {
        Self(StatusCode::BAD_REQUEST, text.into())
    }
}

impl From<ServiceError> for PageError {
    fn from(error: ServiceError) -> Self {
        // What failed may be about what is another's, or about the machine.
        if let ServiceError::Failed(error) = &error
            && visitor().is_some()
        {
            message!("linkscent: {error:#}");
            let text = "That did not work; whoever looks after this program is told why.";
            return Self(StatusCode::INTERNAL_SERVER_ERROR, text.to_owned());
        }
        Problem::from(error).into()
    }
}

impl From<anyhow::Error> for PageError {
    fn from(error: anyhow::Error) -> Self {
        ServiceError::from(error).into()
    }
}

impl From<StoreError> for PageError {
    fn from(error: StoreError) -> Self {
        anyhow::Error::from(error).into()
    }
}

impl From<askama::Error> for PageError {
    fn from(error: askama::Error) -> Self {
        anyhow::Error::from(error).into()
    }
}

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage {
    base: String,
    text: String,
}

/// What an error page is to say; the page is made where it is known where the
/// dashboard lies.
#[derive(Clone)]
struct ErrorText(String);

impl IntoResponse for PageError {
    fn into_response(self) -> Response {
        let mut response = self.0.into_response();
        response.extensions_mut().insert(ErrorText(self.1));
        response
    }
}

/// Makes the page of an error.
async fn show_error(base: Option<Extension<Base>>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let Some(ErrorText(text)) = response.extensions_mut().remove() else {
        return response;
    };
    let base = base.map(|base| base.0.0).unwrap_or_default();
    match show(&ErrorPage { base, text }) {
        Ok(page) => (response.status(), page).into_response(),
        Err(_) => response,
    }
}

type PageResult = Result<Response, PageError>;

fn show(template: &impl Template) -> Result<Response, PageError> {
    Ok(Html(template.render()?).into_response())
}

fn go_to(path: &str) -> Response {
    Redirect::to(path).into_response()
}

/// Every form carries the token of this run of the companion.
fn check_csrf(app: &App, token: &str) -> Result<(), PageError> {
    if app.access.is_csrf(token) {
        return Ok(());
    }
    let text = "This form is from an earlier run of the companion. Go back, reload the page and try again.";
    Err(PageError(StatusCode::FORBIDDEN, text.to_owned()))
}

/// Percent with no decimals, for people.
fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}
