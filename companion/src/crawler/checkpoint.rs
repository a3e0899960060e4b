//! A crawl's session as it stood at some request, in a file beside its archive: who takes the crawl
//! up need not be told its whole log.
//!
//! It follows from the log but for what no log has (marks and pages named while it ran, what
//! robots.txt forbade), so it may be lost at any time: a file that is damaged, that another
//! build wrote, or that does not fit the log, archive or bounds of the crawl is passed over, and the
//! log is told from its first request. Pages of the archive that were damaged since are not found by
//! it: `linkscent check` finds them. A new file takes the place of the old one once it is whole
//! on the disk.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Take, Write};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::UNIX_EPOCH;

use crc32fast::Hasher;
use linkscent_core::codec::{CodecError, Loader, SaveError, Saver};
use linkscent_core::crawl::Session;
use linkscent_core::strategies::SplitMix;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::store::{CrawlRow, FetchRow, open_private};

/// Bytes that are written and read at once.
const BUFFER: usize = 1 << 20;
/// Bytes of the checksum at the end.
const CHECKSUM: u64 = 4;

/// Why a file is no checkpoint to go on from.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// It cannot be read.
    #[error(transparent)]
    File(#[from] io::Error),
    /// It is not what was written.
    #[error("its checksum does not fit")]
    Checksum,
    /// It holds no session.
    #[error(transparent)]
    Content(#[from] CodecError),
    /// It was written by another build, whose sessions may be laid out otherwise.
    #[error("another build of linkscent wrote it")]
    Program,
    /// The crawl was begun by another critic or strategy than it was saved with.
    #[error("the model that the crawl began with is another one now")]
    Model,
    /// The crawl has other bounds now.
    #[error("the crawl has other bounds now")]
    Order,
    /// The log is not the one that it was told.
    #[error("the log is another one now")]
    Log,
}

/// How much of a log a session was told.
#[derive(Debug, Clone, Default)]
pub struct Told {
    rows: u64,
    hasher: Hasher,
}

impl Told {
    /// All of these rows.
    pub fn all(rows: &[FetchRow]) -> Self {
        let mut told = Self::default();
        for row in rows {
            told.row(row.number, &row.address, &row.problem);
        }
        told
    }

    /// One more request, and what came in place of a page.
    pub fn row(&mut self, number: u64, address: &str, problem: &str) {
        self.rows += 1;
        self.hasher.update(&number.to_le_bytes());
        for text in [address, problem] {
            self.hasher.update(&(text.len() as u64).to_le_bytes());
            self.hasher.update(text.as_bytes());
        }
    }

    /// How many requests that were.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    fn digest(&self) -> u32 {
        self.hasher.clone().finalize()
    }
}

/// What has to fit before a session is read.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Head {
    program: String,
    /// Its critic and its strategy, by which the session that it is read into was made.
    learns_by: (String, String),
    order: String,
    /// Pages to start from that were known.
    seeds: u64,
    /// Requests that it was told, and their digest.
    rows: u64,
    digest: u32,
    /// The random numbers as they stood.
    rng: u64,
}

/// A file whose checksum, crawl and log fit.
pub struct Checkpoint {
    head: Head,
    rest: Whole,
}

/// A session as it was saved.
pub struct Saved {
    /// The session.
    pub session: Session,
    /// The random numbers as they stood.
    pub rng: SplitMix,
}

/// A file from its beginning, without its checksum.
type Whole = BufReader<Take<File>>;

/// What tells this build from every other; empty where that cannot be told.
static PROGRAM: LazyLock<String> = LazyLock::new(|| {
    let file = std::env::current_exe().and_then(|path| path.metadata());
    let told = file.and_then(|file| Ok((file.len(), file.modified()?)));
    told.map_or_else(
        |_| String::new(),
        |(length, modified)| {
            let modified = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
            format!(
                "{} {length} {}",
                env!("CARGO_PKG_VERSION"),
                modified.as_nanos()
            )
        },
    )
});

/// The bounds by which links were taken into the frontier.
fn order_of(crawl: &CrawlRow) -> String {
    let order = &crawl.order;
    format!(
        "{:?} {:?} {:?} {}",
        order.scope, order.stopping, order.on_drift, order.random_seed
    )
}

fn learns_by(session: &Session) -> (String, String) {
    let guide = session.guide();
    (guide.critic().to_owned(), guide.chosen_strategy())
}

/// Whether a file that is written now can be told from those of other builds. Asked as a crawl
/// begins: later the program's file may have been replaced.
pub fn is_possible() -> bool {
    !PROGRAM.is_empty()
}

/// Where a file lies until it is whole.
fn unfinished(path: &Path) -> PathBuf {
    path.with_extension("checkpoint.new")
}

