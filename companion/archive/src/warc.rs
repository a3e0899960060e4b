//! WARC 1.1, read and written.
//!
//! Written: one gzip member per record, so that any page can be read by its
//! offset. Read: `.warc`, `.warc.gz` and `.warc.zst` front to back, from
//! anywhere, one record at a time; records other than responses are passed
//! over by the caller's choice. A file cut in the middle gives all whole
//! records and then an error that names the place.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::bufread::{GzDecoder, MultiGzDecoder};
use flate2::write::GzEncoder;
use thiserror::Error;

mod blank;

pub use blank::blank;

/// Largest block read into memory; larger records are passed over.
const LARGEST_BLOCK: u64 = 64 << 20;
/// Longest header section of a record, in bytes.
const LONGEST_HEADER: usize = 64 << 10;

/// Why a WARC file cannot be read (further).
#[derive(Debug, Error)]
pub enum WarcError {
    /// The file itself.
    #[error("{path}: {source}")]
    File {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A record that was written at a place is not there, or damaged.
    #[error("{path}, at byte {offset}: {problem}")]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// Where the record should begin.
        offset: u64,
        /// What is wrong.
        problem: String,
    },
    /// Something in it.
    #[error("{path}, record {record}: {problem}")]
    Record {
        /// Which file.
        path: PathBuf,
        /// Which record, from 1.
        record: u64,
        /// What is wrong.
        problem: String,
    },
}

/// One record.
#[derive(Debug, Default)]
pub struct Record {
    /// `WARC-Type`, in lower case.
    pub kind: String,
    /// `WARC-Target-URI`, angle brackets removed.
    pub target: String,
    /// `WARC-Date`, as written.
    pub date: String,
    /// The block.
    pub block: Vec<u8>,
}

/// An HTTP response kept in a record.
#[derive(Debug)]
pub struct Response {
    /// Status code.
    pub status: u16,
    /// When it was fetched, as WARC dates are written; empty if nobody knows.
    pub date: String,
    /// `Content-Type`, if there was one.
    pub content_type: Option<String>,
    /// `Location`, if there was one.
    pub location: Option<String>,
    /// `Content-Security-Policy`, if there was one.
    pub policy: Option<String>,
    /// The body, content and transfer codings undone.
    pub body: Vec<u8>,
}

impl Record {
    /// The HTTP response in the block; `None` if it holds none.
    pub fn response(&self) -> Option<Response> {
        let mut headers = [httparse::EMPTY_HEADER; 128];
        let mut parsed = httparse::Response::new(&mut headers);
        let httparse::Status::Complete(start) = parsed.parse(&self.block).ok()? else {
            return None;
        };
        let header = |name: &str| {
            parsed
                .headers
                .iter()
                .find(|header| header.name.eq_ignore_ascii_case(name))
                .map(|header| String::from_utf8_lossy(header.value).into_owned())
        };
        let mut body = self.block[start..].to_vec();
        if header("transfer-encoding").is_some_and(|coding| coding.contains("chunked"))
            && let Some(whole) = without_chunks(&body)
        {
            body = whole;
        }
        if header("content-encoding").is_some_and(|coding| coding.contains("gzip")) {
            let mut plain = Vec::new();
            let decoder = MultiGzDecoder::new(body.as_slice());
            if decoder.take(LARGEST_BLOCK).read_to_end(&mut plain).is_ok() {
                body = plain;
            }
        }
        Some(Response {
            status: parsed.code?,
            date: self.date.clone(),
            content_type: header("content-type"),
            location: header("location"),
            policy: header("content-security-policy"),
            body,
        })
    }
}

