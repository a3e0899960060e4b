//! The dashboard: server-rendered pages. Everything harvested is escaped by
//! the templates; links and forms work without script, one small script
//! brings live numbers.

mod chart;
mod crawl;
mod databases;
mod settings;
mod topics;

use askama::Template;
use axum::Router;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, SET_COOKIE};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::get;
use serde::Deserialize;

use crate::api::{App, Problem};

/// All pages.
pub fn routes() -> Router<App> {
    Router::new()
        .route("/enter", get(enter))
        .route("/style.css", get(style))
        .route("/live.js", get(script))
        .merge(topics::routes())
        .merge(crawl::routes())
        .merge(databases::routes())
        .merge(settings::routes())
}

#[derive(Deserialize)]
struct EnterQuery {
    key: String,
}

/// The printed link: works once, sets the cookie.
async fn enter(State(app): State<App>, Query(query): Query<EnterQuery>) -> Response {
    match app.doors.enter(&query.key) {
        // A redirect from another site would not carry the strict cookie, so
        // the page that sets it sends the browser on itself.
        Some(cookie) => (
            [(SET_COOKIE, cookie)],
            Html(include_str!("../../templates/entered.html")),
        )
            .into_response(),
        None => (
            StatusCode::UNAUTHORIZED,
            Html(include_str!("../../templates/locked.html")),
        )
            .into_response(),
    }
}

async fn style() -> impl IntoResponse {
    (
        [(CONTENT_TYPE, "text/css")],
        include_str!("../../static/style.css"),
    )
}

async fn script() -> impl IntoResponse {
    (
        [(CONTENT_TYPE, "text/javascript")],
        include_str!("../../static/live.js"),
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

impl<E: Into<anyhow::Error>> From<E> for PageError {
    fn from(error: E) -> Self {
        Self(
            StatusCode::INTERNAL_SERVER_ERROR,
            format!("{:#}", error.into()),
        )
    }
}

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage {
    text: String,
}

impl IntoResponse for PageError {
    fn into_response(self) -> Response {
        match show(&ErrorPage { text: self.1 }) {
            Ok(page) => (self.0, page).into_response(),
            Err(_) => self.0.into_response(),
        }
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
    if app.doors.is_csrf(token) {
        return Ok(());
    }
    let text = "This form is from an earlier run of the companion. Go back, reload the page and try again.";
    Err(PageError(StatusCode::FORBIDDEN, text.to_owned()))
}

/// Percent with no decimals, for people.
fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}
