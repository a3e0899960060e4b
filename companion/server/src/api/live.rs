//! Changes as they happen, as server-sent events.

use std::convert::Infallible;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::{Stream, StreamExt};
use linkscent_core::wire::api::ApiError;
use serde_json::json;

use super::App;
use super::problem::WRONG;
use super::tokens::ByToken;

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
        (status = 403, description = WRONG, body = ApiError),
    )
)]
pub(super) async fn live(
    State(app): State<App>,
    Extension(ByToken(token)): Extension<ByToken>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let told = changes(&app).then(move |()| {
        let app = app.clone();
        async move {
            // It ends with its token.
            let tokens = app.service.accounts.tokens().await.ok()?;
            tokens.iter().find(|one| one.id == token)?;
            let crawls = running(&app).await.ok()?;
            Event::default().event("crawls").json_data(crawls).ok()
        }
    });
    let told = told.take_while(|event| std::future::ready(event.is_some()));
    Sse::new(told.filter_map(|event| std::future::ready(event.map(Ok))))
        .keep_alive(KeepAlive::default())
}

async fn running(app: &App) -> anyhow::Result<serde_json::Value> {
    let mut crawls = Vec::new();
    for crawl in app.service.crawls.web_crawls(None).await? {
        if crawl.state.is_running() && !crawl.is_removed {
            // It may be deleted at this moment.
            let Ok(topic) = app.service.topics.topic(crawl.topic).await else {
                continue;
            };
            let counts = app.service.crawls.counts(crawl.id).await?;
            crawls.push(json!({
                "id": crawl.id, "topic": topic.name, "pages": counts.pages,
                "budget": crawl.order.spec.budget, "relevant": counts.relevant,
            }));
        }
    }
    Ok(crawls.into())
}
