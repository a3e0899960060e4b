//! What a crawl tells and asks the person: alarms when it loses its way, and pages
//! whose label would help it most.

use anyhow::Result;
use clap::ValueEnum;

use super::Store;
use crate::clock;

/// What a crawl does when it loses its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Reaction {
    /// It says so and goes on.
    #[default]
    Tell,
    /// It leaves sites full of spam, or keeps closer to what is known to be good for a while.
    #[value(alias = "narrow")]
    Restrict,
    /// It pauses.
    Pause,
}

impl Reaction {
    /// As it is stored, and as forms name it.
    pub fn code(self) -> &'static str {
        match self {
            Self::Tell => "tell",
            Self::Restrict => "restrict",
            Self::Pause => "pause",
        }
    }

    /// Back from [`Self::code`]; the default for anything else.
    pub fn of(code: &str) -> Self {
        let all = [Self::Tell, Self::Restrict, Self::Pause];
        let found = all.into_iter().find(|reaction| reaction.code() == code);
        found.unwrap_or_default()
    }
}

/// An alarm that a crawl raised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlarmRow {
    /// Number of the request at which it was raised.
    pub number: i64,
    /// What it is about, for people.
    pub said: String,
}

/// A page that a crawl asks about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionRow {
    /// The page.
    pub address: String,
    /// Its title.
    pub title: String,
    /// Beginning of its text.
    pub snippet: String,
}

impl Store {
    /// Alarms of a crawl, newest first.
    pub async fn alarms(&self, crawl: i64) -> Result<Vec<AlarmRow>> {
        let rows: Vec<(i64, String)> = sqlx::query_as(
            "SELECT number, said FROM alarm WHERE crawl = ? ORDER BY number DESC LIMIT 5",
        )
        .bind(crawl)
        .fetch_all(&self.pool)
        .await?;
        let row = |(number, said)| AlarmRow { number, said };
        Ok(rows.into_iter().map(row).collect())
    }

    /// Keeps a page to ask about; asked before, nothing changes.
    pub async fn ask(&self, crawl: i64, address: &str) -> Result<()> {
        sqlx::query(
            "INSERT INTO question (crawl, address, asked) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        )
        .bind(crawl)
        .bind(address)
        .bind(clock::now())
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Pages that a crawl has asked about, answered or not.
    pub async fn asked(&self, crawl: i64) -> Result<Vec<String>> {
        let rows: Vec<(String,)> = sqlx::query_as("SELECT address FROM question WHERE crawl = ?")
            .bind(crawl)
            .fetch_all(&self.pool)
            .await?;
        Ok(rows.into_iter().map(|row| row.0).collect())
    }

    /// What a crawl still wants to know, oldest first.
    pub async fn questions(&self, crawl: i64) -> Result<Vec<QuestionRow>> {
        let rows: Vec<(String, String, String)> = sqlx::query_as(
            "SELECT question.address, title, snippet FROM question
             JOIN fetch ON fetch.crawl = question.crawl AND fetch.address = question.address
             WHERE question.crawl = ? AND answer = '' ORDER BY asked, question.address",
        )
        .bind(crawl)
        .fetch_all(&self.pool)
        .await?;
        let row = |(address, title, snippet)| QuestionRow {
            address,
            title,
            snippet,
        };
        Ok(rows.into_iter().map(row).collect())
    }

    /// Keeps the person's answer: `yes`, `no` or `skip`.
    pub async fn answer(&self, crawl: i64, address: &str, answer: &str) -> Result<()> {
        sqlx::query("UPDATE question SET answer = ? WHERE crawl = ? AND address = ?")
            .bind(answer)
            .bind(crawl)
            .bind(address)
            .execute(&self.pool)
            .await?;
        Ok(())
    }
}
