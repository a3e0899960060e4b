//! Forgetting: pages with all that has to do with them, or everything that was read.
//! What is forgotten here the companion is told to forget too, as soon as it answers.

mod everything;

use std::collections::BTreeSet;
use std::mem::take;
use std::rc::Rc;

use linkscent_core::address::Address;
use linkscent_core::topic_model::{ToForget, TopicModel};
use linkscent_core::wire::api::{Event, EventKind, Forget};
use linkscent_core::wire::{Snapshot, write_model};

use super::context::Context;
use super::steps::ModelStep;
use super::topic_models::TopicModels;
use super::visits::Visits;
use crate::companion::Companion;
use crate::paths::Step;
use crate::ports::{TabMessage, World};
use crate::problem::Problem;
use crate::rows::{Seen, Settings, Way};
use crate::store::Change;

/// Pages and clicks that the companion is asked to forget in one call.
const MOST_IN_A_CALL: usize = 900;

/// All that is kept here, to be told whole and forgotten in part or whole.
pub(super) struct Kept<W> {
    context: Context<W>,
    topic_models: Rc<TopicModels<W>>,
    visits: Rc<Visits<W>>,
}

impl<W: World> Kept<W> {
    pub fn new(
        context: &Context<W>,
        topic_models: &Rc<TopicModels<W>>,
        visits: &Rc<Visits<W>>,
    ) -> Self {
        Self {
            context: context.clone(),
            topic_models: Rc::clone(topic_models),
            visits: Rc::clone(visits),
        }
    }

    /// Forgets a trail, or with `None` everything that was read.
    /// Marks stay; they were made to be kept.
    pub(super) async fn forget(&self, id: Option<String>) -> Result<(), Problem> {
        let Some(id) = id else {
            return self.forget_all().await;
        };
        let trails = self.context.store.trails().await?;
        let Some(trail) = trails.into_iter().find(|trail| trail.id == id) else {
            return Ok(());
        };
        // The page it led to goes too, unless it is marked.
        let marks = self.context.store.all_marks().await?;
        let is_marked = marks.iter().any(|mark| mark.address == trail.to);
        let pages = (!is_marked).then(|| trail.to.clone());
        self.forget_here(Forget {
            clicks: vec![(trail.from, trail.to)],
            pages: pages.into_iter().collect(),
            ..Forget::default()
        })
        .await
    }

    /// Forgets a page with its mark, its words and every link from and to it.
    pub(super) async fn forget_page(&self, address: &str) -> Result<(), Problem> {
        let address = Address::parse(address)?;
        self.forget_here(Forget {
            pages: vec![address.to_string()],
            ..Forget::default()
        })
        .await
    }

    /// Forgets every page of a page's site. No tab that shows one is read until it is loaded
    /// again.
    pub(super) async fn forget_site(&self, page: &Snapshot) -> Result<(), Problem> {
        let address = Address::parse(&page.url)?;
        let host = address.host();
        let is_there = |step: &Step| Address::parse(&step.page).is_ok_and(|at| at.host() == host);
        for path in self.context.store.paths().await? {
            if path.current().is_some_and(is_there) {
                self.visits.note_forgotten(path.tab);
                self.context
                    .world
                    .tell(path.tab, TabMessage::Forgotten)
                    .await;
            }
        }
        self.forget_here(Forget {
            hosts: vec![host.to_owned()],
            ..Forget::default()
        })
        .await
    }

    /// Forgets what was read in the last so many minutes: pages that were new, links that were
    /// followed, visits. No tab that shows such a page is read until it is loaded again.
    pub(super) async fn forget_since(&self, minutes: u32) -> Result<(), Problem> {
        let since = self.context.world.now() - f64::from(minutes) * 60_000.0;
        let lines = self.context.store.ledger().await?.into_iter();
        let kept = lines.filter(|line| line.time >= since && line.way == Way::Kept && line.is_new);
        let pages: BTreeSet<String> = kept.flat_map(|line| line.about).collect();
        for path in self.context.store.paths().await? {
            if path
                .current()
                .is_some_and(|step| pages.contains(&step.page))
            {
                self.visits.note_forgotten(path.tab);
                self.context
                    .world
                    .tell(path.tab, TabMessage::Forgotten)
                    .await;
            }
        }
        let trails = self.context.store.trails().await?.into_iter();
        let followed = trails.filter(|trail| trail.time >= since);
        self.forget_here(Forget {
            pages: pages.into_iter().collect(),
            clicks: followed.map(|trail| (trail.from, trail.to)).collect(),
            visits_since: Some(since.max(0.0) as u64),
            ..Forget::default()
        })
        .await
    }

