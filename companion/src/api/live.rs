//! Changes as they happen, as server-sent events.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::{Stream, StreamExt};
use linkscent_core::wire::api::ApiError;
use serde_json::json;

use super::App;
use super::problem::WRONG;

/// Whoever listens is told of changes at most this often.
const EVERY: Duration = Duration::from_millis(700);

/// Says whenever something changed, and once at the start: something may have before.
pub fn changes(app: &App) -> impl Stream<Item = ()> + Send + use<> {
    let start = (app.service.supervisor.changes(), false);
    futures_util::stream::unfold(start, |(mut changes, begun)| async move {
        if begun {
            changes.changed().await.ok()?;
            tokio::time::sleep(EVERY).await;
        }
        changes.mark_unchanged();
        Some(((), (changes, true)))
    })
}

/// How the crawls that run stand, whenever something changed
///
/// Server-sent events called `crawls`; each has a list of the crawls that run. Something else may
/// have changed, too: whoever shows it asks again.
#[utoipa::path(
    get,
    path = "/api/v1/live",
    responses(
        (status = 200, description = "events without end", content_type = "text/event-stream"),
        (status = 401, description = WRONG, body = ApiError),
    )
)]
pub(super) async fn live(
    State(app): State<App>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let told = changes(&app).then(move |()| {
        let app = app.clone();
        async move {
            let event = Event::default().event("crawls");
            let told = match running(&app).await {
                Ok(crawls) => event.json_data(crawls),
                Err(error) => event.json_data(json!({ "error": format!("{error:#}") })),
            };
            Ok(told.unwrap_or_default())
        }
    });
    Sse::new(told).keep_alive(KeepAlive::default())
}

async fn running(app: &App) -> anyhow::Result<serde_json::Value> {
    let mut crawls = Vec::new();
    for crawl in app.service.store.crawls(None).await? {
        if crawl.state.is_running() && !crawl.is_removed {
            let topic = app.service.topic(crawl.topic).await?;
            let counts = app.service.counts(crawl.id).await?;
            crawls.push(json!({
                "id": crawl.id, "topic": topic.name, "pages": counts.pages,
                "budget": crawl.order.budget, "relevant": counts.relevant,
            }));
        }
    }
    Ok(crawls.into())
}
