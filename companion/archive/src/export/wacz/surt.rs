//! Addresses as indexes of web archives sort them: hosts by their parts from the last on, so
//! that all pages of a site stand together, and without what seldom tells pages apart.
//!
//! Scheme, user, `www.`, the usual port, the case of letters, the fragment, a slash at the end,
//! well-known identifiers of visits and the order of parameters do not matter. What some
//! servers put into the path for visits (`/(s(…))/`) stays.

/// The key of an address; what is no address of the web is its own key.
pub(super) fn surt(address: &str) -> String {
    let parts = address.split_once("://");
    let Some((scheme, rest)) = parts.filter(|(scheme, _)| {
        scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
    }) else {
        return address.replace(char::is_whitespace, "%20");
    };
    let rest = rest.split('#').next().unwrap_or_default();
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at(end);
    let (path, query) = match rest.split_once('?') {
        Some((path, query)) => (path, query),
        None => (rest, ""),
    };
    let host = authority.rsplit('@').next().unwrap_or_default();
    let mut key = host_key(host, scheme.eq_ignore_ascii_case("https"));
    key.push(')');
    key.push_str(&path_key(path));
    let query = query_key(query);
    if !query.is_empty() {
        key.push('?');
        key.push_str(&query);
    }
    key
}

fn host_key(host: &str, is_https: bool) -> String {
    let host = encoded(&decoded(host.as_bytes()));
    // The colons of an address of IPv6 separate no port.
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => (name, port),
        _ => (&*host, ""),
    };
    let name = name.trim_matches(['[', ']']).trim_matches('.');
    let parts: Vec<&str> = without_www(name).rsplit('.').collect();
    let usual = if is_https { "443" } else { "80" };
    if port.is_empty() || port == usual {
        parts.join(",")
    } else {
        format!("{}:{port}", parts.join(","))
    }
}

/// A host without `www.`, `www2.` and the like.
fn without_www(host: &str) -> &str {
    let Some(rest) = host.strip_prefix("www") else {
        return host;
    };
    let rest = rest.trim_start_matches(|sign: char| sign.is_ascii_digit());
    rest.strip_prefix('.').unwrap_or(host)
}

fn path_key(path: &str) -> String {
    let path = decoded(path.as_bytes());
    let mut kept: Vec<&[u8]> = Vec::new();
    for part in path.split(|byte| *byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => drop(kept.pop()),
            part => kept.push(part),
        }
    }
    let mut key = Vec::from(b"/");
    key.extend(kept.join(&b'/'));
    encoded(&key)
}

fn query_key(query: &str) -> String {
    let query = encoded(&decoded(query.as_bytes()));
    let mut parameters: Vec<(&str, Option<&str>)> = query
        .split('&')
        .map(|parameter| match parameter.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (parameter, None),
        })
        .collect();
    let has_both = ["cfid", "cftoken"]
        .iter()
        .all(|name| parameters.iter().any(|(each, _)| each == name));
    parameters.retain(|(name, value)| {
        let is_of_both = has_both && matches!(*name, "cfid" | "cftoken");
        !is_of_both && !value.is_some_and(|value| is_visit(name, value))
    });
    parameters.sort_unstable();
    let written = parameters.iter().map(|(name, value)| match value {
        Some(value) => format!("{name}={value}"),
        None => (*name).to_owned(),
    });
    written.collect::<Vec<_>>().join("&")
}

/// Whether a parameter names a visit, as some servers write it.
fn is_visit(name: &str, value: &str) -> bool {
    let length = match name {
        "jsessionid" | "phpsessid" | "sid" => 32,
        name if name.starts_with("aspsessionid") && name.len() == 20 => 24,
        _ => return false,
    };
    value.len() == length && value.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// A text without percent signs that stand for something, even for each other.
fn decoded(text: &[u8]) -> Vec<u8> {
    let mut text = text.to_vec();
    loop {
        let once = decoded_once(&text);
        if once.len() == text.len() {
            return text;
        }
        text = once;
    }
}

fn decoded_once(text: &[u8]) -> Vec<u8> {
    let digit = |place: usize| {
        let sign = char::from(*text.get(place)?);
        sign.to_digit(16).map(|digit| digit as u8)
    };
    let mut decoded = Vec::with_capacity(text.len());
    let mut place = 0;
    while place < text.len() {
        match (text[place], digit(place + 1), digit(place + 2)) {
            (b'%', Some(high), Some(low)) => {
                decoded.push(high << 4 | low);
                place += 3;
            }
            (byte, _, _) => {
                decoded.push(byte);
                place += 1;
            }
        }
    }
    decoded
}

/// Small letters, and percent signs for what cannot stand in a line.
fn encoded(text: &[u8]) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.to_ascii_lowercase() {
        if byte.is_ascii_graphic() && byte != b'#' && byte != b'%' {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02x}"));
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::surt;

    /// What the indexers of archives make of the same addresses.
    #[test]
    fn keys_are_those_of_other_indexers() {
        let visit = "0123456789abcdef0123456789abcdef";
        let cases = [
            (
                "http://archive.org/goo/?a=2&b&a=1",
                "org,archive)/goo?a=1&a=2&b",
            ),
            ("http://www.archive.org/", "org,archive)/"),
            ("http://www2.Archive.org:80/Goo/", "org,archive)/goo"),
            ("https://archive.org:443", "org,archive)/"),
            ("http://archive.org:8080/x", "org,archive:8080)/x"),
            ("http://192.168.1.254/info/", "254,1,168,192)/info"),
            ("http://a.org/a%2Fb%20c%C3%A9/../d//e/?", "org,a)/a/d/e"),
            ("http://a.org/%C3%89/a b", "org,a)/%c3%89/a%20b"),
            ("http://u:p@a.org/x#y", "org,a)/x"),
            ("http://[::1]:8080/x", "::1:8080)/x"),
            ("http://a.org/x?q=%2541&b=%26&A=", "org,a)/x?&a=&b=&q=a"),
            ("http://a.org/x?b=&b&b=1&&a", "org,a)/x?&a&b&b=&b=1"),
            ("http://a.org/x?cfid=12&cftoken=34&z=1", "org,a)/x?z=1"),
            ("http://a.org./", "org,a)/"),
            ("http://www.com/", "com)/"),
            ("http://wwww.a.org/", "org,a,wwww)/"),
            ("http://a.org/%23x", "org,a)/%23x"),
            ("http://a.org/x?x=a+b%20c", "org,a)/x?x=a+b%20c"),
            ("http://a.org/a/./b/..", "org,a)/a"),
            ("http://a.org/x?a?b", "org,a)/x?a?b"),
            ("http://a.org/\"{x}", "org,a)/\"{x}"),
            ("http://xn--bcher-kva.example/", "example,xn--bcher-kva)/"),
        ];
        for (address, key) in cases {
            assert_eq!(surt(address), key, "{address}");
        }
        let with_visit = format!("http://a.org/x?jsessionid={visit}&q=1");
        assert_eq!(surt(&with_visit), "org,a)/x?q=1");
        // No line of an index has a space in its key.
        assert_eq!(surt("about:a b"), "about:a%20b");
        assert_eq!(surt("http://A b.org:x y/"), "org,a%20b:x%20y)/");
    }

    #[test]
    fn pages_of_a_site_stand_together() {
        let mut keys = [
            "http://a.org/z",
            "http://b.org/",
            "http://x.a.org/",
            "http://a.org/",
        ]
        .map(surt);
        keys.sort();
        assert_eq!(keys, ["org,a)/", "org,a)/z", "org,a,x)/", "org,b)/"]);
    }
}
