//! Tokens of programs.

use super::NOBODY;
use crate::Store;
use crate::ports::{Permission, TokenRow};

promises! {
    tokens_are_made_used_and_revoked,
    tokens_go_with_everything,
}

async fn tokens_are_made_used_and_revoked(store: &Store) {
    let both = [Permission::Read, Permission::Crawl];
    let first = store.add_token("notes", &both, "digest 1", 5).await;
    let first = first.unwrap();
    let second = store.add_token("notes", &[], "digest 2", 6).await.unwrap();
    let twice = store.add_token("other", &both, "digest 1", 7).await;
    assert!(twice.is_err());
    store.token_used(first, 9).await.unwrap();
    store.token_used(NOBODY, 9).await.unwrap();
    let row = TokenRow {
        id: first,
        name: "notes".to_owned(),
        may: both.to_vec(),
        created: 5,
        used: 9,
    };
    assert_eq!(store.token("digest 1").await.unwrap(), Some(row.clone()));
    assert_eq!(store.token("digest").await.unwrap(), None);
    let tokens = store.tokens().await.unwrap();
    assert_eq!((tokens[0].id, tokens[0].used), (second, 0));
    assert_eq!(tokens[1], row);
    store.remove_token(second).await.unwrap();
    store.remove_token(NOBODY).await.unwrap();
    assert_eq!(store.token("digest 2").await.unwrap(), None);
    let third = store.add_token("notes", &[], "digest 3", 6).await.unwrap();
    assert!(third > second, "no number is given twice");
    assert_eq!(store.tokens().await.unwrap().len(), 2);
}

async fn tokens_go_with_everything(store: &Store) {
    let read = [Permission::Read];
    store.add_token("notes", &read, "digest", 5).await.unwrap();
    store.delete_everything().await.unwrap();
    assert!(store.tokens().await.unwrap().is_empty());
}
