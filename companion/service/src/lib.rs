//! What the companion does for whoever asks: the shell, the API, the dashboard. Knows
//! nothing of HTTP or of terminals; every rule on what may be asked stands here once.

#![warn(clippy::print_stdout, clippy::print_stderr)]

#[macro_use]
extern crate linkscent_output;

mod accounts;
mod annotations;
mod context;
pub mod crawler;
mod crawls;
mod deletion;
mod error;
mod exports;
mod finding;
#[cfg(any(test, feature = "fixtures"))]
pub mod fixtures;
pub mod learning;
mod library;
mod models;
mod page_archive;
mod readings;
mod renderings;
mod reports;
pub mod research;
mod rows;
pub mod supervisor;
mod topics;
#[cfg(feature = "team")]
pub mod traces;
mod upkeep;
mod watching;

pub use accounts::{
    Accounts, Attempts, LONGEST_ACCOUNT, LONGEST_PASSWORD, Person, Provider, ProviderError,
    SIGNED_IN_FOR,
};
pub use annotations::{Annotation, Annotations, Done, MOST_AT_ONCE, PageKey};
pub use crawls::dry_run::MOST_UPCOMING;
pub use crawls::{CrawlCounts, Crawls, NewCrawl, Starts};
pub use error::ServiceError;
pub use exports::library::{Destination, feed_file};
pub use library::allowance::{Allowance, MOST_PAGES_A_DAY};
pub use library::asking::AskedPage;
pub use library::explaining::{Explained, ExplainedLink};
pub use library::map::{MOST_ON_MAP, MapPage, TopicMap};
pub use library::suggesting::condition;
pub use library::{Library, LibraryQuery, MOST_SHOWN};
pub use linkscent_library::Order as LibraryOrder;
pub use models::topic_models::{GUESS, Learned};
pub use readings::judging::Judged;
pub use readings::{KeptReadings, Readings};
pub use renderings::Renderings;
pub use reports::hosts::{HostHealth, Hosts, MOST_HOSTS};
pub use supervisor::{RunBy, Supervisor, is_held};
pub use topics::subtopics::Subtopics;
pub use topics::taxonomies::{MOST_CLASSED, TopicClasses};
pub use upkeep::checking::{Checked, Fault};
pub use upkeep::retention::{Outdated, Retention};
pub use upkeep::sites::{LeadView, SiteView};

pub use deletion::Deletion;
pub use exports::Exports;
pub use library::versions::PageVersion;
pub use models::Models;
pub use reports::Reports;
pub use reports::yields::{SiteYield, Yield};
pub use topics::Topics;
pub use topics::topic_file::TopicFile;
pub use upkeep::Upkeep;
pub use watching::{USUAL_REQUESTS, Watching};

use std::sync::Arc;

use crate::crawler::way::Way;
use context::Context;
use linkscent_store::Store;

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
    /// Pages that browsers read for crawls.
    pub renderings: Renderings,
    /// What crawls brought.
    pub reports: Reports,
    /// What is looked for.
    pub topics: Topics,
    /// The data folder.
    pub upkeep: Upkeep,
    /// Watched topics.
    pub watching: Watching,
    /// The crawls that run.
    pub supervisor: Supervisor,
    #[cfg(any(test, feature = "fixtures"))]
    context: Arc<Context>,
}

impl Services {
    /// Builds the services on a store, whose crawls make requests that way.
    pub fn new(store: Store, way: Way) -> Self {
        let context = Arc::new(Context::new(store, way));
        let models = Models::new(context.clone());
        let deletion = Deletion::new(context.clone());
        let topics = Topics::new(context.clone(), models.clone(), deletion.clone());
        let crawls = Crawls::new(context.clone(), models.clone(), topics.clone());
        let library = Library::new(context.clone(), models.clone(), topics.clone());
        let (model, crawl, shelf) = (models.clone(), crawls.clone(), library.clone());
        Self {
            accounts: Accounts::new(context.clone()),
            annotations: Annotations::new(context.clone(), library.clone()),
            exports: Exports::new(context.clone(), library.clone()),
            readings: Readings::new(context.clone(), model, crawl, shelf),
            renderings: Renderings::new(context.clone(), crawls.clone()),
            reports: Reports::new(context.clone()),
            upkeep: Upkeep::new(context.clone(), library.clone(), deletion.clone()),
            watching: Watching::new(context.clone(), crawls.clone()),
            supervisor: context.supervisor.clone(),
            crawls,
            deletion,
            library,
            models,
            topics,
            #[cfg(any(test, feature = "fixtures"))]
            context,
        }
    }

    /// The rows that a test looks at.
    #[cfg(any(test, feature = "fixtures"))]
    pub fn rows(&self) -> &Store {
        &self.context.store
    }
}
