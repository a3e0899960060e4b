//! Crawls as rows.

use std::collections::HashSet;
use std::fmt::Display;

use async_trait::async_trait;
use linkscent_core::address::Address;
use linkscent_core::crawl::{CrawlSpec, Reaction};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
#[cfg(feature = "team")]
use sqlx::Postgres;
#[cfg(feature = "team")]
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{AssertSqlSafe, Row, Sqlite, Transaction};

#[cfg(feature = "team")]
use super::PostgresStore;
use super::{Dialect, SqliteStore, json};
use crate::clock;
use crate::ports::{CrawlKind, CrawlRow, CrawlState, Crawls, NewCrawl, Order};
use crate::{StoreError, StoreResult, newest_archive};

const CRAWL: &str =
    "SELECT id, topic, state, stop_reason, spec, seeds, warc_length, removed, is_round,
    is_reading, left_since, reactions FROM crawl";

/// The newest way in which [`CrawlSpec`] was written.
const VERSION: u32 = 1;

/// How a crawl is to go, as its row keeps it.
#[derive(Serialize, Deserialize)]
struct Kept {
    version: u32,
    #[serde(flatten)]
    spec: CrawlSpec,
}

/// A crawl's settings for its row.
fn kept(spec: &CrawlSpec) -> StoreResult<String> {
    json(&Kept {
        version: VERSION,
        spec: spec.clone(),
    })
}

/// Back from [`kept`].
fn spec_in(text: &str) -> StoreResult<CrawlSpec> {
    let said = |error: &dyn Display| {
        StoreError::Unreadable(format!("reading a crawl's settings: {error}"))
    };
    let kept: Kept = serde_json::from_str(text).map_err(|error| said(&error))?;
    if kept.version > VERSION {
        return Err(said(&"a newer linkscent wrote them"));
    }
    Ok(kept.spec)
}

