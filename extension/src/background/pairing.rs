//! What happens between the background and the companion on the same machine:
//! pairing, sending what waits, taking newer models, handing over.

mod hearing;
mod notices;

use std::rc::Rc;

use linkscent_core::text::plain_line;
use linkscent_core::topic_model::TopicModel;
use linkscent_core::wire::api::{CrawlOrder, CrawlView, EventKind};
use linkscent_core::wire::{Snapshot, read_model};

use super::context::Context;
use super::finding::{Finding, started_at};
use super::forgetting::Kept;
use super::ledger::Ledger;
use super::topic::Topics;
use super::topic_models::TopicModels;
use crate::companion::{self, Companion};
use crate::ports::World;
use crate::problem::Problem;
use crate::rows::{Seen, Settings, Way};
use crate::store::Change;
use notices::news;

/// Events sent to the companion in one call.
const MOST_SENT: u32 = 100;

/// What happens between this browser and the companion.
pub(super) struct Pairing<W> {
    context: Context<W>,
    ledger: Rc<Ledger<W>>,
    topic_models: Rc<TopicModels<W>>,
    kept: Rc<Kept<W>>,
    topics: Rc<Topics<W>>,
    finding: Rc<Finding<W>>,
}

impl<W: World> Pairing<W> {
    pub fn new(
        context: &Context<W>,
        ledger: &Rc<Ledger<W>>,
        topic_models: &Rc<TopicModels<W>>,
        kept: &Rc<Kept<W>>,
        topics: &Rc<Topics<W>>,
        finding: &Rc<Finding<W>>,
    ) -> Self {
        Self {
            context: context.clone(),
            ledger: Rc::clone(ledger),
            topic_models: Rc::clone(topic_models),
            kept: Rc::clone(kept),
            topics: Rc::clone(topics),
            finding: Rc::clone(finding),
        }
    }

    /// Pairs with the companion by its code.
    pub(super) async fn pair(&self, port: u16, code: &str) -> Result<(), Problem> {
        let pairing = companion::pair(&*self.context.world, port, code.trim()).await?;
        let mut settings = self.context.store.settings().await?;
        settings.port = port;
        settings.device = Some(pairing.device);
        settings.key = Some(companion::hex(pairing.key.bytes()));
        settings.versions.clear();
        settings.heard = 0;
        let mut change = Change::default();
        change.settings(&settings)?;
        // This companion may never have heard of the marks; those it knows it
        // takes for what they are.
        for mark in self.context.store.all_marks().await? {
            change.send(&mark.event(format!("again-{}", self.context.random_id())))?;
        }
        for topic in &settings.topics {
            let name = settings.name_of(topic).to_owned();
            // A name that a topic always had is no word of now.
            let said = if name == *topic {
                0.0
            } else {
                self.context.world.now()
            };
            change.send(&self.context.event(topic, said, EventKind::Name { name }))?;
        }
        for topic in &settings.removed {
            let what = EventKind::Remove {
                removed: true,
                for_good: false,
            };
            change.send(&self.context.event(topic, self.context.world.now(), what))?;
        }
        for (topic, said) in &settings.said {
            for (text, wanted) in said {
                let (text, wanted) = (text.clone(), Some(*wanted));
                let what = EventKind::Phrase { text, wanted };
                change.send(&self.context.event(topic, self.context.world.now(), what))?;
            }
        }
        for mut mark in self.context.store.form_marks().await? {
            mark.id = format!("again-{}", self.context.random_id());
            change.send(&mark)?;
        }
        self.context.store.apply(change).await?;
        self.sync().await.map(drop)
    }

    /// Forgets the companion.
    pub(super) async fn unpair(&self) -> Result<(), Problem> {
        let mut settings = self.context.store.settings().await?;
        (settings.device, settings.key) = (None, None);
        settings.to_forget.retain(|what| what.every_click);
        // With another companion it has to be allowed again.
        settings.keeps.clear();
        let mut change = Change::default();
        change.settings(&settings)?;
        change.seen(&Seen::default())?;
        Ok(self.context.store.apply(change).await?)
    }

    /// Sends what is new, hears what was said elsewhere, pulls a newer model and looks at the
    /// topic's crawl; whether anything is other than it was.
    pub(super) async fn sync(&self) -> Result<bool, Problem> {
        let settings = self.context.store.settings().await?;
        let Some(companion) = Companion::of(&settings, &self.context.world) else {
            return Ok(false);
        };
        let (before, tells) = (self.context.store.seen().await?, settings.tells);
        let exchanged = self.exchange(&companion, settings).await;
        let seen = match &exchanged {
            Ok((_, topic)) => self.seen_at(&companion, topic.as_deref(), &before).await,
            Err(problem) => Err(problem.text(&*self.context.world)),
        };
        let seen = seen.unwrap_or_else(|problem| Seen {
            problem,
            ..before.clone()
        });
        let is_other = seen != before;
        if is_other {
            let mut change = Change::default();
            change.seen(&seen)?;
            self.context.store.apply(change).await?;
            if let Some(text) = news(&*self.context.world, &before, &seen).filter(|_| tells) {
                // It quotes titles of pages.
                self.context.world.notify(&plain_line(&text)).await;
            }
        }
        Ok(exchanged?.0 || is_other)
    }

