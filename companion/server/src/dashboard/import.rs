//! An archive that others made, looked through before it is taken in; and crawls gone on with.

use std::path::PathBuf;

use askama::Template;
use axum::extract::{Form, Path, Query, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Extension, Router};
use linkscent_archive::import::Survey;
use serde::Deserialize;

use super::{PageError, PageResult, check_csrf, go_to, show};
use crate::api::{App, Base, visitor};
use linkscent_store::Topic;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/topic/{id}/intake", get(look).post(take_in))
        .route("/crawl/{id}/more", post(more))
}

#[derive(Template)]
#[template(path = "import.html")]
struct ImportScreen<'a> {
    base: String,
    csrf: &'a str,
    topic: Topic,
    file: String,
    survey: Survey,
    passed_over: Vec<(u64, &'static str)>,
}

#[derive(Deserialize)]
struct Looked {
    file: String,
}

/// A path of this machine, as a person names it. Who signs in from elsewhere names none: what is said of a
/// file tells what is in it.
pub(super) fn path(file: &str) -> Result<PathBuf, PageError> {
    if visitor().is_some() {
        let text = "Files of the machine that serves this are taken in there, by its shell.";
        return Err(PageError(StatusCode::FORBIDDEN, text.to_owned()));
    }
    let path = PathBuf::from(file.trim());
    if path.is_absolute() {
        return Ok(path);
    }
    Err(PageError::bad(
        "Name the file by its whole path on this machine, such as /home/me/web.wacz.",
    ))
}

async fn look(
    State(app): State<App>,
    Extension(Base(base)): Extension<Base>,
    Path(id): Path<i64>,
    Query(Looked { file }): Query<Looked>,
) -> PageResult {
    let topic = app.service.topics.topic(id).await?;
    let given = app.service.crawls.look_through(path(&file)?).await?;
    let survey = given.import().survey().clone();
    let passed_over = survey.passed_over.iter();
    show(&ImportScreen {
        base,
        csrf: app.access.csrf(),
        topic,
        file,
        passed_over: passed_over
            .map(|(reason, count)| (count, reason.said()))
            .collect(),
        survey,
    })
}

#[derive(Deserialize)]
struct ImportForm {
    csrf: String,
    file: String,
}

async fn take_in(
    State(app): State<App>,
    Path(id): Path<i64>,
    Form(form): Form<ImportForm>,
) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    let topic = app.service.topics.topic(id).await?;
    let given = app.service.crawls.look_through(path(&form.file)?).await?;
    let crawl = app.service.crawls.take_in(&topic, given).await?;
    Ok(go_to(&format!("/crawl/{}", crawl.id)))
}

#[derive(Deserialize)]
struct MoreForm {
    csrf: String,
    pages: String,
}

/// Has a crawl fetch more pages, also one that is over.
async fn more(
    State(app): State<App>,
    Path(id): Path<i64>,
    Form(form): Form<MoreForm>,
) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    let (crawl, _) = app.service.crawls.crawl(id).await?;
    let wrong = || PageError::bad(format!("“{}” is no number of pages to fetch.", form.pages));
    let pages = form.pages.trim().parse().map_err(|_| wrong())?;
    app.service.crawls.fetch_more(&crawl, pages).await?;
    Ok(go_to(&format!("/crawl/{id}")))
}
