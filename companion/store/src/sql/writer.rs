//! What whoever runs a crawl writes: whole fetches, one transaction for each batch.

use async_trait::async_trait;
use linkscent_core::address::Address;
use linkscent_core::crawl::{Record, Skipped};
use linkscent_core::strategies::Priority;
use linkscent_core::web_graph::Judgment;
#[cfg(feature = "team")]
use sqlx::PgConnection;
use sqlx::{Connection, SqliteConnection};

#[cfg(feature = "team")]
use super::PostgresStore;
use super::{SqliteStore, json, text};
use crate::ports::{CrawlWriter, Location, LostPage, MOST_SKIPPED};
use crate::{StoreError, StoreResult};

macro_rules! writer {
    ($store:ty, $connection:ty) => {
        #[async_trait]
        impl CrawlWriter for $store {
            async fn take_fetches(
                &self,
                crawl: i64,
                warc_length: u64,
                fetches: &[(Record, Location)],
            ) -> StoreResult<()> {
                let mut connection = self.pool.acquire().await?;
                let taken = Self::write_fetches(&mut connection, crawl, warc_length, fetches).await;
                if taken.is_err() {
                    connection.close_on_drop();
                }
                taken
            }

            async fn lose_pages(&self, crawl: i64, lost: &[LostPage], warc_length: u64) -> StoreResult<()> {
                let mut transaction = self.pool.begin().await?;
                for page in lost {
                    sqlx::query(
                        "UPDATE \"fetch\" SET relevance = NULL, is_target = FALSE, scored = FALSE, warc_offset = NULL,
                         problem = $1 WHERE crawl = $2 AND number = $3",
                    )
                    .bind(text(&page.problem))
                    .bind(crawl)
                    .bind(page.number as i64)
                    .execute(&mut *transaction)
                    .await?;
                    sqlx::query("DELETE FROM form WHERE crawl = $1 AND number = $2")
                        .bind(crawl)
                        .bind(page.number as i64)
                        .execute(&mut *transaction)
                        .await?;
                }
                sqlx::query("UPDATE \"fetch\" SET warc_offset = NULL WHERE crawl = $1 AND warc_offset >= $2")
                    .bind(crawl)
                    .bind(warc_length as i64)
                    .execute(&mut *transaction)
                    .await?;
                Self::set_archive_length(&mut transaction, crawl, warc_length).await?;
                transaction.commit().await?;
                Ok(())
            }

            async fn judge_again(&self, crawl: i64, judged: &[(Address, Judgment)]) -> StoreResult<()> {
                self.write_judgments(crawl, judged).await
            }

            async fn skip(&self, crawl: i64, skipped: &[Skipped]) -> StoreResult<()> {
                // Nobody may add others between counting and adding.
                let mut transaction = self.begin_alone().await?;
                let (mut kept,): (i64,) = sqlx::query_as("SELECT count(*) FROM skipped WHERE crawl = $1")
                    .bind(crawl)
                    .fetch_one(&mut *transaction)
                    .await?;
                for link in skipped {
                    if kept >= MOST_SKIPPED as i64 {
                        break;
                    }
                    let done = sqlx::query(
                        "INSERT INTO skipped (crawl, address, reason, is_seed) VALUES ($1, $2, $3, $4)
                         ON CONFLICT DO NOTHING",
                    )
                    .bind(crawl)
                    .bind(link.address.as_str())
                    .bind(link.reason.to_string())
                    .bind(link.is_seed)
                    .execute(&mut *transaction)
                    .await?;
                    kept += done.rows_affected() as i64;
                }
                transaction.commit().await?;
                Ok(())
            }
        }

        impl $store {
            async fn write_fetches(
                connection: &mut $connection,
                crawl: i64,
                warc_length: u64,
                fetches: &[(Record, Location)],
            ) -> StoreResult<()> {
                let mut transaction = connection.begin().await?;
                for (record, place) in fetches {
                    let trail: Vec<&str> = record.trail.iter().map(Address::as_str).collect();
                    let judgment = record.judgment;
                    sqlx::query(
                        "INSERT INTO \"fetch\" (crawl, number, address, trail, anchor, reason, priority, relevance,
                         is_target, scored, title, snippet, problem, redirect, warc_offset, time, class,
                         waiting, arm, coverage)
                         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)",
                    )
                    .bind(crawl)
                    .bind(record.number as i64)
                    .bind(record.address.as_str())
                    .bind(json(&trail)?)
                    .bind(text(&record.anchor))
                    .bind(text(&record.reason))
                    .bind(record.priority.map(Priority::value))
                    .bind(judgment.map(|judgment| judgment.relevance.value()))
                    .bind(judgment.is_some_and(|judgment| judgment.is_target))
                    .bind(record.scored)
                    .bind(text(&record.title))
                    .bind(text(&record.snippet))
                    .bind(text(&record.problem))
                    .bind(&place.redirect)
                    .bind(place.warc_offset.map(|offset| offset as i64))
                    .bind(place.time)
                    .bind(text(&record.class))
                    .bind(record.unfound.map(|unfound| unfound.waiting))
                    .bind(record.arm.code())
                    .bind(record.unfound.and_then(|unfound| unfound.coverage))
                    .execute(&mut *transaction)
                    .await
                    .map_err(writing)?;
                    if let Some(alarm) = &record.alarm {
                        sqlx::query("INSERT INTO alarm (crawl, number, cause, said) VALUES ($1, $2, $3, $4)")
                            .bind(crawl)
                            .bind(record.number as i64)
                            .bind(alarm.cause.code())
                            .bind(text(&alarm.to_string()))
                            .execute(&mut *transaction)
                            .await?;
                    }
                    for form in &record.forms {
                        sqlx::query(
                            "INSERT INTO form (crawl, number, name, action, fields, confidence, wanted)
                             VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING",
                        )
                        .bind(crawl)
                        .bind(record.number as i64)
                        .bind(text(&form.name))
                        .bind(text(&form.action))
                        .bind(json(&form.fields)?)
                        .bind(form.confidence())
                        .bind(form.is_wanted())
                        .execute(&mut *transaction)
                        .await?;
                    }
                }
                Self::set_archive_length(&mut transaction, crawl, warc_length).await?;
                transaction.commit().await.map_err(writing)?;
                Ok(())
            }

            /// How many bytes of the archive are on the disk for sure.
            async fn set_archive_length(
                connection: &mut $connection,
                crawl: i64,
                length: u64,
            ) -> StoreResult<()> {
                sqlx::query("UPDATE crawl SET warc_length = $1 WHERE id = $2")
                    .bind(length as i64)
                    .bind(crawl)
                    .execute(connection)
                    .await?;
                Ok(())
            }
        }
    };
}

writer!(SqliteStore, SqliteConnection);
#[cfg(feature = "team")]
writer!(PostgresStore, PgConnection);

/// What is said where fetches could not be written.
fn writing(error: sqlx::Error) -> StoreError {
    match error.into() {
        StoreError::Backend(source) => StoreError::Writing(source),
        refused => refused,
    }
}