    /// Topic models are made again from the marks when they are needed; what a companion
    /// knows beyond that comes back without the clicks.
    async fn forget_all(&self) -> Result<(), Problem> {
        self.topic_models.let_go();
        let mut settings = self.context.store.settings().await?;
        settings.versions.clear();
        // Also while no companion is paired: one may have been before. It names no page.
        settings.to_forget.retain(|what| !what.every_click);
        settings.to_forget.push(Forget {
            every_click: true,
            ..Forget::default()
        });
        let mut change = Change::default();
        change.empty(&self.visits.forgotten_tabs().await?)?;
        change.settings(&settings)?;
        let outbox = self.context.store.outbox().await?.into_iter();
        let read = outbox.filter(|(_, event)| {
            matches!(event.what, EventKind::Click { .. } | EventKind::Visit(_))
        });
        change.sent(&read.map(|(key, _)| key).collect::<Vec<_>>());
        Ok(self.context.store.apply(change).await?)
    }

    /// Deletes what is to be forgotten from the topic models of all topics.
    async fn forget_in_topic_models(
        &self,
        gone: &ToForget,
        change: &mut Change,
    ) -> Result<(), Problem> {
        for topic in self.context.store.settings().await?.topics {
            if self.context.store.topic_model(&topic).await?.is_none() {
                change.delete_topic_model(&topic);
                continue;
            }
            let topic_model = self.topic_models.take_topic_model(&topic).await?;
            let is_beside = !self.context.store.steps(&topic).await?.is_empty();
            // A page beside the topic model may have a link to what is forgotten.
            let known = topic_model.knowledge();
            if !is_beside && !known.mentions(gone) {
                continue;
            }
            match TopicModel::with_knowledge(known.forget(gone)) {
                Some(topic_model) => {
                    change.topic_model(&topic, write_model(&topic_model.knowledge())?);
                }
                None => change.delete_topic_model(&topic),
            }
        }
        Ok(())
    }

    async fn forget_here(&self, what: Forget) -> Result<(), Problem> {
        let gone = &what.to_forget();
        self.topic_models.let_go();
        let mut change = Change::default();
        self.forget_in_topic_models(gone, &mut change).await?;
        for mark in self.context.store.all_marks().await? {
            if is_gone(gone, &mark.address) {
                change.unmark(&mark.topic, &mark.address);
            }
        }
        // A page that is marked may have a link to what is forgotten.
        for (key, page) in self.context.store.marked_pages().await? {
            let page = ModelStep::unpack(&page).and_then(|step| step.page());
            let stays = page.is_some_and(|page| {
                let mut links = page.outlinks.iter().map(|link| &link.target);
                !gone.has_page(&page.address) && !links.any(|link| gone.has_page(link))
            });
            if !stays {
                change.delete_page(&key);
            }
        }
        // With a click goes the visit that it led to.
        let mut clicks_gone = BTreeSet::new();
        for trail in self.context.store.trails().await? {
            let is_click = is_gone_click(gone, &trail.from, &trail.to);
            if is_click {
                clicks_gone.insert(trail.click().to_owned());
            }
            if is_click || is_gone(gone, &trail.from) || is_gone(gone, &trail.to) {
                change.delete_trail(&trail.id);
            }
        }
        let outbox = self.context.store.outbox().await?;
        for (_, event) in &outbox {
            if let EventKind::Click { from, to, .. } = &event.what
                && is_gone_click(gone, from, to)
            {
                clicks_gone.insert(event.id.clone());
            }
        }
        let led_to = |click: &Option<String>| {
            let click = click.as_ref();
            click.is_some_and(|click| clicks_gone.contains(click))
        };
        let stays = |event: &Event| {
            let is_click = match &event.what {
                EventKind::Click { from, to, .. } => is_gone_click(gone, from, to),
                EventKind::Visit(visit) => led_to(&visit.click) || gone.has_time(event.time),
                EventKind::Mark { .. }
                | EventKind::Form { .. }
                | EventKind::Class { .. }
                | EventKind::Phrase { .. }
                | EventKind::Subtopic { .. }
                | EventKind::Tag { .. }
                | EventKind::Note { .. }
                | EventKind::Name { .. }
                | EventKind::Remove { .. } => false,
            };
            !is_click && !event.pages().iter().any(|page| is_gone(gone, page))
        };
        if gone.visits_since.is_some() {
            change.clear_paths();
            change.known_tabs(&self.visits.forgotten_tabs().await?)?;
        } else {
            let goes = |step: &Step| led_to(&step.click) || is_gone(gone, &step.page);
            self.visits.forget_steps(goes, &mut change).await?;
        }
        for (key, line) in self.context.store.ledger_with_keys().await? {
            if gone.has_time(line.time as u64) || line.about.iter().any(|page| is_gone(gone, page))
            {
                change.delete_line(&key);
            }
        }
        let waiting = outbox.into_iter().filter(|(_, event)| !stays(event));
        change.sent(&waiting.map(|(key, _)| key).collect::<Vec<_>>());
        let mut clicks = self.context.store.pending_clicks().await?;
        clicks.retain(|click| stays(&click.link));
        change.pending_clicks(&clicks)?;
        let mut forms = self.context.store.form_marks().await?;
        forms.retain(stays);
        change.form_marks(&forms)?;
        let mut later = self.context.store.later().await?;
        later.retain(|row| !is_gone(gone, &row.address));
        change.later(&later)?;
        let mut asked = self.context.store.asked().await?;
        asked.forget(|page| is_gone(gone, page));
        change.asked(&asked)?;
        change.seen(&Seen::default())?;
        let mut settings = self.context.store.settings().await?;
        settings.versions.clear();
        if settings.key.is_some() {
            settings.to_forget.extend(in_parts(what));
        }
        change.settings(&settings)?;
        Ok(self.context.store.apply(change).await?)
    }

