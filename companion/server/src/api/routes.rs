//! The calls of the API: which there are, and those that are not about crawls. What a
//! call takes and answers is said beside its handler; the description for programs is
//! made of that, see `description`.

use std::sync::Arc;

use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{DefaultBodyLimit, Query, Request, State};
use axum::http::header::{HeaderMap, ORIGIN};
use axum::http::{HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use axum::{Extension, Json, Router};
use linkscent_core::wire::api::{
    ApiError, DashboardLink, Event, EventsTaken, Forget, Forgotten, Health, PairAnswer,
    PairRequest, Paired, TopicView,
};
use serde::Deserialize;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::channel::{self, Calls, MODEL_VERSION};
use super::problem::WRONG;
use super::tokens::{self, ByToken, ForPrograms};
use super::{
    App, LARGEST_BODY, Problem, changes, classes, crawls, description, hosts, library, live, mcp,
    metrics, pages, rendering, strategies,
};

/// The description of all calls.
#[derive(Clone)]
struct Description(Arc<OpenApi>);

/// Calls that are taken from anybody on this machine: they tell nothing, or lead to
/// the others.
pub fn open_routes() -> Router<App> {
    let (open, of_open) = open_calls().split_for_parts();
    let (calls, of_calls) = calls().split_for_parts();
    let calls = calls.layer(DefaultBodyLimit::max(LARGEST_BODY));
    let (more, of_programs) = program_calls().split_for_parts();
    let for_programs = ForPrograms(calls.clone().merge(more));
    let description = Description(Arc::new(description::of([of_open, of_calls, of_programs])));
    open.route("/api/{*call}", any(by_token))
        .route("/api/", any(by_token))
        .merge(mcp::routes())
        .layer(Extension(Calls(calls)))
        .layer(Extension(for_programs))
        .layer(Extension(description))
}

async fn by_token(
    State(app): State<App>,
    Extension(ForPrograms(calls)): Extension<ForPrograms>,
    request: Request,
) -> Response {
    tokens::call(app, calls, request).await
}

fn open_calls() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(health))
        .routes(routes!(openapi))
        .routes(routes!(pair))
        .routes(routes!(channel::open))
        .routes(routes!(channel::call))
}

/// Calls of paired browsers, made in a channel.
fn calls() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(events))
        .routes(routes!(model))
        .routes(routes!(changes::changes))
        .routes(routes!(crawls::crawls, crawls::begin))
        .routes(routes!(crawls::answer))
        .routes(routes!(crawls::seeds))
        .routes(routes!(crawls::change))
        .routes(routes!(classes::classes, classes::choose))
        .routes(routes!(classes::pages, classes::correct))
        .routes(routes!(topics))
        .routes(routes!(strategies::strategies, strategies::choose))
        .routes(routes!(strategies::train))
        .routes(routes!(library::search))
        .routes(routes!(rendering::next))
        .routes(routes!(rendering::take))
        .routes(routes!(rendering::read))
        .routes(routes!(dashboard))
        .routes(routes!(forget))
}

/// Calls that are made with a token alone: their answers are no messages of a channel.
fn program_calls() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(library::export))
        .routes(routes!(pages::kept))
        .routes(routes!(hosts::hosts))
        .routes(routes!(live::live))
        .routes(routes!(metrics::metrics))
}

/// Is it a Linkscent companion?
#[utoipa::path(
    get,
    path = "/api/v1/health",
    responses((status = 200, description = "it is", body = Health))
)]
async fn health() -> Json<Health> {
    Json(Health {
        program: env!("CARGO_PKG_NAME").to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    })
}

/// This description
#[utoipa::path(
    get,
    path = "/api/v1/openapi.json",
    responses((status = 200, description = "OpenAPI 3.1", content_type = "application/json"))
)]
async fn openapi(Extension(Description(description)): Extension<Description>) -> Response {
    Json(&*description).into_response()
}

