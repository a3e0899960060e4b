//! The databases that a crawl found: forms that can be asked, with their fields
//! and the path to them; to be marked, which teaches what to look for.

use askama::Template;
use axum::extract::{Form, Path, State};
use axum::routing::{get, post};
use axum::{Extension, Router};
use linkscent_core::address::Address;
use serde::Deserialize;

use super::{PageError, PageResult, check_csrf, go_to, percent, show};
use crate::api::{App, Base};
use linkscent_store::{CrawlRow, FormRow, Topic};

/// Forms shown.
const MOST: i64 = 200;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/crawl/{id}/databases", get(databases))
        .route("/crawl/{id}/form", post(mark))
}

#[derive(Template)]
#[template(path = "databases.html")]
struct DatabasesPage<'a> {
    base: String,
    csrf: &'a str,
    crawl: CrawlRow,
    topic: Topic,
    forms: Vec<Line>,
}

struct Line {
    row: FormRow,
    site: String,
    confidence: String,
    mark: Option<bool>,
}

async fn databases(
    State(app): State<App>,
    Extension(Base(base)): Extension<Base>,
    Path(id): Path<i64>,
) -> PageResult {
    let (crawl, topic) = app.service.crawls.crawl(id).await?;
    let marks = app.service.topics.form_marks(topic.id).await?;
    let forms = app
        .service
        .crawls
        .forms(id, MOST)
        .await?
        .into_iter()
        .map(|row| Line {
            site: Address::parse(&row.address)
                .map_or_else(|_| String::new(), |address| address.host().to_owned()),
            confidence: percent(row.confidence),
            mark: marks
                .iter()
                .find(|mark| mark.0 == row.address && mark.1 == row.name)
                .map(|mark| mark.2),
            row,
        });
    show(&DatabasesPage {
        base,
        csrf: app.access.csrf(),
        forms: forms.collect(),
        crawl,
        topic,
    })
}

#[derive(Deserialize)]
struct MarkForm {
    csrf: String,
    address: String,
    form: String,
    /// `yes`, `no` or `undo`.
    verdict: String,
}

async fn mark(
    State(app): State<App>,
    Path(id): Path<i64>,
    Form(form): Form<MarkForm>,
) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    let wanted = match form.verdict.as_str() {
        "yes" => Some(true),
        "no" => Some(false),
        "undo" => None,
        _ => return Err(PageError::bad("A form is marked with yes, no or undo.")),
    };
    let (crawl, topic) = app.service.crawls.crawl(id).await?;
    let (page, name) = (&form.address, &form.form);
    app.service
        .crawls
        .mark_form(&crawl, &topic, page, name, wanted)
        .await?;
    Ok(go_to(&format!("/crawl/{id}/databases")))
}
