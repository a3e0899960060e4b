//! How a crawl and its hosts get on.

use std::time::Duration;

use askama::Template;
use axum::extract::{Form, Path, State};
use axum::routing::{get, post};
use axum::{Extension, Router};
use linkscent_core::crawl::{HostRules, HostState, HostTurn};
use serde::Deserialize;

use crate::api::{App, Base};
use crate::dashboard::PageError;
use crate::dashboard::PageResult;
use crate::dashboard::check_csrf;
use crate::dashboard::go_to;
use crate::dashboard::show;
use linkscent_service::{HostHealth, Hosts};
use linkscent_store::clock;
use linkscent_store::{CrawlRow, Topic};

pub(in crate::dashboard) fn routes() -> Router<App> {
    Router::new()
        .route("/crawl/{id}/hosts", get(page).post(leave_out))
        .route("/crawl/{id}/delay", post(set_delay))
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
    /// Seconds that a host rests between two requests, where they can be changed.
    delay: Option<f64>,
    /// Whether it was said how the hosts stand just now.
    is_live: bool,
}

struct Line {
    health: HostHealth,
    is_in_trouble: bool,
    kept: String,
    last: String,
    /// What is not as usual.
    facts: Vec<String>,
    waiting: usize,
    is_left_out: bool,
}

impl Line {
    /// `delay` is what hosts usually rest, in milliseconds.
    fn of(health: HostHealth, delay: u64, now: i64) -> Self {
        let state = health.now.as_ref();
        let mut facts = Vec::new();
        if let Some((problem, count)) = &health.problem {
            facts.push(match count {
                1 => problem.clone(),
                count => format!("{problem} ({count} times)"),
            });
        }
        if health.is_left_out {
            facts.push("left out by you".to_owned());
        }
        facts.extend(state.and_then(turn));
        facts.extend(state.and_then(|state| rules(&state.rules)));
        facts.extend(state.and_then(|state| rest(state, delay)));
        Self {
            is_in_trouble: health.is_in_trouble(),
            kept: size(health.bytes),
            last: match health.last {
                ..=0 => String::new(),
                last => ago(now.saturating_sub(last)),
            },
            facts,
            waiting: state.map_or(0, |state| state.waiting),
            is_left_out: health.is_left_out,
            health,
        }
    }
}

