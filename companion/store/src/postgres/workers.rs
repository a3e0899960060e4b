//! Requests that crawls leave to workers, on both sides: whoever runs a crawl puts them down and takes the
//! answers, workers take them, a few at a time, and answer each once. What a worker does goes through
//! functions of the database (`migrations/postgres`), so it needs no right but to call these.
//!
//! A worker proves with each call who it is, by its [`WorkerSecret`].
//!
//! A worker that says nothing for six seconds is given up, and what it had to do is given to others. By then
//! it has given up itself: see the crawler's `workers`.

use std::fmt;

use anyhow::Result;
use sqlx::error::DatabaseError;
use sqlx::postgres::PgListener;
use sqlx::{Connection, PgConnection, PgPool};

use super::{PostgresStore, listener};
use crate::secret;
use crate::{StoreResult, WorkerRow};

/// Where workers hear that there is something to do, and crawls that something was answered.
const TASKS: &str = "linkscent_tasks";
const ANSWERED: &str = "linkscent_answered";
/// Bytes of answers taken at a time; one may be larger.
const MOST_BYTES: i64 = 16 << 20;
/// How long to wait for rows that a worker has locked.
const LONGEST_LOCK: &str = "2s";
/// Age at which a worker's transaction is ended. Each call of an honest one is a transaction of its own, and gives up
/// after two seconds of waiting.
const LONGEST_TRANSACTION: &str = "10 seconds";
/// Error code for a lock that was not available in time.
const LOCKED: &str = "55P03";
/// To the database at a time, for a worker, besides those that it lives and listens by.
const CONNECTIONS: u32 = 3;

/// The requests of all crawls of a database. Clones are the same.
#[derive(Debug, Clone)]
pub struct Workers {
    pool: PgPool,
}

/// What a worker was given to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// Its number.
    pub number: i64,
    /// The crawl that it is done for.
    pub crawl: i64,
    /// What tells it from when others were given the same.
    pub lease: i64,
    /// What is to be done.
    pub asked: Vec<u8>,
}

/// Proof of being a certain worker. The database keeps only a digest of it. It is sent as a bind
/// parameter, because other sessions of the same role can read the text of a statement.
#[derive(Clone)]
pub struct WorkerSecret([u8; 32]);

impl WorkerSecret {
    /// 256 random bits.
    pub fn random() -> Self {
        Self(secret::random_bytes())
    }

    /// The secret itself, to be bound to a statement.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Hides the secret: logs may be read by others.
impl fmt::Debug for WorkerSecret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("WorkerSecret")
    }
}

/// That a worker is there: its connection. Where that ends, the others know that the worker has ended.
#[derive(Debug)]
pub struct Presence {
    secret: WorkerSecret,
    connection: PgConnection,
}

impl Workers {
    /// Those of a store.
    pub(crate) fn of(store: &PostgresStore) -> Self {
        let pool = store.pool.clone();
        Self { pool }
    }

    /// For a worker, which may be allowed no more than to be one.
    pub async fn connect(address: &str) -> Result<Self> {
        let (pool, _) = PostgresStore::reach(address, CONNECTIONS).await?;
        let is_ready: bool = sqlx::query_scalar("SELECT to_regproc('worker_joins') IS NOT NULL")
            .fetch_one(&pool)
            .await?;
        anyhow::ensure!(
            is_ready,
            "the database is not ready for workers of this version: open it once with `linkscent serve` of \
             the same version"
        );
        Ok(Self { pool })
    }

    /// Puts requests down that a crawl asks for; their numbers, in the same order.
    pub async fn ask(&self, crawl: i64, asked: &[Vec<u8>]) -> StoreResult<Vec<i64>> {
        let mut transaction = self.pool.begin().await?;
        let numbers = sqlx::query_scalar(
            "INSERT INTO task (crawl, asked)
             SELECT $1, asked FROM unnest($2::bytea[]) WITH ORDINALITY AS given (asked, place)
             ORDER BY place RETURNING number",
        )
        .bind(crawl)
        .bind(asked)
        .fetch_all(&mut *transaction)
        .await?;
        sqlx::query("SELECT pg_notify($1, '')")
            .bind(TASKS)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(numbers)
    }

