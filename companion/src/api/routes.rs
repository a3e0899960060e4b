//! The calls of the API, described for programs in `openapi.json`.

use axum::extract::{Path, Query, State, rejection::JsonRejection};
use axum::http::header::{CONTENT_TYPE, HeaderMap, ORIGIN};
use axum::http::{HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use axum::{Json, Router};
use linkscent_core::address::Address;
use linkscent_core::crawl::StoppingRule;
use linkscent_core::wire::api::{
    CrawlOrder, CrawlView, DashboardLink, Event, EventsTaken, FindView, Forget, Forgotten, Health,
    PairRequest, Paired, QuestionAnswer, QuestionView, SkippedView,
};
use linkscent_core::wire::write_model;
use serde::Deserialize;

use super::channel::{self, MODEL_VERSION};
use super::{App, Problem, body};
use crate::store::{CrawlRow, Order, Reaction, Store};
use crate::{forgetting, results, topic_guide};

/// Events taken in one call at most.
const MOST_EVENTS: usize = 1_000;
/// Largest budget a browser may order.
const LARGEST_BUDGET: u64 = 100_000;
/// Pages and arrivals a browser is sent with a model.
const MODEL_PAGES: usize = 200;
const MODEL_ARRIVALS: usize = 300;
/// Milliseconds a host rests between requests of an ordered crawl.
pub const DEFAULT_DELAY: u64 = 1_000;

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
            let device = app.store.add_device(&name, origin, &key).await?;
            Ok(Json(Paired { device }).into_response())
        }
    }
}

async fn events(
    State(app): State<App>,
    json: Result<Json<Vec<Event>>, JsonRejection>,
) -> Result<Json<EventsTaken>, Problem> {
    let events = body(json)?;
    if events.len() > MOST_EVENTS {
        return Err(Problem::bad(format!("at most {MOST_EVENTS} events a call")));
    }
    let sent = events.len();
    let good: Vec<Event> = events.into_iter().filter(Event::names_pages).collect();
    let taken = app.store.take_events(&good).await?;
    Ok(Json(EventsTaken {
        taken,
        known: good.len() - taken,
        refused: sent - good.len(),
    }))
}

/// A link that opens the dashboard, once: only a paired browser is given it.
async fn dashboard(State(app): State<App>) -> Json<DashboardLink> {
    Json(DashboardLink {
        link: app.doors.entry_link(),
    })
}

/// Forgets what happened in the browser, or all that has to do with some pages.
async fn forget(
    State(app): State<App>,
    json: Result<Json<Forget>, JsonRejection>,
) -> Result<Json<Forgotten>, Problem> {
    let forget = body(json)?;
    if forget.pages.len() + forget.clicks.len() > MOST_EVENTS {
        return Err(Problem::bad(format!(
            "at most {MOST_EVENTS} pages and clicks a call"
        )));
    }
    Ok(Json(forgetting::forget(&app, &forget).await?))
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
    let topic = app.store.find_topic(&query.topic).await?;
    let Some(topic) = topic.filter(|topic| topic.version > query.version) else {
        return Ok(StatusCode::NO_CONTENT.into_response());
    };
    let guide = topic_guide::of(&app.store, &topic, None, None).await?;
    let knowledge = guide.knowledge().trimmed(MODEL_PAGES, MODEL_ARRIVALS);
    let file = write_model(&knowledge).map_err(anyhow::Error::from)?;
    let version = HeaderName::from_static(MODEL_VERSION);
    Ok(([(version, topic.version.to_string())], file).into_response())
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
    let Some(topic) = app.store.find_topic(&query.topic).await? else {
        return Ok(Json(views));
    };
    for crawl in app.store.crawls(Some(topic.id)).await?.into_iter().take(5) {
        views.push(view(&app.store, &crawl, &query.topic).await?);
    }
    Ok(Json(views))
}

async fn begin(
    State(app): State<App>,
    json: Result<Json<CrawlOrder>, JsonRejection>,
) -> Result<Json<CrawlView>, Problem> {
    let order = body(json)?;
    if order.budget == 0 || order.budget > LARGEST_BUDGET {
        return Err(Problem::bad(format!(
            "the budget must be 1 to {LARGEST_BUDGET} pages"
        )));
    }
    let topic = app.store.topic_named(&order.topic).await?;
    let marks = app.store.marks(topic.id).await?;
    let mut seeds = Vec::new();
    for seed in &order.seeds {
        let address = Address::parse(seed).map_err(|error| Problem::bad(error.to_string()))?;
        let is_example = marks
            .iter()
            .any(|mark| mark.target && mark.address == address.as_str());
        seeds.push((address.to_string(), is_example));
    }
    if seeds.is_empty() {
        return Err(Problem::bad(
            "a crawl needs pages to start from: mark a target first",
        ));
    }
    let order = Order {
        budget: order.budget,
        delay: delay(&app),
        random_seed: 1,
        seeds,
        hosts: Vec::new(),
        stopping: StoppingRule::default(),
        on_drift: Reaction::default(),
    };
    let id = app.running.begin(&topic, &order).await?;
    let crawl = app.store.crawl(id).await?;
    let crawl = crawl.ok_or_else(|| Problem::bad("the crawl is gone"))?;
    Ok(Json(view(&app.store, &crawl, &topic.name).await?))
}

/// The person's answer to a crawl's question.
async fn answer(
    State(app): State<App>,
    Path(id): Path<i64>,
    json: Result<Json<QuestionAnswer>, JsonRejection>,
) -> Result<Json<CrawlView>, Problem> {
    let given = body(json)?;
    let crawl = app.store.crawl(id).await?;
    let crawl = crawl.ok_or_else(|| Problem::missing("There is no such crawl."))?;
    let topic = app.store.topic(crawl.topic).await?;
    let topic = topic.ok_or_else(|| Problem::missing("There is no such topic."))?;
    results::answer(&app, &crawl, &topic, &given.address, given.answer).await?;
    Ok(Json(view(&app.store, &crawl, &topic.name).await?))
}

/// No rest is needed where all pages come from a replay on this machine.
pub fn delay(app: &App) -> u64 {
    if app.way.is_loopback_proxy() {
        0
    } else {
        DEFAULT_DELAY
    }
}

async fn view(store: &Store, crawl: &CrawlRow, topic: &str) -> Result<CrawlView, Problem> {
    let (pages, scored, relevant, _) = store.counts(crawl.id).await?;
    let finds = store.newest_finds(crawl.id, 10).await?;
    let question = store.questions(crawl.id).await?.into_iter().next();
    let alarm = store.alarms(crawl.id).await?.into_iter().next();
    let skipped = store.skipped(crawl.id).await?;
    Ok(CrawlView {
        id: crawl.id,
        topic: topic.to_owned(),
        state: crawl.state.to_string(),
        stop_reason: crawl.stop_reason.clone(),
        pages,
        budget: crawl.order.budget,
        relevant,
        harvest: relevant as f64 / scored.max(1) as f64,
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
