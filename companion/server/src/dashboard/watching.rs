//! Topics that stand, on the dashboard: how often they are looked after, and their feeds.

use std::time::Duration;

use axum::Router;
use axum::extract::{Form, Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use serde::Deserialize;

use super::{PageError, PageResult, check_csrf, go_to};
use crate::api::App;
use linkscent_service::{ServiceError, USUAL_REQUESTS, feed_file};
use linkscent_store::clock;
use linkscent_store::{StandingTopic, Topic};

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/topic/{id}/watch", post(watch))
        .route("/feed/{feed}", get(feed))
}

/// How a topic stands, for its page.
pub(super) struct WatchLine {
    /// Hours between two recrawls, and requests of one.
    pub every: String,
    pub requests: u64,
    /// When the next one begins, and the last one and what it found; empty where there is none.
    pub next: String,
    pub last: Option<(i64, u64)>,
    /// Where its feed lies; empty if it does not stand.
    pub feed: String,
}

impl WatchLine {
    pub(super) async fn of(app: &App, topic: &Topic) -> Result<Self, PageError> {
        let standing = app.service.watching.standing(topic).await?;
        let mut recrawls = app
            .service
            .crawls
            .web_crawls(Some(topic.id))
            .await?
            .into_iter();
        let last = recrawls.find(|crawl| crawl.is_recrawl() && !crawl.is_removed);
        let last = match last {
            Some(crawl) => Some((
                crawl.id,
                app.service.crawls.counts(crawl.id).await?.relevant,
            )),
            None => None,
        };
        let hours = |standing: &StandingTopic| standing.every as f64 / 3_600_000.0;
        Ok(Self {
            every: standing
                .as_ref()
                .map_or("24".to_owned(), |it| hours(it).to_string()),
            requests: standing.as_ref().map_or(USUAL_REQUESTS, |it| it.requests),
            next: standing
                .as_ref()
                .map_or(String::new(), |it| clock::date(it.due)),
            feed: standing.map_or(String::new(), |it| format!("/feed/{}", it.feed)),
            last,
        })
    }

    pub(super) fn stands(&self) -> bool {
        !self.feed.is_empty()
    }
}

#[derive(Deserialize)]
struct WatchForm {
    csrf: String,
    /// `on`, `off`, or `now` for a recrawl at once.
    what: String,
    #[serde(default)]
    hours: String,
    #[serde(default)]
    requests: String,
}

async fn watch(
    State(app): State<App>,
    Path(id): Path<i64>,
    Form(form): Form<WatchForm>,
) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    let topic = app.service.topics.topic(id).await?;
    let requests = || {
        let requests = form.requests.trim().parse::<u64>();
        requests
            .map_err(|_| PageError::bad(format!("“{}” is no number of requests.", form.requests)))
    };
    match form.what.as_str() {
        "off" => app.service.watching.rest(&topic).await?,
        "now" => {
            let recrawl = app
                .service
                .watching
                .begin_recrawl(&topic, requests()?)
                .await?;
            let recrawl = recrawl.ok_or_else(|| {
                let nothing = "No page is worth another look yet: crawl first, or wait a while.";
                ServiceError::refused(nothing)
            })?;
            return Ok(go_to(&format!("/crawl/{}", recrawl.id)));
        }
        _ => {
            let hours = form.hours.trim().replace(',', ".").parse::<f64>();
            let hours = hours.ok().filter(|hours| (0.0..=1e6).contains(hours));
            let wrong = || PageError::bad(format!("“{}” is no number of hours.", form.hours));
            let every = Duration::from_secs_f64(3_600.0 * hours.ok_or_else(wrong)?);
            app.service
                .watching
                .stand(&topic, every, requests()?)
                .await?;
        }
    }
    Ok(go_to(&format!("/topic/{id}#watch")))
}

/// What was found last for a topic, for programs that read feeds: it lies under a secret of its
/// own, which holds from one start of the companion to the next.
async fn feed(State(app): State<App>, Path(feed): Path<String>) -> PageResult {
    let (topic, pages) = app.service.exports.feed(&feed).await?;
    let file = tokio::task::spawn_blocking(move || feed_file(&topic, pages));
    let file = file.await.map_err(anyhow::Error::from)??;
    Ok(([(CONTENT_TYPE, "application/atom+xml")], file).into_response())
}
