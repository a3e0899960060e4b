//! Calls about how links are chosen: the strategies there are, choosing one for a topic,
//! training those that have to be trained.

use axum::Json;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{Query, State};
use linkscent_core::strategies;
use linkscent_core::wire::api::{
    ApiError, StrategyChoice, StrategyView, TrainingOrder, TrainingView,
};
use serde::Deserialize;

use super::problem::WRONG;
use super::{App, Problem};
use linkscent_service::Learned;
use linkscent_service::learning::hop_training::DistanceModel;

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct StrategiesQuery {
    /// Name of the topic.
    topic: String,
}

/// All strategies, with what stands between a topic and each
#[utoipa::path(
    get,
    path = "/api/v1/strategies",
    params(StrategiesQuery),
    responses(
        (status = 200, description = "strategies, the default first", body = Vec<StrategyView>),
        (status = 400, description = WRONG, body = ApiError),
        (status = 403, description = WRONG, body = ApiError),
        (status = 404, description = WRONG, body = ApiError),
    )
)]
pub(super) async fn strategies(
    State(app): State<App>,
    query: Result<Query<StrategiesQuery>, QueryRejection>,
) -> Result<Json<Vec<StrategyView>>, Problem> {
    let Query(query) = query?;
    let topic = app.service.topics.topic_known_as(&query.topic).await?;
    let learned = app.service.models.learned(&topic).await?;
    Ok(Json(views(&learned)))
}

/// Choose who orders a topic's links
#[utoipa::path(
    operation_id = "choose_strategy",
    post,
    path = "/api/v1/strategies",
    request_body = StrategyChoice,
    responses(
        (status = 200, description = "chosen", body = Vec<StrategyView>),
        (status = 400, description = WRONG, body = ApiError),
        (status = 403, description = WRONG, body = ApiError),
        (status = 404, description = WRONG, body = ApiError),
        (status = 422, description = WRONG, body = ApiError),
    )
)]
pub(super) async fn choose(
    State(app): State<App>,
    choice: Result<Json<StrategyChoice>, JsonRejection>,
) -> Result<Json<Vec<StrategyView>>, Problem> {
    let Json(choice) = choice?;
    let topic = app.service.topics.topic_known_as(&choice.topic).await?;
    app.service
        .topics
        .choose_strategy(&topic, &choice.strategy)
        .await?;
    let topic = app.service.topics.topic_known_as(&choice.topic).await?;
    Ok(Json(views(&*app.service.models.learned(&topic).await?)))
}

/// Train a topic's model of hop distances; answers when it is done
#[utoipa::path(
    post,
    path = "/api/v1/train",
    request_body = TrainingOrder,
    responses(
        (status = 200, description = "what it was trained on", body = TrainingView),
        (status = 400, description = WRONG, body = ApiError),
        (status = 403, description = WRONG, body = ApiError),
        (status = 404, description = WRONG, body = ApiError),
        (status = 422, description = WRONG, body = ApiError),
    )
)]
pub(super) async fn train(
    State(app): State<App>,
    order: Result<Json<TrainingOrder>, JsonRejection>,
) -> Result<Json<TrainingView>, Problem> {
    let Json(order) = order?;
    let topic = app.service.topics.topic_known_as(&order.topic).await?;
    let model = DistanceModel::named(&order.model).ok_or_else(|| {
        let names = DistanceModel::ALL.map(DistanceModel::strategy).join(", ");
        Problem::bad(format!(
            "There is no model “{}”; there are {names}.",
            order.model
        ))
    })?;
    let report = app.service.models.train_distance(&topic, model).await?;
    let count = |count: usize| count as u64;
    Ok(Json(TrainingView {
        paths: count(report.paths),
        clicks: count(report.clicks),
        other_paths: count(report.other_paths),
        walks: count(report.walks),
        pages: count(report.pages),
        went_on: report.went_on,
        faults: report.faults,
    }))
}

fn views(learned: &Learned) -> Vec<StrategyView> {
    let view = |row: &strategies::Descriptor| StrategyView {
        name: row.name.to_owned(),
        sentence: row.sentence.to_owned(),
        is_chosen: learned.goes_by(row),
        is_ready: learned.missing(row).is_empty(),
    };
    strategies::REGISTRY.iter().map(view).collect()
}