    /// The topic's last crawl, and which topics were taught something.
    async fn seen_at(
        &self,
        companion: &Companion<W>,
        topic: Option<&str>,
        before: &Seen,
    ) -> Result<Seen, String> {
        let Some(topic) = topic else {
            return Ok(Seen::default());
        };
        let crawls = companion.crawls(topic).await;
        let crawls = crawls.map_err(|error| Problem::from(error).text(&*self.context.world))?;
        // An older companion does not say; a crawl then begins with nothing else.
        let topics = companion.topics().await.unwrap_or_default();
        let others = topics.into_iter();
        let others = others.filter(|other| other.is_taught && other.key != topic);
        let crawl = crawls.into_iter().next();
        Ok(Seen {
            topic: topic.to_owned(),
            started_at: started_at(before, crawl.as_ref()),
            crawl,
            teachers: others.map(|other| other.name).collect(),
            problem: String::new(),
        })
    }

    /// Has the topic's crawl start at a page, too.
    pub(super) async fn start_here(&self, snapshot: &Snapshot) -> Result<(), Problem> {
        let settings = self.context.store.settings().await?;
        let companion = Companion::of(&settings, &self.context.world).ok_or(Problem::NotPaired)?;
        let page = snapshot.to_page()?.address.to_string();
        let seen = self.context.store.seen().await?;
        let is_of_topic = Some(&seen.topic) == settings.current.as_ref();
        let crawl = seen.crawl.filter(|_| is_of_topic).ok_or(Problem::NoTopic)?;
        let crawl = companion.start_at(crawl.id, &page).await?;
        self.finding.saw_crawl(crawl).await?;
        let mut seen = self.context.store.seen().await?;
        seen.started_at.retain(|known| *known != page);
        seen.started_at.push(page);
        let mut change = Change::default();
        change.seen(&seen)?;
        Ok(self.context.store.apply(change).await?)
    }

    /// Both sides tell what is new. The outbox is emptied first, so the model that comes back
    /// knows every mark. Whether anything is other than it was, and the current topic.
    async fn exchange(
        &self,
        companion: &Companion<W>,
        mut settings: Settings,
    ) -> Result<(bool, Option<String>), Problem> {
        // What fails is told when the rest is done: marks must not wait for it.
        let forgotten = self.kept.forget_there(companion, &mut settings).await;
        loop {
            let waiting = self.context.store.oldest(MOST_SENT).await?;
            if waiting.is_empty() {
                break;
            }
            let (keys, events): (Vec<_>, Vec<_>) = waiting.into_iter().unzip();
            companion.send(&events).await?;
            let mut change = Change::default();
            change.sent(&keys);
            for event in &events {
                self.ledger.note_sent(event, &mut change)?;
            }
            self.context.store.apply(change).await?;
        }
        let mut is_other = self.hear(companion, &mut settings).await?;
        let Some(topic) = settings.current.clone() else {
            return forgotten.map(|()| (is_other, None));
        };
        let known = settings.versions.iter().find(|(name, _)| *name == topic);
        let version = known.map_or(0, |(_, version)| *version);
        let newer = companion.model(&topic, version).await?;
        if let Some((file, version)) = newer {
            let knowledge = read_model(&file)?;
            let topic_model = TopicModel::with_knowledge(knowledge).ok_or(Problem::NewerModel)?;
            settings.versions.retain(|(name, _)| *name != topic);
            settings.versions.push((topic.clone(), version));
            let said = topic_model.graph().phrases.clone();
            settings.set_said(&topic, said.into_iter().collect());
            // An older companion's model does not say what the topic is called.
            let name = topic_model.graph().topic_name.clone();
            if !name.is_empty() {
                settings.set_name(&topic, &name);
            }
            let mut change = Change::default();
            let line = self
                .ledger
                .line(Way::Taken, "model", vec![topic.clone()], file.len());
            self.ledger.put_down(&line, &mut change)?;
            change.settings(&settings)?;
            self.topic_models
                .keep_topic_model(topic.clone(), topic_model, &mut change)?;
            self.context.store.apply(change).await?;
            is_other = true;
        }
        forgotten.map(|()| (is_other, Some(topic)))
    }

    /// A link that opens the companion's dashboard, once.
    pub(super) async fn dashboard(&self) -> Result<String, Problem> {
        let settings = self.context.store.settings().await?;
        let companion = Companion::of(&settings, &self.context.world).ok_or(Problem::NotPaired)?;
        Ok(companion.dashboard().await?)
    }

    /// Hands the topic in hand over.
    pub(super) async fn hand_over(&self, order: CrawlOrder) -> Result<CrawlView, Problem> {
        self.sync().await?;
        let settings = self.context.store.settings().await?;
        let companion = Companion::of(&settings, &self.context.world).ok_or(Problem::NotPaired)?;
        let topic = settings.current.ok_or(Problem::NoTopic)?;
        let crawl = companion.begin(&CrawlOrder { topic, ..order }).await?;
        self.finding.saw_crawl(crawl.clone()).await?;
        Ok(crawl)
    }
}
