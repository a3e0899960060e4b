//! What is asked of a worker, and what it answers, as bytes: packed (LZ4), since they go through the
//! database.
//!
//! A page comes with its words read and its record made. What it was asked for is not taken from
//! the answer: whoever asked knows.

use std::time::Duration;

use linkscent_archive::warc::are_records_of;
use linkscent_core::address::Address;
use linkscent_core::codec::{CodecError, decode, encode};
use linkscent_core::crawl::{Outcome, Robots};
use linkscent_core::page::{PackedError, Page};
use lz4_flex::block::{compress_prepend_size, decompress_size_prepended};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::limits::LIMITS;
use crate::crawler::reply::{Answered, Fetched, Reply};
use crate::crawler::validators::Validators;

/// Characters at most of what a request is a part of.
#[cfg(feature = "team")]
const LONGEST_TRACE: usize = 64;

/// How requests and answers are laid out.
const FORM: u8 = 2;

/// A request, as it is left to a worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::crawler) struct Request {
    /// What is asked for: a page, or any of those whose robots.txt is.
    pub address: String,
    /// Whether that is.
    pub is_robots: bool,
    /// What tells whether the page has changed.
    pub known: Option<Validators>,
    /// How long the host rests afterwards, in milliseconds.
    pub delay: u64,
    /// What it is a part of, as traces tell it to another program.
    pub trace: Option<String>,
}

/// Why an answer or a request cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(in crate::crawler) enum WireError {
    /// Another version wrote it.
    #[error(
        "it is of form {0}, and this version reads form {FORM}: run the same version everywhere"
    )]
    Form(u8),
    /// It cannot be unpacked.
    #[error("it cannot be unpacked")]
    Packed,
    /// It is no such data.
    #[error(transparent)]
    Codec(#[from] CodecError),
    /// Its page is none.
    #[error(transparent)]
    Page(#[from] PackedError),
    /// What is to be kept of it is not whole, or of another page.
    #[error("its records are not whole, or of another page")]
    Record,
    /// It is not what was asked for, or cannot be.
    #[error("it is no answer to what was asked")]
    Other,
}

/// What came, as it is sent.
#[derive(Serialize, Deserialize)]
enum Sent {
    Page {
        page: Vec<u8>,
        digest: u64,
        work: Duration,
        record: Vec<u8>,
    },
    Redirect(String, Vec<u8>),
    Unrendered(String),
    Unchanged(Option<Vec<u8>>),
    Later(String, Duration),
    PutOff(Duration),
    Problem(String),
    Robots(Robots),
}

/// What a worker answers.
pub(in crate::crawler) enum Heard {
    Page(Answered),
    #[cfg_attr(
        not(feature = "team"),
        expect(dead_code, reason = "one person's crawls put down pages alone")
    )]
    Robots(Robots),
}

#[cfg(feature = "team")]
impl Request {
    pub fn write(&self) -> Vec<u8> {
        written(self)
    }

    pub fn read(bytes: &[u8]) -> Result<Self, WireError> {
        let request: Self = read(bytes)?;
        let trace = request.trace.as_ref().map_or(0, String::len);
        if trace > LONGEST_TRACE {
            return Err(WireError::Other);
        }
        Ok(request)
    }
}

impl Heard {
    #[cfg(feature = "team")]
    pub fn write(&self) -> Vec<u8> {
        match self {
            Self::Robots(robots) => written(&(None::<Duration>, Sent::Robots(robots.clone()))),
            Self::Page(answered) => write_page(answered),
        }
    }

    /// What is said to a request, whose address that is. Nothing in it is longer, or later, than what
    /// this program says itself.
    pub fn read(bytes: &[u8], request: &Request, address: &Address) -> Result<Self, WireError> {
        let (took, sent): (Option<Duration>, Sent) = read(bytes)?;
        if let Sent::Robots(robots) = sent {
            let is_one = request.is_robots && robots.is_sound();
            return is_one
                .then_some(Self::Robots(robots))
                .ok_or(WireError::Other);
        }
        if request.is_robots {
            return Err(WireError::Other);
        }
        let kept = |record: Vec<u8>| {
            let is_one = are_records_of(&record, address.as_str(), LIMITS.records);
            is_one.then_some(record).ok_or(WireError::Record)
        };
        let reply = match sent {
            Sent::Robots(_) => return Err(WireError::Other),
            Sent::Page {
                page,
                digest,
                work,
                record,
            } => {
                let page = Box::new(Page::unpack(address.clone(), &page)?);
                // Here, where several are read at a time.
                page.content();
                Reply::Page(Box::new(Fetched {
                    page,
                    digest,
                    work: work.min(LIMITS.work),
                    record: kept(record)?,
                }))
            }
            Sent::Redirect(to, record) => {
                let to = Address::parse(&to).map_err(|_| WireError::Other)?;
                Reply::Redirect(to, kept(record)?)
            }
            Sent::Unchanged(_) if request.known.is_none() => return Err(WireError::Other),
            Sent::Unchanged(record) => Reply::Unchanged(record.map(kept).transpose()?),
            Sent::Unrendered(why) => Reply::Unrendered(one_line(&why)),
            Sent::Later(why, rest) => Reply::Later(one_line(&why), rest.min(LIMITS.rest)),
            Sent::PutOff(rest) => Reply::PutOff(rest.min(LIMITS.put_off)),
            Sent::Problem(problem) => Reply::Problem(plain(&problem)),
        };
        let took = took.map(|took| took.min(LIMITS.work));
        Ok(Self::Page(Answered { reply, took }))
    }
}

