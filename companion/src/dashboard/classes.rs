//! The classes of a topic: its tree with counts of the pages that stand for them, of which
//! some are good; and the class of a page, corrected by hand.

use axum::Router;
use axum::extract::{Form, Path, State};
use axum::routing::post;
use linkscent_core::critics::taxonomy::is_under;
use serde::Deserialize;

use super::{PageError, PageResult, check_csrf, go_to};
use crate::api::App;
use crate::service::TopicClasses;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/topic/{id}/classes", post(choose))
        .route("/crawl/{id}/class", post(correct))
}

/// A node of the tree as it is drawn, in the order of the paths.
pub(super) struct Node {
    pub(super) path: String,
    /// The last part of the path.
    pub(super) name: String,
    /// Pages that stand for it and all below it.
    pub(super) pages: u32,
    pub(super) is_good: bool,
    /// Whether it has nodes below it.
    pub(super) has_children: bool,
    /// Whether something below it is good, so that it is shown.
    pub(super) is_open: bool,
    /// How many nodes end behind it.
    pub(super) ends: usize,
}

/// The tree of a taxonomy.
pub(super) fn tree(classes: &TopicClasses) -> Vec<Node> {
    let mut paths: Vec<(&str, u32)> = classes.taxonomy.nodes().into_iter().collect();
    // Below a node come its own first: `A/B` before `A-B`.
    paths.sort_by(|a, b| a.0.split('/').cmp(b.0.split('/')));
    let depth = |path: &str| path.matches('/').count();
    let next = paths.iter().skip(1).map(|row| Some(row.0));
    let followed = paths.iter().zip(next.chain([None]));
    let node = |(&(path, pages), next): (&(&str, u32), Option<&str>)| {
        let has_children = next.is_some_and(|next| is_under(next, path));
        let good = &classes.good;
        Node {
            name: path.rsplit('/').next().unwrap_or_default().to_owned(),
            is_good: good.iter().any(|node| node == path),
            is_open: good.iter().any(|node| node != path && is_under(node, path)),
            ends: match next {
                _ if has_children => 0,
                Some(next) => depth(path).saturating_sub(depth(next)),
                None => depth(path),
            },
            path: path.to_owned(),
            pages,
            has_children,
        }
    };
    followed.map(node).collect()
}

/// Chooses the good nodes: one field `good` for each.
async fn choose(
    State(app): State<App>,
    Path(id): Path<i64>,
    Form(fields): Form<Vec<(String, String)>>,
) -> PageResult {
    let csrf = fields.iter().find(|field| field.0 == "csrf");
    check_csrf(&app, csrf.map_or("", |field| &field.1))?;
    let topic = app.service.topic(id).await?;
    let good = fields.into_iter().filter(|field| field.0 == "good");
    let good: Vec<String> = good.map(|field| field.1).collect();
    app.service.choose_good(&topic, &good).await?;
    Ok(go_to(&format!("/topic/{id}")))
}

#[derive(Deserialize)]
struct ClassForm {
    csrf: String,
    address: String,
    /// Empty: what was said is taken back.
    class: String,
}

/// The person says what class a page is of.
async fn correct(
    State(app): State<App>,
    Path(id): Path<i64>,
    Form(form): Form<ClassForm>,
) -> Result<axum::response::Response, PageError> {
    check_csrf(&app, &form.csrf)?;
    let (crawl, topic) = app.service.crawl(id).await?;
    let class = Some(form.class.trim()).filter(|class| !class.is_empty());
    app.service
        .correct_class(&crawl, &topic, &form.address, class)
        .await?;
    Ok(go_to(&format!("/crawl/{id}")))
}
