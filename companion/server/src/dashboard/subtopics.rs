//! The subtopics of a topic, on its page: which targets are of one kind, and kinds that are dropped
//! or brought back.

use std::collections::BTreeMap;

use axum::Router;
use axum::extract::{Form, Path, State};
use axum::routing::post;
use linkscent_core::topic_model::Belief;
use serde::Deserialize;

use super::{PageError, PageResult, check_csrf, go_to};
use crate::api::App;
use linkscent_service::Subtopics;
use linkscent_store::MarkRow;

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/topic/{id}/subtopics", post(keep))
        .route("/topic/{id}/subtopic", post(drop_or_bring_back))
}

/// A target with what it is said to be of.
pub(super) struct SubtopicLine {
    pub(super) address: String,
    /// Its title; its address where that is not known.
    pub(super) title: String,
    /// Name of its subtopic; empty if none was said.
    pub(super) subtopic: String,
}

impl SubtopicLine {
    pub(super) fn all(targets: &[MarkRow], subtopics: &Subtopics) -> Vec<Self> {
        let line = |mark: &MarkRow| Self {
            address: mark.address.clone(),
            title: match mark.title.as_str() {
                "" => mark.address.clone(),
                title => title.to_owned(),
            },
            subtopic: subtopics
                .of_targets
                .get(&mark.address)
                .cloned()
                .unwrap_or_default(),
        };
        targets.iter().map(line).collect()
    }
}

/// Names of the subtopics that targets are said to be of, each with how many they are.
pub(super) fn names(subtopics: &Subtopics) -> BTreeMap<String, usize> {
    let mut names = BTreeMap::new();
    for name in subtopics.of_targets.values() {
        *names.entry(name.clone()).or_default() += 1;
    }
    names
}

/// Whether targets point so far apart that the program takes them for several kinds, though the
/// person named none.
pub(super) fn is_found(belief: &Belief) -> bool {
    belief.subtopics.len() > 1
        && belief
            .subtopics
            .iter()
            .all(|subtopic| subtopic.name.is_empty())
}

/// Takes in what each target is of: fields `address` and `subtopic` in turn.
async fn keep(
    State(app): State<App>,
    Path(id): Path<i64>,
    Form(fields): Form<Vec<(String, String)>>,
) -> PageResult {
    let (mut subtopics, mut address, mut csrf) = (BTreeMap::new(), None, String::new());
    for (name, value) in fields {
        match name.as_str() {
            "csrf" => csrf = value,
            "address" => address = Some(value),
            "subtopic" => {
                if let Some(address) = address.take() {
                    subtopics.insert(address, value);
                }
            }
            _ => {}
        }
    }
    check_csrf(&app, &csrf)?;
    let topic = app.service.topics.topic(id).await?;
    app.service.topics.set_subtopics(&topic, &subtopics).await?;
    Ok(go_to(&format!("/topic/{id}#subtopics")))
}

#[derive(Deserialize)]
struct SubtopicForm {
    csrf: String,
    subtopic: String,
    /// `drop` or `back`.
    verdict: String,
}

async fn drop_or_bring_back(
    State(app): State<App>,
    Path(id): Path<i64>,
    Form(form): Form<SubtopicForm>,
) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    let topic = app.service.topics.topic(id).await?;
    match form.verdict.as_str() {
        "drop" => {
            app.service
                .topics
                .drop_subtopic(&topic, &form.subtopic)
                .await?;
        }
        "back" => {
            app.service
                .topics
                .bring_subtopic_back(&topic, &form.subtopic)
                .await?;
        }
        _ => return Err(PageError::bad("A kind is dropped or brought back.")),
    }
    Ok(go_to(&format!("/topic/{id}#subtopics")))
}
