//! The log of a crawl: written by whoever runs it, read by all.

use async_trait::async_trait;
use linkscent_core::address::Address;
use linkscent_core::crawl::{Arm, Record, Skipped, Unfound};
use linkscent_core::critics;
use linkscent_core::web_graph::{Judgment, Relevance};

use crate::error::StoreResult;

/// Links not asked for that are kept of one crawl at most.
pub const MOST_SKIPPED: u64 = 10_000;
/// Reasons for not asking that are told of one crawl at most.
pub const MOST_REASONS: usize = 20;
/// Alarms that are told of one crawl at most.
pub const MOST_ALARMS: usize = 5;

/// Pages that wait for a browser which are told of one crawl at most.
pub const MOST_UNRENDERED: i64 = 5_000;

/// Where a fetch leads besides its record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Location {
    /// Offset in the WARC file of the record of what came: a page, that it leads elsewhere, or that
    /// it is as it was.
    pub warc_offset: Option<u64>,
    /// Where the answer sent us on to.
    pub redirect: Option<String>,
    /// When the answer came, in milliseconds since 1970.
    pub time: i64,
}

/// A request of the log, as far as it is needed to take it in again.
#[derive(Debug, Clone, PartialEq)]
pub struct FetchRow {
    /// Its number in the log, from 1.
    pub number: u64,
    /// What was asked for.
    pub address: String,
    /// What came in place of a page.
    pub problem: String,
    /// By whose ranking it was chosen; `None` where that was not kept yet.
    pub arm: Option<Arm>,
    /// What was then counted of the relevant pages that were not found yet, where it was.
    pub unfound: Option<Unfound>,
    /// Where it leads; the offset is a page's alone.
    pub place: Location,
}

/// A page whose copy cannot be read any more.
#[derive(Debug)]
pub struct LostPage {
    /// Number of its request.
    pub number: u64,
    /// What is wrong with it, and where.
    pub problem: String,
}

/// A page of the log, for people.
#[derive(Debug, Clone, PartialEq)]
pub struct ResultRow {
    /// The page.
    pub address: String,
    /// Its title.
    pub title: String,
    /// Beginning of its text.
    pub snippet: String,
    /// Its relevance, 0..=1; `None` if no page came.
    pub relevance: Option<f64>,
    /// Whether it is what is looked for.
    pub is_target: bool,
    /// Why it was chosen.
    pub reason: String,
    /// What the link said.
    pub anchor: String,
    /// Pages from the seed to the link, newest first.
    pub trail: Vec<String>,
    /// What came in place of a page.
    pub problem: String,
    /// Its likeliest class; empty where pages were not judged by their classes.
    pub class: String,
    /// When the answer came, in milliseconds since 1970; 0 where that was not put down.
    pub time: i64,
}

/// What a request came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Number of the request.
    pub number: u64,
    /// What was asked for.
    pub address: String,
    /// When the answer came, in milliseconds since 1970; 0 where that was not put down.
    pub time: i64,
    /// Whether a page came.
    pub is_page: bool,
    /// Whether it counts for the harvest.
    pub is_scored: bool,
    /// Whether it is a find.
    pub is_find: bool,
    /// What came in place of a page.
    pub problem: String,
    /// What was then counted of the relevant pages that were not found yet, where it was.
    pub unfound: Option<Unfound>,
    /// Where its record begins in the archive, if it has one.
    pub warc_offset: Option<u64>,
    /// Whether the answer led elsewhere.
    pub is_redirect: bool,
}

impl ResultRow {
    /// How likely it is what is looked for, by the relevance that was kept of it and the topic's
    /// critic, 0..=1.
    pub fn probability(&self, critic: &str) -> f64 {
        let relevance = Relevance::new(self.relevance.unwrap_or_default());
        critics::probability(critic, relevance)
    }
}

/// A searchable form and the page it stands on.
#[derive(Debug, Clone, PartialEq)]
pub struct FormRow {
    /// The page.
    pub address: String,
    /// Its title.
    pub title: String,
    /// Pages from the seed to the page, newest first.
    pub trail: Vec<String>,
    /// What the form is called by on its page.
    pub name: String,
    /// Where it sends what is entered, as written.
    pub action: String,
    /// Names of the fields that are seen.
    pub fields: Vec<String>,
    /// 0 to 1.
    pub confidence: f64,
    /// Whether its database is one looked for.
    pub wanted: bool,
}

/// Links that were not asked for, for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedRow {
    /// Why.
    pub reason: String,
    /// How many; at most [`MOST_SKIPPED`] are kept of a crawl in all.
    pub count: u64,
    /// How many of them the crawl was to start from.
    pub seeds: u64,
    /// One of them: the last in the order of their letters.
    pub example: String,
}

/// An alarm that a crawl raised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlarmRow {
    /// Number of the request at which it was raised.
    pub number: i64,
    /// What it is about, for people.
    pub said: String,
}

