//! A graph saved whole, and back.

use super::{KnownPage, WebGraph};
use crate::codec::{CodecError, Loader, SaveError, Saver};

impl WebGraph {
    /// Writes all that it knows.
    pub(crate) fn save(&self, to: &mut Saver<'_>) -> Result<(), SaveError> {
        to.put(&self.topic_name)?;
        to.put(&self.phrases)?;
        to.put(&self.subtopics)?;
        to.put(&self.topic_meaning)?;
        to.put(&self.vocabulary)?;
        to.put(&self.marks)?;
        to.put(&self.corrected)?;
        to.put(&self.form_marks)?;
        to.put(&self.forms)?;
        to.put(&self.backlinks)?;
        to.put(&self.forgotten)?;
        to.put(&self.pages.len())?;
        for page in &self.pages {
            to.put(page)?;
        }
        Ok(())
    }

    /// The graph that was written there.
    pub(crate) fn load(from: &mut Loader<'_>) -> Result<Self, CodecError> {
        let mut graph = Self {
            topic_name: from.take()?,
            phrases: from.take()?,
            subtopics: from.take()?,
            topic_meaning: from.take()?,
            vocabulary: from.take()?,
            marks: from.take()?,
            corrected: from.take()?,
            form_marks: from.take()?,
            forms: from.take()?,
            backlinks: from.take()?,
            forgotten: from.take()?,
            ..Self::default()
        };
        let pages: usize = from.take()?;
        for number in (graph.forgotten..).take(pages) {
            let page: KnownPage = from.take()?;
            graph.numbers.insert(page.address.clone(), number);
            graph.pages.push_back(page);
        }
        Ok(graph)
    }
}
