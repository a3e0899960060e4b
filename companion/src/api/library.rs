//! The library by words.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use linkscent_core::wire::api::{ApiError, LibraryFound};
use serde::Deserialize;

use super::problem::WRONG;
use super::{App, Problem};
use crate::service::{LibraryOrder, LibraryQuery, MOST_SHOWN};

/// Pages that are answered unless another number is asked for.
const USUALLY: usize = 20;

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Asked {
    /// Name of a topic; without it all topics are searched.
    #[serde(default)]
    topic: Option<String>,
    /// In words: all have to be met; "in quotes" next to each other; -word not; word*, word~,
    /// title:word, site:host, lang:code, tag:name, kind:name, found:2026-11, topic:name, is:relevant (or
    /// irrelevant, undecided, noted, new).
    #[serde(default)]
    q: String,
    /// All pages that were read, not the finds alone.
    #[serde(default)]
    all: bool,
    /// Only pages that came since the person looked last.
    #[serde(default)]
    new: bool,
    /// `best`, `likeliest` or `newest` first.
    #[serde(default)]
    order: String,
    /// So many pages at most.
    #[serde(default)]
    most: Option<usize>,
    /// After so many others.
    #[serde(default)]
    skip: usize,
}

/// Search what crawls kept
#[utoipa::path(
    get,
    path = "/api/v1/library",
    params(Asked),
    responses(
        (status = 200, description = "what was found", body = LibraryFound),
        (status = 400, description = WRONG, body = ApiError),
        (status = 401, description = WRONG, body = ApiError),
        (status = 404, description = WRONG, body = ApiError),
    )
)]
pub(super) async fn search(
    State(app): State<App>,
    query: Result<Query<Asked>, QueryRejection>,
) -> Result<Json<LibraryFound>, Problem> {
    let Query(asked) = query?;
    let order = order(&asked.order)
        .ok_or_else(|| Problem::bad("an order is best, likeliest or newest".to_owned()))?;
    let topic = match &asked.topic {
        Some(name) => Some(app.service.topic_known_as(name).await?),
        None => None,
    };
    let query = LibraryQuery {
        text: asked.q,
        all: asked.all,
        new: asked.new,
        order,
        most: asked.most.unwrap_or(USUALLY).min(MOST_SHOWN),
        skip: asked.skip,
    };
    Ok(Json(app.service.search(topic.as_ref(), &query).await?))
}

/// An order by its name; the usual one where none is named.
pub fn order(name: &str) -> Option<LibraryOrder> {
    match name {
        "" | "best" => Some(LibraryOrder::Best),
        "likeliest" => Some(LibraryOrder::Likeliest),
        "newest" => Some(LibraryOrder::Newest),
        _ => None,
    }
}
