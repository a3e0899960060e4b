//! Searches that the person keeps, as rows.

use async_trait::async_trait;

#[cfg(feature = "team")]
use super::PostgresStore;
use super::{SqliteStore, text};
use crate::ports::{SearchRow, Searches};
use crate::{StoreError, StoreResult};

type Row = (i64, Option<i64>, String, String, String, String);

macro_rules! searches {
    ($store:ty) => {
        #[async_trait]
        impl Searches for $store {
            async fn keep_search(&self, search: &SearchRow) -> StoreResult<i64> {
                let kept: Option<(i64,)> = sqlx::query_as(
                    "INSERT INTO saved_search (topic, name, words, pages, first)
                     SELECT $1, $2, $3, $4, $5
                     WHERE $1 IS NULL OR EXISTS (SELECT 1 FROM topic WHERE id = $1)
                     ON CONFLICT (coalesce(topic, 0), name)
                     DO UPDATE SET words = $3, pages = $4, first = $5 RETURNING id",
                )
                .bind(search.topic)
                .bind(text(&search.name))
                .bind(text(&search.words))
                .bind(&search.pages)
                .bind(&search.first)
                .fetch_optional(&self.pool)
                .await?;
                kept.map(|row| row.0).ok_or(StoreError::Missing("topic"))
            }

            async fn searches(&self) -> StoreResult<Vec<SearchRow>> {
                let rows: Vec<Row> = sqlx::query_as(
                    "SELECT saved_search.id, topic, saved_search.name, words, pages, first
                     FROM saved_search LEFT JOIN topic ON topic.id = topic
                     WHERE topic IS NULL OR NOT removed ORDER BY saved_search.name, saved_search.id",
                )
                .fetch_all(&self.pool)
                .await?;
                let row = |(id, topic, name, words, pages, first): Row| SearchRow {
                    id,
                    topic,
                    name,
                    words,
                    pages,
                    first,
                };
                Ok(rows.into_iter().map(row).collect())
            }

            async fn drop_search(&self, id: i64) -> StoreResult<()> {
                sqlx::query("DELETE FROM saved_search WHERE id = $1")
                    .bind(id)
                    .execute(&self.pool)
                    .await?;
                Ok(())
            }
        }
    };
}

searches!(SqliteStore);
#[cfg(feature = "team")]
searches!(PostgresStore);
