//! The class of a page, for topics whose taxonomy came with the companion's model: shown in
//! the popup and corrected there. What was corrected lies in the topic's model, and goes to
//! the companion as an event.

use linkscent_core::page::Page;
use linkscent_core::topic_model::TopicModel;
use linkscent_core::wire::Snapshot;
use linkscent_core::wire::api::{EventKind, marked_terms};

use super::Topics;
use crate::ports::World;
use crate::problem::Problem;
use crate::shown::ClassLine;
use crate::store::Change;

impl<W: World> Topics<W> {
    /// Says what class a page is of, or with `None` takes that back.
    pub(in crate::background) async fn correct_class(
        &self,
        snapshot: &Snapshot,
        class: Option<String>,
    ) -> Result<(), Problem> {
        let (page, topic) = self.judged(snapshot).await?;
        let mut topic_model = self.topic_models.take_topic_model(&topic).await?;
        let taxonomy = topic_model.critic().taxonomy().ok_or(Problem::NoClasses)?;
        if class
            .as_ref()
            .is_some_and(|class| !taxonomy.has_class(class))
        {
            return Err(Problem::NoClass);
        }
        let what = EventKind::class(&page, class.clone());
        let mut change = Change::default();
        if let EventKind::Class { words, .. } = &what {
            let terms = marked_terms(words, topic_model.vocabulary_mut());
            topic_model.correct_classes([(page.address.clone(), terms, class)]);
        }
        change.send(&self.context.event(&topic, self.context.world.now(), what))?;
        self.topic_models
            .keep_topic_model(topic, topic_model, &mut change)?;
        self.context.store.apply(change).await?;
        Ok(self.context.store.trim().await?)
    }
}

/// The class of a page; none where the topic is not judged by classes.
pub(in crate::background) fn class_line(
    topic_model: &TopicModel,
    page: &Page,
) -> Option<ClassLine> {
    let taxonomy = topic_model.critic().taxonomy()?;
    let likeliest = topic_model.classes(page).into_iter().next();
    Some(ClassLine {
        share: likeliest.as_ref().map_or(0.0, |row| row.1),
        class: likeliest.map(|row| row.0),
        is_corrected: topic_model.graph().corrected.contains_key(&page.address),
        all: taxonomy.classes().to_vec(),
    })
}
