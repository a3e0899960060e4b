//! What a crawl brought and what it cost.

use std::time::Duration;

use askama::Template;
use axum::extract::{Path, State};
use axum::routing::get;
use axum::{Extension, Router};
use linkscent_charts as chart;
use linkscent_core::crawl::Expected;

use crate::api::{App, Base, passing, stream};
use crate::dashboard::PageResult;
use crate::dashboard::show;
use linkscent_service::Yield;
use linkscent_store::clock;
use linkscent_store::{CrawlRow, Topic};

pub(in crate::dashboard) fn routes() -> Router<App> {
    Router::new()
        .route("/crawl/{id}/yield", get(page))
        .route("/crawl/{id}/research", get(research))
}

#[derive(Template)]
#[template(path = "yield.html")]
struct YieldScreen {
    base: String,
    crawl: CrawlRow,
    topic: Topic,
    found: Yield,
    finds: usize,
    chart: String,
    /// When the first answer came, and how long after it the last.
    time: Option<(String, String)>,
    /// How many pages there are to be found in all, by the last count, and at which request that was.
    there_are: Option<(usize, Expected)>,
}

async fn page(
    State(app): State<App>,
    Extension(Base(base)): Extension<Base>,
    Path(id): Path<i64>,
) -> PageResult {
    let (crawl, topic) = app.service.crawls.crawl(id).await?;
    let found = app.service.reports.yields(&crawl).await?;
    let times = found.times.filter(|_| !crawl.is_of_archive());
    let finds = found.hits.iter().filter(|hit| **hit).count();
    show(&YieldScreen {
        base,
        crawl,
        topic,
        finds,
        chart: chart::cost(&found.hits, &found.there_are),
        time: times.map(|(first, last)| {
            let span = Duration::from_millis(last.abs_diff(first));
            (said(first), roughly(span))
        }),
        there_are: found.there_are_now,
        found,
    })
}

/// The crawl as a file that others can check.
async fn research(State(app): State<App>, Path(id): Path<i64>) -> PageResult {
    let (crawl, _) = app.service.crawls.crawl(id).await?;
    let (file, out) = passing(&app)?;
    app.service.exports.write_research(&crawl, out).await?;
    Ok(stream(
        file,
        "application/x-tar",
        &format!("crawl-{id}.research"),
    )?)
}

/// A date and a time of the day.
pub(in crate::dashboard) fn said(time: i64) -> String {
    let date = clock::date(time);
    date.replace('T', " ").replace('Z', " UTC")
}

/// A time as people say it: two of its units at most.
pub(in crate::dashboard) fn roughly(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => "less than a minute".to_owned(),
        60..120 => "a minute".to_owned(),
        120..3_600 => format!("{} minutes", seconds / 60),
        3_600..86_400 => format!("{} h {} min", seconds / 3_600, seconds % 3_600 / 60),
        86_400..172_800 => format!("a day and {} h", seconds % 86_400 / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_said_roughly() {
        assert_eq!(said(1_700_000_000_000), "2023-11-14 22:13:20 UTC");
        for (seconds, expected) in [
            (0, "less than a minute"),
            (59, "less than a minute"),
            (119, "a minute"),
            (120, "2 minutes"),
            (3_599, "59 minutes"),
            (3_660, "1 h 1 min"),
            (90_000, "a day and 1 h"),
            (200_000, "2 days"),
        ] {
            assert_eq!(roughly(Duration::from_secs(seconds)), expected);
        }
    }
}
