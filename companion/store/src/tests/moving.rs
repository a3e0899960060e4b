//! What is moved into a PostgreSQL database and back is what it was.

use linkscent_core::crawl::{Reaction, SkipReason, Skipped, Unfound};
use linkscent_core::wire::api::EventKind;
use linkscent_core::wire::channel::DeviceKey;

use sqlx::{ConnectOptions, Connection};

use super::{
    address, alarm, begin, crawl, failed, fetched, folder, form, mark, order, skipped, take,
};
use crate::fixtures::cluster::Cluster;
use crate::ports::{Permission, SearchRow, StandingTopic};
use crate::{AuditEntry, Command, MarkRow, Role, Store, move_back, move_out};

const A: &str = "http://a.test/";
const B: &str = "http://b.test/";

/// One of everything, with a crawl and an event that are gone: their numbers are not given again.
async fn fill(store: &Store) {
    let gone = crawl(&**store).await;
    store.delete_crawl(gone).await.unwrap();
    let id = crawl(&**store).await;
    let (mut first, mut lost) = (fetched(1, A, 0.9), fetched(3, B, 0.3));
    first.0.forms = vec![form("find", 0.9, Some(0.8))];
    lost.0.alarm = Some(alarm());
    lost.0.unfound = Some(Unfound {
        waiting: 4.5,
        coverage: Some(0.5),
    });
    take(store, id, &[first, failed(2, B), lost]).await;
    let again = [(address(A), linkscent_core::web_graph::Judgment::default())];
    store.judge_again(id, &again).await.unwrap();
    store.set_reaction(id, Reaction::Pause).await.unwrap();
    store.leave_out(id, "spam.test", true).await.unwrap();
    let skipped = Skipped {
        address: address("http://c.test/"),
        reason: SkipReason::Repetition,
        is_seed: true,
    };
    store.skip(id, &[skipped]).await.unwrap();
    store.ask(id, B).await.unwrap();
    store
        .leave_command(id, &Command::Mark(address(A), None))
        .await
        .unwrap();
    let named = |time| linkscent_core::wire::api::Event {
        time,
        what: EventKind::Name {
            name: "wasps".to_owned(),
        },
        ..mark("named", "bees", A)
    };
    store
        .take_events(&[mark("1", "bees", A), named(7)])
        .await
        .unwrap();
    let topic = store.topic_named("bees").await.unwrap().id;
    store.set_model(topic, b"model").await.unwrap();
    store.set_taxonomy(topic, b"tree").await.unwrap();
    store.set_critic(topic, "targets").await.unwrap();
    store.notice(topic, Some(id), "said").await.unwrap();
    let key = DeviceKey::from_bytes(&[7; 32]).unwrap();
    store.add_device("browser", "here", &key).await.unwrap();
    for digest in ["one", "two"] {
        store
            .add_token("notes", &[Permission::Read], digest, 5)
            .await
            .unwrap();
    }
    let newest = store.tokens().await.unwrap()[0].id;
    store.remove_token(newest).await.unwrap();
    let ida = store.add_account("ida", Role::Owner, "hash", 5).await;
    let ida = ida.unwrap();
    store.sign_in("digest", ida, "hash", 6, 0).await.unwrap();
    store
        .set_topic_role(ida, topic, Some(Role::Editor))
        .await
        .unwrap();
    assert!(store.bind_account(ida, "there 1").await.unwrap());
    let audit_entry = AuditEntry {
        time: 7,
        account: "ida".to_owned(),
        what: "/topics".to_owned(),
    };
    store.put_audit_entry(&audit_entry, 9).await.unwrap();
    let search = SearchRow {
        id: 0,
        topic: Some(topic),
        name: "moats".to_owned(),
        words: "moat".to_owned(),
        pages: "all".to_owned(),
        first: "best".to_owned(),
    };
    store.keep_search(&search).await.unwrap();
    let standing = StandingTopic {
        topic,
        every: 9,
        requests: 10,
        due: 11,
        feed: "secret".to_owned(),
    };
    store.stand(&standing).await.unwrap();
}

