//! An ensemble saved whole, and back.

use super::Ensemble;
use crate::codec::{CodecError, Loader, SaveError, Saver};
use crate::strategies::Strategy;

impl Ensemble {
    /// Writes all that it and its members know. Its model of hop distances was trained before the
    /// crawl, so of that only the pages passed are written. Guests are the bench's and cannot be.
    pub(super) fn save_all(&self, to: &mut Saver<'_>) -> Result<(), SaveError> {
        if !self.guests.is_empty() {
            return Err(SaveError::NotFor("ensemble with guests".to_owned()));
        }
        to.put(&self.model)?;
        self.apprentice.save(to)?;
        self.ratios.save(to)?;
        self.levels.save(to)?;
        if let Some(hops) = &self.hops {
            hops.save_passed(to)?;
        }
        to.put(&self.groups)?;
        to.put(&self.inlinks)?;
        to.put(&self.contents)?;
        to.put(&self.stats)?;
        to.put(&self.since_rebuilt)
    }

    /// Takes that back into an ensemble that was made in the same way.
    pub(super) fn load_all(&mut self, from: &mut Loader<'_>) -> Result<(), CodecError> {
        self.model = from.take()?;
        self.apprentice.load(from)?;
        self.ratios.load(from)?;
        self.levels.load(from)?;
        if let Some(hops) = &mut self.hops {
            hops.load_passed(from)?;
        }
        self.groups = from.take()?;
        self.inlinks = from.take()?;
        self.contents = from.take()?;
        self.stats = from.take()?;
        self.since_rebuilt = from.take()?;
        Ok(())
    }
}
