//! Why a link of a page is highlighted, or why not: asked for any link, and without a trace.

use linkscent_core::wire::Snapshot;
use linkscent_core::wire::views::why;

use super::Reading;
use crate::ports::World;
use crate::problem::Problem;
use crate::texts;

impl<W: World> Reading<W> {
    /// Of the link at a place among all links of a page.
    pub(in crate::background) async fn why(
        &self,
        snapshot: &Snapshot,
        place: usize,
    ) -> Result<String, Problem> {
        let (page, topic) = self.topics.judged(snapshot).await?;
        let mut held = self.topic_models.take_held(&topic).await?;
        let is_known = held.topic_model.graph().page(&page.address).is_some();
        let visit = held
            .topic_model
            .visit(&page, &[], None, &mut self.context.tie_breaks());
        let why = why(&page, &visit, &held.topic_model, place);
        if is_known {
            self.topic_models.hold(held);
        }
        let (probability, reasons) = why.ok_or(Problem::NoLink)?;
        Ok(texts::why(&*self.context.world, probability, &reasons))
    }
}
