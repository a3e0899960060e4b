//! One crawl: live numbers, harvest curve, last pages and why each was chosen;
//! its results, to be marked; pause, resume, stop.

pub(in crate::dashboard) mod beginning;
pub(in crate::dashboard) mod hosts;
pub(in crate::dashboard) mod workers;
pub(in crate::dashboard) mod yields;

use std::collections::BTreeMap;
use std::convert::Infallible;

use askama::Template;
use axum::extract::{Form, Path, Query, State};
use axum::response::Response;
use axum::response::sse::{Event as LiveEvent, KeepAlive, Sse};
use axum::routing::{get, post};
use axum::{Extension, Router};
use futures_util::{Stream, StreamExt};
use linkscent_charts as chart;
use linkscent_core::confidence::Confidence;
use linkscent_core::crawl::{Expected, Reaction};
use linkscent_core::wire::api::Answer;
use serde::Deserialize;

use super::{PageError, PageResult, check_csrf, go_to, percent, show};
use crate::api::{App, Base, changes};
use crate::dashboard::crawl::yields::roughly;
use linkscent_service::{AskedPage, CrawlCounts, RunBy};
use linkscent_store::{AlarmRow, CrawlRow, ResultRow, SkippedRow, Topic};

/// Results on one page.
const PER_PAGE: i64 = 30;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/crawl/{id}", get(page))
        .route("/crawl/{id}/live", get(live))
        .route("/crawl/{id}/results", get(results))
        .route("/crawl/{id}/mark", post(mark))
        .route("/crawl/{id}/answer", post(answer))
        .route("/crawl/{id}/drift", post(set_reaction))
        .route("/crawl/{id}/{action}", post(control))
}

#[derive(Template)]
#[template(path = "crawl.html")]
struct CrawlPage<'a> {
    base: String,
    csrf: &'a str,
    crawl: CrawlRow,
    topic: Topic,
    counts: CrawlCounts,
    harvest: String,
    progress: u64,
    /// How long it has still to go.
    left: Option<String>,
    /// How many relevant pages are expected among the links that wait.
    expected: Option<Expected>,
    /// How many there are to be found in all.
    reachable: Option<Expected>,
    chart: String,
    databases: u64,
    alarms: Vec<AlarmRow>,
    notices: Vec<String>,
    skipped: Vec<SkippedRow>,
    run_by: Option<RunBy>,
    questions: Vec<AskedPage>,
    last: Vec<ResultRow>,
    /// Classes that pages may be of; empty where they are not judged by classes.
    classes: Vec<String>,
    /// Where a class is corrected.
    class_action: String,
    /// What the person said pages are of, by address.
    corrected: BTreeMap<String, String>,
}

#[derive(Template)]
#[template(path = "results.html")]
struct ResultsPage<'a> {
    base: String,
    csrf: &'a str,
    crawl: CrawlRow,
    topic: Topic,
    results: Vec<Marked>,
    page: i64,
    more: bool,
}

struct Marked {
    row: ResultRow,
    confidence: Confidence,
    mark: &'static str,
}

async fn page(
    State(app): State<App>,
    Extension(Base(base)): Extension<Base>,
    Path(id): Path<i64>,
) -> PageResult {
    let (crawl, topic) = app.service.crawls.crawl(id).await?;
    if crawl.is_reading() {
        let kept = format!("/library?topic={}&of=all&q=is%3Abrowsed", topic.id);
        return Ok(go_to(&kept));
    }
    let counts = app.service.crawls.counts(id).await?;
    let left = app.service.reports.time_left(&crawl, &counts).await?;
    let classes = app.service.topics.classes(&topic).await?;
    let unfound = app.service.reports.unfound(&crawl).await?;
    show(&CrawlPage {
        class_action: format!("{base}/crawl/{id}/class"),
        base,
        csrf: app.access.csrf(),
        harvest: percent(counts.harvest()),
        left: left.map(roughly),
        expected: unfound.map(|unfound| unfound.among_waiting()),
        reachable: unfound.and_then(|unfound| unfound.reachable(counts.relevant)),
        progress: (100 * counts.pages / crawl.order.spec.budget.max(1)).min(100),
        chart: chart::harvest(&app.service.reports.harvest(id).await?),
        databases: app.service.crawls.count_forms(id).await?,
        alarms: app.service.crawls.alarms(id).await?,
        notices: app.service.crawls.notices(topic.id, Some(id)).await?,
        skipped: app.service.crawls.skipped(id).await?,
        run_by: app.service.supervisor.run_by(&crawl),
        questions: app.service.library.questions(&crawl, &topic).await?,
        last: app.service.crawls.last_results(id, 15).await?,
        classes: classes.map_or_else(Vec::new, |of| of.taxonomy.classes().to_vec()),
        corrected: app.service.topics.corrected(&topic).await?,
        crawl,
        topic,
        counts,
    })
}

