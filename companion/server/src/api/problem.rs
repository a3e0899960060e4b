//! Errors as the API answers them, and as its description lists them.

use axum::Json;
use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use linkscent_core::wire::api::ApiError;

use linkscent_service::ServiceError;
use linkscent_store::StoreError;

/// What the description says of every error.
pub(super) const WRONG: &str = "what is wrong, and what to do";

/// An error as the API answers it.
#[derive(Debug)]
pub struct Problem(pub StatusCode, pub String);

impl Problem {
    /// The one answer to every call that is not taken. It does not tell which of the conditions
    /// failed, so a stranger learns nothing by trying.
    pub(super) fn not_taken() -> Self {
        let text = "this call is not taken. In a browser, open the address that linkscent printed, \
                    or pair the extension again in its popup. A program sends a token from the \
                    dashboard's settings, as “Authorization: Bearer TOKEN”";
        Self(StatusCode::FORBIDDEN, text.to_owned())
    }

    /// A bad request, and what would be a good one.
    pub fn bad(text: impl Into<String>) -> Self {
        Self(StatusCode::BAD_REQUEST, text.into())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        (self.0, Json(ApiError { error: self.1 })).into_response()
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

impl From<anyhow::Error> for Problem {
    fn from(error: anyhow::Error) -> Self {
        Self(StatusCode::INTERNAL_SERVER_ERROR, format!("{error:#}"))
    }
}

impl From<JsonRejection> for Problem {
    fn from(rejection: JsonRejection) -> Self {
        Self(rejection.status(), rejection.body_text())
    }
}

impl From<QueryRejection> for Problem {
    fn from(rejection: QueryRejection) -> Self {
        Self(rejection.status(), rejection.body_text())
    }
}

impl From<PathRejection> for Problem {
    fn from(rejection: PathRejection) -> Self {
        Self(rejection.status(), rejection.body_text())
    }
}
