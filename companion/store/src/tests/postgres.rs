//! What only a database with many connections can show.

use std::time::Duration;

use sqlx::{Connection, PgConnection};

use super::{folder, mark, skipped};
use crate::fixtures::cluster::Cluster;
use crate::fixtures::{EARLIER_CRAWLS, check_earlier_crawls};
use crate::ports::Events;
use crate::postgres::{PostgresStore, migrate_to};
use crate::{StoreError, is_away};

/// A browser gives up when it has waited for long.
#[tokio::test]
async fn who_gives_up_waiting_for_its_turn_leaves_no_transaction_open() {
    let cluster = match Cluster::of_program() {
        Ok(cluster) => cluster,
        Err(why) => return skipped(why),
    };
    let folder = folder();
    let address = cluster.fresh().unwrap();
    let store = PostgresStore::open(&address, folder.path()).await.unwrap();
    let events = [mark("1", "bees", "http://a.test/")];
    let held = store.begin_alone().await.unwrap();
    for _ in 0..20 {
        let taking = store.take_events(&events);
        let given_up = tokio::time::timeout(Duration::from_millis(20), taking).await;
        assert!(given_up.is_err());
    }
    held.rollback().await.unwrap();
    assert_eq!(store.take_events(&events).await.unwrap(), 1);
    let open: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
         AND (state LIKE 'idle in transaction%' OR wait_event_type = 'Lock')",
    )
    .fetch_one(&store.pool)
    .await
    .unwrap();
    assert_eq!(open, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_was_restarted_answers_again() {
    let mut cluster = match Cluster::start() {
        Ok(cluster) => cluster,
        Err(why) => return skipped(&why),
    };
    let (folder, address) = (folder(), cluster.fresh().unwrap());
    let store = PostgresStore::open(&address, folder.path()).await.unwrap();
    let events = [mark("1", "bees", "http://a.test/")];
    for signal in ["INT", "QUIT"] {
        let begun = store.begin_alone().await.unwrap();
        cluster.restart(signal).unwrap();
        let lost = StoreError::from(begun.commit().await.unwrap_err());
        assert!(matches!(lost, StoreError::Away(_)), "{signal}: {lost:?}");
        assert!(is_away(&anyhow::Error::from(lost).context("while writing")));
        store.take_events(&events).await.unwrap();
    }
    let other = StoreError::Missing("topic");
    assert!(!is_away(&other.into()));
}

#[tokio::test]
async fn neither_a_database_nor_a_folder_is_used_with_another_one() {
    let cluster = match Cluster::of_program() {
        Ok(cluster) => cluster,
        Err(why) => return skipped(why),
    };
    let (one, other) = (folder(), folder());
    let (first, second) = (cluster.fresh().unwrap(), cluster.fresh().unwrap());
    let open = async |address: &str, folder: &std::path::Path| {
        let opened = PostgresStore::open(address, folder).await;
        opened.map(drop).map_err(|error| format!("{error:#}"))
    };
    open(&first, one.path()).await.unwrap();
    open(&first, one.path()).await.unwrap();
    let refused = open(&first, other.path()).await.unwrap_err();
    assert!(refused.contains("another data folder"), "{refused}");
    // As if its first tie had been cut off, an empty one is tied; one that is another's is not.
    open(&second, one.path()).await.unwrap();
    open(&second, other.path()).await.unwrap_err();
    let cut_off = folder();
    std::fs::write(cut_off.path().join("database"), "").unwrap();
    let third = cluster.fresh().unwrap();
    open(&third, cut_off.path()).await.unwrap();
    open(&third, cut_off.path()).await.unwrap();
}

#[tokio::test]
async fn settings_of_earlier_crawls_are_one_document() {
    let cluster = match Cluster::of_program() {
        Ok(cluster) => cluster,
        Err(why) => return skipped(why),
    };
    let (folder, address) = (folder(), cluster.fresh().unwrap());
    migrate_to(&address, 9).await.unwrap();
    let mut connection = PgConnection::connect(&address).await.unwrap();
    let earlier = sqlx::raw_sql(EARLIER_CRAWLS);
    earlier.execute(&mut connection).await.unwrap();
    let store = PostgresStore::open(&address, folder.path()).await.unwrap();
    check_earlier_crawls(&store).await;
}
