//! What people should hear of a crawl or a topic that is no page: what was damaged,
//! and links that were not asked for.

use anyhow::Result;
use linkscent_core::crawl::Skipped;

use super::Store;
use crate::clock;

/// Links not asked for that are kept of one crawl.
const MOST_SKIPPED: i64 = 10_000;

/// Links that were not asked for, for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedRow {
    /// Why.
    pub reason: String,
    /// How many; at most `MOST_SKIPPED` are kept of a crawl in all.
    pub count: u64,
    /// How many of them the crawl was to start from.
    pub seeds: u64,
    /// One of them.
    pub example: String,
}

impl Store {
    /// Keeps links that were not asked for; those known already are passed over.
    pub async fn skip(&self, crawl: i64, skipped: &[Skipped]) -> Result<()> {
        let mut transaction = self.pool.begin().await?;
        for link in skipped {
            sqlx::query(
                "INSERT INTO skipped (crawl, address, reason, is_seed)
                 SELECT ?1, ?2, ?3, ?4
                 WHERE (SELECT count(*) FROM skipped WHERE crawl = ?1) < ?5
                 ON CONFLICT DO NOTHING",
            )
            .bind(crawl)
            .bind(link.address.as_str())
            .bind(link.reason.to_string())
            .bind(link.is_seed)
            .bind(MOST_SKIPPED)
            .execute(&mut *transaction)
            .await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    /// Links that a crawl did not ask for, by reason; the commonest reason first.
    pub async fn skipped(&self, crawl: i64) -> Result<Vec<SkippedRow>> {
        let rows: Vec<(String, i64, i64, String)> = sqlx::query_as(
            "SELECT reason, count(*), sum(is_seed), max(address) FROM skipped WHERE crawl = ?
             GROUP BY reason ORDER BY count(*) DESC, reason LIMIT 20",
        )
        .bind(crawl)
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

    /// Keeps something that people should hear of, and says it at once where it is
    /// new. It concerns a topic, or one of its crawls.
    pub async fn notice(&self, topic: i64, crawl: Option<i64>, said: &str) -> Result<()> {
        let done = sqlx::query(
            "INSERT INTO notice (topic, crawl, time, said) VALUES (?, ?, ?, ?)
             ON CONFLICT DO NOTHING",
        )
        .bind(topic)
        .bind(crawl.unwrap_or(0))
        .bind(clock::now())
        .bind(said)
        .execute(&self.pool)
        .await?;
        if done.rows_affected() > 0 {
            eprintln!("linkscent: {said}");
        }
        Ok(())
    }

    /// What people should hear of a topic, or of one of its crawls; newest first.
    pub async fn notices(&self, topic: i64, crawl: Option<i64>) -> Result<Vec<String>> {
        let rows: Vec<(String,)> = sqlx::query_as(
            "SELECT said FROM notice WHERE topic = ? AND crawl = ? ORDER BY time DESC LIMIT 10",
        )
        .bind(topic)
        .bind(crawl.unwrap_or(0))
        .fetch_all(&self.pool)
        .await?;
        Ok(rows.into_iter().map(|row| row.0).collect())
    }
}
