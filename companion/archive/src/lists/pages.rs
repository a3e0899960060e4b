//! The pages of a list as they are found, each once, within the limits of a list.

use std::collections::HashSet;

use linkscent_core::address::Address;
use linkscent_core::budget::{Budget, OverBudget};

/// How many addresses a list may name for each page that it may have: some are repeated, some of no page.
const NAMED_PER_PAGE: usize = 4;
/// Bytes of memory that a page takes besides its address, about.
const PER_PAGE: usize = 64;
/// Bytes from which on a text is no address.
pub(super) const LONGEST: usize = 8 << 10;

/// Pages that were found.
pub(super) struct Pages {
    budget: Budget,
    found: Vec<Address>,
    seen: HashSet<Address>,
    /// How many addresses were named.
    named: usize,
    /// Bytes of memory that the pages take, about.
    memory: usize,
}

impl Pages {
    /// None yet, within a budget.
    pub(super) fn within(budget: Budget) -> Self {
        Self {
            budget,
            found: Vec::new(),
            seen: HashSet::new(),
            named: 0,
            memory: 0,
        }
    }

    /// Adds a page, if this is the address of one that is not there yet.
    pub(super) fn add(&mut self, address: &str) -> Result<(), OverBudget> {
        let address = address.trim();
        if address.is_empty() {
            return Ok(());
        }
        self.count()?;
        if address.len() <= LONGEST
            && let Ok(page) = Address::parse(address)
        {
            self.put(page)?;
        }
        Ok(())
    }

    /// Adds a page, if it is not there yet.
    pub(super) fn keep(&mut self, page: Address) -> Result<(), OverBudget> {
        self.count()?;
        self.put(page)
    }

    fn count(&mut self) -> Result<(), OverBudget> {
        self.named += 1;
        let most = NAMED_PER_PAGE * self.budget.items;
        if self.named > most {
            return Err(OverBudget::Items {
                input: self.budget.input,
                most,
                item: "addresses, repeated ones included",
            });
        }
        Ok(())
    }

    fn put(&mut self, page: Address) -> Result<(), OverBudget> {
        if self.seen.contains(&page) {
            return Ok(());
        }
        self.budget.check_items(self.found.len() + 1)?;
        self.memory += page.as_str().len() + PER_PAGE;
        // Whoever asked for the list gets a copy of it.
        self.budget.check_memory(2 * self.memory)?;
        self.seen.insert(page.clone());
        self.found.push(page);
        Ok(())
    }

    /// The pages, in the order they were found.
    pub(super) fn into_addresses(self) -> Vec<Address> {
        self.found
    }
}
