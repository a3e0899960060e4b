//! Forgetting in memory.

use std::collections::BTreeSet;

use async_trait::async_trait;
use linkscent_core::address::Address;
use linkscent_core::guide::ToForget;

use super::{CrawlEntry, MemoryStore, State};
use crate::store::StoreResult;
use crate::store::marks::{gone_clicks, is_gone};
use crate::store::ports::{Command, Forgetting, KeptPage, ModelOf};
use crate::store::stands_in::stands_in;

fn names(gone: &ToForget, page: &str) -> bool {
    Address::parse(page).is_ok_and(|page| gone.has_page(&page))
}

impl CrawlEntry {
    /// Forgets pages of its log; how many entries went.
    fn forget(&mut self, gone: &ToForget, spellings: &BTreeSet<&str>) -> usize {
        let size = |crawl: &Self| {
            crawl.log.len()
                + crawl.alarms.len()
                + crawl.skipped.len()
                + crawl.questions.len()
                + crawl.commands.len()
                + crawl.row.order.seeds.len()
        };
        let before = size(self);
        self.log
            .retain(|_, (record, _)| !spellings.contains(record.address.as_str()));
        for (record, place) in self.log.values_mut() {
            record
                .trail
                .retain(|step| !spellings.contains(step.as_str()));
            if place
                .redirect
                .as_deref()
                .is_some_and(|to| spellings.contains(to))
            {
                place.redirect = None;
                "redirects to a page that was forgotten".clone_into(&mut record.problem);
            }
        }
        self.alarms
            .retain(|_, said| !spellings.iter().any(|page| said.contains(page)));
        self.skipped
            .retain(|page, _| !spellings.contains(page.as_str()));
        self.questions
            .retain(|page, _| !spellings.contains(page.as_str()));
        self.commands.retain(|command| match command {
            Command::Mark(page, _) => !spellings.contains(page.as_str()),
            Command::Pause | Command::Stop | Command::Said | Command::Order => true,
        });
        self.row.order.seeds.retain(|seed| !names(gone, &seed.0));
        before - size(self)
    }

    /// All its texts.
    fn text(&self) -> String {
        let log: Vec<_> = self.log.values().collect();
        format!(
            "{:?} {log:?} {:?} {:?} {:?} {:?}",
            self.row, self.alarms, self.skipped, self.questions, self.commands
        )
    }
}

impl State {
    /// Places and what stands there.
    fn places(&self) -> Vec<(&'static str, Vec<u8>)> {
        let mut places = Vec::new();
        for topic in &self.topics {
            let text = format!("{:?} {:?}", topic.row, topic.critic);
            places.push(("topics", text.into_bytes()));
            places.push(("models", topic.model.clone().unwrap_or_default()));
            places.push(("taxonomies", topic.taxonomy.clone().unwrap_or_default()));
        }
        for row in &self.events {
            places.push(("events", format!("{:?}", row.event).into_bytes()));
        }
        for crawl in self.crawls.values() {
            places.push(("crawls", crawl.text().into_bytes()));
            places.push(("models", crawl.start_model.clone()));
        }
        for notice in &self.notices {
            places.push(("notices", notice.said.clone().into_bytes()));
        }
        places
    }
}

#[async_trait]
impl Forgetting for MemoryStore {
    async fn spellings(&self, gone: &ToForget) -> StoreResult<Vec<String>> {
        let mut spellings: BTreeSet<String> = gone.pages.iter().map(Address::to_string).collect();
        for crawl in self.read().crawls.values() {
            let seen = crawl.skipped.keys().chain(crawl.questions.keys()).cloned();
            let fetched = crawl.log.values().flat_map(|(record, place)| {
                [Some(record.address.to_string()), place.redirect.clone()]
            });
            let trails = crawl.log.values().flat_map(|row| &row.0.trail);
            let steps = trails.map(ToString::to_string);
            let commands = crawl.commands.iter().filter_map(|command| match command {
                Command::Mark(page, _) => Some(page.to_string()),
                Command::Pause | Command::Stop | Command::Said | Command::Order => None,
            });
            let known = seen.chain(fetched.flatten()).chain(steps).chain(commands);
            spellings.extend(known.filter(|page| names(gone, page)));
        }
        for row in &self.read().events {
            let pages = row.event.pages().into_iter().map(str::to_owned);
            spellings.extend(pages.filter(|page| names(gone, page)));
        }
        Ok(spellings.into_iter().collect())
    }

