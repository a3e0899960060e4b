//! Accounts, sign-ins and audit entries.

use super::NOBODY;
use crate::Store;
use crate::ports::{AccountRow, AuditEntry, MOST_SIGN_INS, Role};

promises! {
    accounts_are_made_changed_and_removed,
    people_are_signed_in_until_they_are_not,
    roles_of_topics_are_given_and_taken,
    an_account_is_one_persons_by_a_provider,
    audit_entries_are_kept_and_not_too_many,
    accounts_outlive_everything,
}

async fn accounts_are_made_changed_and_removed(store: &Store) {
    let ida = store.add_account("ida", Role::Owner, "hash 1", 5).await;
    let ida = ida.unwrap();
    let ada = store.add_account("ada", Role::Reader, "hash 2", 6).await;
    let ada = ada.unwrap();
    let twice = store.add_account("ida", Role::Reader, "hash 3", 7).await;
    assert!(twice.is_err());
    let row = AccountRow {
        id: ida,
        name: "ida".to_owned(),
        role: Role::Owner,
        created: 5,
    };
    let known = store.account("ida").await.unwrap();
    assert_eq!(known, Some((row.clone(), "hash 1".to_owned())));
    assert_eq!(store.account("Ida").await.unwrap(), None);
    let names: Vec<String> = store
        .accounts()
        .await
        .unwrap()
        .into_iter()
        .map(|row| row.name)
        .collect();
    assert_eq!(names, ["ada", "ida"]);
    store.set_role(ada, Role::Editor).await.unwrap();
    store.set_role(NOBODY, Role::Editor).await.unwrap();
    store.set_password(ada, "hash 4").await.unwrap();
    store.set_password(NOBODY, "hash 5").await.unwrap();
    let (row, hash) = store.account("ada").await.unwrap().unwrap();
    assert_eq!((row.role, hash.as_str()), (Role::Editor, "hash 4"));
    store.remove_account(ada).await.unwrap();
    store.remove_account(NOBODY).await.unwrap();
    assert_eq!(store.account("ada").await.unwrap(), None);
    let again = store.add_account("ada", Role::Reader, "hash", 9).await;
    assert!(again.unwrap() > ada, "no number is given twice");
    assert_eq!(store.accounts().await.unwrap().len(), 2);
}

async fn people_are_signed_in_until_they_are_not(store: &Store) {
    let ida = store
        .add_account("ida", Role::Owner, "hash 1", 5)
        .await
        .unwrap();
    let ada = store
        .add_account("ada", Role::Reader, "hash 2", 5)
        .await
        .unwrap();
    assert!(
        store
            .sign_in("digest 1", ida, "hash 1", 10, 0)
            .await
            .unwrap()
    );
    store
        .sign_in("digest 2", ada, "hash 2", 10, 0)
        .await
        .unwrap();
    store
        .sign_in("digest 3", ada, "hash 2", 12, 0)
        .await
        .unwrap();
    assert!(
        store
            .sign_in("digest 1", ada, "hash 2", 13, 0)
            .await
            .is_err()
    );
    assert!(
        !store
            .sign_in("digest 4", NOBODY, "hash 2", 13, 0)
            .await
            .unwrap()
    );
    assert!(
        !store
            .sign_in("digest 4", ada, "hash 1", 13, 0)
            .await
            .unwrap()
    );
    let who = async |digest: &str, since| {
        let found = store.signed_in(digest, since).await.unwrap();
        found.map(|(row, used)| (row.name, used))
    };
    assert_eq!(who("digest 1", 10).await, Some(("ida".to_owned(), 10)));
    assert_eq!(who("digest 1", 11).await, None, "it is too long ago");
    assert_eq!(who("digest", 0).await, None);
    store.sign_in_used("digest 1", 20).await.unwrap();
    store.sign_in_used("digest", 20).await.unwrap();
    assert_eq!(who("digest 1", 11).await, Some(("ida".to_owned(), 20)));
    store.sign_out("digest 2").await.unwrap();
    assert_eq!(who("digest 2", 0).await, None);
    assert!(
        who("digest 3", 0).await.is_some(),
        "elsewhere they still are"
    );
    store.set_password(ada, "another").await.unwrap();
    assert_eq!(
        who("digest 3", 0).await,
        None,
        "nobody is in by an old password"
    );
    let old = store.sign_in("digest 5", ada, "hash 2", 30, 0).await;
    assert!(!old.unwrap(), "who was signing in meanwhile is not");
    store
        .sign_in("digest 5", ada, "another", 30, 0)
        .await
        .unwrap();
    store.remove_account(ada).await.unwrap();
    assert_eq!(who("digest 5", 0).await, None);
    store
        .sign_in("digest 6", ida, "hash 1", 40, 30)
        .await
        .unwrap();
    assert_eq!(who("digest 1", 0).await, None, "what ended goes");
    for number in 0..MOST_SIGN_INS {
        let digest = format!("more {number}");
        store.sign_in(&digest, ida, "hash 1", 50, 0).await.unwrap();
    }
    assert_eq!(who("digest 6", 0).await, None, "the oldest goes");
    assert!(who("more 0", 0).await.is_some());
}

