//! Crawls, and the log of their requests.

use anyhow::{Context, Result};
use linkscent_core::address::Address;
use linkscent_core::crawl::{Record, StoppingRule};
use linkscent_core::strategies::Priority;
use sqlx::sqlite::SqliteRow;
use sqlx::{Connection, FromRow, Row};

use super::{CrawlState, Reaction, Store};
use crate::clock;

/// How a crawl is to go.
#[derive(Debug, Clone)]
pub struct Order {
    /// Pages to fetch.
    pub budget: u64,
    /// Rest of a host between requests, in milliseconds.
    pub delay: u64,
    /// What random numbers start from.
    pub random_seed: u64,
    /// Where to start: address, and whether it is an example of a target.
    pub seeds: Vec<(String, bool)>,
    /// Hosts to keep to; none means the whole web.
    pub hosts: Vec<String>,
    /// When a site is left.
    pub stopping: StoppingRule,
    /// What it does when it loses its way.
    pub on_drift: Reaction,
}

/// A crawl that is about to begin.
pub struct NewCrawl<'a> {
    /// Its topic.
    pub topic: i64,
    /// How it is to go.
    pub order: &'a Order,
    /// Model file it starts with.
    pub start_model: &'a [u8],
}

/// A crawl.
#[derive(Debug, Clone)]
pub struct CrawlRow {
    /// Its number.
    pub id: i64,
    /// Its topic.
    pub topic: i64,
    /// What it is doing.
    pub state: CrawlState,
    /// Why it ended, if it has.
    pub stop_reason: String,
    /// How it was to go.
    pub order: Order,
    /// Bytes of its WARC file that count.
    pub warc_length: u64,
}

/// Where a fetch leads besides its record.
#[derive(Debug, Clone, Default)]
pub struct Location {
    /// Offset of the page's record in the WARC file.
    pub warc_offset: Option<u64>,
    /// Where the answer sent us on to.
    pub redirect: Option<String>,
}

/// A request of the log, as far as it is needed to take it in again.
#[derive(Debug, Clone)]
pub struct FetchRow {
    /// Its number in the log, from 1.
    pub number: u64,
    /// What was asked for.
    pub address: String,
    /// What came in place of a page.
    pub problem: String,
    /// Where it leads.
    pub place: Location,
}

/// A page whose copy cannot be read any more.
#[derive(Debug)]
pub struct LostPage {
    /// Number of its request.
    pub number: u64,
    /// What is wrong with it, and where.
    pub problem: String,
}

/// A page of the log, for people.
#[derive(Debug, Clone)]
pub struct ResultRow {
    /// The page.
    pub address: String,
    /// Its title.
    pub title: String,
    /// Beginning of its text.
    pub snippet: String,
    /// Its relevance, 0..=1; `None` if no page came.
    pub relevance: Option<f64>,
    /// Whether it is what is looked for.
    pub is_target: bool,
    /// Why it was chosen.
    pub reason: String,
    /// What the link said.
    pub anchor: String,
    /// Pages from the seed to the link, newest first.
    pub trail: Vec<String>,
    /// What came in place of a page.
    pub problem: String,
}

/// A crawl without its start model, which is large.
const CRAWL: &str =
    "SELECT id, topic, state, stop_reason, budget, delay, random_seed, seeds, hosts,
    warc_length, site_pages, site_targets, on_drift FROM crawl";

impl Store {
    /// Begins a crawl; returns its number.
    pub async fn begin_crawl(&self, new: &NewCrawl<'_>) -> Result<i64> {
        let order = new.order;
        let done = sqlx::query(
            "INSERT INTO crawl (topic, created, state, budget, delay, random_seed, seeds, hosts,
             start_model, site_pages, site_targets, on_drift)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(new.topic)
        .bind(clock::now())
        .bind(CrawlState::Running.code())
        .bind(order.budget as i64)
        .bind(order.delay as i64)
        .bind(order.random_seed as i64)
        .bind(serde_json::to_string(&order.seeds)?)
        .bind(serde_json::to_string(&order.hosts)?)
        .bind(new.start_model)
        .bind(order.stopping.pages)
        .bind(order.stopping.targets)
        .bind(order.on_drift.code())
        .execute(&self.pool)
        .await?;
        Ok(done.last_insert_rowid())
    }

