//! A session saved whole, and back: a crawl that is taken up need not be told its log from the
//! first request on, only what came after.
//!
//! What follows from the answers is saved, and nothing that follows from the time: rules of
//! robots.txt are asked for again, hosts have rested, and what was under way waits.

use super::Session;
use crate::codec::{CodecError, Loader, SaveError, Saver};

impl Session {
    /// Writes all that it was told. An error if its critic or strategy is none that can be saved,
    /// or if it shares its crawl with other sessions.
    pub fn save(&self, to: &mut Saver<'_>) -> Result<(), SaveError> {
        if !self.share.is_alone() {
            return Err(SaveError::NotFor("a part of a crawl".to_owned()));
        }
        self.topic_model.save(to)?;
        self.frontier.save(to)?;
        to.put(&self.seen)?;
        to.put(&self.bodies)?;
        to.put(&self.near_duplicates)?;
        to.put(&self.repetition)?;
        to.put(&self.forms)?;
        to.put(&self.seeds)?;
        to.put(&self.redirects)?;
        to.put(&self.deferred)?;
        to.put(self.turns.politeness.deferred())?;
        self.stopping.save(to)?;
        self.bandit.save(to)?;
        to.put(&self.promised)?;
        to.put(&self.sightings)?;
        to.put(&self.has_enough)?;
        to.put(&self.drift)?;
        to.put(&self.restricted_pages)?;
        to.put(&self.unrendered)?;
        let under_way = self.under_way.len() as u64;
        to.put(&(self.begun.saturating_sub(under_way), self.requests))?;
        to.put(&self.stats)
    }

    /// Takes that back into a session that was begun in the same way.
    pub fn load(mut self, from: &mut Loader<'_>) -> Result<Self, CodecError> {
        self.topic_model.load(from)?;
        self.frontier.load(from)?;
        self.seen = from.take()?;
        self.bodies = from.take()?;
        self.near_duplicates = from.take()?;
        self.repetition = from.take()?;
        self.forms = from.take()?;
        self.seeds = from.take()?;
        self.redirects = from.take()?;
        self.deferred = from.take()?;
        self.turns.politeness.set_deferred(from.take()?);
        self.stopping.load(from)?;
        self.bandit.load(from)?;
        self.promised = from.take()?;
        self.sightings = from.take()?;
        self.has_enough = from.take()?;
        self.drift = from.take()?;
        self.restricted_pages = from.take()?;
        self.unrendered = from.take()?;
        (self.begun, self.requests) = from.take()?;
        self.stats = from.take()?;
        Ok(self)
    }
}
