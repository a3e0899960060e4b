//! Finds, targets and links kept for later, by words: what the address bar suggests after the
//! extension's keyword. Whole pages are not searched here.

use linkscent_core::wire::api::CrawlView;

use super::Background;
use crate::ports::World;
use crate::problem::Problem;
use crate::shown::FoundPage;

/// Pages suggested at most.
const MOST_FOUND: usize = 8;

impl<W: World> Background<W> {
    /// The last crawl of the current topic, as it was heard last.
    pub(super) async fn finds(&self) -> Result<Option<Box<CrawlView>>, Problem> {
        let (current, seen) = (
            self.store.settings().await?.current,
            self.store.seen().await?,
        );
        let is_its = current.is_some_and(|topic| topic == seen.topic);
        Ok(seen.crawl.filter(|_| is_its).map(Box::new))
    }

    /// Pages of the current topic whose titles and addresses have all the words, in the order:
    /// targets, finds of its last crawl, links kept for later. Without words the first of them.
    pub(super) async fn find(&self, text: &str) -> Result<Vec<FoundPage>, Problem> {
        let settings = self.store.settings().await?;
        let Some(topic) = settings.current.clone() else {
            return Ok(Vec::new());
        };
        let page = |address: &str, title: &str, kind: &str| FoundPage {
            address: address.to_owned(),
            title: title.to_owned(),
            kind: kind.to_owned(),
        };
        let mut pages = Vec::new();
        for mark in self.store.marks(&topic).await? {
            if mark.target {
                pages.push(page(&mark.address, &mark.title, "target"));
            }
        }
        let seen = self.store.seen().await?;
        if let Some(crawl) = seen.crawl.filter(|_| seen.topic == topic) {
            let finds = crawl.finds.iter();
            pages.extend(finds.map(|find| page(&find.address, &find.title, "found")));
        }
        let later = self.store.later().await?.into_iter();
        let later = later.filter(|row| row.topic == topic);
        pages.extend(later.map(|row| page(&row.address, &row.title, "for later")));
        let words = text.to_lowercase();
        let words: Vec<&str> = words.split_whitespace().collect();
        let mut found: Vec<FoundPage> = Vec::new();
        for page in pages {
            let said = format!("{} {}", page.title, page.address).to_lowercase();
            let is_known = found.iter().any(|known| known.address == page.address);
            if !is_known && words.iter().all(|word| said.contains(word)) {
                found.push(page);
            }
        }
        found.truncate(MOST_FOUND);
        Ok(found)
    }
}