    /// Takes answers to a crawl's requests, each once, some megabytes at a time: numbers, and what was said.
    pub async fn take_answers(&self, crawl: i64, most: i64) -> StoreResult<Vec<(i64, Vec<u8>)>> {
        let mut answers: Vec<(i64, Vec<u8>)> = sqlx::query_as(
            "DELETE FROM task WHERE number IN (
                 SELECT number FROM (
                     SELECT number, bytes, sum(bytes) OVER (ORDER BY number) AS so_far FROM (
                         SELECT number, octet_length(answer) AS bytes FROM task
                         WHERE crawl = $1 AND answer IS NOT NULL ORDER BY number LIMIT $2
                     ) AS first
                 ) AS summed WHERE so_far - bytes < $3
             ) RETURNING number, answer",
        )
        .bind(crawl)
        .bind(most)
        .bind(MOST_BYTES)
        .fetch_all(&self.pool)
        .await?;
        answers.sort_unstable_by_key(|(number, _)| *number);
        Ok(answers)
    }

    /// Withdraws all requests of a crawl. What workers are doing for it goes to its end, and is refused. Requests
    /// that a worker keeps locked stay: nobody waits for their answers any more.
    pub async fn take_back(&self, crawl: i64) -> StoreResult<()> {
        let mut transaction = self.pool.begin().await?;
        sqlx::query("SELECT set_config('lock_timeout', $1, TRUE)")
            .bind(LONGEST_LOCK)
            .execute(&mut *transaction)
            .await?;
        // In the order in which workers answer them.
        let all = sqlx::query(
            "DELETE FROM task WHERE number IN (
                 SELECT number FROM task WHERE crawl = $1 ORDER BY number FOR UPDATE)",
        );
        match all.bind(crawl).execute(&mut *transaction).await {
            Ok(_) => transaction.commit().await?,
            Err(error) if is_locked(&error) => {
                transaction.rollback().await?;
                let free = sqlx::query(
                    "DELETE FROM task WHERE number IN (
                         SELECT number FROM task WHERE crawl = $1 FOR UPDATE SKIP LOCKED)",
                );
                free.bind(crawl).execute(&self.pool).await?;
            }
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// Ends sessions of workers that keep a transaction open, and with it rows locked, for longer than any
    /// honest one does. Returns how many. Only sessions of roles that reach these tables through the workers'
    /// functions alone are ended, and only if this program's role may: a superuser, or a member of theirs.
    pub async fn end_stuck_workers(&self) -> StoreResult<i64> {
        self.end_workers_stuck_for(LONGEST_TRANSACTION).await
    }

    /// The same for transactions of another age, as PostgreSQL writes intervals.
    pub(crate) async fn end_workers_stuck_for(&self, age: &str) -> StoreResult<i64> {
        let ended = sqlx::query_scalar(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
             WHERE datname = current_database() AND xact_start < clock_timestamp() - $1::interval
             AND pg_has_role(usesysid, 'USAGE') AND NOT has_table_privilege(usesysid, 'task', 'SELECT')
             AND EXISTS (
                 SELECT 1 FROM pg_locks WHERE pg_locks.pid = pg_stat_activity.pid
                 AND relation IN ('task'::regclass, 'worker'::regclass, 'rest'::regclass, 'spent'::regclass))",
        );
        Ok(ended.bind(age).fetch_one(&self.pool).await?)
    }

    /// The workers there are, the oldest first.
    pub async fn all(&self) -> StoreResult<Vec<WorkerRow>> {
        type Row = (String, i64, i64, i64, i64, i64, i64, String);
        let rows: Vec<Row> = sqlx::query_as(
            "SELECT name, since, clock_ms() - seen,
             (SELECT count(*) FROM task WHERE task.worker = worker.number AND answer IS NULL),
             answers, refused, bytes, problem
             FROM worker WHERE seen > clock_ms() - 6000 ORDER BY since, number",
        )
        .fetch_all(&self.pool)
        .await?;
        let worker =
            |(name, since, silent, under_way, answers, refused, bytes, problem)| WorkerRow {
                name,
                since,
                silent,
                under_way,
                answers,
                refused,
                bytes,
                problem,
            };
        Ok(rows.into_iter().map(worker).collect())
    }

    /// Which requests of a crawl wait for an answer, or have one that was not taken.
    pub async fn asked(&self, crawl: i64) -> StoreResult<Vec<i64>> {
        let asked = sqlx::query_scalar("SELECT number FROM task WHERE crawl = $1 ORDER BY number");
        Ok(asked.bind(crawl).fetch_all(&self.pool).await?)
    }

    /// How many requests wait for a worker.
    pub async fn waiting(&self) -> StoreResult<i64> {
        let waiting =
            sqlx::query_scalar("SELECT count(*) FROM task WHERE worker IS NULL AND answer IS NULL");
        Ok(waiting.fetch_one(&self.pool).await?)
    }

    /// Hears of new requests. `None` if enough workers do.
    pub async fn listen_for_tasks(&self, worker: &WorkerSecret) -> StoreResult<Option<PgListener>> {
        let may_listen: bool = sqlx::query_scalar("SELECT worker_listens($1)")
            .bind(worker.bytes())
            .fetch_one(&self.pool)
            .await?;
        if !may_listen {
            return Ok(None);
        }
        let mut hears = listener(&self.pool).await?;
        hears.listen(TASKS).await?;
        Ok(Some(hears))
    }

    /// Hears of answers, to whichever crawl: its number comes with it.
    pub async fn listen_for_answers(&self) -> StoreResult<PgListener> {
        let mut hears = listener(&self.pool).await?;
        hears.listen(ANSWERED).await?;
        Ok(hears)
    }

    /// Begins as a worker, with a connection of its own.
    pub async fn join(&self, name: &str) -> StoreResult<Presence> {
        let secret = WorkerSecret::random();
        let mut connection = self.pool.acquire().await?.detach();
        sqlx::query("SELECT worker_joins($1, $2)")
            .bind(secret.bytes())
            .bind(name)
            .execute(&mut connection)
            .await?;
        Ok(Presence { secret, connection })
    }

    /// Takes things to do for a worker, the oldest first. Those that it has are its own by what was said
    /// when they were taken; what else was given to it others do.
    pub async fn take(
        &self,
        worker: &WorkerSecret,
        has: &[i64],
        most: i32,
    ) -> StoreResult<Vec<Lease>> {
        let rows: Vec<(i64, i64, i64, Vec<u8>)> =
            sqlx::query_as("SELECT number, crawl, lease, asked FROM worker_takes($1, $2, $3)")
                .bind(worker.bytes())
                .bind(has)
                .bind(most)
                .fetch_all(&self.pool)
                .await?;
        let lease = |(number, crawl, lease, asked)| Lease {
            number,
            crawl,
            lease,
            asked,
        };
        let mut leases: Vec<Lease> = rows.into_iter().map(lease).collect();
        leases.sort_unstable_by_key(|lease| lease.number);
        Ok(leases)
    }

    /// Answers; which were taken, by their leases. The others came too late, twice, or to what another has
    /// to do.
    pub async fn answer(
        &self,
        worker: &WorkerSecret,
        answers: &[(i64, Vec<u8>)],
    ) -> StoreResult<Vec<i64>> {
        let (leases, said): (Vec<i64>, Vec<&[u8]>) = answers
            .iter()
            .map(|(lease, said)| (*lease, said.as_slice()))
            .unzip();
        let taken = sqlx::query_scalar("SELECT worker_answers($1, $2, $3)");
        let taken = taken.bind(worker.bytes()).bind(leases).bind(said);
        Ok(taken.fetch_one(&self.pool).await?)
    }

    /// Whose turn it is to ask hosts, for a worker's request.
    pub(crate) fn pool(&self) -> &PgPool {
        &self.pool
    }
}

