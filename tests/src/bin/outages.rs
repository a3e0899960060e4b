//! `cargo outages [PERCENT [SEED]]`: all of 500 killed workers and what else fails, unless told otherwise.

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context, Result};
use linkscent_tests::outages::outages;

const SEED: u64 = 1;

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let mut given = std::env::args().skip(1);
    let percent = given.next().map_or(Ok(100), |percent| percent.parse());
    let seed = given.next().map_or(Ok(SEED), |seed| seed.parse());
    let percent = percent.context("how many of a hundred is a whole number")?;
    let seed = seed.context("the seed is a whole number")?;
    let on_failure = |count: usize, all: usize| {
        print!("\r{count} of {all} failures");
        // Nobody may look.
        let _ = std::io::stdout().flush();
    };
    let folder = tempfile::tempdir()?;
    let report = outages(percent, seed, folder.path(), on_failure).await?;
    println!("\r{report}");
    Ok(if report.is_kept() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
