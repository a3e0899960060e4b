//! What is written of an exchange to an archive: made where the page is read, where several are at a time;
//! whoever runs the crawl appends it as it is.

pub(in crate::crawler) mod recorded;

use anyhow::{Context, Result};
use linkscent_archive::warc::{As, Exchange, Kept, Revisited, records};
use linkscent_core::address::Address;
use serde::{Deserialize, Serialize};

use super::validators::Validators;
use linkscent_store::clock;

const MAKING: &str = "making its record";

/// The head of an answer, and how it was asked for.
#[derive(Serialize, Deserialize)]
pub(super) struct Head {
    /// Time when it came, in milliseconds since 1970.
    pub time: i64,
    /// Status code.
    pub status: u16,
    /// What was said.
    pub exchange: Exchange,
}

impl Head {
    /// That an answer brought a page: what its server called it, and the HTML that was made of it if it is
    /// none.
    pub fn page(
        &self,
        address: &Address,
        content_type: Option<&str>,
        body: &[u8],
        conversion: Option<&str>,
    ) -> Result<Vec<u8>> {
        let date = clock::date(self.time);
        let kept = Kept {
            content_type,
            body,
            conversion,
            ..self.kept(address, &date)
        };
        records(&kept, As::Page).context(MAKING)
    }

    /// That an address leads elsewhere.
    pub fn redirect(&self, address: &Address, to: &Address) -> Result<Vec<u8>> {
        let date = clock::date(self.time);
        let kept = self.kept(address, &date);
        records(&kept, As::Redirect(to.as_str())).context(MAKING)
    }

    /// That a page is what an earlier crawl has.
    pub fn unchanged(&self, address: &Address, known: &Validators) -> Result<Vec<u8>> {
        let date = clock::date(self.time);
        let of = Revisited::NotModified {
            address: address.as_str(),
            date: &known.date,
        };
        records(&self.kept(address, &date), As::Revisit(&of)).context(MAKING)
    }

    fn kept<'a>(&'a self, address: &'a Address, date: &'a str) -> Kept<'a> {
        Kept {
            address: address.as_str(),
            status: self.status,
            date,
            exchange: Some(&self.exchange),
            ..Kept::default()
        }
    }
}
