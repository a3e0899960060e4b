//! Questions to the person, and notices, as rows.

use async_trait::async_trait;

#[cfg(feature = "team")]
use super::PostgresStore;
use super::{SqliteStore, text};
use crate::StoreResult;
use crate::clock;
use crate::ports::{MOST_NOTICES, Notices, QuestionRow, Questions};

macro_rules! people {
    ($store:ty) => {
        #[async_trait]
        impl Questions for $store {
            async fn add_question(&self, crawl: i64, address: &str, asked: i64) -> StoreResult<()> {
                sqlx::query(
                    "INSERT INTO question (crawl, address, asked) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                )
                .bind(crawl)
                .bind(address)
                .bind(asked)
                .execute(&self.pool)
                .await?;
                Ok(())
            }

            async fn asked(&self, crawl: i64) -> StoreResult<Vec<String>> {
                let rows: Vec<(String,)> = sqlx::query_as("SELECT address FROM question WHERE crawl = $1")
                    .bind(crawl)
                    .fetch_all(&self.pool)
                    .await?;
                Ok(rows.into_iter().map(|row| row.0).collect())
            }

            async fn questions(&self, crawl: i64) -> StoreResult<Vec<QuestionRow>> {
                // A sum is in no index, so that rows are found by their address and not by going
                // through the log.
                let rows: Vec<(String, String, String)> = sqlx::query_as(
                    "SELECT question.address, title, snippet FROM question
                     JOIN \"fetch\" ON \"fetch\".crawl = question.crawl AND \"fetch\".number = (
                         SELECT max(number + 0) FROM \"fetch\" AS last
                         WHERE last.crawl = question.crawl AND last.address = question.address)
                     WHERE question.crawl = $1 AND answer = '' ORDER BY asked, question.address",
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
                sqlx::query("UPDATE question SET answer = $1 WHERE crawl = $2 AND address = $3")
                    .bind(answer)
                    .bind(crawl)
                    .bind(address)
                    .execute(&self.pool)
                    .await?;
                Ok(())
            }
        }

        #[async_trait]
        impl Notices for $store {
            async fn add_notice(
                &self,
                topic: i64,
                crawl: Option<i64>,
                said: &str,
                time: i64,
            ) -> StoreResult<bool> {
                let done = sqlx::query(
                    "INSERT INTO notice (topic, crawl, time, said) VALUES ($1, $2, $3, $4)
                     ON CONFLICT DO NOTHING",
                )
                .bind(topic)
                .bind(crawl.unwrap_or(0))
                .bind(time)
                .bind(text(said))
                .execute(&self.pool)
                .await?;
                Ok(done.rows_affected() > 0)
            }

            async fn notices(&self, topic: i64, crawl: Option<i64>) -> StoreResult<Vec<String>> {
                let rows: Vec<(String,)> = sqlx::query_as(
                    "SELECT said FROM notice WHERE topic = $1 AND crawl = $2 ORDER BY time DESC, said LIMIT $3",
                )
                .bind(topic)
                .bind(crawl.unwrap_or(0))
                .bind(MOST_NOTICES as i64)
                .fetch_all(&self.pool)
                .await?;
                Ok(rows.into_iter().map(|row| row.0).collect())
            }
        }

        impl $store {
            /// Keeps that a row of a topic cannot be read, and says it at once where it is new.
            pub(super) async fn tell(&self, topic: i64, said: &str) -> StoreResult<()> {
                // Most of what is told was told before, and is no change then.
                let is_told = "SELECT EXISTS (SELECT 1 FROM notice WHERE topic = $1 AND crawl = 0 AND said = $2)";
                let is_told: bool = sqlx::query_scalar(is_told)
                    .bind(topic)
                    .bind(text(said))
                    .fetch_one(&self.pool)
                    .await?;
                if !is_told && self.add_notice(topic, None, said, clock::now()).await? {
                    message!("linkscent: {said}");
                }
                Ok(())
            }
        }
    };
}

people!(SqliteStore);
#[cfg(feature = "team")]
people!(PostgresStore);
