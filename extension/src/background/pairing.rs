//! What happens between the background and the companion on the same machine:
//! pairing, sending what waits, taking newer models, handing over.

use linkscent_core::crawl::StoppingRule;
use linkscent_core::guide::Guide;
use linkscent_core::wire::api::{CrawlOrder, CrawlView, EventKind};
use linkscent_core::wire::read_model;

use super::Background;
use crate::companion::{self, Companion};
use crate::ports::World;
use crate::problem::Problem;
use crate::store::Change;

/// Events sent to the companion in one call.
const MOST_SENT: u32 = 100;

impl<W: World> Background<W> {
    /// Pairs with the companion by its code.
    pub(super) async fn pair(&mut self, port: u16, code: &str) -> Result<(), Problem> {
        let pairing = companion::pair(&*self.world, port, code.trim()).await?;
        let mut settings = self.store.settings().await?;
        settings.port = port;
        settings.device = Some(pairing.device);
        settings.key = Some(companion::hex(pairing.key.bytes()));
        settings.versions.clear();
        let mut change = Change::default();
        change.settings(&settings)?;
        // This companion may never have heard of the marks; those it knows it
        // takes for what they are.
        for mark in self.store.all_marks().await? {
            change.send(&mark.event(format!("again-{}", self.random_id())))?;
        }
        for (topic, name) in &settings.names {
            let name = name.clone();
            change.send(&self.event(topic, self.world.now(), EventKind::Name { name }))?;
        }
        for (topic, said) in &settings.said {
            for (text, wanted) in said {
                let (text, wanted) = (text.clone(), Some(*wanted));
                let what = EventKind::Phrase { text, wanted };
                change.send(&self.event(topic, self.world.now(), what))?;
            }
        }
        for mut mark in self.store.form_marks().await? {
            mark.id = format!("again-{}", self.random_id());
            change.send(&mark)?;
        }
        self.store.apply(change).await?;
        self.sync().await
    }

    /// Forgets the companion.
    pub(super) async fn unpair(&mut self) -> Result<(), Problem> {
        let mut settings = self.store.settings().await?;
        (settings.device, settings.key) = (None, None);
        settings.to_forget.retain(|what| what.every_click);
        let mut change = Change::default();
        change.settings(&settings)?;
        Ok(self.store.apply(change).await?)
    }

    /// Sends what is new, and pulls a newer model. The outbox is emptied first, so the
    /// model that comes back knows every mark.
    pub(super) async fn sync(&mut self) -> Result<(), Problem> {
        let mut settings = self.store.settings().await?;
        let Some(companion) = Companion::of(&settings, &self.world) else {
            return Ok(());
        };
        // What fails is told when the rest is done: marks must not wait for it.
        let forgotten = self.forget_there(&companion, &mut settings).await;
        loop {
            let waiting = self.store.oldest(MOST_SENT).await?;
            if waiting.is_empty() {
                break;
            }
            let (keys, events): (Vec<_>, Vec<_>) = waiting.into_iter().unzip();
            companion.send(&events).await?;
            let mut change = Change::default();
            change.sent(&keys);
            self.store.apply(change).await?;
        }
        let Some(topic) = settings.current.clone() else {
            return forgotten;
        };
        let known = settings.versions.iter().find(|(name, _)| *name == topic);
        let version = known.map_or(0, |(_, version)| *version);
        let newer = companion.model(&topic, version).await?;
        if let Some((file, version)) = newer {
            let knowledge = read_model(&file)?;
            let guide = Guide::with_knowledge(knowledge).ok_or(Problem::NewerModel)?;
            settings.versions.retain(|(name, _)| *name != topic);
            settings.versions.push((topic.clone(), version));
            let said = guide.graph().phrases.clone();
            settings.set_said(&topic, said.into_iter().collect());
            // An older companion's model does not say what the topic is called.
            let name = guide.graph().topic_name.clone();
            if !name.is_empty() {
                settings.set_name(&topic, &name);
            }
            let mut change = Change::default();
            change.settings(&settings)?;
            self.keep_guide(topic, guide, &mut change)?;
            self.store.apply(change).await?;
        }
        forgotten
    }

    /// A link that opens the companion's dashboard, once.
    pub(super) async fn dashboard(&self) -> Result<String, Problem> {
        let settings = self.store.settings().await?;
        let companion = Companion::of(&settings, &self.world).ok_or(Problem::NotPaired)?;
        Ok(companion.dashboard().await?)
    }

    /// Hands the topic over, starting from these pages; sites are left by this rule, and it
    /// begins with what another topic taught, if one is named.
    pub(super) async fn hand_over(
        &mut self,
        budget: u64,
        seeds: Vec<String>,
        stopping: StoppingRule,
        start_from: Option<String>,
    ) -> Result<CrawlView, Problem> {
        self.sync().await?;
        let settings = self.store.settings().await?;
        let companion = Companion::of(&settings, &self.world).ok_or(Problem::NotPaired)?;
        let topic = settings.current.ok_or(Problem::NoTopic)?;
        let order = CrawlOrder {
            strategy: None,
            start_from,
            topic,
            seeds,
            budget,
            site_pages: stopping.pages,
            site_targets: stopping.targets,
        };
        Ok(companion.begin(&order).await?)
    }
}
