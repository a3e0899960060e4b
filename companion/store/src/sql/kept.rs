//! Pages that crawls kept, over all of them.

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use sqlx::AssertSqlSafe;

#[cfg(feature = "team")]
use super::PostgresStore;
use super::{Dialect, SqliteStore, json};
use crate::StoreResult;
use crate::ports::{CopyRow, Kept, KeptRow, ResultRow, StandingRow};

/// Crawls that are in sight, of a topic or of all, with the last of their pages that the person had in
/// view.
const SHOWN: &str = "WITH shown AS MATERIALIZED (
     SELECT crawl.id, topic.id AS topic,
     CASE WHEN is_reading THEN 9000000000000000 ELSE looked END AS looked FROM crawl
     JOIN topic ON topic.id = crawl.topic
     WHERE NOT crawl.removed AND NOT topic.removed AND ($1 IS NULL OR topic.id = $1))";

/// By topic and page: the first crawl that had it in view, and the first that had it so as a
/// target.
type Seen = HashMap<(i64, String), (i64, Option<i64>)>;

fn kept_row((number, address, offset): (i64, String, i64)) -> KeptRow {
    KeptRow {
        number: number as u64,
        address,
        offset: offset as u64,
    }
}

macro_rules! kept {
    ($store:ty) => {
        impl $store {
            /// The first crawl of which the person had any page in view, also of those out of sight.
            async fn first_in_view(&self, topic: Option<i64>) -> StoreResult<Option<i64>> {
                let first = sqlx::query_scalar(
                    "SELECT min(id) FROM crawl WHERE (looked > 0 OR is_reading) AND ($1 IS NULL OR topic = $1)",
                );
                Ok(first.bind(topic).fetch_one(&self.pool).await?)
            }

            /// Of pages of crawls behind that one that nobody had in view, those that an earlier crawl had.
            async fn known_before(
                &self,
                topic: Option<i64>,
                first: i64,
            ) -> StoreResult<HashSet<(i64, i64)>> {
                let seen = self.seen(topic).await?;
                let then = Self::THEN;
                let rows: Vec<(i64, i64, i64, bool, String)> = sqlx::query_as(AssertSqlSafe(format!(
                    "{SHOWN} SELECT shown.topic, shown.id, number, is_target, address
                     FROM shown {then} \"fetch\" ON \"fetch\".crawl = shown.id
                     WHERE shown.id > $2 AND number > looked AND scored
                     AND warc_offset IS NOT NULL AND relevance IS NOT NULL"
                )))
                .bind(topic)
                .bind(first)
                .fetch_all(&self.pool)
                .await?;
                let known = rows.into_iter().filter_map(|row| {
                    let (topic, crawl, number, is_target, address) = row;
                    let seen = seen.get(&(topic, address))?;
                    let before = if is_target { seen.1 } else { Some(seen.0) };
                    (before? < crawl).then_some((crawl, number))
                });
                Ok(known.collect())
            }

            async fn seen(&self, topic: Option<i64>) -> StoreResult<Seen> {
                let then = Self::THEN;
                let rows: Vec<(i64, String, i64, Option<i64>)> = sqlx::query_as(AssertSqlSafe(format!(
                    "WITH seen AS MATERIALIZED (
                         SELECT id, topic, CASE WHEN is_reading THEN 9000000000000000 ELSE looked END AS looked
                         FROM crawl WHERE (looked > 0 OR is_reading) AND ($1 IS NULL OR topic = $1))
                     SELECT topic, address, min(seen.id), min(CASE WHEN is_target THEN seen.id END)
                     FROM seen {then} \"fetch\" ON \"fetch\".crawl = seen.id
                     WHERE number <= looked AND relevance IS NOT NULL GROUP BY topic, address"
                )))
                .bind(topic)
                .fetch_all(&self.pool)
                .await?;
                let rows = rows.into_iter();
                Ok(rows
                    .map(|(topic, address, first, target)| ((topic, address), (first, target)))
                    .collect())
            }
        }

        #[async_trait]
        impl Kept for $store {
            async fn kept_after(&self, crawl: i64, number: u64, most: i64) -> StoreResult<Vec<KeptRow>> {
                let rows: Vec<(i64, String, i64)> = sqlx::query_as(
                    "SELECT number, address, warc_offset FROM \"fetch\"
                     WHERE crawl = $1 AND number > $2 AND warc_offset IS NOT NULL AND relevance IS NOT NULL
                     ORDER BY number LIMIT $3",
                )
                .bind(crawl)
                .bind(i64::try_from(number).unwrap_or(i64::MAX))
                .bind(most.max(0))
                .fetch_all(&self.pool)
                .await?;
                Ok(rows.into_iter().map(kept_row).collect())
            }

            async fn redirect_to(
                &self,
                crawl: i64,
                address: &str,
                before: u64,
            ) -> StoreResult<Option<KeptRow>> {
                // A sum is in no index, so that rows are found by where they lead and not by going
                // through the log.
                let row: Option<(i64, String, i64)> = sqlx::query_as(
                    "SELECT number, address, warc_offset FROM \"fetch\"
                     WHERE crawl = $1 AND redirect = $2 AND number + 0 < $3 AND warc_offset IS NOT NULL
                     ORDER BY number + 0 DESC LIMIT 1",
                )
                .bind(crawl)
                .bind(address)
                .bind(i64::try_from(before).unwrap_or(i64::MAX))
                .fetch_optional(&self.pool)
                .await?;
                Ok(row.map(kept_row))
            }

            async fn standings(&self, topic: Option<i64>) -> StoreResult<Vec<StandingRow>> {
                // All of it stands in an index: a log is many times as large.
                let (then, by) = (Self::THEN, Self::BY_STANDINGS);
                let mut rows: Vec<(i64, i64, f64, bool, i64, bool)> =
                    sqlx::query_as(AssertSqlSafe(format!(
                    "{SHOWN} SELECT shown.id, number, relevance, is_target, time, number > looked AND scored
                     FROM shown {then} \"fetch\" {by} ON \"fetch\".crawl = shown.id
                     WHERE warc_offset IS NOT NULL AND relevance IS NOT NULL"
                )))
                    .bind(topic)
                    .fetch_all(&self.pool)
                    .await?;
                rows.sort_unstable_by_key(|row| (row.0, row.1));
                // Pages of crawls up to the first with any in view were in view in none before.
                let first = self.first_in_view(topic).await?;
                let known = match first {
                    Some(first) if rows.iter().any(|row| row.5 && row.0 > first) => {
                        self.known_before(topic, first).await?
                    }
                    _ => HashSet::new(),
                };
                let rows = rows.into_iter();
                let rows = rows.map(
                    |(crawl, number, relevance, is_target, time, is_unseen)| StandingRow {
                        crawl,
                        number: number as u64,
                        relevance,
                        is_target,
                        is_new: is_unseen && !known.contains(&(crawl, number)),
                        time,
                    },
                );
                Ok(rows.collect())
            }

            async fn look(&self, topic: Option<i64>) -> StoreResult<()> {
                sqlx::query(
                    "UPDATE crawl SET looked = (SELECT coalesce(max(number), 0) FROM \"fetch\"
                                                WHERE \"fetch\".crawl = crawl.id)
                     WHERE $1 IS NULL OR topic = $1",
                )
                .bind(topic)
                .execute(&self.pool)
                .await?;
                Ok(())
            }

            async fn copies(&self, topic: i64, addresses: &[String]) -> StoreResult<Vec<CopyRow>> {
                let addresses = json(&addresses)?;
                let (then, by, these) = (Self::THEN, Self::BY_ADDRESS, Self::elements("$2"));
                let rows: Vec<(i64, i64, String)> = sqlx::query_as(AssertSqlSafe(format!(
                    "SELECT \"fetch\".crawl, number, address FROM crawl
                     {then} \"fetch\" {by} ON \"fetch\".crawl = crawl.id
                     WHERE topic = $1 AND address IN ({these})
                     AND warc_offset IS NOT NULL AND relevance IS NOT NULL
                     ORDER BY \"fetch\".crawl, number"
                )))
                .bind(topic)
                .bind(addresses)
                .fetch_all(&self.pool)
                .await?;
                let row = |(crawl, number, address): (i64, i64, String)| CopyRow {
                    crawl,
                    number: number as u64,
                    address,
                };
                Ok(rows.into_iter().map(row).collect())
            }

            async fn result_at(&self, crawl: i64, number: u64) -> StoreResult<Option<ResultRow>> {
                let query = sqlx::query_as(
                    "SELECT address, title, snippet, relevance, is_target, reason, anchor, trail, problem,
                     class, time FROM \"fetch\" WHERE crawl = $1 AND number = $2",
                );
                let query = query
                    .bind(crawl)
                    .bind(i64::try_from(number).unwrap_or(i64::MAX));
                Ok(query.fetch_optional(&self.pool).await?)
            }
        }
    };
}

kept!(SqliteStore);
#[cfg(feature = "team")]
kept!(PostgresStore);
