//! The calls of the API, described for programs in `openapi.json`.

use axum::extract::{Path, Query, State, rejection::JsonRejection};
use axum::http::header::{CONTENT_TYPE, HeaderMap, ORIGIN};
use axum::http::{HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use axum::{Json, Router};
use linkscent_core::address::Address;
use linkscent_core::wire::api::{
    CrawlOrder, CrawlView, DashboardLink, Event, EventsTaken, FindView, Forget, Forgotten, Health,
    PairRequest, Paired, QuestionAnswer, QuestionView, SkippedView,
};
use serde::Deserialize;

use super::channel::{self, MODEL_VERSION};
use super::{App, Problem, body};
use crate::service::{NewCrawl, Service, Starts};
use crate::store::CrawlRow;

/// Crawls of a topic that a browser is told of.
const MOST_CRAWLS: usize = 5;
/// Finds of a crawl that a browser is told of.
const MOST_FINDS: i64 = 10;

/// Calls that are taken from anybody on this machine: they tell nothing, or lead to
/// the others.
pub fn open_routes() -> Router<App> {
    Router::new()
        .route("/api/v1/health", get(health))
        .route("/api/v1/openapi.json", get(openapi))
        .route("/api/v1/pair", post(pair))
        .merge(channel::routes())
        .route("/api/{*call}", any(only_in_a_channel))
}

async fn only_in_a_channel() -> Problem {
    let text = "this call is only taken in the channel of a paired browser: pair in the popup";
    Problem(StatusCode::UNAUTHORIZED, text.to_owned())
}

/// Calls of paired browsers, made in a channel.
pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/api/v1/events", post(events))
        .route("/api/v1/model", get(model))
        .route("/api/v1/crawls", get(crawls).post(begin))
        .route("/api/v1/crawls/{id}/answer", post(answer))
        .route("/api/v1/dashboard", post(dashboard))
        .route("/api/v1/forget", post(forget))
}

async fn health() -> Json<Health> {
    Json(Health {
        program: "linkscent".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    })
}

async fn openapi() -> impl IntoResponse {
    (
        [(CONTENT_TYPE, "application/json")],
        include_str!("openapi.json"),
    )
}

async fn pair(
    State(app): State<App>,
    headers: HeaderMap,
    json: Result<Json<PairRequest>, JsonRejection>,
) -> Result<Response, Problem> {
    match body(json)? {
        PairRequest::Start { message } => Ok(Json(app.pairing.start(&message)?).into_response()),
        PairRequest::Finish {
            attempt,
            proof,
            name,
        } => {
            let key = app.pairing.finish(&attempt, &proof)?;
            let origin = headers.get(ORIGIN).and_then(|value| value.to_str().ok());
            let name: String = name.chars().take(80).collect();
            let origin = origin.unwrap_or_default();
            let device = app.service.store.add_device(&name, origin, &key).await?;
            Ok(Json(Paired { device }).into_response())
        }
    }
}

async fn events(
    State(app): State<App>,
    json: Result<Json<Vec<Event>>, JsonRejection>,
) -> Result<Json<EventsTaken>, Problem> {
    Ok(Json(app.service.take_events(body(json)?).await?))
}

/// A link that opens the dashboard, once: only a paired browser is given it.
async fn dashboard(State(app): State<App>) -> Json<DashboardLink> {
    Json(DashboardLink {
        link: app.access.entry_link(),
    })
}

/// Forgets what happened in the browser, or all that has to do with some pages.
async fn forget(
    State(app): State<App>,
    json: Result<Json<Forget>, JsonRejection>,
) -> Result<Json<Forgotten>, Problem> {
    Ok(Json(app.service.forget(&body(json)?).await?))
}

#[derive(Deserialize)]
struct ModelQuery {
    topic: String,
    #[serde(default)]
    version: i64,
}

/// The topic's model if it is newer than the version the caller has.
async fn model(
    State(app): State<App>,
    Query(query): Query<ModelQuery>,
) -> Result<Response, Problem> {
    let Some((number, file)) = app.service.model(&query.topic, query.version).await? else {
        return Ok(StatusCode::NO_CONTENT.into_response());
    };
    let version = HeaderName::from_static(MODEL_VERSION);
    Ok(([(version, number.to_string())], file.to_vec()).into_response())
}

