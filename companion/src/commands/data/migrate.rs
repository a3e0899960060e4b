//! `linkscent data migrate`: everything from the data folder's own database into another one, or back.

use anyhow::{Context, Result};
use clap::Args;
use linkscent_output::print_json;
use serde_json::json;

use crate::commands::place::Place;
use linkscent_store::{move_back, move_out};

/// Move everything from the data folder's own database into a PostgreSQL one, or back.
///
/// Pages stay in the folder, which from then on belongs to that database: every command is given it by
/// --database, by `LINKSCENT_DATABASE` or the settings file. The old file is kept aside. Nothing may use the
/// folder meanwhile.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  createdb linkscent
  linkscent data migrate --database postgres://localhost/linkscent
  linkscent data migrate --database postgres://localhost/linkscent --back")]
pub struct Migrate {
    #[command(flatten)]
    place: Place,
    /// From the database back into the data folder.
    #[arg(long)]
    back: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Migrate {
    /// Moves; where that fails, it says what to do.
    pub async fn run(self) -> Result<()> {
        let folder = self.place.folder()?;
        let database = self.place.database.as_deref();
        let database =
            database.context("say which database, by --database or LINKSCENT_DATABASE")?;
        message!("Moving what {} keeps …", folder.display());
        let (moved, aside) = if self.back {
            (move_back(&folder, database).await?, None)
        } else {
            let (moved, aside) = move_out(&folder, database).await?;
            (moved, Some(aside))
        };
        if self.json {
            print_json(&json!({ "tables": moved, "aside": aside }))?;
            return Ok(());
        }
        for moved in &moved {
            print_line!("{:8} rows of {}", moved.rows, moved.table);
        }
        match aside {
            Some(aside) => print_line!(
                "The old file is kept as {}: delete it once you have seen that all is there",
                aside.display()
            ),
            None => print_line!(
                "The rows in the database stay there until you drop it, and are used no more"
            ),
        }
        Ok(())
    }
}
