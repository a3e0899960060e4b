//! What a site's robots.txt allows (RFC 9309), decided as Google's published
//! matcher decides: longest rule wins, `*` and `$` are wild, common
//! misspellings are understood.
//!
//! Matching takes linear time per rule and text, whatever a hostile file
//! contains, and its rules take a bounded number of bytes. Files whose rules take
//! more forbid everything: what cannot be kept cannot be obeyed.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::address::plain_escapes;

/// Bytes of a robots.txt that are read; RFC 9309 asks for at least 500 KiB.
pub const LARGEST_FILE: usize = 512 << 10;
/// Most bytes that the rules of one host take in memory.
pub const LARGEST_RULES: usize = 2 << 20;
/// Sitemaps of one host that are told of.
pub const MOST_SITEMAPS: usize = 3;
/// Bytes of the address of one at most.
const LONGEST_ADDRESS: usize = 2_000;
/// Longest delay that is kept, in milliseconds.
const LONGEST_DELAY: u32 = 3_600_000;
/// Longest line read; the rest of a longer one is ignored.
const LONGEST_LINE: usize = 2_083 * 8 - 1;

/// Why nothing of a host may be fetched, if that is so.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize, Deserialize)]
pub enum Denial {
    /// A rule of its robots.txt.
    #[error("robots.txt does not allow it")]
    Rule,
    /// Its robots.txt could not be had, for this reason.
    #[error("robots.txt cannot be had, so nothing is asked of the host: {0}")]
    NoAnswer(String),
    /// Its rules take more than [`LARGEST_RULES`].
    #[error("robots.txt has too many rules, so nothing is asked of the host")]
    TooLarge,
}

/// The rules of one robots.txt that concern one agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Robots {
    /// The patterns of all rules, one behind the other.
    patterns: Box<str>,
    /// Where each rule's pattern ends, and whether it allows.
    rules: Box<[(u32, bool)]>,
    denied: Option<Denial>,
    /// Milliseconds that the host asks to be given between two requests.
    delay: Option<u32>,
    /// Addresses of its sitemaps, as written.
    sitemaps: Box<[Box<str>]>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Rule {
    pattern: String,
    allow: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    UserAgent,
    Allow,
    Disallow,
    CrawlDelay,
    Sitemap,
    Other,
}

impl Robots {
    /// Everything is allowed, as where there is no robots.txt (4xx but 429).
    pub fn allow_all() -> Self {
        Self::default()
    }

    /// Nothing is allowed, as where robots.txt cannot be had (5xx, 429, no answer).
    pub fn deny_all(reason: impl Into<String>) -> Self {
        Self::denied(Denial::NoAnswer(reason.into()))
    }

    /// Whether robots.txt could not be had.
    pub fn is_unknown(&self) -> bool {
        matches!(self.denied, Some(Denial::NoAnswer(_)))
    }

    /// Why nothing may be fetched, if nothing may whatever its path.
    pub fn denial(&self) -> Option<&Denial> {
        self.denied.as_ref()
    }

    /// Whether it says anything of paths.
    pub fn has_rules(&self) -> bool {
        !self.rules.is_empty()
    }

    fn denied(denial: Denial) -> Self {
        Self {
            denied: Some(denial),
            ..Self::default()
        }
    }

    /// Reads the rules for `agent`, a product token such as `linkscent`. Groups
    /// that name the agent count; only if there is none, those for `*` do.
    ///
    /// ```
    /// use linkscent_core::crawl::Robots;
    ///
    /// let robots = Robots::parse(b"User-agent: *\nDisallow: /private\nAllow: /private/open", "linkscent");
    /// assert!(robots.allows("/bees"));
    /// assert!(!robots.allows("/private/1"));
    /// assert!(robots.allows("/private/open"));
    /// ```
    pub fn parse(text: &[u8], agent: &str) -> Self {
        let text = &text[..text.len().min(LARGEST_FILE)];
        let mut reader = RuleGroups::new(agent);
        for line in lines(without_mark(text)) {
            if let Some((key, value)) = key_and_value(line) {
                reader.line(key, value);
            }
        }
        let delay = reader.delay();
        let sitemaps = std::mem::take(&mut reader.sitemaps).into();
        Self {
            delay,
            sitemaps,
            ..Self::of(reader.finish())
        }
    }

