//! All that speaks for a page: its probability, and how the score of the link that led there comes
//! about; and its versions.

use askama::Template;
use axum::extract::{Path, State};
use axum::routing::get;
use axum::{Extension, Router};
use linkscent_core::confidence::Confidence;
use linkscent_core::strategies::Explanation;

use super::{PageResult, percent, show};
use crate::api::{App, Base};
use crate::dashboard::crawl::yields::said;
use linkscent_service::{Explained, PageVersion};

/// Levels of the explanation that are open at first.
const OPEN: usize = 2;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/library/why/{crawl}/{number}", get(page))
        .route("/library/versions/{crawl}/{number}", get(versions))
}

#[derive(Template)]
#[template(path = "why.html")]
struct WhyScreen {
    base: String,
    crawl: i64,
    number: u64,
    found: Explained,
    confidence: Confidence,
    likely: String,
    /// How likely the link leads to a good page.
    leads: Option<(Confidence, String)>,
    nodes: Vec<Node>,
    /// How often it was kept.
    versions: usize,
}

#[derive(Template)]
#[template(path = "versions.html")]
struct VersionsScreen {
    base: String,
    crawl: i64,
    number: u64,
    title: String,
    versions: Vec<PageVersion>,
}

impl VersionsScreen {
    fn date(version: &PageVersion) -> String {
        if version.time > 0 {
            said(version.time)
        } else {
            format!("Crawl {}", version.crawl)
        }
    }
}

/// A number of the explanation; what it follows from comes behind it.
struct Node {
    label: String,
    value: String,
    operation: &'static str,
    has_parts: bool,
    is_open: bool,
    /// Nodes that end with it: itself, and those whose last part it is.
    ends: usize,
}

async fn page(
    State(app): State<App>,
    Extension(Base(base)): Extension<Base>,
    Path((crawl, number)): Path<(i64, u64)>,
) -> PageResult {
    let found = app.service.library.explain(crawl, number).await?;
    let mut nodes = Vec::new();
    if let Some(link) = &found.link {
        list(&link.score, 0, 0, &mut nodes);
    }
    let leads = found.link.as_ref().and_then(|link| link.probability);
    show(&WhyScreen {
        base,
        crawl,
        number,
        confidence: Confidence::of(found.probability),
        likely: percent(found.probability),
        leads: leads.map(|leads| (Confidence::of(leads), percent(leads))),
        nodes,
        versions: app.service.library.count_versions(crawl, number).await?,
        found,
    })
}

/// The page as each crawl of its topic kept it.
async fn versions(
    State(app): State<App>,
    Extension(Base(base)): Extension<Base>,
    Path((crawl, number)): Path<(i64, u64)>,
) -> PageResult {
    let row = app.service.crawls.result_at(crawl, number).await?;
    show(&VersionsScreen {
        base,
        crawl,
        number,
        title: row.map(|row| row.title).unwrap_or_default(),
        versions: app.service.library.versions(crawl, number).await?,
    })
}

/// Lists a number and all that it follows from.
fn list(node: &Explanation, depth: usize, ends: usize, nodes: &mut Vec<Node>) {
    let has_parts = !node.parts.is_empty();
    nodes.push(Node {
        label: node.label.clone(),
        value: format!("{:+.4}", node.value),
        operation: node.operation.said(),
        has_parts,
        is_open: depth < OPEN,
        ends: if has_parts { 0 } else { ends },
    });
    let last = node.parts.len().saturating_sub(1);
    for (place, part) in node.parts.iter().enumerate() {
        list(
            part,
            depth + 1,
            if place == last { ends + 1 } else { 0 },
            nodes,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_listed_and_every_one_ends() {
        let part = |label: &str| Explanation::given(label, 1.0);
        let inner = Explanation::sum("inner", vec![part("a"), part("b")]);
        let tree = Explanation::product("all", vec![part("c"), inner]);
        let mut nodes = Vec::new();
        list(&tree, 0, 0, &mut nodes);
        let told = nodes.iter();
        let told: Vec<_> = told
            .map(|node| (&*node.label, node.has_parts, node.ends))
            .collect();
        let expected = [
            ("all", true, 0),
            ("c", false, 0),
            ("inner", true, 0),
            ("a", false, 0),
            ("b", false, 2),
        ];
        assert_eq!(told, expected);
        let opened = nodes.iter().filter(|node| node.has_parts).count();
        let ended: usize = nodes.iter().map(|node| node.ends).sum();
        assert_eq!(opened, ended);
    }
}
