//! What was said between a server and the crawler, for the archive: the request as it is sent, and
//! the head of the answer as it came.
//!
//! Left out: how long a packed body was and how it was packed, which the HTTP client keeps to
//! itself; and the case of names of headers.

use linkscent_archive::warc::{Exchange, Header, Request, Version};
use linkscent_core::address::Address;
use reqwest::Response;
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, HeaderMap, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH, USER_AGENT,
};

use super::validators::Validators;

/// The headers that a page is asked for with.
pub(super) fn request_headers(agent: &HeaderValue, known: Option<&Validators>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(USER_AGENT, agent.clone());
    let accept = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1";
    headers.insert(ACCEPT, HeaderValue::from_static(accept));
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip, deflate"));
    let conditions = [
        (IF_NONE_MATCH, known.and_then(|known| known.etag.as_ref())),
        (
            IF_MODIFIED_SINCE,
            known.and_then(|known| known.since.as_ref()),
        ),
    ];
    for (name, value) in conditions {
        if let Some(value) = value.and_then(|value| HeaderValue::from_str(value).ok()) {
            headers.insert(name, value);
        }
    }
    headers
}

/// The exchange of a request with these headers and its answer. Where a proxy answered, its
/// address is none of the page's.
pub(super) fn exchange(
    address: &Address,
    sent: &HeaderMap,
    response: &Response,
    is_direct: bool,
) -> Exchange {
    let mut headers = vec![("host".to_owned(), address.host().as_bytes().to_vec())];
    headers.extend(listed(sent));
    Exchange {
        version: match response.version() {
            reqwest::Version::HTTP_10 => Some(Version::Http10),
            reqwest::Version::HTTP_11 => Some(Version::Http11),
            reqwest::Version::HTTP_2 => Some(Version::Http2),
            reqwest::Version::HTTP_3 => Some(Version::Http3),
            _ => None,
        },
        reason: String::new(),
        headers: listed(response.headers()),
        request: Some(Request {
            method: "GET".to_owned(),
            target: address.path_and_query().to_owned(),
            headers,
        }),
        ip: response
            .remote_addr()
            .filter(|_| is_direct)
            .map(|address| address.ip()),
    }
}

fn listed(headers: &HeaderMap) -> Vec<Header> {
    let headers = headers.iter();
    let headers = headers.map(|(name, value)| (name.to_string(), value.as_bytes().to_vec()));
    headers.collect()
}