    /// The rules in little space; their order does not matter.
    fn of(mut rules: Vec<Rule>) -> Self {
        rules.sort_unstable();
        rules.dedup();
        let mut patterns = String::new();
        let mut ends = Vec::with_capacity(rules.len());
        for rule in rules {
            patterns.push_str(&rule.pattern);
            ends.push((patterns.len() as u32, rule.allow));
        }
        let kept = Self {
            patterns: patterns.into(),
            rules: ends.into(),
            ..Self::default()
        };
        if kept.bytes() > LARGEST_RULES {
            return Self::denied(Denial::TooLarge);
        }
        kept
    }

    /// Whether what was read back from bytes are rules that can be kept: each pattern behind the one before.
    pub fn is_sound(&self) -> bool {
        let mut before = 0;
        let mut ends = self.rules.iter().map(|(end, _)| *end);
        let are_in_order = ends.all(|end| {
            let is_behind = end >= before && self.patterns.is_char_boundary(end as usize);
            before = end;
            is_behind
        });
        let is_short = match &self.denied {
            Some(Denial::NoAnswer(why)) => why.len() <= LONGEST_ADDRESS,
            _ => true,
        };
        are_in_order
            && is_short
            && self.delay.is_none_or(|delay| delay <= LONGEST_DELAY)
            && self.sitemaps.len() <= MOST_SITEMAPS
            && self.bytes() <= LARGEST_RULES
    }

    /// Bytes that the rules take in memory, about.
    pub fn bytes(&self) -> usize {
        let sitemaps = self.sitemaps.iter().map(|it| it.len() + size_of_val(it));
        size_of::<Self>()
            + self.patterns.len()
            + size_of_val(&*self.rules)
            + sitemaps.sum::<usize>()
    }

    /// Milliseconds that the host asks to be given between two requests, if it does.
    pub fn delay(&self) -> Option<u64> {
        self.delay.map(u64::from)
    }

    /// Addresses of sitemaps that it names, as written; at most [`MOST_SITEMAPS`].
    pub fn sitemaps(&self) -> impl Iterator<Item = &str> {
        self.sitemaps.iter().map(|address| &**address)
    }

    /// Whether a path with query, starting with `/`, may be fetched.
    pub fn allows(&self, path: &str) -> bool {
        self.check(path).is_ok()
    }

    /// Why a path with query, starting with `/`, may not be fetched, if it may not.
    pub fn check(&self, path: &str) -> Result<(), Denial> {
        if let Some(denial) = &self.denied {
            return Err(denial.clone());
        }
        let (mut allowed, mut forbidden) = (0, 0);
        let mut start = 0;
        for &(end, allow) in &self.rules {
            let pattern = &self.patterns[start as usize..end as usize];
            start = end;
            let longest = if allow { &mut allowed } else { &mut forbidden };
            // Asked last: most rules are no longer than one that matched already.
            if pattern.len() > *longest {
                *longest = priority(path, pattern, allow).unwrap_or(0).max(*longest);
            }
        }
        if forbidden <= allowed {
            Ok(())
        } else {
            Err(Denial::Rule)
        }
    }
}

/// Length of a rule's pattern if the path matches it.
fn priority(path: &str, pattern: &str, allow: bool) -> Option<usize> {
    if matches(path.as_bytes(), pattern.as_bytes()) {
        return Some(pattern.len());
    }
    // `Allow: /x/index.html` also allows `/x/`.
    let slash = pattern.rfind('/')?;
    if !allow || !pattern[slash..].starts_with("/index.htm") {
        return None;
    }
    let folder = format!("{}$", &pattern[..=slash]);
    matches(path.as_bytes(), folder.as_bytes()).then_some(folder.len())
}

