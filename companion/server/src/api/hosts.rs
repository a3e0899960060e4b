//! How a crawl and its hosts get on, for programs.

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use linkscent_core::crawl::{HostRules, HostState, HostTurn};
use linkscent_core::wire::api::{ApiError, HostNow, HostView, HostsView};

use super::problem::WRONG;
use super::{App, Problem};
use linkscent_service::HostHealth;

/// How a crawl and its hosts get on: those in trouble first
#[utoipa::path(
    get,
    operation_id = "hosts",
    path = "/api/v1/crawls/{id}/hosts",
    params(("id" = i64, Path, description = "Number of the crawl.")),
    responses(
        (status = 200, description = "hosts, at most 200", body = HostsView),
        (status = 400, description = WRONG, body = ApiError),
        (status = 403, description = WRONG, body = ApiError),
        (status = 404, description = WRONG, body = ApiError),
    )
)]
pub(super) async fn hosts(
    State(app): State<App>,
    crawl: Result<Path<i64>, PathRejection>,
) -> Result<Json<HostsView>, Problem> {
    let Path(crawl) = crawl?;
    let (crawl, _) = app.service.crawls.crawl(crawl).await?;
    let found = app.service.reports.hosts(&crawl).await?;
    Ok(Json(HostsView {
        all: found.all,
        in_trouble: found.in_trouble,
        hosts: found.hosts.into_iter().map(view).collect(),
    }))
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
        HostTurn::Enough => ("enough", 0),
        HostTurn::GivenUp => ("given up", 0),
        HostTurn::LeftOut => ("left out", 0),
    };
    let (rules, why) = match &state.rules {
        HostRules::Unknown => ("unknown", String::new()),
        HostRules::None => ("all", String::new()),
        HostRules::Some => ("some", String::new()),
        HostRules::Nothing(denial) => ("nothing", denial.to_string()),
    };
    HostNow {
        turn: turn.to_owned(),
        rests,
        delay: state.rest,
        deferred: state.deferred,
        rules: rules.to_owned(),
        why,
        waiting: state.waiting,
    }
}
