//! What workers and whoever runs a crawl may rely on, and turns where they lie in the database.

use std::net::IpAddr;
use std::time::Duration;

use super::super::postgres::{Presence, SharedLock, WorkerSecret, Workers};
use super::{Store, folder, skipped};
use crate::StoreError;
use crate::fixtures::cluster::Cluster;
use crate::{Asked, DailyBudget, Turn, Turns};
use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection, PgConnection};
use tempfile::TempDir;
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;

const ANY: DailyBudget = DailyBudget {
    requests: None,
    bytes: None,
};

/// A database with two crawls that leave requests to workers.
pub(super) struct Stage {
    _folder: TempDir,
    pub(super) address: String,
    pub(super) store: Store,
    pub(super) workers: Workers,
}

impl Stage {
    /// An empty database, if the machine has PostgreSQL.
    pub(super) async fn new() -> Option<Self> {
        let cluster = match Cluster::of_program() {
            Ok(cluster) => cluster,
            Err(why) => {
                skipped(why);
                return None;
            }
        };
        Some(Self::on(cluster.fresh().unwrap()).await)
    }

    /// In that empty database.
    pub(super) async fn on(address: String) -> Self {
        let folder = folder();
        let store = Store::open_database(&address, folder.path()).await.unwrap();
        let workers = store.workers().unwrap().clone();
        for statement in [
            "INSERT INTO topic (id, name, created) VALUES (1, 'bees', 0)",
            "INSERT INTO crawl (id, topic, created, state, seeds)
             SELECT number, 1, 0, 'running', '[]' FROM generate_series(1, 2) AS number",
        ] {
            sqlx::query(statement)
                .execute(workers.pool())
                .await
                .unwrap();
        }
        Self {
            _folder: folder,
            address,
            store,
            workers,
        }
    }

    /// As if so many milliseconds had passed since workers spoke, and hosts were asked.
    async fn pass(&self, milliseconds: i64) {
        for statement in [
            "UPDATE worker SET seen = seen - $1",
            "UPDATE rest SET free = free - $1, since = since - $1",
        ] {
            let passed = sqlx::query(statement).bind(milliseconds);
            passed.execute(self.workers.pool()).await.unwrap();
        }
    }

    /// As if all workers but silent ones were to speak again and again, for ten minutes: a busy machine
    /// may keep a test from doing so in time.
    pub(super) async fn keep_alive(&self) {
        sqlx::query("UPDATE worker SET seen = clock_ms() + 600000 WHERE seen > 0")
            .execute(self.workers.pool())
            .await
            .unwrap();
    }

    pub(super) async fn ask(&self, crawl: i64, asked: &[&str]) -> Vec<i64> {
        let asked: Vec<Vec<u8>> = asked
            .iter()
            .map(|asked| asked.as_bytes().to_vec())
            .collect();
        self.workers.ask(crawl, &asked).await.unwrap()
    }

    /// As if hosts had rested for so many milliseconds.
    async fn rest(&self, milliseconds: i64) {
        sqlx::query("UPDATE rest SET free = free - $1, since = since - $1")
            .bind(milliseconds)
            .execute(self.workers.pool())
            .await
            .unwrap();
    }

    pub(super) async fn join(&self, name: &str) -> Presence {
        self.workers.join(name).await.unwrap()
    }

    /// Whether an answer was taken.
    async fn answer(&self, worker: &WorkerSecret, lease: i64, said: &str) -> bool {
        let answers = [(lease, said.as_bytes().to_vec())];
        !self
            .workers
            .answer(worker, &answers)
            .await
            .unwrap()
            .is_empty()
    }

    /// Gives a worker a request of each crawl: only then it may ask hosts for them.
    async fn give(&self, worker: &WorkerSecret) {
        for crawl in 1..=2 {
            self.ask(crawl, &["given"]).await;
        }
        assert_eq!(self.workers.take(worker, &[], 2).await.unwrap().len(), 2);
    }

