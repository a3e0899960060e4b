//! Pages that are read, and links that are followed on them.

use linkscent_core::address::Address;
use linkscent_core::click_attribution::{self, CLICK_LIFE, Click, Navigation};
use linkscent_core::strategies::Candidate;
use linkscent_core::wire::Snapshot;
use linkscent_core::wire::api::{Event, EventKind};
use linkscent_core::wire::views::PageView;

use super::Background;
use super::choices::{is_left_alone, refusal};
use crate::ports::World;
use crate::problem::Problem;
use crate::rows::{PendingClick, TrailRow};
use crate::store::Change;

/// Followed links that wait at most.
const MOST_PENDING_CLICKS: usize = 50;

impl<W: World> Background<W> {
    /// See [`crate::request::Request::Page`]. Nothing is read on paused hosts and
    /// without a topic. Also tells whether the page was reached by a link that was
    /// followed: there is something to tell the companion then.
    pub(super) async fn read(
        &mut self,
        snapshot: &Snapshot,
        tab: i32,
        started: f64,
    ) -> Result<(PageView, bool), Problem> {
        let settings = self.store.settings().await?;
        let Some(topic) = settings.current.clone() else {
            return Ok((PageView::default(), false));
        };
        let page = snapshot.to_page()?;
        if refusal(&settings, &page.address).is_some() {
            return Ok((PageView::default(), false));
        }
        let navigation = Navigation {
            address: page.address.clone(),
            tab,
            started,
        };
        let (click, clicks) = self.arrive(&navigation).await?;
        let mut change = Change::default();
        change.pending_clicks(&clicks)?;
        if is_left_alone(&settings, &page.address) {
            self.store.apply(change).await?;
            return Ok((PageView::default(), false));
        }
        let mut guide = self.take_guide(&topic).await?;
        let click = click.filter(|click| click.topic == topic);
        let via: Vec<Candidate> = click
            .as_ref()
            .and_then(|click| click.link.what.followed(guide.vocabulary_mut()))
            .into_iter()
            .collect();
        let is_new = guide.graph().page(&page.address).is_none();
        let visit = guide.visit(&page, &via, None, &mut self.tie_breaks());
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
        Ok((view, followed))
    }

    /// The followed link that led to a page, and those that go on waiting.
    async fn arrive(
        &self,
        navigation: &Navigation,
    ) -> Result<(Option<PendingClick>, Vec<PendingClick>), Problem> {
        let now = self.world.now();
        let mut waiting = self.store.pending_clicks().await?;
        waiting.retain(|click| now - click.time < CLICK_LIFE && click.click().is_some());
        let clicks: Vec<Click> = waiting.iter().filter_map(PendingClick::click).collect();
        let found =
            click_attribution::claim(&clicks, navigation).map(|place| waiting.remove(place));
        Ok((found, waiting))
    }

    /// See [`crate::request::Request::Followed`].
    pub(super) async fn followed(
        &mut self,
        snapshot: &Snapshot,
        place: i32,
        tab: i32,
        new_tab: bool,
    ) -> Result<bool, Problem> {
        let settings = self.store.settings().await?;
        let page = snapshot.to_page()?;
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
        let link = guide.candidate(&page, outlink, &mut self.tie_breaks());
        let judgment = guide.graph().judgment(&page.address);
        let words = &guide.graph().vocabulary;
        let what = EventKind::click(&link, &page.address, judgment, words);
        let now = self.world.now();
        let mut clicks = self.store.pending_clicks().await?;
        if clicks.len() >= MOST_PENDING_CLICKS {
            clicks.remove(0);
        }
        clicks.push(PendingClick {
            tab,
            new_tab,
            time: now,
            topic: topic.clone(),
            link: self.event(&topic, now, what),
        });
        let mut change = Change::default();
        change.pending_clicks(&clicks)?;
        self.keep_guide(topic, guide, &mut change)?;
        self.store.apply(change).await?;
        Ok(true)
    }
}

fn trail_row(click: &PendingClick, event: &Event, from: &str, to: &str) -> TrailRow {
    let anchor = match &event.what {
        EventKind::Click { anchor, .. } => anchor.clone(),
        _ => String::new(),
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
