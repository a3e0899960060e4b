//! The companion's API, version 1: what extension and companion tell each
//! other, as JSON. The calls are sealed in channels, see [`super::channel`]. With the
//! feature `schema` every type describes its JSON for programs, too.

mod annotation;
mod changes;
mod classes;
mod crawl;
mod event;
mod host;
mod library;
mod reading;
mod rendering;
mod strategies;
mod visit;

pub use annotation::{LONGEST_NOTE, LONGEST_TAG, as_tag};
pub use changes::Changes;
pub use classes::{ClassCorrection, ClassNode, ClassedPage, ClassesView, GoodNodes, TopicView};
pub use crawl::{
    Answer, CrawlChange, CrawlOrder, CrawlView, EstimateView, FindView, KeptPageView, MoreSeeds,
    QuestionAnswer, QuestionView, SkippedView,
};
pub use event::{
    Event, EventKind, EventName, LONGEST_NAME, PassedOver, is_subtopic_name, is_topic_name,
    mark_of, marked_terms,
};
pub use host::{HostNow, HostView, HostsView};
pub use library::{LibraryCount, LibraryFound, LibraryLabel, LibraryPage, SnippetPiece};
pub use reading::{LONGEST_WAY, Reading};
pub use rendering::{
    MOST_HOSTS, Rendering, RenderingQuery, RenderingTask, RenderingsView, WaitingSite,
};
pub use strategies::{StrategyChoice, StrategyView, TrainingOrder, TrainingView};
pub use visit::{Transition, Visit};

use serde::{Deserialize, Serialize};

use crate::address::Address;
use crate::topic_model::ToForget;

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
    /// Name of the channel, in hexadecimal. It is good for a first call within a minute.
    #[cfg_attr(feature = "schema", schema(pattern = "^[0-9a-f]{240}$"))]
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
