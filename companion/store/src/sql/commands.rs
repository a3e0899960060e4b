//! Commands to crawls as rows.

use async_trait::async_trait;
use linkscent_core::address::Address;
use linkscent_core::web_graph::Mark;
use linkscent_core::wire::api::mark_of;

#[cfg(feature = "team")]
use super::PostgresStore;
use super::SqliteStore;
use crate::StoreResult;
use crate::ports::{Command, Commands};

macro_rules! commands {
    ($store:ty) => {
        #[async_trait]
        impl Commands for $store {
            async fn leave_command(&self, crawl: i64, command: &Command) -> StoreResult<()> {
                let (kind, address, target) = match command {
                    Command::Pause => ("pause", "", None),
                    Command::Stop => ("stop", "", None),
                    Command::Said => ("said", "", None),
                    Command::Order => ("seeds", "", None),
                    Command::Mark(address, mark) => {
                        let target = mark.map(|mark| mark == Mark::Target);
                        ("mark", address.as_str(), target)
                    }
                };
                sqlx::query(
                    "INSERT INTO command (crawl, kind, address, target) VALUES ($1, $2, $3, $4)",
                )
                .bind(crawl)
                .bind(kind)
                .bind(address)
                .bind(target)
                .execute(&self.pool)
                .await?;
                Ok(())
            }

            async fn take_commands(&self, crawl: i64) -> StoreResult<Vec<Command>> {
                let waiting: (bool,) =
                    sqlx::query_as("SELECT EXISTS (SELECT 1 FROM command WHERE crawl = $1)")
                        .bind(crawl)
                        .fetch_one(&self.pool)
                        .await?;
                if !waiting.0 {
                    return Ok(Vec::new());
                }
                let mut rows: Vec<(i64, String, String, Option<bool>)> = sqlx::query_as(
                    "DELETE FROM command WHERE crawl = $1 RETURNING number, kind, address, target",
                )
                .bind(crawl)
                .fetch_all(&self.pool)
                .await?;
                rows.sort_by_key(|row| row.0);
                let command =
                    |(_, kind, address, target): (_, String, String, _)| match kind.as_str() {
                        "pause" => Some(Command::Pause),
                        "stop" => Some(Command::Stop),
                        "seeds" => Some(Command::Order),
                        // As it was called while only classes could be said.
                        "said" | "classes" => Some(Command::Said),
                        _ => Some(Command::Mark(
                            Address::parse(&address).ok()?,
                            mark_of(target),
                        )),
                    };
                Ok(rows.into_iter().filter_map(command).collect())
            }
        }
    };
}

commands!(SqliteStore);
#[cfg(feature = "team")]
commands!(PostgresStore);
