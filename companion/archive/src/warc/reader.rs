//! Records read: a file's in their order, or the one that begins at an offset.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use flate2::bufread::{GzDecoder, MultiGzDecoder};

use super::capture::{Capture, Captures};
use super::record::CONVERSION;
use super::{KeptExchange, LARGEST_BLOCK, Record, Response, WarcError};

/// Longest header section of a record, in bytes.
const LONGEST_HEADER: usize = 64 << 10;
/// Largest dictionary of a zstd file, in bytes.
const LARGEST_DICTIONARY: u64 = 16 << 20;

/// Reads a file's records in order.
pub struct Reader {
    path: PathBuf,
    input: Box<dyn BufRead + Send>,
    record: u64,
    over: bool,
}

impl Reader {
    /// Opens a file; how it is packed is told by its first bytes.
    pub fn open(path: &Path) -> Result<Self, WarcError> {
        let fail = |source| WarcError::File {
            path: path.to_owned(),
            source,
        };
        let file = BufReader::with_capacity(1 << 20, File::open(path).map_err(fail)?);
        let input = unpacked(file, 31).map_err(fail)?;
        Ok(Self::of(
            path.to_owned(),
            BufReader::with_capacity(1 << 20, input),
        ))
    }

    /// Reads records that are unpacked already. The path is what errors name.
    pub(crate) fn of(path: PathBuf, input: impl BufRead + Send + 'static) -> Self {
        Self {
            path,
            input: Box::new(input),
            record: 0,
            over: false,
        }
    }

    /// Reads the response that begins at `offset` of a file written by [`super::Writer`],
    /// which must be that of a page. That it is whole is known by its checksum. If it needs a
    /// conversion, one that is gone or damaged is an error of the page's.
    pub fn response_at(path: &Path, offset: u64, page: &str) -> Result<Response, WarcError> {
        let damaged = damaged(path, offset);
        let (mut file, record, end) = page_at(path, offset, page)?;
        let mut capture = Capture::of(record);
        if capture.lacks_conversion() {
            capture.read_behind(&mut file, end);
        }
        Ok(capture.whole().map_err(damaged)?.into())
    }

    /// The same with all that is known of the exchange: the request, and what was made of the
    /// body, too, if they stand behind the response.
    pub fn exchange_at(path: &Path, offset: u64, page: &str) -> Result<KeptExchange, WarcError> {
        let damaged = damaged(path, offset);
        let (mut file, record, end) = page_at(path, offset, page)?;
        let mut capture = Capture::of(record);
        capture.read_behind(&mut file, end);
        capture.whole().map_err(damaged)
    }

    /// What is left of the file as captures: each response with what stands around it.
    pub fn captures(self) -> Captures<Self> {
        Captures::of(self)
    }
}

impl Capture {
    /// Adds what belongs to it and stands in the members behind it. What is wrong with them is
    /// nothing of this page, unless it needs them.
    fn read_behind(&mut self, file: &mut File, mut end: u64) {
        while let Ok(Member {
            record: Ok(Some(next)),
            end: behind,
        }) = Member::read(file, end)
            && self.takes(next).is_none()
        {
            end = behind;
        }
    }
}

/// Records as they are before they are packed: by gzip or zstd, as the first bytes tell, or not
/// at all. `window` is the logarithm of the bytes that zstd may look back.
pub(crate) fn unpacked(
    mut input: impl BufRead + Send + 'static,
    window: u32,
) -> io::Result<Box<dyn Read + Send>> {
    let head = input.fill_buf()?;
    if head.starts_with(&[0x1F, 0x8B]) {
        return Ok(Box::new(MultiGzDecoder::new(input)));
    }
    let dictionary = match head {
        [0x28, 0xB5, 0x2F, 0xFD, ..] => Vec::new(),
        [0x5D, 0x2A, 0x4D, 0x18, ..] => zstd_dictionary(&mut input)?,
        _ => return Ok(Box::new(input)),
    };
    let mut decoder = zstd::Decoder::with_dictionary(input, &dictionary)?;
    decoder.window_log_max(window)?;
    Ok(Box::new(decoder))
}

/// The dictionary that `.warc.zst` files may begin with, in a frame that others skip. It may be
/// packed itself.
fn zstd_dictionary(input: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let (mut head, mut packed, mut plain) = ([0; 8], Vec::new(), Vec::new());
    input.read_exact(&mut head)?;
    let length = head[4..]
        .iter()
        .rev()
        .fold(0, |all, byte| all << 8 | u64::from(*byte));
    if length > LARGEST_DICTIONARY {
        return Err(io::Error::other("its dictionary is too large"));
    }
    input.take(length).read_to_end(&mut packed)?;
    if !packed.starts_with(&[0x28, 0xB5, 0x2F, 0xFD]) {
        return Ok(packed);
    }
    let decoder = zstd::Decoder::with_buffer(&*packed)?;
    decoder.take(LARGEST_DICTIONARY).read_to_end(&mut plain)?;
    Ok(plain)
}

fn damaged(path: &Path, offset: u64) -> impl Fn(String) -> WarcError {
    move |problem| WarcError::Damaged {
        path: path.to_owned(),
        offset,
        problem,
    }
}

