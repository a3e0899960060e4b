//! Topics given away as a file, and taken in from one.

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Form, Path, Query, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use serde::Deserialize;

use super::import::path;
use super::{PageResult, check_csrf, go_to};
use crate::api::{App, visitor};
use linkscent_service::TopicFile;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/topic/{id}/file", get(give))
        .route("/topics/file", post(take_in))
        .route("/topics/file/bytes", post(take_bytes_in))
}

async fn give(State(app): State<App>, Path(id): Path<i64>) -> PageResult {
    let topic = app.service.topics.topic(id).await?;
    let file = app.service.topics.topic_file(&topic, false).await?;
    let headers = [
        (CONTENT_TYPE, "application/octet-stream"),
        (
            CONTENT_DISPOSITION,
            "attachment; filename=\"linkscent.topic\"",
        ),
    ];
    Ok((headers, file).into_response())
}

#[derive(Deserialize)]
struct FileForm {
    csrf: String,
    file: String,
    /// What the topic is to be called; empty for its own name.
    #[serde(default)]
    name: String,
}

async fn take_in(State(app): State<App>, Form(form): Form<FileForm>) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    let path = path(&form.file)?;
    let reading = tokio::task::spawn_blocking(move || TopicFile::open(&path));
    let file = reading.await.map_err(anyhow::Error::from)??;
    make(&app, &file, &form.name).await
}

#[derive(Deserialize)]
struct BytesQuery {
    csrf: String,
    #[serde(default)]
    name: String,
}

/// The same of a file that was chosen in the browser.
async fn take_bytes_in(
    State(app): State<App>,
    Query(query): Query<BytesQuery>,
    bytes: Bytes,
) -> PageResult {
    check_csrf(&app, &query.csrf)?;
    let reading = tokio::task::spawn_blocking(move || TopicFile::read(&bytes));
    let file = reading.await.map_err(anyhow::Error::from)??;
    make(&app, &file, &query.name).await
}

async fn make(app: &App, file: &TopicFile, name: &str) -> PageResult {
    let name = Some(name.trim()).filter(|name| !name.is_empty());
    let service = &app.service;
    let topic = match visitor() {
        None => service.topics.take_topic_in(file, name).await?,
        Some(visitor) => {
            service
                .topics
                .found_topic_of(visitor.id, file, name)
                .await?
        }
    };
    Ok(go_to(&format!("/topic/{}", topic.id)))
}
