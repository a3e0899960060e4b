//! Whose turn it is to ask a host, where many programs share a database: by its clock, and in one call.
//! See [`Turns`](crate::Turns) for what holds wherever it is kept.

use anyhow::Result;
use sqlx::PgPool;

use super::{WorkerSecret, Workers};
use crate::turn::{LONGEST_REST, Turn};
use crate::{DailyBudget, StoreError};

/// The turns of one crawl in one program.
#[derive(Debug, Clone)]
pub struct SharedTurns {
    pool: PgPool,
    crawl: i64,
    asker: Asker,
}

/// Who makes the requests.
#[derive(Debug, Clone)]
enum Asker {
    /// The program that runs the crawl, by its number.
    Program(i64),
    /// A worker.
    Worker(WorkerSecret),
}

impl SharedTurns {
    /// For a worker's request; whoever gives the worker up gives its turns back.
    pub(crate) fn of_worker(workers: &Workers, worker: &WorkerSecret, crawl: i64) -> Self {
        Self {
            pool: workers.pool().clone(),
            crawl,
            asker: Asker::Worker(worker.clone()),
        }
    }

    /// For a crawl that this program runs, and nobody else. Turns that it left open when it was killed
    /// are given back: their hosts rest now.
    pub(crate) async fn open(
        workers: &Workers,
        crawl: i64,
        process: i64,
        delay: u64,
    ) -> Result<Self> {
        let turns = Self {
            pool: workers.pool().clone(),
            crawl,
            asker: Asker::Program(process),
        };
        // A row that somebody keeps locked is free by itself after a minute.
        sqlx::query(
            "UPDATE rest SET crawl = 0, free = clock_ms() + greatest($1, delay), since = clock_ms()
             WHERE host IN (
                 SELECT host FROM rest WHERE crawl = $2 AND process <> $3
                 AND process NOT IN (SELECT number FROM worker) FOR UPDATE SKIP LOCKED)",
        )
        .bind(i64::try_from(delay)?)
        .bind(crawl)
        .bind(process)
        .execute(&turns.pool)
        .await
        .map_err(StoreError::from)?;
        sqlx::query("SELECT forget_hosts()")
            .execute(&turns.pool)
            .await
            .map_err(StoreError::from)?;
        Ok(turns)
    }

    /// Takes a turn: of a host and of its server, as keys. The host rests so long should its asker die.
    /// `now` is only what the answer counts from.
    pub(crate) async fn take(
        &self,
        keys: &[i64],
        now: i64,
        budget: DailyBudget,
        delay: u64,
    ) -> Result<Turn> {
        let most = |most: Option<u64>| most.map(|most| i64::try_from(most).unwrap_or(i64::MAX));
        let query = match &self.asker {
            Asker::Worker(secret) => {
                sqlx::query_as("SELECT what, again FROM worker_takes_turn($1, $2, $3, $4, $5, $6)")
                    .bind(secret.bytes())
                    .bind(keys)
                    .bind(self.crawl)
            }
            Asker::Program(process) => {
                sqlx::query_as("SELECT what, again FROM turn_take($2, $3, $1, 60000, $4, $5, $6)")
                    .bind(process)
                    .bind(keys)
                    .bind(self.crawl)
            }
        };
        let (what, again): (String, i64) = query
            .bind(
                i64::try_from(delay)
                    .unwrap_or(LONGEST_REST)
                    .min(LONGEST_REST),
            )
            .bind(most(budget.requests.map(u64::from)))
            .bind(most(budget.bytes))
            .fetch_one(&self.pool)
            .await
            .map_err(StoreError::from)?;
        Ok(match &*what {
            "ours" => Turn::Ours,
            "rests" => Turn::Rests(now + again),
            "spent" => Turn::Spent(now + again),
            "gone" => Turn::Gone,
            _ => Turn::Taken,
        })
    }

    /// Gives a turn back.
    pub(crate) async fn give_back(&self, keys: &[i64], rest: u64, bytes: u64) -> Result<()> {
        let rest = i64::try_from(rest)
            .unwrap_or(LONGEST_REST)
            .min(LONGEST_REST);
        let query = match &self.asker {
            Asker::Worker(secret) => {
                sqlx::query("SELECT worker_gives_turn_back($1, $2, $3, $4, $5)")
                    .bind(secret.bytes())
                    .bind(keys)
                    .bind(self.crawl)
            }
            Asker::Program(process) => sqlx::query("SELECT turn_give_back($2, $3, $1, $4, $5)")
                .bind(process)
                .bind(keys)
                .bind(self.crawl),
        };
        query
            .bind(rest)
            .bind(i64::try_from(bytes).unwrap_or(i64::MAX))
            .execute(&self.pool)
            .await
            .map_err(StoreError::from)?;
        Ok(())
    }
}
