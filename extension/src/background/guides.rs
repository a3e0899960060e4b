//! The guide of a topic: out of memory, out of the database, or made again from marks.

use linkscent_core::address::Address;
use linkscent_core::forms::FormWords;
use linkscent_core::guide::Guide;
use linkscent_core::wire::api::{EventKind, mark_of, marked_terms};
use linkscent_core::wire::{ModelError, read_model, write_model};
use linkscent_core::{critics, strategies};

use super::Background;
use crate::ports::World;
use crate::problem::Problem;
use crate::store::Change;

/// Pages and arrivals kept in a guide here.
const MOST_PAGES: usize = 2_000;
const MOST_ARRIVALS: usize = 2_000;

impl<W: World> Background<W> {
    /// The topic's guide, out of memory or the database. A model file that
    /// cannot be read is replaced by what the marks teach.
    pub(super) async fn take_guide(&mut self, topic: &str) -> Result<Guide, Problem> {
        if let Some((_, guide)) = self.guide.take_if(|(name, _)| name == topic) {
            return Ok(guide);
        }
        let mut settings = self.store.settings().await?;
        let file = self.store.guide(topic).await?;
        let known = match file.map(|file| read_model(&file)) {
            // One of a newer version is left alone.
            Some(Err(error @ ModelError::Version(_))) => return Err(error.into()),
            Some(read) => read.ok().and_then(Guide::with_knowledge),
            None => None,
        };
        if let Some(mut guide) = known {
            guide.name_topic(settings.name_of(topic));
            return Ok(guide);
        }
        let mut guide =
            Guide::new(critics::NAMES[0], strategies::default_name()).ok_or(Problem::NoGuide)?;
        guide.name_topic(settings.name_of(topic));
        let mut marked = Vec::new();
        for mark in self.store.marks(topic).await? {
            if let Ok(address) = Address::parse(&mark.address) {
                let terms = marked_terms(&mark.words, guide.vocabulary_mut());
                marked.push((address, terms, mark_of(Some(mark.target))));
            }
        }
        guide.mark_all(&marked);
        guide.take_phrases(settings.said_of(topic));
        for mark in self.store.form_marks().await? {
            if let EventKind::Form {
                address,
                form,
                wanted,
                words,
                around,
            } = mark.what
                && mark.topic == topic
                && let Ok(address) = Address::parse(&address)
            {
                guide.mark_form(&address, &form, FormWords::new(words, around), wanted);
            }
        }
        // What the companion knows beyond that is asked for again.
        settings.versions.retain(|(name, _)| name != topic);
        let mut change = Change::default();
        change.settings(&settings)?;
        self.store.apply(change).await?;
        Ok(guide)
    }

    pub(super) fn keep_guide(
        &mut self,
        topic: String,
        guide: Guide,
        change: &mut Change,
    ) -> Result<(), Problem> {
        let knowledge = guide.knowledge().trimmed(MOST_PAGES, MOST_ARRIVALS);
        change.guide(&topic, write_model(&knowledge)?);
        self.guide = Some((topic, guide));
        Ok(())
    }
}
