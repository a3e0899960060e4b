//! A crawl without its fetching: which link comes next and what a page that
//! came in changes. Time, random numbers and pages are passed in.

mod address_groups;
mod bandit;
mod crowds;
mod descent;
mod drift;
mod frontier;
mod host_queues;
mod in_view;
mod near_duplicates;
mod part;
mod politeness;
mod reachable;
mod repetition;
mod revisits;
pub mod robots;
mod robots_cache;
mod scope;
mod seen;
mod session;
mod shortlists;
mod spec;
mod stats;
mod stopping;
mod types;

pub use address_groups::site_of;
pub use bandit::{Arm, Bandit};
pub use descent::Descent;
pub use drift::{Drift, DriftAlarm, DriftCause, PageSignal};
pub use frontier::{Frontier, FrontierEntry, LINKS_IN_MEAN, LINKS_PER_TARGET};
pub use in_view::Expected;
pub use near_duplicates::NearDuplicates;
pub use part::Part;
pub use politeness::{CrawlDelay, Instant, Politeness, rest_for};
pub use reachable::Unfound;
pub use repetition::Repetition;
pub use revisits::{Millis, Watched, worth_a_look};
pub use robots::{Denial, Robots};
pub use robots_cache::RobotsCache;
pub use scope::{Refusal, Scope, as_host, hosts_in, is_or_below, is_within};
pub use session::{DryRun, HostRules, HostState, HostTurn, Session, Upcoming};
pub use spec::{CrawlSpec, DEFAULT_DELAY, LARGEST_BUDGET, MEGABYTE, Reaction, SpecError};
pub use stats::CrawlStats;
pub use stopping::{StoppingCounts, StoppingRule};
pub use types::{
    DEFERRED, Failure, Fetch, Limits, MOST_REDIRECTS, NEARLY_SAME_PAGE, Next, Outcome, Record,
    SAME_PAGE, Seed, SkipReason, Skipped, StopReason, UNCHANGED, UNRENDERED,
};