/// Sorts the lines of a file into groups.
struct RuleGroups<'a> {
    agent: &'a str,
    own: Vec<Rule>,
    general: Vec<Rule>,
    own_delay: Option<u32>,
    general_delay: Option<u32>,
    sitemaps: Vec<Box<str>>,
    named: bool,
    in_own: bool,
    in_general: bool,
    /// A rule was read since the last user-agent line: the next one starts a
    /// new group.
    rules_begun: bool,
}

impl<'a> RuleGroups<'a> {
    fn new(agent: &'a str) -> Self {
        Self {
            agent,
            own: Vec::new(),
            general: Vec::new(),
            own_delay: None,
            general_delay: None,
            sitemaps: Vec::new(),
            named: false,
            in_own: false,
            in_general: false,
            rules_begun: false,
        }
    }

    fn line(&mut self, key: Key, value: &[u8]) {
        match key {
            Key::UserAgent => self.user_agent(value),
            Key::Allow => self.rule(true, value),
            Key::Disallow => self.rule(false, value),
            Key::CrawlDelay => self.crawl_delay(value),
            Key::Sitemap => self.sitemap(value),
            Key::Other => {}
        }
    }

    fn user_agent(&mut self, value: &[u8]) {
        if self.rules_begun {
            (self.in_own, self.in_general, self.rules_begun) = (false, false, false);
        }
        let is_star =
            value.first() == Some(&b'*') && value.get(1).is_none_or(u8::is_ascii_whitespace);
        if is_star {
            self.in_general = true;
            return;
        }
        let end = value
            .iter()
            .position(|byte| !(byte.is_ascii_alphabetic() || b"-_".contains(byte)))
            .unwrap_or(value.len());
        if value[..end].eq_ignore_ascii_case(self.agent.as_bytes()) && end > 0 {
            self.named = true;
            self.in_own = true;
        }
    }

    fn rule(&mut self, allow: bool, value: &[u8]) {
        if !self.in_own && !self.in_general {
            return;
        }
        self.rules_begun = true;
        let pattern = escaped(value);
        // Google's matcher compares escapes as they are written. What a site
        // forbids must be forbidden as our addresses write it, too.
        let canonical = (!allow).then(|| plain_escapes(&pattern));
        let canonical = canonical.filter(|canonical| *canonical != pattern);
        for pattern in std::iter::once(pattern).chain(canonical) {
            let rule = Rule { pattern, allow };
            if self.in_own {
                self.own.push(rule.clone());
            }
            if self.in_general {
                self.general.push(rule);
            }
        }
    }

    /// In seconds. Google's matcher passes it over, so it ends no group either.
    fn crawl_delay(&mut self, value: &[u8]) {
        let seconds = std::str::from_utf8(value).ok();
        let seconds = seconds.and_then(|text| text.parse::<f64>().ok());
        let Some(seconds) = seconds.filter(|seconds| *seconds >= 0.0) else {
            return;
        };
        let delay = Some((seconds * 1_000.0).min(f64::from(LONGEST_DELAY)) as u32);
        if self.in_own {
            self.own_delay = self.own_delay.max(delay);
        }
        if self.in_general {
            self.general_delay = self.general_delay.max(delay);
        }
    }

    /// Whatever group it stands in.
    fn sitemap(&mut self, value: &[u8]) {
        if self.sitemaps.len() < MOST_SITEMAPS && value.len() <= LONGEST_ADDRESS {
            self.sitemaps
                .extend(std::str::from_utf8(value).map(Box::from));
        }
    }

    fn delay(&self) -> Option<u32> {
        if self.named {
            self.own_delay
        } else {
            self.general_delay
        }
    }