/// Everything as the ports tell it.
async fn told(store: &Store) -> String {
    let topics = store.topics().await.unwrap();
    let topic = topics[0].id;
    let crawls = store.crawls(None).await.unwrap();
    let id = crawls[0].id;
    let marks: Vec<MarkRow> = store.marks(topic).await.unwrap();
    let parts = [
        format!("{topics:?} {crawls:?} {marks:?}"),
        format!("{:?}", store.events(topic).await.unwrap()),
        format!("{:?}", store.said_after(0, 10).await.unwrap()),
        format!("{:?}", store.model(topic).await.unwrap()),
        format!("{:?}", store.taxonomy(topic).await.unwrap()),
        format!("{:?}", store.critic(topic).await.unwrap()),
        format!("{:?}", store.fetches(id).await.unwrap()),
        format!("{:?}", store.last_results(id, 9).await.unwrap()),
        format!("{:?}", store.outcomes(id, 0, 9).await.unwrap()),
        format!("{:?}", store.counts(id).await.unwrap()),
        format!("{:?}", store.log_changes(id).await.unwrap()),
        format!("{:?}", store.log_rewrites(id).await.unwrap()),
        format!("{:?}", store.forms(id, 9).await.unwrap()),
        format!("{:?}", store.skipped(id).await.unwrap()),
        format!("{:?}", store.alarms(id).await.unwrap()),
        format!("{:?}", store.questions(id).await.unwrap()),
        format!("{:?}", store.notices(topic, Some(id)).await.unwrap()),
        format!("{:?}", store.start_model(id).await.unwrap()),
        format!("{:?}", store.standings(None).await.unwrap()),
        format!("{:?}", store.deleted_crawls().await.unwrap()),
        format!("{:?}", store.devices().await.unwrap()),
        format!("{:?}", store.tokens().await.unwrap()),
        format!("{:?}", store.account("ida").await.unwrap()),
        format!("{:?}", store.people_of(topic).await.unwrap()),
        format!("{:?}", store.account_of("there 1").await.unwrap()),
        format!("{:?}", store.signed_in("digest", 0).await.unwrap()),
        format!("{:?}", store.audit_entries(9).await.unwrap()),
        format!("{:?}", store.searches().await.unwrap()),
        format!("{:?}", store.forgotten_sites().await.unwrap()),
        format!("{:?}", store.standing().await.unwrap()),
    ];
    parts.join("\n")
}

