//! How long crawls are kept that are over, and how much room everything may take: what is older, or
//! too much, is deleted crawl by crawl, the one that ended first before all others.
//!
//! What the person said of pages stays, and so does what models learned. Crawls of a topic that is
//! watched stay, since its rounds go by what was seen before, and so do pages that a browser kept:
//! those are forgotten, page by page. The room is that of the database and of what crawls have beside
//! it; index and copies do not count, since deleting crawls for them would help nobody.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::ServiceError;
use crate::Upkeep;
use linkscent_store::CrawlRow;
use linkscent_store::clock;

const DAY: i64 = 24 * 60 * 60 * 1_000;
/// So often a companion looks. The first time so long after it began: a clock that is wrong as a
/// machine starts has been set by then.
const LOOKED_EVERY: Duration = Duration::from_hours(1);

/// What is kept; without bounds everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Retention {
    /// So many days after its last request a crawl goes.
    pub days: Option<u32>,
    /// Bytes that database and crawls may take, as far as deleting crawls can bring that about.
    pub bytes: Option<u64>,
}

/// A crawl that goes.
#[derive(Debug, Clone)]
pub struct Outdated {
    /// The crawl.
    pub crawl: CrawlRow,
    /// What its topic is called.
    pub topic: String,
    /// When its last request ended, in milliseconds since 1970; 0 where that was not put down.
    pub ended: i64,
    /// What its pages take on the disk.
    pub bytes: u64,
    /// Whether it goes for its age; else for the room it takes.
    pub is_old: bool,
}

impl Upkeep {
    /// The crawls that go now, in the order in which they do. Of one without times it is not said how
    /// old it is.
    pub async fn outdated(&self, retention: Retention) -> Result<Vec<Outdated>, ServiceError> {
        let mut over = self.crawls_that_may_go().await?;
        over.sort_by_key(|row| (row.ended, row.crawl.id));
        let folder = self.context.store.folder();
        let used = bytes_of_crawls(folder).with_context(|| format!("reading {}", folder.display()));
        let mut used = used?;
        let last = retention
            .days
            .map(|days| clock::now() - i64::from(days) * DAY);
        let mut gone = Vec::new();
        for mut row in over {
            row.is_old = row.ended > 0 && last.is_some_and(|last| row.ended < last);
            let is_too_much = retention.bytes.is_some_and(|most| used > most);
            if row.is_old || is_too_much {
                used = used.saturating_sub(row.bytes);
                gone.push(row);
            }
        }
        Ok(gone)
    }

    async fn crawls_that_may_go(&self) -> Result<Vec<Outdated>, ServiceError> {
        let standing = self.context.store.standing().await?;
        let watched: BTreeSet<i64> = standing.iter().map(|row| row.topic).collect();
        let mut over = Vec::new();
        for crawl in self.context.store.crawls(None).await? {
            let stays = crawl.is_reading() || watched.contains(&crawl.topic);
            if stays || !crawl.state.is_over() || self.context.store.is_locked(crawl.id) {
                continue;
            }
            let last = self.context.store.last_number(crawl.id).await?;
            let line = self
                .context
                .store
                .outcomes(crawl.id, last.saturating_sub(1), 1);
            let ended = line.await?.first().map_or(0, |line| line.time);
            let files = [
                self.context.store.warc_path(crawl.id),
                self.context.store.checkpoint_path(crawl.id),
                self.context.store.requests_path(crawl.id),
            ];
            let sizes = files
                .iter()
                .map(|file| std::fs::metadata(file).map_or(0, |file| file.len()));
            let (_, topic) = self.context.crawl(crawl.id).await?;
            over.push(Outdated {
                topic: topic.name,
                ended,
                bytes: sizes.sum(),
                is_old: false,
                crawl,
            });
        }
        Ok(over)
    }

    /// Deletes these, but for those that may not go any more, and says so to their topics.
    pub async fn prune(&self, outdated: &[Outdated]) -> Result<(), ServiceError> {
        let now = self.crawls_that_may_go().await?;
        let may_go: BTreeSet<i64> = now.iter().map(|row| row.crawl.id).collect();
        let outdated = outdated.iter();
        let gone: Vec<&Outdated> = outdated
            .filter(|row| may_go.contains(&row.crawl.id))
            .collect();
        let crawls = gone.iter().map(|row| row.crawl.clone()).collect();
        self.deletion.delete_crawls(crawls).await?;
        for row in gone {
            let why = if row.is_old {
                "its age"
            } else {
                "the room it took"
            };
            let said = format!("crawl {} was deleted for {why}", row.crawl.id);
            self.context
                .store
                .notice(row.crawl.topic, None, &said)
                .await?;
        }
        Ok(())
    }

