//! Calls about crawls: how they go, beginning one, answering what one asks.

use axum::Json;
use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use linkscent_core::address::Address;
use linkscent_core::wire::api::{
    ApiError, CrawlChange, CrawlOrder, CrawlView, EstimateView, FindView, MoreSeeds,
    PROPOSED_BUDGET, QuestionAnswer, QuestionView, SkippedView,
};
use serde::Deserialize;

use super::problem::WRONG;
use super::{App, Problem};
use linkscent_service::{NewCrawl, Services, Starts};
use linkscent_store::{CrawlRow, ResultRow};

/// Crawls of a topic that are told of unless another number is asked for, and at most.
const CRAWLS: usize = 5;
const MOST_CRAWLS: usize = 50;
/// Finds of a crawl that a browser is told of.
const MOST_FINDS: i64 = 10;

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct CrawlsQuery {
    /// Name of the topic.
    topic: String,
    /// So many crawls at most.
    #[serde(default)]
    #[param(maximum = 65_535)]
    most: Option<u16>,
    /// After so many others.
    #[serde(default)]
    skip: usize,
}

/// The last crawls of a topic, newest first
#[utoipa::path(
    get,
    path = "/api/v1/crawls",
    params(CrawlsQuery),
    responses(
        (status = 200, description = "crawls", body = Vec<CrawlView>),
        (status = 400, description = WRONG, body = ApiError),
        (status = 403, description = WRONG, body = ApiError),
    )
)]
pub(super) async fn crawls(
    State(app): State<App>,
    query: Result<Query<CrawlsQuery>, QueryRejection>,
) -> Result<Json<Vec<CrawlView>>, Problem> {
    let Query(query) = query?;
    let mut views = Vec::new();
    let Some(topic) = app.service.topics.find_known_as(&query.topic).await? else {
        return Ok(Json(views));
    };
    let crawls = app
        .service
        .crawls
        .web_crawls(Some(topic.id))
        .await?
        .into_iter();
    let seen = crawls.filter(|crawl| !crawl.is_removed);
    let most = query.most.map_or(CRAWLS, usize::from).min(MOST_CRAWLS);
    for crawl in seen.skip(query.skip).take(most) {
        views.push(view(&app.service, &crawl, &topic.name).await?);
    }
    Ok(Json(views))
}

/// Hand a topic over: begin a crawl
#[utoipa::path(
    operation_id = "begin_crawl",
    post,
    path = "/api/v1/crawls",
    request_body = CrawlOrder,
    responses(
        (status = 200, description = "begun", body = CrawlView),
        (status = 400, description = WRONG, body = ApiError),
        (status = 403, description = WRONG, body = ApiError),
        (status = 422, description = WRONG, body = ApiError),
    )
)]
pub(super) async fn begin(
    State(app): State<App>,
    order: Result<Json<CrawlOrder>, JsonRejection>,
) -> Result<Json<CrawlView>, Problem> {
    let Json(order) = order?;
    let address = |seed: &String| Address::parse(seed).map(|address| address.to_string());
    let seeds: Result<Vec<String>, _> = order.seeds.iter().map(address).collect();
    let starts = Starts {
        seeds: seeds.map_err(|error| Problem::bad(error.to_string()))?,
        ..Starts::default()
    };
    let new = NewCrawl {
        strategy: order.strategy,
        start_from: order.start_from,
        spec: order.spec,
        ..NewCrawl::new(starts, PROPOSED_BUDGET)
    };
    let known = app.service.topics.find_known_as(&order.topic).await?;
    app.service
        .crawls
        .check_crawl(known.as_ref(), &order.topic, &new)
        .await?;
    let topic = match known {
        Some(topic) => topic,
        None => app.service.topics.create_topic(&order.topic, &[]).await?,
    };
    let crawl = app.service.crawls.begin_crawl(&topic, &new).await?;
    Ok(Json(view(&app.service, &crawl, &topic.name).await?))
}

/// Answer a crawl's question about a page
#[utoipa::path(
    operation_id = "answer_question",
    post,
    path = "/api/v1/crawls/{id}/answer",
    params(("id" = i64, Path, description = "Number of the crawl.")),
    request_body = QuestionAnswer,
    responses(
        (status = 200, description = "taken", body = CrawlView),
        (status = 400, description = WRONG, body = ApiError),
        (status = 403, description = WRONG, body = ApiError),
        (status = 404, description = WRONG, body = ApiError),
        (status = 422, description = WRONG, body = ApiError),
    )
)]
pub(super) async fn answer(
    State(app): State<App>,
    id: Result<Path<i64>, PathRejection>,
    given: Result<Json<QuestionAnswer>, JsonRejection>,
) -> Result<Json<CrawlView>, Problem> {
    let (Path(id), Json(given)) = (id?, given?);
    let (crawl, topic) = app.service.crawls.crawl(id).await?;
    let (page, answer) = (&given.address, given.answer);
    app.service
        .crawls
        .answer_question(&crawl, &topic, page, answer)
        .await?;
    Ok(Json(view(&app.service, &crawl, &topic.name).await?))
}