fn without_chunks(mut body: &[u8]) -> Option<Vec<u8>> {
    let mut whole = Vec::new();
    while let httparse::Status::Complete((start, length)) = httparse::parse_chunk_size(body).ok()? {
        let end = start.checked_add(usize::try_from(length).ok()?)?;
        if length == 0 {
            return Some(whole);
        }
        whole.extend_from_slice(body.get(start..end)?);
        body = body.get(end + 2..)?;
    }
    None
}

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
        let mut file = BufReader::with_capacity(1 << 20, File::open(path).map_err(fail)?);
        let head = file.fill_buf().map_err(fail)?;
        let input: Box<dyn BufRead + Send> = if head.starts_with(&[0x1F, 0x8B]) {
            Box::new(BufReader::with_capacity(1 << 20, MultiGzDecoder::new(file)))
        } else if head.starts_with(&[0x28, 0xB5, 0x2F, 0xFD]) {
            let mut decoder = zstd::Decoder::with_buffer(file).map_err(fail)?;
            decoder.window_log_max(31).map_err(fail)?;
            Box::new(BufReader::with_capacity(1 << 20, decoder))
        } else {
            Box::new(file)
        };
        Ok(Self {
            path: path.to_owned(),
            input,
            record: 0,
            over: false,
        })
    }

    /// Reads the response that begins at `offset` of a file written by [`Writer`],
    /// which must be that of a page. That it is whole is known by its checksum.
    pub fn response_at(path: &Path, offset: u64, page: &str) -> Result<Response, WarcError> {
        let damaged = |problem: String| WarcError::Damaged {
            path: path.to_owned(),
            offset,
            problem,
        };
        let fail = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound => damaged("the file is not there".to_owned()),
            _ => WarcError::File {
                path: path.to_owned(),
                source,
            },
        };
        let mut file = File::open(path).map_err(fail)?;
        file.seek(SeekFrom::Start(offset)).map_err(fail)?;
        let member = GzDecoder::new(BufReader::new(file));
        let mut reader = Self {
            path: path.to_owned(),
            input: Box::new(BufReader::new(member)),
            record: 1,
            over: false,
        };
        let record = match reader.next() {
            Some(Err(WarcError::Record { problem, .. })) => return Err(damaged(problem)),
            Some(record) => record?,
            None => return Err(damaged("no record begins here".to_owned())),
        };
        // The checksum stands behind the record's last byte.
        let rest = io::copy(&mut reader.input, &mut io::sink());
        rest.map_err(|error| damaged(error.to_string()))?;
        if record.target != page {
            return Err(damaged(format!("the page here is {}", record.target)));
        }
        let response = record.response();
        response.ok_or_else(|| damaged("it holds no HTTP response".to_owned()))
    }

    fn problem(&self, problem: impl Into<String>) -> WarcError {
        WarcError::Record {
            path: self.path.clone(),
            record: self.record,
            problem: problem.into(),
        }
    }

    fn line(&mut self, left: &mut usize) -> Result<String, WarcError> {
        let mut line = Vec::new();
        let limit = *left as u64;
        let read = (&mut self.input).take(limit).read_until(b'\n', &mut line);
        let read = read.map_err(|error| self.problem(error.to_string()))?;
        *left -= read;
        if !line.ends_with(b"\n") && read > 0 && *left == 0 {
            return Err(self.problem("its header is too long"));
        }
        Ok(String::from_utf8_lossy(&line).into_owned())
    }

    fn read(&mut self) -> Result<Option<Record>, WarcError> {
        self.record += 1;
        let mut left = LONGEST_HEADER;
        let mut first = self.line(&mut left)?;
        while first == "\r\n" || first == "\n" {
            first = self.line(&mut left)?;
        }
        if first.is_empty() {
            return Ok(None);
        }
        if !first.starts_with("WARC/") {
            let seen: String = first.trim_end().chars().take(40).collect();
            return Err(self.problem(format!("begins with {seen:?}, not with WARC/")));
        }
        let mut record = Record::default();
        let mut length = None;
        loop {
            let line = self.line(&mut left)?;
            if line.is_empty() {
                return Err(self.problem("the file ends in its header"));
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
                "content-length" => length = value.parse::<u64>().ok(),
                _ => {}
            }
        }
        let length = length.ok_or_else(|| self.problem("has no Content-Length"))?;
        if length > LARGEST_BLOCK {
            let passed = io::copy(&mut (&mut self.input).take(length), &mut io::sink());
            passed.map_err(|error| self.problem(error.to_string()))?;
            return Ok(Some(record));
        }
        let read = (&mut self.input)
            .take(length)
            .read_to_end(&mut record.block);
        let read = read.map_err(|error| self.problem(error.to_string()))?;
        if (read as u64) < length {
            return Err(self.problem(format!(
                "should be {length} bytes long and ends after {read}"
            )));
        }
        Ok(Some(record))
    }
}

