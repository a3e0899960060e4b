//! The server: API and dashboard on one loopback port.

mod auth;
mod channel;
mod pairing;
mod routes;
mod server;

pub use auth::{AccessControl, Base, guard};
pub use channel::Channels;
pub use pairing::Pairing;
pub use routes::{delay, open_routes};
pub use server::{LARGEST_BODY, serve, whole_body};

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use linkscent_core::wire::api::ApiError;

use crate::crawler::fetch::Way;
use crate::running::Running;
use crate::store::Store;

/// What every call can reach.
#[derive(Clone)]
pub struct App {
    /// The store.
    pub store: Store,
    /// The crawls that run.
    pub running: Running,
    /// Who may come in.
    pub doors: Arc<AccessControl>,
    /// The pairing under way.
    pub pairing: Arc<Pairing>,
    /// The channels of paired browsers.
    pub channels: Arc<Channels>,
    /// Held while pages are forgotten.
    pub forgetting: Arc<tokio::sync::Mutex<()>>,
    /// How crawls make requests.
    pub way: Way,
}

impl App {
    /// A server on `port` whose crawls go that way.
    pub fn new(store: Store, way: Way, port: u16) -> Self {
        Self {
            running: Running::new(store.clone(), way.clone()),
            store,
            doors: Arc::new(AccessControl::new(port)),
            pairing: Arc::new(Pairing::new(port)),
            channels: Arc::default(),
            forgetting: Arc::default(),
            way,
        }
    }
}

/// An error as the API answers it.
#[derive(Debug)]
pub struct Problem(pub StatusCode, pub String);

impl Problem {
    /// A bad request, and what would be a good one.
    pub fn bad(text: impl Into<String>) -> Self {
        Self(StatusCode::BAD_REQUEST, text.into())
    }

    /// Something that is not there.
    pub fn missing(text: impl Into<String>) -> Self {
        Self(StatusCode::NOT_FOUND, text.into())
    }
}

/// The body of a call, or what is wrong with it.
fn body<T>(json: Result<Json<T>, JsonRejection>) -> Result<T, Problem> {
    match json {
        Ok(Json(body)) => Ok(body),
        Err(rejection) => Err(Problem(rejection.status(), rejection.body_text())),
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        (self.0, Json(ApiError { error: self.1 })).into_response()
    }
}

impl From<anyhow::Error> for Problem {
    fn from(error: anyhow::Error) -> Self {
        Self(StatusCode::INTERNAL_SERVER_ERROR, format!("{error:#}"))
    }
}
