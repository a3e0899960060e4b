//! Finds, targets and links kept for later, by words: what the panel finds, and the address bar
//! suggests after the extension's keyword. Whole pages are searched by the companion, if there
//! is one that answers.

use linkscent_core::wire::api::{CrawlView, LibraryPage};

use super::context::Context;
use crate::companion::Companion;
use crate::ports::World;
use crate::problem::Problem;
use crate::rows::{Seen, Settings};
use crate::shown::FoundPage;
use crate::store::Change;

/// Pages suggested at most.
const MOST_FOUND: usize = 8;

/// What crawls found.
pub(super) struct Finding<W> {
    context: Context<W>,
}

impl<W: World> Finding<W> {
    pub fn new(context: &Context<W>) -> Self {
        Self {
            context: context.clone(),
        }
    }

    /// Keeps the topic's crawl as the companion just told it.
    pub(super) async fn saw_crawl(&self, crawl: CrawlView) -> Result<(), Problem> {
        let mut seen = self.context.store.seen().await?;
        seen.started_at = started_at(&seen, Some(&crawl));
        seen.crawl = Some(crawl);
        let mut change = Change::default();
        change.seen(&seen)?;
        Ok(self.context.store.apply(change).await?)
    }

    /// The last crawl of the current topic, as it was heard last.
    pub(super) async fn finds(&self) -> Result<Option<Box<CrawlView>>, Problem> {
        let (current, seen) = (
            self.context.store.settings().await?.current,
            self.context.store.seen().await?,
        );
        let is_its = current.is_some_and(|topic| topic == seen.topic);
        Ok(seen.crawl.filter(|_| is_its).map(Box::new))
    }

    /// Pages of the current topic whose titles and addresses have all the words, in the order:
    /// targets, finds of its last crawl, links kept for later. Without words the first of them.
    pub(super) async fn find(&self, text: &str) -> Result<Vec<FoundPage>, Problem> {
        let settings = self.context.store.settings().await?;
        let Some(topic) = settings.current.clone() else {
            return Ok(Vec::new());
        };
        let page = |address: &str, title: &str, kind: &str| FoundPage {
            address: address.to_owned(),
            title: title.to_owned(),
            kind: self.context.world.text(kind, &[]),
        };
        let mut pages = Vec::new();
        for mark in self.context.store.marks(&topic).await? {
            if mark.target {
                pages.push(page(&mark.address, &mark.title, "kind_target"));
            }
        }
        let seen = self.context.store.seen().await?;
        if let Some(crawl) = seen.crawl.filter(|_| seen.topic == topic) {
            let finds = crawl.finds.iter();
            pages.extend(finds.map(|find| page(&find.address, &find.title, "kind_found")));
        }
        let later = self.context.store.later().await?.into_iter();
        let later = later.filter(|row| row.topic == topic);
        pages.extend(later.map(|row| page(&row.address, &row.title, "kind_for_later")));
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
        if !words.is_empty() && found.len() < MOST_FOUND {
            for page in self.find_in_library(&settings, &topic, text).await {
                if found.iter().all(|known| known.address != page.address) {
                    found.push(page);
                }
            }
        }
        found.truncate(MOST_FOUND);
        Ok(found)
    }

    /// The same of all pages that the companion kept; none where it does not answer, or is of a
    /// version that has no library.
    async fn find_in_library(
        &self,
        settings: &Settings,
        topic: &str,
        text: &str,
    ) -> Vec<FoundPage> {
        let Some(companion) = Companion::of(settings, &self.context.world) else {
            return Vec::new();
        };
        let found = companion.library(topic, text, MOST_FOUND).await;
        let pages = found.unwrap_or_default().pages.into_iter();
        let page = |page: LibraryPage| FoundPage {
            address: page.address,
            title: page.title,
            kind: self.context.world.text("kind_library", &[]),
        };
        pages.map(page).collect()
    }
}

/// The pages at which the person had a crawl start, too, if it is the one that was seen before.
pub(super) fn started_at(before: &Seen, crawl: Option<&CrawlView>) -> Vec<String> {
    let id = |crawl: &CrawlView| crawl.id;
    if before.crawl.as_ref().map(id) == crawl.map(id) {
        before.started_at.clone()
    } else {
        Vec::new()
    }
}
