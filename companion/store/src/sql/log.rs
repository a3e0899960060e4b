//! The log of a crawl as it is read.

use async_trait::async_trait;
#[cfg(feature = "team")]
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{FromRow, Row};

use linkscent_core::crawl::{Arm, UNRENDERED, Unfound};

#[cfg(feature = "team")]
use super::PostgresStore;
use super::SqliteStore;
use crate::ports::{
    AlarmRow, CrawlLog, FetchRow, FormRow, Location, MOST_ALARMS, MOST_REASONS, MOST_UNRENDERED,
    Outcome, ResultRow, SkippedRow,
};
use crate::{StoreError, StoreResult};

type FormTuple = (String, String, String, String, String, String, f64, bool);

macro_rules! log {
    ($store:ty, $row:ty) => {
        #[async_trait]
        impl CrawlLog for $store {
            async fn fetches_after(&self, crawl: i64, number: u64) -> StoreResult<Vec<FetchRow>> {
                let query = sqlx::query_as(
                    "SELECT number, address, problem, redirect, time, arm, waiting, coverage,
                     CASE WHEN relevance IS NOT NULL THEN warc_offset END AS warc_offset
                     FROM \"fetch\" WHERE crawl = $1 AND number > $2 ORDER BY number",
                );
                let number = i64::try_from(number).unwrap_or(i64::MAX);
                let query = query.bind(crawl).bind(number);
                Ok(query.fetch_all(&self.pool).await?)
            }

            async fn last_number(&self, crawl: i64) -> StoreResult<u64> {
                let query = "SELECT coalesce(max(number), 0) FROM \"fetch\" WHERE crawl = $1";
                let (number,): (i64,) = sqlx::query_as(query)
                    .bind(crawl)
                    .fetch_one(&self.pool)
                    .await?;
                Ok(number as u64)
            }

            async fn unrendered(&self, crawl: i64) -> StoreResult<Vec<String>> {
                let rows: Vec<(String,)> = sqlx::query_as(
                    "SELECT address FROM \"fetch\" WHERE crawl = $1 AND substr(problem, 1, length($2)) = $2
                     AND NOT EXISTS (SELECT 1 FROM \"fetch\" AS later WHERE later.crawl = $1
                                     AND later.address = \"fetch\".address AND later.number > \"fetch\".number)
                     ORDER BY number LIMIT $3",
                )
                .bind(crawl)
                .bind(UNRENDERED)
                .bind(MOST_UNRENDERED)
                .fetch_all(&self.pool)
                .await?;
                Ok(rows.into_iter().map(|row| row.0).collect())
            }

            async fn last_results(&self, crawl: i64, most: i64) -> StoreResult<Vec<ResultRow>> {
                self.results(crawl, "TRUE", "number DESC", most, 0).await
            }

            async fn best_results(&self, crawl: i64, most: i64, skip: i64) -> StoreResult<Vec<ResultRow>> {
                let order = "relevance DESC, number";
                self.results(crawl, "is_target AND scored", order, most, skip)
                    .await
            }

            async fn pages_of_class(
                &self,
                crawl: i64,
                node: Option<&str>,
                most: i64,
                skip: i64,
            ) -> StoreResult<Vec<ResultRow>> {
                let Some(node) = node else {
                    let which = "relevance IS NOT NULL";
                    return self.results(crawl, which, "number DESC", most, skip).await;
                };
                let query = sqlx::query_as(
                    "SELECT address, title, snippet, relevance, is_target, reason, anchor, trail, problem,
                     class, time FROM \"fetch\" WHERE crawl = $1 AND relevance IS NOT NULL
                     AND (class = $2 OR substr(class, 1, length($2) + 1) = $2 || '/')
                     ORDER BY number DESC LIMIT $3 OFFSET $4",
                );
                let query = query.bind(crawl).bind(node);
                let query = query.bind(most.max(0)).bind(skip.max(0));
                Ok(query.fetch_all(&self.pool).await?)
            }

            async fn counts(&self, crawl: i64) -> StoreResult<(u64, u64, u64, u64)> {
                let row: Option<(i64, i64, i64, i64)> = sqlx::query_as(
                    "SELECT pages, scored, relevant, requests - pages FROM crawl WHERE id = $1",
                )
                .bind(crawl)
                .fetch_optional(&self.pool)
                .await?;
                let row = row.ok_or(StoreError::Missing("crawl"))?;
                Ok((row.0 as u64, row.1 as u64, row.2 as u64, row.3 as u64))
            }

            async fn outcomes(&self, crawl: i64, after: u64, most: i64) -> StoreResult<Vec<Outcome>> {
                let query = sqlx::query_as(
                    "SELECT number, address, time, relevance IS NOT NULL, scored, is_target AND scored, problem,
                            waiting, warc_offset, redirect IS NOT NULL, coverage
                     FROM \"fetch\" WHERE crawl = $1 AND number > $2 ORDER BY number LIMIT $3",
                );
                let query = query.bind(crawl);
                let query = query.bind(i64::try_from(after).unwrap_or(i64::MAX));
                Ok(query.bind(most.max(0)).fetch_all(&self.pool).await?)
            }

            async fn log_changes(&self, crawl: i64) -> StoreResult<i64> {
                let changes: Option<i64> =
                    sqlx::query_scalar("SELECT changes FROM log_change WHERE crawl = $1")
                        .bind(crawl)
                        .fetch_optional(&self.pool)
                        .await?;
                Ok(changes.unwrap_or(0))
            }

            async fn log_rewrites(&self, crawl: i64) -> StoreResult<i64> {
                let rewritten: Option<i64> =
                    sqlx::query_scalar("SELECT rewritten FROM log_change WHERE crawl = $1")
                        .bind(crawl)
                        .fetch_optional(&self.pool)
                        .await?;
                Ok(rewritten.unwrap_or(0))
            }

            async fn kept_page(&self, crawl: i64, address: &str) -> StoreResult<Option<(u64, String)>> {
                // A sum is in no index, so that rows are found by their address and not by going
                // through the log.
                let row: Option<(i64, String)> = sqlx::query_as(
                    "SELECT warc_offset, title FROM \"fetch\"
                     WHERE crawl = $1 AND address = $2 AND warc_offset IS NOT NULL
                     AND relevance IS NOT NULL
                     ORDER BY number + 0 LIMIT 1",
                )
                .bind(crawl)
                .bind(address)
                .fetch_optional(&self.pool)
                .await?;
                Ok(row.map(|(offset, title)| (offset as u64, title)))
            }

            async fn forms(&self, crawl: i64, most: i64) -> StoreResult<Vec<FormRow>> {
                let rows: Vec<FormTuple> = sqlx::query_as(
                    "SELECT \"fetch\".address, title, trail, name, action, fields, confidence, wanted
                     FROM form JOIN \"fetch\" USING (crawl, number) WHERE crawl = $1
                     ORDER BY wanted DESC, confidence DESC, number, name LIMIT $2",
                )
                .bind(crawl)
                .bind(most.max(0))
                .fetch_all(&self.pool)
                .await?;
                Ok(rows.into_iter().map(form).collect())
            }

            async fn count_forms(&self, crawl: i64) -> StoreResult<u64> {
                let row: (i64,) = sqlx::query_as("SELECT count(*) FROM form WHERE crawl = $1 AND wanted")
                    .bind(crawl)
                    .fetch_one(&self.pool)
                    .await?;
                Ok(row.0 as u64)
            }

            async fn skipped(&self, crawl: i64) -> StoreResult<Vec<SkippedRow>> {
                let rows: Vec<(String, i64, i64, String)> = sqlx::query_as(
                    "SELECT reason, count(*), count(CASE WHEN is_seed THEN 1 END), max(address) FROM skipped WHERE crawl = $1
                     GROUP BY reason ORDER BY count(*) DESC, reason LIMIT $2",
                )
                .bind(crawl)
                .bind(MOST_REASONS as i64)
                .fetch_all(&self.pool)
                .await?;
                let row = |(reason, count, seeds, example): (_, i64, i64, _)| SkippedRow {
                    reason,
                    count: count as u64,
                    seeds: seeds as u64,
                    example,
                };
                Ok(rows.into_iter().map(row).collect())
            }

            async fn unfound(&self, crawl: i64) -> StoreResult<Option<Unfound>> {
                let row: Option<(f64, Option<f64>)> = sqlx::query_as(
                    "SELECT waiting, coverage FROM \"fetch\" WHERE crawl = $1 AND waiting IS NOT NULL
                     ORDER BY number DESC LIMIT 1",
                )
                .bind(crawl)
                .fetch_optional(&self.pool)
                .await?;
                Ok(row.map(|(waiting, coverage)| Unfound { waiting, coverage }))
            }

            async fn alarms(&self, crawl: i64) -> StoreResult<Vec<AlarmRow>> {
                let rows: Vec<(i64, String)> = sqlx::query_as(
                    "SELECT number, said FROM alarm WHERE crawl = $1 ORDER BY number DESC LIMIT $2",
                )
                .bind(crawl)
                .bind(MOST_ALARMS as i64)
                .fetch_all(&self.pool)
                .await?;
                let row = |(number, said)| AlarmRow { number, said };
                Ok(rows.into_iter().map(row).collect())
            }
        }

        impl $store {
            /// `which` and `order` are parts of the statement, written in this file.
            async fn results(
                &self,
                crawl: i64,
                which: &'static str,
                order: &'static str,
                most: i64,
                skip: i64,
            ) -> StoreResult<Vec<ResultRow>> {
                let statement = format!(
                    "SELECT address, title, snippet, relevance, is_target, reason, anchor, trail, problem,
                     class, time FROM \"fetch\" WHERE crawl = $1 AND {which} ORDER BY {order} LIMIT $2 OFFSET $3"
                );
                let query = sqlx::query_as(sqlx::AssertSqlSafe(statement));
                let query = query.bind(crawl).bind(most.max(0)).bind(skip.max(0));
                Ok(query.fetch_all(&self.pool).await?)
            }
        }

        impl FromRow<'_, $row> for FetchRow {
            fn from_row(row: &$row) -> sqlx::Result<Self> {
                let offset: Option<i64> = row.try_get("warc_offset")?;
                Ok(Self {
                    number: row.try_get::<i64, _>("number")? as u64,
                    address: row.try_get("address")?,
                    problem: row.try_get("problem")?,
                    arm: row.try_get::<Option<i64>, _>("arm")?.map(Arm::of_code),
                    unfound: unfound(row.try_get("waiting")?, row.try_get("coverage")?),
                    place: Location {
                        warc_offset: offset.map(|offset| offset as u64),
                        redirect: row.try_get("redirect")?,
                        time: row.try_get("time")?,
                    },
                })
            }
        }

        impl FromRow<'_, $row> for ResultRow {
            fn from_row(row: &$row) -> sqlx::Result<Self> {
                Ok(Self {
                    address: row.try_get("address")?,
                    title: row.try_get("title")?,
                    snippet: row.try_get("snippet")?,
                    relevance: row.try_get("relevance")?,
                    is_target: row.try_get("is_target")?,
                    reason: row.try_get("reason")?,
                    anchor: row.try_get("anchor")?,
                    // A path that cannot be read costs the path, not the page.
                    trail: serde_json::from_str(row.try_get("trail")?).unwrap_or_default(),
                    problem: row.try_get("problem")?,
                    class: row.try_get("class")?,
                    time: row.try_get("time")?,
                })
            }
        }

        impl FromRow<'_, $row> for Outcome {
            fn from_row(row: &$row) -> sqlx::Result<Self> {
                Ok(Self {
                    number: row.try_get::<i64, _>(0)?.unsigned_abs(),
                    address: row.try_get(1)?,
                    time: row.try_get(2)?,
                    is_page: row.try_get(3)?,
                    is_scored: row.try_get(4)?,
                    is_find: row.try_get(5)?,
                    problem: row.try_get(6)?,
                    unfound: unfound(row.try_get(7)?, row.try_get(10)?),
                    warc_offset: row.try_get::<Option<i64>, _>(8)?.map(i64::unsigned_abs),
                    is_redirect: row.try_get(9)?,
                })
            }
        }
    };
}

log!(SqliteStore, SqliteRow);
#[cfg(feature = "team")]
log!(PostgresStore, PgRow);

fn unfound(waiting: Option<f64>, coverage: Option<f64>) -> Option<Unfound> {
    waiting.map(|waiting| Unfound { waiting, coverage })
}

fn form(row: FormTuple) -> FormRow {
    let (address, title, trail, name, action, fields, confidence, wanted) = row;
    FormRow {
        address,
        title,
        trail: serde_json::from_str(&trail).unwrap_or_default(),
        name,
        action,
        fields: serde_json::from_str(&fields).unwrap_or_default(),
        confidence,
        wanted,
    }
}
