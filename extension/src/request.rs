//! What the background can be asked, and what it answers: every message between the
//! content scripts, the extension's own pages and the background.
//!
//! A message is a plain object whose `kind` names the request. Who may send which is
//! told in `background/handling`, where they are answered.

use linkscent_core::crawl::CrawlSpec;
use linkscent_core::wire::Snapshot;
use linkscent_core::wire::api::{Answer, CrawlView, Rendering, RenderingsView};
use linkscent_core::wire::views::PageView;
use serde::{Deserialize, Serialize};

use crate::paths::Showing;
use crate::rows::TrailRow;
use crate::shown::{
    DryRunView, FoundPage, LaterView, LedgerView, Proposal, SiteView, State, TopicsView, WayStep,
};

/// A request. `loaded` is the address a page's document was loaded from, `tab` the tab
/// whose page is meant.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum Request {
    /// A page asks whether it is to be read; one with private fields never is.
    MayRead {
        loaded: Option<String>,
        #[serde(default)]
        is_private: bool,
    },
    /// A page as it is now: learns from how it was reached, scores its links. `started`
    /// is when its loading began, in milliseconds since 1970.
    Page {
        page: Snapshot,
        started: f64,
        showing: Showing,
        loaded: Option<String>,
    },
    /// A frame within a page as it is now: its links are scored, and that is all.
    Frame {
        page: Snapshot,
        loaded: Option<String>,
    },
    /// The person follows the link at `place`, counted in document order; -1 is none.
    Followed {
        page: Snapshot,
        place: i32,
        new_tab: bool,
        loaded: Option<String>,
    },
    /// The person asks of the link at `place` why it is highlighted, or why not.
    Why {
        page: Snapshot,
        place: usize,
        loaded: Option<String>,
    },
    /// The person presses what leads from the dashboard to the extension.
    OpenPanel,
    /// A tab was opened from another.
    Opened { tab: i32, opener: i32 },
    /// What the popup shows.
    State { tab: i32 },
    /// Marks the page: true, false, or null to take the mark back.
    Mark { tab: i32, target: Option<bool> },
    /// Marks a form of the page, by its place: whether it leads to a database that is
    /// looked for, or null to take the mark back.
    MarkForm {
        tab: i32,
        form: usize,
        wanted: Option<bool>,
    },
    /// Says what class of the topic's taxonomy the page is of, or with null takes that back.
    CorrectClass { tab: i32, class: Option<String> },
    /// Says in words what the topic is (true) or is not, or with null takes that back.
    Say {
        tab: i32,
        text: String,
        wanted: Option<bool>,
    },
    /// Answers a question about a page: of a crawl, or with null of the pages read here.
    Answer {
        tab: i32,
        crawl: Option<i64>,
        page: String,
        answer: Answer,
    },
    /// Switches to a topic, made if it is new.
    Topic { tab: i32, name: String },
    /// Calls the current topic otherwise.
    Rename { tab: i32, name: String },
    /// Removes the current topic.
    Remove { tab: i32 },
    /// Brings a removed topic back.
    BringBack { tab: i32, name: String },
    /// Deletes a removed topic with all it has, here and at the companion.
    DeleteTopic { name: String },
    /// All topics.
    Topics,
    /// The way to the page that a tab shows.
    Way { tab: i32 },
    /// Pauses on the page's host, or goes on there.
    Pause { tab: i32, on: bool },
    /// All trails, newest first.
    Trails,
    /// Forgets a trail, or with null everything that was read; marks stay.
    Forget { id: Option<String> },
    /// Forgets a page with its mark, its words and every link from and to it.
    ForgetPage { tab: i32, address: String },
    /// Forgets every page of the site that a tab shows, as if by [`Request::ForgetPage`].
    ForgetSite { tab: i32 },
    /// Forgets every page that was first read in the last so many minutes, and every link that
    /// was followed and visit that was made in them.
    ForgetSince { minutes: u32 },
    /// Keeps a link to be followed later.
    KeepForLater { address: String, title: String },
    /// Lets go of one that was kept.
    NotLater { address: String },
    /// The links that were kept.
    Later,
    /// What a crawl that begins at these pages, or without any at the topic's targets, would
    /// fetch.
    DryRun { seeds: Vec<String> },
    /// Which of these pages (address, title) are likely what is looked for.
    Propose { pages: Vec<(String, String)> },
    /// The topic's last crawl with its best finds, as it was heard last.
    Finds,
    /// Pages of the topic by words.
    Find { text: String },
    /// Shows notices of crawls from now on, or no more.
    TellOfCrawls { on: bool },
    /// Reads pages everywhere, or nowhere.
    Reads { on: bool },
    /// Shows links in the side panel alone, or over pages, too.
    PanelOnly { on: bool },
    /// What was kept and sent.
    Ledger,
    /// All that is kept here, as JSON.
    Everything,
    /// Deletes all that is kept here.
    DeleteEverything,
    /// The patterns of sites that are not read, a line each.
    Excluded,
    /// Replaces them; null brings the usual ones back.
    Exclude { patterns: Option<String> },
    /// Pairs with the companion by its code.
    Pair { port: u16, code: String },
    /// Forgets the companion.
    Unpair,
    /// Sends what is new to the companion, hears what was said elsewhere, and pulls its newer
    /// model.
    Sync,
    /// Sites of which pages wait for a browser, and those that were chosen.
    WaitingSites,
    /// Reads pages of a host for the companion's crawls from now on, or no more.
    LookThrough { host: String, on: bool },
    /// The pages that are to be read now.
    NextRenderings,
    /// A page as it is shown, or why it could not be read.
    Rendered { page: Rendering },
    /// Has the topic's crawl start at the page that a tab shows, too.
    StartHere { tab: i32 },
    /// Keeps pages of the site that a tab shows, or of every site, in the library of the topic in
    /// hand as they are read from now on, or no more.
    KeepReading {
        tab: i32,
        every_site: bool,
        on: bool,
    },
    /// A page as a tab shows it, to be kept in the library.
    KeepRead { tab: i32, url: String, html: String },
    /// Keeps the topic model in memory whole, in place of the pages kept beside it.
    KeepTopicModel,
    /// A link that opens the companion's dashboard, once.
    Dashboard,
    /// Hands the topic over, starting from these pages. The crawl begins with what another topic
    /// taught, if one is named, and chooses links by the strategy that is named, or by the topic's.
    HandOver {
        seeds: Vec<String>,
        #[serde(flatten)]
        spec: CrawlSpec,
        #[serde(default)]
        start_from: Option<String>,
        #[serde(default)]
        strategy: Option<String>,
    },
}

