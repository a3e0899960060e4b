//! Pages that are read, and links that are followed on them.

mod dry_run;
mod frames;
mod keeping;
mod known;
mod marking;
mod proposing;
mod why;

use std::rc::Rc;

use linkscent_core::click_attribution::{self, CLICK_LIFE, Click, Navigation};
use linkscent_core::strategies::Candidate;
use linkscent_core::wire::Snapshot;
use linkscent_core::wire::api::EventKind;
use linkscent_core::wire::views::PageView;

use super::context::Context;
use super::ledger::Ledger;
use super::steps::{ModelStep, StepTaken};
use super::topic::Topics;
use super::topic_models::TopicModels;
use super::visits::Read;
use super::visits::Visits;
use crate::background::topic::choices::is_left_alone;
use crate::background::topic::choices::refusal;
use crate::paths::{Arriving, Met, Showing};
use crate::ports::World;
use crate::problem::Problem;
use crate::request::News;
use crate::rows::{Ends, PendingClick, TrailRow};
use crate::store::Change;
use crate::texts;
use keeping::is_kept;

/// Followed links that wait at most.
const MOST_PENDING_CLICKS: usize = 50;
/// After how many visits, on average, the oldest events beyond what is kept go. Until then
/// there may be a few more: to count thousands takes longer than to keep one.
const TRIMMED_EVERY: u8 = 16;

/// What is read, and what is shown of it.
pub(super) struct Reading<W> {
    context: Context<W>,
    ledger: Rc<Ledger<W>>,
    topic_models: Rc<TopicModels<W>>,
    visits: Rc<Visits<W>>,
    topics: Rc<Topics<W>>,
}

impl<W: World> Reading<W> {
    pub fn new(
        context: &Context<W>,
        ledger: &Rc<Ledger<W>>,
        topic_models: &Rc<TopicModels<W>>,
        visits: &Rc<Visits<W>>,
        topics: &Rc<Topics<W>>,
    ) -> Self {
        Self {
            context: context.clone(),
            ledger: Rc::clone(ledger),
            topic_models: Rc::clone(topic_models),
            visits: Rc::clone(visits),
            topics: Rc::clone(topics),
        }
    }

    /// See [`crate::request::Request::Page`]. Nothing is read on paused hosts and
    /// without a topic.
    pub(super) async fn read(
        &self,
        snapshot: &Snapshot,
        tab: i32,
        started: f64,
        showing: &Showing,
    ) -> Result<(PageView, News), Problem> {
        let settings = self.context.store.settings().await?;
        let Some(topic) = settings.current.clone() else {
            return Ok((PageView::default(), News::default()));
        };
        let page = snapshot.to_page()?;
        if settings.is_off || refusal(&settings, &page.address).is_some() {
            self.visits.leave(tab).await?;
            return Ok((PageView::default(), News::default()));
        }
        let arriving = Arriving {
            page: &page.address,
            topic: &topic,
            showing,
            started,
        };
        let mut change = Change::default();
        let known = self.visits.tab(tab).await?;
        let met = known.meet(&arriving);
        let link = match met {
            Met::New => self.arrive(tab, &arriving, &mut change).await?,
            Met::Again | Met::Returned(..) => None,
        };
        if is_left_alone(&settings, &page.address) {
            known.leave(&mut change)?;
            self.context.store.apply(change).await?;
            return Ok((PageView::default(), News::default()));
        }
        let mut held = self.topic_models.take_held(&topic).await?;
        let click = link.as_ref().filter(|click| click.topic == topic);
        let what = click.map(|click| click.link.what.clone());
        let tie_breaks = u64::from_le_bytes(self.context.world.random());
        let step = ModelStep::new(snapshot, &page, what, tie_breaks);
        let StepTaken { is_new, via, visit } = step.take(&page, &mut held.topic_model);
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
        let logged = self
            .visits
            .log_visit(known, met, &arriving, read, &mut change)?;
        let mut view = PageView::of(&page, &visit, &held.topic_model);
        view.panel_only = settings.panel_only;
        for link in &mut view.links {
            link.why = texts::why(&*self.context.world, link.probability, &link.reasons);
        }
        self.say_known(&mut view, &page, &topic, &held.topic_model)
            .await?;
        let followed = !via.is_empty();
        let mut news = News {
            sync: followed,
            keeps: logged && is_kept(&settings, &topic, &page.address),
            ..News::default()
        };
        if is_new || followed {
            news.is_full = self
                .topic_models
                .keep_step(held, &step, is_new, &mut change)?;
        } else {
            // Read before, as it is while a page changes: not worth a write.
            self.topic_models.hold(held);
        }
        self.context.store.apply(change).await?;
        let is_due = logged && self.context.world.random::<1>()[0].is_multiple_of(TRIMMED_EVERY);
        if followed || is_due {
            self.context.store.trim().await?;
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
        let now = self.context.world.now();
        let mut waiting = self.context.store.pending_clicks().await?;
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
        &self,
        snapshot: &Snapshot,
        place: i32,
        tab: i32,
        new_tab: bool,
    ) -> Result<bool, Problem> {
        let settings = self.context.store.settings().await?;
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
        let mut held = self.topic_models.take_held(&topic).await?;
        let topic_model = &mut held.topic_model;
        let (link, mut passed_over) =
            topic_model.followed(&page, outlink, &mut self.context.tie_breaks());
        passed_over.retain(|link| !is_left_alone(&settings, &link.target));
        let judgment = topic_model.graph().judgment(&page.address);
        let words = &topic_model.graph().vocabulary;
        let what = EventKind::click(&link, &passed_over, &page.address, judgment, words);
        let now = self.context.world.now();
        let mut clicks = self.context.store.pending_clicks().await?;
        if clicks.len() >= MOST_PENDING_CLICKS {
            clicks.remove(0);
        }
        clicks.push(PendingClick {
            tab,
            new_tab,
            time: now,
            visit: self
                .visits
                .visit_in(tab, page.address.as_str(), &topic)
                .await?,
            topic: topic.clone(),
            link: self.context.event(&topic, now, what),
        });
        let mut change = Change::default();
        change.pending_clicks(&clicks)?;
        self.topic_models.hold(held);
        self.context.store.apply(change).await?;
        Ok(true)
    }
}
