//! Pages that crawls kept, over all of them.

use async_trait::async_trait;

use super::{SqliteStore, json};
use crate::store::StoreResult;
use crate::store::ports::{CopyRow, Kept, KeptRow, ResultRow, StandingRow};

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
        let row = |(number, address, offset): (i64, String, i64)| KeptRow {
            number: number as u64,
            address,
            offset: offset as u64,
        };
        Ok(rows.into_iter().map(row).collect())
    }

    async fn standings(&self, topic: Option<i64>) -> StoreResult<Vec<StandingRow>> {
        let rows: Vec<(i64, i64, f64, bool, bool, i64)> = sqlx::query_as(
            "SELECT fetch.crawl, number, relevance, is_target, number > looked AND NOT EXISTS (
                 SELECT 1 FROM crawl AS earlier JOIN fetch AS known ON known.crawl = earlier.id
                 WHERE earlier.topic = crawl.topic AND earlier.id < crawl.id
                 AND known.address = fetch.address AND known.number <= earlier.looked
                 AND known.relevance IS NOT NULL AND known.is_target >= fetch.is_target), time
             FROM fetch
             JOIN crawl ON crawl.id = fetch.crawl JOIN topic ON topic.id = crawl.topic
             WHERE warc_offset IS NOT NULL AND relevance IS NOT NULL
             AND NOT crawl.removed AND NOT topic.removed AND (?1 IS NULL OR topic.id = ?1)
             ORDER BY fetch.crawl, number",
        )
        .bind(topic)
        .fetch_all(&self.pool)
        .await?;
        let rows = rows.into_iter();
        let rows = rows.map(
            |(crawl, number, relevance, is_target, is_new, time)| StandingRow {
                crawl,
                number: number as u64,
                relevance,
                is_target,
                is_new,
                time,
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
             JOIN fetch ON fetch.crawl = crawl.id
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
             class FROM fetch WHERE crawl = ? AND number = ?",
        );
        let query = query
            .bind(crawl)
            .bind(i64::try_from(number).unwrap_or(i64::MAX));
        Ok(query.fetch_optional(&self.pool).await?)
    }
}
