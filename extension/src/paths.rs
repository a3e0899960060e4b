//! The way through each tab: which pages were read in it, in what order, and which of
//! them it shows. From it follows how the person came to the page that is read now, and
//! from which visit.
//!
//! A path is kept as plain data, since the browser may stop the background between any
//! two pages; what is kept is bounded. Nothing stands here of pages that were not read:
//! where one lay between two others, no visit is named rather than a wrong one.

use linkscent_core::address::Address;
use linkscent_core::privacy::without_secrets;
use linkscent_core::wire::api::Transition;
use serde::{Deserialize, Serialize};

use crate::rows::PendingClick;

/// Pages of one tab that are remembered; the oldest go.
const MOST_STEPS: usize = 30;
/// Tabs of which a path is remembered; the oldest go.
const MOST_TABS: usize = 100;

/// What a browser says of how a page came to be shown: the type of its navigation, and
/// two cases of which the page's script tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arrival {
    /// It was loaded again.
    Reload,
    /// By going back or forward, or with a tab that the browser brought back.
    BackForward,
    /// The page before it became this one by itself, without being loaded.
    SameDocument,
    /// In any other way.
    #[serde(other)]
    Navigate,
}

impl Arrival {
    /// Whether the page was in its tab before, as far as the browser can tell.
    pub fn is_return(self) -> bool {
        matches!(self, Self::Reload | Self::BackForward)
    }
}

/// How and when a page came to be shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Showing {
    /// When, in milliseconds since 1970. A page that is read again because it changed was
    /// shown once.
    pub at: f64,
    /// How.
    pub how: Arrival,
    /// The page that says it led here, whole or only its site; empty if none does. It is
    /// looked at and never kept.
    #[serde(default)]
    pub referrer: String,
}

impl Showing {
    /// When, in microseconds: two documents are not begun in the same one.
    fn microseconds(&self) -> u64 {
        microseconds(self.at)
    }

    /// Whether the page before was this one, as far as sites say that.
    fn comes_from(&self, page: &str) -> bool {
        let (Ok(page), Ok(referrer)) = (Address::parse(page), Address::parse(&self.referrer))
        else {
            return false;
        };
        let is_site = page.host() == referrer.host();
        let referrer = without_secrets(&referrer);
        is_site && (referrer.path_and_query() == "/" || referrer == page)
    }
}

/// Microseconds of milliseconds, as times are compared and kept.
pub fn microseconds(milliseconds: f64) -> u64 {
    (milliseconds * 1_000.0).round() as u64
}

/// A page that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Its address.
    pub page: String,
    /// The topic then.
    pub topic: String,
    /// The `id` of its visit.
    pub visit: String,
    /// The `id` of the click that led to it.
    pub click: Option<String>,
    /// Its title then.
    #[serde(default)]
    pub title: String,
}

/// A page that is being read, as it lies to a tab's path.
pub struct Arriving<'a> {
    /// Its address.
    pub page: &'a Address,
    /// The topic.
    pub topic: &'a str,
    /// How and when it came to be shown.
    pub showing: &'a Showing,
    /// When the loading of its document began, in milliseconds since 1970.
    pub started: f64,
}

/// What a page that is being read is to its tab.
#[derive(Debug, PartialEq, Eq)]
pub enum Met {
    /// It is shown still, and was read before.
    Again,
    /// The tab returned to the step at this place.
    Returned(usize, Transition),
    /// Its path goes on, or begins.
    New,
}

/// The path of a tab.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TabPath {
    /// The browser's session: numbers of tabs mean something within one only.
    pub session: String,
    /// The tab.
    pub tab: i32,
    /// Its pages, oldest first.
    pub steps: Vec<Step>,
    /// Place of the page that it shows or showed last.
    at: usize,
    /// Whether it shows that page still, as far as is known.
    is_there: bool,
    /// When that page came to be shown, in microseconds since 1970.
    shown: u64,
    /// When the loading of its document began, in the same unit.
    document: u64,
    /// Whether that page was forgotten since.
    is_forgotten: bool,
    /// The page from which the tab was opened, until the first page is read in it.
    opener: Option<Step>,
}

