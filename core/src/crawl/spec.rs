//! How a crawl is to go: what shell, dashboard, API, services, store and research files all say of it.
//! A new setting is a field here with its rule in [`CrawlSpec::check`]; each of those names it where a
//! person chooses it, and nothing else knows of it but what obeys it.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Scope, StopReason, StoppingRule};

/// The largest budget, in pages.
pub const LARGEST_BUDGET: u64 = 1_000_000;
/// Rest of a host between requests, in milliseconds, unless another is wanted.
pub const DEFAULT_DELAY: u64 = 1_000;
/// Bytes of what people are asked for in megabytes.
pub const MEGABYTE: u64 = 1_000_000;
/// Shares of the relevant pages by which a crawl can end.
const LEAST_SHARE: f64 = 0.5;
const GREATEST_SHARE: f64 = 0.99;

/// What a crawl does when it loses its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Reaction {
    /// It says so and goes on.
    #[default]
    Tell,
    /// It leaves sites full of spam, or keeps closer to what is known to be good for a while.
    Restrict,
    /// It pauses.
    Pause,
}

impl Reaction {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Tell, Self::Restrict, Self::Pause];

    /// As it is stored, and as forms name it.
    pub fn code(self) -> &'static str {
        match self {
            Self::Tell => "tell",
            Self::Restrict => "restrict",
            Self::Pause => "pause",
        }
    }

    /// Back from [`Self::code`].
    pub fn named(code: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|reaction| reaction.code() == code)
    }

    /// The same; the default for anything else.
    pub fn of(code: &str) -> Self {
        Self::named(code).unwrap_or_default()
    }
}

/// How a crawl is to go.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CrawlSpec {
    /// Pages to fetch.
    pub budget: u64,
    /// Milliseconds a host rests between two requests. Not given: a second, or no rest where all pages
    /// come from a replay on this machine. 0 is only for such replays.
    #[serde(default)]
    pub delay: Option<u64>,
    /// What random numbers start from.
    #[serde(default = "first_seed")]
    pub random_seed: u64,
    /// Which links it may follow.
    #[serde(flatten)]
    pub scope: Scope,
    /// When a site is left.
    #[serde(flatten)]
    pub stopping: StoppingRule,
    /// The share of the relevant pages that can be reached after which it ends, as far as it can tell,
    /// before its budget is used up; by default it does not.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(minimum = 0.5, maximum = 0.99))]
    pub until_recall: Option<f64>,
    /// Bytes that its pages may take on this machine, packed as they are kept, after which it ends; by
    /// default any number. Requests that are under way then are still taken in.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(minimum = 1_000_000))]
    pub most_bytes: Option<u64>,
    /// What it does when it loses its way.
    #[serde(default)]
    pub on_drift: Reaction,
}

fn first_seed() -> u64 {
    1
}

/// What is wrong with how a crawl is to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SpecError {
    /// The budget.
    #[error("A crawl's budget is 1 to {LARGEST_BUDGET} pages.")]
    Budget,
    /// When a site is left.
    #[error("A site is left after 1 to {LARGEST_BUDGET} {0}, or never.")]
    Stopping(&'static str),
    /// The share to be found.
    #[error(
        "A crawl ends when 50 to 99 per cent (0.5 to 0.99) of the relevant pages seem to be found, or by \
         its budget alone."
    )]
    Recall,
    /// The bytes that its pages may take.
    #[error("A crawl's pages take a megabyte (1000000 bytes) at least, or any number.")]
    Bytes,
}

impl CrawlSpec {
    /// As usual, for so many pages.
    pub fn new(budget: u64) -> Self {
        Self {
            budget,
            delay: None,
            random_seed: first_seed(),
            scope: Scope {
                documents: true,
                ..Scope::default()
            },
            stopping: StoppingRule::default(),
            until_recall: None,
            most_bytes: None,
            on_drift: Reaction::default(),
        }
    }

    /// Milliseconds a host rests between two requests.
    pub fn delay(&self) -> u64 {
        self.delay.unwrap_or(DEFAULT_DELAY)
    }

