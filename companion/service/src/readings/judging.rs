//! All pages of a topic judged again by what the person said meanwhile: only where they ask for
//! it, since lists are ordered by it.

use std::collections::HashMap;

use linkscent_core::confidence::Confidence;

use crate::Readings;
use crate::ServiceError;
use crate::learning::topic_model;
use linkscent_store::{CrawlState, Topic};

/// What changed when pages were judged again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Judged {
    /// Pages whose probability is in a higher band now.
    pub up: usize,
    /// In a lower one.
    pub down: usize,
    /// All of them.
    pub pages: usize,
}

impl Readings {
    /// Judges all pages that a topic's crawls kept by what is known of the topic now, and keeps
    /// what is said of them. Pages of crawls that run are passed over: these judge themselves.
    pub async fn judge_again(&self, topic: &Topic) -> Result<Judged, ServiceError> {
        let before = self.library.known_pages(Some(topic)).await?;
        let mut topic_model = topic_model::of(&self.context.store, topic, None, None).await?;
        let judging = tokio::task::spawn_blocking(move || topic_model.judge_again());
        let judged = judging.await.map_err(anyhow::Error::from)?;
        for crawl in self.context.store.crawls(Some(topic.id)).await? {
            if crawl.is_reading() {
                self.judge_readings(&crawl).await?;
            } else if crawl.state != CrawlState::Running {
                self.context.store.judge_again(crawl.id, &judged).await?;
            }
        }
        self.context.say_changed();
        let after = self.library.known_pages(Some(topic)).await?;
        let before: HashMap<u64, f64> = before.probabilities().collect();
        let mut moved = Judged::default();
        for (key, probability) in after.probabilities() {
            let Some(before) = before.get(&key) else {
                continue;
            };
            moved.pages += 1;
            let (was, is) = (
                Confidence::of(*before) as u8,
                Confidence::of(probability) as u8,
            );
            moved.up += usize::from(is > was);
            moved.down += usize::from(is < was);
        }
        Ok(moved)
    }
}
