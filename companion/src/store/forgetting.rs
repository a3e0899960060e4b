//! Deleting what has to do with pages or clicks, and looking afterwards whether
//! anything of them is left.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use linkscent_core::address::Address;
use linkscent_core::guide::ToForget;
use linkscent_core::wire::api::{Event, EventKind};
use sqlx::{Sqlite, Transaction};

use super::{Store, stands_in};

/// Tables and columns that name a page and nothing else.
const PAGE_COLUMNS: [(&str, &str); 3] = [
    ("question", "address"),
    ("skipped", "address"),
    ("command", "address"),
];
/// Tables and columns of sentences that may name a page.
const SENTENCES: [(&str, &str); 2] = [("notice", "said"), ("alarm", "said")];

/// A page of a crawl's archive that has to go.
pub struct KeptPage {
    /// The crawl.
    pub crawl: i64,
    /// Where its record begins.
    pub offset: u64,
    /// Where the next one begins, or the archive ends.
    pub end: u64,
}

impl Store {
    /// All clicks that were taken in.
    pub async fn clicks(&self) -> Result<Vec<(Address, Address)>> {
        let mut all = Vec::new();
        for topic in self.topics().await? {
            let events = self.events(topic.id).await?;
            all.extend(events.iter().filter_map(click));
        }
        Ok(all)
    }

    /// The pages as they are written anywhere: some may have been kept with secrets in
    /// their addresses, or by other rules of spelling.
    pub async fn spellings(&self, gone: &ToForget) -> Result<Vec<String>> {
        let mut spellings: BTreeSet<String> = gone.pages.iter().map(Address::to_string).collect();
        if spellings.is_empty() {
            return Ok(Vec::new());
        }
        let rows: Vec<(String,)> = sqlx::query_as(
            "SELECT address FROM fetch UNION SELECT address FROM skipped
             UNION SELECT redirect FROM fetch WHERE redirect IS NOT NULL",
        )
        .fetch_all(&self.pool)
        .await?;
        let is_gone = |text: &String| Address::parse(text).is_ok_and(|page| gone.has_page(&page));
        spellings.extend(rows.into_iter().map(|row| row.0).filter(is_gone));
        Ok(spellings.into_iter().collect())
    }

