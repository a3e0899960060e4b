//! The workers that make requests of crawls, and how many wait for one.

use askama::Template;
use axum::extract::State;
use axum::routing::get;
use axum::{Extension, Router};

use crate::api::{App, Base};
use crate::dashboard::PageResult;
use crate::dashboard::crawl::hosts::ago;
use crate::dashboard::crawl::hosts::size;
use crate::dashboard::crawl::hosts::time;
use crate::dashboard::show;
use linkscent_store::WorkerRow;
use linkscent_store::clock;

pub(in crate::dashboard) fn routes() -> Router<App> {
    Router::new().route("/workers", get(page))
}

#[derive(Template)]
#[template(path = "workers.html")]
struct WorkersPage {
    base: String,
    /// Whether the database is one that workers can reach.
    can_be: bool,
    /// Whether crawls of this program are left to them.
    by_workers: bool,
    workers: Vec<Line>,
    waiting: i64,
}

struct Line {
    worker: WorkerRow,
    since: String,
    silent: String,
    bytes: String,
}

impl From<WorkerRow> for Line {
    fn from(worker: WorkerRow) -> Self {
        Self {
            since: ago(clock::now().saturating_sub(worker.since)),
            silent: time(worker.silent.max(0).unsigned_abs()),
            bytes: size(worker.bytes.max(0).unsigned_abs()),
            worker,
        }
    }
}

async fn page(State(app): State<App>, Extension(Base(base)): Extension<Base>) -> PageResult {
    let workers = app.service.crawls.workers().await?;
    let can_be = workers.is_some();
    let (workers, waiting) = workers.unwrap_or_default();
    show(&WorkersPage {
        base,
        can_be,
        by_workers: app.service.crawls.are_by_workers(),
        workers: workers.into_iter().map(Line::from).collect(),
        waiting,
    })
}
