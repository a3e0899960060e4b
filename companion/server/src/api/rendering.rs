//! Calls of browsers that read pages for a crawl, or keep those that the person reads.

use axum::Json;
use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use axum::http::StatusCode;
use linkscent_core::wire::api::{ApiError, Reading, Rendering, RenderingQuery, RenderingsView};

use super::problem::WRONG;
use super::{App, Problem};

/// Look for pages that a browser is to read
#[utoipa::path(
    operation_id = "next_renderings",
    post,
    path = "/api/v1/renderings/next",
    request_body = RenderingQuery,
    responses(
        (status = 200, description = "what waits, and pages to read now", body = RenderingsView),
        (status = 400, description = WRONG, body = ApiError),
        (status = 403, description = WRONG, body = ApiError),
        (status = 422, description = WRONG, body = ApiError),
    )
)]
pub(super) async fn next(
    State(app): State<App>,
    asked: Result<Json<RenderingQuery>, JsonRejection>,
) -> Result<Json<RenderingsView>, Problem> {
    let Json(asked) = asked?;
    Ok(Json(app.service.renderings.waiting(&asked).await?))
}

/// Bring a page as a browser shows it
#[utoipa::path(
    operation_id = "send_rendering",
    post,
    path = "/api/v1/renderings",
    request_body = Rendering,
    responses(
        (status = 204, description = "taken"),
        (status = 400, description = WRONG, body = ApiError),
        (status = 403, description = WRONG, body = ApiError),
        (status = 404, description = WRONG, body = ApiError),
        (status = 422, description = WRONG, body = ApiError),
    )
)]
pub(super) async fn take(
    State(app): State<App>,
    brought: Result<Json<Rendering>, JsonRejection>,
) -> Result<StatusCode, Problem> {
    let Json(brought) = brought?;
    app.service.renderings.take(brought).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Keep a page in a topic's library as it was read
#[utoipa::path(
    operation_id = "send_reading",
    post,
    path = "/api/v1/readings",
    request_body = Reading,
    responses(
        (status = 204, description = "kept, or as it was the last time"),
        (status = 400, description = WRONG, body = ApiError),
        (status = 403, description = WRONG, body = ApiError),
        (status = 404, description = WRONG, body = ApiError),
        (status = 422, description = WRONG, body = ApiError),
    )
)]
pub(super) async fn read(
    State(app): State<App>,
    reading: Result<Json<Reading>, JsonRejection>,
) -> Result<StatusCode, Problem> {
    let Json(reading) = reading?;
    app.service.readings.take_reading(reading).await?;
    Ok(StatusCode::NO_CONTENT)
}