/// What came of a page, as bytes.
pub(in crate::crawler) fn write_page(answered: &Answered) -> Vec<u8> {
    written(&(answered.took, sent(&answered.reply)))
}

fn sent(reply: &Reply) -> Sent {
    match reply {
        Reply::Page(fetched) => Sent::Page {
            page: fetched.page.pack(),
            digest: fetched.digest,
            work: fetched.work,
            record: fetched.record.clone(),
        },
        Reply::Redirect(to, record) => Sent::Redirect(to.to_string(), record.clone()),
        Reply::Unrendered(why) => Sent::Unrendered(why.clone()),
        Reply::Unchanged(record) => Sent::Unchanged(record.clone()),
        Reply::Later(why, rest) => Sent::Later(why.clone(), *rest),
        Reply::PutOff(rest) => Sent::PutOff(*rest),
        Reply::Problem(problem) => Sent::Problem(problem.clone()),
    }
}

fn one_line(text: &str) -> String {
    let line = text.chars().take(LIMITS.text);
    line.map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect()
}

/// A problem that a log reads as no more than that.
fn plain(problem: &str) -> String {
    let problem = one_line(problem);
    match Outcome::of_problem(&problem) {
        Outcome::Failed(_) => problem,
        _ => format!("a worker says: {problem}"),
    }
}

fn written<T: Serialize>(data: &T) -> Vec<u8> {
    let mut bytes = vec![FORM];
    bytes.extend(compress_prepend_size(&encode(data)));
    bytes
}

fn read<T: for<'a> Deserialize<'a>>(bytes: &[u8]) -> Result<T, WireError> {
    match bytes.split_first() {
        Some((&FORM, packed)) => {
            if bytes.len() > LIMITS.packed {
                return Err(WireError::Packed);
            }
            // As long as it says that it is when it is unpacked.
            let (size, _) = packed.split_first_chunk().ok_or(WireError::Packed)?;
            if u32::from_le_bytes(*size) > LIMITS.unpacked {
                return Err(WireError::Packed);
            }
            let data = decompress_size_prepended(packed).map_err(|_| WireError::Packed)?;
            Ok(decode(&data)?)
        }
        Some((&form, _)) => Err(WireError::Form(form)),
        None => Err(WireError::Other),
    }
}

#[cfg(test)]
mod tests {
    use linkscent_archive::page::build;
    use linkscent_archive::warc::{As, Kept, records};
    use linkscent_core::crawl::SAME_PAGE;

    use super::*;

    fn address() -> Address {
        Address::parse("http://a.test/bees").unwrap()
    }

    fn page(reply: Reply) -> Vec<u8> {
        let took = Some(Duration::from_millis(7));
        Heard::Page(Answered { reply, took }).write()
    }

    fn request(is_robots: bool) -> Request {
        Request {
            address: address().to_string(),
            is_robots,
            known: Some(Validators::default()),
            delay: 0,
            trace: Some("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".to_owned()),
        }
    }

    /// What is kept of a page of that address.
    fn record(address: &str) -> Vec<u8> {
        let kept = Kept {
            address,
            status: 200,
            ..Kept::default()
        };
        records(&kept, As::Page).unwrap()
    }

    fn as_robots(bytes: &[u8]) -> Result<Heard, WireError> {
        Heard::read(bytes, &request(true), &address())
    }

    fn as_page(bytes: &[u8]) -> Result<Answered, WireError> {
        match Heard::read(bytes, &request(false), &address())? {
            Heard::Page(answered) => Ok(answered),
            Heard::Robots(_) => panic!("it is a page's"),
        }
    }