impl TabPath {
    /// A tab of which nothing is known.
    pub fn new(session: String, tab: i32) -> Self {
        Self {
            session,
            tab,
            ..Self::default()
        }
    }

    /// A tab that was opened from a page.
    pub fn opened(session: String, tab: i32, opener: Step) -> Self {
        Self {
            opener: Some(opener),
            ..Self::new(session, tab)
        }
    }

    /// The page that the tab shows, if it was read.
    pub fn current(&self) -> Option<&Step> {
        self.steps.get(self.at).filter(|_| self.is_there)
    }

    /// The pages that led to the one that the tab shows, and that one, oldest first; none where
    /// it shows one that was not read.
    pub fn steps_to_here(&self) -> impl DoubleEndedIterator<Item = &Step> {
        let end = if self.is_there { self.at + 1 } else { 0 };
        self.steps.iter().take(end)
    }

    /// The visit of a page, if the tab shows it.
    pub fn visit_of(&self, page: &str, topic: &str) -> Option<String> {
        let step = self.current()?;
        (step.page == page && step.topic == topic).then(|| step.visit.clone())
    }

    /// What a page was titled that lay in this tab, or from which it was opened.
    pub fn title_of(&self, page: &str) -> &str {
        let steps = self.steps.iter().rev().chain(&self.opener);
        let mut of_page = steps.filter(|step| step.page == page);
        of_page.next().map_or("", |step| &step.title)
    }

    /// Notes that the tab shows a page that is not read; whether that is new.
    pub fn leave(&mut self) -> bool {
        let is_new = self.is_there || self.opener.is_some();
        (self.is_there, self.opener) = (false, None);
        is_new
    }

    /// What a page is to this tab.
    pub fn meet(&self, arriving: &Arriving<'_>) -> Met {
        let page = arriving.page.as_str();
        let is_last = self
            .steps
            .get(self.at)
            .is_some_and(|step| step.page == page);
        if self.shown == arriving.showing.microseconds() && (is_last || self.is_forgotten) {
            return Met::Again;
        }
        let how = arriving.showing.how;
        let Some(place) = self.nearest(page).filter(|_| how.is_return()) else {
            return Met::New;
        };
        if self.steps[place].topic != arriving.topic {
            return Met::New;
        }
        let how = match how {
            Arrival::Reload => Transition::Reload,
            _ if place > self.at => Transition::Forward,
            _ => Transition::Back,
        };
        Met::Returned(place, how)
    }

    /// Place of the step to a page that lies nearest; of two, the earlier.
    fn nearest(&self, page: &str) -> Option<usize> {
        let places = (0..self.steps.len()).filter(|&place| self.steps[place].page == page);
        places.min_by_key(|&place| (place.abs_diff(self.at), place))
    }

    /// Notes that the page is read again. Whether that has to be kept.
    pub fn stay(&mut self) -> bool {
        let was_away = !self.is_there && !self.is_forgotten;
        self.is_there |= was_away;
        was_away
    }

    /// Goes to a step; its visit.
    pub fn go_to(&mut self, place: usize, arriving: &Arriving<'_>) -> String {
        self.at = place;
        self.show(arriving);
        self.steps[place].visit.clone()
    }

