//! Pages from archives that others made: WARC files (plain, gzip, zstd; told by their first
//! bytes) and WACZ files, which hold WARC files in a zip archive.
//!
//! A file is gone through twice, and never held: first to see what is in it ([`Survey`], to be
//! displayed before anything is taken in), then for its pages one by one in the order they stand
//! ([`Pages`]). A page is an answer with a status of 2xx (206, a part, is none) that is HTML or
//! was made HTML of (a conversion behind it). All else is passed over and counted by reason.
//!
//! Of several captures of one address the latest is given: by its date, and of those of one date
//! the one that stands last. A note that a page came again unchanged (a revisit) is a capture if
//! what it refers to stands before it in the same file; it is given where that stands, with
//! the later date and, if it has another, the other address. If the latest capture turns out to be
//! damaged or too large when it is unpacked, none of that address is given: the survey unpacks no
//! bodies.
//!
//! Whatever a file claims, what is unpacked of it is bounded ([`Limits`]). Names in a WACZ are
//! never paths, its `datapackage.json` and its index are not read. A file that breaks off gives
//! what stands before the break, and an error; so does each WARC file in a WACZ. Digests are not
//! checked. Passed over are records of other kinds: `resource`, metadata, what the WARC standard
//! leaves to others.

mod pages;
mod source;
mod survey;
mod zip_members;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use linkscent_core::budget::ARCHIVE;
use serde::Serialize;
use thiserror::Error;

use crate::warc::WarcError;
pub use pages::Pages;
use survey::Taken;

/// What is taken at most, of files that may be made to do harm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a body, codings undone, and of what was made of it.
    pub body: u64,
    /// Bytes unpacked of a file, whatever its size.
    pub unpacked: u64,
    /// Bytes unpacked of each of its bytes, if that is more.
    pub ratio: u64,
    /// Members of a zip archive.
    pub members: usize,
    /// Addresses of pages. They are held in memory until the pages were read.
    pub pages: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: ARCHIVE.bytes as u64,
            unpacked: ARCHIVE.unpacked as u64,
            ratio: 100,
            members: 4_096,
            pages: ARCHIVE.items,
        }
    }
}

/// Why an archive cannot be read (further).
#[derive(Debug, Error)]
pub enum ImportError {
    /// The file itself.
    #[error("{path}: {source}")]
    File {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It is neither a WARC nor a WACZ file.
    #[error("{path}: neither a WARC nor a WACZ file, by its first bytes")]
    Foreign {
        /// Which file.
        path: PathBuf,
    },
    /// A record in it; of a WACZ the path goes on with the name of the member.
    #[error(transparent)]
    Warc(#[from] WarcError),
    /// The zip archive, from a place on.
    #[error("{path}, at byte {offset}: {problem}")]
    Zip {
        /// Which file.
        path: PathBuf,
        /// Where in the file.
        offset: u64,
        /// What is wrong.
        problem: String,
    },
    /// More than is taken in at once.
    #[error("{path}: more than {most} {of}; divide it")]
    TooMuch {
        /// Which file.
        path: PathBuf,
        /// What there is too much of.
        of: &'static str,
        /// How many there may be.
        most: u64,
    },
    /// Somebody wrote to it after it was looked through.
    #[error("{path}: it was changed meanwhile; look through it again")]
    Changed {
        /// Which file.
        path: PathBuf,
    },
}

/// Why something in an archive is no page to be taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// A later capture of the same address is there.
    Older,
    /// It leads elsewhere.
    Redirect,
    /// The server answered with an error, or with a part.
    Status,
    /// It is neither HTML, nor was HTML made of it.
    Kind,
    /// Its address is none of the web's, too long or damaged.
    Address,
    /// It is larger than is taken in.
    TooLarge,
    /// It cannot be unpacked, or what was made of it is missing.
    Damaged,
    /// It came again unchanged, and what it refers to is no page that stands before it.
    Revisit,
    /// It is no HTTP response.
    NoResponse,
}

impl Reason {
    /// The same in words, of the things that are counted.
    pub fn said(self) -> &'static str {
        match self {
            Self::Older => "earlier captures of the same address",
            Self::Redirect => "redirects",
            Self::Status => "errors and parts",
            Self::Kind => "not HTML",
            Self::Address => "without a web address",
            Self::TooLarge => "too large",
            Self::Damaged => "damaged",
            Self::Revisit => "unchanged, of what is not here",
            Self::NoResponse => "not an HTTP response",
        }
    }
}

/// How many captures were passed over, by reason.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PassedOver(BTreeMap<Reason, u64>);

impl PassedOver {
    fn count(&mut self, reason: Reason) {
        *self.0.entry(reason).or_default() += 1;
    }

    /// How many for one reason.
    pub fn of(&self, reason: Reason) -> u64 {
        self.0.get(&reason).copied().unwrap_or_default()
    }

    /// The reasons there are.
    pub fn iter(&self) -> impl Iterator<Item = (Reason, u64)> {
        self.0.iter().map(|(reason, count)| (*reason, *count))
    }
}

/// What is in an archive.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Survey {
    /// Pages that can be taken in, each address once.
    pub pages: u64,
    /// The sites with the most of them, by host, and how many each has.
    pub top_sites: Vec<(String, u64)>,
    /// Sites in all.
    pub sites: u64,
    /// When the first of the pages was captured, as WARC dates are written; none if no date is
    /// known.
    pub first: Option<String>,
    /// When the last was.
    pub last: Option<String>,
    /// What is passed over.
    pub passed_over: PassedOver,
    /// Where it breaks off, or why it is not read further, a line each.
    pub problems: Vec<String>,
}

/// An archive that was looked through.
#[derive(Debug)]
pub struct Import {
    path: PathBuf,
    limits: Limits,
    survey: Survey,
    /// In the order they stand.
    taken: Vec<Taken>,
    /// Length and time of the file when it was looked through.
    state: (u64, Option<SystemTime>),
}

impl Import {
    /// Looks through a file. One that cannot be opened, or is neither of the kinds, is an error;
    /// one that breaks off is told in the survey.
    pub fn open(path: &Path, limits: Limits) -> Result<Self, ImportError> {
        let state = state(path)?;
        let (survey, taken) = survey::look_through(path, &limits)?;
        Ok(Self {
            path: path.to_owned(),
            limits,
            survey,
            taken,
            state,
        })
    }

    /// What is in it.
    pub fn survey(&self) -> &Survey {
        &self.survey
    }

    /// Its pages one by one. An error if the file is another than was looked through.
    pub fn pages(&self) -> Result<Pages<'_>, ImportError> {
        if state(&self.path)? != self.state {
            let path = self.path.clone();
            return Err(ImportError::Changed { path });
        }
        Pages::of(&self.path, &self.limits, &self.taken)
    }
}

fn state(path: &Path) -> Result<(u64, Option<SystemTime>), ImportError> {
    let failed = |source| ImportError::File {
        path: path.to_owned(),
        source,
    };
    let metadata = std::fs::metadata(path).map_err(failed)?;
    // A device or a pipe may have no end.
    if !metadata.is_file() {
        return Err(failed(io::Error::other("it is no file")));
    }
    Ok((metadata.len(), metadata.modified().ok()))
}

#[cfg(test)]
mod tests;