    /// Has the companion forget what was forgotten here. It names what it could not
    /// delete.
    pub(super) async fn forget_there(
        &self,
        companion: &Companion<W>,
        settings: &mut Settings,
    ) -> Result<(), Problem> {
        while let Some(what) = settings.to_forget.first() {
            let forgotten = companion.forget(what).await?;
            settings.to_forget.remove(0);
            let mut change = Change::default();
            change.settings(settings)?;
            self.context.store.apply(change).await?;
            if !forgotten.left.is_empty() {
                let places = forgotten.left.join(", ");
                return Err(Problem::StillHeld(places));
            }
        }
        Ok(())
    }
}

/// As a companion takes it: it refuses more than a thousand pages and clicks in one call.
fn in_parts(mut what: Forget) -> Vec<Forget> {
    if what.pages.len() + what.clicks.len() <= MOST_IN_A_CALL {
        return vec![what];
    }
    let (pages, clicks) = (take(&mut what.pages), take(&mut what.clicks));
    let pages = pages.chunks(MOST_IN_A_CALL).map(|pages| Forget {
        pages: pages.to_vec(),
        ..Forget::default()
    });
    let clicks = clicks.chunks(MOST_IN_A_CALL).map(|clicks| Forget {
        clicks: clicks.to_vec(),
        ..Forget::default()
    });
    pages.chain(clicks).chain([what]).collect()
}

fn is_gone(gone: &ToForget, page: &str) -> bool {
    Address::parse(page).is_ok_and(|page| gone.has_page(&page))
}

fn is_gone_click(gone: &ToForget, from: &str, to: &str) -> bool {
    match (Address::parse(from), Address::parse(to)) {
        (Ok(from), Ok(to)) => gone.clicks.contains(&(from, to)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn much_is_forgotten_in_parts_that_a_companion_takes() {
        let page = |number: usize| format!("http://a.test/{number}");
        let few = Forget {
            pages: vec![page(1)],
            visits_since: Some(7),
            ..Forget::default()
        };
        assert_eq!(in_parts(few.clone()), [few]);
        let much = Forget {
            pages: (0..1_000).map(page).collect(),
            clicks: (0..2_000).map(|n| (page(n), page(n + 1))).collect(),
            visits_since: Some(7),
            ..Forget::default()
        };
        let parts = in_parts(much.clone());
        let sizes = parts
            .iter()
            .map(|part| part.pages.len() + part.clicks.len());
        assert_eq!(sizes.collect::<Vec<_>>(), [900, 100, 900, 900, 200, 0]);
        let pages = parts.iter().flat_map(|part| part.pages.clone());
        assert_eq!(pages.collect::<Vec<_>>(), much.pages);
        let clicks = parts.iter().flat_map(|part| part.clicks.clone());
        assert_eq!(clicks.collect::<Vec<_>>(), much.clicks);
        assert_eq!(parts[5].visits_since, Some(7));
    }
}
