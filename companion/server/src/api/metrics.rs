//! Numbers for programs that watch others: the text format of Prometheus, version 0.0.4.
//!
//! Crawls are named by their numbers alone, so that whoever keeps the numbers learns no topic.

use std::fmt::Write as _;

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use linkscent_core::crawl::Unfound;
use linkscent_core::wire::api::ApiError;

use super::problem::WRONG;
use super::{App, Problem};
use linkscent_service::CrawlCounts;
use linkscent_store::{CrawlRow, WorkerRow};

/// The media type of the format.
const FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";
/// Crawls that are told of: those that run, and the newest of the others.
const MOST_CRAWLS: usize = 50;

/// A crawl as the numbers tell of it.
struct Told {
    crawl: CrawlRow,
    counts: CrawlCounts,
    unfound: Option<Unfound>,
    skipped: u64,
}

/// A number of each crawl: its name, its kind, what it is and how it is read.
type Metric = (
    &'static str,
    &'static str,
    &'static str,
    fn(&Told) -> Option<f64>,
);

const METRICS: [Metric; 9] = [
    (
        "linkscent_crawl_running",
        "gauge",
        "Whether a crawl runs.",
        |told| Some(f64::from(u8::from(told.crawl.state.is_running()))),
    ),
    (
        "linkscent_crawl_budget_pages",
        "gauge",
        "Pages that a crawl is to fetch.",
        |told| Some(told.crawl.order.spec.budget as f64),
    ),
    (
        "linkscent_crawl_pages_total",
        "counter",
        "Pages that a crawl fetched.",
        |told| Some(told.counts.pages as f64),
    ),
    (
        "linkscent_crawl_other_answers_total",
        "counter",
        "Requests of a crawl that brought no page.",
        |told| Some(told.counts.other as f64),
    ),
    (
        "linkscent_crawl_judged_pages_total",
        "counter",
        "Pages of a crawl that count for its harvest.",
        |told| Some(told.counts.scored as f64),
    ),
    (
        "linkscent_crawl_relevant_pages_total",
        "counter",
        "Relevant pages among those that count.",
        |told| Some(told.counts.relevant as f64),
    ),
    (
        "linkscent_crawl_expected_relevant_pages",
        "gauge",
        "Relevant pages expected among the links that wait, where that was counted.",
        |told| told.unfound.map(|unfound| unfound.waiting),
    ),
    (
        "linkscent_crawl_reachable_relevant_pages",
        "gauge",
        "Relevant pages that can be reached, found ones included, where that was estimated.",
        |told| {
            let all = told.unfound?.reachable(told.counts.relevant)?;
            Some(all.about as f64)
        },
    ),
    (
        "linkscent_crawl_skipped_links_total",
        "counter",
        "Links that were not asked for, as far as they are kept.",
        |told| Some(told.skipped as f64),
    ),
];

/// How crawls stand, for programs that watch others
///
/// In the text format of Prometheus: crawls that run, and the newest of the others, by their
/// numbers.
#[utoipa::path(
    get,
    path = "/api/v1/metrics",
    responses(
        (status = 200, description = "the numbers", content_type = "text/plain"),
        (status = 403, description = WRONG, body = ApiError),
    )
)]
pub(super) async fn metrics(State(app): State<App>) -> Result<impl IntoResponse, Problem> {
    let mut crawls = app.service.crawls.web_crawls(None).await?;
    crawls.retain(|crawl| !crawl.is_removed);
    crawls.sort_by_key(|crawl| (!crawl.state.is_running(), -crawl.id));
    crawls.truncate(MOST_CRAWLS);
    let mut told = Vec::new();
    for crawl in crawls {
        let skipped = app.service.crawls.skipped(crawl.id).await?;
        told.push(Told {
            counts: app.service.crawls.counts(crawl.id).await?,
            unfound: app.service.reports.unfound_of(crawl.id).await?,
            skipped: skipped.iter().map(|row| row.count).sum(),
            crawl,
        });
    }
    let mut text = written(&told);
    if let Some((workers, waiting)) = app.service.crawls.workers().await? {
        text.push_str(&of_workers(&workers, waiting));
    }
    Ok(([(CONTENT_TYPE, FORMAT)], text))
}

fn written(told: &[Told]) -> String {
    let mut text = String::new();
    for (name, kind, help, read) in METRICS {
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        for crawl in told {
            if let Some(value) = read(crawl) {
                let _ = writeln!(text, "{name}{{crawl=\"{}\"}} {value}", crawl.crawl.id);
            }
        }
    }
    text
}

/// What workers do, all of them together: they come and go.
fn of_workers(workers: &[WorkerRow], waiting: i64) -> String {
    let sum = |of: fn(&WorkerRow) -> i64| workers.iter().map(of).sum::<i64>();
    let rows = [
        ("hands", "Workers that are at work.", workers.len() as i64),
        (
            "requests_under_way",
            "Requests that workers make.",
            sum(|worker| worker.under_way),
        ),
        (
            "requests_waiting",
            "Requests that wait for a worker.",
            waiting,
        ),
        (
            "hands_hindered",
            "Workers that something keeps from their work.",
            sum(|worker| i64::from(!worker.problem.is_empty())),
        ),
        (
            "answers",
            "Answers taken from workers that are at work.",
            sum(|worker| worker.answers),
        ),
        (
            "answers_refused",
            "Answers of theirs that came too late or twice.",
            sum(|worker| worker.refused),
        ),
    ];
    let mut text = String::new();
    for (name, help, value) in rows {
        let _ = writeln!(
            text,
            "# HELP linkscent_{name} {help}\n# TYPE linkscent_{name} gauge\nlinkscent_{name} {value}"
        );
    }
    text
}
