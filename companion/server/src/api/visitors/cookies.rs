//! What browsers keep where people sign in: secrets in cookies that are sent to this host alone, never
//! read by a script, and not sent with what other sites ask for (`__Host-`, `HttpOnly`, `SameSite=Lax`);
//! every form is also held to its origin, as everywhere.

use axum::http::HeaderMap;
use axum::http::header::COOKIE;

use linkscent_service::SIGNED_IN_FOR;

/// Who is signed in. Browsers take cookies of such names only from the host itself, over TLS.
const SIGNED_IN: &str = "__Host-linkscent";
/// Who was sent to a provider, and where they go then.
const AWAY: &str = "__Host-linkscent-away";
/// Bytes of where somebody goes, as it is kept.
const LONGEST_TO: usize = 1_000;
/// Seconds for which somebody may be away.
const AWAY_FOR: i64 = 900;

/// The header that has a browser keep who is signed in, or forget it.
pub fn cookie(key: Option<&str>) -> String {
    keep(SIGNED_IN, key, SIGNED_IN_FOR / 1_000)
}

/// The header that has a browser keep that it was sent away with that secret, and where it goes then; or
/// forget it.
pub fn away_cookie(sent: Option<(&str, &str)>) -> String {
    let value = sent.map(|(kept, to)| {
        let to: String = form_urlencoded::byte_serialize(to.as_bytes()).collect();
        // Browsers keep no long cookie.
        let to = if to.len() > LONGEST_TO { "" } else { &to };
        format!("{kept}.{to}")
    });
    keep(AWAY, value.as_deref(), AWAY_FOR)
}

fn keep(name: &str, value: Option<&str>, seconds: i64) -> String {
    let (value, seconds) = value.map_or(("", 0), |value| (value, seconds));
    format!("{name}={value}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age={seconds}")
}

/// The secret of whom is signed in that a browser sent.
pub fn key(headers: &HeaderMap) -> Option<&str> {
    kept(headers, SIGNED_IN)
}

/// The secret with which a browser was sent away, and where it goes then.
pub fn sent_away(headers: &HeaderMap) -> Option<(String, String)> {
    let (kept, to) = kept(headers, AWAY)?.split_once('.')?;
    let mut pairs = form_urlencoded::parse(to.as_bytes());
    let to = pairs.next().map(|(to, _)| to.into_owned());
    Some((kept.to_owned(), to.unwrap_or_default()))
}

fn kept<'a>(headers: &'a HeaderMap, wanted: &str) -> Option<&'a str> {
    let cookies = headers.get_all(COOKIE).iter();
    let cookies = cookies.filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|value| value.split(';'));
    pairs.find_map(|pair| {
        let (name, value) = pair.trim().split_once('=')?;
        (name == wanted).then_some(value)
    })
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn a_cookie_is_found_among_others() {
        let mut headers = HeaderMap::new();
        assert_eq!(key(&headers), None);
        headers.append(
            COOKIE,
            HeaderValue::from_static("a=b; x__Host-linkscent=no"),
        );
        assert_eq!(key(&headers), None);
        headers.append(
            COOKIE,
            HeaderValue::from_static("c=d; __Host-linkscent=secret; e=f"),
        );
        assert_eq!(key(&headers), Some("secret"));
        assert_eq!(sent_away(&headers), None);
        assert!(cookie(Some("secret")).starts_with("__Host-linkscent=secret; "));
        assert!(cookie(None).ends_with("Max-Age=0"));
    }

    #[test]
    fn where_somebody_was_sent_from_is_found_again() {
        for to in ["/", "/library?q=a%20b&topic=1", "/é;,=.", ""] {
            let cookie = away_cookie(Some(("secret", to)));
            let (pair, rest) = cookie.split_once(';').unwrap();
            assert!(rest.contains("Max-Age=900"), "{rest}");
            let mut headers = HeaderMap::new();
            headers.append(COOKIE, HeaderValue::from_str(pair).unwrap());
            assert_eq!(
                sent_away(&headers),
                Some(("secret".to_owned(), to.to_owned()))
            );
        }
        let far = format!("/library?q={}", "%D0%BC".repeat(400));
        let far = away_cookie(Some(("secret", &far)));
        assert!(far.starts_with("__Host-linkscent-away=secret.; "), "{far}");
    }
}
