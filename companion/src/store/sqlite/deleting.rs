//! Deleting crawls and topics as rows.

use async_trait::async_trait;
use linkscent_core::wire::api::EventName;
use sqlx::{Sqlite, Transaction};

use super::SqliteStore;
use crate::store::StoreResult;
use crate::store::ports::Deleting;

/// What hangs on a crawl, those first that hang on others; the crawl itself.
const OF_A_CRAWL: [&str; 9] = [
    "DELETE FROM form WHERE crawl = ?",
    "DELETE FROM fetch WHERE crawl = ?",
    "DELETE FROM alarm WHERE crawl = ?",
    "DELETE FROM question WHERE crawl = ?",
    "DELETE FROM skipped WHERE crawl = ?",
    "DELETE FROM command WHERE crawl = ?",
    "DELETE FROM notice WHERE crawl = ?",
    "DELETE FROM start_model WHERE crawl = ?",
    "DELETE FROM crawl WHERE id = ?",
];

/// What hangs on a topic besides its crawls and events.
const OF_A_TOPIC: [&str; 4] = [
    "DELETE FROM standing WHERE topic = ?",
    "DELETE FROM notice WHERE topic = ?",
    "DELETE FROM saved_search WHERE topic = ?",
    "DELETE FROM model WHERE topic = ?",
];

/// Every table with rows of people's, in the order in which they can be emptied.
const EVERYTHING: &str = "DELETE FROM form; DELETE FROM fetch; DELETE FROM alarm;
    DELETE FROM question; DELETE FROM skipped; DELETE FROM command; DELETE FROM notice;
    DELETE FROM start_model; DELETE FROM crawl; DELETE FROM deleted_crawl; DELETE FROM event;
    DELETE FROM saved_search; DELETE FROM standing; DELETE FROM model; DELETE FROM topic;
    DELETE FROM device; DELETE FROM token; DELETE FROM sqlite_sequence;";

#[async_trait]
impl Deleting for SqliteStore {
    async fn hide_crawl(&self, crawl: i64, removed: bool) -> StoreResult<()> {
        sqlx::query("UPDATE crawl SET removed = ? WHERE id = ?")
            .bind(removed)
            .bind(crawl)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    async fn delete_crawl(&self, crawl: i64) -> StoreResult<()> {
        let mut transaction = self.pool.begin().await?;
        delete_crawl(&mut transaction, crawl).await?;
        transaction.commit().await?;
        Ok(())
    }

    async fn delete_topic(&self, topic: i64) -> StoreResult<()> {
        let mut transaction = self.pool.begin().await?;
        let crawls: Vec<(i64,)> = sqlx::query_as("SELECT id FROM crawl WHERE topic = ?")
            .bind(topic)
            .fetch_all(&mut *transaction)
            .await?;
        for (crawl,) in crawls {
            delete_crawl(&mut transaction, crawl).await?;
        }
        for of_topic in OF_A_TOPIC {
            sqlx::query(of_topic)
                .bind(topic)
                .execute(&mut *transaction)
                .await?;
        }
        sqlx::query(
            "DELETE FROM event WHERE topic = ?1 AND number IS NOT
             (SELECT number FROM event WHERE topic = ?1
              AND CASE WHEN json_valid(body) THEN body ->> 'kind' END = ?2
              ORDER BY time DESC, number DESC LIMIT 1)",
        )
        .bind(topic)
        .bind(EventName::Remove.as_str())
        .execute(&mut *transaction)
        .await?;
        sqlx::query(
            "UPDATE topic SET called = NULL, critic = NULL, taxonomy = NULL, version = version + 1
             WHERE id = ?",
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
        sqlx::raw_sql(EVERYTHING).execute(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(())
    }
}

async fn delete_crawl(transaction: &mut Transaction<'_, Sqlite>, crawl: i64) -> StoreResult<()> {
    sqlx::query("INSERT INTO deleted_crawl SELECT id FROM crawl WHERE id = ?")
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
