//! What the person says of a topic in words: what it is, and what it is not. It counts in the
//! topic's model, is kept with the choices, where it outlives the topic model, and goes to the
//! companion as an event.

use linkscent_core::topic_model::{LONGEST_PHRASE, MOST_PHRASES};
use linkscent_core::wire::api::EventKind;

use super::Topics;
use crate::ports::World;
use crate::problem::Problem;
use crate::store::Change;

impl<W: World> Topics<W> {
    /// Says what the current topic is (`true`) or is not, or with `None` takes that back.
    pub(in crate::background) async fn say(
        &self,
        text: &str,
        wanted: Option<bool>,
    ) -> Result<(), Problem> {
        let text = text.split_whitespace().collect::<Vec<&str>>().join(" ");
        if text.is_empty() || text.chars().count() > LONGEST_PHRASE {
            return Err(Problem::Phrase);
        }
        let topic = self.context.store.settings().await?.current;
        let topic = topic.ok_or(Problem::NoTopic)?;
        let mut topic_model = self.topic_models.take_topic_model(&topic).await?;
        let mut settings = self.context.store.settings().await?;
        let mut said = settings.said_of(&topic);
        said.retain(|phrase| phrase.0 != text);
        if let Some(wanted) = wanted {
            said.push((text.clone(), wanted));
        }
        if said.len() > MOST_PHRASES {
            return Err(Problem::TooManyPhrases);
        }
        topic_model.take_phrases(said.iter().cloned());
        settings.set_said(&topic, said);
        let mut change = Change::default();
        change.settings(&settings)?;
        let what = EventKind::Phrase { text, wanted };
        self.context.says(&topic, what, &mut change).await?;
        self.topic_models
            .keep_topic_model(topic, topic_model, &mut change)?;
        self.context.store.apply(change).await?;
        Ok(self.context.store.trim().await?)
    }
}
