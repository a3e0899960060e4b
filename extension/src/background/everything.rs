//! All that is kept in this browser: as a file to take away, or deleted for good.

use serde_json::{Map, Value as Json, json};

use super::Background;
use crate::companion::hex;
use crate::ports::{Table, Value, World};
use crate::problem::Problem;
use crate::store::{Change, SETTINGS};

/// What is nobody's business, not even in a file of one's own: whoever has the key can speak
/// for this browser.
const KEY: &str = "key";

impl<W: World> Background<W> {
    /// Every table as JSON; models and pages in hexadecimal.
    pub(super) async fn everything(&self) -> Result<String, Problem> {
        let mut tables = Map::new();
        for table in Table::ALL {
            let keys = self.store.keys(table).await?;
            let values = self.store.values(table).await?;
            let rows = keys.into_iter().zip(values).map(|(key, value)| {
                let value = match value {
                    Value::Json(value) if key == SETTINGS => without_key(value),
                    Value::Json(value) => value,
                    Value::Bytes(bytes) => json!({ "hexadecimal": hex(&bytes) }),
                };
                (key, value)
            });
            tables.insert(table.name().to_owned(), Json::Object(rows.collect()));
        }
        let all = json!({ "program": "linkscent", "tables": tables });
        Ok(all.to_string())
    }

    /// Deletes all of it; a companion is unpaired, and keeps what it has. Pages that are open
    /// are not read again before they are loaded again.
    pub(super) async fn delete_everything(&mut self) -> Result<(), Problem> {
        self.guide = None;
        let mut change = Change::default();
        for table in Table::ALL {
            change.clear(table);
        }
        change.known_tabs(&self.forgotten_tabs().await?)?;
        self.store.apply(change).await?;
        self.world.reads(true).await;
        Ok(())
    }

    /// Reads pages everywhere, or nowhere.
    pub(super) async fn switch(&mut self, on: bool) -> Result<(), Problem> {
        let mut settings = self.store.settings().await?;
        settings.is_off = !on;
        let mut change = Change::default();
        change.settings(&settings)?;
        self.store.apply(change).await?;
        self.world.reads(on).await;
        Ok(())
    }

    /// Shows links in the side panel alone, or over pages, too. Pages that are open are read again.
    pub(super) async fn show_in_panel_only(&mut self, on: bool) -> Result<(), Problem> {
        let mut settings = self.store.settings().await?;
        settings.panel_only = on;
        let mut change = Change::default();
        change.settings(&settings)?;
        self.store.apply(change).await?;
        self.world.reads(!settings.is_off).await;
        Ok(())
    }

    /// Shows at the extension's button whether pages are read: browsers forget it when they are
    /// closed.
    pub async fn show_switch(&self) {
        if let Ok(settings) = self.store.settings().await
            && settings.is_off
        {
            self.world.reads(false).await;
        }
    }
}

fn without_key(mut settings: Json) -> Json {
    if let Some(settings) = settings.as_object_mut() {
        settings.remove(KEY);
    }
    settings
}
