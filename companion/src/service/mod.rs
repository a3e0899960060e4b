//! What the companion does for whoever asks: the shell, the API, the dashboard. Knows
//! nothing of HTTP or of terminals; every rule on what may be asked stands here once.

mod accounts;
mod allowance;
mod another_strategy;
mod answers;
mod asking;
mod background;
mod beginning;
mod change;
mod changes;
mod checking;
mod context;
mod copying;
mod crawls;
mod deleting;
mod dry_run;
mod error;
mod explaining;
mod facets;
mod feedback;
mod feeds;
mod finding;
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
mod rows;
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
pub use reading::KeptReadings;
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

use crate::crawler::way::Way;
use crate::store::Store;
use context::Context;

/// All services on one store. Clones are the same services.
#[derive(Clone)]
pub struct Services {
    /// Who may come in.
    pub accounts: Accounts,
    /// Tags, notes and judgments.
    pub annotations: Annotations,
    /// Crawls begun and steered.
    pub crawls: Crawls,
    /// What goes for good.
    pub deletion: Deletion,
    /// Files of other programs.
    pub exports: Exports,
    /// Finds.
    pub library: Library,
    /// What was learned of topics.
    pub models: Models,
    /// Pages kept in browsers.
    pub readings: Readings,
    /// What crawls brought.
    pub reports: Reports,
    /// What is looked for.
    pub topics: Topics,
    /// The data folder.
    pub upkeep: Upkeep,
    /// Standing topics.
    pub watching: Watching,
    /// The crawls that run.
    pub supervisor: Supervisor,
    #[cfg(test)]
    context: Arc<Context>,
}

/// People who sign in, their roles, paired browsers and programs' tokens.
#[derive(Clone)]
pub struct Accounts {
    context: Arc<Context>,
    attempts: Attempts,
}

/// Models of topics: what a topic's guide has learned, and from what.
#[derive(Clone)]
pub struct Models {
    context: Arc<Context>,
}

/// Deletes crawls and topics for good, and forgets pages and clicks.
#[derive(Clone)]
pub struct Deletion {
    context: Arc<Context>,
}

/// Topics: made, named, described, marked, given away, removed.
#[derive(Clone)]
pub struct Topics {
    context: Arc<Context>,
    models: Models,
    deletion: Deletion,
    /// Held while a topic gets its name where people have their own.
    founding: Arc<tokio::sync::Mutex<()>>,
}

/// Crawls: begun, paused, changed, given pages and answers.
#[derive(Clone)]
pub struct Crawls {
    context: Arc<Context>,
    models: Models,
    topics: Topics,
    leases: rendering::Leases,
    /// Held while it is settled which crawl takes an archive in.
    intakes: Arc<tokio::sync::Mutex<()>>,
}

/// Standing topics, which are looked after in rounds.
#[derive(Clone)]
pub struct Watching {
    context: Arc<Context>,
    crawls: Crawls,
}

/// What a crawl brought and cost, and how it gets on with its hosts.
#[derive(Clone)]
pub struct Reports {
    context: Arc<Context>,
}

/// Finds of all crawls: searched, shown, explained, drawn as a map.
#[derive(Clone)]
pub struct Library {
    context: Arc<Context>,
    models: Models,
    topics: Topics,
    last_map: map::LastMap,
    /// Pages that assistants may still have fetched today.
    pub allowance: Allowance,
}

/// Tags, notes and judgments on finds.
#[derive(Clone)]
pub struct Annotations {
    context: Arc<Context>,
    library: Library,
    last_done: remarks::LastDone,
}

/// Finds and crawls as files of other programs.
#[derive(Clone)]
pub struct Exports {
    context: Arc<Context>,
    library: Library,
}

/// Pages that browsers kept as they were read.
#[derive(Clone)]
pub struct Readings {
    context: Arc<Context>,
    models: Models,
    crawls: Crawls,
    library: Library,
}

/// What keeps the data folder sound and small: checks, copies, retention, remembered sites.
#[derive(Clone)]
pub struct Upkeep {
    context: Arc<Context>,
    library: Library,
    deletion: Deletion,
}

impl Services {
    /// Builds the services on a store, whose crawls make requests that way.
    pub fn new(store: Store, way: Way) -> Self {
        let context = Arc::new(Context::new(store, way));
        let accounts = Accounts {
            context: context.clone(),
            attempts: Attempts::default(),
        };
        let models = Models {
            context: context.clone(),
        };
        let deletion = Deletion {
            context: context.clone(),
        };
        let topics = Topics {
            context: context.clone(),
            models: models.clone(),
            deletion: deletion.clone(),
            founding: Arc::default(),
        };
        let crawls = Crawls {
            context: context.clone(),
            models: models.clone(),
            topics: topics.clone(),
            leases: rendering::Leases::default(),
            intakes: Arc::default(),
        };
        let library = Library {
            context: context.clone(),
            models: models.clone(),
            topics: topics.clone(),
            last_map: map::LastMap::default(),
            allowance: Allowance::default(),
        };
        Self {
            watching: Watching {
                context: context.clone(),
                crawls: crawls.clone(),
            },
            reports: Reports {
                context: context.clone(),
            },
            annotations: Annotations {
                context: context.clone(),
                library: library.clone(),
                last_done: remarks::LastDone::default(),
            },
            exports: Exports {
                context: context.clone(),
                library: library.clone(),
            },
            readings: Readings {
                context: context.clone(),
                models: models.clone(),
                crawls: crawls.clone(),
                library: library.clone(),
            },
            upkeep: Upkeep {
                context: context.clone(),
                library: library.clone(),
                deletion: deletion.clone(),
            },
            supervisor: context.supervisor.clone(),
            accounts,
            crawls,
            deletion,
            library,
            models,
            topics,
            #[cfg(test)]
            context,
        }
    }

    /// The rows that a test looks at.
    #[cfg(test)]
    pub(crate) fn rows(&self) -> &Store {
        &self.context.store
    }
}