/// Writes a session. It counts once [`finish`] is done with the file; nothing is left of one that
/// cannot be written.
pub fn write(
    path: &Path,
    session: &Session,
    crawl: &CrawlRow,
    told: &Told,
    rng: &SplitMix,
) -> Result<File, SaveError> {
    let written = write_all(path, session, crawl, told, rng);
    if written.is_err() {
        // It takes the room that others need; what hinders this is said by the error.
        let _ = fs::remove_file(unfinished(path));
    }
    written
}

fn write_all(
    path: &Path,
    session: &Session,
    crawl: &CrawlRow,
    told: &Told,
    rng: &SplitMix,
) -> Result<File, SaveError> {
    let file = open_private(&unfinished(path))?;
    file.set_len(0)?;
    let checked = Checked {
        inner: file,
        hasher: Hasher::new(),
    };
    let mut out = BufWriter::with_capacity(BUFFER, checked);
    let mut to = Saver::new(&mut out);
    to.put(&Head {
        program: PROGRAM.clone(),
        learns_by: learns_by(session),
        order: order_of(crawl),
        seeds: crawl.order.seeds.len() as u64,
        rows: told.rows,
        digest: told.digest(),
        rng: rng.0,
    })?;
    session.save(&mut to)?;
    let out = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    let Checked { inner, hasher } = out;
    let mut file = inner;
    file.write_all(&hasher.finalize().to_le_bytes())?;
    Ok(file)
}

/// Brings a file that was written to the disk, and puts it in the place of the one before; nothing is
/// left of one for which that fails.
pub fn finish(path: &Path, file: &File) -> io::Result<()> {
    let finished = file.sync_all();
    let finished = finished.and_then(|()| fs::rename(unfinished(path), path));
    if finished.is_err() {
        // What hinders it is said by the error.
        let _ = fs::remove_file(unfinished(path));
    }
    finished
}

/// Deletes the file of a crawl, if there is one.
pub fn delete(path: &Path) -> io::Result<()> {
    // In this order: one that is put in its place meanwhile is deleted, too.
    for path in [&unfinished(path), path] {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

impl Checkpoint {
    /// The file there, if there is one; an error if it is none to go on from.
    pub fn open(
        path: &Path,
        crawl: &CrawlRow,
        log: &[FetchRow],
    ) -> Result<Option<Self>, CheckpointError> {
        let Some(mut rest) = checked(path)? else {
            return Ok(None);
        };
        let head: Head = Loader::new(&mut rest).take()?;
        if head.program != *PROGRAM || PROGRAM.is_empty() {
            return Err(CheckpointError::Program);
        }
        if head.order != order_of(crawl) {
            return Err(CheckpointError::Order);
        }
        let rows = usize::try_from(head.rows).unwrap_or(usize::MAX);
        let told = log.get(..rows).map(Told::all);
        if told.is_none_or(|told| told.digest() != head.digest) {
            return Err(CheckpointError::Log);
        }
        Ok(Some(Self { head, rest }))
    }

    /// Rows of the log that its session was told.
    pub fn rows(&self) -> usize {
        usize::try_from(self.head.rows).unwrap_or(usize::MAX)
    }

    /// Pages to start from that its session knew.
    pub fn seeds(&self) -> usize {
        usize::try_from(self.head.seeds).unwrap_or(usize::MAX)
    }

    /// Its session, made of the one with which the crawl began.
    pub fn session(mut self, begun: Session) -> Result<Saved, CheckpointError> {
        if learns_by(&begun) != self.head.learns_by {
            return Err(CheckpointError::Model);
        }
        let session = begun.load(&mut Loader::new(&mut self.rest))?;
        match self.rest.read(&mut [0])? {
            0 => Ok(Saved {
                session,
                rng: SplitMix(self.head.rng),
            }),
            _ => Err(CheckpointError::Checksum),
        }
    }
}

/// The file from its beginning, if there is one, without its checksum, which fits.
fn checked(path: &Path) -> Result<Option<Whole>, CheckpointError> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let length = file.metadata()?.len();
    let Some(length) = length.checked_sub(CHECKSUM) else {
        return Err(CheckpointError::Checksum);
    };
    let mut hasher = Hasher::new();
    let mut left = (&mut file).take(length);
    let mut buffer = vec![0; BUFFER];
    loop {
        match left.read(&mut buffer)? {
            0 => break,
            read => hasher.update(&buffer[..read]),
        }
    }
    let mut checksum = [0; CHECKSUM as usize];
    file.read_exact(&mut checksum)?;
    if hasher.finalize() != u32::from_le_bytes(checksum) {
        return Err(CheckpointError::Checksum);
    }
    file.seek(SeekFrom::Start(0))?;
    Ok(Some(BufReader::with_capacity(BUFFER, file.take(length))))
}

/// Passes on what is written, and sums it up.
struct Checked<W> {
    inner: W,
    hasher: Hasher,
}

impl<W: Write> Write for Checked<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
