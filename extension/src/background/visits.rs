//! Visits: how the person came to each page that is read, so that the companion gets paths
//! and not single links. They wait in the outbox like everything else, and go to it with
//! the next link that is followed or page that is marked.
//!
//! Going back, forward and loading again return to the earlier visit. Left out: what the
//! person did on pages that are not read; a page behind one of those has no visit before
//! it.

mod way;

use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};

use linkscent_core::page::Page;
use linkscent_core::web_graph::Judgment;
use linkscent_core::wire::api::{EventKind, Visit};

use super::context::Context;
use crate::paths::{Arriving, KnownTabs, Met, Step, TabPath};
use crate::ports::World;
use crate::problem::Problem;
use crate::rows::PendingClick;
use crate::store::Change;

/// A tab, as far as it is known.
pub(super) struct Tab {
    pub path: TabPath,
    /// The tabs that are known, if this is none of them.
    others: Option<KnownTabs>,
}

impl Tab {
    /// What a page that is being read is to the tab. One that was shown before everything
    /// was forgotten is no new one.
    pub fn meet(&self, arriving: &Arriving<'_>) -> Met {
        let others = self.others.as_ref();
        if others.is_some_and(|tabs| tabs.has_forgotten(arriving.showing)) {
            return Met::Again;
        }
        self.path.meet(arriving)
    }

    /// Notes that the page is read again.
    pub fn stay(mut self, change: &mut Change) -> Result<(), Problem> {
        if self.others.is_none() && self.path.stay() {
            self.keep(change)?;
        }
        Ok(())
    }

    /// Notes that the tab shows what is not read.
    pub fn leave(mut self, change: &mut Change) -> Result<(), Problem> {
        if self.others.is_none() && self.path.leave() {
            self.keep(change)?;
        }
        Ok(())
    }

    fn keep(self, change: &mut Change) -> Result<(), Problem> {
        if let Some(mut tabs) = self.others {
            if tabs.session != self.path.session {
                tabs.session.clone_from(&self.path.session);
                tabs.tabs.clear();
                change.clear_paths();
            }
            for old in tabs.add(self.path.tab) {
                change.delete_path(old);
            }
            change.known_tabs(&tabs)?;
        }
        Ok(change.path(&self.path)?)
    }
}

/// A page that was read, and the link that led to it.
pub(super) struct Read<'a> {
    pub page: &'a Page,
    pub judgment: Judgment,
    pub link: Option<&'a PendingClick>,
    /// The `id` of the link's event, if that is sent.
    pub click: Option<String>,
}

/// Tabs whose forgotten page is remembered as such, the newest.
const MOST_FORGOTTEN: usize = 64;

/// Tabs, and how the person came to the pages in them.
pub(super) struct Visits<W> {
    context: Context<W>,
    /// Tabs whose page was forgotten, and when: it may have been on its way here.
    forgotten: RefCell<VecDeque<(i32, f64)>>,
    /// Tabs whose page has a private field, as far as it was asked since this was started.
    private_tabs: RefCell<BTreeSet<i32>>,
}

impl<W: World> Visits<W> {
    pub fn new(context: &Context<W>) -> Self {
        Self {
            context: context.clone(),
            forgotten: RefCell::default(),
            private_tabs: RefCell::default(),
        }
    }

    /// Notes that a tab's page was forgotten: until another is loaded there, nothing of
    /// the tab is read.
    pub fn note_forgotten(&self, tab: i32) {
        let mut forgotten = self.forgotten.borrow_mut();
        forgotten.push_back((tab, self.context.world.now()));
        if forgotten.len() > MOST_FORGOTTEN {
            forgotten.pop_front();
        }
    }

    /// Whether a page whose loading began then was forgotten in a tab.
    pub fn was_forgotten(&self, tab: i32, started: f64) -> bool {
        let forgotten = self.forgotten.borrow();
        let mut tabs = forgotten.iter();
        tabs.any(|&(forgotten, at)| forgotten == tab && started <= at)
    }

    /// Notes whether a tab's page has a private field.
    pub fn set_private(&self, tab: i32, is_private: bool) {
        let mut tabs = self.private_tabs.borrow_mut();
        if is_private {
            tabs.insert(tab);
        } else {
            tabs.remove(&tab);
        }
    }

