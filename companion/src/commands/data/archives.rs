//! `linkscent data archives`: where the pages of crawls are copied to.

use anyhow::{Context, Result};
use clap::Args;
use linkscent_output::print_json;
use serde_json::json;

use crate::commands::place::Place;
use linkscent_service::Services;
use linkscent_service::crawler::way::Way;
use linkscent_store::{BroughtBack, Copied, bring_back};

/// Copy the pages of crawls to an object store as they come, and bring them back.
///
/// For rows that are in a PostgreSQL database, whose server cares for them: so the data folder can be lost,
/// too. Once it is told where to, each `linkscent serve` and `linkscent crawl` copies what has come, a
/// minute behind. What you forget or delete is deleted there, too, and the rest of that crawl is copied again;
/// only where the store keeps older versions of objects, it stays in those. An S3 store is told who you are by
/// the environment: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_REGION`, `AWS_ENDPOINT`, and
/// `AWS_ALLOW_HTTP=true` where it speaks no TLS. Without a flag it says what is copied.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  linkscent data archives --copy-to s3://reading-room/linkscent --database postgres://localhost/linkscent
  linkscent data archives --copy-to file:///mnt/archives --database postgres://localhost/linkscent
  linkscent data archives --bring-back --data new --database postgres://localhost/linkscent")]
pub struct Archives {
    /// Copy them there from now on, and all that are there now: `s3://BUCKET/PREFIX` or `file:///FOLDER`.
    #[arg(long, value_name = "PLACE")]
    copy_to: Option<String>,
    /// Copy what has come since.
    #[arg(long, conflicts_with = "copy_to")]
    copy: bool,
    /// Copy nothing any more. What was copied stays there, also what you forget later: delete it there.
    #[arg(long, conflicts_with_all = ["copy_to", "copy"])]
    stop: bool,
    /// Bring back what the data folder lacks, or all into an empty one, which the database has from then
    /// on: the folder before is refused then, and copying stops. End every other linkscent before.
    #[arg(long, conflicts_with_all = ["copy_to", "copy", "stop"])]
    bring_back: bool,
    #[command(flatten)]
    place: Place,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Archives {
    /// Does so.
    pub async fn run(self) -> Result<()> {
        if self.bring_back {
            return self.bring_back().await;
        }
        let service = Services::new(self.place.open().await?, Way::default());
        if self.stop {
            let left = service.upkeep.stop_copies().await?;
            if let Some(place) = left.filter(|_| !self.json) {
                print_line!(
                    "what was copied stays in {place}: delete it there if you need it no more"
                );
            }
        }
        if let Some(place) = &self.copy_to {
            service.upkeep.copy_to(place).await?;
        }
        if self.copy || self.copy_to.is_some() {
            let said = |copied: &Copied| {
                let left = copied.bytes - copied.copied;
                message!(
                    "linkscent: copying {left} bytes of crawl {} …",
                    copied.crawl
                );
            };
            service.upkeep.copy_archives(said).await?;
        }
        let place = service.upkeep.copied_to().await?;
        let copied = service.upkeep.copied().await?;
        if self.json {
            print_json(&json!({ "place": place, "crawls": copied }))?;
            return Ok(());
        }
        let Some(place) = place else {
            print_line!("archives are not copied; --copy-to says where to");
            return Ok(());
        };
        print_line!("archives are copied to {place}");
        for copied in &copied {
            print_line!("{}", line(copied));
        }
        Ok(())
    }

    async fn bring_back(&self) -> Result<()> {
        let database = self.place.database.as_deref();
        let database =
            database.context("say which database, by --database or LINKSCENT_DATABASE")?;
        let said = |brought: &BroughtBack| {
            if !self.json {
                print_line!("{}", brought_line(brought));
            }
        };
        let (brought, left) = bring_back(database, &self.place.folder()?, said).await?;
        if self.json {
            print_json(&json!({ "crawls": brought, "place_left": left }))?;
        } else if let Some(place) = left {
            print_line!(
                "nothing is copied to {place} any more: --copy-to copies this folder from the beginning, and \
                 then what lies there can be deleted"
            );
        }
        Ok(())
    }
}

fn line(copied: &Copied) -> String {
    match copied.bytes - copied.copied {
        0 => format!(
            "crawl {}: all {} bytes are copied",
            copied.crawl, copied.bytes
        ),
        left => format!(
            "crawl {}: {} of {} bytes are copied, {left} are not yet",
            copied.crawl, copied.copied, copied.bytes
        ),
    }
}

fn brought_line(brought: &BroughtBack) -> String {
    let BroughtBack {
        crawl,
        bytes,
        missing,
    } = brought;
    match missing {
        0 => format!("crawl {crawl}: {bytes} bytes were brought back, nothing is missing"),
        missing => format!(
            "crawl {crawl}: {bytes} bytes were brought back, {missing} were not copied; if the crawl goes \
             on, it asks for their pages again"
        ),
    }
}