    /// Records of archives that hold one of the pages.
    pub async fn kept_pages(&self, spellings: &[String]) -> Result<Vec<KeptPage>> {
        let mut kept = Vec::new();
        for page in spellings {
            let rows: Vec<(i64, i64, i64)> = sqlx::query_as(
                "SELECT crawl, warc_offset, coalesce(
                     (SELECT min(later.warc_offset) FROM fetch AS later
                      WHERE later.crawl = fetch.crawl AND later.warc_offset > fetch.warc_offset),
                     (SELECT warc_length FROM crawl WHERE id = fetch.crawl))
                 FROM fetch WHERE address = ? AND warc_offset IS NOT NULL",
            )
            .bind(page)
            .fetch_all(&self.pool)
            .await?;
            kept.extend(rows.into_iter().map(|(crawl, offset, end)| KeptPage {
                crawl,
                offset: offset as u64,
                end: end as u64,
            }));
        }
        Ok(kept)
    }

    /// Deletes all rows that have to do with them; how many.
    pub async fn forget_rows(&self, gone: &ToForget, spellings: &[String]) -> Result<u64> {
        let mut transaction = self.pool.begin().await?;
        let mut rows = forget_events(&mut transaction, gone, spellings).await?;
        for page in spellings {
            rows += forget_fetches(&mut transaction, page).await?;
            for (table, column) in PAGE_COLUMNS {
                let statement = format!("DELETE FROM {table} WHERE {column} = ?");
                rows += delete(&mut transaction, statement, page).await?;
            }
            for (table, column) in SENTENCES {
                let statement = format!("DELETE FROM {table} WHERE instr({column}, ?) > 0");
                rows += delete(&mut transaction, statement, page).await?;
            }
        }
        rows += forget_in_lists(&mut transaction, gone).await?;
        transaction.commit().await?;
        Ok(rows)
    }

    /// Model files: table, number of the row, file.
    pub async fn model_files(&self) -> Result<Vec<(&'static str, i64, Vec<u8>)>> {
        let mut files = Vec::new();
        for table in ["topic", "crawl"] {
            let column = model_column(table);
            let statement = format!("SELECT id, {column} FROM {table} WHERE {column} IS NOT NULL");
            let rows: Vec<(i64, Vec<u8>)> = sqlx::query_as(sqlx::AssertSqlSafe(statement))
                .fetch_all(&self.pool)
                .await?;
            files.extend(rows.into_iter().map(|(id, file)| (table, id, file)));
        }
        Ok(files)
    }

    /// Puts a model file in the place of another; browsers fetch that of a topic again.
    pub async fn replace_model(&self, table: &str, id: i64, file: &[u8]) -> Result<()> {
        let column = model_column(table);
        let version = if table == "topic" {
            ", version = version + 1"
        } else {
            ""
        };
        let statement = format!("UPDATE {table} SET {column} = ?{version} WHERE id = ?");
        sqlx::query(sqlx::AssertSqlSafe(statement))
            .bind(file)
            .bind(id)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Rewrites the database, so that no free page holds what was deleted, and deletes the
    /// copy from before its form last changed.
    pub async fn sweep(&self) -> Result<()> {
        let copy = self.folder.join(super::BACKUP);
        if copy.exists() {
            std::fs::remove_file(&copy).with_context(|| format!("deleting {}", copy.display()))?;
        }
        for statement in [
            "PRAGMA wal_checkpoint(TRUNCATE)",
            "VACUUM",
            "PRAGMA wal_checkpoint(TRUNCATE)",
        ] {
            sqlx::raw_sql(statement).execute(&self.pool).await?;
        }
        Ok(())
    }

    /// Those of the columns (`table.column`) in which a page stands, and not only
    /// pages whose addresses begin alike.
    pub async fn find_page(&self, page: &str, columns: &[String]) -> Result<Vec<String>> {
        let mut found = Vec::new();
        for name in columns {
            let (table, column) = name.split_once('.').unwrap_or((name, ""));
            let statement = format!(
                "SELECT CAST(\"{column}\" AS BLOB) FROM \"{table}\"
                 WHERE instr(CAST(\"{column}\" AS BLOB), CAST(? AS BLOB)) > 0"
            );
            let rows: Vec<(Vec<u8>,)> = sqlx::query_as(sqlx::AssertSqlSafe(statement))
                .bind(page)
                .fetch_all(&self.pool)
                .await?;
            if rows.iter().any(|(value,)| stands_in(value, page)) {
                found.push(name.clone());
            }
        }
        Ok(found)
    }

    /// Columns of the database in which a text stands: `table.column`.
    pub async fn find_text(&self, text: &str) -> Result<Vec<String>> {
        let columns: Vec<(String, String)> = sqlx::query_as(
            "SELECT t.name, c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
             WHERE t.type = 'table' ORDER BY 1, 2",
        )
        .fetch_all(&self.pool)
        .await?;
        let mut found = Vec::new();
        for (table, column) in columns {
            let statement = format!(
                "SELECT EXISTS (SELECT 1 FROM \"{table}\"
                 WHERE instr(CAST(\"{column}\" AS BLOB), CAST(? AS BLOB)) > 0)"
            );
            let row: (bool,) = sqlx::query_as(sqlx::AssertSqlSafe(statement))
                .bind(text)
                .fetch_one(&self.pool)
                .await?;
            if row.0 {
                found.push(format!("{table}.{column}"));
            }
        }
        Ok(found)
    }
}

fn model_column(table: &str) -> &'static str {
    if table == "topic" {
        "model"
    } else {
        "start_model"
    }
}

/// The click in an event, if it is one.
fn click(event: &Event) -> Option<(Address, Address)> {
    let EventKind::Click { from, to, .. } = &event.what else {
        return None;
    };
    Some((Address::parse(from).ok()?, Address::parse(to).ok()?))
}

/// `statement` is made of names written in this file.
async fn delete(
    transaction: &mut Transaction<'_, Sqlite>,
    statement: String,
    text: &str,
) -> Result<u64> {
    let query = sqlx::query(sqlx::AssertSqlSafe(statement)).bind(text);
    Ok(query.execute(&mut **transaction).await?.rows_affected())
}

async fn forget_events(
    transaction: &mut Transaction<'_, Sqlite>,
    gone: &ToForget,
    spellings: &[String],
) -> Result<u64> {
    let events: Vec<(i64, String)> = sqlx::query_as("SELECT number, body FROM event")
        .fetch_all(&mut **transaction)
        .await?;
    let mut deleted = 0;
    for (number, body) in events {
        let is_gone = match serde_json::from_str::<Event>(&body) {
            Ok(event) => {
                let pages = event.pages();
                let mut pages = pages.iter().filter_map(|page| Address::parse(page).ok());
                pages.any(|page| gone.has_page(&page))
                    || click(&event).is_some_and(|click| gone.clicks.contains(&click))
            }
            Err(_) => spellings.iter().any(|page| body.contains(page)),
        };
        if is_gone {
            let done = sqlx::query("DELETE FROM event WHERE number = ?")
                .bind(number)
                .execute(&mut **transaction)
                .await?;
            deleted += done.rows_affected();
        }
    }
    Ok(deleted)
}

/// The log of requests: a page's own rows, and the paths on which it lay.
async fn forget_fetches(transaction: &mut Transaction<'_, Sqlite>, page: &str) -> Result<u64> {
    sqlx::query(
        "DELETE FROM form WHERE (crawl, number) IN
         (SELECT crawl, number FROM fetch WHERE address = ?)",
    )
    .bind(page)
    .execute(&mut **transaction)
    .await?;
    let fetches = "DELETE FROM fetch WHERE address = ?".to_owned();
    let deleted = delete(transaction, fetches, page).await?;
    sqlx::query(
        "UPDATE fetch SET redirect = NULL, problem = 'redirects to a page that was forgotten'
         WHERE redirect = ?",
    )
    .bind(page)
    .execute(&mut **transaction)
    .await?;
    let paths: Vec<(i64, i64, String)> =
        sqlx::query_as("SELECT crawl, number, trail FROM fetch WHERE instr(trail, ?) > 0")
            .bind(page)
            .fetch_all(&mut **transaction)
            .await?;
    for (crawl, number, trail) in paths {
        let mut trail: Vec<String> = serde_json::from_str(&trail).unwrap_or_default();
        trail.retain(|step| step != page);
        sqlx::query("UPDATE fetch SET trail = ? WHERE crawl = ? AND number = ?")
            .bind(serde_json::to_string(&trail)?)
            .bind(crawl)
            .bind(number)
            .execute(&mut **transaction)
            .await?;
    }
    Ok(deleted)
}

/// The lists of pages that crawls began with.
async fn forget_in_lists(
    transaction: &mut Transaction<'_, Sqlite>,
    gone: &ToForget,
) -> Result<u64> {
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
            sqlx::query("UPDATE crawl SET seeds = ? WHERE id = ?")
                .bind(serde_json::to_string(&seeds)?)
                .bind(id)
                .execute(&mut **transaction)
                .await?;
        }
    }
    Ok(changed)
}