/// The record of a page that begins at an offset, its file, and where the next one begins.
fn page_at(path: &Path, offset: u64, page: &str) -> Result<(File, Record, u64), WarcError> {
    let damaged = damaged(path, offset);
    let mut file = File::open(path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => damaged("the file is not there".to_owned()),
        _ => WarcError::File {
            path: path.to_owned(),
            source,
        },
    })?;
    let member = Member::read(&mut file, offset);
    let member = member.map_err(|error| damaged(error.to_string()))?;
    let record = member
        .record
        .map_err(&damaged)?
        .ok_or_else(|| damaged("no record begins here".to_owned()))?;
    if record.target != page {
        return Err(damaged(format!("the page here is {}", record.target)));
    }
    Ok((file, record, member.end))
}

/// A gzip member that holds one record.
pub(super) struct Member {
    /// The record, none if the member is empty, or what is wrong with it.
    pub record: Result<Option<Record>, String>,
    /// Where the next member begins.
    pub end: u64,
}

impl Member {
    /// The member that begins at an offset; an error if it cannot be read to its end, behind
    /// which its checksum stands.
    pub fn read(file: &mut File, offset: u64) -> io::Result<Self> {
        file.seek(SeekFrom::Start(offset))?;
        let mut input = BufReader::new(GzDecoder::new(BufReader::new(file)));
        let record = match read_record(&mut input) {
            Ok(record) => Ok(record),
            Err(Broken::File(error)) => return Err(error),
            Err(Broken::Record(problem)) => Err(problem),
        };
        io::copy(&mut input, &mut io::sink())?;
        let end = input.into_inner().into_inner().stream_position()?;
        Ok(Self { record, end })
    }
}

impl Iterator for Reader {
    type Item = Result<Record, WarcError>;

    /// The next record; after an error there is none.
    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        self.record += 1;
        let record = read_record(&mut self.input).map_err(|broken| WarcError::Record {
            path: self.path.clone(),
            record: self.record,
            problem: broken.to_string(),
        });
        let record = record.transpose();
        self.over = !matches!(record, Some(Ok(_)));
        record
    }
}

/// Why a record cannot be read.
enum Broken {
    /// The bytes end, or cannot be unpacked.
    File(io::Error),
    /// They are no record.
    Record(String),
}

impl From<io::Error> for Broken {
    fn from(error: io::Error) -> Self {
        Self::File(error)
    }
}

impl From<&str> for Broken {
    fn from(problem: &str) -> Self {
        Self::Record(problem.to_owned())
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(error) => error.fmt(f),
            Self::Record(problem) => f.write_str(problem),
        }
    }
}

/// The record that comes next; none at the end.
fn read_record(input: &mut impl BufRead) -> Result<Option<Record>, Broken> {
    let mut left = LONGEST_HEADER;
    let mut first = read_line(input, &mut left)?;
    while first == "\r\n" || first == "\n" {
        first = read_line(input, &mut left)?;
    }
    if first.is_empty() {
        return Ok(None);
    }
    if !first.starts_with("WARC/") {
        let seen: String = first.trim_end().chars().take(40).collect();
        return Err(Broken::Record(format!(
            "begins with {seen:?}, not with WARC/"
        )));
    }
    let mut record = Record::default();
    let mut length = None;
    loop {
        let line = read_line(input, &mut left)?;
        if line.is_empty() {
            return Err("the file ends in its header".into());
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        let Some((name, value)) = line.split_once(':') else {
            continue;
        };
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "warc-type" => record.kind = value.to_ascii_lowercase(),
            "warc-target-uri" => {
                value
                    .trim_matches(['<', '>'])
                    .clone_into(&mut record.target);
            }
            "warc-date" => value.clone_into(&mut record.date),
            "warc-record-id" => value.clone_into(&mut record.id),
            "warc-concurrent-to" => value.clone_into(&mut record.concurrent_to),
            "warc-ip-address" => value.clone_into(&mut record.ip),
            "warc-protocol" => value.clone_into(&mut record.protocol),
            "warc-refers-to" => value.clone_into(&mut record.refers_to),
            "warc-refers-to-target-uri" => value
                .trim_matches(['<', '>'])
                .clone_into(&mut record.refers_to_target),
            "warc-refers-to-date" => value.clone_into(&mut record.refers_to_date),
            "warc-payload-digest" => value.clone_into(&mut record.payload_digest),
            "content-type" => value.clone_into(&mut record.content_type),
            "content-length" => length = value.parse::<u64>().ok(),
            name if name.eq_ignore_ascii_case(CONVERSION) => {
                value.clone_into(&mut record.conversion);
            }
            _ => {}
        }
    }
    let length = length.ok_or("has no Content-Length")?;
    record.is_too_large = length > LARGEST_BLOCK;
    let read = if record.is_too_large {
        io::copy(&mut input.take(length), &mut io::sink())?
    } else {
        input.take(length).read_to_end(&mut record.block)? as u64
    };
    if read < length {
        let problem = format!("should be {length} bytes long and ends after {read}");
        return Err(Broken::Record(problem));
    }
    Ok(Some(record))
}

fn read_line(input: &mut impl BufRead, left: &mut usize) -> Result<String, Broken> {
    let mut line = Vec::new();
    let read = input.take(*left as u64).read_until(b'\n', &mut line)?;
    *left -= read;
    if !line.ends_with(b"\n") && *left == 0 {
        return Err("its header is too long".into());
    }
    Ok(String::from_utf8_lossy(&line).into_owned())
}