/// Pair by code, in two steps
#[utoipa::path(
    post,
    path = "/api/v1/pair",
    request_body = PairRequest,
    responses(
        (status = 200, description = "the next step, or the device identifier", body = PairAnswer),
        (status = 400, description = WRONG, body = ApiError),
        (status = 403, description = WRONG, body = ApiError),
        (status = 413, description = WRONG, body = ApiError),
        (status = 415, description = WRONG, body = ApiError),
        (status = 422, description = WRONG, body = ApiError),
    )
)]
async fn pair(
    State(app): State<App>,
    headers: HeaderMap,
    step: Result<Json<PairRequest>, JsonRejection>,
) -> Result<Json<PairAnswer>, Problem> {
    let Json(step) = step?;
    match step {
        PairRequest::Start { message } => {
            Ok(Json(PairAnswer::Started(app.pairing.start(&message)?)))
        }
        PairRequest::Finish {
            attempt,
            proof,
            name,
        } => {
            let key = app.pairing.finish(&attempt, &proof)?;
            let origin = headers.get(ORIGIN).and_then(|value| value.to_str().ok());
            let name: String = name.chars().take(80).collect();
            let origin = origin.unwrap_or_default();
            let device = app.service.accounts.add_device(&name, origin, &key).await?;
            Ok(Json(PairAnswer::Paired(Paired { device })))
        }
    }
}

/// Marks, clicks and visits; known ones are passed over
#[utoipa::path(
    post,
    path = "/api/v1/events",
    request_body = Vec<Event>,
    responses(
        (status = 200, description = "taken in", body = EventsTaken),
        (status = 400, description = WRONG, body = ApiError),
        (status = 403, description = WRONG, body = ApiError),
        (status = 422, description = WRONG, body = ApiError),
    )
)]
async fn events(
    State(app): State<App>,
    by_token: Option<Extension<ByToken>>,
    events: Result<Json<Vec<Event>>, JsonRejection>,
) -> Result<Json<EventsTaken>, Problem> {
    let Json(events) = events?;
    if by_token.is_some() {
        tokens::check_events(&events)?;
    }
    Ok(Json(app.service.topics.take_events(events).await?))
}

/// All topics, newest first
#[utoipa::path(
    get,
    path = "/api/v1/topics",
    responses(
        (status = 200, description = "topics", body = Vec<TopicView>),
        (status = 403, description = WRONG, body = ApiError),
    )
)]
async fn topics(State(app): State<App>) -> Result<Json<Vec<TopicView>>, Problem> {
    Ok(Json(app.service.topics.topics().await?))
}

/// A link that opens the dashboard, once
#[utoipa::path(
    post,
    path = "/api/v1/dashboard",
    responses(
        (status = 200, description = "the link", body = DashboardLink),
        (status = 403, description = WRONG, body = ApiError),
    )
)]
async fn dashboard(State(app): State<App>) -> Json<DashboardLink> {
    Json(DashboardLink {
        link: app.access.entry_link(),
    })
}

/// Forget pages with all that has to do with them, clicks, or every click that browsers sent
#[utoipa::path(
    post,
    path = "/api/v1/forget",
    request_body = Forget,
    responses(
        (status = 200, body = Forgotten,
         description = "rows deleted, and where something is left, if anywhere"),
        (status = 400, description = WRONG, body = ApiError),
        (status = 403, description = WRONG, body = ApiError),
        (status = 422, description = WRONG, body = ApiError),
    )
)]
async fn forget(
    State(app): State<App>,
    asked: Result<Json<Forget>, JsonRejection>,
) -> Result<Json<Forgotten>, Problem> {
    let Json(asked) = asked?;
    Ok(Json(app.service.deletion.forget(&asked).await?))
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
struct ModelQuery {
    /// Name of the topic.
    topic: String,
    /// The version that the caller has; 0 for none.
    #[serde(default)]
    version: i64,
}

/// The topic's model file, if newer
#[utoipa::path(
    get,
    path = "/api/v1/model",
    params(ModelQuery),
    responses(
        (status = 200, description = "a model file", content_type = "application/octet-stream",
         headers(("x-model-version" = i64, description = "its version"))),
        (status = 204, description = "nothing newer"),
        (status = 400, description = WRONG, body = ApiError),
        (status = 403, description = WRONG, body = ApiError),
    )
)]
async fn model(
    State(app): State<App>,
    query: Result<Query<ModelQuery>, QueryRejection>,
) -> Result<Response, Problem> {
    let Query(query) = query?;
    let Some((number, file)) = app
        .service
        .models
        .model(&query.topic, query.version)
        .await?
    else {
        return Ok(StatusCode::NO_CONTENT.into_response());
    };
    let version = HeaderName::from_static(MODEL_VERSION);
    Ok(([(version, number.to_string())], file.to_vec()).into_response())
}

#[cfg(test)]
mod tests;
