//! The first pass: which captures are pages, and which of them is the latest of its address.
//! Bodies are passed by, only heads are read.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::path::Path;

use linkscent_core::address::Address;

use super::source::Source;
use super::{ImportError, Limits, PassedOver, Reason, Survey};
use crate::warc::{Capture, KeptExchange, UNKNOWN, known};

/// Sites named in a survey.
const TOP_SITES: usize = 20;
/// What is remembered for revisits, for each page that is taken in at most.
const KEYS_PER_PAGE: usize = 4;
/// Problems told of a file.
const MOST_PROBLEMS: usize = 20;

/// A page that is taken: which capture has its body, and what it is called.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Taken {
    /// Which capture of the file, from 0.
    pub capture: u64,
    /// When it was captured last, as WARC dates are written; empty if nobody knows.
    pub date: String,
    /// Its address.
    pub address: Address,
}

/// Goes through a file.
pub(super) fn look_through(
    path: &Path,
    limits: &Limits,
) -> Result<(Survey, Vec<Taken>), ImportError> {
    let mut plan = Plan::new(*limits);
    let mut problems = Vec::new();
    let mut number = 0;
    for capture in Source::open(path, limits)? {
        match capture {
            Ok(capture) => {
                plan.see(number, &capture);
                number += 1;
            }
            Err(error) if problems.len() < MOST_PROBLEMS => problems.push(error.to_string()),
            Err(_) => {}
        }
        if plan.latest.len() > limits.pages {
            let error = ImportError::TooMuch {
                path: path.to_owned(),
                of: "pages",
                most: limits.pages as u64,
            };
            problems.push(error.to_string());
            break;
        }
    }
    Ok(plan.end(problems))
}

/// The address and head of a capture that is a page, and where in its block the body begins; or
/// why it is none.
pub(super) fn page_of(
    capture: &Capture,
    limits: &Limits,
) -> Result<(Address, KeptExchange, usize), Reason> {
    let record = &capture.record;
    let address = address_of(&record.target)?;
    if record.is_too_large {
        return Err(Reason::TooLarge);
    }
    let (head, start) = match &*record.kind {
        "response" => record.head().ok_or(Reason::NoResponse)?,
        _ => return Err(Reason::NoResponse),
    };
    match head.status {
        300..=399 => return Err(Reason::Redirect),
        206 => return Err(Reason::Status),
        200..=299 => {}
        _ => return Err(Reason::Status),
    }
    if capture.lacks_conversion() {
        return Err(Reason::Damaged);
    }
    let made = capture.conversion.as_ref().map_or(0, String::len);
    if made == 0 && !is_html(&head.header("content-type").unwrap_or_default()) {
        return Err(Reason::Kind);
    }
    if (record.block.len() - start).max(made) as u64 > limits.body {
        return Err(Reason::TooLarge);
    }
    Ok((address, head, start))
}

/// The address of a record. One with a line break or the like in it is not what anybody asked
/// for, though reading it would leave that out.
fn address_of(target: &str) -> Result<Address, Reason> {
    if target.chars().any(char::is_control) {
        return Err(Reason::Address);
    }
    Address::parse(target).map_err(|_| Reason::Address)
}

fn is_html(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    essence.is_empty()
        || essence.eq_ignore_ascii_case("text/html")
        || essence.eq_ignore_ascii_case("application/xhtml+xml")
}

/// What is known of the file so far.
struct Plan {
    limits: Limits,
    passed_over: PassedOver,
    /// The latest capture of each address: which one has its body, and its date.
    latest: HashMap<Address, (u64, String)>,
    /// Pages by what revisits may name, as hashes nobody outside can choose.
    met: HashMap<u64, u64>,
    hasher: RandomState,
}

impl Plan {
    fn new(limits: Limits) -> Self {
        Self {
            limits,
            passed_over: PassedOver::default(),
            latest: HashMap::new(),
            met: HashMap::new(),
            hasher: RandomState::new(),
        }
    }

