//! What happens between the background and the companion on the same machine:
//! pairing, sending what waits, taking newer models, handing over.

use linkscent_core::guide::Guide;
use linkscent_core::wire::api::{CrawlOrder, CrawlView};
use linkscent_core::wire::read_model;
use wasm_bindgen::JsError;

use super::{Background, js, random_id};
use crate::store::Change;
use crate::sync::{self, Companion};

/// Events sent to the companion in one call.
const MOST_SENT: usize = 100;

impl Background {
    /// See [`crate::Linkscent::pair`].
    pub async fn pair(&mut self, port: u16, code: &str) -> Result<(), JsError> {
        let pairing = sync::pair(port, code.trim()).await.map_err(js)?;
        let mut settings = self.store.settings().await?;
        settings.port = port;
        settings.device = Some(pairing.device);
        settings.key = Some(sync::hex(pairing.key.bytes()));
        settings.versions.clear();
        let mut change = Change::default();
        change.settings(&settings)?;
        // This companion may never have heard of the marks; those it knows it
        // takes for what they are.
        for mark in self.store.all_marks().await? {
            change.send(&mark.event(format!("again-{}", random_id())))?;
        }
        for mut mark in self.store.form_marks().await? {
            mark.id = format!("again-{}", random_id());
            change.send(&mark)?;
        }
        self.store.apply(change).await?;
        self.sync().await
    }

    /// See [`crate::Linkscent::unpair`].
    pub async fn unpair(&mut self) -> Result<(), JsError> {
        let mut settings = self.store.settings().await?;
        (settings.device, settings.key) = (None, None);
        settings.to_forget.retain(|what| what.every_click);
        let mut change = Change::default();
        change.settings(&settings)?;
        self.store.apply(change).await
    }

    /// See [`crate::Linkscent::sync`]. The outbox is emptied first, so the
    /// model that comes back knows every mark.
    pub async fn sync(&mut self) -> Result<(), JsError> {
        let mut settings = self.store.settings().await?;
        let Some(companion) = Companion::of(&settings) else {
            return Ok(());
        };
        // What fails is told when the rest is done: marks must not wait for it.
        let forgotten = self.forget_there(&companion, &mut settings).await;
        loop {
            let mut waiting = self.store.outbox().await?;
            waiting.truncate(MOST_SENT);
            if waiting.is_empty() {
                break;
            }
            let (keys, events): (Vec<_>, Vec<_>) = waiting.into_iter().unzip();
            companion.send(&events).await.map_err(js)?;
            let mut change = Change::default();
            change.sent(&keys);
            self.store.apply(change).await?;
        }
        let Some(topic) = settings.current.clone() else {
            return forgotten;
        };
        let known = settings.versions.iter().find(|(name, _)| *name == topic);
        let version = known.map_or(0, |(_, version)| *version);
        let newer = companion.model(&topic, version).await.map_err(js)?;
        if let Some((file, version)) = newer {
            let knowledge = read_model(&file).map_err(js)?;
            let guide = Guide::with_knowledge(knowledge)
                .ok_or_else(|| js("the companion's model needs a newer extension: update it"))?;
            settings.versions.retain(|(name, _)| *name != topic);
            settings.versions.push((topic.clone(), version));
            let mut change = Change::default();
            change.settings(&settings)?;
            self.keep_guide(topic, guide, &mut change)?;
            self.store.apply(change).await?;
        }
        forgotten
    }

    /// See [`crate::Linkscent::dashboard`].
    pub async fn dashboard(&mut self) -> Result<String, JsError> {
        let settings = self.store.settings().await?;
        let companion =
            Companion::of(&settings).ok_or_else(|| js("pair with the companion first"))?;
        companion.dashboard().await.map_err(js)
    }

    /// See [`crate::Linkscent::hand_over`].
    pub async fn hand_over(
        &mut self,
        budget: u64,
        seeds: Vec<String>,
    ) -> Result<CrawlView, JsError> {
        self.sync().await?;
        let settings = self.store.settings().await?;
        let companion =
            Companion::of(&settings).ok_or_else(|| js("pair with the companion first"))?;
        let topic = settings.current.ok_or_else(|| js("choose a topic first"))?;
        let order = CrawlOrder {
            topic,
            seeds,
            budget,
        };
        companion.begin(&order).await.map_err(js)
    }
}
