//! Tells a session again what its crawl fetched before: the log row by row, pages
//! from the archive. A page whose copy is damaged is asked for once more; what hangs
//! on it is not lost for that, and neither is any other page.

use std::path::Path;

use anyhow::{Context, Result};
use linkscent_core::address::Address;
use linkscent_core::crawl::{DriftAlarm, Failure, Outcome, Session};
use linkscent_core::strategies::SplitMix;

use crate::store::{FetchRow, LostPage};
use linkscent_archive::page::page_at;
use linkscent_archive::warc::WarcError;

/// What is said of a page whose copy cannot be read any more.
pub const DAMAGED: &str = "its copy is damaged";

/// What was found while the log was told.
#[derive(Debug, Default)]
pub struct Replayed {
    /// Pages that are lost.
    pub lost: Vec<LostPage>,
    /// Where the record of the last page begins that is whole.
    pub last: Option<u64>,
    /// Where the first lost record behind all whole ones begins, if there is one.
    pub end: Option<u64>,
}

/// Tells a session its log. `on_row` hears how many rows were told, and of each alarm.
pub fn replay(
    session: &mut Session,
    log: &[FetchRow],
    archive: &Path,
    rng: &mut SplitMix,
    mut on_row: impl FnMut(&mut Session, usize, Option<DriftAlarm>),
) -> Result<Replayed> {
    let mut replayed = Replayed::default();
    // In the order of the log: what the crawl began with comes first again.
    let mut lost: Vec<Address> = Vec::new();
    for (row, told) in log.iter().zip(1..) {
        let number = row.number;
        let address =
            Address::parse(&row.address).with_context(|| format!("request {number} of the log"))?;
        session.number_from(number);
        let outcome = match (row.place.warc_offset, &row.place.redirect) {
            (Some(offset), _) => match page_at(archive, offset, &address) {
                Ok((page, digest)) => {
                    replayed.end = None;
                    replayed.last = replayed.last.max(Some(offset));
                    Outcome::Page(page, digest)
                }
                Err(error @ WarcError::File { .. }) => return Err(error.into()),
                Err(error) => {
                    replayed.end.get_or_insert(offset);
                    let problem = format!("{DAMAGED} ({error}); it is asked for again");
                    lost.push(address.clone());
                    replayed.lost.push(LostPage {
                        number,
                        problem: problem.clone(),
                    });
                    Outcome::Failed(Failure::Other(problem))
                }
            },
            (None, Some(target)) => Outcome::Redirect(Address::parse(target)?),
            (None, None) => {
                if row.problem.starts_with(DAMAGED) {
                    // Found so before, and the crawl ended before it came again.
                    lost.push(address.clone());
                }
                Outcome::of_problem(&row.problem)
            }
        };
        let came = matches!(outcome, Outcome::Page(..));
        let record = session.replay(&address, outcome, row.arm, rng);
        if came {
            lost.retain(|page| *page != address);
        }
        on_row(session, told, record.and_then(|record| record.alarm));
    }
    for address in &lost {
        session.ask_again(address);
    }
    Ok(replayed)
}
