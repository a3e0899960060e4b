//! What a topic has found, on its page: how much of it is new, and the best. With many pages that takes
//! a while when the program has just begun, or the person said something, so then it comes behind the
//! page.

use std::time::Duration;

use askama::Template;
use axum::extract::{Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::get;
use axum::{Extension, Router};
use linkscent_core::confidence::Confidence;
use linkscent_core::wire::api::{LibraryFound, LibraryPage};

use super::{PageResult, show};
use crate::api::{App, Base};
use linkscent_service::{LibraryOrder, LibraryQuery};
use linkscent_store::Topic;

/// Best finds on a topic's page.
const BEST: usize = 5;
/// What takes longer comes behind the page.
const SOON: Duration = Duration::from_millis(50);

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/topic/{id}/finds", get(alone))
        .route("/finds.js", get(script))
}

/// See the module.
#[derive(Default)]
pub(super) struct Finds {
    /// Those that came since the person looked last.
    pub(super) new: usize,
    /// The likeliest pages.
    pub(super) best: Vec<(LibraryPage, Confidence)>,
}

#[derive(Template)]
#[template(path = "finds.html")]
struct FindsPart {
    base: String,
    topic: Topic,
    finds: Finds,
}

impl Finds {
    /// Without a library there are none.
    async fn of(app: &App, topic: &Topic) -> Self {
        let new = LibraryQuery {
            new: true,
            ..LibraryQuery::default()
        };
        let new = app.service.library.search(Some(topic), &new).await;
        let best = LibraryQuery {
            // What the person marked is no find to them any more.
            text: "is:undecided".to_owned(),
            order: LibraryOrder::Likeliest,
            most: BEST,
            ..LibraryQuery::default()
        };
        let best = app.service.library.search(Some(topic), &best).await;
        let LibraryFound { pages, .. } = best.unwrap_or_default();
        let pages = pages.into_iter();
        Self {
            new: new.unwrap_or_default().total,
            best: pages
                .map(|page| (page.clone(), Confidence::of(page.probability)))
                .collect(),
        }
    }

    /// Those that are there at once; else they go on being looked for, to be there when they are asked
    /// for again.
    pub(super) async fn soon(app: &App, topic: &Topic) -> Option<Self> {
        let (app, topic) = (app.clone(), topic.clone());
        let looking = tokio::spawn(async move { Self::of(&app, &topic).await });
        tokio::time::timeout(SOON, looking).await.ok()?.ok()
    }
}

/// The part of the page by itself, however long it takes.
async fn alone(
    State(app): State<App>,
    Extension(Base(base)): Extension<Base>,
    Path(id): Path<i64>,
) -> PageResult {
    let topic = app.service.topics.topic(id).await?;
    let finds = Finds::of(&app, &topic).await;
    show(&FindsPart { base, topic, finds })
}

async fn script() -> impl IntoResponse {
    (
        [(CONTENT_TYPE, "text/javascript")],
        include_str!("../../static/finds.js"),
    )
}
