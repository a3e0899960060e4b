//! `cargo soak [MINUTES [SEED]]`: ten minutes unless told otherwise.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use linkscent_tests::soak::{Report, soak};

const MINUTES: u64 = 10;
const SEED: u64 = 1;

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let mut given = std::env::args().skip(1);
    let minutes = given.next().map_or(Ok(MINUTES), |minutes| minutes.parse());
    let seed = given.next().map_or(Ok(SEED), |seed| seed.parse());
    let minutes = minutes.context("how many minutes is a whole number")?;
    let seed = seed.context("the seed is a whole number")?;
    let on_life = |report: &Report| {
        print!(
            "\r{} requests, {} acknowledged, {} kills",
            report.promises.requests, report.acknowledged, report.kills
        );
        // Nobody may look.
        let _ = std::io::stdout().flush();
    };
    let report = soak(Duration::from_mins(minutes), seed, on_life).await?;
    println!("\r{report}");
    Ok(if report.is_kept() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
