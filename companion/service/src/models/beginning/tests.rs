//! From one topic's crawl to the next one's report, on a web that a proxy on loopback makes up.

use linkscent_core::wire::api::Forget;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::*;

use crate::Services;
use crate::crawler::fake_web::archives;
use crate::crawler::fetch::Fetcher;
use crate::crawler::runner::Runner;
use crate::{NewCrawl, Starts};
use linkscent_store::{CrawlRow, Store};

/// A runner blocks, so tests run outside the runtime.
struct Stage {
    runtime: Runtime,
    service: Services,
    _folder: TempDir,
}

impl Stage {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let runtime = Runtime::new().unwrap();
        let service = runtime.block_on(async {
            let store = Store::open(folder.path()).await.unwrap();
            Services::new(store, archives().await)
        });
        Self {
            runtime,
            service,
            _folder: folder,
        }
    }

    fn prepare(&self, topic: &str, new: NewCrawl) -> Result<CrawlRow, ServiceError> {
        self.runtime.block_on(async {
            let new = NewCrawl {
                critic: Some(format!("text has \"{topic}\"")),
                ..new
            };
            let known = self.service.context.store.topic_called(topic).await?;
            self.service
                .crawls
                .check_crawl(known.as_ref(), topic, &new)
                .await?;
            let topic = self.service.topics.create_topic(topic, &[]).await?;
            self.service.crawls.prepare_crawl(&topic, &new).await
        })
    }

    /// Crawls a host for what it names; how many pages of it are relevant, and what is said.
    fn crawl(&self, topic: &str, new: NewCrawl) -> (u64, Vec<String>) {
        let crawl = self.prepare(topic, new).unwrap();
        let fetcher = Fetcher::new(self.service.context.way.clone()).unwrap();
        let store = self.service.context.store.clone();
        let handle = self.runtime.handle().clone();
        let runner = Runner::resume(store, crawl.clone(), fetcher, handle, |_, _| {});
        let (_, stats) = runner.unwrap().run(|_| {}).unwrap();
        let notices = self
            .service
            .context
            .store
            .notices(crawl.topic, Some(crawl.id));
        let notices = self.runtime.block_on(notices).unwrap();
        (stats.relevant, notices)
    }
}

fn from(host: &str, budget: u64, start_from: Option<&str>) -> NewCrawl {
    let starts = Starts {
        seeds: vec![format!("http://{host}.test/1")],
        ..Starts::default()
    };
    NewCrawl {
        start_from: start_from.map(str::to_owned),
        strategy: Some("apprentice".to_owned()),
        ..NewCrawl::new(starts, budget)
    }
}

#[test]
fn a_crawl_begins_with_what_another_topic_taught_and_says_what_it_was_worth() {
    let stage = Stage::new();
    let (_, said) = stage.crawl("trains", from("trains", 100, None));
    assert!(said.is_empty(), "{said:?}");
    let (alone, said) = Stage::new().crawl("bees", from("bees", 40, None));
    assert!(said.is_empty(), "{said:?}");
    let (taught, mut said) = stage.crawl("bees", from("bees", 40, Some("trains")));
    assert!(taught > alone, "{taught} relevant pages, {alone} without");
    said.sort();
    let [began, worth] = &said[..] else {
        panic!("{said:?}")
    };
    assert!(
        began.starts_with("it began with what “trains” taught: "),
        "{began}"
    );
    let number = |text: &str| -> f64 {
        let mut digits = text.split(|letter: char| !letter.is_ascii_digit());
        digits.find(|one| !one.is_empty()).unwrap().parse().unwrap()
    };
    let (with, without) = worth.split_once("without it").unwrap();
    assert!(with.starts_with("what “trains” taught"), "{worth}");
    assert!(number(with) > number(without), "{worth}");
    // The next crawl of the topic goes on from both.
    let bees = stage
        .runtime
        .block_on(stage.service.context.store.find_topic("bees"));
    let bees = bees.unwrap().unwrap();
    let topic_model = stage
        .runtime
        .block_on(stage.service.models.topic_model(&bees))
        .unwrap();
    assert_eq!(topic_model.beginning().unwrap().topic, "trains");
    // Where a page of trains is forgotten, nothing of it stays with the bees.
    let forget = Forget {
        pages: vec!["http://trains.test/1".to_owned()],
        ..Forget::default()
    };
    let forgotten = stage
        .runtime
        .block_on(stage.service.deletion.forget(&forget));
    assert_eq!(forgotten.unwrap().left, [""; 0]);
    let bees = stage
        .runtime
        .block_on(stage.service.topics.topic(bees.id))
        .unwrap();
    let topic_model = stage
        .runtime
        .block_on(stage.service.models.topic_model(&bees))
        .unwrap();
    assert_eq!(topic_model.beginning(), None);
}

#[test]
fn what_a_crawl_cannot_begin_with_is_refused_and_leaves_nothing() {
    let stage = Stage::new();
    let refused = |topic: &str, new: NewCrawl| {
        let error = stage.prepare(topic, new).unwrap_err();
        assert!(matches!(error, ServiceError::Refused(_)), "{error}");
        error.to_string()
    };
    let said = refused("bees", from("bees", 5, Some("trains")));
    assert!(said.contains("no topic “trains” to begin with"), "{said}");
    let trains = stage.service.topics.create_topic("trains", &[]);
    stage.runtime.block_on(trains).unwrap();
    let said = refused("bees", from("bees", 5, Some("trains")));
    assert_eq!(
        said,
        "Nothing was learned for “trains” yet that another topic could begin with."
    );
    let said = refused("trains", from("trains", 5, Some("trains")));
    assert!(said.contains("in any case"), "{said}");
    let new = NewCrawl {
        strategy: Some("random".to_owned()),
        ..from("bees", 5, Some("trains"))
    };
    let said = refused("bees", new);
    assert!(said.starts_with("“random” takes in nothing"), "{said}");
    let crawls = stage
        .runtime
        .block_on(stage.service.context.store.crawls(None));
    assert!(crawls.unwrap().is_empty());
}
