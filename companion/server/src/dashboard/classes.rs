//! The classes of a topic: its tree with counts of the pages that stand for them, of which
//! some are good; and the pages of a crawl by their class, each of which can be corrected.

use askama::Template;
use axum::extract::{Form, Path, Query, State};
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Extension, Router};
use linkscent_core::critics::taxonomy::is_under;
use serde::Deserialize;

use super::{PageError, PageResult, check_csrf, go_to, show};
use crate::api::{App, Base};
use linkscent_service::{MOST_CLASSED, TopicClasses};
use linkscent_store::{CrawlRow, ResultRow, Topic};

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/topic/{id}/classes", post(choose))
        .route("/crawl/{id}/classes", get(pages))
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
    let nodes = classes.nodes();
    let depth = |path: &str| path.matches('/').count();
    let paths = nodes.iter().map(|node| node.path.as_str());
    let followed: Vec<Option<&str>> = paths.skip(1).map(Some).chain([None]).collect();
    let good = &classes.good;
    let drawn = nodes.iter().zip(followed).map(|(node, next)| {
        let path = node.path.as_str();
        let has_children = next.is_some_and(|next| is_under(next, path));
        Node {
            name: path.rsplit('/').next().unwrap_or_default().to_owned(),
            is_good: node.is_good,
            is_open: good.iter().any(|good| good != path && is_under(good, path)),
            ends: match next {
                _ if has_children => 0,
                Some(next) => depth(path).saturating_sub(depth(next)),
                None => depth(path),
            },
            path: path.to_owned(),
            pages: node.pages,
            has_children,
        }
    });
    drawn.collect()
}

/// Chooses the good nodes: one field `good` for each.
async fn choose(
    State(app): State<App>,
    Path(id): Path<i64>,
    Form(fields): Form<Vec<(String, String)>>,
) -> PageResult {
    let csrf = fields.iter().find(|field| field.0 == "csrf");
    check_csrf(&app, csrf.map_or("", |field| &field.1))?;
    let topic = app.service.topics.topic(id).await?;
    let good = fields.into_iter().filter(|field| field.0 == "good");
    let good: Vec<String> = good.map(|field| field.1).collect();
    app.service.topics.choose_good(&topic, &good).await?;
    Ok(go_to(&format!("/topic/{id}")))
}

#[derive(Template)]
#[template(path = "classes.html")]
struct ClassesPage<'a> {
    base: String,
    csrf: &'a str,
    crawl: CrawlRow,
    topic: Topic,
    /// Nodes to choose from.
    nodes: Vec<String>,
    /// The one that was chosen; empty for all pages.
    node: String,
    /// Classes that a page may be of.
    classes: Vec<String>,
    /// Pages, with the class that the person says they are of.
    rows: Vec<(ResultRow, Option<String>)>,
    /// Where a class is corrected.
    class_action: String,
    page: i64,
    more: bool,
}

#[derive(Deserialize)]
struct PagesQuery {
    #[serde(default)]
    node: String,
    #[serde(default)]
    page: i64,
}

/// Pages of a crawl by their class.
async fn pages(
    State(app): State<App>,
    Extension(Base(base)): Extension<Base>,
    Path(id): Path<i64>,
    Query(query): Query<PagesQuery>,
) -> PageResult {
    let (crawl, topic) = app.service.crawls.crawl(id).await?;
    let classes = app.service.topics.needed_classes(&topic).await?;
    let page = query.page.max(0);
    let node = Some(query.node.as_str()).filter(|node| !node.is_empty());
    let skip = page.saturating_mul(MOST_CLASSED);
    let mut rows = app
        .service
        .topics
        .classed_pages(&crawl, &topic, node, MOST_CLASSED + 1, skip)
        .await?;
    let more = rows.len() as i64 > MOST_CLASSED;
    rows.truncate(MOST_CLASSED as usize);
    show(&ClassesPage {
        class_action: format!("{base}/crawl/{id}/class"),
        base,
        csrf: app.access.csrf(),
        nodes: classes.nodes().into_iter().map(|node| node.path).collect(),
        node: query.node,
        classes: classes.taxonomy.classes().to_vec(),
        crawl,
        topic,
        rows,
        page,
        more,
    })
}

#[derive(Deserialize)]
struct ClassForm {
    csrf: String,
    address: String,
    /// Empty: what was said is taken back.
    class: String,
    /// The list of pages on which it was said, if it was one: its node, which may be empty.
    node: Option<String>,
    #[serde(default)]
    page: i64,
}

/// The person says what class a page is of.
async fn correct(
    State(app): State<App>,
    Path(id): Path<i64>,
    Form(form): Form<ClassForm>,
) -> Result<Response, PageError> {
    check_csrf(&app, &form.csrf)?;
    let (crawl, topic) = app.service.crawls.crawl(id).await?;
    let class = Some(form.class.trim()).filter(|class| !class.is_empty());
    app.service
        .topics
        .correct_class(&crawl, &topic, &form.address, class)
        .await?;
    let Some(node) = &form.node else {
        return Ok(go_to(&format!("/crawl/{id}")));
    };
    let Ok(node) = askama::filters::urlencode_strict(node);
    let page = form.page.max(0);
    Ok(go_to(&format!(
        "/crawl/{id}/classes?node={node}&page={page}"
    )))
}
