//! Deleting rows that have to do with pages or clicks, and searching the database and what
//! lies beside it for what should be gone.

use std::collections::BTreeSet;

use async_trait::async_trait;
use linkscent_core::address::Address;
use linkscent_core::topic_model::ToForget;
use linkscent_core::wire::api::Event;
#[cfg(feature = "team")]
use sqlx::Postgres;
use sqlx::{AssertSqlSafe, Sqlite, Transaction};

#[cfg(feature = "team")]
use super::PostgresStore;
use super::{Dialect, SqliteStore, json};
use crate::marks::{gone_clicks, is_gone};
use crate::ports::{Forgetting, KeptPage, ModelOf, Topics};
use crate::stands_in::stands_in;
use crate::{StoreError, StoreResult};

/// Tables and columns that name a page and nothing else.
const PAGE_COLUMNS: [(&str, &str); 3] = [
    ("question", "address"),
    ("skipped", "address"),
    ("command", "address"),
];
/// Tables and columns of sentences that may name a page.
const SENTENCES: [(&str, &str); 2] = [("notice", "said"), ("alarm", "said")];

/// Table, column, and the SQL of its value as bytes.
type Column = (String, String, String);

fn kept_page((crawl, offset, end): (i64, i64, i64)) -> KeptPage {
    KeptPage {
        crawl,
        offset: offset as u64,
        end: end as u64,
    }
}

