//! A worker cannot read the secret of another, act for it, or answer what it was not given.

use sqlx::postgres::PgListener;
use sqlx::{AssertSqlSafe, PgConnection, Row};
use tokio::time::timeout;

use super::{ANY, HOST, Roles, SOON, works};
use crate::postgres::{Lease, Workers};
use crate::secret;
use crate::{Asked, Turn, Turns};

/// All that a session may read anywhere: the text of each row of each table, view and sequence, and of
/// each function.
async fn all_that_is_readable(session: &mut PgConnection) -> Vec<(String, String)> {
    let relations: Vec<String> = sqlx::query_scalar(
        "SELECT oid::regclass::text FROM pg_class WHERE relkind IN ('r', 'v', 'm', 'p', 'S')
         AND has_table_privilege(oid, 'SELECT') AND has_schema_privilege(relnamespace, 'USAGE')",
    )
    .fetch_all(&mut *session)
    .await
    .unwrap();
    let mut all = Vec::new();
    for relation in relations {
        let statement = format!("SELECT read::text FROM {relation} AS read");
        // Some views of the server call functions that are denied.
        let rows = sqlx::query(AssertSqlSafe(statement))
            .fetch_all(&mut *session)
            .await;
        for row in rows.unwrap_or_default() {
            let text: Option<String> = row.get(0);
            all.push((relation.clone(), text.unwrap_or_default()));
        }
    }
    let functions: Vec<String> = sqlx::query_scalar(
        "SELECT pg_get_functiondef(oid) FROM pg_proc WHERE prokind = 'f'
         AND pronamespace = 'public'::regnamespace",
    )
    .fetch_all(&mut *session)
    .await
    .unwrap();
    all.extend(
        functions
            .into_iter()
            .map(|text| ("a function".to_owned(), text)),
    );
    all
}

#[tokio::test]
async fn nothing_that_a_worker_can_read_tells_a_secret() {
    let Some(roles) = Roles::new().await else {
        return;
    };
    // Both with the same role, where most can be seen.
    let workers = Workers::connect(&roles.hostile).await.unwrap();
    let mut session = roles.hostile().await;
    let mut hears = PgListener::connect(&roles.hostile).await.unwrap();
    let channels = ["linkscent_tasks", "linkscent_answered", "linkscent_changed"];
    hears.listen_all(channels).await.unwrap();
    roles.stage.ask(1, &["a", "b"]).await;
    let mut presence = workers.join("honest").await.unwrap();
    let of_worker = presence.secret().clone();
    assert!(presence.live("none").await.unwrap());
    roles.stage.keep_alive().await;
    let listens = workers.listen_for_tasks(&of_worker).await.unwrap();
    let leases = workers.take(&of_worker, &[], 9).await.unwrap();
    let turns = Turns::of_worker(&workers, &of_worker, 1);
    assert_eq!(turns.take(&HOST, 0, ANY, 0).await.unwrap(), Turn::Ours);
    let said = [(leases[0].lease, b"page".to_vec())];
    assert_eq!(workers.answer(&of_worker, &said).await.unwrap().len(), 1);

    let hex = secret::hex(of_worker.bytes());
    let mut all = all_that_is_readable(&mut session).await;
    for _ in 0..2 {
        let heard = timeout(SOON, hears.recv()).await.unwrap().unwrap();
        all.push((heard.channel().to_owned(), heard.payload().to_owned()));
    }
    let seen = |what: &str| all.iter().filter(|(_, text)| text.contains(what)).count();
    for part in [&hex[..], &hex[..16], &hex[48..]] {
        assert_eq!(seen(part), 0, "{part}");
    }
    // As a number, and as the two numbers that a lock's key is shown as.
    for eight in of_worker.bytes().chunks_exact(8) {
        let eight = eight.try_into().unwrap();
        for number in [i64::from_be_bytes(eight), i64::from_le_bytes(eight)] {
            let [high, low] = [number >> 32 & 0xffff_ffff, number & 0xffff_ffff];
            for shown in [number.to_string(), format!(",{high},{low},")] {
                assert_eq!(seen(&shown), 0, "{shown}");
            }
        }
    }
    // What the other session of this role does can be read, so that the search above can find something.
    assert!(seen("SELECT worker_lives($1, $2)") > 0);
    assert!(seen("linkscent_answered") > 0 && seen("(advisory,") > 0 && all.len() > 1_000);
    drop(listens);
}

