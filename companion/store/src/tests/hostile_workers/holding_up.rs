//! A worker cannot hold others up by locks, open transactions or notifications.

use std::time::Duration;

use tokio::time::timeout;

use super::super::workers::Stage;
use super::super::{folder, mark};
use super::{ANY, HOST, Roles, SOON, run, works};
use crate::Store;
use crate::postgres::{SharedLock, WorkerSecret, Workers};
use crate::{Turn, Turns};

#[tokio::test]
async fn locks_that_a_worker_takes_stop_nobody() {
    let Some(roles) = Roles::new().await else {
        return;
    };
    let stage = &roles.stage;
    let held = SharedLock::take(&stage.workers, 1).await.unwrap();
    let mut presence = stage.join("honest").await;
    stage.keep_alive().await;
    // It takes each lock that programs of any version have named, and waits for each that is held.
    let mut session = roles.hostile().await;
    let names = "SELECT pg_advisory_lock(7474) UNION ALL
        SELECT pg_advisory_lock(class, name) FROM generate_series(7474, 7480) AS class,
        generate_series(0, 9) AS name UNION ALL
        SELECT pg_advisory_lock(7475, hashint8(crawl)) FROM generate_series(1, 9) AS crawl UNION ALL
        SELECT pg_advisory_lock(number) FROM generate_series(0, 100) AS number";
    run(&mut session, names).await.unwrap();
    let keys: Vec<i64> = sqlx::query_scalar(
        "SELECT (classid::bigint << 32) | objid::bigint FROM pg_locks
         WHERE locktype = 'advisory' AND objsubid = 1 AND pid <> pg_backend_pid()",
    )
    .fetch_all(&mut session)
    .await
    .unwrap();
    assert!(keys.len() >= 2);
    let mut waiting = Vec::new();
    for key in keys {
        let mut waits = roles.hostile().await;
        waiting.push(tokio::spawn(async move {
            let lock = format!("SELECT pg_advisory_lock({key})");
            run(&mut waits, &lock).await.map(|()| waits)
        }));
    }
    while waiters(stage).await < 2 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    timeout(SOON, works(stage, &roles.honest)).await.unwrap();
    // Events are numbered, a second program opens the database, and crawls are taken over.
    let events = [mark("1", "bees", "http://a.test/")];
    let took = timeout(SOON, stage.store.take_events(&events))
        .await
        .unwrap();
    assert_eq!(took.unwrap(), 1);
    let other = folder();
    let opened = timeout(SOON, Store::open_database(&stage.address, other.path())).await;
    let refused = format!("{:#}", opened.unwrap().err().unwrap());
    assert!(refused.contains("another data folder"), "{refused}");
    let soon = Duration::from_millis(300);
    let second = timeout(soon, SharedLock::take(&stage.workers, 1)).await;
    assert!(second.is_err(), "two have the lock of one crawl");
    drop(held);
    let taken = timeout(SOON, SharedLock::take(&stage.workers, 1))
        .await
        .unwrap();
    taken.unwrap().is_ours().await.unwrap();
    let copies = timeout(SOON, SharedLock::of_copies(&stage.workers)).await;
    copies.unwrap().unwrap();
    assert!(presence.live("").await.unwrap());
    drop(waiting);
}

/// How many sessions wait for an advisory lock.
async fn waiters(stage: &Stage) -> i64 {
    let waiters = sqlx::query_scalar(
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted",
    );
    waiters.fetch_one(stage.workers.pool()).await.unwrap()
}