    pub(super) async fn answers(&self, crawl: i64) -> Vec<(i64, String)> {
        let answers = self.workers.take_answers(crawl, 100).await.unwrap();
        let mut answers: Vec<(i64, String)> = answers
            .into_iter()
            .map(|(number, said)| (number, String::from_utf8(said).unwrap()))
            .collect();
        answers.sort();
        answers
    }
}

#[tokio::test]
async fn what_is_asked_is_given_to_one_worker_and_answered_once() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let workers = &stage.workers;
    let numbers = stage.ask(1, &["a", "b", "c"]).await;
    assert!(numbers.is_sorted());
    let other = stage.ask(2, &["d"]).await;
    let (one, two) = (stage.join("first").await, stage.join("second").await);
    let (first, second) = (one.secret(), two.secret());
    let taken = workers.take(first, &[], 2).await.unwrap();
    let asked: Vec<(i64, i64, &[u8])> = taken
        .iter()
        .map(|lease| (lease.number, lease.crawl, lease.asked.as_slice()))
        .collect();
    assert_eq!(
        asked,
        [(numbers[0], 1, &b"a"[..]), (numbers[1], 1, &b"b"[..])]
    );
    let (a, b) = (taken[0].lease, taken[1].lease);
    let rest = workers.take(second, &[], 100).await.unwrap();
    assert_eq!(rest.len(), 2);
    let (c, d) = (rest[0].lease, rest[1].lease);
    assert!(workers.take(second, &[c, d], 100).await.unwrap().is_empty());
    assert_eq!(workers.asked(1).await.unwrap(), numbers);
    assert_eq!(workers.waiting().await.unwrap(), 0);

    // Only whose it is answers it, and once; nothing is no answer.
    assert!(!stage.answer(second, a, "not mine").await);
    assert!(!stage.answer(first, a, "").await);
    assert!(!stage.answer(first, a ^ 1, "of another time").await);
    assert!(stage.answer(first, a, "page a").await);
    assert!(!stage.answer(first, a, "again").await);
    let both = [(b, b"page b".to_vec()), (a, b"again".to_vec())];
    assert_eq!(workers.answer(first, &both).await.unwrap(), [b]);
    let all = workers.all().await.unwrap();
    let mut counts: Vec<(&str, i64, i64, i64)> = all
        .iter()
        .map(|worker| {
            (
                &*worker.name,
                worker.answers,
                worker.refused,
                worker.under_way,
            )
        })
        .collect();
    // Both may have come in the same millisecond.
    counts.sort_unstable();
    assert_eq!(counts, [("first", 2, 4, 0), ("second", 0, 1, 2)]);
    let expected = [
        (numbers[0], "page a".to_owned()),
        (numbers[1], "page b".to_owned()),
    ];
    assert_eq!(stage.answers(1).await, expected);
    assert!(stage.answers(1).await.is_empty(), "each is taken once");

    // What a worker does not know of others do, and what it knows of it has.
    let again = workers.take(second, &[c], 0).await.unwrap();
    assert!(again.is_empty());
    let again = workers.take(first, &[], 9).await.unwrap();
    assert_eq!((again.len(), again[0].number), (1, other[0]));
    assert!(!stage.answer(second, d, "forgotten").await);
    // What is taken back is refused; what another crawl asked stays.
    workers.take_back(1).await.unwrap();
    assert!(workers.asked(1).await.unwrap().is_empty());
    assert!(!stage.answer(second, c, "too late").await);
    assert!(stage.answer(first, again[0].lease, "page d").await);
    // What hangs on a crawl goes with it.
    sqlx::query("DELETE FROM crawl WHERE id = 2")
        .execute(workers.pool())
        .await
        .unwrap();
    assert!(workers.asked(2).await.unwrap().is_empty());
}

