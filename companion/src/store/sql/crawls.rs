//! Crawls as rows.

use std::collections::HashSet;

use async_trait::async_trait;
use linkscent_core::address::Address;
use linkscent_core::crawl::{Scope, StopReason, StoppingRule};
use serde::de::DeserializeOwned;
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{AssertSqlSafe, Postgres, Row, Sqlite, Transaction};

use super::{Dialect, PostgresStore, SqliteStore, json};
use crate::clock;
use crate::store::ports::{CrawlKind, CrawlRow, CrawlState, Crawls, NewCrawl, Order, Reaction};
use crate::store::{StoreError, StoreResult, newest_archive};

const CRAWL: &str =
    "SELECT id, topic, state, stop_reason, budget, delay, random_seed, seeds, hosts,
    warc_length, site_pages, site_targets, on_drift, removed, is_round, is_reading,
    left_out, depth, documents, left_since, reactions, until_recall FROM crawl";

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
                    "INSERT INTO crawl (id, topic, created, state, budget, delay, random_seed, seeds, hosts,
                     site_pages, site_targets, on_drift, is_round, is_reading, left_out, depth, documents,
                     until_recall)
                     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)",
                )
                .bind(id)
                .bind(new.topic)
                .bind(clock::now())
                .bind(new.order.kind.first_state().code())
                .bind(order.budget as i64)
                .bind(order.delay as i64)
                .bind(order.random_seed as i64)
                .bind(json(&order.seeds)?)
                .bind(json(&order.scope.hosts)?)
                .bind(order.stopping.pages.map(i64::from))
                .bind(order.stopping.targets.map(i64::from))
                .bind(order.on_drift.code())
                .bind(order.kind == CrawlKind::Round)
                .bind(order.kind == CrawlKind::Reading)
                .bind(json(&order.scope.left_out)?)
                .bind(order.scope.depth.map(i64::from))
                .bind(order.scope.documents)
                .bind(order.until_recall)
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
                sqlx::query(
                    "UPDATE crawl SET budget = $1,
                     until_recall = CASE WHEN stop_reason <> $3 THEN until_recall END WHERE id = $2",
                )
                .bind(budget as i64)
                .bind(crawl)
                .bind(StopReason::Recall.code())
                .execute(&self.pool)
                .await?;
                Ok(())
            }

            async fn set_delay(&self, crawl: i64, delay: u64) -> StoreResult<()> {
                sqlx::query("UPDATE crawl SET delay = $1 WHERE id = $2")
                    .bind(delay as i64)
                    .bind(crawl)
                    .execute(&self.pool)
                    .await?;
                Ok(())
            }

            async fn set_reaction(&self, crawl: i64, reaction: Reaction) -> StoreResult<()> {
                let mut transaction = self.begin_alone().await?;
                let row: Option<(String, String)> =
                    sqlx::query_as("SELECT on_drift, reactions FROM crawl WHERE id = $1")
                        .bind(crawl)
                        .fetch_optional(&mut *transaction)
                        .await?;
                if let Some((until_now, reactions)) = row {
                    let mut reactions = reactions_in(&reactions)?;
                    // What it did until now is put down with the first change.
                    if reactions.is_empty() {
                        reactions.push((1, until_now));
                    }
                    sqlx::query("UPDATE crawl SET on_drift = $1, reactions = $2 WHERE id = $3")
                        .bind(reaction.code())
                        .bind(json(&reactions)?)
                        .bind(crawl)
                        .execute(&mut *transaction)
                        .await?;
                }
                transaction.commit().await?;
                Ok(())
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
                let number = |column| row.try_get::<i64, _>(column).map(|number| number as u64);
                let few = |column| {
                    let number: Option<i64> = row.try_get(column)?;
                    Ok::<_, sqlx::Error>(number.and_then(|number| u32::try_from(number).ok()))
                };
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
                        budget: number("budget")?,
                        delay: number("delay")?,
                        random_seed: number("random_seed")?,
                        seeds: in_column("seeds", row.try_get("seeds")?)?,
                        scope: Scope {
                            hosts: in_column("hosts", row.try_get("hosts")?)?,
                            left_out: in_column("left_out", row.try_get("left_out")?)?,
                            depth: few("depth")?,
                            documents: row.try_get("documents")?,
                        },
                        stopping: StoppingRule {
                            pages: few("site_pages")?,
                            targets: few("site_targets")?,
                        },
                        until_recall: row.try_get("until_recall")?,
                        on_drift: Reaction::of(row.try_get("on_drift")?),
                        kind: match (row.try_get("is_round")?, row.try_get("is_reading")?) {
                            (_, true) => CrawlKind::Reading,
                            (true, false) => CrawlKind::Round,
                            (false, false) => CrawlKind::Usual,
                        },
                    },
                    warc_length: number("warc_length")?,
                })
            }
        }
    };
}

crawls!(SqliteStore, Sqlite, SqliteRow);
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
