//! A crawl's model of hop distances, trained again while the crawl goes on.

use anyhow::{Context, Result};

use super::{Message, Runner};
use crate::crawler::retraining::{Lesson, Retrained};
use crate::learning::hop_training::{KeptPages, Sources};

impl Runner {
    /// A model that was trained again before is trained again on all of it.
    pub(super) fn catch_up_on_training(&mut self) -> Result<()> {
        let Some(lesson) = self.lesson_that_is_due()? else {
            return Ok(());
        };
        let topic_model = self.session.topic_model().snapshot();
        let trained = topic_model.map(|topic_model| lesson.train(&topic_model));
        trained.map_or(Ok(()), |trained| self.go_on_with(trained))
    }

    /// What the crawl's model is to be trained on now, if it is time for that.
    fn lesson_that_is_due(&mut self) -> Result<Option<Lesson>> {
        let pages = self.session.stats().pages;
        let Some(retraining) = &mut self.retraining else {
            return Ok(None);
        };
        if !retraining.is_due(pages) {
            return Ok(None);
        }
        let topic = self.store.topic(self.crawl.topic);
        let topic = self.handle.block_on(topic)?;
        let topic = topic.context("the crawl's topic is not there")?;
        // What is learned from is acknowledged.
        self.commit()?;
        let sources = Sources::read(&self.store, &topic, Some(&self.crawl));
        let sources = self.handle.block_on(sources)?;
        let retraining = self.retraining.as_ref();
        Ok(retraining.map(|retraining| retraining.lesson(sources)))
    }

    /// Trains the crawl's model again in a thread of its own, if it is time for that.
    pub(super) fn retrain(&mut self) -> Result<()> {
        let Some(lesson) = self.lesson_that_is_due()? else {
            return Ok(());
        };
        let Some(topic_model) = self.session.topic_model().snapshot() else {
            return Ok(());
        };
        let sender = self.sender.clone();
        // Not one of the runtime's: whoever ends the program does not wait for it.
        std::thread::spawn(move || {
            let _ = sender.send(Message::Retrained(lesson.train(&topic_model)));
        });
        Ok(())
    }

    /// Goes on with a model that was trained again, once it knows the newest pages too.
    pub(super) fn go_on_with(&mut self, trained: Result<Retrained>) -> Result<()> {
        if let Some(retraining) = &mut self.retraining {
            retraining.ended();
        }
        let Retrained {
            mut strategy,
            known,
        } = match trained {
            Ok(trained) => trained,
            // Such as that there is no way to a target yet.
            Err(error) => {
                tracing::info!("the model of hop distances stays as it is: {error:#}");
                return Ok(());
            }
        };
        self.commit()?;
        let new = KeptPages::read(&self.store, self.crawl.id, known);
        let new = self.handle.block_on(new)?;
        self.session.amend(|topic_model| {
            topic_model.tell_pages(&mut *strategy, new.pages());
            topic_model.go_on_with(strategy);
        });
        if let Some(retraining) = &mut self.retraining {
            retraining.taken_in();
        }
        Ok(())
    }
}
