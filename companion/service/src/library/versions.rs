//! A page as each crawl of its topic kept it, and what came and went between two of them.

use std::collections::HashMap;

use linkscent_core::page::Page;

use crate::Library;
use crate::ServiceError;
use linkscent_store::ports::CopyRow;

/// Versions that are compared.
const MOST: usize = 10;
/// Passages of a kind that are told of one version.
const MOST_PASSAGES: usize = 100;

/// A page as a crawl kept it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageVersion {
    /// The crawl.
    pub crawl: i64,
    /// Number of the page in its log.
    pub number: u64,
    /// When it was read, in milliseconds since 1970; 0 where that was not put down.
    pub time: i64,
    /// Passages that the version before did not have, at most 100; none of the oldest.
    pub came: Vec<String>,
    /// Passages that the version before had and it has not, at most 100.
    pub went: Vec<String>,
}

/// A copy that could be read.
struct Copy {
    crawl: i64,
    number: u64,
    time: i64,
    page: Page,
}

impl Library {
    /// How many crawls of its topic kept the page that a crawl kept under a number.
    pub async fn count_versions(&self, crawl: i64, number: u64) -> Result<usize, ServiceError> {
        Ok(self.copies(crawl, number).await?.len())
    }

    async fn copies(&self, crawl: i64, number: u64) -> Result<Vec<CopyRow>, ServiceError> {
        let (row, topic) = self.context.crawl(crawl).await?;
        let page = self.kept_row(row.id, number).await?.address;
        Ok(self.context.store.copies(topic.id, &[page]).await?)
    }

    /// The versions of the page that a crawl kept under a number, by when they were read, newest
    /// first; of more than 10 those of the last crawls. One whose copy cannot be read is passed
    /// over.
    pub async fn versions(
        &self,
        crawl: i64,
        number: u64,
    ) -> Result<Vec<PageVersion>, ServiceError> {
        let mut rows = self.copies(crawl, number).await?;
        rows.drain(..rows.len().saturating_sub(MOST));
        let mut copies = Vec::new();
        for row in rows {
            let Ok(page) = self.kept_page(row.crawl, row.number).await else {
                continue;
            };
            let found = self.context.store.result_at(row.crawl, row.number).await?;
            copies.push(Copy {
                crawl: row.crawl,
                number: row.number,
                time: found.map_or(0, |found| found.time),
                page,
            });
        }
        let comparing = tokio::task::spawn_blocking(move || compared(copies));
        Ok(comparing.await.map_err(anyhow::Error::from)?)
    }
}

fn compared(mut copies: Vec<Copy>) -> Vec<PageVersion> {
    copies.sort_by_key(|copy| (copy.time, copy.crawl, copy.number));
    let mut versions = Vec::new();
    let mut before: Option<Vec<String>> = None;
    for copy in copies {
        let passages = copy.page.document().passages();
        let (came, went) = match &before {
            Some(before) => (missing(&passages, before), missing(before, &passages)),
            None => Default::default(),
        };
        versions.push(PageVersion {
            crawl: copy.crawl,
            number: copy.number,
            time: copy.time,
            came,
            went,
        });
        before = Some(passages);
    }
    versions.reverse();
    versions
}

/// Passages that others do not have, in their order; one that stands twice has to be there twice.
fn missing(passages: &[String], others: &[String]) -> Vec<String> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for other in others {
        *counts.entry(other).or_default() += 1;
    }
    let is_missing = |passage: &&String| match counts.get_mut(passage.as_str()) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    let missing = passages.iter().filter(is_missing).take(MOST_PASSAGES);
    missing.cloned().collect()
}

#[cfg(test)]
mod tests {
    use linkscent_archive::page::build;
    use linkscent_core::address::Address;

    use super::*;
    use crate::fixtures::crawled;
    use crate::{NewCrawl, Starts};
    use linkscent_store::CrawlState;

    #[test]
    fn what_came_and_went_is_told_in_its_order() {
        let list = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
        let (old, new) = (list("a b b c"), list("d b a e"));
        assert_eq!(missing(&new, &old), list("d e"));
        assert_eq!(missing(&old, &new), list("b c"));
        assert!(missing(&old, &old).is_empty());
    }

    #[test]
    fn versions_stand_by_when_they_were_read() {
        let copy = |crawl: i64, time: i64, text: &str| {
            let address = Address::parse("http://a.test/").unwrap();
            let html = format!("<p>The first passage of it all.</p><p>{text}</p>");
            Copy {
                crawl,
                number: 1,
                time,
                page: *build(address, html.as_bytes(), Some("text/html")).0,
            }
        };
        let (old, new) = ("It was so in the past.", "It is so in the present.");
        // What was brought in later had been captured before.
        let versions = compared(vec![copy(1, 2_000, new), copy(2, 1_000, old)]);
        assert_eq!((versions[0].crawl, versions[1].crawl), (1, 2));
        assert_eq!(versions[0].came, [new]);
        assert_eq!(versions[0].went, [old]);
        assert!(versions[1].came.is_empty() && versions[1].went.is_empty());
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn every_crawl_that_kept_a_page_has_its_version() {
        let folder = tempfile::tempdir().unwrap();
        let (service, topic, first) = crawled(folder.path()).await;
        assert_eq!(service.library.versions(first, 1).await.unwrap().len(), 1);
        let new = NewCrawl::new(Starts::default(), 3);
        let second = service.crawls.begin_crawl(&topic, &new).await.unwrap().id;
        let mut changes = service.context.supervisor.changes();
        while service.crawls.crawl(second).await.unwrap().0.state != CrawlState::Done {
            changes.changed().await.unwrap();
        }
        let versions = service.library.versions(first, 1).await.unwrap();
        let crawls: Vec<i64> = versions.iter().map(|version| version.crawl).collect();
        assert_eq!(crawls, [second, first], "newest first");
        assert_eq!(service.library.versions(second, 1).await.unwrap(), versions);
        assert_eq!(service.library.count_versions(first, 1).await.unwrap(), 2);
        assert!(versions[0].came.is_empty() && versions[0].went.is_empty());
        assert!(versions.iter().all(|version| version.time > 0));
        assert!(service.library.versions(first, 9_999).await.is_err());
    }
}
