//! Topics that stand, as rows.

use async_trait::async_trait;
use linkscent_core::crawl::{DEFERRED, Denial};
use sqlx::AssertSqlSafe;

#[cfg(feature = "team")]
use super::PostgresStore;
use super::{Dialect, SqliteStore};
use crate::ports::{LookRow, Standing, StandingTopic};
use crate::{StoreError, StoreResult};

macro_rules! standing {
    ($store:ty) => {
        #[async_trait]
        impl Standing for $store {
            async fn stand(&self, standing: &StandingTopic) -> StoreResult<()> {
                let done = sqlx::query(
                    "INSERT INTO standing (topic, every, requests, due, feed)
                     SELECT $1, $2, $3, $4, $5 WHERE EXISTS (SELECT 1 FROM topic WHERE id = $1)
                     ON CONFLICT (topic) DO UPDATE SET every = $2, requests = $3, due = $4, feed = $5",
                )
                .bind(standing.topic)
                .bind(standing.every)
                .bind(i64::try_from(standing.requests).unwrap_or(i64::MAX))
                .bind(standing.due)
                .bind(&standing.feed)
                .execute(&self.pool)
                .await?;
                match done.rows_affected() {
                    0 => Err(StoreError::Missing("topic")),
                    _ => Ok(()),
                }
            }

            async fn put_off(&self, standing: &StandingTopic, due: i64) -> StoreResult<bool> {
                let done = sqlx::query("UPDATE standing SET due = $1 WHERE topic = $2 AND due = $3")
                    .bind(due)
                    .bind(standing.topic)
                    .bind(standing.due)
                    .execute(&self.pool)
                    .await?;
                Ok(done.rows_affected() > 0)
            }

            async fn rest(&self, topic: i64) -> StoreResult<()> {
                sqlx::query("DELETE FROM standing WHERE topic = $1")
                    .bind(topic)
                    .execute(&self.pool)
                    .await?;
                Ok(())
            }

            async fn standing(&self) -> StoreResult<Vec<StandingTopic>> {
                let rows: Vec<(i64, i64, i64, i64, String)> = sqlx::query_as(
                    "SELECT topic, every, requests, due, feed FROM standing
                     JOIN topic ON topic.id = topic WHERE NOT removed ORDER BY due, topic",
                )
                .fetch_all(&self.pool)
                .await?;
                let rows = rows.into_iter();
                let rows = rows.map(|(topic, every, requests, due, feed)| StandingTopic {
                    topic,
                    every,
                    requests: requests as u64,
                    due,
                    feed,
                });
                Ok(rows.collect())
            }

            async fn denied(&self, topic: i64) -> StoreResult<Vec<String>> {
                let rows: Vec<(String,)> = sqlx::query_as(
                    "SELECT DISTINCT address FROM crawl JOIN skipped ON skipped.crawl = crawl.id
                     WHERE topic = $1 AND is_round AND is_seed AND reason = $2 ORDER BY address",
                )
                .bind(topic)
                .bind(Denial::Rule.to_string())
                .fetch_all(&self.pool)
                .await?;
                Ok(rows.into_iter().map(|row| row.0).collect())
            }

            async fn looks(&self, topic: i64) -> StoreResult<Vec<LookRow>> {
                type Row = (i64, bool, String, Option<String>, i64, bool, bool);
                let from = Self::first("trail");
                let rows: Vec<Row> = sqlx::query_as(AssertSqlSafe(format!(
                    "SELECT crawl.id, is_round, address, {from}, time,
                     warc_offset IS NOT NULL AND relevance IS NOT NULL,
                     is_target FROM crawl JOIN \"fetch\" ON \"fetch\".crawl = crawl.id
                     WHERE topic = $1 AND NOT removed AND NOT is_reading
                     AND (is_round OR (warc_offset IS NOT NULL AND relevance IS NOT NULL))
                     AND substr(problem, 1, length($2)) <> $2
                     ORDER BY crawl.id, number"
                )))
                .bind(topic)
                .bind(DEFERRED)
                .fetch_all(&self.pool)
                .await?;
                let rows = rows.into_iter();
                let rows = rows.map(
                    |(crawl, is_recrawl, address, from, time, came, is_target)| LookRow {
                        crawl,
                        is_recrawl,
                        address,
                        from,
                        time,
                        came,
                        is_target,
                    },
                );
                Ok(rows.collect())
            }
        }
    };
}

standing!(SqliteStore);
#[cfg(feature = "team")]
standing!(PostgresStore);
