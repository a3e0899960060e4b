//! What the person turns on and off: reading at all, highlights over pages, news of crawls.

use super::context::Context;
use crate::ports::World;
use crate::problem::Problem;
use crate::store::Change;

/// See the module.
pub(super) struct Switches<W> {
    context: Context<W>,
}

impl<W: World> Switches<W> {
    pub fn new(context: &Context<W>) -> Self {
        let context = context.clone();
        Self { context }
    }

    /// Reads pages everywhere, or nowhere.
    pub async fn switch(&self, on: bool) -> Result<(), Problem> {
        let mut settings = self.context.store.settings().await?;
        settings.is_off = !on;
        let mut change = Change::default();
        change.settings(&settings)?;
        self.context.store.apply(change).await?;
        self.context.world.reads(on).await;
        Ok(())
    }

    /// Shows links in the side panel alone, or over pages, too. Pages that are open are read again.
    pub async fn show_in_panel_only(&self, on: bool) -> Result<(), Problem> {
        let mut settings = self.context.store.settings().await?;
        settings.panel_only = on;
        let mut change = Change::default();
        change.settings(&settings)?;
        self.context.store.apply(change).await?;
        self.context.world.reads(!settings.is_off).await;
        Ok(())
    }

    /// Tells of crawls from now on, or no more.
    pub async fn tell_of_crawls(&self, on: bool) -> Result<(), Problem> {
        let mut settings = self.context.store.settings().await?;
        settings.tells = on;
        let mut change = Change::default();
        change.settings(&settings)?;
        self.context.store.apply(change).await?;
        self.context
            .world
            .look_often(on || !settings.looks.is_empty())
            .await;
        Ok(())
    }

    /// Shows at the extension's button whether pages are read: browsers forget it when they are
    /// closed.
    pub async fn show(&self) {
        if let Ok(settings) = self.context.store.settings().await
            && settings.is_off
        {
            self.context.world.reads(false).await;
        }
    }
}
