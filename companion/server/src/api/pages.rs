//! Pages as crawls kept them, for programs.

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use linkscent_core::wire::api::{ApiError, KeptPageView};

use super::problem::WRONG;
use super::{App, Problem};
use linkscent_service::ServiceError;
use linkscent_store::clock;

/// A kept page: what it says, how likely it is what is looked for, and how it was found
#[utoipa::path(
    get,
    operation_id = "kept_page",
    path = "/api/v1/crawls/{id}/pages/{number}",
    params(
        ("id" = i64, Path, description = "Number of the crawl."),
        ("number" = u64, Path, description = "Number of the request, as the library names it."),
    ),
    responses(
        (status = 200, description = "the page", body = KeptPageView),
        (status = 400, description = WRONG, body = ApiError),
        (status = 403, description = WRONG, body = ApiError),
        (status = 404, description = WRONG, body = ApiError),
    )
)]
pub(super) async fn kept(
    State(app): State<App>,
    place: Result<Path<(i64, u64)>, PathRejection>,
) -> Result<Json<KeptPageView>, Problem> {
    let Path((crawl, number)) = place?;
    let service = &app.service;
    let (_, topic) = service.crawls.crawl(crawl).await?;
    let row = service.crawls.result_at(crawl, number).await?;
    let row = row.ok_or(ServiceError::Missing("page in this crawl"))?;
    let page = service.library.kept_page(crawl, number).await?;
    let critic = service.topics.critic_of(&topic).await?;
    Ok(Json(KeptPageView {
        probability: row.probability(&critic),
        address: row.address,
        title: row.title,
        language: page.language.code().to_owned(),
        read: if row.time == 0 {
            String::new()
        } else {
            clock::date(row.time)
        },
        reason: row.reason,
        path: row.trail.into_iter().rev().collect(),
        passages: page.document().passages(),
    }))
}
