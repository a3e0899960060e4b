//! The person's word on a page.

use linkscent_core::wire::Snapshot;
use linkscent_core::wire::api::{EventKind, mark_of};

use super::Background;
use crate::ports::World;
use crate::problem::Problem;
use crate::rows::MarkRow;
use crate::store::Change;

impl<W: World> Background<W> {
    /// Marks a page, or with `None` takes the mark back.
    pub(super) async fn mark(
        &mut self,
        snapshot: &Snapshot,
        target: Option<bool>,
    ) -> Result<(), Problem> {
        let (page, topic) = self.judged(snapshot).await?;
        let mut guide = self.take_guide(&topic).await?;
        guide.mark(&page, mark_of(target));
        let mut change = Change::default();
        let word = EventKind::mark(&page, target);
        let event = self.says(&topic, word, &mut change).await?;
        match (target, &event.what) {
            (Some(target), EventKind::Mark { words, .. }) => change.mark(&MarkRow {
                topic: topic.clone(),
                address: page.address.to_string(),
                title: page.title(),
                target,
                words: words.clone(),
                time: event.time as f64,
            })?,
            _ => change.unmark(&topic, page.address.as_str()),
        }
        self.keep_guide(topic, guide, &mut change)?;
        self.store.apply(change).await?;
        Ok(self.store.trim().await?)
    }
}
