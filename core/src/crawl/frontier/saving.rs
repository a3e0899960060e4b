//! A frontier saved whole, and back. Hosts are open then: what closed them is not under way any
//! more.

use super::{Frontier, FrontierEntry, place};
use crate::address::Address;
use crate::codec::{CodecError, Loader, SaveError, Saver};

impl Frontier {
    /// Writes all that waits.
    pub(in crate::crawl) fn save(&self, to: &mut Saver<'_>) -> Result<(), SaveError> {
        to.put(&self.shortlists)?;
        to.put(&(self.came, self.model, self.goes_on_with, self.left))?;
        to.put(&(self.until, self.part, self.lets_go_from, self.kept))?;
        let pages = self.in_order.values();
        let pages = pages.filter_map(|target| Some((target, self.waiting.get(target)?)));
        to.put(&self.waiting.len())?;
        for (target, page) in pages {
            to.put(&(target, &**page))?;
        }
        Ok(())
    }

    /// Takes that back into a frontier that was made in the same way.
    pub(in crate::crawl) fn load(&mut self, from: &mut Loader<'_>) -> Result<(), CodecError> {
        self.shortlists = from.take()?;
        (self.came, self.model, self.goes_on_with, self.left) = from.take()?;
        (self.until, self.part, self.lets_go_from, self.kept) = from.take()?;
        let pages: usize = from.take()?;
        let mut places = Vec::new();
        self.waiting.clear();
        self.in_order.clear();
        for _ in 0..pages {
            let (target, page): (Address, FrontierEntry) = from.take()?;
            if page.links.is_empty() {
                return Err(CodecError::Layout("a page waits without a link".to_owned()));
            }
            places.push(place(&page));
            self.in_order.insert(page.number, target.clone());
            self.waiting.insert(target, Box::new(page));
        }
        self.queues.replace_all(places);
        Ok(())
    }
}
