//! Deleting crawls and topics in memory.

use async_trait::async_trait;
use linkscent_core::wire::api::EventName;

use super::{MemoryStore, State, at};
use crate::store::StoreResult;
use crate::store::ports::Deleting;

impl State {
    fn delete_crawl(&mut self, crawl: i64) {
        if self.crawls.remove(&crawl).is_some() {
            self.deleted_crawls.push(crawl);
            self.notices.retain(|notice| notice.crawl != Some(crawl));
        }
    }
}

#[async_trait]
impl Deleting for MemoryStore {
    async fn hide_crawl(&self, crawl: i64, removed: bool) -> StoreResult<()> {
        self.change(|state| {
            if let Some(crawl) = state.crawls.get_mut(&crawl) {
                crawl.row.is_removed = removed;
            }
            Ok(())
        })
    }

    async fn delete_crawl(&self, crawl: i64) -> StoreResult<()> {
        self.change(|state| {
            state.delete_crawl(crawl);
            Ok(())
        })
    }

    async fn delete_topic(&self, topic: i64) -> StoreResult<()> {
        self.change(|state| {
            if at(&state.topics, topic).is_none() {
                return Ok(());
            }
            let crawls = state
                .crawls
                .values()
                .filter(|crawl| crawl.row.topic == topic);
            let crawls: Vec<i64> = crawls.map(|crawl| crawl.row.id).collect();
            for crawl in crawls {
                state.delete_crawl(crawl);
            }
            state.notices.retain(|notice| notice.topic != topic);
            state.searches.retain(|search| search.topic != Some(topic));
            state.standing.retain(|standing| standing.topic != topic);
            state.topic_roles.retain(|&(_, of), _| of != topic);
            let removals = state
                .events
                .iter()
                .filter(|row| row.topic == topic && row.event.what.name() == EventName::Remove);
            let last = removals.max_by_key(|row| (row.event.time, row.number));
            let last = last.map(|row| row.number);
            state
                .events
                .retain(|row| row.topic != topic || Some(row.number) == last);
            state.renew(topic, |topic| {
                topic.row.name.clone_from(&topic.row.key);
                topic.critic = None;
                topic.taxonomy = None;
                topic.model = None;
            });
            Ok(())
        })
    }

    async fn deleted_crawls(&self) -> StoreResult<Vec<i64>> {
        let mut deleted = self.read().deleted_crawls.clone();
        deleted.sort_unstable();
        Ok(deleted)
    }

    async fn delete_everything(&self) -> StoreResult<()> {
        self.change(|state| {
            let changes = state.changes;
            *state = State {
                changes,
                accounts: std::mem::take(&mut state.accounts),
                accounts_made: state.accounts_made,
                subjects: std::mem::take(&mut state.subjects),
                sign_ins: std::mem::take(&mut state.sign_ins),
                ..State::default()
            };
            Ok(())
        })
    }
}
