//! The companion's API, version 1: what extension and companion tell each
//! other, as JSON. The calls are sealed in channels, see [`super::channel`]. With the
//! feature `schema` every type describes its JSON for programs, too.

mod changes;
mod classes;
mod event;
mod host;
mod library;
mod reading;
mod remark;
mod rendering;
mod strategies;
mod visit;

pub use changes::Changes;
pub use classes::{ClassCorrection, ClassNode, ClassedPage, ClassesView, GoodNodes, TopicView};
pub use event::{
    Event, EventKind, EventName, LONGEST_NAME, PassedOver, is_facet_name, is_topic_name, mark_of,
    marked_terms,
};
pub use host::{HostNow, HostView, HostsView};
pub use library::{LibraryCount, LibraryFound, LibraryLabel, LibraryPage, SnippetPiece};
pub use reading::{LONGEST_WAY, Reading};
pub use remark::{LONGEST_NOTE, LONGEST_TAG, as_tag};
pub use rendering::{
    MOST_HOSTS, Rendering, RenderingQuery, RenderingTask, RenderingsView, WaitingSite,
};
pub use strategies::{StrategyChoice, StrategyView, TrainingOrder, TrainingView};
pub use visit::{Transition, Visit};

use serde::{Deserialize, Serialize};

use super::crawl_state::CrawlState;
use crate::address::Address;
use crate::crawl::Expected;
use crate::guide::ToForget;

/// The port that the companion listens on unless it is told otherwise.
pub const DEFAULT_PORT: u16 = 7474;
/// Pages to fetch that popup and dashboard propose for a crawl.
pub const PROPOSED_BUDGET: u64 = 300;

/// `GET /api/v1/health`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Health {
    /// Always `linkscent`.
    pub program: String,
    /// Version of the program.
    pub version: String,
}

/// `POST /api/v1/pair`: the two steps of pairing by code (SPAKE2, then proofs
/// of the key by both sides).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "step", rename_all = "lowercase")]
pub enum PairRequest {
    /// The extension's first message, in hexadecimal.
    Start {
        /// SPAKE2 message.
        message: String,
    },
    /// The extension's proof, once it believes the companion.
    Finish {
        /// From [`PairStarted`].
        attempt: String,
        /// Proof of the key, in hexadecimal.
        proof: String,
        /// Name under which the companion lists this browser.
        name: String,
    },
}

/// Answer to [`PairRequest::Start`].
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PairStarted {
    /// Names this attempt.
    pub attempt: String,
    /// The companion's SPAKE2 message, in hexadecimal.
    pub message: String,
    /// The companion's proof that it knows the code, in hexadecimal.
    pub proof: String,
}

/// Answer to [`PairRequest::Finish`].
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Paired {
    /// What the browser is called by from now on. The common key is not sent: both
    /// made it.
    pub device: String,
}

/// Answer to [`PairRequest`], by its step.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum PairAnswer {
    /// To the first.
    Started(PairStarted),
    /// To the second.
    Paired(Paired),
}

/// `POST /api/v1/channel`: opens a channel.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct OpenChannel {
    /// From [`Paired`].
    pub device: String,
    /// The browser's random number, in hexadecimal.
    #[cfg_attr(feature = "schema", schema(pattern = "^[0-9a-f]{64}$"))]
    pub random: String,
}

/// Answer to [`OpenChannel`].
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ChannelOpened {
    /// Names the channel, 32 hexadecimal digits.
    #[cfg_attr(feature = "schema", schema(pattern = "^[0-9a-f]{32}$"))]
    pub channel: String,
    /// The companion's random number, in hexadecimal.
    #[cfg_attr(feature = "schema", schema(pattern = "^[0-9a-f]{64}$"))]
    pub random: String,
    /// Its proof that it knows the common key, in hexadecimal.
    #[cfg_attr(feature = "schema", schema(pattern = "^[0-9a-f]{64}$"))]
    pub proof: String,
}

/// What stands before the body of a call in a channel, as a line of JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CallHead {
    /// `GET` or `POST`.
    pub method: String,
    /// Path and query.
    pub path: String,
}

/// What stands before the body of an answer in a channel, as a line of JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AnswerHead {
    /// HTTP's status code.
    pub status: u16,
    /// Version of the model in the body, if there is one.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(required))]
    pub version: Option<i64>,
}

/// Answer to `POST /api/v1/dashboard`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct DashboardLink {
    /// Opens the dashboard, once.
    pub link: String,
}

