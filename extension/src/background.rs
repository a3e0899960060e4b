//! What happens on each call: the guide learns, the database keeps, the outbox
//! fills.
//!
//! The guide of the current topic is held in memory only to save reading it
//! again; whatever it learned is in the database before a call is answered.

mod forgetting;
mod forms;
mod pairing;
mod questions;

use linkscent_core::address::Address;
use linkscent_core::click_attribution::{self, CLICK_LIFE, Click, Navigation};
use linkscent_core::forms::FormWords;
use linkscent_core::guide::Guide;
use linkscent_core::page::Page;
use linkscent_core::privacy::{self, Refusal};
use linkscent_core::strategies::{Candidate, SplitMix};
use linkscent_core::wire::api::{Event, EventKind, mark_of, marked_terms};
use linkscent_core::wire::views::PageView;
use linkscent_core::wire::{Snapshot, read_model, write_model};
use linkscent_core::{critics, strategies};
use wasm_bindgen::JsError;

use forms::form_lines;

use crate::shown::{Reading, State};
use crate::store::{Change, MarkRow, PendingClick, Settings, Store, TrailRow};
use crate::sync::{self, Companion};

/// Followed links that wait at most.
const MOST_PENDING_CLICKS: usize = 50;
/// Pages and arrivals kept in a guide here.
const MOST_PAGES: usize = 2_000;
const MOST_ARRIVALS: usize = 2_000;

/// See the module.
pub struct Background {
    pub(crate) store: Store,
    pub(crate) guide: Option<(String, Guide)>,
}

pub(crate) fn js(error: impl std::fmt::Display) -> JsError {
    JsError::new(&error.to_string())
}

impl Background {
    /// Opens the database.
    pub async fn open() -> Result<Self, JsError> {
        Ok(Self {
            store: Store::open().await?,
            guide: None,
        })
    }

    /// See [`crate::Linkscent::read`]. Nothing is read on paused hosts and
    /// without a topic.
    pub async fn read(
        &mut self,
        snapshot: &Snapshot,
        tab: i32,
        started: f64,
        now: f64,
    ) -> Result<Reading, JsError> {
        let settings = self.store.settings().await?;
        let Some(topic) = settings.current.clone() else {
            return Ok(Reading::default());
        };
        let page = snapshot.to_page().map_err(js)?;
        if refusal(&settings, &page.address).is_some() {
            return Ok(Reading::default());
        }
        let navigation = Navigation {
            address: page.address.clone(),
            tab,
            started,
        };
        let (click, clicks) = self.arrive(&navigation, now).await?;
        let mut change = Change::default();
        change.pending_clicks(&clicks)?;
        if is_left_alone(&settings, &page.address) {
            self.store.apply(change).await?;
            return Ok(Reading::default());
        }
        let mut guide = self.take_guide(&topic).await?;
        let click = click.filter(|click| click.topic == topic);
        let via: Vec<Candidate> = click
            .as_ref()
            .and_then(|click| click.link.what.followed(guide.vocabulary_mut()))
            .into_iter()
            .collect();
        let is_new = guide.graph().page(&page.address).is_none();
        let visit = guide.visit(&page, &via, None, &mut draw());
        if let (Some(click), Some(link)) = (&click, via.first()) {
            let mut link = link.clone();
            link.target = page.address.clone();
            if let EventKind::Click { from, .. } = &click.link.what
                && let Ok(from) = Address::parse(from)
            {
                let words = &guide.graph().vocabulary;
                let mut event = click.link.clone();
                event.what = EventKind::click(&link, &from, visit.judgment, words);
                change.send(&event)?;
                change.trail(&trail_row(
                    click,
                    &event,
                    from.as_str(),
                    page.address.as_str(),
                ))?;
            }
        }
        let view = PageView::of(&page, &visit, &guide);
        if is_new || !via.is_empty() {
            self.keep_guide(topic, guide, &mut change)?;
        } else {
            // Read before, as it is while a page changes: not worth a write.
            self.guide = Some((topic, guide));
        }
        self.store.apply(change).await?;
        let followed = !via.is_empty();
        if followed {
            self.store.trim().await?;
        }
        Ok(Reading { view, followed })
    }

