//! robots.txt files, and a path to be asked about: a path, a zero byte, the file.
//!
//! Promises: rules keep within their room and can be kept and read again; a file without rules for
//! anybody allows everything; a pattern matches what a plain matcher says that it matches; what
//! is forbidden stays so if another agent's group is put behind.

use linkscent_core::codec;
use linkscent_core::crawl::robots::{LARGEST_RULES, MOST_SITEMAPS, Robots};

use super::Seeds;
use crate::input::Input;

const AGENT: &str = "linkscent";

pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let path = format!("/{}", input.text());
    let file = input.rest();
    check_file(file, &path);
    let line = file.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if let Ok(pattern) = std::str::from_utf8(line) {
        check_pattern(pattern, &path);
    }
}

fn check_file(file: &[u8], path: &str) {
    let robots = Robots::parse(file, AGENT);
    assert!(robots.is_sound(), "the rules cannot be kept");
    assert!(robots.bytes() <= LARGEST_RULES);
    assert!(robots.sitemaps().count() <= MOST_SITEMAPS);
    let again: Robots = codec::decode(&codec::encode(&robots)).expect("rules are read again");
    assert_eq!(again, robots);
    let allows = robots.allows(path);
    assert_eq!(again.allows(path), allows);
    assert!(robots.has_rules() || robots.denial().is_some() || allows);
    let followed = [file, b"\n\nuser-agent: somebody\ndisallow: /\nallow: /\n"].concat();
    let followed = Robots::parse(&followed, AGENT);
    if file.len() < 100_000 && file.iter().all(u8::is_ascii) && ends_its_group(file) {
        assert_eq!(followed.allows(path), allows, "another group changed it");
    }
}

/// Whether the last line that counts is a rule, so that an agent behind it begins a new group.
fn ends_its_group(file: &[u8]) -> bool {
    let text = String::from_utf8_lossy(file).to_ascii_lowercase();
    let mut lines = text.lines().map(str::trim).rev();
    let last = lines.find(|line| !line.is_empty()).unwrap_or_default();
    last.starts_with("disallow:") || last.starts_with("allow:")
}

/// Compares one rule with a matcher that tries everything.
fn check_pattern(pattern: &str, path: &str) {
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"#%".contains(&byte);
    if !pattern.bytes().all(is_plain) || pattern.len() > 200 || path.len() > 400 {
        return;
    }
    let file = format!("user-agent: *\ndisallow: {pattern}\n");
    let allows = Robots::parse(file.as_bytes(), AGENT).allows(path);
    // An empty pattern forbids nothing. Escapes are written otherwise in the rules.
    let escaped = pattern.bytes().any(|byte| b"[]^|`{}\"<>".contains(&byte));
    if !pattern.is_empty() && !escaped {
        assert_eq!(!allows, matches(path.as_bytes(), pattern.as_bytes()));
    }
}

/// Whether a pattern matches the beginning of a path, by a table of all their beginnings.
fn matches(path: &[u8], pattern: &[u8]) -> bool {
    let (pattern, is_whole) = match pattern.strip_suffix(b"$") {
        Some(pattern) => (pattern, true),
        None => (pattern, false),
    };
    let mut reached = vec![false; path.len() + 1];
    reached[0] = true;
    for sign in pattern {
        if *sign == b'*' {
            let first = reached.iter().position(|is_reached| *is_reached);
            let first = first.unwrap_or(reached.len());
            reached[first..].fill(true);
        } else {
            for at in (1..reached.len()).rev() {
                reached[at] = reached[at - 1] && path[at - 1] == *sign;
            }
            reached[0] = false;
        }
    }
    if is_whole {
        reached[path.len()]
    } else {
        reached.contains(&true)
    }
}

pub fn seeds() -> Seeds {
    let case = |path: &str, file: &str| format!("{path}\0{file}").into_bytes();
    let many = "disallow: /*a*b*c*d*e*f$\n".repeat(40);
    vec![
        (
            "groups",
            case(
                "private/x?y=1",
                "User-agent: *\nDisallow: /private\nAllow: /private/x\n\nUser-Agent: linkscent\nUser-agent: other\nCrawl-delay: 2.5\nDisallow: /*.pdf$\nSitemap: https://a.test/map.xml\n",
            ),
        ),
        (
            "pattern",
            case("fish/salmon.html?x", "/*fish*.html$\nuser-agent: *"),
        ),
        ("end", case("a$b", "/a$b$\n")),
        (
            "stars",
            case(&"abcdef".repeat(30), &format!("user-agent: *\n{many}")),
        ),
        (
            "misspelt",
            case(
                "x",
                "\u{feff}useragent *\ndissallow : /%7ex\u{e4}#c\r\rallow: /index.html",
            ),
        ),
        (
            "delay",
            case(
                "",
                "user-agent:linkscent/1.0\ncrawl-delay: 1e308\nnoindex: /\ndisallow:",
            ),
        ),
    ]
}