async fn an_account_is_one_persons_by_a_provider(store: &Store) {
    let add = async |name| store.add_account(name, Role::Guest, "", 5).await.unwrap();
    let (ida, ada) = (add("ida").await, add("ada").await);
    let of = async |subject: &str| {
        let found = store.account_of(subject).await.unwrap();
        found.map(|(row, hash)| (row.name, hash))
    };
    assert_eq!(of("there 1").await, None);
    assert!(store.bind_account(ida, "there 1").await.unwrap());
    assert_eq!(of("there 1").await, Some(("ida".to_owned(), String::new())));
    assert!(!store.bind_account(ida, "there 2").await.unwrap());
    assert_eq!(of("there 2").await, None, "it is somebody's");
    assert!(store.bind_account(ada, "there 1").await.is_err());
    assert!(!store.bind_account(NOBODY, "there 3").await.unwrap());
    assert!(store.bind_account(ada, "there 2").await.unwrap());
    for (digest, id) in [("of ida", ida), ("of ada", ada)] {
        assert!(store.sign_in(digest, id, "", 5, 0).await.unwrap());
    }
    store.unbind_account(ida).await.unwrap();
    assert_eq!(store.signed_in("of ida", 0).await.unwrap(), None);
    assert!(store.signed_in("of ada", 0).await.unwrap().is_some());
    store.unbind_account(NOBODY).await.unwrap();
    assert_eq!(of("there 1").await, None);
    assert!(of("there 2").await.is_some());
    store.delete_everything().await.unwrap();
    assert!(of("there 2").await.is_some(), "they come in again");
    store.remove_account(ada).await.unwrap();
    assert_eq!(of("there 2").await, None);
    assert!(store.bind_account(ida, "there 2").await.unwrap());
}

