//! Training a topic's model of hop distances, away from the threads that serve others.

use tokio::runtime::Handle;

use crate::Models;
use crate::ServiceError;
use crate::learning::hop_training::{self, DistanceModel, TrainingReport};
use linkscent_store::Topic;

impl Models {
    /// Trains a model of hop distances of the topic and keeps it. Takes a while.
    pub async fn train_distance(
        &self,
        topic: &Topic,
        model: DistanceModel,
    ) -> Result<TrainingReport, ServiceError> {
        let (store, topic, handle) = (self.context.store.clone(), topic.clone(), Handle::current());
        let training = tokio::task::spawn_blocking(move || {
            handle.block_on(hop_training::learn(&store, &topic, model, None, |_| {}))
        });
        let trained = training.await.map_err(anyhow::Error::from)?;
        // What is missing for it is the person's to bring.
        trained.map_err(|error| ServiceError::refused(format!("{error:#}.")))
    }
}
