//! Crawls that begin with what another topic taught.

use std::sync::Arc;

use linkscent_core::topic_model::{BeginningError, TopicModel};

use crate::Models;
use crate::ServiceError;
use linkscent_store::Topic;

impl Models {
    /// Other topics for which something was learned of links, with whose knowledge a crawl
    /// for the topic of that name may begin.
    pub async fn teachers(&self, topic: &str) -> Result<Vec<Topic>, ServiceError> {
        let taught = self.context.store.taught().await?;
        let mut topics = self.context.store.topics().await?;
        topics
            .retain(|other| other.name != topic && !other.is_removed && taught.contains(&other.id));
        Ok(topics)
    }

    /// The topic with whose knowledge another is to begin.
    pub(crate) async fn teacher(&self, topic: &Topic, from: &str) -> Result<Topic, ServiceError> {
        if topic.name == from {
            return Err(ServiceError::refused(format!(
                "“{from}” begins with what it knows itself in any case: name another topic."
            )));
        }
        if let Some(teacher) = self.context.store.topic_called(from).await? {
            return Ok(teacher);
        }
        Err(ServiceError::refused(format!(
            "There is no topic “{from}” to begin with."
        )))
    }

    /// Has a topic model begin with what another topic taught, and says what that is.
    pub(crate) async fn begin_with(
        &self,
        mut topic_model: TopicModel,
        teacher: &Topic,
    ) -> Result<(TopicModel, String), ServiceError> {
        let known: Arc<TopicModel> = self.topic_model(teacher).await?;
        let name = teacher.name.clone();
        let begun = tokio::task::spawn_blocking(move || {
            let taught = topic_model.begin_with(&name, known.knowledge())?;
            let said = format!(
                "it began with what “{name}” taught: {} words near links, interest ratios of {} \
                 words and {} parts of addresses",
                taught.near_links, taught.words, taught.tokens
            );
            Ok::<_, BeginningError>((topic_model, said))
        });
        let begun = begun.await.map_err(anyhow::Error::from)?;
        begun.map_err(|error| ServiceError::refused(capital(&error.to_string())))
    }
}

/// The same as a sentence.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase);
    let first = first.into_iter().flatten();
    first.chain(letters).chain(['.']).collect()
}

#[cfg(test)]
mod tests;
