//! `linkscent data repair`: saves what can be read of a damaged database.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use linkscent_output::print_json;
use serde_json::json;

use crate::settings::data_folder;
use linkscent_store::repair;

/// Save what can be read of a damaged database.
///
/// The damaged file is kept aside; a fresh one takes in every row that can be read.
/// Archives of crawls are not touched: pages that are damaged there are asked for again
/// when their crawl goes on.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  linkscent data repair --data ~/linkscent")]
pub struct Repair {
    /// Where everything is kept.
    #[arg(long, env = "LINKSCENT_DATA")]
    data: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Repair {
    /// Repairs; an error if nothing could be salvaged.
    pub async fn run(self) -> Result<()> {
        let folder = data_folder(self.data.as_deref())?;
        print_line!("Reading {} …", folder.join("linkscent.sqlite").display());
        let salvaged = repair(&folder).await?;
        if self.json {
            let tables = salvaged.tables.iter();
            let tables = tables.map(
                |(table, rows, lost)| json!({ "table": table, "rows": rows, "rows_lost": lost }),
            );
            let aside = salvaged.aside.display().to_string();
            print_json(&json!({ "aside": aside, "tables": tables.collect::<Vec<_>>() }))?;
        } else {
            for (table, rows, lost) in &salvaged.tables {
                let rest = if *lost {
                    ", and some could not be read"
                } else {
                    ""
                };
                print_line!("{rows:8} rows of {table}{rest}");
            }
            print_line!("The damaged file is kept as {}", salvaged.aside.display());
        }
        if salvaged.tables.iter().all(|row| row.1 == 0) {
            bail!(
                "nothing could be salvaged. Browsers send their marks again when they are paired \
                 again; the pages of crawls are still in their archives"
            );
        }
        Ok(())
    }
}
