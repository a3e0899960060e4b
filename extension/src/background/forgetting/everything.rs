//! All that is kept in this browser: as a file to take away, or deleted for good.

use serde_json::{Map, Value as Json, json};

use super::Kept;
use crate::companion::hex;
use crate::ports::{Table, Value, World};
use crate::problem::Problem;
use crate::store::{Change, SETTINGS};

/// What is nobody's business, not even in a file of one's own: whoever has the key can speak
/// for this browser.
const KEY: &str = "key";

impl<W: World> Kept<W> {
    /// Every table as JSON; models and pages in hexadecimal.
    pub(in crate::background) async fn everything(&self) -> Result<String, Problem> {
        let mut tables = Map::new();
        for table in Table::ALL {
            let keys = self.context.store.keys(table).await?;
            let values = self.context.store.values(table).await?;
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
    pub(in crate::background) async fn delete_everything(&self) -> Result<(), Problem> {
        self.topic_models.let_go();
        let mut change = Change::default();
        for table in Table::ALL {
            change.clear(table);
        }
        change.known_tabs(&self.visits.forgotten_tabs().await?)?;
        self.context.store.apply(change).await?;
        self.context.world.reads(true).await;
        Ok(())
    }
}

fn without_key(mut settings: Json) -> Json {
    if let Some(settings) = settings.as_object_mut() {
        settings.remove(KEY);
    }
    settings
}
