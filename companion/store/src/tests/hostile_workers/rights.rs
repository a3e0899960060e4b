//! A worker's role may call the functions of workers, and nothing else.

use sqlx::{Connection, PgConnection};

use super::super::skipped;
use super::super::workers::Stage;
use super::{Roles, is_denied, run, works};
use crate::fixtures::cluster::Cluster;
use crate::postgres::{WorkerSecret, Workers, migrate_to};

#[tokio::test]
async fn a_worker_reads_calls_and_makes_nothing_else() {
    let Some(roles) = Roles::new().await else {
        return;
    };
    let mut session = roles.hostile().await;
    let (relations, functions): (Vec<String>, Vec<String>) = sqlx::query_as(
        "SELECT
         (SELECT array_agg(relname::text ORDER BY relname) FROM pg_class
             WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v', 'm', 'S')
             AND (CASE relkind WHEN 'S' THEN has_sequence_privilege(oid, 'USAGE, SELECT, UPDATE') ELSE
                 has_table_privilege(oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
                 OR has_any_column_privilege(oid, 'SELECT, INSERT, UPDATE, REFERENCES') END)),
         (SELECT array_agg(proname::text ORDER BY proname) FROM pg_proc
             WHERE pronamespace = 'public'::regnamespace AND has_function_privilege(oid, 'EXECUTE')
             AND prorettype <> 'trigger'::regtype)",
    )
    .fetch_one(&mut session)
    .await
    .map(|(relations, functions): (Option<Vec<String>>, Option<Vec<String>>)| {
        (relations.unwrap_or_default(), functions.unwrap_or_default())
    })
    .unwrap();
    assert_eq!(relations, Vec::<String>::new());
    // `kind_of` reads its argument alone.
    let may = [
        "kind_of",
        "worker_answers",
        "worker_gives_turn_back",
        "worker_joins",
        "worker_leaves",
        "worker_listens",
        "worker_lives",
        "worker_takes",
        "worker_takes_turn",
    ];
    assert_eq!(functions, may);
    for statement in [
        "SELECT * FROM task",
        "SELECT * FROM \"fetch\"",
        "SELECT * FROM topic",
        "SELECT * FROM event",
        "SELECT * FROM account",
        "SELECT * FROM sign_in",
        "SELECT digest FROM worker",
        "SELECT * FROM held_lock",
        "SELECT nextval('task_number')",
        "UPDATE task SET answer = ''",
        "INSERT INTO task (crawl, asked) VALUES (1, '')",
        "DELETE FROM worker",
        "DO $$ BEGIN LOCK TABLE writing IN EXCLUSIVE MODE; END $$",
        "DO $$ BEGIN LOCK TABLE task IN ACCESS SHARE MODE; END $$",
        "SELECT expire_workers()",
        "SELECT forget_hosts()",
        "SELECT take_lock('crawl 1')",
        "SELECT hold_random_key()",
        "SELECT worker_of('x')",
        "SELECT release_requests(ARRAY[1::bigint], 0)",
        "SELECT turn_spends(1, 1, 1)",
        "SELECT turn_take(ARRAY[1::bigint], 1, 1, 1, 1, 1, 1)",
        "SELECT turn_give_back(ARRAY[1::bigint], 1, 1, 1, 1)",
        "SELECT clock_ms()",
        "CREATE TABLE mine (id INT)",
        "CREATE TABLE public.mine (id INT)",
        "CREATE SCHEMA mine",
        "CREATE FUNCTION clock_ms() RETURNS BIGINT LANGUAGE sql AS 'SELECT 0::bigint'",
        "CREATE FUNCTION turn_spends(bigint, int, int) RETURNS void LANGUAGE sql AS ''",
        "ALTER FUNCTION worker_takes SECURITY INVOKER",
        "CREATE ROLE mine",
        "SET ROLE postgres",
        "SET SESSION AUTHORIZATION postgres",
        "SELECT pg_read_file('postgresql.conf')",
        "COPY (SELECT 1) TO PROGRAM 'true'",
        "SELECT lo_import('/etc/passwd')",
    ] {
        is_denied(&mut session, statement).await;
    }
    // Sessions of other roles.
    let honest = PgConnection::connect(&roles.honest).await.unwrap();
    let others: Vec<i32> = sqlx::query_scalar(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database()
         AND usename <> current_user",
    )
    .fetch_all(&mut session)
    .await
    .unwrap();
    assert!(others.len() > 1);
    for pid in others {
        is_denied(&mut session, &format!("SELECT pg_terminate_backend({pid})")).await;
        is_denied(&mut session, &format!("SELECT pg_cancel_backend({pid})")).await;
    }
    drop(honest);
    works(&roles.stage, &roles.honest).await;
}

#[tokio::test]
async fn names_in_functions_cannot_be_hijacked() {
    let Some(roles) = Roles::new().await else {
        return;
    };
    let mut session = roles.hostile().await;
    for statement in [
        "CREATE TEMP TABLE worker (LIKE pg_class)",
        "CREATE TEMP TABLE task (number INT)",
        "CREATE TEMP TABLE pg_locks (number INT)",
        "CREATE FUNCTION pg_temp.clock_ms() RETURNS BIGINT LANGUAGE sql AS 'SELECT 0::bigint'",
        "CREATE FUNCTION pg_temp.sha256(bytea) RETURNS bytea LANGUAGE sql AS $$SELECT 'x'::bytea$$",
        "SET search_path = pg_temp, public, pg_catalog",
    ] {
        run(&mut session, statement).await.unwrap();
    }
    let own = WorkerSecret::random();
    sqlx::query("SELECT public.worker_joins($1, 'hijacker')")
        .bind(own.bytes())
        .execute(&mut session)
        .await
        .unwrap();
    let lives: bool = sqlx::query_scalar("SELECT public.worker_lives($1, '')")
        .bind(own.bytes())
        .fetch_one(&mut session)
        .await
        .unwrap();
    assert!(lives);
    let digest: Vec<u8> = sqlx::query_scalar("SELECT digest FROM worker")
        .fetch_one(roles.stage.workers.pool())
        .await
        .unwrap();
    assert_eq!(digest.len(), 32);
    // Each function with its owner's rights says where its names are looked up.
    let unpinned: Vec<String> = sqlx::query_scalar(
        "SELECT proname::text FROM pg_proc WHERE prosecdef AND pronamespace = 'public'::regnamespace
         AND NOT coalesce(proconfig::text LIKE '%search_path=pg_catalog, public, pg_temp%', FALSE)",
    )
    .fetch_all(roles.stage.workers.pool())
    .await
    .unwrap();
    assert_eq!(unpinned, Vec::<String>::new());
    works(&roles.stage, &roles.honest).await;
}

/// As in versions 13 and 14, everybody may make objects in the schema.
#[tokio::test]
async fn nobody_else_makes_objects_in_the_schema_once_it_is_opened() {
    let cluster = match Cluster::of_program() {
        Ok(cluster) => cluster,
        Err(why) => return skipped(why),
    };
    let address = cluster.fresh().unwrap();
    let mut owner = PgConnection::connect(&address).await.unwrap();
    run(&mut owner, "GRANT CREATE ON SCHEMA public TO PUBLIC")
        .await
        .unwrap();
    let stage = Stage::on(address).await;
    let may: bool = sqlx::query_scalar(
        "SELECT EXISTS (SELECT 1 FROM pg_namespace, aclexplode(nspacl) AS may
             WHERE nspname = 'public' AND grantee = 0 AND privilege_type = 'CREATE')",
    )
    .fetch_one(stage.workers.pool())
    .await
    .unwrap();
    assert!(!may);
}

