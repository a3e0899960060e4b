//! What a crawl writes to its archive: pages, that an address leads elsewhere, and that a page is
//! what an earlier crawl of the topic has.

use anyhow::{Context, Result};
use linkscent_archive::warc::{Kept, Revisited};
use linkscent_core::address::Address;
use linkscent_core::crawl::{Failure, Outcome};

use super::{Ended, Runner};
use crate::clock;
use crate::crawler::reply::{Answer, Head, Reply};
use crate::store::Location;

const WRITING: &str = "writing the WARC file";

/// What is to be written of an answer.
enum ToKeep {
    Page(Answer),
    Redirect(Address, Box<Head>),
    Unchanged(Box<Head>),
    Nothing,
}

impl Runner {
    /// Takes an answer in: first the session, then, if it is one that was waited for, the archive.
    pub(super) fn take(&mut self, address: &Address, reply: Reply) -> Result<Option<Ended>> {
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
                (outcome, ToKeep::Page(fetched.answer))
            }
            Reply::Redirect(target, head) => {
                let outcome = Outcome::Redirect(target.clone());
                (outcome, ToKeep::Redirect(target, head))
            }
            Reply::Unrendered(why) => (Outcome::Unrendered(why), ToKeep::Nothing),
            Reply::Unchanged(head) => {
                let to_keep = head.map_or(ToKeep::Nothing, ToKeep::Unchanged);
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
            ToKeep::Page(answer) if record.judgment.is_some() => {
                place.warc_offset = Some(self.keep_answer(address, &answer)?);
            }
            ToKeep::Redirect(target, head) => {
                place.warc_offset = Some(self.keep_redirect(address, &target, &head)?);
                place.redirect = Some(target.to_string());
            }
            ToKeep::Unchanged(head) => place.warc_offset = self.keep_unchanged(address, &head)?,
            ToKeep::Page(_) | ToKeep::Nothing => {}
        }
        self.put_down(record, place)
    }

    fn keep_answer(&mut self, address: &Address, answer: &Answer) -> Result<u64> {
        self.keep_page(&Kept {
            address: address.as_str(),
            status: answer.status,
            content_type: answer.content_type.as_deref(),
            body: &answer.body,
            date: &clock::date(clock::now()),
            exchange: Some(&answer.exchange),
            conversion: answer.conversion.as_deref(),
        })
    }

    /// Writes a page; where its record begins.
    pub(super) fn keep_page(&mut self, kept: &Kept<'_>) -> Result<u64> {
        self.warc.page(kept).context(WRITING)
    }

    /// Writes that an address leads elsewhere; where its record begins.
    fn keep_redirect(&mut self, address: &Address, to: &Address, head: &Head) -> Result<u64> {
        let date = clock::date(clock::now());
        let kept = of_head(address, head, &date);
        self.warc.redirect(&kept, to.as_str()).context(WRITING)
    }

    /// Writes that a page is what an earlier crawl has; where its record begins, if one has it.
    fn keep_unchanged(&mut self, address: &Address, head: &Head) -> Result<Option<u64>> {
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
