//! `linkscent data prune`: crawls that are too old, or take too much room, are deleted.

use anyhow::{Result, bail};
use clap::Args;
use linkscent_output::print_json;
use serde_json::json;

use crate::commands::place::Place;
use linkscent_service::crawler::way::Way;
use linkscent_service::{Outdated, Retention, Services};
use linkscent_store::clock;

/// Delete crawls that are too old or take too much room.
///
/// Those that ended first go first, with their pages. Without --delete it only says which would go.
/// What you said of pages stays, and so do crawls that are not over, crawls of topics that are
/// watched, and pages that a browser kept.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  linkscent data prune --keep-days 180
  linkscent data prune --keep-megabytes 20000 --delete")]
pub struct Prune {
    #[command(flatten)]
    keep: Keep,
    /// Delete them. It cannot be undone; `linkscent data backup` keeps a copy.
    #[arg(long)]
    delete: bool,
    #[command(flatten)]
    place: Place,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// What is kept.
#[derive(Debug, Args)]
pub struct Keep {
    /// Keep a crawl so many days after its last request.
    #[arg(
        long,
        value_name = "DAYS",
        env = "LINKSCENT_KEEP_DAYS",
        value_parser = clap::value_parser!(u32).range(1..),
        help_heading = "Room"
    )]
    keep_days: Option<u32>,
    /// Let the database and crawls take so many megabytes, as far as crawls that are over take them.
    #[arg(
        long,
        value_name = "MB",
        env = "LINKSCENT_KEEP_MEGABYTES",
        value_parser = clap::value_parser!(u32).range(1..),
        help_heading = "Room"
    )]
    keep_megabytes: Option<u32>,
}

impl Keep {
    /// The same for the service.
    pub fn retention(&self) -> Retention {
        Retention {
            days: self.keep_days,
            bytes: self.keep_megabytes.map(|most| u64::from(most) * 1_000_000),
        }
    }
}

impl Prune {
    /// Says which go, and deletes them if it is to.
    pub async fn run(self) -> Result<()> {
        let retention = self.keep.retention();
        if retention == Retention::default() {
            bail!("say what is to be kept: --keep-days, --keep-megabytes, or both");
        }
        let store = self.place.open().await?;
        let service = Services::new(store, Way::default());
        let outdated = service.upkeep.outdated(retention).await?;
        if self.delete && !outdated.is_empty() {
            service.upkeep.prune(&outdated).await?;
        }
        if self.json {
            let crawls: Vec<_> = outdated.iter().map(as_json).collect();
            print_json(&json!({ "crawls": crawls, "deleted": self.delete }))?;
            return Ok(());
        }
        for row in &outdated {
            print_line!("{}", line(row));
        }
        let bytes: u64 = outdated.iter().map(|row| row.bytes).sum();
        let room = megabytes(bytes);
        let crawls = match outdated.len() {
            0 => {
                print_line!("nothing is too old or too much");
                return Ok(());
            }
            1 => "1 crawl".to_owned(),
            count => format!("{count} crawls"),
        };
        if self.delete {
            print_line!("{crawls} deleted, {room} MB");
        } else {
            print_line!("{crawls} would go, {room} MB; --delete deletes them");
        }
        Ok(())
    }
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / 1e6)
}

fn as_json(row: &Outdated) -> serde_json::Value {
    json!({ "crawl": row.crawl.id, "topic": row.topic, "ended": clock::date(row.ended),
            "bytes": row.bytes, "for": if row.is_old { "age" } else { "room" } })
}

fn line(row: &Outdated) -> String {
    let ended = if row.ended > 0 {
        format!("ended {}", clock::date(row.ended))
    } else {
        "ended at an unknown time".to_owned()
    };
    let why = if row.is_old {
        "too old"
    } else {
        "takes room that is needed"
    };
    format!(
        "crawl {} for {}: {ended}, {} MB; {why}",
        row.crawl.id,
        row.topic,
        megabytes(row.bytes)
    )
}