    /// Deletes what goes, as long as this is polled. What fails is told, and tried again.
    pub async fn keep_within(&self, retention: Retention) -> Result<()> {
        loop {
            tokio::time::sleep(LOOKED_EVERY).await;
            if retention == Retention::default() {
                continue;
            }
            let pruned = match self.outdated(retention).await {
                Ok(outdated) if outdated.is_empty() => continue,
                Ok(outdated) => self.prune(&outdated).await,
                Err(error) => Err(error),
            };
            if let Err(error) = pruned {
                tracing::warn!("crawls that are too old or too large are not deleted: {error}");
            }
        }
    }
}

/// Bytes of the database and of the files of crawls.
fn bytes_of_crawls(folder: &Path) -> std::io::Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with("crawl-")
            || ["linkscent.sqlite", "linkscent.sqlite-wal"].contains(&&*name)
        {
            // It may go meanwhile.
            bytes += entry.metadata().map_or(0, |file| file.len());
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Services;
    use crate::crawler::way::Way;
    use crate::{NewCrawl, Starts};
    use linkscent_store::fixtures::fetched;
    use linkscent_store::{CrawlState, Store};

    /// Four crawls of two topics that ended so many days ago, with archives of 100 kB each.
    async fn crawls(service: &Services, days: &[i64]) -> Vec<i64> {
        let mut ids = Vec::new();
        for (place, days) in days.iter().enumerate() {
            let name = ["bees", "wasps"][place % 2];
            let start = "http://a.test/1".to_owned();
            let topic = match service.topics.find_known_as(name).await.unwrap() {
                Some(topic) => topic,
                None => service.topics.create_topic(name, &[start]).await.unwrap(),
            };
            let new = NewCrawl::new(Starts::default(), 5);
            let id = service.crawls.prepare_crawl(&topic, &new).await.unwrap().id;
            let (record, mut place) = fetched(1, "http://a.test/1", 0.9);
            place.time = clock::now() - days * DAY - 1_000;
            let store = &service.context.store;
            store
                .take_fetches(id, 10, &[(record, place)])
                .await
                .unwrap();
            std::fs::write(store.warc_path(id), vec![0; 100_000]).unwrap();
            store
                .set_state(id, CrawlState::Done, "budget")
                .await
                .unwrap();
            ids.push(id);
        }
        ids
    }

    fn ids(outdated: &[Outdated]) -> Vec<i64> {
        outdated.iter().map(|row| row.crawl.id).collect()
    }

    #[tokio::test]
    async fn old_crawls_go_and_then_the_oldest_until_there_is_room() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let service = Services::new(store, Way::default());
        let made = crawls(&service, &[5, 40, 100, 90]).await;
        let by_days = |days| Retention {
            days: Some(days),
            bytes: None,
        };
        let outdated = async |retention| service.upkeep.outdated(retention).await.unwrap();
        assert!(outdated(Retention::default()).await.is_empty());
        assert!(outdated(by_days(101)).await.is_empty());
        assert_eq!(ids(&outdated(by_days(90)).await), [made[2], made[3]]);
        // What runs or rests stays, and what is watched.
        let paused = CrawlState::Paused;
        service
            .context
            .store
            .set_state(made[2], paused, "")
            .await
            .unwrap();
        assert_eq!(
            ids(&outdated(by_days(1)).await),
            [made[3], made[1], made[0]]
        );
        let done = CrawlState::Done;
        service
            .context
            .store
            .set_state(made[2], done, "")
            .await
            .unwrap();

        // An index, and a copy of the database, are not crawls.
        std::fs::create_dir(folder.path().join("library")).unwrap();
        for file in ["library/index", "linkscent.sqlite.before"] {
            std::fs::write(folder.path().join(file), vec![0; 500_000]).unwrap();
        }
        let all = bytes_of_crawls(folder.path()).unwrap();
        let too_much = Retention {
            days: None,
            bytes: Some(all - 150_000),
        };
        let gone = outdated(too_much).await;
        assert_eq!(ids(&gone), [made[2], made[3]]);
        assert!(gone.iter().all(|row| row.bytes == 100_000 && !row.is_old));
        service.upkeep.prune(&gone).await.unwrap();
        let left = service.context.store.crawls(None).await.unwrap();
        let left: Vec<i64> = left.iter().map(|crawl| crawl.id).collect();
        assert_eq!(left, [made[1], made[0]]);
        assert!(!service.context.store.warc_path(made[2]).exists());
        let topic = service.topics.find_known_as("bees").await.unwrap().unwrap();
        let said = service.context.store.notices(topic.id, None).await.unwrap();
        assert!(said.iter().any(|said| said.contains("room")), "{said:?}");
    }
}