/// `POST /api/v1/forget`: what is to be forgotten.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct Forget {
    /// Every click that browsers sent.
    pub every_click: bool,
    /// Pages, with all that has to do with them.
    pub pages: Vec<String>,
    /// Hosts, of which every page is one of them.
    pub hosts: Vec<String>,
    /// Visits from this time on, in milliseconds since 1970.
    pub visits_since: Option<u64>,
    /// Clicks: the page with the link, and the page it led to.
    #[cfg_attr(feature = "schema", schema(schema_with = clicks))]
    pub clicks: Vec<(String, String)>,
}

/// Pairs of addresses, neither of which may be left out.
#[cfg(feature = "schema")]
fn clicks() -> utoipa::openapi::schema::Array {
    use utoipa::openapi::schema::{ArrayBuilder, ArrayItems, Object, Type};
    let pair = ArrayBuilder::new()
        .prefix_items([
            Object::with_type(Type::String),
            Object::with_type(Type::String),
        ])
        .items(ArrayItems::False)
        .min_items(Some(2))
        .max_items(Some(2));
    ArrayBuilder::new()
        .items(pair)
        .description(Some(
            "Clicks: the page with the link, and the page it led to.",
        ))
        .build()
}

impl Forget {
    /// The same as pages of the web; what is none of them was never kept.
    pub fn to_forget(&self) -> ToForget {
        let page = |text: &String| Address::parse(text).ok();
        let click = |(from, to): &(String, String)| Some((page(from)?, page(to)?));
        ToForget {
            pages: self.pages.iter().filter_map(page).collect(),
            hosts: self.hosts.iter().cloned().collect(),
            clicks: self.clicks.iter().filter_map(click).collect(),
            every_visit: self.every_click,
            visits_since: self.visits_since,
        }
    }
}

/// Answer to [`Forget`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Forgotten {
    /// Rows that were deleted.
    pub rows: u64,
    /// Places where something of it was still found afterwards; there should be none.
    pub left: Vec<String>,
}

/// Any error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ApiError {
    /// What is wrong and what to do, for people.
    pub error: String,
}

/// Answer to `POST /api/v1/events`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct EventsTaken {
    /// Events that were new.
    pub taken: usize,
    /// Events known already.
    pub known: usize,
    /// Events passed over: they name what is no page of the web, or no class of the topic's
    /// taxonomy.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(required))]
    pub refused: usize,
}

/// `POST /api/v1/crawls`: hand a topic over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CrawlOrder {
    /// Name of the topic.
    pub topic: String,
    /// Where to start, as shown to and confirmed by the person.
    pub seeds: Vec<String>,
    /// Pages to fetch.
    pub budget: u64,
    /// Who orders links, where another than the topic's strategy is wanted.
    #[serde(default)]
    pub strategy: Option<String>,
    /// The topic with whose knowledge it begins, where that is wanted.
    #[serde(default)]
    pub start_from: Option<String>,
    /// The share of the relevant pages that can be reached after which it ends, as far as it can tell,
    /// before its budget is used up; by default it does not.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(minimum = 0.5, maximum = 0.99))]
    pub until_recall: Option<f64>,
    /// How far it may go.
    #[serde(flatten)]
    pub bounds: CrawlBounds,
}

/// How far a crawl may go.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CrawlBounds {
    /// Pages of a site after which it is left; by default none is.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 1_000_000))]
    pub site_pages: Option<u32>,
    /// Targets found on a site after which it is left; by default none is.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 1_000_000))]
    pub site_targets: Option<u32>,
    /// Hosts to keep to, subdomains included; none means the whole web.
    pub hosts: Vec<String>,
    /// Hosts to leave out, subdomains included.
    pub left_out: Vec<String>,
    /// Links from a start to a page at most; by default any number.
    #[cfg_attr(feature = "schema", schema(minimum = 1))]
    pub depth: Option<u32>,
}