#[tokio::test]
async fn what_is_moved_out_and_back_is_what_it_was() {
    let cluster = match Cluster::of_program() {
        Ok(cluster) => cluster,
        Err(why) => return skipped(why),
    };
    let (folder, database) = (folder(), cluster.fresh().unwrap());
    let store = Store::open(folder.path()).await.unwrap();
    fill(&store).await;
    let before = told(&store).await;
    let is_refused = move_out(folder.path(), &database).await;
    assert!(is_refused.is_err(), "somebody uses the folder");
    drop(store);
    let (moved, aside) = move_out(folder.path(), &database).await.unwrap();
    assert!(aside.exists());
    let rows = |table| {
        moved
            .iter()
            .find(|moved| moved.table == table)
            .unwrap()
            .rows
    };
    assert_eq!((rows("fetch"), rows("event"), rows("form")), (3, 2, 1));
    assert!(Store::open(folder.path()).await.is_err());

    let there = Store::open_database(&database, folder.path())
        .await
        .unwrap();
    assert_eq!(told(&there).await, before);
    drop(there);
    // Straight back, and out again: a number that was revoked before is given to no other token.
    move_back(folder.path(), &database).await.unwrap();
    let back = Store::open(folder.path()).await.unwrap();
    assert_eq!(told(&back).await, before);
    drop(back);
    let database = cluster.fresh().unwrap();
    move_out(folder.path(), &database).await.unwrap();
    let there = Store::open_database(&database, folder.path())
        .await
        .unwrap();
    // Numbers go on where they were.
    let token = there
        .add_token("other", &[Permission::Mark], "three", 6)
        .await;
    assert_eq!(token.unwrap(), 3);
    assert_eq!(begin(&*there, "birds", &order()).await, 3);
    there.take_events(&[mark("new", "birds", B)]).await.unwrap();
    assert_eq!(there.said_after(2, 10).await.unwrap().events.len(), 1);
    let later = told(&there).await;
    drop(there);
    // A back-up that was played into another database is the same.
    let copy = cluster.restored(&database).unwrap();
    let copy = Store::open_database(&copy, folder.path()).await.unwrap();
    assert_eq!(told(&copy).await, later);
    drop(copy);

    move_back(folder.path(), &database).await.unwrap();
    let back = Store::open(folder.path()).await.unwrap();
    assert_eq!(told(&back).await, later);
    assert_eq!(begin(&*back, "birds", &order()).await, 4);
    let token = back.add_token("last", &[Permission::Mark], "four", 6).await;
    assert_eq!(token.unwrap(), 4);
    drop(back);
    let refused = move_back(folder.path(), &database).await.unwrap_err();
    assert!(
        format!("{refused:#}").contains("nothing to move back"),
        "{refused:#}"
    );
    let refused = move_out(folder.path(), &database).await.unwrap_err();
    assert!(format!("{refused:#}").contains("in use"), "{refused:#}");
}

#[tokio::test]
async fn what_the_other_database_cannot_keep_hinders_no_move() {
    let cluster = match Cluster::of_program() {
        Ok(cluster) => cluster,
        Err(why) => return skipped(why),
    };
    let (folder, database) = (folder(), cluster.fresh().unwrap());
    let store = Store::open(folder.path()).await.unwrap();
    fill(&store).await;
    drop(store);
    let file = folder.path().join("linkscent.sqlite");
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(file);
    let mut connection = options.connect().await.unwrap();
    sqlx::raw_sql(
        "UPDATE fetch SET title = 'a' || char(0) || 'b' WHERE number = 1;
         UPDATE event SET body = '{\"id\":' WHERE id = '1'",
    )
    .execute(&mut connection)
    .await
    .unwrap();
    connection.close().await.unwrap();
    move_out(folder.path(), &database).await.unwrap();
    let there = Store::open_database(&database, folder.path())
        .await
        .unwrap();
    let first = there.result_at(2, 1).await.unwrap().unwrap();
    assert_eq!(first.title, "a\u{FFFD}b");
    let topic = there.topic_named("bees").await.unwrap().id;
    assert_eq!(there.events(topic).await.unwrap().len(), 1);
}

/// As a move is that is cut off before the other database has it.
#[tokio::test]
async fn a_move_that_was_cut_off_is_done_again_or_taken_back() {
    let cluster = match Cluster::of_program() {
        Ok(cluster) => cluster,
        Err(why) => return skipped(why),
    };
    let (folder, database) = (folder(), cluster.fresh().unwrap());
    let store = Store::open(folder.path()).await.unwrap();
    fill(&store).await;
    let before = told(&store).await;
    drop(store);
    let place = folder.path().join("database");
    std::fs::write(&place, "cut off").unwrap();
    for opened in [
        Store::open(folder.path()).await,
        Store::open_database(&database, folder.path()).await,
    ] {
        assert!(opened.is_err());
    }
    move_back(folder.path(), &database).await.unwrap();
    let store = Store::open(folder.path()).await.unwrap();
    assert_eq!(told(&store).await, before);
    drop(store);
    std::fs::write(&place, "cut off").unwrap();
    move_out(folder.path(), &database).await.unwrap();
    let there = Store::open_database(&database, folder.path())
        .await
        .unwrap();
    assert_eq!(told(&there).await, before);
}