    /// Whether a tab's page has a private field, as far as it was asked since this was started.
    pub fn is_private(&self, tab: i32) -> bool {
        self.private_tabs.borrow().contains(&tab)
    }

    /// What is known of a tab.
    pub(super) async fn tab(&self, tab: i32) -> Result<Tab, Problem> {
        let session = self.context.world.session().await?;
        let known = self.context.store.path(tab).await?;
        if let Some(path) = known.filter(|path| path.session == session) {
            return Ok(Tab { path, others: None });
        }
        let path = TabPath::new(session, tab);
        let others = Some(self.context.store.known_tabs().await?);
        Ok(Tab { path, others })
    }

    /// Notes how the person came to a page, unless that was noted. Whether it was new.
    pub(super) fn log_visit(
        &self,
        mut tab: Tab,
        met: Met,
        arriving: &Arriving<'_>,
        read: Read<'_>,
        change: &mut Change,
    ) -> Result<bool, Problem> {
        let number = tab.path.tab;
        let event = |visit| {
            let now = self.context.world.now();
            self.context
                .event(arriving.topic, now, EventKind::Visit(visit))
        };
        let event = match met {
            Met::Again => {
                tab.stay(change)?;
                return Ok(false);
            }
            Met::Returned(place, how) => {
                let to = tab.path.go_to(place, arriving);
                event(Visit::returning(arriving.page, number, how, to))
            }
            Met::New => {
                let (how, from) = tab.path.came(arriving, read.link);
                let event = event(Visit {
                    from,
                    click: read.click.clone(),
                    ..Visit::of(read.page, read.judgment, number, how)
                });
                let step = Step {
                    page: arriving.page.to_string(),
                    topic: arriving.topic.to_owned(),
                    visit: event.id.clone(),
                    click: read.click,
                    title: read.page.title(),
                };
                tab.path.add(step, arriving);
                event
            }
        };
        tab.keep(change)?;
        change.send(&event)?;
        Ok(true)
    }

    /// The visit of the page that a tab shows, if it is this one.
    pub(super) async fn visit_in(
        &self,
        tab: i32,
        page: &str,
        topic: &str,
    ) -> Result<Option<String>, Problem> {
        Ok(self.tab(tab).await?.path.visit_of(page, topic))
    }

    /// Notes that a tab shows what is not read. A link that was followed in it led there,
    /// and to nothing that comes after.
    pub(super) async fn leave(&self, tab: i32) -> Result<(), Problem> {
        let mut change = Change::default();
        self.tab(tab).await?.leave(&mut change)?;
        let mut clicks = self.context.store.pending_clicks().await?;
        let waited = clicks.len();
        clicks.retain(|click| click.new_tab || click.tab != tab);
        if clicks.len() != waited {
            change.pending_clicks(&clicks)?;
        }
        Ok(self.context.store.apply(change).await?)
    }

    /// See [`crate::request::Request::Opened`].
    pub(super) async fn opened(&self, tab: i32, opener: i32) -> Result<(), Problem> {
        let opener = self.tab(opener).await?;
        let Some(step) = opener.path.current() else {
            return Ok(());
        };
        let mut opened = self.tab(tab).await?;
        opened.path = TabPath::opened(opened.path.session, tab, step.clone());
        let mut change = Change::default();
        opened.keep(&mut change)?;
        Ok(self.context.store.apply(change).await?)
    }

    /// Lets go of the steps that are to be forgotten.
    pub(super) async fn forget_steps(
        &self,
        goes: impl Fn(&Step) -> bool,
        change: &mut Change,
    ) -> Result<(), Problem> {
        for mut path in self.context.store.paths().await? {
            if path.forget(&goes) {
                change.path(&path)?;
            }
        }
        Ok(())
    }

    /// The tabs as they are when everything that was read is forgotten now.
    pub(super) async fn forgotten_tabs(&self) -> Result<KnownTabs, Problem> {
        let mut tabs = self.context.store.known_tabs().await?;
        tabs.forget_all(self.context.world.now());
        Ok(tabs)
    }
}
