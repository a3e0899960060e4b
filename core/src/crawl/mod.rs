//! A crawl without its fetching: which link comes next and what a page that
//! came in changes. Time, random numbers and pages are passed in.

mod drift;
mod exchange;
mod frontier;
mod leaving;
mod politeness;
pub mod robots;
mod robots_cache;
mod scope;
mod session;
mod shortlists;
mod tally;
mod turns;

pub use drift::{Drift, DriftAlarm, DriftCause, Sign};
pub use exchange::{Failure, Fetch, Limits, Next, Outcome, Record, Seed, Skipped, StopReason};
pub use frontier::{Frontier, LINKS_IN_MEAN, LINKS_PER_TARGET, Waiting};
pub use leaving::{Leaving, LeavingRule};
pub use politeness::{CrawlDelay, Instant, Politeness};
pub use robots::{Denial, Robots};
pub use robots_cache::RobotsCache;
pub use scope::{Refusal, Scope};
pub use session::Session;
pub use tally::Tally;
pub use turns::{Turn, Turns};