    /// How the person came to a page that the tab did not return to, and the visit it came
    /// from, given the followed link that led to it.
    pub fn came(
        &self,
        arriving: &Arriving<'_>,
        link: Option<&PendingClick>,
    ) -> (Transition, Option<String>) {
        let of_topic = |topic: &str, visit: &str| (topic == arriving.topic).then(|| visit.into());
        if let Some(link) = link {
            let how = if link.tab != self.tab {
                Transition::NewTab
            } else if link.leads_to(arriving.page) {
                Transition::Link
            } else {
                Transition::Redirect
            };
            let from = link.visit.as_deref();
            return (how, from.and_then(|visit| of_topic(&link.topic, visit)));
        }
        let showing = arriving.showing;
        match showing.how {
            Arrival::Reload | Arrival::BackForward => (Transition::Restored, None),
            Arrival::SameDocument => {
                let is_same = self.document == microseconds(arriving.started);
                let before = self.current().filter(|_| is_same);
                let from = before.and_then(|step| of_topic(&step.topic, &step.visit));
                (Transition::Link, from)
            }
            Arrival::Navigate => match &self.opener {
                Some(step) if showing.comes_from(&step.page) => {
                    (Transition::NewTab, of_topic(&step.topic, &step.visit))
                }
                // By a link that stands on a page which was not read.
                _ if !showing.referrer.is_empty() => (Transition::Link, None),
                _ => (Transition::Typed, None),
            },
        }
    }

    /// Adds a page: behind the one that the tab shows, in the place of what lay before it
    /// in the tab; or where the tab returned to it.
    pub fn add(&mut self, step: Step, arriving: &Arriving<'_>) {
        match arriving.showing.how {
            how if how.is_return() && self.nearest(&step.page).is_some() => {
                self.at = self.nearest(&step.page).unwrap_or_default();
                self.steps[self.at] = step;
            }
            // It was not read before, and lay somewhere before the last page, most likely.
            Arrival::BackForward => self.steps.insert(self.at.min(self.steps.len()), step),
            _ => {
                self.steps.truncate(self.at + 1);
                self.steps.push(step);
                self.at = self.steps.len() - 1;
            }
        }
        if self.steps.len() > MOST_STEPS {
            let goes = if self.at > 0 { 0 } else { self.steps.len() - 1 };
            self.steps.remove(goes);
            self.at = self.at.saturating_sub(1);
        }
        self.show(arriving);
    }

    fn show(&mut self, arriving: &Arriving<'_>) {
        self.shown = arriving.showing.microseconds();
        self.document = microseconds(arriving.started);
        (self.is_there, self.is_forgotten) = (true, false);
        self.opener = None;
    }

    /// Lets go of steps; whether there were any.
    pub fn forget(&mut self, goes: impl Fn(&Step) -> bool) -> bool {
        let was = (self.steps.len(), self.opener.is_some());
        if self.opener.as_ref().is_some_and(&goes) {
            self.opener = None;
        }
        if self.steps.get(self.at).is_some_and(&goes) {
            (self.is_there, self.is_forgotten) = (false, true);
        }
        let before = self.steps.iter().take(self.at);
        let before = before.filter(|step| goes(step)).count();
        self.steps.retain(|step| !goes(step));
        self.at = (self.at - before).min(self.steps.len().saturating_sub(1));
        was != (self.steps.len(), self.opener.is_some())
    }
}

/// The tabs of which a path is kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct KnownTabs {
    /// The browser's session.
    pub session: String,
    /// Their numbers, in the order in which they came.
    pub tabs: Vec<i32>,
    /// When everything that was read was forgotten, in microseconds since 1970.
    pub forgotten: u64,
}

impl KnownTabs {
    /// Whether a page had come to be shown before everything was forgotten.
    pub fn has_forgotten(&self, showing: &Showing) -> bool {
        showing.microseconds() <= self.forgotten
    }

    /// Everything that was read is forgotten at a time in milliseconds since 1970.
    pub fn forget_all(&mut self, now: f64) {
        self.tabs.clear();
        self.forgotten = microseconds(now);
    }

    /// Adds a tab; those whose paths go for it.
    pub fn add(&mut self, tab: i32) -> Vec<i32> {
        self.tabs.retain(|known| *known != tab);
        self.tabs.push(tab);
        let old = self.tabs.len().saturating_sub(MOST_TABS);
        self.tabs.drain(..old).collect()
    }
}