/// Have a crawl start at more pages
#[utoipa::path(
    operation_id = "add_seeds",
    post,
    path = "/api/v1/crawls/{id}/seeds",
    params(("id" = i64, Path, description = "Number of the crawl.")),
    request_body = MoreSeeds,
    responses(
        (status = 200, description = "taken", body = CrawlView),
        (status = 400, description = WRONG, body = ApiError),
        (status = 403, description = WRONG, body = ApiError),
        (status = 404, description = WRONG, body = ApiError),
        (status = 422, description = WRONG, body = ApiError),
    )
)]
pub(super) async fn seeds(
    State(app): State<App>,
    id: Result<Path<i64>, PathRejection>,
    given: Result<Json<MoreSeeds>, JsonRejection>,
) -> Result<Json<CrawlView>, Problem> {
    let (Path(id), Json(given)) = (id?, given?);
    let (crawl, topic) = app.service.crawls.crawl(id).await?;
    let pages: Result<Vec<Address>, _> = given
        .seeds
        .iter()
        .map(|page| Address::parse(page))
        .collect();
    let pages = pages.map_err(|error| Problem::bad(error.to_string()))?;
    app.service.crawls.start_at_more(&crawl, &pages).await?;
    Ok(Json(view(&app.service, &crawl, &topic.name).await?))
}

/// Change a crawl from now on
#[utoipa::path(
    operation_id = "change_crawl",
    post,
    path = "/api/v1/crawls/{id}/change",
    params(("id" = i64, Path, description = "Number of the crawl.")),
    request_body = CrawlChange,
    responses(
        (status = 200, description = "taken", body = CrawlView),
        (status = 400, description = WRONG, body = ApiError),
        (status = 403, description = WRONG, body = ApiError),
        (status = 404, description = WRONG, body = ApiError),
        (status = 422, description = WRONG, body = ApiError),
    )
)]
pub(super) async fn change(
    State(app): State<App>,
    id: Result<Path<i64>, PathRejection>,
    wanted: Result<Json<CrawlChange>, JsonRejection>,
) -> Result<Json<CrawlView>, Problem> {
    let (Path(id), Json(wanted)) = (id?, wanted?);
    let (crawl, topic) = app.service.crawls.crawl(id).await?;
    app.service.crawls.change(&crawl, &wanted).await?;
    let (crawl, _) = app.service.crawls.crawl(id).await?;
    Ok(Json(view(&app.service, &crawl, &topic.name).await?))
}

/// A page that was found, by a topic's critic.
fn find_view(find: ResultRow, critic: &str) -> FindView {
    FindView {
        probability: find.probability(critic),
        address: find.address,
        title: find.title,
        snippet: find.snippet,
        relevance: find.relevance.unwrap_or(0.0),
        reason: find.reason,
        path: find.trail.into_iter().rev().collect(),
    }
}

pub(super) async fn view(
    service: &Services,
    crawl: &CrawlRow,
    topic: &str,
) -> Result<CrawlView, Problem> {
    let counts = service.crawls.counts(crawl.id).await?;
    let finds = service.crawls.best_results(crawl.id, MOST_FINDS, 0).await?;
    let of = service.topics.topic(crawl.topic).await?;
    let critic = service.topics.critic_of(&of).await?;
    let question = service
        .crawls
        .open_questions(crawl.id)
        .await?
        .into_iter()
        .next();
    let alarm = service.crawls.alarms(crawl.id).await?.into_iter().next();
    let skipped = service.crawls.skipped(crawl.id).await?;
    let unfound = service.reports.unfound(crawl).await?;
    Ok(CrawlView {
        id: crawl.id,
        topic: topic.to_owned(),
        state: crawl.state,
        stop_reason: crawl.stop_reason.clone(),
        pages: counts.pages,
        budget: crawl.order.spec.budget,
        relevant: counts.relevant,
        harvest: counts.harvest(),
        finds: finds
            .into_iter()
            .map(|find| find_view(find, &critic))
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
        waiting: unfound.map(|unfound| unfound.among_waiting().into()),
        reachable: unfound
            .and_then(|unfound| unfound.reachable(counts.relevant))
            .map(EstimateView::from),
    })
}
