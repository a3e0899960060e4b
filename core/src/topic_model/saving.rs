//! A topic model saved whole, and back into one that was made in the same way: what a crawl that is taken
//! up begins with. More than [`super::Knowledge`], from which critic and strategy start over.

use super::TopicModel;
use crate::codec::{CodecError, Loader, SaveError, Saver};
use crate::web_graph::WebGraph;

impl TopicModel {
    /// Writes all that it knows. An error if its critic or strategy is none that can be saved.
    pub(crate) fn save(&self, to: &mut Saver<'_>) -> Result<(), SaveError> {
        self.critic.save(to)?;
        self.strategy.save(to)?;
        to.put(&self.form_filter)?;
        self.graph.save(to)?;
        to.put(&self.log)?;
        to.put(&self.beside)?;
        to.put(&self.beginning)?;
        to.put(&self.refreshed_at)
    }

    /// Takes that back. After an error it is of no use.
    pub(crate) fn load(&mut self, from: &mut Loader<'_>) -> Result<(), CodecError> {
        self.critic.load(from)?;
        self.strategy.load(from)?;
        self.form_filter = from.take()?;
        self.graph = WebGraph::load(from)?;
        self.log = from.take()?;
        self.beside = from.take()?;
        self.beginning = from.take()?;
        self.refreshed_at = from.take()?;
        self.graph.remembered = self.memory.judged(&*self.critic, &self.graph);
        Ok(())
    }
}