macro_rules! crawls {
    ($store:ty, $database:ty, $row:ty) => {
        #[async_trait]
        impl Crawls for $store {
            async fn begin_crawl(&self, new: &NewCrawl<'_>) -> StoreResult<i64> {
                let order = new.order;
                // Pages that lie there are not written over, though a lost database does not know them.
                let archived = newest_archive(self.data_folder());
                let archived = archived.map_err(|error| StoreError::Backend(error.into()))?;
                let mut transaction = self.begin_alone().await?;
                let mut newest = archived;
                for query in [
                    "SELECT coalesce(max(id), 0) FROM crawl",
                    "SELECT coalesce(max(id), 0) FROM deleted_crawl",
                ] {
                    let of_table: i64 = sqlx::query_scalar(query)
                        .fetch_one(&mut *transaction)
                        .await?;
                    newest = newest.max(of_table);
                }
                let id = newest + 1;
                sqlx::query(
                    "INSERT INTO crawl (id, topic, created, state, spec, seeds, is_round, is_reading)
                     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
                )
                .bind(id)
                .bind(new.topic)
                .bind(clock::now())
                .bind(order.kind.first_state().code())
                .bind(kept(&order.spec)?)
                .bind(json(&order.seeds)?)
                .bind(order.kind == CrawlKind::Recrawl)
                .bind(order.kind == CrawlKind::Reading)
                .execute(&mut *transaction)
                .await?;
                sqlx::query("INSERT INTO start_model (crawl, file) VALUES ($1, $2)")
                    .bind(id)
                    .bind(new.start_model)
                    .execute(&mut *transaction)
                    .await?;
                transaction.commit().await?;
                Ok(id)
            }

            async fn crawl(&self, id: i64) -> StoreResult<Option<CrawlRow>> {
                let row = sqlx::query(AssertSqlSafe(format!("{CRAWL} WHERE id = $1")))
                    .bind(id)
                    .fetch_optional(&self.pool)
                    .await?;
                row.as_ref().map(Self::read_crawl).transpose()
            }

            async fn crawls(&self, topic: Option<i64>) -> StoreResult<Vec<CrawlRow>> {
                let query = sqlx::query(AssertSqlSafe(format!(
                    "{CRAWL} WHERE $1 IS NULL OR topic = $1 ORDER BY id DESC"
                )));
                let rows = query.bind(topic).fetch_all(&self.pool).await?;
                let mut crawls = Vec::new();
                for row in &rows {
                    let (id, topic): (i64, i64) = (row.try_get("id")?, row.try_get("topic")?);
                    match Self::read_crawl(row) {
                        Ok(crawl) => crawls.push(crawl),
                        Err(error) => {
                            let error = anyhow::Error::from(error);
                            let said = format!("crawl {id} cannot be shown or run: {error:#}");
                            self.tell(topic, &said).await?;
                        }
                    }
                }
                Ok(crawls)
            }

            async fn start_model(&self, crawl: i64) -> StoreResult<Vec<u8>> {
                // A damaged database may have lost one: it is as one that cannot be read.
                let row: Option<(Option<Vec<u8>>,)> = sqlx::query_as(
                    "SELECT file FROM crawl LEFT JOIN start_model ON start_model.crawl = id WHERE id = $1",
                )
                .bind(crawl)
                .fetch_optional(&self.pool)
                .await?;
                let (file,) = row.ok_or(StoreError::Missing("crawl"))?;
                Ok(file.unwrap_or_default())
            }

            async fn set_budget(&self, crawl: i64, budget: u64) -> StoreResult<()> {
                let mut transaction = self.begin_alone().await?;
                let reason = self.text_of("stop_reason", crawl, &mut transaction).await?;
                let ended_for = reason.unwrap_or_default();
                self.change_spec(crawl, &mut transaction, |spec| spec.go_on(budget, &ended_for))
                    .await?;
                Ok(transaction.commit().await?)
            }

            async fn set_delay(&self, crawl: i64, delay: u64) -> StoreResult<()> {
                let mut transaction = self.begin_alone().await?;
                self.change_spec(crawl, &mut transaction, |spec| spec.delay = Some(delay))
                    .await?;
                Ok(transaction.commit().await?)
            }

            async fn set_reaction(&self, crawl: i64, reaction: Reaction) -> StoreResult<()> {
                let mut transaction = self.begin_alone().await?;
                let mut until_now = Reaction::default();
                self.change_spec(crawl, &mut transaction, |spec| {
                    until_now = std::mem::replace(&mut spec.on_drift, reaction);
                })
                .await?;
                if let Some(text) = self.text_of("reactions", crawl, &mut transaction).await? {
                    let mut reactions = reactions_in(&text)?;
                    // What it did until now is put down with the first change.
                    if reactions.is_empty() {
                        reactions.push((1, until_now.code().to_owned()));
                    }
                    sqlx::query("UPDATE crawl SET reactions = $1 WHERE id = $2")
                        .bind(json(&reactions)?)
                        .bind(crawl)
                        .execute(&mut *transaction)
                        .await?;
                }
                Ok(transaction.commit().await?)
            }

            async fn note_reaction(&self, crawl: i64, from: u64, reaction: Reaction) -> StoreResult<()> {
                let mut transaction = self.begin_alone().await?;
                if let Some(text) = self.text_of("reactions", crawl, &mut transaction).await? {
                    let mut reactions = reactions_in(&text)?;
                    reactions.push((from, reaction.code().to_owned()));
                    sqlx::query("UPDATE crawl SET reactions = $1 WHERE id = $2")
                        .bind(json(&reactions)?)
                        .bind(crawl)
                        .execute(&mut *transaction)
                        .await?;
                }
                transaction.commit().await?;
                Ok(())
            }

            async fn add_seeds(&self, crawl: i64, pages: &[Address]) -> StoreResult<u64> {
                let mut transaction = self.begin_alone().await?;
                let Some(text) = self.text_of("seeds", crawl, &mut transaction).await? else {
                    return Ok(0);
                };
                let mut seeds: Vec<(String, bool)> = in_column("seeds", &text)?;
                let before = seeds.len();
                let mut seen: HashSet<String> = seeds.iter().map(|seed| seed.0.clone()).collect();
                let pages = pages.iter().map(Address::to_string);
                let new = pages.filter(|page| seen.insert(page.clone()));
                seeds.extend(new.map(|page| (page, false)));
                sqlx::query("UPDATE crawl SET seeds = $1 WHERE id = $2")
                    .bind(json(&seeds)?)
                    .bind(crawl)
                    .execute(&mut *transaction)
                    .await?;
                transaction.commit().await?;
                Ok((seeds.len() - before) as u64)
            }

            async fn leave_out(&self, crawl: i64, host: &str, is_left_out: bool) -> StoreResult<()> {
                let mut transaction = self.begin_alone().await?;
                if let Some(text) = self.text_of("left_since", crawl, &mut transaction).await? {
                    let mut hosts: Vec<String> = in_column("left_since", &text)?;
                    hosts.retain(|left_out| left_out != host);
                    hosts.extend(is_left_out.then(|| host.to_owned()));
                    sqlx::query("UPDATE crawl SET left_since = $1 WHERE id = $2")
                        .bind(json(&hosts)?)
                        .bind(crawl)
                        .execute(&mut *transaction)
                        .await?;
                }
                transaction.commit().await?;
                Ok(())
            }

            async fn set_state(&self, crawl: i64, state: CrawlState, reason: &str) -> StoreResult<()> {
                sqlx::query("UPDATE crawl SET state = $1, stop_reason = $2 WHERE id = $3")
                    .bind(state.code())
                    .bind(reason)
                    .bind(crawl)
                    .execute(&self.pool)
                    .await?;
                Ok(())
            }
        }

        impl $store {
            /// Changes how a crawl is to go, if it is there.
            async fn change_spec(
                &self,
                crawl: i64,
                transaction: &mut Transaction<'_, $database>,
                change: impl FnOnce(&mut CrawlSpec),
            ) -> StoreResult<()> {
                let Some(text) = self.text_of("spec", crawl, transaction).await? else {
                    return Ok(());
                };
                let mut spec = spec_in(&text)?;
                change(&mut spec);
                sqlx::query("UPDATE crawl SET spec = $1 WHERE id = $2")
                    .bind(kept(&spec)?)
                    .bind(crawl)
                    .execute(&mut **transaction)
                    .await?;
                Ok(())
            }

            /// A column of a crawl, by its name as it is written in this file.
            async fn text_of(
                &self,
                column: &'static str,
                crawl: i64,
                transaction: &mut Transaction<'_, $database>,
            ) -> StoreResult<Option<String>> {
                let query = AssertSqlSafe(format!("SELECT {column} FROM crawl WHERE id = $1"));
                let query = sqlx::query_scalar(query).bind(crawl);
                Ok(query.fetch_optional(&mut **transaction).await?)
            }

            fn read_crawl(row: &$row) -> StoreResult<CrawlRow> {
                let state: String = row.try_get("state")?;
                let unknown = || StoreError::Unreadable(format!("its state is {state:?}"));
                let state = CrawlState::of(&state).ok_or_else(unknown)?;
                Ok(CrawlRow {
                    id: row.try_get("id")?,
                    topic: row.try_get("topic")?,
                    state,
                    stop_reason: row.try_get("stop_reason")?,
                    left_since: in_column("left_since", row.try_get("left_since")?)?,
                    reactions: reactions_in(row.try_get("reactions")?)?
                        .into_iter()
                        .map(|(from, code)| (from, Reaction::of(&code)))
                        .collect(),
                    is_removed: row.try_get("removed")?,
                    order: Order {
                        spec: spec_in(row.try_get("spec")?)?,
                        seeds: in_column("seeds", row.try_get("seeds")?)?,
                        kind: match (row.try_get("is_round")?, row.try_get("is_reading")?) {
                            (_, true) => CrawlKind::Reading,
                            (true, false) => CrawlKind::Recrawl,
                            (false, false) => CrawlKind::Usual,
                        },
                    },
                    warc_length: row.try_get::<i64, _>("warc_length")? as u64,
                })
            }
        }
    };
}

crawls!(SqliteStore, Sqlite, SqliteRow);
#[cfg(feature = "team")]
crawls!(PostgresStore, Postgres, PgRow);

/// From which request on a crawl was to do what when it loses its way, by codes.
fn reactions_in(text: &str) -> StoreResult<Vec<(u64, String)>> {
    in_column("reactions", text)
}

/// A list that a column of a crawl has.
fn in_column<T: DeserializeOwned>(column: &'static str, text: &str) -> StoreResult<Vec<T>> {
    serde_json::from_str(text).map_err(|error| {
        let text = format!("reading a crawl's {column}: {error}");
        StoreError::Unreadable(text)
    })
}
