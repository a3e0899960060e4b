//! Topics by their names: switching to one, making one, calling one otherwise. A name can
//! change; what is kept and sent goes by the topic's key, which never does.

use linkscent_core::wire::api::{EventKind, is_topic_name};

use super::Topics;
use crate::ports::World;
use crate::problem::Problem;
use crate::store::Change;

impl<W: World> Topics<W> {
    /// Switches to the topic that is called so, made if there is none, and brought back if it was
    /// removed.
    pub(in crate::background) async fn choose_topic(&self, name: &str) -> Result<(), Problem> {
        let name = checked(name)?;
        let mut settings = self.context.store.settings().await?;
        let mut change = Change::default();
        let topic = if let Some(topic) = settings.called(name) {
            let topic = topic.to_owned();
            self.see_again(&topic, &mut settings, &mut change).await?;
            topic
        } else {
            let topic = if settings.topics.iter().all(|topic| topic != name) {
                name.to_owned()
            } else {
                // The topic that was made with this name is called otherwise now.
                format!("{name} {}", self.context.random_id())
            };
            settings.topics.push(topic.clone());
            settings.set_name(&topic, name);
            let name = name.to_owned();
            self.context
                .says(&topic, EventKind::Name { name }, &mut change)
                .await?;
            topic
        };
        settings.current = Some(topic);
        change.settings(&settings)?;
        Ok(self.context.store.apply(change).await?)
    }

    /// Calls the current topic otherwise: its topic model is told, and the companion.
    pub(in crate::background) async fn rename_topic(&self, name: &str) -> Result<(), Problem> {
        let name = checked(name)?;
        let mut settings = self.context.store.settings().await?;
        let topic = settings.current.clone().ok_or(Problem::NoTopic)?;
        match settings.called(name) {
            Some(known) if known == topic => return Ok(()),
            Some(_) => return Err(Problem::NameTaken),
            None => {}
        }
        let mut topic_model = self.topic_models.take_topic_model(&topic).await?;
        topic_model.name_topic(name);
        settings.set_name(&topic, name);
        let mut change = Change::default();
        change.settings(&settings)?;
        let name = name.to_owned();
        self.context
            .says(&topic, EventKind::Name { name }, &mut change)
            .await?;
        self.topic_models
            .keep_topic_model(topic, topic_model, &mut change)?;
        self.context.store.apply(change).await?;
        Ok(self.context.store.trim().await?)
    }
}

fn checked(name: &str) -> Result<&str, Problem> {
    let name = name.trim();
    is_topic_name(name)
        .then_some(name)
        .ok_or(Problem::TopicName)
}
