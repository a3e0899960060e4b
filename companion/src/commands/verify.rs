//! `linkscent research verify`: a crawl that somebody gave as a file, run again.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use indicatif::ProgressBar;

use linkscent_output::print_json;
use linkscent_service::crawler::verify::verify;
use linkscent_service::research::Unpacked;

/// Check a research object: a crawl with its pages, as `export --format research` wrote it.
///
/// Every part is held to its checksum. The log is replayed, and its pages have to be judged as the
/// file says; then the crawl chooses for itself, with the file as the web, and it is said how far it
/// goes the same way. Nothing is fetched, and nothing is kept: the file is unpacked into the folder
/// for temporary files (TMPDIR), and goes from there.
///
/// That the web was like this when the crawl ran cannot be checked; nor what the person said while it
/// ran, which is not in the file; nor why there are requests that the file itself names as such that
/// no link led to: how many these are is said.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  linkscent research verify castles.research")]
pub struct Verify {
    /// The file.
    file: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Verify {
    /// Checks it. What differs is an error.
    pub fn run(self) -> Result<()> {
        let unpacked = Unpacked::open(&self.file)?;
        let bar = if self.json {
            ProgressBar::hidden()
        } else {
            ProgressBar::new(2 * unpacked.research.log.len() as u64)
        };
        let found = verify(&unpacked, |done| bar.set_position(done as u64))?;
        bar.finish_and_clear();
        if self.json {
            print_json(&found)?;
        } else {
            let about = &unpacked.research.about;
            print_line!(
                "crawl {} of “{}”, written {}",
                about.crawl,
                about.topic,
                about.written
            );
            print_line!(
                "{} requests, {} pages, {} damaged",
                found.requests,
                found.pages,
                found.damaged
            );
            print_line!(
                "{} of {} pages are judged the same; no link led to {} requests, {} of which the \
                 file does not name as such",
                found.judged_the_same,
                found.pages,
                found.not_linked,
                found.out_of_nowhere,
            );
            print_line!(
                "{} of {} requests are made again, the first {} in the same order; {} links have \
                 no answer here",
                found.chosen_again,
                found.requests,
                found.in_order,
                found.unanswered,
            );
            for difference in &found.differences {
                print_line!("  {difference}");
            }
        }
        if !found.is_true() {
            bail!("it is not as it says");
        }
        Ok(())
    }
}