impl Presence {
    /// Proof of being this worker.
    pub fn secret(&self) -> &WorkerSecret {
        &self.secret
    }

    /// Says that it is there, and what keeps it from its work; false if it was given up.
    pub async fn live(&mut self, problem: &str) -> StoreResult<bool> {
        let lives = sqlx::query_scalar("SELECT worker_lives($1, $2)");
        let lives = lives.bind(self.secret.bytes()).bind(problem);
        Ok(lives.fetch_one(&mut self.connection).await?)
    }

    /// Ends a worker whose connection was lost, and which has given up its requests.
    pub async fn end_former(&mut self, former: &WorkerSecret) -> StoreResult<()> {
        sqlx::query("SELECT worker_leaves($1)")
            .bind(former.bytes())
            .execute(&mut self.connection)
            .await?;
        Ok(())
    }

    /// Ends it: others do what it had to do.
    pub async fn leave(mut self) -> StoreResult<()> {
        sqlx::query("SELECT worker_leaves($1)")
            .bind(self.secret.bytes())
            .execute(&mut self.connection)
            .await?;
        self.connection.close().await?;
        Ok(())
    }
}

/// Whether a lock was not available in time.
fn is_locked(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(DatabaseError::code);
    code.is_some_and(|code| code == LOCKED)
}