async fn page(
    State(app): State<App>,
    Extension(Base(base)): Extension<Base>,
    Path(id): Path<i64>,
) -> PageResult {
    let (crawl, topic) = app.service.crawls.crawl(id).await?;
    let Hosts {
        hosts,
        all,
        in_trouble,
    } = app.service.reports.hosts(&crawl).await?;
    let (delay, now) = (crawl.order.spec.delay(), clock::now());
    let hosts = hosts.into_iter();
    let hosts: Vec<Line> = hosts.map(|host| Line::of(host, delay, now)).collect();
    let left_out = crawl.left_since.clone();
    let is_changeable = crawl.has_delay() && !crawl.is_removed;
    show(&HostsPage {
        base,
        csrf: app.access.csrf(),
        can_leave_out: crawl.can_start_at_more() && !crawl.is_removed,
        left_out,
        delay: is_changeable.then_some(delay as f64 / 1e3),
        crawl,
        topic,
        in_trouble,
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
    let (crawl, _) = app.service.crawls.crawl(id).await?;
    app.service
        .crawls
        .leave_out(&crawl, &form.host, form.out)
        .await?;
    Ok(go_to(&format!("/crawl/{id}/hosts")))
}

#[derive(Deserialize)]
struct DelayForm {
    csrf: String,
    /// In seconds.
    delay: String,
}

async fn set_delay(
    State(app): State<App>,
    Path(id): Path<i64>,
    Form(form): Form<DelayForm>,
) -> PageResult {
    check_csrf(&app, &form.csrf)?;
    let (crawl, _) = app.service.crawls.crawl(id).await?;
    let delay = form.delay.trim().replace(',', ".").parse::<f64>().ok();
    let delay = delay.filter(|seconds| seconds.is_finite());
    let delay = delay
        .ok_or_else(|| PageError::bad(format!("“{}” is no number of seconds.", form.delay)))?;
    let millis = (delay * 1e3).round().max(0.0) as u64;
    app.service.crawls.set_delay(&crawl, millis).await?;
    Ok(go_to(&format!("/crawl/{id}/hosts")))
}

/// Milliseconds that a host rests at most without having said anything: beyond, its budget of the day is
/// spent, or its delay was longer before.
const LONGEST_DELAY: u64 = 2 * 60 * 1_000;

/// Why a host is not asked, if that is for longer than it usually rests.
fn turn(state: &HostState) -> Option<String> {
    let (deferred, usual) = (state.deferred, state.rest);
    let turn = match state.turn {
        HostTurn::LeftOut => return None,
        HostTurn::GivenUp => "left alone for good".to_owned(),
        HostTurn::Enough => return Some("left: enough of it came".to_owned()),
        HostTurn::Rests(left) if deferred > 0 => format!("rests for {}", time(left)),
        HostTurn::Rests(left) if left > usual.max(LONGEST_DELAY) => {
            format!("is put off: goes on in {}", time(left))
        }
        _ if deferred > 0 => "is asked again".to_owned(),
        HostTurn::Free | HostTurn::Asked | HostTurn::Rests(_) => return None,
    };
    Some(match deferred {
        0 => turn,
        1 => format!("it had no time: {turn}"),
        times => format!("it had no time, {times} times in a row: {turn}"),
    })
}

/// Why a host rests longer between two requests than others do.
fn rest(state: &HostState, delay: u64) -> Option<String> {
    let rest = time(state.rest);
    if state.is_heavy {
        return Some(format!(
            "its pages are much work to read: rests for {rest} behind each request"
        ));
    }
    if state.rest > state.delay {
        return Some(format!(
            "answers slowly: rests for {rest} behind each request"
        ));
    }
    (state.rest > delay).then(|| format!("asks for {rest} between two requests"))
}

fn rules(rules: &HostRules) -> Option<String> {
    match rules {
        HostRules::Unknown | HostRules::None => None,
        HostRules::Some => Some("robots.txt forbids some of it".to_owned()),
        HostRules::Nothing(denial) => Some(denial.to_string()),
    }
}

/// How long ago that is, in milliseconds.
pub(in crate::dashboard) fn ago(millis: i64) -> String {
    match millis {
        ..10_000 => "just now".to_owned(),
        millis => format!("{} ago", time(millis.unsigned_abs())),
    }
}

/// A time as people say it.
pub(in crate::dashboard) fn time(millis: u64) -> String {
    let time = Duration::from_millis(millis);
    match millis {
        0 => "0 s".to_owned(),
        1..10_000 => format!("{:.1} s", time.as_secs_f64()),
        10_000..120_000 => format!("{} s", time.as_secs()),
        120_000..7_200_000 => format!("{} min", time.as_secs().div_ceil(60)),
        7_200_000..172_800_000 => format!("{} h", time.as_secs() / 3_600),
        _ => format!("{} days", time.as_secs() / 86_400),
    }
}

/// Bytes as people say it.
pub(in crate::dashboard) fn size(bytes: u64) -> String {
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
            (7_200_000, "2 h"),
            (200_000_000, "2 days"),
        ] {
            assert_eq!(time(millis), expected);
        }
        for (bytes, expected) in [(0, ""), (1, "1 kB"), (4_200, "5 kB"), (2_500_000, "2.5 MB")] {
            assert_eq!(size(bytes), expected);
        }
        assert_eq!(
            (ago(9_000), ago(-5)),
            ("just now".into(), "just now".into())
        );
        assert_eq!(ago(60_000), "60 s ago");
    }

    #[test]
    fn only_what_is_not_as_usual_is_said() {
        let state = HostState {
            waiting: 7,
            turn: HostTurn::Rests(700),
            delay: 1_000,
            rest: 1_000,
            is_heavy: false,
            deferred: 0,
            rules: HostRules::None,
        };
        let facts = |state: &HostState| {
            let health = HostHealth {
                now: Some(state.clone()),
                ..HostHealth::default()
            };
            Line::of(health, 1_000, 0).facts
        };
        assert_eq!(facts(&state), Vec::<String>::new());
        let asks = HostState {
            delay: 5_000,
            rest: 5_000,
            rules: HostRules::Some,
            ..state.clone()
        };
        let expected = [
            "robots.txt forbids some of it",
            "asks for 5.0 s between two requests",
        ];
        assert_eq!(facts(&asks), expected);
        let slow = HostState {
            rest: 8_000,
            ..state.clone()
        };
        let expected = ["answers slowly: rests for 8.0 s behind each request"];
        assert_eq!(facts(&slow), expected);
        let heavy = HostState {
            is_heavy: true,
            ..slow
        };
        let expected = ["its pages are much work to read: rests for 8.0 s behind each request"];
        assert_eq!(facts(&heavy), expected);
        let spent = HostState {
            turn: HostTurn::Rests(5 * 3_600_000),
            ..state.clone()
        };
        let expected = ["is put off: goes on in 5 h"];
        assert_eq!(facts(&spent), expected);
        let rests = HostState {
            turn: HostTurn::Rests(90_000),
            deferred: 2,
            ..state
        };
        assert_eq!(
            facts(&rests),
            ["it had no time, 2 times in a row: rests for 90 s"]
        );
    }
}
