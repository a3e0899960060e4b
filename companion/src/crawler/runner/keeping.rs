//! What a crawl writes to its archive: pages, that an address leads elsewhere, and that a page is
//! what an earlier crawl of the topic has.

use anyhow::{Context, Result};
use linkscent_archive::warc::{Kept, Revisited};
use linkscent_core::address::Address;

use super::Runner;
use crate::clock;
use crate::crawler::fetch::Head;

const WRITING: &str = "writing the WARC file";

impl Runner {
    /// Writes a page; where its record begins.
    pub(super) fn keep_page(&mut self, kept: &Kept<'_>) -> Result<u64> {
        self.warc.page(kept).context(WRITING)
    }

    /// Writes that an address leads elsewhere; where its record begins.
    pub(super) fn keep_redirect(
        &mut self,
        address: &Address,
        to: &Address,
        head: &Head,
    ) -> Result<u64> {
        let date = clock::date(clock::now());
        let kept = of_head(address, head, &date);
        self.warc.redirect(&kept, to.as_str()).context(WRITING)
    }

    /// Writes that a page is what an earlier crawl has; where its record begins, if one has it.
    pub(super) fn keep_unchanged(&mut self, address: &Address, head: &Head) -> Result<Option<u64>> {
        let Some(known) = self.known.get(address) else {
            return Ok(None);
        };
        let date = clock::date(clock::now());
        let of = Revisited::NotModified {
            address: address.as_str(),
            date: &known.date,
        };
        let kept = of_head(address, head, &date);
        Ok(Some(self.warc.revisit(&kept, &of).context(WRITING)?))
    }
}

fn of_head<'a>(address: &'a Address, head: &'a Head, date: &'a str) -> Kept<'a> {
    Kept {
        address: address.as_str(),
        status: head.status,
        date,
        exchange: Some(&head.exchange),
        ..Kept::default()
    }
}
