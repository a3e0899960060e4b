//! What the head of an answer says, or the error that came in its place.

use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};
use linkscent_core::address::Address;
use reqwest::header::{HeaderName, LOCATION};
use reqwest::{Response, StatusCode};

pub(super) fn redirect(from: &Address, response: &Response) -> Result<Address> {
    let location = header(response, LOCATION).context("a redirect to nowhere")?;
    Ok(from.join(&location)?)
}

pub(super) fn header(response: &Response, name: HeaderName) -> Option<String> {
    let value = response.headers().get(name)?;
    Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// Whether a server says that it cannot answer now, and may later.
pub(super) fn is_for_later(status: StatusCode) -> bool {
    matches!(
        status,
        StatusCode::TOO_MANY_REQUESTS
            | StatusCode::BAD_GATEWAY
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT
    )
}

/// After how long a server may be asked again, as it says by seconds or by a date.
pub(super) fn retry_after(text: &str) -> Option<Duration> {
    if let Ok(seconds) = text.trim().parse() {
        return Some(Duration::from_secs(seconds));
    }
    let until = httpdate::parse_http_date(text.trim()).ok()?;
    // One in the past is now.
    Some(until.duration_since(SystemTime::now()).unwrap_or_default())
}

pub(super) fn is_html(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    essence.is_empty()
        || essence.eq_ignore_ascii_case("text/html")
        || essence.eq_ignore_ascii_case("application/xhtml+xml")
}

/// What is said of what is no page.
pub(super) fn no_page(content_type: Option<&str>) -> String {
    format!("not HTML but {}", content_type.unwrap_or_default())
}

pub(super) fn describe(status: StatusCode) -> String {
    let reason = status.canonical_reason().unwrap_or_default();
    format!("{} {reason}", status.as_u16())
        .trim_end()
        .to_owned()
}

pub(super) fn one_line(error: &anyhow::Error) -> String {
    error.to_string().replace(['\r', '\n'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_says_by_seconds_or_by_a_date_when_it_has_time() {
        let seconds = |text: &str| retry_after(text).map(|rest| rest.as_secs());
        assert_eq!(seconds(" 120 "), Some(120));
        assert_eq!(seconds("Fri, 31 Dec 1999 23:59:59 GMT"), Some(0));
        let later = SystemTime::now() + Duration::from_secs(1_000);
        let later = seconds(&httpdate::fmt_http_date(later)).unwrap();
        assert!((998..=1_000).contains(&later), "{later}");
        for odd in ["", "soon", "-5", "1e9", "99999999999999999999"] {
            assert_eq!(seconds(odd), None, "{odd}");
        }
    }
}
