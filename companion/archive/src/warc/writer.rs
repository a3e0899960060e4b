//! Appends records to a file that survives crashes: what was acknowledged stays, what lies
//! behind it goes.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

use super::exchange::Exchange;
use super::record::{As, Made, Records};

/// Appends records to a file.
pub struct Writer {
    file: File,
    length: u64,
    records: Records,
    /// When the file was opened.
    date: String,
    /// A write or a sync failed: nothing on this handle is believed any more.
    failed: bool,
}

/// A page to be kept.
#[derive(Debug, Clone, Copy, Default)]
pub struct Kept<'a> {
    /// Its address.
    pub address: &'a str,
    /// Status code.
    pub status: u16,
    /// `Content-Type` header, if there was one and no more is known of the exchange.
    pub content_type: Option<&'a str>,
    /// The body, codings undone.
    pub body: &'a [u8],
    /// When it was fetched, as WARC dates are written.
    pub date: &'a str,
    /// The heads; without them one is made of status, media type and length.
    pub exchange: Option<&'a Exchange>,
    /// HTML that was made of the body, if the page is read so.
    pub conversion: Option<&'a str>,
}

/// A page that was there before, and where.
#[derive(Debug, Clone, Copy)]
pub enum Revisited<'a> {
    /// The same bytes came again.
    SamePayload {
        /// The address of the page that was kept.
        address: &'a str,
        /// When that was fetched.
        date: &'a str,
    },
    /// The server said that it has not changed.
    NotModified {
        /// The address of the page that was kept.
        address: &'a str,
        /// When that was fetched.
        date: &'a str,
    },
}

impl Writer {
    /// Goes on in a file after its first `length` bytes, which were acknowledged;
    /// what a crash left behind them goes. `date` is now, as WARC dates are written.
    pub fn open(file: File, length: u64, date: &str) -> io::Result<Self> {
        let there = file.metadata()?.len();
        if there < length {
            let text = format!("it is {there} bytes long, and {length} were written to it");
            return Err(io::Error::other(text));
        }
        file.set_len(length)?;
        let mut writer = Self {
            file,
            length,
            records: Records::default(),
            date: date.to_owned(),
            failed: false,
        };
        writer.file.seek(SeekFrom::Start(length))?;
        if length == 0 {
            writer.describe()?;
        }
        Ok(writer)
    }

    /// Appends records that were made elsewhere ([`records`](super::records)); returns the offset of the
    /// first.
    pub fn append(&mut self, records: &[u8]) -> io::Result<u64> {
        if !self.records.has_info() {
            self.describe()?;
        }
        self.write(records)
    }

    /// Appends a page, and the request for it and the HTML made of it if there are any, in one
    /// piece; returns the offset of the response's record. The others' follow it. An error if
    /// that HTML is larger than is read again, 64 MiB.
    pub fn page(&mut self, page: &Kept<'_>) -> io::Result<u64> {
        self.response(page, As::Page)
    }

    /// Appends a response that leads elsewhere, without a body.
    pub fn redirect(&mut self, page: &Kept<'_>, to: &str) -> io::Result<u64> {
        self.response(page, As::Redirect(to))
    }

    /// Appends that a page is what it was. The body is not written; it is what the page's
    /// digest is made of.
    pub fn revisit(&mut self, page: &Kept<'_>, of: &Revisited<'_>) -> io::Result<u64> {
        self.response(page, As::Revisit(of))
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

    /// Writes what the records that follow have in common. Whoever goes on in a file does it
    /// with the first of them.
    fn describe(&mut self) -> io::Result<()> {
        let info = self.records.info(&self.date, &[])?;
        self.write(&info)?;
        Ok(())
    }

    fn response(&mut self, page: &Kept<'_>, kind: As<'_>) -> io::Result<u64> {
        if !self.records.has_info() {
            self.describe()?;
        }
        let Made { bytes, .. } = self.records.page(page, kind)?;
        self.write(&bytes)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<u64> {
        let offset = self.length;
        self.check()?;
        let written = self.file.write_all(bytes);
        self.failed |= written.is_err();
        written?;
        self.length += bytes.len() as u64;
        Ok(offset)
    }
}
