//! Questions to the person, and notices, as rows.

use async_trait::async_trait;

use super::SqliteStore;
use crate::clock;
use crate::store::StoreResult;
use crate::store::ports::{MOST_NOTICES, Notices, QuestionRow, Questions};

#[async_trait]
impl Questions for SqliteStore {
    async fn add_question(&self, crawl: i64, address: &str, asked: i64) -> StoreResult<()> {
        sqlx::query(
            "INSERT INTO question (crawl, address, asked) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        )
        .bind(crawl)
        .bind(address)
        .bind(asked)
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    async fn asked(&self, crawl: i64) -> StoreResult<Vec<String>> {
        let rows: Vec<(String,)> = sqlx::query_as("SELECT address FROM question WHERE crawl = ?")
            .bind(crawl)
            .fetch_all(&self.pool)
            .await?;
        Ok(rows.into_iter().map(|row| row.0).collect())
    }

    async fn questions(&self, crawl: i64) -> StoreResult<Vec<QuestionRow>> {
        let rows: Vec<(String, String, String)> = sqlx::query_as(
            "SELECT question.address, title, snippet FROM question
             JOIN fetch ON fetch.crawl = question.crawl AND fetch.number = (
                 SELECT max(number) FROM fetch AS last
                 WHERE last.crawl = question.crawl AND last.address = question.address)
             WHERE question.crawl = ? AND answer = '' ORDER BY asked, question.address",
        )
        .bind(crawl)
        .fetch_all(&self.pool)
        .await?;
        let row = |(address, title, snippet)| QuestionRow {
            address,
            title,
            snippet,
        };
        Ok(rows.into_iter().map(row).collect())
    }

    async fn answer(&self, crawl: i64, address: &str, answer: &str) -> StoreResult<()> {
        sqlx::query("UPDATE question SET answer = ? WHERE crawl = ? AND address = ?")
            .bind(answer)
            .bind(crawl)
            .bind(address)
            .execute(&self.pool)
            .await?;
        Ok(())
    }
}

#[async_trait]
impl Notices for SqliteStore {
    async fn add_notice(
        &self,
        topic: i64,
        crawl: Option<i64>,
        said: &str,
        time: i64,
    ) -> StoreResult<bool> {
        let done = sqlx::query(
            "INSERT INTO notice (topic, crawl, time, said) VALUES (?, ?, ?, ?)
             ON CONFLICT DO NOTHING",
        )
        .bind(topic)
        .bind(crawl.unwrap_or(0))
        .bind(time)
        .bind(said)
        .execute(&self.pool)
        .await?;
        Ok(done.rows_affected() > 0)
    }

    async fn notices(&self, topic: i64, crawl: Option<i64>) -> StoreResult<Vec<String>> {
        let rows: Vec<(String,)> = sqlx::query_as(
            "SELECT said FROM notice WHERE topic = ? AND crawl = ? ORDER BY time DESC, said LIMIT ?",
        )
        .bind(topic)
        .bind(crawl.unwrap_or(0))
        .bind(MOST_NOTICES as i64)
        .fetch_all(&self.pool)
        .await?;
        Ok(rows.into_iter().map(|row| row.0).collect())
    }
}

impl SqliteStore {
    /// Keeps that a row of a topic cannot be read, and says it at once where it is new.
    pub(super) async fn tell(&self, topic: i64, said: &str) -> StoreResult<()> {
        if self.add_notice(topic, None, said, clock::now()).await? {
            eprintln!("linkscent: {said}");
        }
        Ok(())
    }
}
