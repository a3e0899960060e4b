//! The person's word on a page.

use linkscent_core::page::Page;
use linkscent_core::wire::Snapshot;
use linkscent_core::wire::api::{EventKind, mark_of};

use super::Reading;
use crate::background::steps::ModelStep;
use crate::background::topic_models::unwritten;
use crate::ports::{Table, World};
use crate::problem::Problem;
use crate::rows::{MarkRow, Way};
use crate::store::{Change, MOST_MARKED_PAGES};

impl<W: World> Reading<W> {
    /// Marks a page, or with `None` takes the mark back.
    pub(in crate::background) async fn mark(
        &self,
        snapshot: &Snapshot,
        target: Option<bool>,
    ) -> Result<(), Problem> {
        let (page, topic) = self.topics.judged(snapshot).await?;
        let mut topic_model = self.topic_models.take_topic_model(&topic).await?;
        topic_model.mark(&page, mark_of(target));
        let mut change = Change::default();
        let word = EventKind::mark(&page, target);
        let event = self.context.says(&topic, word, &mut change).await?;
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
        if target == Some(true) {
            self.keep_marked(snapshot, &page, &topic, &mut change)
                .await?;
        } else {
            change.delete_marked(&topic, page.address.as_str());
        }
        self.topic_models
            .keep_topic_model(topic, topic_model, &mut change)?;
        self.context.store.apply(change).await?;
        Ok(self.context.store.trim().await?)
    }

    /// Keeps a target as it is shown: what a crawl would do can be told by it.
    async fn keep_marked(
        &self,
        snapshot: &Snapshot,
        page: &Page,
        topic: &str,
        change: &mut Change,
    ) -> Result<(), Problem> {
        if self.context.store.keys(Table::Pages).await?.len() >= MOST_MARKED_PAGES {
            return Ok(());
        }
        let packed = ModelStep::new(snapshot, page, None, 0).pack();
        let packed = packed.map_err(unwritten)?;
        let about = vec![page.address.to_string()];
        let line = self.ledger.line(Way::Kept, "target", about, packed.len());
        self.ledger.put_down(&line, change)?;
        change.page(topic, page.address.as_str(), packed);
        Ok(())
    }
}
