//! Crawls as rows.

use std::collections::HashSet;

use async_trait::async_trait;
use linkscent_core::address::Address;
use linkscent_core::crawl::{Scope, StoppingRule};
use serde::de::DeserializeOwned;
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use super::{SqliteStore, json};
use crate::clock;
use crate::store::ports::{CrawlKind, CrawlRow, CrawlState, Crawls, NewCrawl, Order, Reaction};
use crate::store::{StoreError, StoreResult, newest_archive};

const CRAWL: &str =
    "SELECT id, topic, state, stop_reason, budget, delay, random_seed, seeds, hosts,
    warc_length, site_pages, site_targets, on_drift, removed, is_round, is_reading,
    left_out, depth, documents, left_since, reactions FROM crawl";

#[async_trait]
impl Crawls for SqliteStore {
    async fn begin_crawl(&self, new: &NewCrawl<'_>) -> StoreResult<i64> {
        let order = new.order;
        // Pages that lie there are not written over, though a lost database does not know them.
        let archived = newest_archive(&self.folder);
        let archived = archived.map_err(|error| StoreError::Backend(error.into()))?;
        let mut transaction = self.pool.begin().await?;
        let done = sqlx::query(
            "INSERT INTO crawl (id, topic, created, state, budget, delay, random_seed, seeds, hosts,
             site_pages, site_targets, on_drift, is_round, is_reading, left_out, depth, documents)
             VALUES (1 + max((SELECT coalesce(max(id), 0) FROM crawl),
                             (SELECT coalesce(max(id), 0) FROM deleted_crawl), ?),
                     ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(archived)
        .bind(new.topic)
        .bind(clock::now())
        .bind(new.order.kind.first_state().code())
        .bind(order.budget as i64)
        .bind(order.delay as i64)
        .bind(order.random_seed as i64)
        .bind(json(&order.seeds)?)
        .bind(json(&order.scope.hosts)?)
        .bind(order.stopping.pages)
        .bind(order.stopping.targets)
        .bind(order.on_drift.code())
        .bind(order.kind == CrawlKind::Round)
        .bind(order.kind == CrawlKind::Reading)
        .bind(json(&order.scope.left_out)?)
        .bind(order.scope.depth)
        .bind(order.scope.documents)
        .execute(&mut *transaction)
        .await?;
        let id = done.last_insert_rowid();
        sqlx::query("INSERT INTO start_model (crawl, file) VALUES (?, ?)")
            .bind(id)
            .bind(new.start_model)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(id)
    }

    async fn crawl(&self, id: i64) -> StoreResult<Option<CrawlRow>> {
        let row = sqlx::query(sqlx::AssertSqlSafe(format!("{CRAWL} WHERE id = ?")))
            .bind(id)
            .fetch_optional(&self.pool)
            .await?;
        row.as_ref().map(crawl).transpose()
    }

    async fn crawls(&self, topic: Option<i64>) -> StoreResult<Vec<CrawlRow>> {
        let query = sqlx::query(sqlx::AssertSqlSafe(format!(
            "{CRAWL} WHERE ?1 IS NULL OR topic = ?1 ORDER BY id DESC"
        )));
        let rows = query.bind(topic).fetch_all(&self.pool).await?;
        let mut crawls = Vec::new();
        for row in &rows {
            let (id, topic): (i64, i64) = (row.try_get("id")?, row.try_get("topic")?);
            match crawl(row) {
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
        let row: Option<(Vec<u8>,)> = sqlx::query_as(
            "SELECT coalesce(file, x'') FROM crawl LEFT JOIN start_model ON start_model.crawl = id
             WHERE id = ?",
        )
        .bind(crawl)
        .fetch_optional(&self.pool)
        .await?;
        row.map(|row| row.0).ok_or(StoreError::Missing("crawl"))
    }

    async fn set_budget(&self, crawl: i64, budget: u64) -> StoreResult<()> {
        sqlx::query("UPDATE crawl SET budget = ? WHERE id = ?")
            .bind(budget as i64)
            .bind(crawl)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    async fn set_delay(&self, crawl: i64, delay: u64) -> StoreResult<()> {
        sqlx::query("UPDATE crawl SET delay = ? WHERE id = ?")
            .bind(delay as i64)
            .bind(crawl)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    async fn set_reaction(&self, crawl: i64, reaction: Reaction) -> StoreResult<()> {
        // What it did until now is put down with the first change.
        sqlx::query(
            "UPDATE crawl SET on_drift = ?2, reactions = CASE reactions
                 WHEN '[]' THEN json_array(json_array(1, on_drift)) ELSE reactions END
             WHERE id = ?1",
        )
        .bind(crawl)
        .bind(reaction.code())
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    async fn note_reaction(&self, crawl: i64, from: u64, reaction: Reaction) -> StoreResult<()> {
        sqlx::query(
            "UPDATE crawl SET reactions = json_insert(reactions, '$[#]', json_array(?2, ?3))
             WHERE id = ?1",
        )
        .bind(crawl)
        .bind(i64::try_from(from).unwrap_or(i64::MAX))
        .bind(reaction.code())
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    async fn add_seeds(&self, crawl: i64, pages: &[Address]) -> StoreResult<u64> {
        let mut seen = HashSet::new();
        let pages: Vec<&str> = pages.iter().map(Address::as_str).collect();
        let pages: Vec<&str> = pages
            .into_iter()
            .filter(|page| seen.insert(*page))
            .collect();
        let pages = json(&pages)?;
        let (new,): (i64,) = sqlx::query_as(
            "SELECT count(*) FROM json_each(?2) AS page JOIN crawl ON crawl.id = ?1
             WHERE page.value NOT IN (SELECT json_extract(value, '$[0]') FROM json_each(crawl.seeds))",
        )
        .bind(crawl)
        .bind(&pages)
        .fetch_one(&self.pool)
        .await?;
        // All in one statement, so that two who add at once lose nothing.
        sqlx::query(
            "UPDATE crawl SET seeds = (SELECT json_group_array(json(seed)) FROM (
                 SELECT value AS seed FROM json_each(crawl.seeds)
                 UNION ALL
                 SELECT json_array(value, json('false')) FROM json_each(?2) WHERE value NOT IN
                     (SELECT json_extract(value, '$[0]') FROM json_each(crawl.seeds))))
             WHERE id = ?1",
        )
        .bind(crawl)
        .bind(&pages)
        .execute(&self.pool)
        .await?;
        Ok(new as u64)
    }

    async fn leave_out(&self, crawl: i64, host: &str, is_left_out: bool) -> StoreResult<()> {
        sqlx::query(
            "UPDATE crawl SET left_since = (SELECT json_group_array(host) FROM (
                 SELECT value AS host FROM json_each(crawl.left_since) WHERE value <> ?2
                 UNION ALL SELECT ?2 WHERE ?3))
             WHERE id = ?1",
        )
        .bind(crawl)
        .bind(host)
        .bind(is_left_out)
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    async fn set_state(&self, crawl: i64, state: CrawlState, reason: &str) -> StoreResult<()> {
        sqlx::query("UPDATE crawl SET state = ?, stop_reason = ? WHERE id = ?")
            .bind(state.code())
            .bind(reason)
            .bind(crawl)
            .execute(&self.pool)
            .await?;
        Ok(())
    }
}

fn crawl(row: &SqliteRow) -> StoreResult<CrawlRow> {
    let number = |column| row.try_get::<i64, _>(column).map(|number| number as u64);
    let state: String = row.try_get("state")?;
    let unknown = || StoreError::Unreadable(format!("its state is {state:?}"));
    let state = CrawlState::of(&state).ok_or_else(unknown)?;
    Ok(CrawlRow {
        id: row.try_get("id")?,
        topic: row.try_get("topic")?,
        state,
        stop_reason: row.try_get("stop_reason")?,
        left_since: list(row, "left_since")?,
        reactions: list(row, "reactions")?
            .into_iter()
            .map(|(from, code): (u64, String)| (from, Reaction::of(&code)))
            .collect(),
        is_removed: row.try_get("removed")?,
        order: Order {
            budget: number("budget")?,
            delay: number("delay")?,
            random_seed: number("random_seed")?,
            seeds: list(row, "seeds")?,
            scope: Scope {
                hosts: list(row, "hosts")?,
                left_out: list(row, "left_out")?,
                depth: row.try_get("depth")?,
                documents: row.try_get("documents")?,
            },
            stopping: StoppingRule {
                pages: row.try_get("site_pages")?,
                targets: row.try_get("site_targets")?,
            },
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

/// A list that a crawl was ordered with.
fn list<T: DeserializeOwned>(row: &SqliteRow, column: &'static str) -> StoreResult<Vec<T>> {
    let text: String = row.try_get(column)?;
    serde_json::from_str(&text).map_err(|error| {
        let text = format!("reading a crawl's {column}: {error}");
        StoreError::Unreadable(text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::ports::Notices;
    use crate::store::tests::crawl as begin;

    #[tokio::test]
    async fn a_crawl_that_cannot_be_read_is_passed_over_and_told_of_once() {
        let folder = crate::store::tests::folder();
        let store = SqliteStore::open(folder.path()).await.unwrap();
        let mut ids = Vec::new();
        for _ in 0..3 {
            ids.push(begin(&store).await);
        }
        let [whole, no_state, no_seeds] = ids[..] else {
            panic!("three were begun")
        };
        for (change, id) in [("state = 'x'", no_state), ("seeds = '[1'", no_seeds)] {
            let statement = format!("UPDATE crawl SET {change} WHERE id = {id}");
            sqlx::raw_sql(sqlx::AssertSqlSafe(statement))
                .execute(&store.pool)
                .await
                .unwrap();
            let refused = store.crawl(id).await;
            assert!(matches!(refused, Err(StoreError::Unreadable(_))));
        }
        let topic = store.crawl(whole).await.unwrap().unwrap().topic;
        for _ in 0..2 {
            let listed = store.crawls(None).await.unwrap();
            assert_eq!(listed.len(), 1);
            assert_eq!(listed[0].id, whole);
        }
        let mut notices = store.notices(topic, None).await.unwrap();
        notices.sort();
        assert_eq!(notices.len(), 2);
        let first = format!("crawl {no_state} cannot be shown or run: its state is \"x\"");
        assert_eq!(notices[0], first);
        let second = format!("crawl {no_seeds} cannot be shown or run: reading a crawl's seeds: ");
        assert!(notices[1].starts_with(&second), "{notices:?}");
    }

    #[tokio::test]
    async fn pages_of_a_crawl_that_was_lost_are_not_written_over() {
        let folder = crate::store::tests::folder();
        let store = SqliteStore::open(folder.path()).await.unwrap();
        std::fs::write(folder.path().join("crawl-7.warc.gz"), "pages").unwrap();
        assert_eq!(begin(&store).await, 8);
        assert_eq!(begin(&store).await, 9);
    }
}
