//! The time of day, and of work.

#[cfg(not(unix))]
use std::sync::LazyLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How long the calling thread has worked, whatever else went on meanwhile; only differences count.
#[cfg(unix)]
pub fn worked() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// How long ago it was asked first: elsewhere it is not told how long threads work.
#[cfg(not(unix))]
pub fn worked() -> Duration {
    static BEGUN: LazyLock<std::time::Instant> = LazyLock::new(std::time::Instant::now);
    BEGUN.elapsed()
}

/// Milliseconds since 1970.
pub fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as i64)
}

/// The end of the last year that has four digits, in milliseconds since 1970.
const LAST: i64 = 253_402_300_799_000;

/// As WARC dates are written: `2026-01-02T03:04:05Z`.
pub fn date(milliseconds: i64) -> String {
    let since = Duration::from_millis(milliseconds.clamp(0, LAST) as u64);
    humantime::format_rfc3339_seconds(UNIX_EPOCH + since).to_string()
}
