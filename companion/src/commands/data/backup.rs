//! `linkscent data backup`: everything in one file.

use std::fs::OpenOptions;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::Args;
use linkscent_output::print_json;
use serde_json::json;

use crate::commands::place::Place;
use linkscent_store::backup;

/// Write everything that is kept to one tar file.
///
/// Topics, marks, crawls with their pages and paired browsers, as they stand at one moment; also
/// while crawls run. Unpacked into a folder of its own, it is used with --data. It holds what
/// browsers and this program prove themselves with: keep it where others do not look.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  linkscent data backup --data ~/linkscent linkscent-2026.tar")]
pub struct Backup {
    /// The file to write; it must not be there.
    out: PathBuf,
    #[command(flatten)]
    place: Place,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Backup {
    /// Writes it; where that fails nothing is left.
    pub async fn run(self) -> Result<()> {
        ensure!(
            self.place.database.is_none(),
            "a PostgreSQL database is copied by its own `pg_dump`, and then the data folder by any means"
        );
        // Brings the database to the form of this version, and says if it is damaged.
        let store = self.place.open().await?;
        let folder = store.folder();
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&self.out);
        let file = file.with_context(|| format!("making {}", self.out.display()))?;
        message!("Copying {} …", folder.display());
        let written = match backup(folder, file).await {
            Ok(written) => written,
            Err(error) => {
                // It was made here a moment ago, and is not whole.
                let _ = std::fs::remove_file(&self.out);
                return Err(error);
            }
        };
        let (out, archives, bytes) = (self.out.display(), written.archives, written.bytes);
        if self.json {
            let said = json!({ "file": out.to_string(), "archives": archives, "bytes": bytes });
            print_json(&said)?;
        } else {
            print_line!("{out}: the database and {archives} archives of crawls, {bytes} bytes");
        }
        Ok(())
    }
}
