//! Who chooses the links of a crawl, and how that is changed while it is not over.

use askama::Template;
use axum::extract::{Form, Path, State};
use axum::routing::get;
use axum::{Extension, Router};
use linkscent_core::strategies::{self, Descriptor};
use serde::Deserialize;

use super::{PageResult, check_csrf, go_to, show};
use crate::api::{App, Base};
use linkscent_service::RunBy;
use linkscent_store::{CrawlRow, Topic};

pub(super) fn routes() -> Router<App> {
    Router::new().route("/crawl/{id}/strategy", get(page).post(choose))
}

#[derive(Template)]
#[template(path = "strategy.html")]
struct StrategyPage<'a> {
    base: String,
    csrf: &'a str,
    crawl: CrawlRow,
    topic: Topic,
    /// By which it goes.
    name: String,
    sentence: &'static str,
    /// Others, where it can go on with one.
    others: Vec<&'static Descriptor>,
    /// Whether it runs elsewhere.
    is_elsewhere: bool,
}

async fn page(
    State(app): State<App>,
    Extension(Base(base)): Extension<Base>,
    Path(id): Path<i64>,
) -> PageResult {
    let (crawl, topic) = app.service.crawls.crawl(id).await?;
    let name = app
        .service
        .crawls
        .first_topic_model(&crawl)
        .await?
        .strategy()
        .full_name();
    let is_changeable = crawl.can_start_at_more() && !crawl.is_removed;
    let is_other = |row: &&Descriptor| is_changeable && row.make.is_some() && row.name != name;
    show(&StrategyPage {
        base,
        csrf: app.access.csrf(),
        sentence: strategies::descriptor(&name).map_or("", |row| row.sentence),
        others: strategies::REGISTRY.iter().filter(is_other).collect(),
        is_elsewhere: app.service.supervisor.run_by(&crawl) == Some(RunBy::Another),
        name,
        crawl,
        topic,
    })
}

#[derive(Deserialize)]
struct StrategyForm {
    csrf: String,
    strategy: String,
}

async fn choose(
    State(app): State<App>,
    Path(id): Path<i64>,
    Form(form): Form<StrategyForm>,
) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    let (crawl, _) = app.service.crawls.crawl(id).await?;
    app.service
        .crawls
        .set_strategy(&crawl, &form.strategy)
        .await?;
    Ok(go_to(&format!("/crawl/{id}")))
}
