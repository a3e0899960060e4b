//! Calls about the classes of a topic that has a taxonomy: its tree, which nodes are good,
//! and the classes of a crawl's pages.

use axum::Json;
use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use linkscent_core::wire::api::{
    ApiError, ClassCorrection, ClassedPage, ClassesView, CrawlView, GoodNodes,
};
use serde::Deserialize;

use super::problem::WRONG;
use super::{App, Problem, crawls};
use linkscent_service::{MOST_CLASSED, ServiceError};
use linkscent_store::Topic;

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ClassesQuery {
    /// Name of the topic.
    topic: String,
}

/// The taxonomy of a topic: its nodes with counts of pages, and which are good
#[utoipa::path(
    get,
    path = "/api/v1/classes",
    params(ClassesQuery),
    responses(
        (status = 200, description = "the tree", body = ClassesView),
        (status = 400, description = WRONG, body = ApiError),
        (status = 403, description = WRONG, body = ApiError),
        (status = 404, description = WRONG, body = ApiError),
    )
)]
pub(super) async fn classes(
    State(app): State<App>,
    query: Result<Query<ClassesQuery>, QueryRejection>,
) -> Result<Json<ClassesView>, Problem> {
    let Query(query) = query?;
    let topic = app.service.topics.topic_known_as(&query.topic).await?;
    Ok(Json(view(&app, topic).await?))
}

/// Choose which nodes are good, in place of those that were
#[utoipa::path(
    operation_id = "choose_classes",
    post,
    path = "/api/v1/classes",
    request_body = GoodNodes,
    responses(
        (status = 200, description = "the tree as it is now", body = ClassesView),
        (status = 400, description = WRONG, body = ApiError),
        (status = 403, description = WRONG, body = ApiError),
        (status = 404, description = WRONG, body = ApiError),
        (status = 422, description = WRONG, body = ApiError),
    )
)]
pub(super) async fn choose(
    State(app): State<App>,
    good: Result<Json<GoodNodes>, JsonRejection>,
) -> Result<Json<ClassesView>, Problem> {
    let Json(good) = good?;
    let topic = app.service.topics.topic_known_as(&good.topic).await?;
    app.service.topics.choose_good(&topic, &good.nodes).await?;
    Ok(Json(view(&app, topic).await?))
}

async fn view(app: &App, topic: Topic) -> Result<ClassesView, ServiceError> {
    let classes = app.service.topics.needed_classes(&topic).await?;
    Ok(ClassesView {
        topic: topic.name,
        by_class: classes.by_class,
        nodes: classes.nodes(),
    })
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct PagesQuery {
    /// A node of the taxonomy: pages of it and of all below it. By default all pages.
    node: Option<String>,
    /// How many of the newest are passed over.
    #[serde(default)]
    skip: u32,
}

/// Pages of a crawl with their classes, newest first, fifty at most
#[utoipa::path(
    operation_id = "pages_of_class",
    get,
    path = "/api/v1/crawls/{id}/classes",
    params(("id" = i64, Path, description = "Number of the crawl."), PagesQuery),
    responses(
        (status = 200, description = "pages", body = Vec<ClassedPage>),
        (status = 400, description = WRONG, body = ApiError),
        (status = 403, description = WRONG, body = ApiError),
        (status = 404, description = WRONG, body = ApiError),
    )
)]
pub(super) async fn pages(
    State(app): State<App>,
    id: Result<Path<i64>, PathRejection>,
    query: Result<Query<PagesQuery>, QueryRejection>,
) -> Result<Json<Vec<ClassedPage>>, Problem> {
    let (Path(id), Query(query)) = (id?, query?);
    let (crawl, topic) = app.service.crawls.crawl(id).await?;
    let (node, skip) = (query.node.as_deref(), i64::from(query.skip));
    let pages = app
        .service
        .topics
        .classed_pages(&crawl, &topic, node, MOST_CLASSED, skip);
    let page = |(row, corrected): (linkscent_store::ResultRow, _)| ClassedPage {
        address: row.address,
        title: row.title,
        class: row.class,
        corrected,
    };
    Ok(Json(pages.await?.into_iter().map(page).collect()))
}

/// Say what class a page is of that a crawl fetched, or take that back; crawls of the topic
/// that run hear of it
#[utoipa::path(
    operation_id = "correct_class",
    post,
    path = "/api/v1/crawls/{id}/classes",
    params(("id" = i64, Path, description = "Number of the crawl.")),
    request_body = ClassCorrection,
    responses(
        (status = 200, description = "taken", body = CrawlView),
        (status = 400, description = WRONG, body = ApiError),
        (status = 403, description = WRONG, body = ApiError),
        (status = 404, description = WRONG, body = ApiError),
        (status = 422, description = WRONG, body = ApiError),
    )
)]
pub(super) async fn correct(
    State(app): State<App>,
    id: Result<Path<i64>, PathRejection>,
    said: Result<Json<ClassCorrection>, JsonRejection>,
) -> Result<Json<CrawlView>, Problem> {
    let (Path(id), Json(said)) = (id?, said?);
    let (crawl, topic) = app.service.crawls.crawl(id).await?;
    let (page, class) = (&said.address, said.class.as_deref());
    app.service
        .topics
        .correct_class(&crawl, &topic, page, class)
        .await?;
    Ok(Json(crawls::view(&app.service, &crawl, &topic.name).await?))
}
