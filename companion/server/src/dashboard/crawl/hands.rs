//! The hands that make requests of crawls, and how many wait for one.

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
use linkscent_store::HandRow;
use linkscent_store::clock;

pub(in crate::dashboard) fn routes() -> Router<App> {
    Router::new().route("/hands", get(page))
}

#[derive(Template)]
#[template(path = "hands.html")]
struct HandsPage {
    base: String,
    /// Whether the database is one that hands can reach.
    can_be: bool,
    /// Whether crawls of this program are left to them.
    by_hands: bool,
    hands: Vec<Line>,
    waiting: i64,
}

struct Line {
    hand: HandRow,
    since: String,
    silent: String,
    bytes: String,
}

impl From<HandRow> for Line {
    fn from(hand: HandRow) -> Self {
        Self {
            since: ago(clock::now().saturating_sub(hand.since)),
            silent: time(hand.silent.max(0).unsigned_abs()),
            bytes: size(hand.bytes.max(0).unsigned_abs()),
            hand,
        }
    }
}

async fn page(State(app): State<App>, Extension(Base(base)): Extension<Base>) -> PageResult {
    let hands = app.service.crawls.hands().await?;
    let can_be = hands.is_some();
    let (hands, waiting) = hands.unwrap_or_default();
    show(&HandsPage {
        base,
        can_be,
        by_hands: app.service.crawls.are_by_hands(),
        hands: hands.into_iter().map(Line::from).collect(),
        waiting,
    })
}