/// Says "changed" whenever something did, and once at the start: something may
/// have between the page and this.
async fn live(
    State(app): State<App>,
    Path(_): Path<i64>,
) -> Sse<impl Stream<Item = Result<LiveEvent, Infallible>>> {
    // Browsers pass over events without data.
    let event = |()| Ok(LiveEvent::default().event("changed").data("crawl"));
    Sse::new(changes(&app).map(event)).keep_alive(KeepAlive::default())
}

#[derive(Deserialize)]
struct ActionForm {
    csrf: String,
}

async fn control(
    State(app): State<App>,
    Path((id, action)): Path<(i64, String)>,
    Form(form): Form<ActionForm>,
) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    let (crawl, _) = app.service.crawls.crawl(id).await?;
    match action.as_str() {
        "pause" => app.service.crawls.pause(&crawl).await?,
        "resume" => app.service.crawls.resume(&crawl).await?,
        "stop" => app.service.crawls.stop(&crawl).await?,
        _ => return Err(PageError::missing("action")),
    }
    Ok(go_to(&format!("/crawl/{id}")))
}

#[derive(Deserialize)]
struct DriftForm {
    csrf: String,
    on_drift: String,
}

/// What it does when it loses its way, from now on.
async fn set_reaction(
    State(app): State<App>,
    Path(id): Path<i64>,
    Form(form): Form<DriftForm>,
) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    let (crawl, _) = app.service.crawls.crawl(id).await?;
    app.service
        .crawls
        .set_reaction(&crawl, &form.on_drift)
        .await?;
    Ok(go_to(&format!("/crawl/{id}")))
}

#[derive(Deserialize)]
struct ResultsQuery {
    #[serde(default)]
    page: i64,
}

async fn results(
    State(app): State<App>,
    Extension(Base(base)): Extension<Base>,
    Path(id): Path<i64>,
    Query(query): Query<ResultsQuery>,
) -> PageResult {
    let (crawl, topic) = app.service.crawls.crawl(id).await?;
    let page = query.page.max(0);
    let marks = app.service.topics.marks(topic.id).await?;
    let critic = app.service.topics.critic_of(&topic).await?;
    let skip = page.saturating_mul(PER_PAGE);
    let mut rows = app
        .service
        .crawls
        .best_results(id, PER_PAGE + 1, skip)
        .await?;
    let more = rows.len() as i64 > PER_PAGE;
    rows.truncate(PER_PAGE as usize);
    let results = rows.into_iter().map(|row| Marked {
        confidence: Confidence::of(row.probability(&critic)),
        mark: match marks.iter().find(|mark| mark.address == row.address) {
            Some(mark) if mark.target => "target",
            Some(_) => "not",
            None => "",
        },
        row,
    });
    show(&ResultsPage {
        base,
        csrf: app.access.csrf(),
        results: results.collect(),
        crawl,
        topic,
        page,
        more,
    })
}

#[derive(Deserialize)]
struct MarkForm {
    csrf: String,
    address: String,
    /// `target`, `not` or `undo`.
    verdict: String,
    #[serde(default)]
    page: i64,
}

/// Marks a result: a line in the topic's log, and a word to the crawl if it
/// still runs.
async fn mark(
    State(app): State<App>,
    Path(id): Path<i64>,
    Form(form): Form<MarkForm>,
) -> Result<Response, PageError> {
    check_csrf(&app, &form.csrf)?;
    let target = verdict(&form.verdict)?;
    let (crawl, topic) = app.service.crawls.crawl(id).await?;
    app.service
        .crawls
        .mark_result(&crawl, &topic, &form.address, target)
        .await?;
    Ok(go_to(&format!(
        "/crawl/{id}/results?page={}",
        form.page.max(0)
    )))
}

/// What a button says of a page.
pub(super) fn verdict(name: &str) -> Result<Option<bool>, PageError> {
    match name {
        "target" => Ok(Some(true)),
        "not" => Ok(Some(false)),
        "undo" => Ok(None),
        _ => Err(PageError::bad(
            "A page is marked as target or not, or the mark is taken back.",
        )),
    }
}

#[derive(Deserialize)]
struct AnswerForm {
    csrf: String,
    address: String,
    answer: Answer,
}

/// The person's answer to a crawl's question.
async fn answer(
    State(app): State<App>,
    Path(id): Path<i64>,
    Form(form): Form<AnswerForm>,
) -> Result<Response, PageError> {
    check_csrf(&app, &form.csrf)?;
    let (crawl, topic) = app.service.crawls.crawl(id).await?;
    app.service
        .crawls
        .answer_question(&crawl, &topic, &form.address, form.answer)
        .await?;
    Ok(go_to(&format!("/crawl/{id}")))
}
