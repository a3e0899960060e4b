//! What a crawl would fetch next: a look ahead, before anything is fetched.

use askama::Template;
use axum::extract::{Path, State};
use axum::routing::get;
use axum::{Extension, Router};
use linkscent_core::confidence::Confidence;
use linkscent_core::crawl::{DryRun, Upcoming};
use linkscent_core::wire::api::PROPOSED_BUDGET;

use super::{PageResult, show};
use crate::api::{App, Base};
use linkscent_service::{NewCrawl, Starts};
use linkscent_store::{CrawlRow, Topic};

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/crawl/{id}/dry-run", get(of_crawl))
        .route("/topic/{id}/dry-run", get(of_topic))
}

#[derive(Template)]
#[template(path = "dry_run.html")]
struct DryRunPage {
    base: String,
    topic: Topic,
    /// The crawl that would go on; none where one would begin.
    crawl: Option<CrawlRow>,
    pages: Vec<Line>,
    expected: String,
    judged: usize,
}

struct Line {
    page: Upcoming,
    confidence: Option<Confidence>,
}

impl DryRunPage {
    fn new(base: String, topic: Topic, crawl: Option<CrawlRow>, run: DryRun) -> Self {
        let line = |page: Upcoming| Line {
            confidence: page.probability.map(Confidence::of),
            page,
        };
        Self {
            base,
            topic,
            crawl,
            expected: run.expected_in_words(),
            judged: run.judged,
            pages: run.pages.into_iter().map(line).collect(),
        }
    }
}

async fn of_crawl(
    State(app): State<App>,
    Extension(Base(base)): Extension<Base>,
    Path(id): Path<i64>,
) -> PageResult {
    let (crawl, topic) = app.service.crawls.crawl(id).await?;
    let run = app.service.crawls.dry_run_of(&crawl).await?;
    show(&DryRunPage::new(base, topic, Some(crawl), run))
}

async fn of_topic(
    State(app): State<App>,
    Extension(Base(base)): Extension<Base>,
    Path(id): Path<i64>,
) -> PageResult {
    let topic = app.service.topics.topic(id).await?;
    let new = NewCrawl::new(Starts::default(), PROPOSED_BUDGET);
    let run = app.service.crawls.dry_run(&topic, &new).await?;
    show(&DryRunPage::new(base, topic, None, run))
}
