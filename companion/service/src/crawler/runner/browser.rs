//! Pages that a person's browser reads for a crawl: those that show nothing without scripts or
//! that ask for a login, on hosts which the person chose.

use std::time::Duration;

use anyhow::Result;
use linkscent_core::address::Address;

use super::{Ended, Runner};
use linkscent_archive::page::build;
use linkscent_archive::warc::Kept;
use linkscent_store::Location;
use linkscent_store::clock;

/// How long after a browser has looked a crawl waits that has nothing else to do. Browsers look
/// each minute.
const BROWSER_PATIENCE: Duration = Duration::from_secs(90);
/// As pages come from a browser.
const HTML: &str = "text/html; charset=utf-8";

impl Runner {
    /// Whether a browser may still bring a page.
    pub(super) fn waits_for_browser(&self) -> bool {
        let browser = self.browser.as_ref();
        browser.is_some_and(|(looked, hosts)| {
            looked.elapsed() < BROWSER_PATIENCE && self.session.waits_for_browser(hosts)
        })
    }

    /// Takes in a page that a browser read. One that was not asked for is passed over.
    pub(super) fn take_rendered(
        &mut self,
        address: &Address,
        html: Vec<u8>,
    ) -> Result<Option<Ended>> {
        let (page, digest) = build(address.clone(), &html, Some(HTML));
        let record = self
            .session
            .take_rendered(address, &page, digest, &mut self.rng);
        let Some(record) = record else {
            return Ok(None);
        };
        let mut place = Location::default();
        if record.judgment.is_some() {
            let kept = Kept {
                address: address.as_str(),
                status: 200,
                content_type: Some(HTML),
                body: &html,
                date: &clock::date(clock::now()),
                exchange: None,
                conversion: None,
            };
            place.warc_offset = Some(self.keep_page(&kept)?);
        }
        self.put_down(record, place)
    }
}
