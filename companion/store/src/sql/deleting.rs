//! Deleting crawls and topics as rows.

use async_trait::async_trait;
use linkscent_core::wire::api::EventName;
#[cfg(feature = "team")]
use sqlx::Postgres;
use sqlx::{AssertSqlSafe, Sqlite, Transaction};

#[cfg(feature = "team")]
use super::PostgresStore;
use super::{Dialect, SqliteStore};
use crate::StoreResult;
use crate::ports::Deleting;

/// What hangs on a crawl, those first that hang on others; the crawl itself.
const OF_A_CRAWL: [&str; 9] = [
    "DELETE FROM form WHERE crawl = $1",
    "DELETE FROM \"fetch\" WHERE crawl = $1",
    "DELETE FROM alarm WHERE crawl = $1",
    "DELETE FROM question WHERE crawl = $1",
    "DELETE FROM skipped WHERE crawl = $1",
    "DELETE FROM command WHERE crawl = $1",
    "DELETE FROM notice WHERE crawl = $1",
    "DELETE FROM start_model WHERE crawl = $1",
    "DELETE FROM crawl WHERE id = $1",
];

/// What hangs on a topic besides its crawls and events.
const OF_A_TOPIC: [&str; 5] = [
    "DELETE FROM standing WHERE topic = $1",
    "DELETE FROM notice WHERE topic = $1",
    "DELETE FROM saved_search WHERE topic = $1",
    "DELETE FROM model WHERE topic = $1",
    "DELETE FROM topic_role WHERE topic = $1",
];

macro_rules! deleting {
    ($store:ty, $database:ty) => {
        #[async_trait]
        impl Deleting for $store {
            async fn hide_crawl(&self, crawl: i64, removed: bool) -> StoreResult<()> {
                sqlx::query("UPDATE crawl SET removed = $1 WHERE id = $2")
                    .bind(removed)
                    .bind(crawl)
                    .execute(&self.pool)
                    .await?;
                Ok(())
            }

            async fn delete_crawl(&self, crawl: i64) -> StoreResult<()> {
                let mut transaction = self.pool.begin().await?;
                Self::delete_rows(crawl, &mut transaction).await?;
                transaction.commit().await?;
                Ok(())
            }

            async fn delete_topic(&self, topic: i64) -> StoreResult<()> {
                let mut transaction = self.pool.begin().await?;
                let crawls: Vec<(i64,)> = sqlx::query_as("SELECT id FROM crawl WHERE topic = $1")
                    .bind(topic)
                    .fetch_all(&mut *transaction)
                    .await?;
                for (crawl,) in crawls {
                    Self::delete_rows(crawl, &mut transaction).await?;
                }
                for of_topic in OF_A_TOPIC {
                    sqlx::query(of_topic)
                        .bind(topic)
                        .execute(&mut *transaction)
                        .await?;
                }
                let kind = Self::KIND;
                sqlx::query(AssertSqlSafe(format!(
                    "DELETE FROM event WHERE topic = $1 AND number IS DISTINCT FROM
                     (SELECT number FROM event WHERE topic = $1 AND {kind} = $2
                      ORDER BY time DESC, number DESC LIMIT 1)"
                )))
                .bind(topic)
                .bind(EventName::Remove.as_str())
                .execute(&mut *transaction)
                .await?;
                sqlx::query(
                    "UPDATE topic SET called = NULL, critic = NULL, taxonomy = NULL, version = version + 1
                     WHERE id = $1",
                )
                .bind(topic)
                .execute(&mut *transaction)
                .await?;
                transaction.commit().await?;
                Ok(())
            }

            async fn deleted_crawls(&self) -> StoreResult<Vec<i64>> {
                let rows = sqlx::query_as("SELECT id FROM deleted_crawl ORDER BY id");
                let rows: Vec<(i64,)> = rows.fetch_all(&self.pool).await?;
                Ok(rows.into_iter().map(|row| row.0).collect())
            }

            async fn delete_everything(&self) -> StoreResult<()> {
                let mut transaction = self.pool.begin().await?;
                let emptied = sqlx::raw_sql(Self::DELETE_EVERYTHING);
                emptied.execute(&mut *transaction).await?;
                transaction.commit().await?;
                Ok(())
            }
        }

        impl $store {
            /// Deletes what hangs on a crawl, and the crawl.
            async fn delete_rows(
                crawl: i64,
                transaction: &mut Transaction<'_, $database>,
            ) -> StoreResult<()> {
                sqlx::query("INSERT INTO deleted_crawl SELECT id FROM crawl WHERE id = $1")
                    .bind(crawl)
                    .execute(&mut **transaction)
                    .await?;
                // Notices of a topic itself stand under the number 0, which no crawl has.
                for statement in OF_A_CRAWL {
                    let query = sqlx::query(statement).bind(crawl);
                    query.execute(&mut **transaction).await?;
                }
                Ok(())
            }
        }
    };
}

deleting!(SqliteStore, Sqlite);
#[cfg(feature = "team")]
deleting!(PostgresStore, Postgres);