#[tokio::test]
async fn large_answers_are_taken_a_few_at_a_time() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let workers = &stage.workers;
    let numbers = stage.ask(1, &["a", "b", "c", "d"]).await;
    let one = stage.join("one").await;
    let leases = workers.take(one.secret(), &[], 9).await.unwrap();
    for (lease, megabytes) in leases.iter().zip([1_usize, 20, 3, 70]) {
        let said = vec![7; megabytes * 1_000_000];
        let taken = workers.answer(one.secret(), &[(lease.lease, said)]).await;
        assert_eq!(
            taken.unwrap().len(),
            usize::from(megabytes < 64),
            "{megabytes}"
        );
    }
    let mut taken = Vec::new();
    for _ in 0..3 {
        let some = workers.take_answers(1, 100).await.unwrap();
        taken.push(some.iter().map(|(number, _)| *number).collect::<Vec<i64>>());
    }
    assert_eq!(
        taken,
        [vec![numbers[0], numbers[1]], vec![numbers[2]], Vec::new()]
    );
}

#[tokio::test]
async fn a_worker_that_is_silent_is_given_up() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let workers = &stage.workers;
    let numbers = stage.ask(1, &["a"]).await;
    let mut silent = stage.join("silent").await;
    let lease = workers
        .take(silent.secret(), &[], 9)
        .await
        .unwrap()
        .remove(0);
    let turns = Turns::of_worker(workers, silent.secret(), 1);
    let host = Asked {
        host: "a.test",
        server: None,
    };
    let take = async |turns: &Turns| turns.take(&host, 0, ANY, 700).await.unwrap();
    assert_eq!(take(&turns).await, Turn::Ours);
    stage.pass(5_000).await;
    let other = stage.join("other").await;
    let none = workers.take(other.secret(), &[], 9).await.unwrap();
    assert!(none.is_empty(), "it may still be there");
    assert!(silent.live("").await.unwrap());

    stage.pass(7_000).await;
    let mut other = stage.join("other").await;
    let again = workers.take(other.secret(), &[], 9).await.unwrap();
    assert_eq!(again[0].number, numbers[0]);
    assert!(!silent.live("").await.unwrap());
    let none = workers
        .take(silent.secret(), &[lease.lease], 9)
        .await
        .unwrap();
    assert!(none.is_empty());
    assert!(!stage.answer(silent.secret(), lease.lease, "too late").await);
    // It asks no host any more. It was connected all the time: what it was asking may go on until a
    // request is over for sure.
    assert_eq!(take(&turns).await, Turn::Gone);
    let of_other = Turns::of_worker(workers, other.secret(), 1);
    let Turn::Rests(rest) = take(&of_other).await else {
        panic!("it does not rest");
    };
    assert!((20_000..=36_700).contains(&rest), "{rest}");
    assert!(other.live("").await.unwrap());
    stage.rest(rest).await;
    assert_eq!(take(&of_other).await, Turn::Ours);

    // Of one whose connection has ended nothing goes on: the host rests from now on.
    drop(other);
    wait_for_end(&stage).await;
    stage.pass(7_000).await;
    let third = stage.join("third").await;
    let again = workers.take(third.secret(), &[], 9).await.unwrap();
    assert_eq!(again[0].number, numbers[0]);
    let of_third = Turns::of_worker(workers, third.secret(), 1);
    let Turn::Rests(rest) = take(&of_third).await else {
        panic!("it does not rest");
    };
    assert!(rest <= 700, "{rest}");
    stage.rest(700).await;
    assert_eq!(take(&of_third).await, Turn::Ours);
    // One that says that it ends is not waited for.
    third.leave().await.unwrap();
    let fourth = stage.join("fourth").await;
    let again = workers.take(fourth.secret(), &[], 9).await.unwrap();
    assert_eq!(again[0].number, numbers[0]);
    let Turn::Rests(rest) = take(&Turns::of_worker(workers, fourth.secret(), 1)).await else {
        panic!("it does not rest");
    };
    assert!(rest <= 700, "{rest}");
    assert_eq!(workers.all().await.unwrap().len(), 1);
}

