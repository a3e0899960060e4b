//! Pages that crawls kept, over all of them.

use std::collections::HashMap;

use async_trait::async_trait;

use super::{SqliteStore, json};
use crate::store::StoreResult;
use crate::store::ports::{CopyRow, Kept, KeptRow, ResultRow, StandingRow};

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

impl SqliteStore {
    async fn seen(&self, topic: Option<i64>) -> StoreResult<Seen> {
        let rows: Vec<(i64, String, i64, Option<i64>)> = sqlx::query_as(
            "WITH looked AS MATERIALIZED (
                 SELECT id, topic, CASE WHEN is_reading THEN 9e15 ELSE looked END AS looked
                 FROM crawl WHERE (looked > 0 OR is_reading) AND (?1 IS NULL OR topic = ?1))
             SELECT topic, address, min(looked.id), min(CASE WHEN is_target THEN looked.id END)
             FROM looked CROSS JOIN fetch ON fetch.crawl = looked.id
             WHERE number <= looked AND relevance IS NOT NULL GROUP BY topic, address",
        )
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
impl Kept for SqliteStore {
    async fn kept_after(&self, crawl: i64, number: u64, most: i64) -> StoreResult<Vec<KeptRow>> {
        let rows: Vec<(i64, String, i64)> = sqlx::query_as(
            "SELECT number, address, warc_offset FROM fetch
             WHERE crawl = ? AND number > ? AND warc_offset IS NOT NULL AND relevance IS NOT NULL
             ORDER BY number LIMIT ?",
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
        let row: Option<(i64, String, i64)> = sqlx::query_as(
            "SELECT number, address, warc_offset FROM fetch
             WHERE crawl = ? AND redirect = ? AND number < ? AND warc_offset IS NOT NULL
             ORDER BY number DESC LIMIT 1",
        )
        .bind(crawl)
        .bind(address)
        .bind(i64::try_from(before).unwrap_or(i64::MAX))
        .fetch_optional(&self.pool)
        .await?;
        Ok(row.map(kept_row))
    }

    async fn standings(&self, topic: Option<i64>) -> StoreResult<Vec<StandingRow>> {
        // What stands in a crawl's row behind its model is read once for the crawl.
        let rows: Vec<(i64, i64, i64, f64, bool, i64, Option<String>)> = sqlx::query_as(
            "WITH shown AS MATERIALIZED (
                 SELECT crawl.id, topic.id AS topic,
                 CASE WHEN is_reading THEN 9e15 ELSE looked END AS looked FROM crawl
                 JOIN topic ON topic.id = crawl.topic
                 WHERE NOT crawl.removed AND NOT topic.removed AND (?1 IS NULL OR topic.id = ?1))
             SELECT shown.topic, shown.id, number, relevance, is_target, time,
             CASE WHEN number > looked AND scored THEN address END
             FROM shown CROSS JOIN fetch ON fetch.crawl = shown.id
             WHERE warc_offset IS NOT NULL AND relevance IS NOT NULL
             ORDER BY shown.id, number",
        )
        .bind(topic)
        .fetch_all(&self.pool)
        .await?;
        let is_first = |row: &(i64, i64, i64, f64, bool, i64, Option<String>)| {
            row.6.is_none() || rows.first().is_some_and(|first| first.1 == row.1)
        };
        let seen = if rows.iter().all(is_first) {
            HashMap::new()
        } else {
            self.seen(topic).await?
        };
        let rows = rows.iter();
        let rows = rows.map(
            |(topic, crawl, number, relevance, is_target, time, unseen)| StandingRow {
                crawl: *crawl,
                number: *number as u64,
                relevance: *relevance,
                is_target: *is_target,
                is_new: unseen.as_ref().is_some_and(|address| {
                    let seen = seen.get(&(*topic, address.clone()));
                    let first =
                        seen.and_then(|seen| if *is_target { seen.1 } else { Some(seen.0) });
                    first.is_none_or(|first| first >= *crawl)
                }),
                time: *time,
            },
        );
        Ok(rows.collect())
    }

    async fn look(&self, topic: Option<i64>) -> StoreResult<()> {
        sqlx::query(
            "UPDATE crawl SET looked = (SELECT coalesce(max(number), 0) FROM fetch
                                        WHERE fetch.crawl = crawl.id)
             WHERE ?1 IS NULL OR topic = ?1",
        )
        .bind(topic)
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    async fn copies(&self, topic: i64, addresses: &[String]) -> StoreResult<Vec<CopyRow>> {
        let addresses = json(&addresses)?;
        let rows: Vec<(i64, i64, String)> = sqlx::query_as(
            "SELECT fetch.crawl, number, address FROM crawl
             CROSS JOIN fetch INDEXED BY fetch_address ON fetch.crawl = crawl.id
             WHERE topic = ? AND address IN (SELECT value FROM json_each(?))
             AND warc_offset IS NOT NULL AND relevance IS NOT NULL
             ORDER BY fetch.crawl, number",
        )
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
             class, time FROM fetch WHERE crawl = ? AND number = ?",
        );
        let query = query
            .bind(crawl)
            .bind(i64::try_from(number).unwrap_or(i64::MAX));
        Ok(query.fetch_optional(&self.pool).await?)
    }
}