    /// The followed link that led to a page, and those that go on waiting.
    async fn arrive(
        &self,
        navigation: &Navigation,
        now: f64,
    ) -> Result<(Option<PendingClick>, Vec<PendingClick>), JsError> {
        let mut waiting = self.store.pending_clicks().await?;
        waiting.retain(|click| now - click.time < CLICK_LIFE && click.click().is_some());
        let clicks: Vec<Click> = waiting.iter().filter_map(PendingClick::click).collect();
        let found =
            click_attribution::claim(&clicks, navigation).map(|place| waiting.remove(place));
        Ok((found, waiting))
    }

    /// See [`crate::Linkscent::followed`].
    pub async fn followed(
        &mut self,
        snapshot: &Snapshot,
        place: i32,
        tab: i32,
        new_tab: bool,
        now: f64,
    ) -> Result<bool, JsError> {
        let settings = self.store.settings().await?;
        let page = snapshot.to_page().map_err(js)?;
        let Some(topic) = settings.current.clone() else {
            return Ok(false);
        };
        if is_left_alone(&settings, &page.address) {
            return Ok(false);
        }
        let place = usize::try_from(place).ok();
        let outlink = page
            .outlinks
            .iter()
            .position(|link| Some(link.place) == place);
        let Some(outlink) = outlink else {
            return Ok(false);
        };
        let mut guide = self.take_guide(&topic).await?;
        let link = guide.candidate(&page, outlink, &mut draw());
        let judgment = guide.graph().judgment(&page.address);
        let words = &guide.graph().vocabulary;
        let what = EventKind::click(&link, &page.address, judgment, words);
        let mut clicks = self.store.pending_clicks().await?;
        if clicks.len() >= MOST_PENDING_CLICKS {
            clicks.remove(0);
        }
        clicks.push(PendingClick {
            tab,
            new_tab,
            time: now,
            topic: topic.clone(),
            link: event(&topic, now, what),
        });
        let mut change = Change::default();
        change.pending_clicks(&clicks)?;
        self.keep_guide(topic, guide, &mut change)?;
        self.store.apply(change).await?;
        Ok(true)
    }

    /// See [`crate::Linkscent::mark`].
    pub async fn mark(
        &mut self,
        snapshot: &Snapshot,
        target: Option<bool>,
        now: f64,
    ) -> Result<(), JsError> {
        let settings = self.store.settings().await?;
        let page = snapshot.to_page().map_err(js)?;
        if let Some(refusal) = refusal(&settings, &page.address) {
            return Err(js(format!("this page is not read: {}", refusal.text())));
        }
        let topic = settings.current.ok_or_else(|| js("choose a topic first"))?;
        let mut guide = self.take_guide(&topic).await?;
        guide.mark(&page, mark_of(target));
        let mut change = Change::default();
        let event = event(&topic, now, EventKind::mark(&page, target));
        match (target, &event.what) {
            (Some(target), EventKind::Mark { words, .. }) => change.mark(&MarkRow {
                topic: topic.clone(),
                address: page.address.to_string(),
                title: page.title(),
                target,
                words: words.clone(),
                time: now,
            })?,
            _ => change.unmark(&topic, page.address.as_str()),
        }
        change.send(&event)?;
        self.keep_guide(topic, guide, &mut change)?;
        self.store.apply(change).await?;
        self.store.trim().await
    }