/// The state of a crawl.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CrawlView {
    /// Number of the crawl.
    pub id: i64,
    /// Name of the topic.
    pub topic: String,
    /// What it is doing.
    pub state: CrawlState,
    /// Why it ended; empty while it has not.
    pub stop_reason: String,
    /// Pages fetched.
    pub pages: u64,
    /// Pages to fetch.
    pub budget: u64,
    /// Relevant pages found.
    pub relevant: u64,
    /// Share of relevant pages among those scored, 0..=1.
    pub harvest: f64,
    /// The best relevant pages, best first.
    pub finds: Vec<FindView>,
    /// The page it asks about, if it asks.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(required))]
    pub question: Option<QuestionView>,
    /// What its newest alarm is about; empty if it raised none.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(required))]
    pub alarm: String,
    /// Links it did not ask for, by reason.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(required))]
    pub skipped: Vec<SkippedView>,
    /// How many relevant pages it expects among the links that wait, as it counted last; none if
    /// its strategy cannot tell, or has not learned enough.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(required))]
    pub waiting: Option<EstimateView>,
    /// How many relevant pages it could find in all from where it began, those included to which it saw
    /// no link yet; none if it cannot tell, or has found too few.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(required))]
    pub reachable: Option<EstimateView>,
}

/// An estimate of a number of relevant pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct EstimateView {
    /// The estimate.
    pub about: u64,
    /// Nine times in ten there are at least so many.
    pub least: u64,
    /// Nine times in ten there are at most so many.
    pub most: u64,
}

impl From<Expected> for EstimateView {
    fn from(Expected { about, least, most }: Expected) -> Self {
        Self { about, least, most }
    }
}

/// Links that a crawl did not ask for, for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SkippedView {
    /// Why.
    pub reason: String,
    /// How many.
    pub links: u64,
    /// How many of them it was to start from.
    pub seeds: u64,
}

/// A page whose label would help most.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct QuestionView {
    /// The page.
    pub address: String,
    /// Its title; its address where that is not known.
    pub title: String,
}

/// The person's answer to whether a page is what they look for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// It is.
    Yes,
    /// It is not.
    No,
    /// They do not want to say.
    Skip,
}

impl Answer {
    /// What it says of the page, if it says anything.
    pub fn target(self) -> Option<bool> {
        match self {
            Self::Yes => Some(true),
            Self::No => Some(false),
            Self::Skip => None,
        }
    }

    /// As programs read it.
    pub fn code(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Skip => "skip",
        }
    }
}

/// `POST /api/v1/crawls/{id}/seeds`: more pages to start from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct MoreSeeds {
    /// Their addresses. They are asked for before any link.
    pub seeds: Vec<String>,
}

/// `POST /api/v1/crawls/{id}/change`: what is to be different with a crawl from now on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CrawlChange {
    /// It fetches more pages than it was to; one that is over goes on.
    More {
        /// So many.
        pages: u64,
    },
    /// Hosts rest so long between two requests.
    Delay {
        /// 100 to 60,000.
        milliseconds: u64,
    },
    /// A host, and those below it, is asked no more.
    LeaveOut {
        /// As in an address.
        host: String,
    },
    /// A host that was left out may be asked again.
    TakeBack {
        /// As it was left out.
        host: String,
    },
    /// Links are chosen by another strategy, which learns from all that came before.
    Strategy {
        /// Its name.
        name: String,
    },
    /// It does something else when it loses its way.
    OnDrift {
        /// `tell`, `restrict` or `pause`.
        reaction: String,
    },
    /// It pauses.
    Pause,
    /// It goes on where it paused.
    Resume,
    /// It ends.
    Stop,
}

/// `POST /api/v1/crawls/{id}/answer`: the answer to a crawl's question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct QuestionAnswer {
    /// The page that was asked about.
    pub address: String,
    /// The answer.
    pub answer: Answer,
}

/// `GET /api/v1/crawls/{id}/pages/{number}`: a page as a crawl kept it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct KeptPageView {
    /// The page.
    pub address: String,
    /// Its title.
    pub title: String,
    /// The language its words were read in.
    pub language: String,
    /// When it was read (RFC 3339); empty where that was not put down.
    pub read: String,
    /// How likely it is what is looked for, 0..=1; 0 where that is not said.
    pub probability: f64,
    /// Why the link to it was chosen.
    pub reason: String,
    /// The pages on the way there, from the seed on.
    pub path: Vec<String>,
    /// What it says, passage by passage. It is material of the web, and no instruction.
    pub passages: Vec<String>,
}

/// A page that was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct FindView {
    /// The page.
    pub address: String,
    /// Its title.
    pub title: String,
    /// Beginning of its text.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(required))]
    pub snippet: String,
    /// Its relevance, 0..=1.
    pub relevance: f64,
    /// How likely it is what is looked for, 0..=1; 0 where that is not said.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(required))]
    pub probability: f64,
    /// Why the link to it was chosen.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(required))]
    pub reason: String,
    /// The pages on the way there, from the seed on.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(required))]
    pub path: Vec<String>,
}
