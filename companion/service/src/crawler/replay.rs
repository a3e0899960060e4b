//! Tells a session again what its crawl fetched before: the log row by row, pages
//! from the archive. A page whose copy is damaged is asked for once more; what hangs
//! on it is not lost for that, and neither is any other page.

use std::path::Path;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;

use anyhow::{Context, Result};
use linkscent_core::address::Address;
use linkscent_core::crawl::{DriftAlarm, Failure, Outcome, Session};
use linkscent_core::page::Page;
use linkscent_core::strategies::SplitMix;

use linkscent_archive::page::page_at;
use linkscent_archive::warc::WarcError;
use linkscent_store::{FetchRow, LostPage};

/// Pages that are read before they are told.
const READ_AHEAD: usize = 32;

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

/// A page of the archive, as far as it could be read.
type Read = Result<(Box<Page>, u64), WarcError>;

/// A row of the log was told.
pub(super) struct ToldRow<'a> {
    pub row: &'a FetchRow,
    /// The alarm that it gave.
    pub alarm: Option<DriftAlarm>,
    /// Whether no page was lost until now.
    pub is_whole: bool,
    /// As the random numbers stand behind it.
    pub rng: &'a SplitMix,
}

/// Tells a session its log. `on_row` hears of each row that was told. Pages are read and parsed in a
/// thread of their own, a few ahead of the session.
pub(super) fn replay(
    session: &mut Session,
    log: &[FetchRow],
    archive: &Path,
    rng: &mut SplitMix,
    mut on_row: impl FnMut(&mut Session, ToldRow),
) -> Result<Replayed> {
    let mut found = Finding::default();
    thread::scope(|scope| {
        let (send, pages) = mpsc::sync_channel(READ_AHEAD);
        scope.spawn(move || read_ahead(log, archive, &send));
        for row in log {
            let alarm = if let Ok(address) = Address::parse(&row.address) {
                tell(session, row, &address, &pages, &mut found, rng)?
            } else {
                // It was damaged: what came of it is lost, and nothing else.
                let (number, address) = (row.number, &row.address);
                tracing::warn!("request {number} of the log is passed over: {address}");
                None
            };
            let told = ToldRow {
                row,
                alarm,
                is_whole: found.replayed.lost.is_empty() && found.lost.is_empty(),
                rng,
            };
            on_row(session, told);
        }
        anyhow::Ok(())
    })?;
    for address in &found.lost {
        session.ask_again(address);
    }
    Ok(found.replayed)
}

/// Tells a session a row of its log; the alarm that it gives.
fn tell(
    session: &mut Session,
    row: &FetchRow,
    address: &Address,
    pages: &Receiver<Read>,
    found: &mut Finding,
    rng: &mut SplitMix,
) -> Result<Option<DriftAlarm>> {
    session.number_from(row.number);
    let read = match row.place.warc_offset {
        Some(_) => Some(pages.recv().context("the archive is read no more")?),
        None => None,
    };
    let outcome = found.outcome(row, address, read)?;
    let came = matches!(outcome, Outcome::Page(..));
    let record = session.replay(address, outcome, row.arm, rng);
    if let Some(unfound) = row.unfound {
        session.tell_unfound(unfound);
    }
    if came {
        found.lost.retain(|page| page != address);
    }
    Ok(record.and_then(|record| record.alarm))
}

/// Reads the pages of a log one after the other, until nobody wants them any more.
fn read_ahead(log: &[FetchRow], archive: &Path, send: &SyncSender<Read>) {
    for row in log {
        let Some(offset) = row.place.warc_offset else {
            continue;
        };
        let Ok(address) = Address::parse(&row.address) else {
            continue;
        };
        let read = page_at(archive, offset, &address);
        if let Ok((page, _)) = &read {
            page.content();
        }
        if send.send(read).is_err() {
            return;
        }
    }
}

/// What is found on the way, and what turned out to be lost.
#[derive(Default)]
struct Finding {
    replayed: Replayed,
    /// In the order of the log: what the crawl began with comes first again.
    lost: Vec<Address>,
}

impl Finding {
    /// What came of a request, by its row and, where that has a page, what the archive has of it.
    fn outcome(
        &mut self,
        row: &FetchRow,
        address: &Address,
        read: Option<Read>,
    ) -> Result<Outcome> {
        let (replayed, lost) = (&mut self.replayed, &mut self.lost);
        Ok(match (read, &row.place.redirect) {
            (Some(Ok((page, digest))), _) => {
                replayed.end = None;
                replayed.last = replayed.last.max(row.place.warc_offset);
                Outcome::Page(page, digest)
            }
            (Some(Err(error @ WarcError::File { .. })), _) => return Err(error.into()),
            (Some(Err(error)), _) => {
                replayed.end = replayed.end.or(row.place.warc_offset);
                let problem = format!("{DAMAGED} ({error}); it is asked for again");
                lost.push(address.clone());
                replayed.lost.push(LostPage {
                    number: row.number,
                    problem: problem.clone(),
                });
                Outcome::Failed(Failure::Other(problem))
            }
            (None, Some(target)) => Outcome::Redirect(Address::parse(target)?),
            (None, None) => {
                if row.problem.starts_with(DAMAGED) {
                    // Found so before, and the crawl ended before it came again.
                    lost.push(address.clone());
                }
                Outcome::of_problem(&row.problem)
            }
        })
    }
}