#[derive(Deserialize)]
struct CrawlsQuery {
    topic: String,
}

async fn crawls(
    State(app): State<App>,
    Query(query): Query<CrawlsQuery>,
) -> Result<Json<Vec<CrawlView>>, Problem> {
    let mut views = Vec::new();
    let store = &app.service.store;
    let Some(topic) = store.find_topic(&query.topic).await? else {
        return Ok(Json(views));
    };
    let crawls = store.crawls(Some(topic.id)).await?;
    for crawl in crawls.into_iter().take(MOST_CRAWLS) {
        views.push(view(&app.service, &crawl, &query.topic).await?);
    }
    Ok(Json(views))
}

async fn begin(
    State(app): State<App>,
    json: Result<Json<CrawlOrder>, JsonRejection>,
) -> Result<Json<CrawlView>, Problem> {
    let order = body(json)?;
    let address = |seed: &String| Address::parse(seed).map(|address| address.to_string());
    let seeds: Result<Vec<String>, _> = order.seeds.iter().map(address).collect();
    let starts = Starts {
        seeds: seeds.map_err(|error| Problem::bad(error.to_string()))?,
        ..Starts::default()
    };
    let new = NewCrawl::new(starts, order.budget);
    app.service.check_crawl(&order.topic, &new).await?;
    let topic = app.service.create_topic(&order.topic, &[]).await?;
    let crawl = app.service.begin_crawl(&topic, &new).await?;
    Ok(Json(view(&app.service, &crawl, &topic.name).await?))
}

/// The person's answer to a crawl's question.
async fn answer(
    State(app): State<App>,
    Path(id): Path<i64>,
    json: Result<Json<QuestionAnswer>, JsonRejection>,
) -> Result<Json<CrawlView>, Problem> {
    let given = body(json)?;
    let (crawl, topic) = app.service.crawl(id).await?;
    let (page, answer) = (&given.address, given.answer);
    app.service
        .answer_question(&crawl, &topic, page, answer)
        .await?;
    Ok(Json(view(&app.service, &crawl, &topic.name).await?))
}

async fn view(service: &Service, crawl: &CrawlRow, topic: &str) -> Result<CrawlView, Problem> {
    let store = &service.store;
    let counts = service.counts(crawl.id).await?;
    let finds = store.newest_finds(crawl.id, MOST_FINDS).await?;
    let question = store.questions(crawl.id).await?.into_iter().next();
    let alarm = store.alarms(crawl.id).await?.into_iter().next();
    let skipped = store.skipped(crawl.id).await?;
    Ok(CrawlView {
        id: crawl.id,
        topic: topic.to_owned(),
        state: crawl.state.to_string(),
        stop_reason: crawl.stop_reason.clone(),
        pages: counts.pages,
        budget: crawl.order.budget,
        relevant: counts.relevant,
        harvest: counts.harvest(),
        finds: finds
            .into_iter()
            .map(|find| FindView {
                address: find.address,
                title: find.title,
                relevance: find.relevance.unwrap_or(0.0),
            })
            .collect(),
        question: question.map(|page| QuestionView {
            address: page.address,
            title: page.title,
        }),
        alarm: alarm.map(|alarm| alarm.said).unwrap_or_default(),
        skipped: skipped
            .into_iter()
            .map(|row| SkippedView {
                reason: row.reason,
                links: row.count,
                seeds: row.seeds,
            })
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_call_is_described() {
        let text = include_str!("openapi.json");
        let description: serde_json::Value = serde_json::from_str(text).unwrap();
        let paths = description["paths"].as_object().unwrap();
        let source = concat!(include_str!("routes.rs"), include_str!("channel.rs"));
        let source: String = source.split_whitespace().collect();
        let routes = source.matches(".route(\"/api/v1/").count();
        assert_eq!(paths.len(), routes);
        for path in paths.keys() {
            assert!(source.contains(&format!(".route(\"{path}\"")), "{path}");
        }
    }
}
