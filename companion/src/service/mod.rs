//! What the companion does for whoever asks: the shell, the API, the dashboard. Knows
//! nothing of HTTP or of terminals; every rule on what may be asked stands here once.

mod accounts;
mod allowance;
mod another_strategy;
mod asking;
mod background;
mod beginning;
mod change;
mod changes;
mod checking;
mod copying;
mod crawls;
mod deleting;
mod dry_run;
mod error;
mod explaining;
mod facets;
mod feedback;
mod forgetting;
mod going_on;
mod guides;
mod hosts;
mod intake;
mod judging;
pub(crate) mod library;
mod map;
mod naming;
mod phrases;
mod programs;
mod reading;
mod remarks;
mod removing;
mod rendering;
mod research;
mod retention;
mod searches;
mod sharing;
mod sites;
mod standby;
mod standings;
mod suggesting;
mod supervisor;
mod takeout;
mod tally;
mod taxonomies;
mod topic_file;
mod training;
mod versions;
mod watching;
mod yields;

pub use accounts::{
    Attempts, LONGEST_ACCOUNT, LONGEST_PASSWORD, Person, Provider, ProviderError, SIGNED_IN_FOR,
};
pub use allowance::{Allowance, MOST_PAGES_A_DAY};
pub use asking::AskedPage;
pub use checking::{Checked, Fault};
pub use crawls::{CrawlCounts, LARGEST_BUDGET, NewCrawl, Starts};
pub use dry_run::MOST_UPCOMING;
pub use error::ServiceError;
pub use explaining::{Explained, ExplainedLink};
pub use facets::Facets;
pub use guides::{GUESS, Learned};
pub use hosts::{HostHealth, Hosts, MOST_HOSTS};
pub use judging::Judged;
pub use library::{LibraryQuery, MOST_SHOWN};
pub use linkscent_library::Order as LibraryOrder;
pub use map::{MOST_ON_MAP, MapPage, TopicMap};
pub use reading::Readings;
pub use remarks::{Done, MOST_AT_ONCE, PageKey, Remark};
pub use retention::{Outdated, Retention};
pub use sites::{LeadView, SiteView};
pub use suggesting::condition;
pub use supervisor::{RunBy, Supervisor, is_held};
pub use takeout::{Destination, feed_file};
pub use taxonomies::{MOST_CLASSED, TopicClasses};

pub use topic_file::TopicFile;
pub use versions::PageVersion;
pub use watching::USUAL_REQUESTS;
pub use yields::{SiteYield, Yield};

use std::sync::Arc;

use linkscent_core::critics;
use linkscent_core::wire::api::{Forget, Forgotten};

use crate::crawler::way::Way;
use crate::store::{CrawlRow, Store, Topic};
use guides::Guides;

/// All that can be asked for. Clones are the same service.
#[derive(Clone)]
pub struct Service {
    /// What is kept.
    pub store: Store,
    /// The crawls that run.
    pub supervisor: Supervisor,
    /// How crawls make requests.
    pub way: Way,
    guides: Guides,
    leases: rendering::Leases,
    shelf: library::Shelf,
    last_done: remarks::LastDone,
    last_map: map::LastMap,
    tallies: tally::Tallies,
    attempts: Attempts,
    /// Pages that assistants may still have fetched today.
    pub allowance: Allowance,
    /// Held while a topic gets its name where people have their own.
    founding: Arc<tokio::sync::Mutex<()>>,
    /// Held while pages are forgotten, or crawls and topics deleted.
    forgetting: Arc<tokio::sync::Mutex<()>>,
    /// Held while it is settled which crawl takes an archive in.
    intakes: Arc<tokio::sync::Mutex<()>>,
}

impl Service {
    /// A service on a store, whose crawls make requests that way.
    pub fn new(store: Store, way: Way) -> Self {
        Self {
            supervisor: Supervisor::new(store.clone(), way.clone()),
            guides: Guides::new(store.clone()),
            shelf: library::Shelf::new(store.folder()),
            store,
            way,
            leases: rendering::Leases::default(),
            last_done: remarks::LastDone::default(),
            last_map: map::LastMap::default(),
            tallies: tally::Tallies::default(),
            attempts: Attempts::default(),
            allowance: Allowance::default(),
            founding: Arc::default(),
            forgetting: Arc::default(),
            intakes: Arc::default(),
        }
    }

    /// Who judges a topic's pages, as it is chosen, see [`linkscent_core::critics::described`].
    pub async fn critic_of(&self, topic: &Topic) -> Result<String, ServiceError> {
        let chosen = self.store.critic(topic.id).await?;
        Ok(chosen.unwrap_or_else(|| critics::NAMES[0].to_owned()))
    }

    /// A topic by its number.
    pub async fn topic(&self, id: i64) -> Result<Topic, ServiceError> {
        let topic = self.store.topic(id).await?;
        topic.ok_or(ServiceError::Missing("topic"))
    }

    /// A topic by its key, or by what it is called if none has that key; an error if there is
    /// none.
    pub async fn topic_known_as(&self, text: &str) -> Result<Topic, ServiceError> {
        let topic = self.find_known_as(text).await?;
        topic.ok_or(ServiceError::Missing("topic"))
    }

    /// The same, if there is one.
    pub async fn find_known_as(&self, text: &str) -> Result<Option<Topic>, ServiceError> {
        let by_key = self.store.find_topic(text).await?;
        Ok(match by_key {
            Some(topic) if !topic.is_deleted => Some(topic),
            // Another may be called as one was that is gone.
            gone => self.store.topic_called(text).await?.or(gone),
        })
    }

    /// Forgets what happened in the browser, or all that has to do with some pages.
    pub async fn forget(&self, asked: &Forget) -> Result<Forgotten, ServiceError> {
        forgetting::forget(self, asked).await
    }

    /// A crawl by its number, with its topic.
    pub async fn crawl(&self, id: i64) -> Result<(CrawlRow, Topic), ServiceError> {
        let crawl = self.store.crawl(id).await?;
        let crawl = crawl.ok_or(ServiceError::Missing("crawl"))?;
        let topic = self.topic(crawl.topic).await?;
        Ok((crawl, topic))
    }
}