/// What whoever runs a crawl writes. One at a time does: it holds the crawl's lock, which is
/// a file and not the store's.
#[async_trait]
pub trait CrawlWriter: Send + Sync {
    /// Takes in whole fetches with their alarms and forms, and how many bytes of the archive
    /// count from now on, as one change: all or nothing, in the log and in the counts. The
    /// archive must be on the disk up to `warc_length`. Of forms of one name on one page
    /// the first is kept.
    ///
    /// An error if the crawl is not there or a number is in its log already. After any error
    /// nothing of the batch is in the log, and what carried the failed write is not used
    /// again: what it takes for written may not be on the disk. Whoever called stops
    /// writing, and reads the log again before it goes on.
    async fn take_fetches(
        &self,
        crawl: i64,
        warc_length: u64,
        fetches: &[(Record, Location)],
    ) -> StoreResult<()>;

    /// Puts down that pages of the archive cannot be read any more, and how many bytes of it
    /// count from now on: what lies behind is nowhere any more. Their requests stay in the log, as
    /// such that brought no page but `problem`; their forms go, and no count includes them. Numbers that are not in the
    /// log are passed over.
    async fn lose_pages(&self, crawl: i64, lost: &[LostPage], warc_length: u64) -> StoreResult<()>;

    /// Puts down what is said of pages now, by their addresses. Requests that brought no page
    /// stay as they are, and addresses that are not in the log are passed over.
    async fn judge_again(&self, crawl: i64, judged: &[(Address, Judgment)]) -> StoreResult<()>;

    /// Keeps links that were not asked for, up to [`MOST_SKIPPED`]; pages known already are
    /// passed over, also where another reason is given. An error if the crawl is not there.
    async fn skip(&self, crawl: i64, skipped: &[Skipped]) -> StoreResult<()>;
}

/// What of a crawl can be read, by its writer when it goes on and by all others at any time.
/// A page counts for the harvest, and is a find, only if its record was scored.
#[async_trait]
pub trait CrawlLog: Send + Sync {
    /// Pages that only a browser could read and that none has read since, in the order in which
    /// they were asked for; at most [`MOST_UNRENDERED`].
    async fn unrendered(&self, crawl: i64) -> StoreResult<Vec<String>>;

    /// The whole log of a crawl, by number. Numbers may be missing.
    async fn fetches(&self, crawl: i64) -> StoreResult<Vec<FetchRow>> {
        self.fetches_after(crawl, 0).await
    }

    /// The rows of it with greater numbers.
    async fn fetches_after(&self, crawl: i64, number: u64) -> StoreResult<Vec<FetchRow>>;

    /// The greatest number in the log of a crawl; 0 if it is empty.
    async fn last_number(&self, crawl: i64) -> StoreResult<u64>;

    /// The last requests of a crawl, newest first.
    async fn last_results(&self, crawl: i64, most: i64) -> StoreResult<Vec<ResultRow>>;

    /// Relevant pages of a crawl, best first and of equals the older first, from `skip` on.
    async fn best_results(&self, crawl: i64, most: i64, skip: i64) -> StoreResult<Vec<ResultRow>>;

    /// Pages of a crawl whose likeliest class is this node of a taxonomy or stands below it,
    /// or all pages where no node is given; newest first, from `skip` on.
    async fn pages_of_class(
        &self,
        crawl: i64,
        node: Option<&str>,
        most: i64,
        skip: i64,
    ) -> StoreResult<Vec<ResultRow>>;

    /// Pages fetched, pages scored, relevant ones of these, and requests without page. An
    /// error if the crawl is not there. Costs the same however long the log is.
    async fn counts(&self, crawl: i64) -> StoreResult<(u64, u64, u64, u64)>;

    /// What requests came to, by number: so many at most, from the one behind a number on.
    async fn outcomes(&self, crawl: i64, after: u64, most: i64) -> StoreResult<Vec<Outcome>>;

    /// A number that is another one than before whenever a line of the log that was there has changed
    /// or gone; new lines change nothing of it.
    async fn log_changes(&self, crawl: i64) -> StoreResult<i64>;

    /// Another number each time that lines of a log change or go in what [`Self::fetches`] has of them,
    /// as when pages are lost or forgotten; not when pages are judged again.
    async fn log_rewrites(&self, crawl: i64) -> StoreResult<i64>;

    /// Where the record of a page lies in the crawl's archive, and its title; of its first
    /// fetch that has a record.
    async fn kept_page(&self, crawl: i64, address: &str) -> StoreResult<Option<(u64, String)>>;

    /// The forms of a crawl: those looked for first, then by confidence, by number, by name.
    async fn forms(&self, crawl: i64, most: i64) -> StoreResult<Vec<FormRow>>;

    /// How many forms of a crawl lead to databases that are looked for.
    async fn count_forms(&self, crawl: i64) -> StoreResult<u64>;

    /// Links that a crawl did not ask for, by reason; the commonest reason first, of equals
    /// by their letters. At most [`MOST_REASONS`].
    async fn skipped(&self, crawl: i64) -> StoreResult<Vec<SkippedRow>>;

    /// Alarms of a crawl, newest first; at most [`MOST_ALARMS`].
    async fn alarms(&self, crawl: i64) -> StoreResult<Vec<AlarmRow>>;

    /// What a crawl counted last of the relevant pages that it has not found.
    async fn unfound(&self, crawl: i64) -> StoreResult<Option<Unfound>>;
}