macro_rules! forgetting {
    ($store:ty, $database:ty) => {
        #[async_trait]
        impl Forgetting for $store {
            async fn spellings(&self, gone: &ToForget) -> StoreResult<Vec<String>> {
                if !gone.has_pages() {
                    return Ok(Vec::new());
                }
                let mut spellings: BTreeSet<String> = gone.pages.iter().map(Address::to_string).collect();
                let rows: Vec<(String,)> = sqlx::query_as(
                    "SELECT address FROM \"fetch\" UNION SELECT address FROM skipped
                     UNION SELECT address FROM question
                     UNION SELECT address FROM command WHERE address IS NOT NULL
                     UNION SELECT redirect FROM \"fetch\" WHERE redirect IS NOT NULL",
                )
                .fetch_all(&self.pool)
                .await?;
                let is_gone = |text: &String| Address::parse(text).is_ok_and(|page| gone.has_page(&page));
                spellings.extend(rows.into_iter().map(|row| row.0).filter(is_gone));
                let trails: Vec<(String,)> = sqlx::query_as("SELECT DISTINCT trail FROM \"fetch\"")
                    .fetch_all(&self.pool)
                    .await?;
                let trails = trails.iter().map(|row| serde_json::from_str(&row.0));
                let steps = trails.flat_map(|trail| -> Vec<String> { trail.unwrap_or_default() });
                spellings.extend(steps.filter(is_gone));
                let events: Vec<(String,)> = sqlx::query_as("SELECT body FROM event")
                    .fetch_all(&self.pool)
                    .await?;
                for (body,) in events {
                    if let Ok(event) = serde_json::from_str::<Event>(&body) {
                        let pages = event.pages().into_iter().map(str::to_owned);
                        spellings.extend(pages.filter(is_gone));
                    }
                }
                Ok(spellings.into_iter().collect())
            }

            async fn kept_pages(&self, spellings: &[String]) -> StoreResult<Vec<KeptPage>> {
                let mut kept = Vec::new();
                for page in spellings {
                    let rows: Vec<(i64, i64, i64)> = sqlx::query_as(
                        "SELECT crawl, warc_offset, coalesce(
                             (SELECT min(later.warc_offset) FROM \"fetch\" AS later
                              WHERE later.crawl = \"fetch\".crawl AND later.warc_offset > \"fetch\".warc_offset),
                             (SELECT warc_length FROM crawl WHERE id = \"fetch\".crawl))
                         FROM \"fetch\" WHERE address = $1 AND warc_offset IS NOT NULL",
                    )
                    .bind(page)
                    .fetch_all(&self.pool)
                    .await?;
                    kept.extend(rows.into_iter().map(kept_page));
                }
                // What leads to one of them names it.
                let these = Self::elements("$1");
                let rows: Vec<(i64, i64, i64)> = sqlx::query_as(AssertSqlSafe(format!(
                    "SELECT crawl, warc_offset, coalesce(
                         (SELECT min(later.warc_offset) FROM \"fetch\" AS later
                          WHERE later.crawl = \"fetch\".crawl AND later.warc_offset > \"fetch\".warc_offset),
                         (SELECT warc_length FROM crawl WHERE id = \"fetch\".crawl))
                     FROM \"fetch\" WHERE warc_offset IS NOT NULL AND redirect IN ({these})"
                )))
                .bind(json(&spellings)?)
                .fetch_all(&self.pool)
                .await?;
                kept.extend(rows.into_iter().map(kept_page));
                Ok(kept)
            }

            async fn readings_since(&self, time: i64) -> StoreResult<Vec<(u64, KeptPage)>> {
                let then = Self::THEN;
                let rows: Vec<(i64, i64, i64, i64)> = sqlx::query_as(AssertSqlSafe(format!(
                    "SELECT number, crawl, warc_offset, coalesce(
                         (SELECT min(later.warc_offset) FROM \"fetch\" AS later
                          WHERE later.crawl = \"fetch\".crawl AND later.warc_offset > \"fetch\".warc_offset),
                         warc_length)
                     FROM crawl {then} \"fetch\" ON \"fetch\".crawl = crawl.id
                     WHERE is_reading AND time >= $1 AND warc_offset IS NOT NULL ORDER BY crawl, number"
                )))
                .bind(time)
                .fetch_all(&self.pool)
                .await?;
                let rows = rows.into_iter();
                Ok(rows
                    .map(|(number, crawl, offset, end)| (number as u64, kept_page((crawl, offset, end))))
                    .collect())
            }

            async fn forget_copies(&self, copies: &[(i64, u64)]) -> StoreResult<()> {
                let mut transaction = self.pool.begin().await?;
                for (crawl, number) in copies {
                    for table in ["form", "fetch"] {
                        let statement = format!("DELETE FROM \"{table}\" WHERE crawl = $1 AND number = $2");
                        sqlx::query(AssertSqlSafe(statement))
                            .bind(crawl)
                            .bind(*number as i64)
                            .execute(&mut *transaction)
                            .await?;
                    }
                }
                transaction.commit().await?;
                Ok(())
            }

            async fn forget_rows(&self, gone: &ToForget, spellings: &[String]) -> StoreResult<u64> {
                let mut transaction = self.begin_alone().await?;
                let mut rows = Self::forget_events(&mut transaction, gone, spellings).await?;
                for page in spellings {
                    rows += Self::forget_fetches(&mut transaction, gone, page).await?;
                    for (table, column) in PAGE_COLUMNS {
                        let statement = format!("DELETE FROM {table} WHERE {column} = $1");
                        rows += Self::delete(&mut transaction, statement, page).await?;
                    }
                    for (table, column) in SENTENCES {
                        let has = Self::has(column, "$1");
                        let statement = format!("DELETE FROM {table} WHERE {has}");
                        rows += Self::delete(&mut transaction, statement, page).await?;
                    }
                }
                rows += Self::forget_in_lists(&mut transaction, gone).await?;
                transaction.commit().await?;
                Ok(rows)
            }

            async fn model_files(&self) -> StoreResult<Vec<(ModelOf, Vec<u8>)>> {
                let topics = "SELECT topic, file FROM model";
                let topics: Vec<(i64, Vec<u8>)> = sqlx::query_as(topics).fetch_all(&self.pool).await?;
                let crawls = "SELECT crawl, file FROM start_model";
                let crawls: Vec<(i64, Vec<u8>)> = sqlx::query_as(crawls).fetch_all(&self.pool).await?;
                let topics = topics
                    .into_iter()
                    .map(|(id, file)| (ModelOf::Topic(id), file));
                let crawls = crawls
                    .into_iter()
                    .map(|(id, file)| (ModelOf::Crawl(id), file));
                Ok(topics.chain(crawls).collect())
            }

            async fn taxonomies(&self) -> StoreResult<Vec<(i64, Vec<u8>)>> {
                let statement = "SELECT id, taxonomy FROM topic WHERE taxonomy IS NOT NULL";
                Ok(sqlx::query_as(statement).fetch_all(&self.pool).await?)
            }

            async fn replace_model(&self, of: ModelOf, file: &[u8]) -> StoreResult<()> {
                let id = match of {
                    ModelOf::Topic(id) => return self.set_model(id, file).await,
                    ModelOf::Crawl(id) => id,
                };
                sqlx::query("UPDATE start_model SET file = $1 WHERE crawl = $2")
                    .bind(file)
                    .bind(id)
                    .execute(&self.pool)
                    .await?;
                Ok(())
            }

            async fn sweep(&self) -> StoreResult<()> {
                self.rewrite().await
            }

            async fn traces(&self, spellings: &[String]) -> StoreResult<Vec<String>> {
                let columns: Vec<Column> = sqlx::query_as(Self::COLUMNS).fetch_all(&self.pool).await?;
                let mut traces = BTreeSet::new();
                for page in spellings {
                    for (table, column, bytes) in &columns {
                        if self.has_page(table, bytes, page).await? {
                            traces.insert(format!("{table}.{column}"));
                        }
                    }
                }
                let (folder, spellings) = (self.data_folder().to_owned(), spellings.to_vec());
                let beside = tokio::task::spawn_blocking(move || Self::traces_beside(&folder, &spellings));
                let beside = beside.await;
                traces.extend(beside.map_err(|error| StoreError::Backend(error.into()))?);
                Ok(traces.into_iter().collect())
            }
        }

        impl $store {
            /// Whether a page stands in a column, and not only pages whose addresses begin alike.
            async fn has_page(&self, table: &str, bytes: &str, page: &str) -> StoreResult<bool> {
                let has = Self::has_bytes(bytes, "$1");
                let statement = format!("SELECT {bytes} FROM \"{table}\" WHERE {has}");
                let rows: Vec<(Vec<u8>,)> = sqlx::query_as(AssertSqlSafe(statement))
                    .bind(page)
                    .fetch_all(&self.pool)
                    .await?;
                Ok(rows.iter().any(|(value,)| stands_in(value, page)))
            }
        }

        impl $store {
            /// `statement` is made of names written in this file.
            async fn delete(
                transaction: &mut Transaction<'_, $database>,
                statement: String,
                text: &str,
            ) -> StoreResult<u64> {
                let query = sqlx::query(AssertSqlSafe(statement)).bind(text);
                Ok(query.execute(&mut **transaction).await?.rows_affected())
            }

            async fn forget_events(
                transaction: &mut Transaction<'_, $database>,
                gone: &ToForget,
                spellings: &[String],
            ) -> StoreResult<u64> {
                let events: Vec<(i64, String)> = sqlx::query_as("SELECT number, body FROM event")
                    .fetch_all(&mut **transaction)
                    .await?;
                let events = events.into_iter().map(|(number, body)| {
                    let event = serde_json::from_str::<Event>(&body).map_err(|_| body);
                    (number, event)
                });
                let events: Vec<(i64, Result<Event, String>)> = events.collect();
                let readable = events.iter().filter_map(|(_, event)| event.as_ref().ok());
                let clicks = gone_clicks(readable, gone);
                let mut deleted = 0;
                for (number, event) in events {
                    let goes = match event {
                        Ok(event) => is_gone(&event, gone, &clicks),
                        Err(body) => spellings.iter().any(|page| body.contains(page)),
                    };
                    if goes {
                        let done = sqlx::query("DELETE FROM event WHERE number = $1")
                            .bind(number)
                            .execute(&mut **transaction)
                            .await?;
                        deleted += done.rows_affected();
                    }
                }
                Ok(deleted)
            }

            /// The log of requests: a page's own rows, and the paths on which it lay.
            async fn forget_fetches(
                transaction: &mut Transaction<'_, $database>,
                gone: &ToForget,
                page: &str,
            ) -> StoreResult<u64> {
                sqlx::query(
                    "DELETE FROM form WHERE (crawl, number) IN
                     (SELECT crawl, number FROM \"fetch\" WHERE address = $1)",
                )
                .bind(page)
                .execute(&mut **transaction)
                .await?;
                let fetches = "DELETE FROM \"fetch\" WHERE address = $1".to_owned();
                let deleted = Self::delete(transaction, fetches, page).await?;
                sqlx::query(
                    "UPDATE \"fetch\" SET redirect = NULL, problem = 'redirects to a page that was forgotten'
                     WHERE redirect = $1",
                )
                .bind(page)
                .execute(&mut **transaction)
                .await?;
                let has = Self::has("trail", "$1");
                let paths: Vec<(i64, i64, String)> =
                    sqlx::query_as(AssertSqlSafe(format!(
                        "SELECT crawl, number, trail FROM \"fetch\" WHERE {has}"
                    )))
                        .bind(page)
                        .fetch_all(&mut **transaction)
                        .await?;
                for (crawl, number, trail) in paths {
                    let mut trail: Vec<String> = serde_json::from_str(&trail).unwrap_or_default();
                    trail.retain(|step| !Address::parse(step).is_ok_and(|step| gone.has_page(&step)));
                    sqlx::query("UPDATE \"fetch\" SET trail = $1 WHERE crawl = $2 AND number = $3")
                        .bind(json(&trail)?)
                        .bind(crawl)
                        .bind(number)
                        .execute(&mut **transaction)
                        .await?;
                }
                Ok(deleted)
            }

            /// The lists of pages that crawls began with.
            async fn forget_in_lists(
                transaction: &mut Transaction<'_, $database>,
                gone: &ToForget,
            ) -> StoreResult<u64> {
                let crawls: Vec<(i64, String)> = sqlx::query_as("SELECT id, seeds FROM crawl")
                    .fetch_all(&mut **transaction)
                    .await?;
                let mut changed = 0;
                for (id, seeds) in crawls {
                    let mut seeds: Vec<(String, bool)> = serde_json::from_str(&seeds).unwrap_or_default();
                    let before = seeds.len();
                    seeds.retain(|seed| !Address::parse(&seed.0).is_ok_and(|page| gone.has_page(&page)));
                    if seeds.len() < before {
                        changed += (before - seeds.len()) as u64;
                        sqlx::query("UPDATE crawl SET seeds = $1 WHERE id = $2")
                            .bind(json(&seeds)?)
                            .bind(id)
                            .execute(&mut **transaction)
                            .await?;
                    }
                }
                Ok(changed)
            }
        }
    };
}

forgetting!(SqliteStore, Sqlite);
#[cfg(feature = "team")]
forgetting!(PostgresStore, Postgres);