    /// See [`crate::Linkscent::state`].
    pub async fn state(
        &mut self,
        snapshot: Option<Snapshot>,
        refused: Option<String>,
        now: f64,
    ) -> Result<State, JsError> {
        let settings = self.store.settings().await?;
        let mut state = State {
            refused,
            topics: settings.topics.clone(),
            current: settings.current.clone(),
            paired: settings.key.is_some(),
            port: settings.port,
            waiting: self.store.outbox().await?.len(),
            ..State::default()
        };
        let page = snapshot.and_then(|snapshot| snapshot.to_page().ok());
        if let Some(page) = &page {
            state.page = true;
            state.title = page.title();
            state.address = page.address.to_string();
            state.paused = is_left_alone(&settings, &page.address);
            page.address.host().clone_into(&mut state.host);
        }
        let Some(topic) = settings.current.clone() else {
            return Ok(state);
        };
        let marks = self.store.marks(&topic).await?;
        let mut looked_at = None;
        if let Some(page) = page.filter(|_| !state.paused) {
            let mark = marks
                .iter()
                .find(|mark| mark.address == page.address.as_str());
            state.mark = mark.map(|mark| mark.target);
            let guide = self.take_guide(&topic).await?;
            state.standing = guide.describe_page(&page.address);
            state.forms = form_lines(&guide, &page);
            let (view, guide, links) = preview(guide, &page);
            (state.relevance, state.promising) = (view.relevance, view.most);
            looked_at = Some((guide, links, page.address));
        }
        state.targets = marks.into_iter().filter(|mark| mark.target).collect();
        if let Some(companion) = Companion::of(&settings) {
            match companion.crawls(&topic).await {
                Ok(crawls) => state.crawl = crawls.into_iter().next(),
                Err(problem) => state.problem = problem,
            }
        }
        if let Some((guide, links, here)) = looked_at.filter(|_| !state.targets.is_empty()) {
            let crawl = state.crawl.as_ref();
            state.question = self.question(&guide, &links, &here, crawl, now).await?;
        }
        Ok(state)
    }

    /// See [`crate::Linkscent::choose_topic`].
    pub async fn choose_topic(&mut self, name: &str) -> Result<(), JsError> {
        let name = name.trim();
        if name.is_empty() || name.chars().count() > 80 {
            return Err(js("a topic needs a name of at most 80 characters"));
        }
        let mut settings = self.store.settings().await?;
        if !settings.topics.iter().any(|topic| topic == name) {
            settings.topics.push(name.to_owned());
        }
        settings.current = Some(name.to_owned());
        let mut change = Change::default();
        change.settings(&settings)?;
        self.store.apply(change).await
    }

    /// See [`crate::Linkscent::pause`].
    pub async fn pause(&mut self, snapshot: &Snapshot, on: bool) -> Result<(), JsError> {
        let address = Address::parse(&snapshot.url).map_err(js)?;
        let mut settings = self.store.settings().await?;
        settings.paused.retain(|host| host != address.host());
        if on {
            settings.paused.push(address.host().to_owned());
        }
        let mut change = Change::default();
        change.settings(&settings)?;
        self.store.apply(change).await
    }

