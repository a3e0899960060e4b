//! Questions, notices and commands in memory.

use std::mem;

use async_trait::async_trait;

use super::{MemoryStore, Notice, at};
use crate::store::ports::{Command, Commands, MOST_NOTICES, Notices, QuestionRow, Questions};
use crate::store::{StoreError, StoreResult};

#[async_trait]
impl Questions for MemoryStore {
    async fn add_question(&self, crawl: i64, address: &str, asked: i64) -> StoreResult<()> {
        self.change(|state| {
            let crawl = state
                .crawls
                .get_mut(&crawl)
                .ok_or(StoreError::Missing("crawl"))?;
            let question = crawl.questions.entry(address.to_owned());
            question.or_insert((asked, None));
            Ok(())
        })
    }

    async fn asked(&self, crawl: i64) -> StoreResult<Vec<String>> {
        let state = self.read();
        let crawl = state.crawls.get(&crawl);
        let asked = crawl.map(|crawl| crawl.questions.keys().cloned().collect());
        Ok(asked.unwrap_or_default())
    }

    async fn questions(&self, crawl: i64) -> StoreResult<Vec<QuestionRow>> {
        let state = self.read();
        let Some(crawl) = state.crawls.get(&crawl) else {
            return Ok(Vec::new());
        };
        let mut open = Vec::new();
        for (address, (asked, answer)) in &crawl.questions {
            let mut fetches = crawl.log.values().rev();
            let last = fetches.find(|(record, _)| record.address.as_str() == address);
            if let (Some((record, _)), None) = (last, answer) {
                let row = QuestionRow {
                    address: address.clone(),
                    title: record.title.clone(),
                    snippet: record.snippet.clone(),
                };
                open.push((*asked, row));
            }
        }
        open.sort_by_key(|question| question.0);
        Ok(open.into_iter().map(|question| question.1).collect())
    }

    async fn answer(&self, crawl: i64, address: &str, answer: &str) -> StoreResult<()> {
        self.change(|state| {
            let crawl = state.crawls.get_mut(&crawl);
            if let Some(question) = crawl.and_then(|crawl| crawl.questions.get_mut(address)) {
                question.1 = Some(answer.to_owned());
            }
            Ok(())
        })
    }
}

#[async_trait]
impl Notices for MemoryStore {
    async fn add_notice(
        &self,
        topic: i64,
        crawl: Option<i64>,
        said: &str,
        time: i64,
    ) -> StoreResult<bool> {
        self.change(|state| {
            at(&state.topics, topic).ok_or(StoreError::Missing("topic"))?;
            let is_same =
                |known: &Notice| (known.topic, known.crawl, &*known.said) == (topic, crawl, said);
            let is_new = !state.notices.iter().any(is_same);
            if is_new {
                state.notices.push(Notice {
                    topic,
                    crawl,
                    said: said.to_owned(),
                    time,
                });
            }
            Ok(is_new)
        })
    }

    async fn notices(&self, topic: i64, crawl: Option<i64>) -> StoreResult<Vec<String>> {
        let state = self.read();
        let mut notices: Vec<&Notice> = state
            .notices
            .iter()
            .filter(|notice| (notice.topic, notice.crawl) == (topic, crawl))
            .collect();
        notices.sort_by_key(|notice| (-notice.time, &notice.said));
        notices.truncate(MOST_NOTICES);
        Ok(notices.into_iter().map(|one| one.said.clone()).collect())
    }
}

#[async_trait]
impl Commands for MemoryStore {
    async fn leave_command(&self, crawl: i64, command: &Command) -> StoreResult<()> {
        self.change(|state| {
            let crawl = state
                .crawls
                .get_mut(&crawl)
                .ok_or(StoreError::Missing("crawl"))?;
            crawl.commands.push(command.clone());
            Ok(())
        })
    }

    async fn take_commands(&self, crawl: i64) -> StoreResult<Vec<Command>> {
        self.change(|state| {
            let crawl = state.crawls.get_mut(&crawl);
            Ok(crawl.map_or_else(Vec::new, |crawl| mem::take(&mut crawl.commands)))
        })
    }
}
