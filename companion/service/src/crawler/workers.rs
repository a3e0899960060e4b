//! Crawls whose requests workers make: programs (`linkscent team work`) on whatever machines, which reach the same
//! PostgreSQL database. One program holds the session, ranks and learns; workers ask hosts, read what
//! comes and make the records for the archive. Between them lie the rows of
//! [`Workers`](linkscent_store::Workers).
//!
//! - A request is put down once for each time that the session hands it out, so at most one for a host
//!   is under way for a crawl; workers wait for the host's turn like all others, so at most one is for
//!   all crawls, and hosts rest as they are to.
//! - A worker's answer is taken once, while it is the worker's to answer. Whoever runs the crawl takes answers
//!   off the table before it learns from them: one that it takes and does not put into the log, since it
//!   was killed, is asked for again. So pages are fetched at least once and count once.
//! - A worker that could not say for four seconds that it is there breaks its requests off; after six it is
//!   given up by the others. A request that is under way when its worker dies or is cut off ends before its
//!   host is asked by another. One whose worker was stopped, and is still connected, may go on: its
//!   host is not asked by another until it must be over.
//! - A worker says each time that it takes something to do what it has. What it was given and does not know of,
//!   as the answer was lost, others do.
//!
//! What workers send is read as hostile (`wire`), within limits (`limits`).

#[cfg(feature = "team")]
mod asking;
mod limits;
mod wire;
#[cfg(feature = "team")]
mod work;

#[cfg(feature = "team")]
pub use asking::Asking;
pub(super) use wire::{Heard, Request, write_page};
#[cfg(feature = "team")]
pub use work::Worker;
