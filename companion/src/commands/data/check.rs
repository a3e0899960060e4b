//! `linkscent data check`: whether what is kept can still be read.

use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;
use indicatif::ProgressBar;

use crate::commands::place::Place;
use linkscent_output::print_json;
use linkscent_service::Services;
use linkscent_service::crawler::way::Way;

/// Look through the data folder, and say what is damaged.
///
/// The database, every page in the archives of crawls, models, and who else may read the files; also
/// while crawls run. Nothing is changed unless --repair is given; before that, `linkscent data backup`
/// keeps a copy. Of a PostgreSQL database the files are its server's to check, by `pg_amcheck`.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  linkscent data check --data ~/linkscent")]
pub struct Check {
    /// Put down pages that cannot be read as lost, so that their crawls ask for them again, and shut
    /// files to others.
    #[arg(long)]
    repair: bool,
    #[command(flatten)]
    place: Place,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Check {
    /// Checks; an error if something is wrong that was not mended.
    pub async fn run(self) -> Result<()> {
        let store = self.place.open().await?;
        let service = Services::new(store, Way::default());
        let bar = if self.json {
            ProgressBar::hidden()
        } else {
            ProgressBar::new_spinner()
        };
        bar.enable_steady_tick(Duration::from_millis(200));
        let told = |pages| bar.set_message(format!("{pages} pages"));
        let checked = service.upkeep.check(self.repair, told).await?;
        bar.finish_and_clear();
        if self.json {
            print_json(&checked)?;
        } else {
            let database = match self.place.database {
                Some(_) => "what the database gives",
                None => "the database",
            };
            print_line!(
                "{database}, {} crawls with {} pages, models and files were read",
                checked.crawls,
                checked.pages
            );
            for fault in &checked.faults {
                print_line!("{}: {}", fault.place, fault.problem);
                print_line!("  {}", fault.remedy);
            }
            if checked.faults.is_empty() {
                print_line!("nothing is wrong");
            }
        }
        if !checked.is_well() {
            bail!(
                "something is wrong in {}",
                service.upkeep.folder().display()
            );
        }
        Ok(())
    }
}
