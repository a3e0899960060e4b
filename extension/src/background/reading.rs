//! Pages that are read, and links that are followed on them.

use linkscent_core::click_attribution::{self, CLICK_LIFE, Click, Navigation};
use linkscent_core::strategies::Candidate;
use linkscent_core::wire::Snapshot;
use linkscent_core::wire::api::EventKind;
use linkscent_core::wire::views::PageView;

use super::Background;
use super::keeping::is_kept;
use super::steps::{GuideStep, StepTaken};
use super::visits::Read;
use crate::background::topic::choices::is_left_alone;
use crate::background::topic::choices::refusal;
use crate::paths::{Arriving, Met, Showing};
use crate::ports::World;
use crate::problem::Problem;
use crate::request::News;
use crate::rows::{Ends, PendingClick, TrailRow};
use crate::store::Change;
use crate::texts;

/// Followed links that wait at most.
const MOST_PENDING_CLICKS: usize = 50;
/// After how many visits, on average, the oldest events beyond what is kept go. Until then
/// there may be a few more: to count thousands takes longer than to keep one.
const TRIMMED_EVERY: u8 = 16;

impl<W: World> Background<W> {
    /// See [`crate::request::Request::Page`]. Nothing is read on paused hosts and
    /// without a topic.
    pub(super) async fn read(
        &mut self,
        snapshot: &Snapshot,
        tab: i32,
        started: f64,
        showing: &Showing,
    ) -> Result<(PageView, News), Problem> {
        let settings = self.store.settings().await?;
        let Some(topic) = settings.current.clone() else {
            return Ok((PageView::default(), News::default()));
        };
        let page = snapshot.to_page()?;
        if settings.is_off || refusal(&settings, &page.address).is_some() {
            self.leave(tab).await?;
            return Ok((PageView::default(), News::default()));
        }
        let arriving = Arriving {
            page: &page.address,
            topic: &topic,
            showing,
            started,
        };
        let mut change = Change::default();
        let known = self.tab(tab).await?;
        let met = known.meet(&arriving);
        let link = match met {
            Met::New => self.arrive(tab, &arriving, &mut change).await?,
            Met::Again | Met::Returned(..) => None,
        };
        if is_left_alone(&settings, &page.address) {
            known.leave(&mut change)?;
            self.store.apply(change).await?;
            return Ok((PageView::default(), News::default()));
        }
        let mut held = self.take_held(&topic).await?;
        let click = link.as_ref().filter(|click| click.topic == topic);
        let what = click.map(|click| click.link.what.clone());
        let tie_breaks = u64::from_le_bytes(self.world.random());
        let step = GuideStep::new(snapshot, &page, what, tie_breaks);
        let StepTaken { is_new, via, visit } = step.take(&page, &mut held.guide);
        let mut sent = None;
        let from = via.first().and_then(Candidate::source);
        if let (Some(click), Some(from)) = (click, from) {
            let mut event = click.link.clone();
            event.what.arrived(&page.address, visit.judgment);
            change.send(&event)?;
            let ends = Ends {
                from: (from.as_str(), known.path.title_of(from.as_str())),
                to: (page.address.as_str(), &page.title()),
            };
            let session = &known.path.session;
            change.trail(&TrailRow::of(click, &event, &ends, session))?;
            sent = Some(event.id);
        }
        let read = Read {
            page: &page,
            judgment: visit.judgment,
            link: link.as_ref(),
            click: sent,
        };
        let logged = self.log_visit(known, met, &arriving, read, &mut change)?;
        let mut view = PageView::of(&page, &visit, &held.guide);
        view.panel_only = settings.panel_only;
        for link in &mut view.links {
            link.why = texts::why(&*self.world, link.probability, &link.reasons);
        }
        self.say_known(&mut view, &page, &topic, &held.guide)
            .await?;
        let followed = !via.is_empty();
        let mut news = News {
            sync: followed,
            keeps: logged && is_kept(&settings, &topic, &page.address),
            ..News::default()
        };
        if is_new || followed {
            news.is_full = self.keep_step(held, &step, is_new, &mut change)?;
        } else {
            // Read before, as it is while a page changes: not worth a write.
            self.hold(held);
        }
        self.store.apply(change).await?;
        let is_due = logged && self.world.random::<1>()[0].is_multiple_of(TRIMMED_EVERY);
        if followed || is_due {
            self.store.trim().await?;
        }
        Ok((view, news))
    }

    /// The followed link that led to a page; it waits no longer. A page to which its tab
    /// returned is another's unless the link names it.
    async fn arrive(
        &self,
        tab: i32,
        arriving: &Arriving<'_>,
        change: &mut Change,
    ) -> Result<Option<PendingClick>, Problem> {
        let now = self.world.now();
        let mut waiting = self.store.pending_clicks().await?;
        let kept = waiting.len();
        waiting.retain(|click| now - click.time < CLICK_LIFE && click.click().is_some());
        let clicks: Vec<Click> = waiting.iter().filter_map(PendingClick::click).collect();
        let navigation = Navigation {
            address: arriving.page.clone(),
            tab,
            started: arriving.started,
        };
        let found = click_attribution::claim(&clicks, &navigation).filter(|&place| {
            !arriving.showing.how.is_return() || waiting[place].leads_to(arriving.page)
        });
        let found = found.map(|place| waiting.remove(place));
        if waiting.len() != kept {
            change.pending_clicks(&waiting)?;
        }
        Ok(found)
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
        let mut held = self.take_held(&topic).await?;
        let guide = &mut held.guide;
        let (link, mut passed_over) = guide.followed(&page, outlink, &mut self.tie_breaks());
        passed_over.retain(|link| !is_left_alone(&settings, &link.target));
        let judgment = guide.graph().judgment(&page.address);
        let words = &guide.graph().vocabulary;
        let what = EventKind::click(&link, &passed_over, &page.address, judgment, words);
        let now = self.world.now();
        let mut clicks = self.store.pending_clicks().await?;
        if clicks.len() >= MOST_PENDING_CLICKS {
            clicks.remove(0);
        }
        clicks.push(PendingClick {
            tab,
            new_tab,
            time: now,
            visit: self.visit_in(tab, page.address.as_str(), &topic).await?,
            topic: topic.clone(),
            link: self.event(&topic, now, what),
        });
        let mut change = Change::default();
        change.pending_clicks(&clicks)?;
        self.hold(held);
        self.store.apply(change).await?;
        Ok(true)
    }
}
