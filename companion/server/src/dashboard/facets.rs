//! The facets of a topic, on its page: which targets are of one kind, and kinds that are dropped
//! or brought back.

use std::collections::BTreeMap;

use axum::Router;
use axum::extract::{Form, Path, State};
use axum::routing::post;
use linkscent_core::guide::Belief;
use serde::Deserialize;

use super::{PageError, PageResult, check_csrf, go_to};
use crate::api::App;
use linkscent_service::Facets;
use linkscent_store::MarkRow;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/topic/{id}/facets", post(keep))
        .route("/topic/{id}/facet", post(drop_or_bring_back))
}

/// A target with what it is said to be of.
pub(super) struct FacetLine {
    pub(super) address: String,
    /// Its title; its address where that is not known.
    pub(super) title: String,
    /// Name of its facet; empty if none was said.
    pub(super) facet: String,
}

impl FacetLine {
    pub(super) fn all(targets: &[MarkRow], facets: &Facets) -> Vec<Self> {
        let line = |mark: &MarkRow| Self {
            address: mark.address.clone(),
            title: match mark.title.as_str() {
                "" => mark.address.clone(),
                title => title.to_owned(),
            },
            facet: facets
                .of_targets
                .get(&mark.address)
                .cloned()
                .unwrap_or_default(),
        };
        targets.iter().map(line).collect()
    }
}

/// Names of the facets that targets are said to be of, each with how many they are.
pub(super) fn names(facets: &Facets) -> BTreeMap<String, usize> {
    let mut names = BTreeMap::new();
    for name in facets.of_targets.values() {
        *names.entry(name.clone()).or_default() += 1;
    }
    names
}

/// Whether targets point so far apart that the program takes them for several kinds, though the
/// person named none.
pub(super) fn is_found(belief: &Belief) -> bool {
    belief.facets.len() > 1 && belief.facets.iter().all(|facet| facet.name.is_empty())
}

/// Takes in what each target is of: fields `address` and `facet` in turn.
async fn keep(
    State(app): State<App>,
    Path(id): Path<i64>,
    Form(fields): Form<Vec<(String, String)>>,
) -> PageResult {
    let (mut facets, mut address, mut csrf) = (BTreeMap::new(), None, String::new());
    for (name, value) in fields {
        match name.as_str() {
            "csrf" => csrf = value,
            "address" => address = Some(value),
            "facet" => {
                if let Some(address) = address.take() {
                    facets.insert(address, value);
                }
            }
            _ => {}
        }
    }
    check_csrf(&app, &csrf)?;
    let topic = app.service.topics.topic(id).await?;
    app.service.topics.set_facets(&topic, &facets).await?;
    Ok(go_to(&format!("/topic/{id}#facets")))
}

#[derive(Deserialize)]
struct FacetForm {
    csrf: String,
    facet: String,
    /// `drop` or `back`.
    verdict: String,
}

async fn drop_or_bring_back(
    State(app): State<App>,
    Path(id): Path<i64>,
    Form(form): Form<FacetForm>,
) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    let topic = app.service.topics.topic(id).await?;
    match form.verdict.as_str() {
        "drop" => app.service.topics.drop_facet(&topic, &form.facet).await?,
        "back" => {
            app.service
                .topics
                .bring_facet_back(&topic, &form.facet)
                .await?;
        }
        _ => return Err(PageError::bad("A kind is dropped or brought back.")),
    }
    Ok(go_to(&format!("/topic/{id}#facets")))
}