impl Request {
    /// Whether it deletes what a person wants to be gone.
    #[must_use]
    pub fn deletes(&self) -> bool {
        matches!(
            self,
            Self::Forget { .. }
                | Self::ForgetPage { .. }
                | Self::ForgetSite { .. }
                | Self::ForgetSince { .. }
                | Self::DeleteTopic { .. }
                | Self::DeleteEverything
        )
    }
}

/// What is answered to a request that was done.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Response {
    /// It is done.
    Done,
    /// To [`Request::MayRead`]: why the page is not read, if it is not.
    MayRead {
        /// In a few words.
        refused: Option<String>,
    },
    /// To [`Request::Page`]; none if the page is not read.
    View(Option<PageView>),
    /// To [`Request::KeepRead`]: whether it was sent.
    Kept(bool),
    /// To [`Request::Followed`]: whether the link counts.
    Followed(bool),
    /// To [`Request::Sync`]: whether anything is other than it was.
    Synced(bool),
    /// To [`Request::State`].
    State(Box<State>),
    /// To [`Request::Trails`].
    Trails(Vec<TrailRow>),
    /// To [`Request::Topics`].
    Topics(TopicsView),
    /// To [`Request::Way`].
    Way(Vec<WayStep>),
    /// To [`Request::Later`].
    Later(LaterView),
    /// To [`Request::Propose`].
    Proposals(Vec<Proposal>),
    /// To [`Request::DryRun`].
    DryRun(DryRunView),
    /// To [`Request::Finds`]; none if there was no crawl.
    Finds(Option<Box<CrawlView>>),
    /// To [`Request::Find`].
    Found(Vec<FoundPage>),
    /// To [`Request::WaitingSites`].
    Sites(Vec<SiteView>),
    /// To [`Request::NextRenderings`].
    Renderings(RenderingsView),
    /// To [`Request::Ledger`].
    Ledger(LedgerView),
    /// To [`Request::Excluded`], [`Request::Everything`], [`Request::Dashboard`] and
    /// [`Request::Why`].
    Text(String),
    /// To [`Request::HandOver`].
    Crawl(Box<CrawlView>),
}

/// A request that was done.
#[derive(Debug, Serialize)]
pub struct Handled {
    /// What is answered.
    pub answer: Response,
    /// What is to be done next.
    #[serde(flatten)]
    pub news: News,
}

/// What is to be done when a request is answered, by another.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct News {
    /// There is something to tell the companion: [`Request::Sync`].
    pub sync: bool,
    /// Enough pages are kept beside the topic model: [`Request::KeepTopicModel`].
    pub is_full: bool,
    /// The page is to be kept in the library: [`Request::KeepRead`].
    pub keeps: bool,
}

impl Handled {
    /// Nothing to tell the companion.
    pub fn quietly(answer: Response) -> Self {
        Self {
            answer,
            news: News::default(),
        }
    }

    /// Done, and the companion is to hear of it.
    pub fn with_news() -> Self {
        Self {
            answer: Response::Done,
            news: News {
                sync: true,
                ..News::default()
            },
        }
    }
}