/// Calls each function of a worker with a secret that is not one.
async fn cannot_act_as(session: &mut PgConnection, secret: Option<&[u8]>, lease: i64) {
    let shown = format!("{secret:?}");
    let is_alive: bool = sqlx::query_scalar("SELECT worker_lives($1, 'forged')")
        .bind(secret)
        .fetch_one(&mut *session)
        .await
        .unwrap();
    assert!(!is_alive, "{shown}");
    let listens: bool = sqlx::query_scalar("SELECT worker_listens($1)")
        .bind(secret)
        .fetch_one(&mut *session)
        .await
        .unwrap();
    assert!(!listens, "{shown}");
    let given = sqlx::query("SELECT * FROM worker_takes($1, '{}', 100)").bind(secret);
    assert!(
        given.fetch_all(&mut *session).await.unwrap().is_empty(),
        "{shown}"
    );
    let taken: Vec<i64> = sqlx::query_scalar("SELECT worker_answers($1, $2, $3)")
        .bind(secret)
        .bind(vec![lease])
        .bind(vec![b"forged".to_vec()])
        .fetch_one(&mut *session)
        .await
        .unwrap();
    assert!(taken.is_empty(), "{shown}");
    let turn: String =
        sqlx::query_scalar("SELECT what FROM worker_takes_turn($1, '{5}', 1, 0, NULL, NULL)")
            .bind(secret)
            .fetch_one(&mut *session)
            .await
            .unwrap();
    assert_eq!(turn, "gone", "{shown}");
    for nothing in [
        "SELECT worker_gives_turn_back($1, $2, 1, 3600000, 1000000000)",
        "SELECT worker_leaves($1) WHERE $2::bigint[] IS NOT NULL",
    ] {
        let done = sqlx::query(nothing).bind(secret).bind(HOST.keys());
        done.execute(&mut *session).await.unwrap();
    }
}

#[tokio::test]
async fn a_worker_cannot_act_for_another() {
    let Some(roles) = Roles::new().await else {
        return;
    };
    let stage = &roles.stage;
    let numbers = stage.ask(1, &["a", "b"]).await;
    let honest = Workers::connect(&roles.honest).await.unwrap();
    let presence = honest.join("honest").await.unwrap();
    stage.keep_alive().await;
    let leases: Vec<Lease> = honest.take(presence.secret(), &[], 2).await.unwrap();
    let turns = Turns::of_worker(&honest, presence.secret(), 1);
    assert_eq!(turns.take(&HOST, 0, ANY, 0).await.unwrap(), Turn::Ours);
    let lease = leases[0].lease;

    // As if it had found out all that the database knows of the other.
    let known: (i64, i64, i32, Vec<u8>) =
        sqlx::query_as("SELECT number, key, pid, digest FROM worker")
            .fetch_one(stage.workers.pool())
            .await
            .unwrap();
    let (number, key, pid, digest) = known;
    let mut session = roles.hostile().await;
    let text = number.to_string().into_bytes();
    let guesses: [&[u8]; 7] = [
        &[],
        &[0; 32],
        &digest,
        &number.to_be_bytes(),
        &key.to_be_bytes(),
        &pid.to_be_bytes(),
        &text,
    ];
    cannot_act_as(&mut session, None, lease).await;
    for guess in guesses {
        cannot_act_as(&mut session, Some(guess), lease).await;
    }
    // Not even with the secret, from another role.
    let stolen = presence.secret().bytes();
    cannot_act_as(&mut session, Some(stolen), lease).await;
    // Neither does a second worker with the same secret come in.
    let joined = sqlx::query("SELECT worker_joins($1, 'double')").bind(stolen);
    assert!(joined.execute(&mut session).await.is_err());
    for short in [&[][..], &stolen[..31]] {
        let joined = sqlx::query("SELECT worker_joins($1, 'short')").bind(short);
        assert!(joined.execute(&mut session).await.is_err());
    }

    // As a worker of its own it is given nothing of the other's, and answers none of it.
    let hostile = Workers::connect(&roles.hostile).await.unwrap();
    let own = hostile.join("hostile").await.unwrap();
    stage.keep_alive().await;
    assert!(
        hostile
            .take(own.secret(), &[], 100)
            .await
            .unwrap()
            .is_empty()
    );
    let forged: Vec<(i64, Vec<u8>)> = leases
        .iter()
        .flat_map(|held| [held.lease, held.number, held.lease ^ 1])
        .map(|lease| (lease, b"forged".to_vec()))
        .collect();
    assert!(
        hostile
            .answer(own.secret(), &forged)
            .await
            .unwrap()
            .is_empty()
    );
    assert!(stage.answers(1).await.is_empty());

    // Nothing of that has touched the other.
    assert_eq!(turns.take(&HOST, 0, ANY, 0).await.unwrap(), Turn::Taken);
    let said: Vec<(i64, Vec<u8>)> = leases
        .iter()
        .map(|lease| (lease.lease, b"page".to_vec()))
        .collect();
    assert_eq!(
        honest.answer(presence.secret(), &said).await.unwrap().len(),
        2
    );
    let pages = numbers.iter().map(|number| (*number, "page".to_owned()));
    assert_eq!(stage.answers(1).await, pages.collect::<Vec<_>>());
}

