//! What a crawl is told that another process runs: it looks here every so often.

use anyhow::Result;
use linkscent_core::address::Address;
use linkscent_core::web_graph::Mark;
use linkscent_core::wire::api::mark_of;

use super::Store;

/// What a running crawl can be told.
#[derive(Debug)]
pub enum Command {
    /// Hold on, to go on later.
    Pause,
    /// End.
    Stop,
    /// The person marked a page that this crawl has fetched.
    Mark(Address, Option<Mark>),
}

impl Store {
    /// Leaves a command for whoever runs the crawl.
    pub async fn leave_command(&self, crawl: i64, command: &Command) -> Result<()> {
        let (kind, address, target) = match command {
            Command::Pause => ("pause", "", None),
            Command::Stop => ("stop", "", None),
            Command::Mark(address, mark) => {
                let target = mark.map(|mark| mark == Mark::Target);
                ("mark", address.as_str(), target)
            }
        };
        sqlx::query("INSERT INTO command (crawl, kind, address, target) VALUES (?, ?, ?, ?)")
            .bind(crawl)
            .bind(kind)
            .bind(address)
            .bind(target)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Takes the commands that were left for a crawl, oldest first.
    pub async fn take_commands(&self, crawl: i64) -> Result<Vec<Command>> {
        let waiting: (bool,) =
            sqlx::query_as("SELECT EXISTS (SELECT 1 FROM command WHERE crawl = ?)")
                .bind(crawl)
                .fetch_one(&self.pool)
                .await?;
        if !waiting.0 {
            return Ok(Vec::new());
        }
        let mut rows: Vec<(i64, String, String, Option<bool>)> = sqlx::query_as(
            "DELETE FROM command WHERE crawl = ? RETURNING number, kind, address, target",
        )
        .bind(crawl)
        .fetch_all(&self.pool)
        .await?;
        rows.sort_by_key(|row| row.0);
        let command = |(_, kind, address, target): (_, String, String, _)| match kind.as_str() {
            "pause" => Some(Command::Pause),
            "stop" => Some(Command::Stop),
            _ => Some(Command::Mark(
                Address::parse(&address).ok()?,
                mark_of(target),
            )),
        };
        Ok(rows.into_iter().filter_map(command).collect())
    }
}