    async fn kept_pages(&self, spellings: &[String]) -> StoreResult<Vec<KeptPage>> {
        let mut kept = Vec::new();
        for crawl in self.read().crawls.values() {
            let offsets: BTreeSet<u64> = crawl
                .log
                .values()
                .filter_map(|(_, place)| place.warc_offset)
                .collect();
            for (record, place) in crawl.log.values() {
                let Some(offset) = place.warc_offset else {
                    continue;
                };
                let to = place.redirect.as_deref();
                let is_it = |page: &String| record.address.as_str() == page || to == Some(&**page);
                if spellings.iter().any(is_it) {
                    let next = offsets.range(offset + 1..).next();
                    kept.push(KeptPage {
                        crawl: crawl.row.id,
                        offset,
                        end: next.copied().unwrap_or(crawl.row.warc_length),
                    });
                }
            }
        }
        Ok(kept)
    }

    async fn readings_since(&self, time: i64) -> StoreResult<Vec<(u64, KeptPage)>> {
        let mut kept = Vec::new();
        for crawl in self.read().crawls.values().filter(|it| it.row.is_reading()) {
            let offsets: BTreeSet<u64> = crawl
                .log
                .values()
                .filter_map(|(_, place)| place.warc_offset)
                .collect();
            for (record, place) in crawl.log.values().filter(|row| row.1.time >= time) {
                if let Some(offset) = place.warc_offset {
                    let next = offsets.range(offset + 1..).next();
                    let page = KeptPage {
                        crawl: crawl.row.id,
                        offset,
                        end: next.copied().unwrap_or(crawl.row.warc_length),
                    };
                    kept.push((record.number, page));
                }
            }
        }
        Ok(kept)
    }

    async fn forget_copies(&self, copies: &[(i64, u64)]) -> StoreResult<()> {
        self.change(|state| {
            for (crawl, number) in copies {
                if let Some(crawl) = state.crawls.get_mut(crawl) {
                    crawl.log.remove(number);
                }
            }
            Ok(())
        })
    }

    async fn forget_rows(&self, gone: &ToForget, spellings: &[String]) -> StoreResult<u64> {
        self.change(|state| {
            let spellings: BTreeSet<&str> = spellings.iter().map(String::as_str).collect();
            let before = state.events.len() + state.notices.len();
            let clicks = gone_clicks(state.events.iter().map(|row| &row.event), gone);
            let events = &mut state.events;
            events.retain(|row| !is_gone(&row.event, gone, &clicks));
            state
                .notices
                .retain(|notice| !spellings.iter().any(|page| notice.said.contains(page)));
            let mut went = before - state.events.len() - state.notices.len();
            for crawl in state.crawls.values_mut() {
                went += crawl.forget(gone, &spellings);
            }
            Ok(went as u64)
        })
    }

    async fn model_files(&self) -> StoreResult<Vec<(ModelOf, Vec<u8>)>> {
        let state = self.read();
        let topics = state.topics.iter();
        let topics =
            topics.filter_map(|topic| Some((ModelOf::Topic(topic.row.id), topic.model.clone()?)));
        let crawls = state.crawls.values();
        let crawls = crawls.map(|crawl| (ModelOf::Crawl(crawl.row.id), crawl.start_model.clone()));
        Ok(topics.chain(crawls).collect())
    }

    async fn taxonomies(&self) -> StoreResult<Vec<(i64, Vec<u8>)>> {
        let state = self.read();
        let topics = state.topics.iter();
        let kept = topics.filter_map(|topic| Some((topic.row.id, topic.taxonomy.clone()?)));
        Ok(kept.collect())
    }

    async fn replace_model(&self, of: ModelOf, file: &[u8]) -> StoreResult<()> {
        self.change(|state| {
            match of {
                ModelOf::Topic(id) => state.renew(id, |topic| topic.model = Some(file.to_vec())),
                ModelOf::Crawl(id) => {
                    if let Some(crawl) = state.crawls.get_mut(&id) {
                        crawl.start_model = file.to_vec();
                    }
                }
            }
            Ok(())
        })
    }

    async fn sweep(&self) -> StoreResult<()> {
        Ok(()) // there is no free space
    }

    async fn traces(&self, spellings: &[String]) -> StoreResult<Vec<String>> {
        let state = self.read();
        let has_page = |bytes: &[u8]| spellings.iter().any(|page| stands_in(bytes, page));
        let places = state
            .places()
            .into_iter()
            .filter(|place| has_page(&place.1));
        let names: BTreeSet<&str> = places.map(|place| place.0).collect();
        Ok(names.into_iter().map(str::to_owned).collect())
    }
}