    /// A crawl by its number.
    pub async fn crawl(&self, id: i64) -> Result<Option<CrawlRow>> {
        let row = sqlx::query(sqlx::AssertSqlSafe(format!("{CRAWL} WHERE id = ?")))
            .bind(id)
            .fetch_optional(&self.pool)
            .await?;
        row.as_ref().map(crawl).transpose()
    }

    /// Crawls, newest first; of one topic or of all.
    pub async fn crawls(&self, topic: Option<i64>) -> Result<Vec<CrawlRow>> {
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
                    let said = format!("crawl {id} cannot be shown or run: {error:#}");
                    self.notice(topic, None, &said).await?;
                }
            }
        }
        Ok(crawls)
    }

    /// The model file a crawl started with.
    pub async fn start_model(&self, crawl: i64) -> Result<Vec<u8>> {
        let row: (Vec<u8>,) = sqlx::query_as("SELECT start_model FROM crawl WHERE id = ?")
            .bind(crawl)
            .fetch_one(&self.pool)
            .await?;
        Ok(row.0)
    }

    /// Sets a crawl's state.
    pub async fn set_state(&self, crawl: i64, state: CrawlState, reason: &str) -> Result<()> {
        sqlx::query("UPDATE crawl SET state = ?, stop_reason = ? WHERE id = ?")
            .bind(state.code())
            .bind(reason)
            .bind(crawl)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Puts down that pages of the archive cannot be read any more, and how many bytes
    /// of it count from now on.
    pub async fn lose_pages(&self, crawl: i64, lost: &[LostPage], warc_length: u64) -> Result<()> {
        let mut transaction = self.pool.begin().await?;
        for page in lost {
            sqlx::query(
                "UPDATE fetch SET relevance = NULL, is_target = 0, scored = 0, warc_offset = NULL,
                 problem = ? WHERE crawl = ? AND number = ?",
            )
            .bind(&page.problem)
            .bind(crawl)
            .bind(page.number as i64)
            .execute(&mut *transaction)
            .await?;
            sqlx::query("DELETE FROM form WHERE crawl = ? AND number = ?")
                .bind(crawl)
                .bind(page.number as i64)
                .execute(&mut *transaction)
                .await?;
        }
        set_archive_length(&mut transaction, crawl, warc_length).await?;
        transaction.commit().await?;
        Ok(())
    }

    /// Takes in whole fetches, all or none. The WARC file must be on the disk
    /// up to `warc_length`. After an error the connection is not used again: what it
    /// takes for written may not be on the disk.
    pub async fn take_fetches(
        &self,
        crawl: i64,
        warc_length: u64,
        fetches: &[(Record, Location)],
    ) -> Result<()> {
        let mut connection = self.pool.acquire().await?;
        let taken = write_fetches(&mut connection, crawl, warc_length, fetches).await;
        if taken.is_err() {
            connection.close_on_drop();
        }
        taken
    }

    /// The whole log of a crawl, in order.
    pub async fn fetches(&self, crawl: i64) -> Result<Vec<FetchRow>> {
        let query = sqlx::query_as(
            "SELECT number, address, problem, warc_offset, redirect FROM fetch WHERE crawl = ?
             ORDER BY number",
        );
        Ok(query.bind(crawl).fetch_all(&self.pool).await?)
    }

    /// The last requests of a crawl, newest first.
    pub async fn last_results(&self, crawl: i64, most: i64) -> Result<Vec<ResultRow>> {
        self.results(crawl, "1", "number DESC", most, 0).await
    }

    /// Relevant pages of a crawl, best first, from `skip` on.
    pub async fn best_results(&self, crawl: i64, most: i64, skip: i64) -> Result<Vec<ResultRow>> {
        let order = "relevance DESC, number";
        self.results(crawl, "is_target AND scored", order, most, skip)
            .await
    }

    /// The newest relevant pages of a crawl, newest first.
    pub async fn newest_finds(&self, crawl: i64, most: i64) -> Result<Vec<ResultRow>> {
        let which = "is_target AND scored";
        self.results(crawl, which, "number DESC", most, 0).await
    }

    /// `which` and `order` are parts of the statement, written in this file.
    async fn results(
        &self,
        crawl: i64,
        which: &'static str,
        order: &'static str,
        most: i64,
        skip: i64,
    ) -> Result<Vec<ResultRow>> {
        let statement = format!(
            "SELECT address, title, snippet, relevance, is_target, reason, anchor, trail, problem
             FROM fetch WHERE crawl = ? AND {which} ORDER BY {order} LIMIT ? OFFSET ?"
        );
        let query = sqlx::query_as(sqlx::AssertSqlSafe(statement));
        let query = query.bind(crawl).bind(most).bind(skip);
        Ok(query.fetch_all(&self.pool).await?)
    }

    /// Pages fetched, pages scored, relevant pages, and requests without page.
    pub async fn counts(&self, crawl: i64) -> Result<(u64, u64, u64, u64)> {
        let row: (i64, i64, i64, i64) = sqlx::query_as(
            "SELECT pages, scored, relevant, requests - pages FROM crawl WHERE id = ?",
        )
        .bind(crawl)
        .fetch_one(&self.pool)
        .await?;
        Ok((row.0 as u64, row.1 as u64, row.2 as u64, row.3 as u64))
    }

    /// For every scored page, in order, whether it is relevant.
    pub async fn harvest(&self, crawl: i64) -> Result<Vec<bool>> {
        let rows: Vec<(bool,)> = sqlx::query_as(
            "SELECT is_target FROM fetch WHERE crawl = ? AND scored ORDER BY number",
        )
        .bind(crawl)
        .fetch_all(&self.pool)
        .await?;
        Ok(rows.into_iter().map(|row| row.0).collect())
    }

    /// Where the record of a page lies in the crawl's WARC file, and its title.
    pub async fn kept_page(&self, crawl: i64, address: &str) -> Result<Option<(u64, String)>> {
        let row: Option<(i64, String)> = sqlx::query_as(
            "SELECT warc_offset, title FROM fetch
             WHERE crawl = ? AND address = ? AND warc_offset IS NOT NULL LIMIT 1",
        )
        .bind(crawl)
        .bind(address)
        .fetch_optional(&self.pool)
        .await?;
        Ok(row.map(|(offset, title)| (offset as u64, title)))
    }
}

