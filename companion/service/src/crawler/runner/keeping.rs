//! What a crawl writes to its archive: pages, that an address leads elsewhere, and that a page is
//! what an earlier crawl of the topic has.

use anyhow::{Context, Result};
use linkscent_archive::warc::Kept;
use linkscent_core::address::Address;
use linkscent_core::crawl::{Failure, Outcome};

use super::{Ended, Runner};
use crate::crawler::reply::Reply;
use linkscent_store::Location;

const WRITING: &str = "writing the WARC file";

/// What is to be written of an answer.
enum ToKeep {
    Page(Vec<u8>),
    Redirect(Address, Vec<u8>),
    Unchanged(Vec<u8>),
    Nothing,
}

impl Runner {
    /// Takes an answer in: first the session, then, if it is one that was waited for, the archive.
    pub(super) fn take(&mut self, address: &Address, reply: Reply) -> Result<Option<Ended>> {
        let _task = self.tasks.end(address, false).entered();
        let _span = tracing::debug_span!("learn", %address).entered();
        let now = self.now();
        let (outcome, to_keep) = match reply {
            Reply::PutOff(rest) => {
                let rest = u64::try_from(rest.as_millis()).unwrap_or(u64::MAX);
                self.session.put_off(address, now, rest);
                return Ok(None);
            }
            Reply::Page(fetched) => {
                let outcome = Outcome::Page(fetched.page, fetched.digest);
                (outcome, ToKeep::Page(fetched.record))
            }
            Reply::Redirect(target, record) => {
                let outcome = Outcome::Redirect(target.clone());
                (outcome, ToKeep::Redirect(target, record))
            }
            Reply::Unrendered(why) => (Outcome::Unrendered(why), ToKeep::Nothing),
            Reply::Unchanged(record) => {
                let to_keep = record.map_or(ToKeep::Nothing, ToKeep::Unchanged);
                (Outcome::Failed(Failure::Unchanged), to_keep)
            }
            Reply::Later(why, rest) => {
                let rest = u64::try_from(rest.as_millis()).unwrap_or(u64::MAX);
                (Outcome::Deferred { why, rest }, ToKeep::Nothing)
            }
            Reply::Problem(problem) => {
                let failure = Failure::Other(problem);
                (Outcome::Failed(failure), ToKeep::Nothing)
            }
        };
        let Some(record) = self.session.take(address, outcome, now, &mut self.rng) else {
            return Ok(None);
        };
        let mut place = Location::default();
        match to_keep {
            ToKeep::Page(kept) if record.judgment.is_some() => {
                place.warc_offset = Some(self.keep_record(&kept)?);
            }
            ToKeep::Redirect(target, kept) => {
                place.warc_offset = Some(self.keep_record(&kept)?);
                place.redirect = Some(target.to_string());
            }
            ToKeep::Unchanged(kept) => place.warc_offset = Some(self.keep_record(&kept)?),
            ToKeep::Page(_) | ToKeep::Nothing => {}
        }
        self.put_down(record, place)
    }

    /// Writes what was made where the answer came; where it begins.
    fn keep_record(&mut self, record: &[u8]) -> Result<u64> {
        self.warc.append(record).context(WRITING)
    }

    /// Writes a page; where its record begins.
    pub(super) fn keep_page(&mut self, kept: &Kept<'_>) -> Result<u64> {
        self.warc.page(kept).context(WRITING)
    }
}