    /// Has a crawl that is over, or under way, go on to that many pages: what it ended for does not end it
    /// again.
    pub fn go_on(&mut self, budget: u64, ended_for: &str) {
        self.budget = budget;
        if ended_for == StopReason::Recall.code() {
            self.until_recall = None;
        }
        if ended_for == StopReason::Bytes.code() {
            self.most_bytes = None;
        }
    }

    /// Whether each setting is within its range.
    pub fn check(&self) -> Result<(), SpecError> {
        if !(1..=LARGEST_BUDGET).contains(&self.budget) {
            return Err(SpecError::Budget);
        }
        let StoppingRule { pages, targets } = self.stopping;
        for (most, what) in [(pages, "pages"), (targets, "targets")] {
            if most.is_some_and(|most| !(1..=LARGEST_BUDGET).contains(&u64::from(most))) {
                return Err(SpecError::Stopping(what));
            }
        }
        let shares = LEAST_SHARE..=GREATEST_SHARE;
        if self
            .until_recall
            .is_some_and(|share| !shares.contains(&share))
        {
            return Err(SpecError::Recall);
        }
        if self.most_bytes.is_some_and(|most| most < MEGABYTE) {
            return Err(SpecError::Bytes);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_not_said_is_as_usual() {
        let read = |text| serde_json::from_value::<CrawlSpec>(text);
        assert_eq!(read(json!({ "budget": 7 })).unwrap(), CrawlSpec::new(7));
        assert!(read(json!({})).is_err(), "how many pages?");
        let said = json!({ "budget": 7, "delay": 20, "hosts": ["a.test"], "depth": 2, "site_pages": 5,
            "documents": false, "until_recall": 0.9, "on_drift": "pause", "random_seed": u64::MAX });
        let spec = read(said).unwrap();
        assert_eq!(spec.scope.hosts, ["a.test"]);
        assert_eq!((spec.scope.depth, spec.scope.documents), (Some(2), false));
        assert_eq!((spec.stopping.pages, spec.delay()), (Some(5), 20));
        assert_eq!(
            (spec.on_drift, spec.random_seed),
            (Reaction::Pause, u64::MAX)
        );
        let again = serde_json::to_value(&spec).unwrap();
        assert_eq!(read(again).unwrap(), spec);
    }

    #[test]
    fn each_setting_has_its_range() {
        let usual = CrawlSpec::new(7);
        assert_eq!(usual.check(), Ok(()));
        // The starts and nothing else.
        let mut starts = usual.clone();
        starts.scope.depth = Some(0);
        assert_eq!(starts.check(), Ok(()));
        let mut wrong = [(); 6].map(|()| usual.clone());
        wrong[0].budget = 0;
        wrong[1].budget = LARGEST_BUDGET + 1;
        wrong[2].stopping.targets = Some(0);
        wrong[3].until_recall = Some(0.4);
        wrong[4].until_recall = Some(f64::NAN);
        wrong[5].most_bytes = Some(MEGABYTE - 1);
        let said = wrong.map(|spec| spec.check().unwrap_err());
        assert_eq!(said[..2], [SpecError::Budget; 2]);
        assert_eq!(said[2], SpecError::Stopping("targets"));
        assert_eq!(said[3..5], [SpecError::Recall; 2]);
        assert_eq!(said[5], SpecError::Bytes);
    }

    #[test]
    fn what_it_ended_for_does_not_end_it_again() {
        let mut spec = CrawlSpec::new(7);
        (spec.until_recall, spec.most_bytes) = (Some(0.9), Some(MEGABYTE));
        spec.go_on(9, StopReason::Budget.code());
        assert_eq!(
            (spec.budget, spec.until_recall, spec.most_bytes),
            (9, Some(0.9), Some(MEGABYTE))
        );
        spec.go_on(9, StopReason::Bytes.code());
        assert_eq!((spec.until_recall, spec.most_bytes), (Some(0.9), None));
        spec.go_on(9, StopReason::Recall.code());
        assert_eq!(spec, CrawlSpec::new(9));
    }
}
