//! The time of day.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970.
pub fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as i64)
}

/// As WARC dates are written: `2026-01-02T03:04:05Z`.
pub fn date(milliseconds: i64) -> String {
    let since = Duration::from_millis(milliseconds.max(0) as u64);
    humantime::format_rfc3339_seconds(UNIX_EPOCH + since).to_string()
}