async fn write_fetches(
    connection: &mut sqlx::SqliteConnection,
    crawl: i64,
    warc_length: u64,
    fetches: &[(Record, Location)],
) -> Result<()> {
    let mut transaction = connection.begin().await?;
    for (record, place) in fetches {
        let trail: Vec<&str> = record.trail.iter().map(Address::as_str).collect();
        let judgment = record.judgment;
        sqlx::query(
            "INSERT INTO fetch (crawl, number, address, trail, anchor, reason, priority, relevance,
             is_target, scored, title, snippet, problem, redirect, warc_offset, time)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(crawl)
        .bind(record.number as i64)
        .bind(record.address.as_str())
        .bind(serde_json::to_string(&trail)?)
        .bind(&record.anchor)
        .bind(&record.reason)
        .bind(record.priority.map(Priority::value))
        .bind(judgment.map(|judgment| judgment.relevance.value()))
        .bind(judgment.is_some_and(|judgment| judgment.is_target))
        .bind(record.scored)
        .bind(&record.title)
        .bind(&record.snippet)
        .bind(&record.problem)
        .bind(&place.redirect)
        .bind(place.warc_offset.map(|offset| offset as i64))
        .bind(clock::now())
        .execute(&mut *transaction)
        .await
        .context("writing to the store")?;
        if let Some(alarm) = &record.alarm {
            sqlx::query("INSERT INTO alarm (crawl, number, cause, said) VALUES (?, ?, ?, ?)")
                .bind(crawl)
                .bind(record.number as i64)
                .bind(alarm.cause.code())
                .bind(alarm.to_string())
                .execute(&mut *transaction)
                .await?;
        }
        for form in &record.forms {
            sqlx::query(
                "INSERT INTO form (crawl, number, name, action, fields, confidence, wanted)
                 VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            )
            .bind(crawl)
            .bind(record.number as i64)
            .bind(&form.name)
            .bind(&form.action)
            .bind(serde_json::to_string(&form.fields)?)
            .bind(form.confidence())
            .bind(form.is_wanted())
            .execute(&mut *transaction)
            .await?;
        }
    }
    set_archive_length(&mut transaction, crawl, warc_length).await?;
    transaction.commit().await.context("writing to the store")?;
    Ok(())
}

