//! A new crawl, as a topic's page begins it; and more pages for one to start from.

use axum::Router;
use axum::extract::{Form, Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use linkscent_archive::lists;
use linkscent_core::address::Address;
use linkscent_core::crawl::{CrawlSpec, MEGABYTE, Reaction, Scope, StoppingRule, hosts_in};
use serde::Deserialize;

use crate::api::App;
use crate::dashboard::PageError;
use crate::dashboard::PageResult;
use crate::dashboard::check_csrf;
use crate::dashboard::go_to;
use crate::dashboard::people::roles::check_named;
use linkscent_service::{NewCrawl, Starts};

pub(in crate::dashboard) fn routes() -> Router<App> {
    Router::new()
        .route("/topic/{id}/crawl", post(crawl))
        .route("/crawl/{id}/seeds", post(seeds))
        .route("/lists", post(read_list))
}

#[derive(Deserialize)]
struct CrawlForm {
    csrf: String,
    budget: String,
    /// Hosts to keep to, a line or a word each; none for the whole web.
    #[serde(default)]
    hosts: String,
    /// Hosts to leave out, likewise.
    #[serde(default)]
    left_out: String,
    /// Links from a start at most; empty for any number.
    #[serde(default)]
    depth: String,
    /// Addresses, a line each.
    #[serde(default)]
    starts: String,
    /// What the crawl does when it loses its way.
    #[serde(default)]
    on_drift: String,
    /// Pages of a site after which it is left; empty for never.
    #[serde(default)]
    site_pages: String,
    /// Targets of a site after which it is left; empty for never.
    #[serde(default)]
    site_targets: String,
    /// Per cent of the relevant pages after which it ends; empty for the whole budget.
    #[serde(default)]
    until_recall: String,
    /// Megabytes that its pages take at most; empty for any number.
    #[serde(default)]
    megabytes: String,
    /// The strategy; empty for the topic's.
    #[serde(default)]
    strategy: String,
    /// The topic with whose knowledge it begins; empty for none.
    #[serde(default)]
    start_from: String,
}

async fn crawl(
    State(app): State<App>,
    Path(id): Path<i64>,
    Form(form): Form<CrawlForm>,
) -> Result<Response, PageError> {
    check_csrf(&app, &form.csrf)?;
    let topic = app.service.topics.topic(id).await?;
    let budget = form.budget.trim().parse().map_err(|_| {
        PageError::bad(format!("“{}” is no number of pages to fetch.", form.budget))
    })?;
    let starts = Starts {
        seeds: addresses(&form.starts)?,
        from_targets: true,
        ..Starts::default()
    };
    if !form.start_from.is_empty() {
        check_named(&app, &form.start_from).await?;
    }
    let new = NewCrawl {
        spec: CrawlSpec {
            on_drift: Reaction::of(&form.on_drift),
            stopping: StoppingRule {
                pages: number(&form.site_pages)?,
                targets: number(&form.site_targets)?,
            },
            until_recall: number(&form.until_recall)?.map(|share| f64::from(share) / 100.0),
            most_bytes: number(&form.megabytes)?.map(|number| u64::from(number) * MEGABYTE),
            scope: Scope {
                hosts: hosts_in(&form.hosts),
                left_out: hosts_in(&form.left_out),
                depth: number(&form.depth)?,
                documents: true,
            },
            ..CrawlSpec::new(budget)
        },
        strategy: Some(form.strategy).filter(|name| !name.is_empty()),
        start_from: Some(form.start_from).filter(|from| !from.is_empty()),
        ..NewCrawl::new(starts, budget)
    };
    let crawl = app.service.crawls.begin_crawl(&topic, &new).await?;
    Ok(go_to(&format!("/crawl/{}", crawl.id)))
}

#[derive(Deserialize)]
struct SeedsForm {
    csrf: String,
    starts: String,
}

/// Has a crawl start at more pages.
async fn seeds(
    State(app): State<App>,
    Path(id): Path<i64>,
    Form(form): Form<SeedsForm>,
) -> Result<Response, PageError> {
    check_csrf(&app, &form.csrf)?;
    let (crawl, _) = app.service.crawls.crawl(id).await?;
    let pages = addresses(&form.starts)?;
    let pages: Result<Vec<Address>, _> = pages.iter().map(|page| Address::parse(page)).collect();
    let pages = pages.map_err(|error| PageError::bad(error.to_string()))?;
    app.service.crawls.start_at_more(&crawl, &pages).await?;
    Ok(go_to(&format!("/crawl/{id}")))
}

/// A number, if there is one.
fn number(text: &str) -> Result<Option<u32>, PageError> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let number = text.parse();
    number
        .map(Some)
        .map_err(|_| PageError::bad(format!("“{text}” is no number, such as 20.")))
}

/// Addresses in a text, see [`lists::addresses`].
pub(in crate::dashboard) fn addresses(text: &str) -> Result<Vec<String>, PageError> {
    let pages = lists::addresses(text).map_err(|error| PageError::bad(error.to_string()))?;
    Ok(pages.iter().map(ToString::to_string).collect())
}

#[derive(Deserialize)]
struct ListForm {
    csrf: String,
    text: String,
}

/// The pages that a list names, a line each, to be looked at before they are used.
async fn read_list(State(app): State<App>, Form(form): Form<ListForm>) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    let pages = addresses(&form.text)?;
    Ok(pages.join("\n").into_response())
}
