//! Links that the person wants to follow later, by topic. They stay in this browser.

use linkscent_core::address::Address;

use super::context::Context;
use crate::ports::World;
use crate::problem::Problem;
use crate::rows::LaterRow;
use crate::shown::LaterView;
use crate::store::Change;

/// Links of all topics that are kept; the oldest go.
const MOST_LATER: usize = 500;
/// Characters of a link's text that are kept.
const LONGEST_TITLE: usize = 200;

/// Links that are kept for later.
pub(super) struct LaterLinks<W> {
    context: Context<W>,
}

impl<W: World> LaterLinks<W> {
    pub fn new(context: &Context<W>) -> Self {
        Self {
            context: context.clone(),
        }
    }

    /// Keeps a link for later, for the current topic.
    pub(super) async fn keep_for_later(&self, address: &str, title: &str) -> Result<(), Problem> {
        let topic = self.context.store.settings().await?.current;
        let topic = topic.ok_or(Problem::NoTopic)?;
        let address = Address::parse(address)?;
        let address = linkscent_core::privacy::without_secrets(&address).to_string();
        let title = title.split_whitespace().collect::<Vec<&str>>().join(" ");
        let mut rows = self.context.store.later().await?;
        rows.retain(|row| row.topic != topic || row.address != address);
        rows.push(LaterRow {
            topic,
            address,
            title: title.chars().take(LONGEST_TITLE).collect(),
            time: self.context.world.now(),
        });
        let beyond = rows.len().saturating_sub(MOST_LATER);
        rows.drain(..beyond);
        self.put_later(&rows).await
    }

    /// Lets go of a link that was kept for the current topic.
    pub(super) async fn not_later(&self, address: &str) -> Result<(), Problem> {
        let topic = self.context.store.settings().await?.current;
        let topic = topic.ok_or(Problem::NoTopic)?;
        let mut rows = self.context.store.later().await?;
        rows.retain(|row| row.topic != topic || row.address != address);
        self.put_later(&rows).await
    }

    async fn put_later(&self, rows: &[LaterRow]) -> Result<(), Problem> {
        let mut change = Change::default();
        change.later(rows)?;
        Ok(self.context.store.apply(change).await?)
    }

    /// Those of the current topic, newest first, and whether a crawl could begin there.
    pub(super) async fn later(&self) -> Result<LaterView, Problem> {
        let settings = self.context.store.settings().await?;
        let Some(topic) = &settings.current else {
            return Ok(LaterView::default());
        };
        let mut rows = self.context.store.later().await?;
        rows.retain(|row| row.topic == *topic);
        rows.reverse();
        let marks = self.context.store.marks(topic).await?;
        Ok(LaterView {
            topic: settings.name_of(topic).to_owned(),
            rows,
            can_crawl: settings.key.is_some() && marks.iter().any(|mark| mark.target),
        })
    }
}