    fn see(&mut self, number: u64, capture: &Capture) {
        let seen = match &*capture.record.kind {
            "revisit" => self.revisited(capture),
            _ => page_of(capture, &self.limits).map(|(address, ..)| {
                self.meet(number, capture);
                (address, number)
            }),
        };
        match seen {
            Ok((address, body)) => self.offer(address, body, date_of(&capture.record.date)),
            Err(reason) => self.passed_over.count(reason),
        }
    }

    /// Remembers a page by all that a revisit may refer to it by, as long as there is room.
    fn meet(&mut self, number: u64, capture: &Capture) {
        if self.met.len() / KEYS_PER_PAGE >= self.limits.pages {
            return;
        }
        let record = &capture.record;
        let digest = (!record.payload_digest.is_empty()).then_some(&record.payload_digest);
        let id = (!record.id.is_empty()).then_some(&record.id);
        let place = (&record.target, &record.date);
        let keys = [
            digest.map(|digest| self.hasher.hash_one(("digest", digest))),
            id.map(|id| self.hasher.hash_one(("id", id))),
            Some(self.hasher.hash_one(("place", place))),
        ];
        self.met
            .extend(keys.into_iter().flatten().map(|key| (key, number)));
    }

    /// The address of a revisit, and the page that has its body.
    fn revisited(&self, capture: &Capture) -> Result<(Address, u64), Reason> {
        let record = &capture.record;
        let address = address_of(&record.target)?;
        let target = match &*record.refers_to_target {
            "" => &record.target,
            target => target,
        };
        let place = (target, &record.refers_to_date);
        // Whoever names a place and a date means that one, whatever else has the digest.
        let keys = [
            self.hasher.hash_one(("id", &record.refers_to)),
            self.hasher.hash_one(("place", place)),
            self.hasher.hash_one(("digest", &record.payload_digest)),
        ];
        let body = keys.iter().find_map(|key| self.met.get(key));
        Ok((address, *body.ok_or(Reason::Revisit)?))
    }

    fn offer(&mut self, address: Address, body: u64, date: String) {
        let Some(latest) = self.latest.get_mut(&address) else {
            self.latest.insert(address, (body, date));
            return;
        };
        self.passed_over.count(Reason::Older);
        if order(&date) >= order(&latest.1) {
            *latest = (body, date);
        }
    }

    fn end(self, problems: Vec<String>) -> (Survey, Vec<Taken>) {
        let latest = self.latest.into_iter();
        let mut taken: Vec<Taken> = latest
            .map(|(address, (capture, date))| Taken {
                capture,
                date,
                address,
            })
            .collect();
        taken.sort_unstable();
        let mut sites: HashMap<&str, u64> = HashMap::new();
        for page in &taken {
            *sites.entry(page.address.host()).or_default() += 1;
        }
        let mut top: Vec<(&str, u64)> = sites.iter().map(|(site, pages)| (*site, *pages)).collect();
        top.sort_unstable_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
        let top = top.into_iter().take(TOP_SITES);
        let dates = taken
            .iter()
            .map(|page| &page.date)
            .filter(|date| !date.is_empty());
        let (first, last) = (
            dates.clone().min_by_key(|date| order(date)),
            dates.max_by_key(|date| order(date)),
        );
        let survey = Survey {
            pages: taken.len() as u64,
            top_sites: top.map(|(site, pages)| (site.to_owned(), pages)).collect(),
            sites: sites.len() as u64,
            first: first.cloned(),
            last: last.cloned(),
            passed_over: self.passed_over,
            problems,
        };
        (survey, taken)
    }
}

/// A date as WARC dates are written; empty if it is none.
fn date_of(date: &str) -> String {
    let known = known(date);
    if known == UNKNOWN {
        String::new()
    } else {
        known
    }
}

/// What dates are ordered by: a second comes before its fractions.
fn order(date: &str) -> &str {
    date.trim_end_matches('Z')
}
