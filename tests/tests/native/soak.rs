//! Half a minute of what `cargo soak` does for as long as one likes.

use std::time::Duration;

use anyhow::{Result, ensure};
use linkscent_tests::soak::soak;

#[tokio::test(flavor = "multi_thread")]
async fn half_a_minute_of_faults_and_kills_breaks_no_promise() -> Result<()> {
    let report = soak(Duration::from_secs(30), 7, |_| {}).await?;
    println!("{report}");
    ensure!(report.is_kept(), "{report}");
    ensure!(report.kills >= 2 && report.acknowledged > 50, "{report}");
    Ok(())
}
