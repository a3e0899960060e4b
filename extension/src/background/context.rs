//! What every part of the background stands on: the browser, the database, and the way events
//! for the companion are made.

use std::rc::Rc;

use linkscent_core::strategies::SplitMix;
use linkscent_core::wire::api::{Event, EventKind};

use crate::ports::{RandomSource, World};
use crate::problem::Problem;
use crate::store::{Change, Store};

/// The browser and the database. Clones are the same.
pub(super) struct Context<W> {
    pub world: Rc<W>,
    pub store: Store<W>,
}

impl<W> Clone for Context<W> {
    fn clone(&self) -> Self {
        Self {
            world: Rc::clone(&self.world),
            store: Store(Rc::clone(&self.world)),
        }
    }
}

impl<W: World> Context<W> {
    pub fn new(world: Rc<W>) -> Self {
        Self {
            store: Store(Rc::clone(&world)),
            world,
        }
    }

    /// Something that happens `now`, as the companion is told it.
    pub fn event(&self, topic: &str, now: f64, what: EventKind) -> Event {
        Event {
            id: self.random_id(),
            topic: topic.to_owned(),
            time: now as u64,
            what,
        }
    }

    /// A word of the person on the topic, to be sent to the companion: dated after all that was
    /// said before, also if the clock was set back.
    pub async fn says(
        &self,
        topic: &str,
        what: EventKind,
        change: &mut Change,
    ) -> Result<Event, Problem> {
        let latest = self.store.latest_word().await?;
        let event = self.event(topic, self.world.now().max(latest + 1.0), what);
        change.latest_word(event.time as f64)?;
        change.send(&event)?;
        Ok(event)
    }

    pub fn random_id(&self) -> String {
        let number = u128::from_le_bytes(self.world.random());
        format!("{number:032x}")
    }

    pub fn tie_breaks(&self) -> SplitMix {
        tie_breaks(&*self.world)
    }
}

/// Numbers that break ties, begun with one of the browser's: a call for each of a page's
/// links would take longer than scoring them.
pub fn tie_breaks(random: &impl RandomSource) -> SplitMix {
    SplitMix(u64::from_le_bytes(random.random()))
}