    /// See [`crate::Linkscent::refusal`].
    pub async fn refusal(&mut self, address: &str) -> Result<Option<&'static str>, JsError> {
        let settings = self.store.settings().await?;
        let address = Address::parse(address).map_err(js)?;
        Ok(refusal(&settings, &address).map(Refusal::text))
    }

    /// See [`crate::Linkscent::excluded`].
    pub async fn excluded(&mut self) -> Result<String, JsError> {
        let excluded = self.store.settings().await?.excluded;
        Ok(excluded
            .unwrap_or_else(privacy::usually_excluded)
            .join("\n"))
    }

    /// See [`crate::Linkscent::exclude`].
    pub async fn exclude(&mut self, patterns: Option<String>) -> Result<(), JsError> {
        let mut settings = self.store.settings().await?;
        settings.excluded = patterns.as_deref().map(privacy::patterns);
        let mut change = Change::default();
        change.settings(&settings)?;
        self.store.apply(change).await
    }

    /// See [`crate::Linkscent::trails`].
    pub async fn trails(&mut self) -> Result<Vec<TrailRow>, JsError> {
        let mut trails = self.store.trails().await?;
        trails.reverse();
        Ok(trails)
    }

    /// The topic's guide, out of memory or the database. A model file that
    /// cannot be read is replaced by what the marks teach.
    pub(crate) async fn take_guide(&mut self, topic: &str) -> Result<Guide, JsError> {
        if let Some((_, guide)) = self.guide.take_if(|(name, _)| name == topic) {
            return Ok(guide);
        }
        let file = self.store.guide(topic).await?;
        let known = file
            .and_then(|file| read_model(&file).ok())
            .and_then(Guide::with_knowledge);
        if let Some(guide) = known {
            return Ok(guide);
        }
        let mut guide = Guide::new(critics::NAMES[0], strategies::default_name())
            .ok_or_else(|| js("no critic or no strategy"))?;
        let mut marked = Vec::new();
        for mark in self.store.marks(topic).await? {
            if let Ok(address) = Address::parse(&mark.address) {
                let terms = marked_terms(&mark.words, guide.vocabulary_mut());
                marked.push((address, terms, mark_of(Some(mark.target))));
            }
        }
        guide.mark_all(&marked);
        for mark in self.store.form_marks().await? {
            if let EventKind::Form {
                address,
                form,
                wanted,
                words,
                around,
            } = mark.what
                && mark.topic == topic
                && let Ok(address) = Address::parse(&address)
            {
                guide.mark_form(&address, &form, FormWords::new(words, around), wanted);
            }
        }
        // What the companion knows beyond that is asked for again.
        let mut settings = self.store.settings().await?;
        settings.versions.retain(|(name, _)| name != topic);
        let mut change = Change::default();
        change.settings(&settings)?;
        self.store.apply(change).await?;
        Ok(guide)
    }

    pub(crate) fn keep_guide(
        &mut self,
        topic: String,
        guide: Guide,
        change: &mut Change,
    ) -> Result<(), JsError> {
        let knowledge = guide.knowledge().trimmed(MOST_PAGES, MOST_ARRIVALS);
        change.guide(&topic, &write_model(&knowledge).map_err(js)?);
        self.guide = Some((topic, guide));
        Ok(())
    }
}

/// A look at a page that leaves no trace: the guide is thrown away after it. Also
/// the page's links.
fn preview(mut guide: Guide, page: &Page) -> (PageView, Guide, Vec<Candidate>) {
    let visit = guide.visit(page, &[], None, &mut draw());
    let view = PageView::of(page, &visit, &guide);
    let links = visit.outlinks.into_iter().map(|row| row.0).collect();
    (view, guide, links)
}

/// Whether the person paused the host, or the page is none to be read.
fn is_left_alone(settings: &Settings, address: &Address) -> bool {
    let host = address.host();
    let is_paused = settings.paused.iter().any(|paused| paused == host);
    is_paused || refusal(settings, address).is_some()
}

/// Why a page is not read, if that can be told by its address.
pub(crate) fn refusal(settings: &Settings, address: &Address) -> Option<Refusal> {
    match &settings.excluded {
        Some(excluded) => privacy::refusal(address, excluded),
        None => privacy::refusal(address, &privacy::usually_excluded()),
    }
}

pub(crate) fn event(topic: &str, now: f64, what: EventKind) -> Event {
    Event {
        id: random_id(),
        topic: topic.to_owned(),
        time: now as u64,
        what,
    }
}

pub(crate) fn random_id() -> String {
    let number = u128::from_le_bytes(sync::random());
    format!("{number:032x}")
}

fn trail_row(click: &PendingClick, event: &Event, from: &str, to: &str) -> TrailRow {
    let anchor = match &event.what {
        EventKind::Click { anchor, .. } => anchor.clone(),
        EventKind::Mark { .. } | EventKind::Form { .. } => String::new(),
    };
    TrailRow {
        id: format!("{:015}-{}", event.time, event.id),
        topic: click.topic.clone(),
        from: from.to_owned(),
        to: to.to_owned(),
        anchor,
        tab: click.tab,
        time: click.time,
    }
}

/// Numbers for ties, begun with one of the browser's: a call for each of a page's
/// links would take longer than scoring them.
pub(crate) fn draw() -> SplitMix {
    SplitMix(u64::from_le_bytes(sync::random()))
}
