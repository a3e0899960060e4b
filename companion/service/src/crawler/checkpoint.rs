//! A crawl's session as it stood at some request, in a file beside its archive: who takes the crawl
//! up need not be told its whole log.
//!
//! It follows from the log but for what no log has (marks and pages named while it ran, what
//! robots.txt forbade), so it may be lost at any time: a file that is damaged, that another
//! build wrote, or that does not fit the log, archive or bounds of the crawl is passed over, and the
//! log is told from its first request. Pages of the archive that were damaged since are not found by
//! it: `linkscent data check` finds them. A new file takes the place of the old one once it is whole
//! on the disk.

mod packing;

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Take};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::UNIX_EPOCH;

use crc32fast::Hasher;
use linkscent_core::codec::{CodecError, Loader, SaveError, Saver};
use linkscent_core::crawl::Session;
use linkscent_core::strategies::SplitMix;
use lz4_flex::frame::FrameDecoder;
use packing::Packing;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use linkscent_store::{CrawlRow, FetchRow, open_private};

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

/// The last requests by which a log is known again.
const LAST: u64 = 64;

/// How much of a log a session was told.
#[derive(Debug, Clone, Default)]
pub struct Told {
    rows: u64,
    /// How often rows that were there had changed or gone.
    changes: i64,
    /// Numbers and digests of the last rows.
    last: VecDeque<(u64, u32)>,
}

impl Told {
    /// All of these rows, of a log that has changed so often.
    pub fn all(rows: &[FetchRow], changes: i64) -> Self {
        let mut told = Self {
            changes,
            ..Self::default()
        };
        told.rows(rows);
        told
    }

    /// These rows, too.
    pub fn rows(&mut self, rows: &[FetchRow]) {
        for row in rows {
            self.row(row.number, &row.address, &row.problem);
        }
    }

    /// One more request, and what came in place of a page.
    pub fn row(&mut self, number: u64, address: &str, problem: &str) {
        self.rows += 1;
        let mut hasher = Hasher::new();
        for text in [address, problem] {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        self.last.push_back((number, hasher.finalize()));
        let is_before = |(first, _): &(u64, u32)| first + LAST <= number;
        while self.last.front().is_some_and(is_before) {
            self.last.pop_front();
        }
    }

    /// How many requests that were.
    pub fn count(&self) -> u64 {
        self.rows
    }

    /// The number of the last one.
    fn last(&self) -> u64 {
        self.last.back().map_or(0, |(number, _)| *number)
    }

    fn digest(&self) -> u32 {
        let mut hasher = Hasher::new();
        for (number, digest) in &self.last {
            hasher.update(&number.to_le_bytes());
            hasher.update(&digest.to_le_bytes());
        }
        hasher.finalize()
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
    /// Requests that it was told, how often rows of the log had changed, the last request, and the
    /// digest of those before it.
    rows: u64,
    changes: i64,
    last: u64,
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

/// A file from its beginning, without its checksum, unpacked.
type Whole = FrameDecoder<BufReader<Take<File>>>;

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
        order.spec.scope,
        order.spec.stopping,
        crawl.first_reaction(),
        order.spec.random_seed
    )
}

fn learns_by(session: &Session) -> (String, String) {
    let topic_model = session.topic_model();
    (
        topic_model.critic().name().to_owned(),
        topic_model.strategy().full_name(),
    )
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
    let mut out = Packing::into(file);
    let said = say_all(&mut out, session, crawl, told, rng);
    // What hinders the writing is known there.
    let written = out.finish();
    match said {
        Err(SaveError::Write(error)) => Err(written.err().unwrap_or(error).into()),
        Err(error) => Err(error),
        Ok(()) => Ok(written?),
    }
}

fn say_all(
    out: &mut Packing,
    session: &Session,
    crawl: &CrawlRow,
    told: &Told,
    rng: &SplitMix,
) -> Result<(), SaveError> {
    let mut to = Saver::new(out);
    to.put(&Head {
        program: PROGRAM.clone(),
        learns_by: learns_by(session),
        order: order_of(crawl),
        seeds: crawl.order.seeds.len() as u64,
        rows: told.rows,
        changes: told.changes,
        last: told.last(),
        digest: told.digest(),
        rng: rng.0,
    })?;
    session.save(&mut to)
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
    /// The file there, if there is one; an error if it is none to go on from. The log has changed so
    /// often.
    pub fn open(
        path: &Path,
        crawl: &CrawlRow,
        changes: i64,
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
        if head.changes != changes {
            return Err(CheckpointError::Log);
        }
        Ok(Some(Self { head, rest }))
    }

    /// The request behind which its session has to be shown the log.
    pub fn shown_after(&self) -> u64 {
        self.head.last.saturating_sub(LAST)
    }

    /// What its session was told, by the log from there on; and the rows that it was not told. An error
    /// if that is another log.
    pub fn told<'a>(&self, log: &'a [FetchRow]) -> Result<(Told, &'a [FetchRow]), CheckpointError> {
        let before = log.partition_point(|row| row.number <= self.head.last);
        let (before, rest) = log.split_at(before);
        let mut told = Told::all(before, self.head.changes);
        if (told.last(), told.digest()) != (self.head.last, self.head.digest) {
            return Err(CheckpointError::Log);
        }
        told.rows = self.head.rows;
        Ok((told, rest))
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
    let whole = BufReader::with_capacity(BUFFER, file.take(length));
    Ok(Some(FrameDecoder::new(whole)))
}
