//! What the person says of pages of the library: of many at once, in tags and in notes; searches
//! that they keep; pages judged again by all that was said.

use axum::extract::{Form, Path, RawForm, State};
use axum::http::StatusCode;
use axum::http::header::{ACCEPT, HeaderMap};
use axum::response::{IntoResponse, Response};
use axum::{Router, routing::post};
use serde::Deserialize;

use super::library::RawAsked;
use super::{PageError, PageResult, check_csrf, go_to};
use crate::api::{App, may_everywhere, may_in};
use crate::dashboard::people::roles::check_everywhere;
use crate::dashboard::people::roles::check_pages;
use crate::dashboard::people::roles::check_role;
use crate::dashboard::people::roles::done;
use linkscent_service::{Annotation, PageKey};
use linkscent_store::Role;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/library/pages", post(pages))
        .route("/library/undo", post(undo))
        .route("/library/note", post(note))
        .route("/library/searches", post(keep))
        .route("/library/searches/drop", post(drop_search))
        .route("/topic/{id}/judge", post(judge_again))
}

/// The way back to a question; what is no sign of an address's query would be none of a header
/// either.
fn back_to(query: &str) -> Response {
    let query = query.chars().filter(char::is_ascii_graphic);
    go_to(&format!("/library?{}", query.collect::<String>()))
}

fn is_script(headers: &HeaderMap) -> bool {
    let accepts = headers.get(ACCEPT).and_then(|value| value.to_str().ok());
    !accepts.unwrap_or_default().contains("text/html")
}

/// `crawl/number`.
fn key(text: &str) -> Result<PageKey, PageError> {
    let (crawl, number) = text.split_once('/').unwrap_or_default();
    let key = crawl.parse().ok().zip(number.parse().ok());
    key.ok_or_else(|| PageError::bad("Pages are named by crawl and number."))
}

/// Something said of pages: of those that are ticked, or of all that a search finds.
async fn pages(State(app): State<App>, headers: HeaderMap, RawForm(form): RawForm) -> PageResult {
    let fields: Vec<(String, String)> = form_urlencoded::parse(&form).into_owned().collect();
    let field = |name: &str| {
        let field = fields.iter().find(|(field, _)| field == name);
        field.map_or("", |(_, value)| value.as_str())
    };
    check_csrf(&app, field("csrf"))?;
    let annotation = Annotation::read(field("verdict"), field("tag"))?;
    let back = field("back");
    let chosen = if field("which") == "search" {
        let asked = axum::http::Uri::builder()
            .path_and_query(format!("/?{back}"))
            .build()
            .map_err(|_| PageError::bad("This is no search."))?;
        let asked = axum::extract::Query::<RawAsked>::try_from_uri(&asked);
        let asked = asked.map_err(|_| PageError::bad("This is no search."))?.0;
        let asked = asked.read()?;
        let topic = asked.topic(&app).await?;
        let query = asked.query()?;
        app.service
            .annotations
            .found_keys(topic.as_ref(), &query)
            .await?
    } else {
        let ticked = fields.iter().filter(|(field, _)| field == "page");
        let ticked = ticked.map(|(_, page)| key(page));
        ticked.collect::<Result<_, _>>()?
    };
    if chosen.is_empty() {
        return Err(PageError::bad("No page is ticked. Go back and tick some."));
    }
    check_pages(&app, &chosen, Role::Editor).await?;
    // It is done to its end, whether or not somebody waits for the answer.
    let service = app.service.clone();
    let doing =
        tokio::spawn(async move { service.annotations.annotate_once(&chosen, annotation).await });
    let done = doing.await.map_err(anyhow::Error::from)??;
    if is_script(&headers) {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    Ok(back_to(&format!("{back}&done={}", done.id)))
}

#[derive(Deserialize)]
struct UndoForm {
    csrf: String,
    id: u64,
    #[serde(default)]
    back: String,
}

async fn undo(State(app): State<App>, Form(form): Form<UndoForm>) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    let known = done(&app, form.id).await?;
    known.ok_or_else(|| PageError::missing("thing that you can take back"))?;
    app.service.annotations.undo(form.id).await?;
    Ok(back_to(&form.back))
}

#[derive(Deserialize)]
struct NoteForm {
    csrf: String,
    page: String,
    text: String,
    #[serde(default)]
    back: String,
}

async fn note(
    State(app): State<App>,
    headers: HeaderMap,
    Form(form): Form<NoteForm>,
) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    let (crawl, number) = key(&form.page)?;
    check_pages(&app, &[(crawl, number)], Role::Editor).await?;
    app.service
        .annotations
        .write_note(crawl, number, &form.text)
        .await?;
    if is_script(&headers) {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    Ok(back_to(&form.back))
}

#[derive(Deserialize)]
struct KeepForm {
    csrf: String,
    name: String,
    #[serde(flatten)]
    asked: RawAsked,
}

async fn keep(State(app): State<App>, Form(form): Form<KeepForm>) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    let asked = form.asked.read()?;
    let topic = asked.topic(&app).await?;
    match &topic {
        Some(topic) => check_role(topic.id, Role::Editor)?,
        None => check_everywhere(Role::Editor)?,
    }
    let query = asked.query()?;
    app.service
        .library
        .keep_search(topic.as_ref(), &form.name, &query)
        .await?;
    Ok(back_to(&asked.link(&query.text, 0)))
}

#[derive(Deserialize)]
struct DropForm {
    csrf: String,
    id: i64,
    #[serde(default)]
    back: String,
}

async fn drop_search(State(app): State<App>, Form(form): Form<DropForm>) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    let searches = app.service.library.searches().await?;
    if let Some(search) = searches.iter().find(|search| search.id == form.id) {
        match search.topic {
            // One that they may not know of is passed over like one that is not there.
            Some(topic) if !may_in(topic, Role::Reader) => return Ok(back_to(&form.back)),
            Some(topic) => check_role(topic, Role::Editor)?,
            None if !may_everywhere(Role::Reader) => return Ok(back_to(&form.back)),
            None => check_everywhere(Role::Editor)?,
        }
    }
    app.service.library.drop_search(form.id).await?;
    Ok(back_to(&form.back))
}

#[derive(Deserialize)]
struct JudgeForm {
    csrf: String,
    #[serde(default)]
    back: String,
}

/// Judges all pages of a topic by what is known of it now.
async fn judge_again(
    State(app): State<App>,
    Path(id): Path<i64>,
    Form(form): Form<JudgeForm>,
) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    let topic = app.service.topics.topic(id).await?;
    let moved = app.service.readings.judge_again(&topic).await?;
    let back = form.back;
    Ok(back_to(&format!(
        "{back}&up={}&down={}",
        moved.up, moved.down
    )))
}