    #[test]
    fn what_is_answered_arrives_as_it_was_sent() {
        let html = b"<title>Bees</title><p>Honey <a href=/wax>and wax</a>";
        let (read, digest) = build(address(), html, None);
        let sent = page(Reply::Page(Box::new(Fetched {
            page: read.clone(),
            digest,
            work: Duration::from_micros(300),
            record: record("http://a.test/bees"),
        })));
        let came = as_page(&sent).unwrap();
        assert_eq!(came.took, Some(Duration::from_millis(7)));
        let Reply::Page(fetched) = came.reply else {
            panic!("no page");
        };
        assert_eq!(fetched.page.address, address());
        assert_eq!(fetched.page.outlinks, read.outlinks);
        assert_eq!(fetched.page.title(), "Bees");
        assert_eq!(fetched.digest, digest);
        assert!(are_records_of(
            &fetched.record,
            "http://a.test/bees",
            LIMITS.records
        ));
        assert_eq!(fetched.work, Duration::from_micros(300));

        let to = Address::parse("http://b.test/").unwrap();
        let kept = record("http://a.test/bees");
        let came = as_page(&page(Reply::Redirect(to.clone(), kept.clone()))).unwrap();
        assert!(matches!(came.reply, Reply::Redirect(at, came) if at == to && came == kept));
        let rest = Duration::from_secs(9);
        let came = as_page(&page(Reply::Later("busy\nnow".to_owned(), rest))).unwrap();
        assert!(matches!(came.reply, Reply::Later(why, then) if why == "busy now" && then == rest));
        let came = as_page(&page(Reply::Unchanged(None))).unwrap();
        assert!(matches!(came.reply, Reply::Unchanged(None)));
        let came = as_page(&page(Reply::PutOff(rest))).unwrap();
        assert!(matches!(came.reply, Reply::PutOff(then) if then == rest));

        let robots = Robots::parse(b"User-agent: *\nDisallow: /wax", "linkscent");
        let sent = Heard::Robots(robots.clone()).write();
        let came = as_robots(&sent).unwrap();
        assert!(matches!(came, Heard::Robots(read) if read == robots));
    }

    #[test]
    fn what_is_too_much_is_cut() {
        let came = as_page(&page(Reply::PutOff(Duration::MAX))).unwrap();
        assert!(matches!(came.reply, Reply::PutOff(rest) if rest == LIMITS.put_off));
        let came = as_page(&page(Reply::Later("x".repeat(1 << 20), Duration::MAX))).unwrap();
        assert!(matches!(came.reply, Reply::Later(why, rest)
            if why.len() == LIMITS.text && rest == LIMITS.rest));
        // What a log would read as something else.
        for problem in [
            "asked again later: x",
            "a browser could read it: x",
            SAME_PAGE,
        ] {
            let came = as_page(&page(Reply::Problem(problem.to_owned()))).unwrap();
            assert!(
                matches!(came.reply, Reply::Problem(said) if said.starts_with("a worker says"))
            );
        }
    }

    #[test]
    fn what_was_not_asked_for_is_no_answer() {
        let robots = Heard::Robots(Robots::allow_all()).write();
        assert_eq!(as_page(&robots).err(), Some(WireError::Other));
        let problem = page(Reply::Problem(String::new()));
        assert_eq!(as_robots(&problem).err(), Some(WireError::Other));
        for kept in [record("http://b.test/"), Vec::new(), b"WARC/1.1".to_vec()] {
            let to = Address::parse("http://b.test/").unwrap();
            let redirect = page(Reply::Redirect(to, kept.clone()));
            assert_eq!(as_page(&redirect).err(), Some(WireError::Record));
            let unchanged = page(Reply::Unchanged(Some(kept)));
            assert_eq!(as_page(&unchanged).err(), Some(WireError::Record));
        }
        let unknown = Request {
            known: None,
            ..request(false)
        };
        let unchanged = page(Reply::Unchanged(None));
        let read = Heard::read(&unchanged, &unknown, &address());
        assert_eq!(read.err(), Some(WireError::Other));
        assert_eq!(as_page(&[]).err(), Some(WireError::Other));
        assert_eq!(as_page(&[9, 9]).err(), Some(WireError::Form(9)));
        assert_eq!(as_page(&problem[..2]).err(), Some(WireError::Packed));
        let mut large = problem.clone();
        large[1..5].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(as_page(&large).err(), Some(WireError::Packed));
        large[1..5].copy_from_slice(&1_u32.to_le_bytes());
        large.resize(LIMITS.packed + 1, 0);
        assert_eq!(as_page(&large).err(), Some(WireError::Packed));
        let mut cut = vec![FORM];
        cut.extend(compress_prepend_size(&[0]));
        assert!(matches!(as_page(&cut).err(), Some(WireError::Codec(_))));
        // Rules that end where none can: read as bytes, since they are made nowhere.
        let rules = Robots::parse(b"User-agent: *\nDisallow: /wax\nAllow: /wax/a", "linkscent");
        let none: Option<Duration> = None;
        let sound = encode(&(none, Sent::Robots(rules)));
        let mut broken = 0;
        for at in 0..sound.len() {
            let mut bytes = sound.clone();
            bytes[at] = bytes[at].wrapping_add(3);
            let packed = [vec![FORM], compress_prepend_size(&bytes)].concat();
            match as_robots(&packed) {
                Ok(Heard::Robots(robots)) => drop(robots.allows("/wax/b")),
                Ok(Heard::Page(_)) => panic!("it was asked for robots.txt"),
                Err(_) => broken += 1,
            }
        }
        assert!(broken > 5, "{broken}");
    }
}
