//! The pages themselves as a WACZ file, version 1.1.1: a WARC file in a zip archive, with an
//! index and a list of pages, so that a browser can display them without unpacking anything.
//!
//! What is written goes to a file without a name first, since a zip archive says in front of a
//! member how long it is; in memory are a line of the index and one of the list for each page.
//! The records are not deflated once more: readers fetch them one by one. Nothing is signed.

mod index;
mod surt;

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::records::Stream;
use super::{About, AnyExport, Entry, Export, Out, one_line};
use crate::warc::{KeptExchange, Made, digest};
use index::{Index, Line};

const VERSION: &str = "1.1.1";
const SOFTWARE: &str = concat!("linkscent/", env!("CARGO_PKG_VERSION"));
const RECORDS: &str = "archive/data.warc.gz";

struct Wacz {
    out: Out,
    name: String,
    now: String,
    stream: Stream,
    zip: Option<Members>,
    index: Index,
    /// The list of pages, a line each.
    pages: String,
}

pub(super) fn begin(out: Out, about: &About<'_>) -> AnyExport {
    let name = one_line(about.name);
    let header = json!({ "format": "json-pages-1.0", "id": "pages", "title": name });
    Box::new(Wacz {
        out,
        name,
        now: about.now.to_owned(),
        stream: Stream::new(about),
        zip: None,
        index: Index::default(),
        pages: format!("{header}\n"),
    })
}

impl Wacz {
    /// Writes records, with a line of the index.
    fn add(&mut self, kept: &KeptExchange, made: &Made) -> io::Result<()> {
        let Some(zip) = &mut self.zip else {
            return Err(io::Error::other("it was never begun"));
        };
        self.index.add(&Line {
            url: &kept.address,
            date: &made.date,
            mime: kept.header("content-type"),
            status: kept.status,
            digest: made.digest.as_deref(),
            length: made.first as u64,
            offset: zip.length(),
        })?;
        zip.write(&made.bytes)
    }
}

impl Export for Wacz {
    fn begin(&mut self) -> io::Result<()> {
        let mut zip = Members::new()?;
        zip.start(RECORDS, CompressionMethod::Stored)?;
        zip.write(&self.stream.head()?)?;
        self.zip = Some(zip);
        Ok(())
    }

    fn page(&mut self, entry: &Entry) -> io::Result<()> {
        let Some(kept) = &entry.kept else {
            return Ok(());
        };
        for redirect in &entry.redirects {
            if let Some(made) = self.stream.redirect(redirect)? {
                self.add(redirect, &made)?;
            }
        }
        let made = self.stream.page(kept)?;
        self.add(kept, &made)?;
        let title = match &*entry.title {
            "" => &kept.address,
            title => title,
        };
        let page = json!({
            "id": uuid::Uuid::new_v4().to_string(),
            "url": kept.address,
            "ts": made.date,
            "title": one_line(title),
        });
        self.pages.push_str(&format!("{page}\n"));
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        let Some(mut zip) = self.zip.take() else {
            return Err(io::Error::other("it was never begun"));
        };
        let lines = std::mem::take(&mut self.index).sorted();
        zip.whole("indexes/index.cdx", lines.as_bytes())?;
        zip.whole("pages/pages.jsonl", self.pages.as_bytes())?;
        let package = json!({
            "profile": "data-package",
            "title": self.name,
            "created": self.now,
            "wacz_version": VERSION,
            "software": SOFTWARE,
            "resources": zip.resources(),
        });
        let package = serde_json::to_vec_pretty(&package)?;
        let of_package = json!({ "path": "datapackage.json", "hash": digest(&package) });
        zip.whole("datapackage.json", &package)?;
        zip.whole(
            "datapackage-digest.json",
            &serde_json::to_vec_pretty(&of_package)?,
        )?;
        let mut file = zip.finish()?;
        file.seek(SeekFrom::Start(0))?;
        io::copy(&mut file, &mut self.out)?;
        self.out.flush()
    }
}

/// The members of a zip archive, written one after the other, and what is said of each.
struct Members {
    zip: ZipWriter<BufWriter<File>>,
    /// The member that is written.
    path: &'static str,
    hash: Sha256,
    length: u64,
    resources: Vec<Value>,
}

impl Members {
    fn new() -> io::Result<Self> {
        Ok(Self {
            zip: ZipWriter::new(BufWriter::new(tempfile::tempfile()?)),
            path: "",
            hash: Sha256::new(),
            length: 0,
            resources: Vec::new(),
        })
    }

    /// Begins a member.
    fn start(&mut self, path: &'static str, method: CompressionMethod) -> io::Result<()> {
        self.end();
        let options = SimpleFileOptions::default()
            .compression_method(method)
            // Nobody knows how long the records will be.
            .large_file(path == RECORDS);
        self.zip.start_file(path, options)?;
        self.path = path;
        Ok(())
    }

    /// Bytes of the member so far.
    fn length(&self) -> u64 {
        self.length
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.zip.write_all(bytes)?;
        self.hash.update(bytes);
        self.length += bytes.len() as u64;
        Ok(())
    }

    fn whole(&mut self, path: &'static str, bytes: &[u8]) -> io::Result<()> {
        self.start(path, CompressionMethod::Deflated)?;
        self.write(bytes)
    }

    /// Notes what is to be said of the member that was written.
    fn end(&mut self) {
        let hash = self.hash.finalize_reset();
        let length = std::mem::take(&mut self.length);
        if !self.path.is_empty() {
            let name = self.path.rsplit('/').next();
            self.resources.push(json!({
                "name": name,
                "path": self.path,
                "hash": format!("sha256:{hash:x}"),
                "bytes": length,
            }));
        }
    }

    /// What is said of all members so far.
    fn resources(&mut self) -> Vec<Value> {
        self.end();
        self.path = "";
        self.resources.clone()
    }

    fn finish(self) -> io::Result<File> {
        let file = self.zip.finish()?.into_inner();
        file.map_err(io::IntoInnerError::into_error)
    }
}
