//! The captures of an archive front to back, whatever it is packed in, and how much is unpacked.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::DeflateDecoder;

use super::zip_members::{self, Member, Packed};
use super::{ImportError, Limits};
use crate::warc::{Capture, Captures, Reader, unpacked};

/// Logarithm of the bytes that zstd may look back: what its own program takes without being told
/// otherwise. So much memory a file can make be used.
const ZSTD_WINDOW: u32 = 27;
const BUFFER: usize = 256 << 10;

/// The captures of an archive.
pub(super) struct Source {
    path: PathBuf,
    budget: Budget,
    members: VecDeque<Member>,
    is_zip: bool,
    now: Option<Captures<Reader>>,
    /// What is wrong behind the members.
    broken: Option<ImportError>,
}

impl Source {
    /// Opens a file and sees what it is.
    pub fn open(path: &Path, limits: &Limits) -> Result<Self, ImportError> {
        let fail = |source| ImportError::File {
            path: path.to_owned(),
            source,
        };
        let mut file = File::open(path).map_err(fail)?;
        let length = file.metadata().map_err(fail)?.len();
        let mut head = Vec::new();
        file.by_ref().take(8).read_to_end(&mut head).map_err(fail)?;
        let budget = Budget::new(limits.unpacked.max(length.saturating_mul(limits.ratio)));
        let mut source = Self {
            path: path.to_owned(),
            budget,
            members: VecDeque::new(),
            is_zip: head.starts_with(b"PK"),
            now: None,
            broken: None,
        };
        if source.is_zip {
            let found = zip_members::archives(&mut file, limits.members);
            let found = found.map_err(fail)?;
            source.members = found.members.into();
            source.broken = found.problem.map(|(offset, problem)| ImportError::Zip {
                path: path.to_owned(),
                offset,
                problem,
            });
        } else if is_warc(&head) {
            source.members.push_back(Member {
                name: String::new(),
                start: 0,
                length,
                packed: Packed::Stored,
            });
        } else {
            let path = path.to_owned();
            return Err(ImportError::Foreign { path });
        }
        Ok(source)
    }

    /// As much as may be unpacked of it, for what is unpacked of its bodies.
    pub fn budget(&self) -> Budget {
        Budget::new(self.budget.whole)
    }

    /// That more would be unpacked.
    pub fn too_much(&self) -> ImportError {
        ImportError::TooMuch {
            path: self.path.clone(),
            of: "bytes unpacked",
            most: self.budget.whole,
        }
    }

    fn begin(&self, member: &Member) -> io::Result<Captures<Reader>> {
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(member.start))?;
        let stored = BufReader::with_capacity(BUFFER, file).take(member.length);
        let input: Box<dyn BufRead + Send> = match member.packed {
            Packed::Stored => Box::new(stored),
            Packed::Deflated => Box::new(self.metered(DeflateDecoder::new(stored))),
        };
        let plain = self.metered(unpacked(input, ZSTD_WINDOW)?);
        let path = match &*member.name {
            "" => self.path.clone(),
            // It is displayed, and never opened.
            name => PathBuf::from(format!("{} ({name})", self.path.display())),
        };
        Ok(Reader::of(path, plain).captures())
    }

    /// Bytes that are counted as they come.
    fn metered<R: Read>(&self, inner: R) -> BufReader<Metered<R>> {
        let budget = self.budget.clone();
        BufReader::with_capacity(BUFFER, Metered { inner, budget })
    }
}

fn is_warc(head: &[u8]) -> bool {
    let starts: [&[u8]; 4] = [
        b"WARC/",
        &[0x1F, 0x8B],
        &[0x28, 0xB5, 0x2F, 0xFD],
        &[0x5D, 0x2A, 0x4D, 0x18],
    ];
    starts.iter().any(|start| head.starts_with(start))
}

impl Iterator for Source {
    type Item = Result<Capture, ImportError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(now) = &mut self.now {
                match now.next() {
                    Some(Ok(capture)) => return Some(Ok(capture)),
                    Some(Err(error)) if self.budget.is_spent() => {
                        (self.now, self.broken) = (None, None);
                        self.members.clear();
                        // The place is of use, though the record is not to blame.
                        return Some(Err(error.into()));
                    }
                    Some(Err(error)) => {
                        self.now = None;
                        return Some(Err(error.into()));
                    }
                    None => self.now = None,
                }
            }
            let Some(member) = self.members.pop_front() else {
                return self.broken.take().map(Err);
            };
            match self.begin(&member) {
                Ok(captures) => self.now = Some(captures),
                Err(error) => {
                    return Some(Err(ImportError::Zip {
                        path: self.path.clone(),
                        offset: member.start,
                        problem: error.to_string(),
                    }));
                }
            }
        }
    }
}

/// Bytes that may still be unpacked, of all parts of a file together.
#[derive(Clone)]
pub(super) struct Budget {
    whole: u64,
    left: Arc<AtomicU64>,
}

/// More was unpacked than may be.
pub(super) struct Spent;

impl Budget {
    fn new(whole: u64) -> Self {
        Self {
            whole,
            left: Arc::new(AtomicU64::new(whole)),
        }
    }

    /// Takes bytes from it; once it did not suffice, it never does again.
    pub fn spend(&self, bytes: u64) -> Result<(), Spent> {
        let left = self.left.load(Ordering::Relaxed);
        let less = left.checked_sub(bytes);
        self.left.store(less.unwrap_or_default(), Ordering::Relaxed);
        less.map(|_| ()).ok_or(Spent)
    }

    fn is_spent(&self) -> bool {
        self.left.load(Ordering::Relaxed) == 0
    }
}

/// Bytes that are paid for.
struct Metered<R> {
    inner: R,
    budget: Budget,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.budget.spend(read as u64).map_err(|Spent| {
            let whole = self.budget.whole;
            io::Error::other(format!("more than {whole} bytes would be unpacked in all"))
        })?;
        Ok(read)
    }
}
