//! How a crawl and its hosts get on.

use std::time::Duration;

use askama::Template;
use axum::extract::{Form, Path, State};
use axum::routing::get;
use axum::{Extension, Router};
use linkscent_core::crawl::{HostRules, HostTurn};
use serde::Deserialize;

use super::yields::said;
use super::{PageResult, check_csrf, go_to, show};
use crate::api::{App, Base};
use crate::service::HostHealth;
use crate::store::{CrawlRow, Topic};

pub(super) fn routes() -> Router<App> {
    Router::new().route("/crawl/{id}/hosts", get(page).post(leave_out))
}

#[derive(Template)]
#[template(path = "hosts.html")]
struct HostsPage<'a> {
    base: String,
    csrf: &'a str,
    crawl: CrawlRow,
    topic: Topic,
    hosts: Vec<Line>,
    all: usize,
    in_trouble: usize,
    /// Whether hosts can be left out and taken back.
    can_leave_out: bool,
    left_out: Vec<String>,
    /// Whether it was said how the hosts stand just now.
    is_live: bool,
}

struct Line {
    health: HostHealth,
    is_in_trouble: bool,
    kept: String,
    last: String,
    turn: String,
    delay: String,
    rules: String,
    waiting: usize,
}

impl Line {
    fn of(health: HostHealth) -> Self {
        let now = health.now.as_ref();
        Self {
            is_in_trouble: health.is_in_trouble(),
            kept: size(health.bytes),
            last: if health.last > 0 {
                said(health.last)
            } else {
                String::new()
            },
            turn: now.map_or(String::new(), |now| turn(now.turn, now.deferred)),
            delay: now.map_or(String::new(), |now| time(now.delay)),
            rules: now.map_or(String::new(), |now| rules(&now.rules)),
            waiting: now.map_or(0, |now| now.waiting),
            health,
        }
    }
}

async fn page(
    State(app): State<App>,
    Extension(Base(base)): Extension<Base>,
    Path(id): Path<i64>,
) -> PageResult {
    let (crawl, topic) = app.service.crawl(id).await?;
    let (hosts, all) = app.service.hosts(&crawl).await?;
    let hosts: Vec<Line> = hosts.into_iter().map(Line::of).collect();
    let left_out = crawl.order.scope.left_out.clone();
    show(&HostsPage {
        base,
        csrf: app.access.csrf(),
        can_leave_out: crawl.can_start_at_more() && !crawl.is_removed,
        left_out,
        crawl,
        topic,
        in_trouble: hosts.iter().filter(|line| line.is_in_trouble).count(),
        is_live: hosts.iter().any(|line| line.health.now.is_some()),
        hosts,
        all,
    })
}

#[derive(Deserialize)]
struct LeaveOutForm {
    csrf: String,
    host: String,
    /// Whether it is left out from now on.
    out: bool,
}

async fn leave_out(
    State(app): State<App>,
    Path(id): Path<i64>,
    Form(form): Form<LeaveOutForm>,
) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    let (crawl, _) = app.service.crawl(id).await?;
    app.service.leave_out(&crawl, &form.host, form.out).await?;
    Ok(go_to(&format!("/crawl/{id}/hosts")))
}

fn turn(turn: HostTurn, deferred: u32) -> String {
    let turn = match turn {
        HostTurn::Free => "free".to_owned(),
        HostTurn::Asked => "being asked".to_owned(),
        HostTurn::Rests(left) => format!("rests for {}", time(left)),
        HostTurn::Left => "left alone".to_owned(),
    };
    match deferred {
        0 => turn,
        1 => format!("{turn}: it had no time"),
        times => format!("{turn}: it had no time, {times} times in a row"),
    }
}

fn rules(rules: &HostRules) -> String {
    match rules {
        HostRules::Unknown => "not asked for".to_owned(),
        HostRules::None => "allows everything".to_owned(),
        HostRules::Some => "forbids some of it".to_owned(),
        HostRules::Nothing(denial) => denial.to_string(),
    }
}

/// A time of milliseconds to some hours, as people say it.
fn time(millis: u64) -> String {
    let time = Duration::from_millis(millis);
    match millis {
        0 => "0 s".to_owned(),
        1..10_000 => format!("{:.1} s", time.as_secs_f64()),
        10_000..120_000 => format!("{} s", time.as_secs()),
        _ => format!("{} min", time.as_secs().div_ceil(60)),
    }
}

/// Bytes as people say it.
fn size(bytes: u64) -> String {
    match bytes {
        0 => String::new(),
        1..1_000_000 => format!("{} kB", bytes.div_ceil(1_000)),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_are_said_as_people_say_them() {
        for (millis, expected) in [
            (0, "0 s"),
            (250, "0.2 s"),
            (1_500, "1.5 s"),
            (59_999, "59 s"),
            (121_000, "3 min"),
            (3_600_000, "60 min"),
        ] {
            assert_eq!(time(millis), expected);
        }
        for (bytes, expected) in [(0, ""), (1, "1 kB"), (4_200, "5 kB"), (2_500_000, "2.5 MB")] {
            assert_eq!(size(bytes), expected);
        }
        let rests = turn(HostTurn::Rests(90_000), 2);
        assert_eq!(rests, "rests for 90 s: it had no time, 2 times in a row");
    }
}
