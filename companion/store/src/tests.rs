//! What the ports promise, each promise once, for every backend: a promise is a function on
//! an empty store. What only a database on a disk can show is tested in `sqlite`.

/// Holds every backend to the promises of a file.
macro_rules! promises {
    ($($promise:ident),+ $(,)?) => {
        mod sqlite {
            $(#[tokio::test]
            async fn $promise() {
                let folder = crate::fixtures::folder();
                let data = folder.path().join("data");
                let store = crate::Store::open(&data).await.unwrap();
                super::$promise(&store).await;
            })+
        }

        #[cfg(feature = "team")]
        mod postgres {
            $(#[tokio::test]
            async fn $promise() {
                let Some((folder, store)) = crate::fixtures::in_postgres().await else {
                    return;
                };
                super::$promise(&store).await;
                drop(folder);
            })+
        }
    };
}

mod accounts;
mod crawls;
mod deleting;
mod forgetting;
#[cfg(feature = "team")]
mod hostile_workers;
mod kept;
mod log;
#[cfg(feature = "team")]
mod moving;
mod people;
#[cfg(feature = "team")]
mod postgres;
mod searches;
mod sites;
mod standing;
mod tokens;
mod topics;
#[cfg(feature = "team")]
mod workers;

use crate::fixtures::{address, begin, crawl, failed, fetched, folder, order, skipped};
use crate::{Location, Store};
use linkscent_core::crawl::{DriftAlarm, DriftCause, Record};
use linkscent_core::critics::FoundForm;
use linkscent_core::forms::FormWords;
use linkscent_core::wire::api::{Event, EventKind};

/// No topic, crawl or browser has this number.
const NOBODY: i64 = 7_777;

fn texts(pages: &[&str]) -> Vec<String> {
    pages.iter().map(ToString::to_string).collect()
}

/// A mark as a target.
fn mark(id: &str, topic: &str, page: &str) -> Event {
    Event {
        id: id.to_owned(),
        topic: topic.to_owned(),
        time: 1,
        what: EventKind::mark_unread(page, Some(true)),
    }
}

fn click(id: &str, topic: &str, from: &str, to: &str) -> Event {
    Event {
        what: EventKind::Click {
            from: from.to_owned(),
            to: to.to_owned(),
            anchor: "on".to_owned(),
            context: vec![("hive".to_owned(), -1)],
            relevance: 0.5,
            passed_over: Vec::new(),
        },
        ..mark(id, topic, from)
    }
}

fn form(name: &str, searchable: f64, wanted: Option<f64>) -> FoundForm {
    FoundForm {
        place: 0,
        name: name.to_owned(),
        action: format!("/{name}"),
        fields: texts(&["query", "year"]),
        searchable,
        wanted,
        words: FormWords::new([], []),
    }
}

fn alarm() -> DriftAlarm {
    DriftAlarm {
        cause: DriftCause::Spam,
        usual: 0.5,
        turnover: 0.0,
        hosts: Vec::new(),
    }
}

async fn take(store: &Store, crawl: i64, fetches: &[(Record, Location)]) {
    let end = 1000 * (1 + fetches.iter().map(|row| row.0.number).max().unwrap_or(0));
    store.take_fetches(crawl, end, fetches).await.unwrap();
}

async fn numbers(store: &Store, crawl: i64) -> Vec<u64> {
    let rows = store.fetches(crawl).await.unwrap();
    rows.into_iter().map(|row| row.number).collect()
}
