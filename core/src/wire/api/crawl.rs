//! What is said of crawls: how one is begun and changed, how it stands, what it asks and what it found.

use serde::{Deserialize, Serialize};

use crate::crawl::{CrawlSpec, Expected};
use crate::wire::crawl_state::CrawlState;

/// `POST /api/v1/crawls`: hand a topic over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CrawlOrder {
    /// Name of the topic.
    pub topic: String,
    /// Where to start, as shown to and confirmed by the person.
    pub seeds: Vec<String>,
    /// Who orders links, where another than the topic's strategy is wanted.
    #[serde(default)]
    pub strategy: Option<String>,
    /// The topic with whose knowledge it begins, where that is wanted.
    #[serde(default)]
    pub start_from: Option<String>,
    /// How it is to go.
    #[serde(flatten)]
    pub spec: CrawlSpec,
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