/// A database that an earlier version made, and a role that was allowed to be a worker then.
#[tokio::test]
async fn who_could_be_a_worker_before_can_be_one() {
    let cluster = match Cluster::of_program() {
        Ok(cluster) => cluster,
        Err(why) => return skipped(why),
    };
    let address = cluster.fresh().unwrap();
    let database = address.rsplit('/').next().unwrap().to_owned();
    let mut owner = PgConnection::connect(&address).await.unwrap();
    migrate_to(&address, 8).await.unwrap();
    for statement in [
        format!("CREATE ROLE before_{database} LOGIN"),
        format!(
            "GRANT EXECUTE ON FUNCTION hand_joins, hand_lives, hand_leaves, hand_takes, hand_answers,
             hand_takes_turn, hand_gives_turn_back TO before_{database}"
        ),
        "INSERT INTO topic (id, name, created) VALUES (3, 'wasps', 0);
         INSERT INTO crawl (id, topic, created, state, budget, delay, random_seed, seeds, hosts)
         VALUES (3, 3, 0, 'running', 1, 0, 0, '[]', '[]');
         SELECT hand_joins(7, 'old'); INSERT INTO task (crawl, asked) VALUES (3, 'open'), (3, 'done');
         SELECT hand_takes(7, '{}', 2); UPDATE task SET answer = 'page' WHERE asked = 'done'"
            .to_owned(),
    ] {
        run(&mut owner, &statement).await.unwrap();
    }
    let stage = Stage::on(address.clone()).await;
    let role = format!("postgres://before_{database}@");
    let worker = address.replace("postgres://postgres@", &role);
    let workers = Workers::connect(&worker).await.unwrap();
    let presence = workers.join("new").await.unwrap();
    stage.keep_alive().await;
    let leases = workers.take(presence.secret(), &[], 9).await.unwrap();
    assert_eq!((leases.len(), &leases[0].asked[..]), (1, &b"open"[..]));
    assert_eq!(stage.answers(3).await.len(), 1);
    presence.leave().await.unwrap();
    works(&stage, &worker).await;
}
