//! What the person chose: sites on which nothing is read.

use linkscent_core::address::Address;
use linkscent_core::page::Page;
use linkscent_core::privacy::{self, Refusal};
use linkscent_core::wire::Snapshot;

use super::Topics;
use crate::ports::World;
use crate::problem::Problem;
use crate::rows::{Settings, TrailRow};
use crate::store::Change;
use crate::texts;

impl<W: World> Topics<W> {
    /// Pauses on the page's host, or goes on there.
    pub(in crate::background) async fn pause(
        &self,
        snapshot: &Snapshot,
        on: bool,
    ) -> Result<(), Problem> {
        let address = Address::parse(&snapshot.url)?;
        let mut settings = self.context.store.settings().await?;
        settings.paused.retain(|host| host != address.host());
        if on {
            settings.paused.push(address.host().to_owned());
        }
        let mut change = Change::default();
        change.settings(&settings)?;
        Ok(self.context.store.apply(change).await?)
    }

    /// Why a page is not read, in a few words, if that can be told by its address.
    pub(in crate::background) async fn refusal(
        &self,
        address: &str,
    ) -> Result<Option<String>, Problem> {
        let settings = self.context.store.settings().await?;
        if settings.is_off {
            return Ok(Some(self.switched_off()));
        }
        let address = Address::parse(address)?;
        let refusal = refusal(&settings, &address);
        Ok(refusal.map(|refusal| texts::refusal(&*self.context.world, refusal)))
    }

    /// Why no page is read while reading is switched off.
    pub(in crate::background) fn switched_off(&self) -> String {
        self.context.world.text("unread_switched_off", &[])
    }

    /// A page of which the person says something, and the topic for which they do.
    pub(in crate::background) async fn judged(
        &self,
        snapshot: &Snapshot,
    ) -> Result<(Page, String), Problem> {
        let settings = self.context.store.settings().await?;
        if settings.is_off {
            return Err(Problem::NotRead(self.switched_off()));
        }
        let page = snapshot.to_page()?;
        if let Some(refusal) = refusal(&settings, &page.address) {
            return Err(Problem::NotRead(texts::refusal(
                &*self.context.world,
                refusal,
            )));
        }
        Ok((page, settings.current.ok_or(Problem::NoTopic)?))
    }

    /// The patterns of sites that are not read, a line each.
    pub(in crate::background) async fn excluded(&self) -> Result<String, Problem> {
        let excluded = self.context.store.settings().await?.excluded;
        Ok(excluded
            .unwrap_or_else(privacy::usually_excluded)
            .join("\n"))
    }

    /// Replaces them; `None` brings the usual ones back.
    pub(in crate::background) async fn exclude(
        &self,
        patterns: Option<String>,
    ) -> Result<(), Problem> {
        let mut settings = self.context.store.settings().await?;
        settings.excluded = patterns.as_deref().map(privacy::patterns);
        let mut change = Change::default();
        change.settings(&settings)?;
        Ok(self.context.store.apply(change).await?)
    }

    /// All trails, newest first, each with what its topic is called.
    pub(in crate::background) async fn trails(&self) -> Result<Vec<TrailRow>, Problem> {
        let mut trails = self.context.store.trails().await?;
        let settings = self.context.store.settings().await?;
        for trail in &mut trails {
            trail.topic = settings.name_of(&trail.topic).to_owned();
        }
        trails.reverse();
        Ok(trails)
    }
}

/// Whether the person paused the host, or the page is none to be read.
pub(in crate::background) fn is_left_alone(settings: &Settings, address: &Address) -> bool {
    let host = address.host();
    let is_paused = settings.paused.iter().any(|paused| paused == host);
    settings.is_off || is_paused || refusal(settings, address).is_some()
}

/// Why a page is not read, if that can be told by its address.
pub(in crate::background) fn refusal(settings: &Settings, address: &Address) -> Option<Refusal> {
    match &settings.excluded {
        Some(excluded) => privacy::refusal(address, excluded),
        None => privacy::refusal(address, &privacy::usually_excluded()),
    }
}