impl Iterator for Reader {
    type Item = Result<Record, WarcError>;

    /// The next record; after an error there is none.
    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        let record = self.read().transpose();
        self.over = !matches!(record, Some(Ok(_)));
        record
    }
}

/// Appends records to a file.
pub struct Writer {
    file: File,
    length: u64,
    /// A write or a sync failed: nothing on this handle is believed any more.
    failed: bool,
}

/// A page to be kept.
pub struct Kept<'a> {
    /// Its address.
    pub address: &'a str,
    /// Status code.
    pub status: u16,
    /// `Content-Type` header, if there was one.
    pub content_type: Option<&'a str>,
    /// The body, codings undone.
    pub body: &'a [u8],
    /// When it was fetched, as WARC dates are written.
    pub date: &'a str,
}

impl Writer {
    /// Goes on in a file after its first `length` bytes, which were acknowledged;
    /// what a crash left behind them goes.
    pub fn open(file: File, length: u64) -> io::Result<Self> {
        let there = file.metadata()?.len();
        if there < length {
            let text = format!("it is {there} bytes long, and {length} were written to it");
            return Err(io::Error::other(text));
        }
        file.set_len(length)?;
        let mut writer = Self {
            file,
            length,
            failed: false,
        };
        writer.file.seek(SeekFrom::Start(length))?;
        if length == 0 {
            let about = "software: linkscent\r\nformat: WARC File Format 1.1\r\n";
            writer.append(
                "warcinfo",
                None,
                "",
                "application/warc-fields",
                about.as_bytes(),
            )?;
        }
        Ok(writer)
    }

    /// Appends a page; returns the offset of its record.
    pub fn page(&mut self, page: &Kept<'_>) -> io::Result<u64> {
        let mut block = format!("HTTP/1.1 {} \r\n", page.status);
        if let Some(content_type) = page.content_type {
            let content_type = content_type.replace(['\r', '\n'], " ");
            block.push_str(&format!("Content-Type: {content_type}\r\n"));
        }
        block.push_str(&format!("Content-Length: {}\r\n\r\n", page.body.len()));
        let mut block = block.into_bytes();
        block.extend_from_slice(page.body);
        self.append(
            "response",
            Some(page.address),
            page.date,
            "application/http;msgtype=response",
            &block,
        )
    }

    /// Bytes written so far.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Returns once everything written is on the disk. After an error the system may
    /// have dropped what was written and say so only once: the file has to be opened
    /// again, at the length that was acknowledged.
    pub fn sync(&mut self) -> io::Result<()> {
        self.check()?;
        let synced = self.file.sync_data();
        self.failed |= synced.is_err();
        synced
    }

    fn check(&self) -> io::Result<()> {
        if self.failed {
            let text = "an earlier write failed: the file has to be opened again";
            return Err(io::Error::other(text));
        }
        Ok(())
    }

    fn append(
        &mut self,
        kind: &str,
        target: Option<&str>,
        date: &str,
        content_type: &str,
        block: &[u8],
    ) -> io::Result<u64> {
        let date = if date.is_empty() {
            "1970-01-01T00:00:00Z"
        } else {
            date
        };
        let mut header = format!(
            "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{}>\r\nWARC-Date: {date}\r\n",
            uuid::Uuid::new_v4(),
        );
        if let Some(target) = target {
            header.push_str(&format!("WARC-Target-URI: {target}\r\n"));
        }
        header.push_str(&format!(
            "Content-Type: {content_type}\r\nContent-Length: {}\r\n\r\n",
            block.len()
        ));
        let mut member = GzEncoder::new(Vec::new(), Compression::fast());
        member.write_all(header.as_bytes())?;
        member.write_all(block)?;
        member.write_all(b"\r\n\r\n")?;
        let member = member.finish()?;
        let offset = self.length;
        self.check()?;
        let written = self.file.write_all(&member);
        self.failed |= written.is_err();
        written?;
        self.length += member.len() as u64;
        Ok(offset)
    }
}

#[cfg(test)]
mod tests;