/// How many bytes of the archive are on the disk for sure.
async fn set_archive_length(
    connection: &mut sqlx::SqliteConnection,
    crawl: i64,
    length: u64,
) -> Result<()> {
    sqlx::query("UPDATE crawl SET warc_length = ? WHERE id = ?")
        .bind(length as i64)
        .bind(crawl)
        .execute(connection)
        .await?;
    Ok(())
}

fn crawl(row: &SqliteRow) -> Result<CrawlRow> {
    let number = |column| row.try_get::<i64, _>(column).map(|number| number as u64);
    let list = |column| -> Result<String> { Ok(row.try_get(column)?) };
    let state: String = row.try_get("state")?;
    let state = CrawlState::of(&state).with_context(|| format!("its state is {state:?}"))?;
    Ok(CrawlRow {
        id: row.try_get("id")?,
        topic: row.try_get("topic")?,
        state,
        stop_reason: row.try_get("stop_reason")?,
        order: Order {
            budget: number("budget")?,
            delay: number("delay")?,
            random_seed: number("random_seed")?,
            seeds: serde_json::from_str(&list("seeds")?).context("reading a crawl's seeds")?,
            hosts: serde_json::from_str(&list("hosts")?).context("reading a crawl's hosts")?,
            stopping: StoppingRule {
                pages: row.try_get("site_pages")?,
                targets: row.try_get("site_targets")?,
            },
            on_drift: Reaction::of(row.try_get("on_drift")?),
        },
        warc_length: number("warc_length")?,
    })
}

impl FromRow<'_, SqliteRow> for FetchRow {
    fn from_row(row: &SqliteRow) -> sqlx::Result<Self> {
        let offset: Option<i64> = row.try_get("warc_offset")?;
        Ok(Self {
            number: row.try_get::<i64, _>("number")? as u64,
            address: row.try_get("address")?,
            problem: row.try_get("problem")?,
            place: Location {
                warc_offset: offset.map(|offset| offset as u64),
                redirect: row.try_get("redirect")?,
            },
        })
    }
}

impl FromRow<'_, SqliteRow> for ResultRow {
    fn from_row(row: &SqliteRow) -> sqlx::Result<Self> {
        Ok(Self {
            address: row.try_get("address")?,
            title: row.try_get("title")?,
            snippet: row.try_get("snippet")?,
            relevance: row.try_get("relevance")?,
            is_target: row.try_get("is_target")?,
            reason: row.try_get("reason")?,
            anchor: row.try_get("anchor")?,
            // A path that cannot be read costs the path, not the page.
            trail: serde_json::from_str(row.try_get("trail")?).unwrap_or_default(),
            problem: row.try_get("problem")?,
        })
    }
}