    fn finish(self) -> Vec<Rule> {
        if self.named { self.own } else { self.general }
    }
}

fn without_mark(text: &[u8]) -> &[u8] {
    let mark = b"\xEF\xBB\xBF";
    let common = text.iter().zip(mark).take_while(|(a, b)| a == b).count();
    &text[common..]
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|&byte| byte == b'\n' || byte == b'\r')
        .map(|line| &line[..line.len().min(LONGEST_LINE)])
}

fn key_and_value(line: &[u8]) -> Option<(Key, &[u8])> {
    let line = line.split(|&byte| byte == b'#').next()?.trim_ascii();
    let colon = line.iter().position(|&byte| byte == b':');
    let separator = colon.or_else(|| {
        // A forgotten colon is forgiven where exactly two words stand.
        let space = line.iter().position(|byte| b" \t".contains(byte))?;
        let value = line[space..].trim_ascii();
        let one_word = !value.is_empty() && !value.iter().any(|byte| b" \t".contains(byte));
        one_word.then_some(space)
    })?;
    let key = line[..separator].trim_ascii();
    if key.is_empty() {
        return None;
    }
    Some((key_of(key), line[separator + 1..].trim_ascii()))
}

fn key_of(key: &[u8]) -> Key {
    const KEYS: [(&str, Key); 11] = [
        ("user-agent", Key::UserAgent),
        ("useragent", Key::UserAgent),
        ("user agent", Key::UserAgent),
        ("allow", Key::Allow),
        ("disallow", Key::Disallow),
        ("dissallow", Key::Disallow),
        ("dissalow", Key::Disallow),
        ("disalow", Key::Disallow),
        ("diasllow", Key::Disallow),
        ("crawl-delay", Key::CrawlDelay),
        ("sitemap", Key::Sitemap),
    ];
    let starts = |name: &str| {
        key.get(..name.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(name.as_bytes()))
    };
    KEYS.iter().find(|(name, _)| starts(name)).map_or_else(
        || {
            if starts("disallaw") {
                Key::Disallow
            } else {
                Key::Other
            }
        },
        |row| row.1,
    )
}

/// The pattern with escapes in upper case and bytes beyond ASCII escaped.
fn escaped(pattern: &[u8]) -> String {
    let mut text = String::with_capacity(pattern.len());
    let mut at = 0;
    while at < pattern.len() {
        let byte = pattern[at];
        let hex = pattern
            .get(at + 1..at + 3)
            .filter(|pair| byte == b'%' && pair.iter().all(u8::is_ascii_hexdigit));
        if let Some(pair) = hex {
            text.push('%');
            text.extend(pair.iter().map(|digit| digit.to_ascii_uppercase() as char));
            at += 3;
            continue;
        }
        if byte.is_ascii() {
            text.push(byte as char);
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
        at += 1;
    }
    text
}

/// Whether a path matches a pattern from its start. Each part between stars
/// is looked for once, leftmost, which finds a match if there is one.
fn matches(path: &[u8], pattern: &[u8]) -> bool {
    matches_by(path, pattern, memchr::memmem::find)
}

/// The same with another search for a part: each byte of the path is searched once.
fn matches_by(
    path: &[u8],
    pattern: &[u8],
    mut find: impl FnMut(&[u8], &[u8]) -> Option<usize>,
) -> bool {
    let (pattern, anchored) = match pattern.strip_suffix(b"$") {
        Some(head) => (head, true),
        None => (pattern, false),
    };
    let mut parts = pattern.split(|&byte| byte == b'*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = path.strip_prefix(first) else {
        return false;
    };
    let parts: Vec<&[u8]> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return !anchored || rest.is_empty();
    };
    for part in middle {
        match find(rest, part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    if anchored {
        rest.ends_with(last)
    } else {
        find(rest, last).is_some()
    }
}

#[cfg(test)]
mod tests;
