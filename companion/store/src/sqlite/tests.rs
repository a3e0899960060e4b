//! What only a database on a disk can show.

mod commits;
mod unreadable;

use crate::Store;
use crate::fixtures::folder;

#[tokio::test]
async fn the_log_is_short_again_behind_a_large_model() {
    let folder = folder();
    let store = Store::open(folder.path()).await.unwrap();
    let topic = store.topic_named("bees").await.unwrap().id;
    let log = folder.path().join("linkscent.sqlite-wal");
    let length = || std::fs::metadata(&log).unwrap().len();
    store.set_model(topic, &vec![7; 16 << 20]).await.unwrap();
    assert!(length() > 16 << 20);
    // The next write starts the log over and cuts it.
    store.topic_named("wasps").await.unwrap();
    assert!(length() <= 4 << 20, "{}", length());
}
