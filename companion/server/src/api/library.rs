//! The library by words, and pages of it taken away.

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::Response;
use axum::{Extension, Json};
use linkscent_archive::export::{FORMATS, Format};
use linkscent_core::wire::api::{ApiError, LibraryFound};
use serde::Deserialize;
use tokio::sync::Semaphore;

use super::problem::WRONG;
use super::tokens::ByToken;
use super::{App, Problem, passing, stream};
use linkscent_service::{Destination, LibraryOrder, LibraryQuery, MOST_SHOWN};
use linkscent_store::Topic;

/// Pages that are answered unless another number is asked for.
const USUALLY: usize = 20;
/// Files that are written for programs at a time; others wait.
static EXPORTS: Semaphore = Semaphore::const_new(2);

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Asked {
    /// Name of a topic; without it all topics are searched.
    #[serde(default)]
    topic: Option<String>,
    /// In words: all have to be met; "in quotes" next to each other; -word not; word*, word~,
    /// title:word, site:host, lang:code, tag:name, kind:name, found:2026-11, topic:name, is:relevant (or
    /// irrelevant, undecided, noted, new, browsed).
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
    #[param(maximum = 65_535)]
    most: Option<u16>,
    /// After so many others.
    #[serde(default)]
    skip: usize,
}

/// Search what crawls kept
#[utoipa::path(
    operation_id = "search_library",
    get,
    path = "/api/v1/library",
    params(Asked),
    responses(
        (status = 200, description = "what was found", body = LibraryFound),
        (status = 400, description = WRONG, body = ApiError),
        (status = 403, description = WRONG, body = ApiError),
        (status = 404, description = WRONG, body = ApiError),
    )
)]
pub(super) async fn search(
    State(app): State<App>,
    program: Option<Extension<ByToken>>,
    query: Result<Query<Asked>, QueryRejection>,
) -> Result<Json<LibraryFound>, Problem> {
    let Query(asked) = query?;
    let (topic, query) = read(&app, asked, program.is_some()).await?;
    Ok(Json(
        app.service.library.search(topic.as_ref(), &query).await?,
    ))
}

async fn read(
    app: &App,
    asked: Asked,
    for_program: bool,
) -> Result<(Option<Topic>, LibraryQuery), Problem> {
    let order = order(&asked.order)
        .ok_or_else(|| Problem::bad("an order is best, likeliest or newest".to_owned()))?;
    let topic = match &asked.topic {
        Some(name) => Some(app.service.topics.topic_known_as(name).await?),
        None => None,
    };
    let query = LibraryQuery {
        text: asked.q,
        all: asked.all,
        new: asked.new,
        order,
        most: asked.most.map_or(USUALLY, usize::from).min(MOST_SHOWN),
        skip: asked.skip,
        for_program,
    };
    Ok((topic, query))
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct AskedFor {
    /// `csv`, `jsonl`, `md`, `ris`, `bibtex`, `csl`, `opml`, `atom`, `bookmarks`, `gexf`, `urls`,
    /// `warc` or `wacz`.
    #[param(pattern = "^(csv|jsonl|md|ris|bibtex|csl|opml|atom|bookmarks|gexf|urls|warc|wacz)$")]
    format: String,
    /// Name of a topic; without it pages of all topics.
    #[serde(default)]
    topic: Option<String>,
    /// In words, as in a search.
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
}

/// Take pages away as a file of another program
#[utoipa::path(
    operation_id = "export_library",
    get,
    path = "/api/v1/export",
    params(AskedFor),
    responses(
        (status = 200, description = "the file", content_type = "*/*"),
        (status = 400, description = WRONG, body = ApiError),
        (status = 403, description = WRONG, body = ApiError),
        (status = 404, description = WRONG, body = ApiError),
    )
)]
pub(super) async fn export(
    State(app): State<App>,
    program: Option<Extension<ByToken>>,
    query: Result<Query<AskedFor>, QueryRejection>,
) -> Result<Response, Problem> {
    let Query(asked) = query?;
    let format = Format::named(&asked.format).ok_or_else(|| {
        let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        Problem::bad(format!("a format is one of {}", names.join(", ")))
    })?;
    let searched = Asked {
        topic: asked.topic,
        q: asked.q,
        all: asked.all,
        new: asked.new,
        order: asked.order,
        most: None,
        skip: 0,
    };
    let (topic, query) = read(&app, searched, program.is_some()).await?;
    // A few at a time: each reads all that it takes away.
    let _place = EXPORTS.acquire().await.map_err(anyhow::Error::from)?;
    let (file, out) = passing(&app)?;
    let to = Destination::one(Box::new(out));
    let taken = app
        .service
        .exports
        .take_out(topic.as_ref(), &query, format, to, |_| {});
    taken.await?;
    Ok(stream(
        file,
        format.media,
        &format!("linkscent.{}", format.ending),
    )?)
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