/// Until the server has missed the connections of all workers.
async fn wait_for_end(stage: &Stage) {
    for _ in 0..500 {
        let connected = sqlx::query_scalar(
            "SELECT EXISTS (SELECT 1 FROM worker WHERE holds_key(pid, role, key))",
        );
        let is_connected: bool = connected.fetch_one(stage.workers.pool()).await.unwrap();
        if !is_connected {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("a connection does not end");
}

#[tokio::test]
async fn of_many_workers_a_few_hear_of_tasks() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let mut hear = Vec::new();
    for _ in 0..8 {
        // Each worker has connections of its own.
        let workers = Workers::connect(&stage.address).await.unwrap();
        let presence = workers.join("hears").await.unwrap();
        let hears = workers.listen_for_tasks(presence.secret()).await.unwrap();
        hear.push((presence, hears.unwrap()));
    }
    let late = stage.join("late").await;
    let hears = async || stage.workers.listen_for_tasks(late.secret()).await.unwrap();
    assert!(hears().await.is_none());
    stage.ask(1, &["a"]).await;
    for (_, hears) in &mut hear {
        hears.recv().await.unwrap();
    }
    // When one ends there is room for another. One that listens may ask again.
    let (presence, _) = hear.pop().unwrap();
    presence.leave().await.unwrap();
    assert!(hears().await.is_some());
    assert!(hears().await.is_some());
}

#[tokio::test]
async fn a_crawl_is_run_by_one_program_on_whatever_machine() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let take = |crawl| SharedLock::take(&stage.workers, crawl);
    let first = take(1).await.unwrap();
    // Of another crawl it is another.
    take(2).await.unwrap();
    let mut second = Box::pin(take(1));
    let soon = Duration::from_millis(300);
    let refused = tokio::time::timeout(soon, &mut second).await;
    assert!(refused.is_err(), "two have the lock of one crawl");
    drop(first);
    let mut second = second.await.unwrap();
    second.is_ours().await.unwrap();
    // What the server ended is no lock any more, and it is told.
    let ended = "SELECT pg_terminate_backend(pid) FROM held_lock";
    sqlx::query(ended)
        .execute(stage.workers.pool())
        .await
        .unwrap();
    let mut third = take(1).await.unwrap();
    let lost = second.is_ours().await.unwrap_err();
    assert!(matches!(lost, StoreError::Away(_)), "{lost:?}");
    third.is_ours().await.unwrap();
}

#[tokio::test]
async fn a_connection_that_ends_while_it_begins_is_an_outage() {
    let server = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = server.local_addr().unwrap().port();
    let ends = tokio::spawn(async move {
        let (mut stream, _) = server.accept().await.unwrap();
        // It asks whether it may speak TLS.
        stream.read_exact(&mut [0; 8]).await.unwrap();
    });
    let options = PgConnectOptions::new().host("127.0.0.1").port(port);
    let ended = PgConnection::connect_with(&options).await.unwrap_err();
    ends.await.unwrap();
    let ended = StoreError::from(ended);
    assert!(matches!(ended, StoreError::Away(_)), "{ended:?}");
}

