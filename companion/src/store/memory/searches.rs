//! Searches that the person keeps, in memory.

use async_trait::async_trait;

use super::{MemoryStore, at};
use crate::store::ports::{SearchRow, Searches};
use crate::store::{StoreError, StoreResult};

#[async_trait]
impl Searches for MemoryStore {
    async fn keep_search(&self, search: &SearchRow) -> StoreResult<i64> {
        self.change(|state| {
            if let Some(topic) = search.topic
                && at(&state.topics, topic).is_none()
            {
                return Err(StoreError::Missing("topic"));
            }
            let is_same =
                |row: &&mut SearchRow| (row.topic, &row.name) == (search.topic, &search.name);
            if let Some(known) = state.searches.iter_mut().find(is_same) {
                *known = SearchRow {
                    id: known.id,
                    ..search.clone()
                };
                return Ok(known.id);
            }
            let id = state
                .searches
                .iter()
                .map(|row| row.id)
                .max()
                .unwrap_or_default()
                + 1;
            state.searches.push(SearchRow {
                id,
                ..search.clone()
            });
            Ok(id)
        })
    }

    async fn searches(&self) -> StoreResult<Vec<SearchRow>> {
        let state = self.read();
        let is_shown = |row: &&SearchRow| {
            let topic = row.topic.and_then(|topic| at(&state.topics, topic));
            topic.is_none_or(|topic| !topic.row.is_removed)
        };
        let mut rows: Vec<SearchRow> = state.searches.iter().filter(is_shown).cloned().collect();
        rows.sort_by(|a, b| (&a.name, a.id).cmp(&(&b.name, b.id)));
        Ok(rows)
    }

    async fn drop_search(&self, id: i64) -> StoreResult<()> {
        self.change(|state| {
            state.searches.retain(|row| row.id != id);
            Ok(())
        })
    }
}