#[tokio::test]
async fn transactions_that_a_worker_keeps_open_are_ended() {
    let Some(roles) = Roles::new().await else {
        return;
    };
    let stage = &roles.stage;
    let numbers = stage.ask(1, &["a", "b"]).await;
    let honest = Workers::connect(&roles.honest).await.unwrap();
    let mut presence = honest.join("honest").await.unwrap();
    stage.keep_alive().await;
    // It takes all requests, and the turn of a host, and does not commit.
    let own = WorkerSecret::random();
    let mut session = roles.hostile().await;
    run(&mut session, "BEGIN").await.unwrap();
    sqlx::query("SELECT worker_joins($1, 'hostile')")
        .bind(own.bytes())
        .execute(&mut session)
        .await
        .unwrap();
    let given = sqlx::query("SELECT * FROM worker_takes($1, '{}', 100)").bind(own.bytes());
    assert_eq!(given.fetch_all(&mut session).await.unwrap().len(), 2);
    let turn: String =
        sqlx::query_scalar("SELECT what FROM worker_takes_turn($1, $2, 1, 0, NULL, NULL)")
            .bind(own.bytes())
            .bind(HOST.keys())
            .fetch_one(&mut session)
            .await
            .unwrap();
    assert_eq!(turn, "ours");

    // Others wait for none of it.
    timeout(SOON, works(stage, &roles.honest)).await.unwrap();
    assert!(timeout(SOON, presence.live("")).await.unwrap().unwrap());
    stage.keep_alive().await;
    assert!(
        honest
            .take(presence.secret(), &[], 100)
            .await
            .unwrap()
            .is_empty()
    );
    stage.ask(1, &["c"]).await;
    assert_eq!(
        honest
            .take(presence.secret(), &[], 100)
            .await
            .unwrap()
            .len(),
        1
    );
    let turns = Turns::of_worker(&honest, presence.secret(), 1);
    let taken = timeout(SOON, turns.take(&HOST, 0, ANY, 0)).await.unwrap();
    assert_eq!(taken.unwrap(), Turn::Taken);
    let own_turns = timeout(SOON, stage.store.turns(1, 0))
        .await
        .unwrap()
        .unwrap();
    let taken = timeout(SOON, own_turns.take(&HOST, 0, ANY, 0))
        .await
        .unwrap();
    assert_eq!(taken.unwrap(), Turn::Taken);
    timeout(SOON, stage.workers.take_back(1))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        stage.workers.asked(1).await.unwrap(),
        numbers,
        "they are locked"
    );

    // Its session is ended, and what it had is others'.
    let ended = stage.workers.end_workers_stuck_for("1 hour").await.unwrap();
    assert_eq!(ended, 0, "it is not that old");
    let deleting = tokio::spawn({
        let pool = stage.workers.pool().clone();
        async move {
            sqlx::query("DELETE FROM crawl WHERE id = 1")
                .execute(&pool)
                .await
        }
    });
    assert_eq!(
        stage
            .workers
            .end_workers_stuck_for("0 seconds")
            .await
            .unwrap(),
        1
    );
    timeout(SOON, deleting).await.unwrap().unwrap().unwrap();
    assert!(run(&mut session, "COMMIT").await.is_err());
    let all: Vec<String> = stage
        .workers
        .all()
        .await
        .unwrap()
        .into_iter()
        .map(|worker| worker.name)
        .collect();
    assert_eq!(all, ["honest"]);
}

/// What a worker leaves behind when it is given up cannot hold others up, either.
#[tokio::test]
async fn a_silent_worker_whose_rows_are_locked_disturbs_nobody() {
    let Some(roles) = Roles::new().await else {
        return;
    };
    let stage = &roles.stage;
    stage.ask(1, &["a"]).await;
    let hostile = Workers::connect(&roles.hostile).await.unwrap();
    let silent = hostile.join("silent").await.unwrap();
    stage.keep_alive().await;
    assert_eq!(
        hostile.take(silent.secret(), &[], 1).await.unwrap().len(),
        1
    );
    let turns = Turns::of_worker(&hostile, silent.secret(), 1);
    assert_eq!(turns.take(&HOST, 0, ANY, 0).await.unwrap(), Turn::Ours);
    // Another of its sessions locks the host's row.
    stage.ask(1, &["b"]).await;
    let own = WorkerSecret::random();
    let mut session = roles.hostile().await;
    for statement in [
        "SELECT worker_joins($1, 'locks')",
        "SELECT worker_takes($1, '{}', 1)",
    ] {
        let done = sqlx::query(statement).bind(own.bytes());
        done.execute(&mut session).await.unwrap();
    }
    stage.keep_alive().await;
    run(&mut session, "BEGIN").await.unwrap();
    sqlx::query("SELECT worker_takes_turn($1, $2, 1, 0, NULL, NULL)")
        .bind(own.bytes())
        .bind(HOST.keys())
        .execute(&mut session)
        .await
        .unwrap();
    sqlx::query("UPDATE worker SET seen = 0 WHERE name = 'silent'")
        .execute(stage.workers.pool())
        .await
        .unwrap();
    timeout(SOON, works(stage, &roles.honest)).await.unwrap();
    run(&mut session, "ROLLBACK").await.unwrap();
    // As soon as they are free, it is given up.
    let mut other = stage.join("other").await;
    assert!(other.live("").await.unwrap());
    let all = stage.workers.all().await.unwrap();
    assert!(all.iter().all(|worker| worker.name != "silent"));
}

#[tokio::test]
async fn forged_notifications_change_nothing() {
    let Some(roles) = Roles::new().await else {
        return;
    };
    let mut session = roles.hostile().await;
    let mut answers = roles.stage.workers.listen_for_answers().await.unwrap();
    let mut watch = roles.stage.store.watch().await.unwrap();
    for channel in ["linkscent_tasks", "linkscent_answered", "linkscent_changed"] {
        for payload in ["", "1", "x", "'; DROP TABLE topic; --"] {
            sqlx::query("SELECT pg_notify($1, $2 || repeat('x', 7000))")
                .bind(channel)
                .bind(payload)
                .execute(&mut session)
                .await
                .unwrap();
        }
    }
    timeout(SOON, answers.recv()).await.unwrap().unwrap();
    watch.version().await.unwrap();
    works(&roles.stage, &roles.honest).await;
}