#[tokio::test]
async fn hosts_are_asked_one_at_a_time_by_whatever_program() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let worker = stage.join("worker").await;
    let worker = worker.secret();
    stage.give(worker).await;
    let one = Turns::of_worker(&stage.workers, worker, 1);
    let own = stage.store.turns(2, 1_000).await.unwrap();
    let server: IpAddr = "192.0.2.1".parse().unwrap();
    let on = |host| Asked {
        host,
        server: Some(server),
    };
    let (a, b) = (on("a.test"), on("b.test"));
    let take = async |turns: &Turns, host: &Asked<'_>| turns.take(host, 0, ANY, 500).await.unwrap();
    assert_eq!(take(&one, &a).await, Turn::Ours);
    assert_eq!(take(&own, &a).await, Turn::Taken);
    assert_eq!(take(&own, &b).await, Turn::Taken, "one server");
    // Only who has it gives it back.
    own.give_back(&a, 0, 0, 0).await.unwrap();
    assert_eq!(take(&own, &b).await, Turn::Taken);
    one.give_back(&a, 0, 2_000, 0).await.unwrap();
    let Turn::Rests(rest) = take(&own, &a).await else {
        panic!("it does not rest");
    };
    assert!((1_000..=2_000).contains(&rest), "{rest}");
    assert_eq!(take(&own, &b).await, Turn::Ours, "its server does not");
    stage.pass(2_000).await;
    assert_eq!(take(&one, &a).await, Turn::Taken, "the server");
    // A crawl that its program takes up again leaves its requests their turns; one that another program
    // had gives them back.
    let again = stage.store.turns(2, 1_000).await.unwrap();
    assert_eq!(take(&again, &b).await, Turn::Taken);
    sqlx::query("UPDATE rest SET process = 7 WHERE crawl = 2")
        .execute(stage.workers.pool())
        .await
        .unwrap();
    let after_death = stage.store.turns(2, 1_000).await.unwrap();
    assert!(matches!(take(&after_death, &b).await, Turn::Rests(_)));
    // A clock that goes back by a day keeps no host shut for as long.
    stage.pass(-24 * 60 * 60 * 1_000).await;
    let Turn::Rests(rest) = take(&after_death, &b).await else {
        panic!("it does not rest");
    };
    assert!(rest <= 1_000, "{rest}");
}

#[tokio::test]
async fn many_that_ask_at_once_get_one_turn() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let worker = stage.join("worker").await;
    let worker = worker.secret();
    stage.give(worker).await;
    for round in 0..10 {
        let host = format!("{round}.test");
        let asking = (0..16).map(|crawl| {
            let turns = Turns::of_worker(&stage.workers, worker, crawl % 2 + 1);
            let host = host.clone();
            tokio::spawn(async move {
                let asked = Asked {
                    host: &host,
                    server: None,
                };
                turns.take(&asked, 0, ANY, 0).await.unwrap()
            })
        });
        let mut ours = 0;
        for turn in asking.collect::<Vec<_>>() {
            ours += usize::from(turn.await.unwrap() == Turn::Ours);
        }
        assert_eq!(ours, 1);
    }
}

#[tokio::test]
async fn a_day_costs_a_host_no_more_than_it_may() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let turns = stage.store.turns(1, 0).await.unwrap();
    let worker = stage.join("worker").await;
    let worker = worker.secret();
    stage.give(worker).await;
    let other = Turns::of_worker(&stage.workers, worker, 2);
    let three = DailyBudget {
        requests: Some(3),
        bytes: Some(1_000),
    };
    let (a, b) = (
        Asked {
            host: "a.test",
            server: None,
        },
        Asked {
            host: "b.test",
            server: None,
        },
    );
    for (who, bytes) in [(&turns, 100), (&other, 200), (&turns, 300)] {
        assert_eq!(who.take(&a, 0, three, 0).await.unwrap(), Turn::Ours);
        who.give_back(&a, 0, 0, bytes).await.unwrap();
    }
    let spent = other.take(&a, 0, three, 0).await.unwrap();
    let Turn::Spent(over) = spent else {
        panic!("{spent:?}");
    };
    assert!((1..=24 * 60 * 60 * 1_000).contains(&over), "{over}");
    assert_eq!(other.take(&b, 0, three, 0).await.unwrap(), Turn::Ours);
    other.give_back(&b, 0, 0, 1_000).await.unwrap();
    assert!(matches!(
        turns.take(&b, 0, three, 0).await.unwrap(),
        Turn::Spent(_)
    ));
    assert_eq!(turns.take(&b, 0, ANY, 0).await.unwrap(), Turn::Ours);
}
