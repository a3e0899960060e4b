//! Topics given away as a file, and taken in from one.

use axum::Router;
use axum::extract::{Form, Path, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use serde::Deserialize;

use super::intake::path;
use super::{PageError, PageResult, check_csrf, go_to};
use crate::api::App;
use crate::service::{LARGEST_TOPIC_FILE, TopicFile};

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/topic/{id}/file", get(give))
        .route("/topics/file", post(take_in))
}

async fn give(State(app): State<App>, Path(id): Path<i64>) -> PageResult {
    let topic = app.service.topic(id).await?;
    let file = app.service.topic_file(&topic, false).await?;
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
    let unread = |error: std::io::Error| {
        PageError::bad(format!("{} cannot be read: {error}.", path.display()))
    };
    let length = tokio::fs::metadata(&path).await.map_err(unread)?.len();
    if length > LARGEST_TOPIC_FILE as u64 {
        return Err(PageError::bad(format!(
            "A topic file has at most {LARGEST_TOPIC_FILE} bytes, and this has {length}."
        )));
    }
    let bytes = tokio::fs::read(&path).await.map_err(unread)?;
    let file = TopicFile::read(&bytes)?;
    let name = Some(form.name.trim()).filter(|name| !name.is_empty());
    let topic = app.service.take_topic_in(&file, name).await?;
    Ok(go_to(&format!("/topic/{}", topic.id)))
}
