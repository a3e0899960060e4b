//! How a crawl and its hosts get on, for programs.

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use linkscent_core::crawl::{HostRules, HostState, HostTurn};
use linkscent_core::wire::api::{ApiError, HostNow, HostView, HostsView};

use super::problem::WRONG;
use super::{App, Problem};
use crate::service::HostHealth;

/// How a crawl and its hosts get on: those in trouble first
#[utoipa::path(
    get,
    operation_id = "hosts",
    path = "/api/v1/crawls/{id}/hosts",
    params(("id" = i64, Path, description = "Number of the crawl.")),
    responses(
        (status = 200, description = "hosts, at most 200", body = HostsView),
        (status = 400, description = WRONG, body = ApiError),
        (status = 401, description = WRONG, body = ApiError),
        (status = 404, description = WRONG, body = ApiError),
    )
)]
pub(super) async fn hosts(
    State(app): State<App>,
    crawl: Result<Path<i64>, PathRejection>,
) -> Result<Json<HostsView>, Problem> {
    let Path(crawl) = crawl?;
    let (crawl, _) = app.service.crawl(crawl).await?;
    let (hosts, all) = app.service.hosts(&crawl).await?;
    let hosts = hosts.into_iter().map(view).collect();
    Ok(Json(HostsView { all, hosts }))
}

fn view(health: HostHealth) -> HostView {
    HostView {
        in_trouble: health.is_in_trouble(),
        now: health.now.as_ref().map(now),
        host: health.host,
        requests: health.requests,
        pages: health.pages,
        failed: health.failed,
        problem: health.problem.map_or(String::new(), |row| row.0),
        bytes: health.bytes,
        last: health.last,
    }
}

fn now(state: &HostState) -> HostNow {
    let (turn, rests) = match state.turn {
        HostTurn::Free => ("free", 0),
        HostTurn::Asked => ("asked", 0),
        HostTurn::Rests(left) => ("rests", left),
        HostTurn::Left => ("left", 0),
    };
    HostNow {
        turn: turn.to_owned(),
        rests,
        delay: state.delay,
        deferred: state.deferred,
        rules: match &state.rules {
            HostRules::Unknown => "unknown".to_owned(),
            HostRules::None => "none".to_owned(),
            HostRules::Some => "some".to_owned(),
            HostRules::Nothing(denial) => denial.to_string(),
        },
        waiting: state.waiting,
    }
}