#[tokio::test]
async fn a_worker_answers_only_what_it_has_and_once() {
    let Some(roles) = Roles::new().await else {
        return;
    };
    let stage = &roles.stage;
    let numbers = stage.ask(1, &["a", "b", "c"]).await;
    let hostile = Workers::connect(&roles.hostile).await.unwrap();
    let own = hostile.join(&"x".repeat(10_000_000)).await.unwrap();
    stage.keep_alive().await;
    let leases = hostile.take(own.secret(), &[], 3).await.unwrap();
    let [a, b, c] = [0, 1, 2].map(|at: usize| leases[at].lease);
    let answer = async |said: &[(i64, Vec<u8>)]| hostile.answer(own.secret(), said).await.unwrap();
    let some = |lease| (lease, b"page".to_vec());
    // Twice in one call, and again.
    assert_eq!(answer(&[some(a), some(a)]).await, [a]);
    assert!(answer(&[some(a)]).await.is_empty());
    // What it gave back by forgetting it; the number of the request in place of the lease.
    let again = hostile.take(own.secret(), &[c], 3).await.unwrap();
    assert_eq!(again.len(), 1);
    assert_ne!(again[0].lease, b);
    assert!(answer(&[some(b), some(again[0].number)]).await.is_empty());
    // More than is taken of one, and of anything else.
    assert!(answer(&[(c, vec![0; 64_000_001])]).await.is_empty());
    assert!(answer(&[(c, Vec::new())]).await.is_empty());
    let mut session = roles.hostile().await;
    let flood: Vec<i64> = (0..1_000_000).collect();
    let taken: Vec<i64> = sqlx::query_scalar("SELECT worker_answers($1, $2, ARRAY[]::bytea[])")
        .bind(own.secret().bytes())
        .bind(&flood)
        .fetch_one(&mut session)
        .await
        .unwrap();
    assert!(taken.is_empty());
    let most: i64 =
        sqlx::query_scalar("SELECT count(*) FROM worker_takes($1, $2 || $3::bigint[], 2147483647)")
            .bind(own.secret().bytes())
            .bind(&flood)
            .bind([again[0].lease, c])
            .fetch_one(&mut session)
            .await
            .unwrap();
    assert_eq!(most, 0);
    let name: i32 = sqlx::query_scalar("SELECT max(length(name)) FROM worker")
        .fetch_one(stage.workers.pool())
        .await
        .unwrap();
    assert_eq!(name, 100);
    assert_eq!(stage.answers(1).await, [(numbers[0], "page".to_owned())]);
    // A crawl that it has no request of, and more hosts than it can ask.
    let turn = Turns::of_worker(&hostile, own.secret(), 2);
    assert_eq!(turn.take(&HOST, 0, ANY, 0).await.unwrap(), Turn::Gone);
    let mut ours = 0;
    for host in 0..250 {
        let host = format!("{host}.test");
        let asked = Asked {
            host: &host,
            server: None,
        };
        let turn = Turns::of_worker(&hostile, own.secret(), 1);
        ours += usize::from(turn.take(&asked, 0, ANY, 0).await.unwrap() == Turn::Ours);
    }
    assert_eq!(ours, 200);
    works(stage, &roles.honest).await;
}
