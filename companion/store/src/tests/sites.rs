//! Sites of which nothing is remembered.

use crate::Store;

promises! {
    sites_are_forgotten_and_remembered_again,
}

async fn sites_are_forgotten_and_remembered_again(store: &Store) {
    assert!(store.forgotten_sites().await.unwrap().is_empty());
    for host in ["b.test", "a.test:8080", "b.test"] {
        store.forget_site(host, true).await.unwrap();
    }
    assert_eq!(
        store.forgotten_sites().await.unwrap(),
        ["a.test:8080", "b.test"]
    );
    store.forget_site("b.test", false).await.unwrap();
    store.forget_site("none.test", false).await.unwrap();
    assert_eq!(store.forgotten_sites().await.unwrap(), ["a.test:8080"]);
    store.delete_everything().await.unwrap();
    assert!(store.forgotten_sites().await.unwrap().is_empty());
}