async fn roles_of_topics_are_given_and_taken(store: &Store) {
    let add = async |name| store.add_account(name, Role::Guest, "hash", 5).await;
    let (ida, ada) = (add("ida").await.unwrap(), add("ada").await.unwrap());
    let bees = store.topic_named("bees").await.unwrap().id;
    let moats = store.topic_named("moats").await.unwrap().id;
    let give = async |account, topic, role| store.set_topic_role(account, topic, role).await;
    give(ida, bees, Some(Role::Owner)).await.unwrap();
    give(ada, bees, Some(Role::Owner)).await.unwrap();
    give(ada, bees, Some(Role::Reader)).await.unwrap();
    give(ada, moats, Some(Role::Editor)).await.unwrap();
    for (account, topic) in [(NOBODY, bees), (ida, NOBODY)] {
        assert!(give(account, topic, Some(Role::Owner)).await.is_err());
        give(account, topic, None).await.unwrap();
    }
    let of = async |account| store.topic_roles(account).await.unwrap();
    let people = async |topic| {
        let people = store.people_of(topic).await.unwrap().into_iter();
        let people = people.map(|(row, role)| (row.name, row.role, role));
        people.collect::<Vec<_>>()
    };
    assert_eq!(of(ida).await, [(bees, Role::Owner)]);
    assert_eq!(of(ada).await, [(bees, Role::Reader), (moats, Role::Editor)]);
    assert_eq!(of(NOBODY).await, []);
    let taken = store.found_topic("bees", ada).await.unwrap();
    assert_eq!(taken, None, "it is there");
    let own = store.found_topic("wolves", ada).await.unwrap().unwrap();
    assert_eq!((&*own.name, &*own.key), ("wolves", "wolves"));
    assert_eq!(of(ada).await.last(), Some(&(own.id, Role::Owner)));
    assert!(store.found_topic("foxes", NOBODY).await.is_err());
    give(ada, own.id, None).await.unwrap();
    let named = |name: &str, role| (name.to_owned(), Role::Guest, role);
    assert_eq!(
        people(bees).await,
        [named("ada", Role::Reader), named("ida", Role::Owner)]
    );
    assert_eq!(people(NOBODY).await, []);
    give(ada, bees, None).await.unwrap();
    assert_eq!(of(ada).await, [(moats, Role::Editor)]);
    store.remove_account(ida).await.unwrap();
    assert_eq!(people(bees).await, []);
    store.delete_topic(moats).await.unwrap();
    assert_eq!(of(ada).await, [], "what is deleted is nobody's");
    give(ada, bees, Some(Role::Owner)).await.unwrap();
    store.delete_everything().await.unwrap();
    store.topic_named("wasps").await.unwrap();
    assert_eq!(of(ada).await, [], "whoever has its number now");
}

async fn audit_entries_are_kept_and_not_too_many(store: &Store) {
    let audit_entry = |time| AuditEntry {
        time,
        account: "ida".to_owned(),
        what: format!("POST /topic/{time}/mark"),
    };
    for time in 0..5 {
        store.put_audit_entry(&audit_entry(time), 9).await.unwrap();
    }
    assert_eq!(
        store.audit_entries(2).await.unwrap(),
        [audit_entry(4), audit_entry(3)]
    );
    assert!(store.audit_entries(-1).await.unwrap().is_empty());
    for time in 5..12 {
        store.put_audit_entry(&audit_entry(time), 9).await.unwrap();
    }
    let kept: Vec<i64> = store
        .audit_entries(100)
        .await
        .unwrap()
        .iter()
        .map(|audit_entry| audit_entry.time)
        .collect();
    assert_eq!(kept, (3..12).rev().collect::<Vec<_>>(), "the oldest go");
}

async fn accounts_outlive_everything(store: &Store) {
    let ida = store
        .add_account("ida", Role::Owner, "hash", 5)
        .await
        .unwrap();
    let gone = store.add_account("bea", Role::Owner, "hash", 5).await;
    let gone = gone.unwrap();
    store.remove_account(gone).await.unwrap();
    store.sign_in("digest", ida, "hash", 10, 0).await.unwrap();
    let audit_entry = AuditEntry {
        time: 1,
        account: "ida".to_owned(),
        what: "POST /topics".to_owned(),
    };
    store.put_audit_entry(&audit_entry, 9).await.unwrap();
    store.delete_everything().await.unwrap();
    assert_eq!(
        store.accounts().await.unwrap().len(),
        1,
        "somebody has to come in again"
    );
    assert!(store.signed_in("digest", 0).await.unwrap().is_some());
    assert!(store.audit_entries(9).await.unwrap().is_empty());
    let ada = store.add_account("ada", Role::Owner, "hash", 5).await;
    assert!(ada.unwrap() > gone, "no number is given twice");
}
