//! What was said elsewhere, for browsers.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use linkscent_core::wire::api::{ApiError, Changes};
use serde::Deserialize;

use super::problem::WRONG;
use super::{App, Problem};

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ChangesQuery {
    /// Where the last answer ended; 0 for everything.
    #[serde(default)]
    after: i64,
}

/// What people said since: the word in force on each page and phrase, and all topics
#[utoipa::path(
    get,
    path = "/api/v1/changes",
    params(ChangesQuery),
    responses(
        (status = 200, description = "changes", body = Changes),
        (status = 400, description = WRONG, body = ApiError),
        (status = 403, description = WRONG, body = ApiError),
    )
)]
pub(super) async fn changes(
    State(app): State<App>,
    query: Result<Query<ChangesQuery>, QueryRejection>,
) -> Result<Json<Changes>, Problem> {
    let Query(query) = query?;
    Ok(Json(app.service.topics.changes(query.after).await?))
}
