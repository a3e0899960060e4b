//! The server: API and dashboard on one loopback port.

mod auth;
mod channel;
mod pairing;
mod routes;
mod server;

pub use auth::{AccessControl, Base, guard};
pub use channel::Channels;
pub use pairing::Pairing;
pub use routes::open_routes;
pub use server::{LARGEST_BODY, serve, whole_body};

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use linkscent_core::wire::api::ApiError;

use crate::service::{Service, ServiceError};
use crate::store::StoreError;

/// What every call can reach.
#[derive(Clone)]
pub struct App {
    /// What can be asked for.
    pub service: Service,
    /// Who may come in.
    pub access: Arc<AccessControl>,
    /// The pairing under way.
    pub pairing: Arc<Pairing>,
    /// The channels of paired browsers.
    pub channels: Arc<Channels>,
}

impl App {
    /// A server of that service on `port`.
    pub fn new(service: Service, port: u16) -> Self {
        Self {
            service,
            access: Arc::new(AccessControl::new(port)),
            pairing: Arc::new(Pairing::new(port)),
            channels: Arc::default(),
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
}

impl From<ServiceError> for Problem {
    fn from(error: ServiceError) -> Self {
        let status = match error {
            ServiceError::Missing(_) => StatusCode::NOT_FOUND,
            ServiceError::Refused(_) => StatusCode::BAD_REQUEST,
            ServiceError::Failed(_) => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self(status, error.to_string())
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        anyhow::Error::from(error).into()
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
