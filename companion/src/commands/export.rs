//! `linkscent export`: pages of the library for other programs.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use clap::builder::PossibleValuesParser;
use indicatif::ProgressBar;
use linkscent_archive::export::{FORMATS, Format};
use linkscent_output::{file_on_stdout, print_json};
use serde_json::json;
use tempfile::NamedTempFile;

use super::place::Place;
use super::search::read_new_pages;
use linkscent_service::crawler::way::Way;
use linkscent_service::{Destination, LibraryOrder, LibraryQuery, Services};
use linkscent_store::Topic;

/// Write what crawls found to a file for other programs.
///
/// A table (csv), lines of JSON with the text (jsonl), notes in Markdown in a tar archive (md),
/// references (ris, bibtex, csl), an outline (opml), a feed (atom), bookmarks, a graph of the ways
/// there (gexf), addresses (urls), or the pages themselves as they were fetched (warc, wacz). Or a
/// topic for somebody else (topic): its targets, what was said of it, and what was learned in
/// words; no address of what was read. Or a crawl that others can check with `linkscent research verify`
/// (research): its pages, its log, what it began with. What it began with names pages that were
/// read, marked and followed in the browser before; who gets the file can read them in it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  linkscent export --topic castles --format ris --out castles.ris
  linkscent export --topic castles --format csv --out moats.csv 'moat -hotel'")]
pub struct Export {
    /// Only pages with these words, as `linkscent search` reads them.
    query: Vec<String>,
    /// Name of a topic; without it those of all topics.
    #[arg(long)]
    topic: Option<String>,
    /// What is written.
    #[arg(long, value_parser = PossibleValuesParser::new(FORMATS.iter().map(|format| format.name).chain([TOPIC, RESEARCH])))]
    format: String,
    /// The file to write, replaced if it is there; - for standard output. A WARC file that grows
    /// beyond 1 GiB is followed by others: pages.warc.gz by pages-00001.warc.gz and so on.
    #[arg(long)]
    out: PathBuf,
    /// All pages that were read, not the finds alone.
    #[arg(long)]
    all: bool,
    /// Number of the crawl that is given as a research object.
    #[arg(long)]
    crawl: Option<i64>,
    /// Give tags and notes along with a topic.
    #[arg(long)]
    annotations: bool,
    #[command(flatten)]
    place: Place,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Bytes of a WARC file after which another one is begun, as archives have them.
const PART: u64 = 1 << 30;

/// What is no format of pages, but of a topic and of a crawl.
const TOPIC: &str = "topic";
const RESEARCH: &str = "research";

impl Export {
    /// A file that takes the place of the other once it is whole.
    fn beside(&self) -> io::Result<NamedTempFile> {
        NamedTempFile::new_in(self.folder())
    }

    /// Where the file is to be.
    fn folder(&self) -> &Path {
        let folder = self.out.parent();
        let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
        folder.unwrap_or(Path::new("."))
    }

    async fn research(&self, service: &Services) -> Result<()> {
        let crawl = self
            .crawl
            .context("which crawl? Give --crawl with its number")?;
        let (crawl, topic) = service.crawls.crawl(crawl).await?;
        if self.out == Path::new("-") {
            return Ok(service
                .exports
                .write_research(&crawl, file_on_stdout())
                .await?);
        }
        let writing = || format!("writing {}", self.out.display());
        let file = self.beside().with_context(writing)?;
        let out = BufWriter::new(file.reopen().with_context(writing)?);
        service.exports.write_research(&crawl, out).await?;
        file.as_file().sync_all().with_context(writing)?;
        let bytes = file.as_file().metadata().with_context(writing)?.len();
        file.persist(&self.out).with_context(writing)?;
        let out = self.out.display();
        if self.json {
            print_json(&json!({ "file": out.to_string(), "bytes": bytes }))?;
        } else {
            print_line!(
                "{out}: crawl {} of “{}”, {bytes} bytes",
                crawl.id,
                topic.name
            );
            print_line!(
                "it names pages that were read and marked in the browser before this crawl: give \
                 it to whom you would tell"
            );
        }
        Ok(())
    }

    async fn topic_file(&self, service: &Services, topic: Option<&Topic>) -> Result<()> {
        let topic = topic.context("which topic? Give --topic")?;
        let written = service.topics.topic_file(topic, self.annotations).await?;
        if self.out == Path::new("-") {
            let mut out = file_on_stdout();
            out.write_all(&written)?;
            return Ok(out.flush()?);
        }
        let writing = || format!("writing {}", self.out.display());
        let mut file = self.beside().with_context(writing)?;
        file.write_all(&written).with_context(writing)?;
        file.as_file().sync_all().with_context(writing)?;
        file.persist(&self.out).with_context(writing)?;
        let out = self.out.display();
        if self.json {
            print_json(&json!({ "file": out.to_string(), "bytes": written.len() }))?;
        } else {
            print_line!("{out}: “{}”, {} bytes", topic.name, written.len());
        }
        Ok(())
    }

    /// Writes it: a file is there when it is whole, or as it was.
    pub async fn run(self) -> Result<()> {
        let store = self.place.open().await?;
        let service = Services::new(store, Way::default());
        let topic = match &self.topic {
            Some(name) => Some(service.topics.topic_known_as(name).await?),
            None => None,
        };
        if self.format == TOPIC {
            return self.topic_file(&service, topic.as_ref()).await;
        }
        if self.format == RESEARCH {
            return self.research(&service).await;
        }
        let format = Format::named(&self.format).context("there is no such format")?;
        read_new_pages(&service).await?;
        let query = LibraryQuery {
            text: self.query.join(" "),
            all: self.all,
            order: LibraryOrder::Likeliest,
            ..LibraryQuery::default()
        };
        let bar = ProgressBar::new_spinner();
        bar.enable_steady_tick(Duration::from_millis(200));
        let told = |pages| bar.set_message(format!("{pages} pages"));
        if self.out == Path::new("-") {
            let to = Destination::one(file_on_stdout());
            service
                .exports
                .take_out(topic.as_ref(), &query, format, to, told)
                .await?;
            return Ok(());
        }
        let writing = || format!("writing {}", self.out.display());
        let parts: Arc<Mutex<Vec<NamedTempFile>>> = Arc::default();
        let (folder, begun, name) = (self.folder().to_owned(), parts.clone(), self.out.clone());
        let to = Destination::Parts {
            size: PART,
            open: Box::new(move || {
                let mut parts = begun.lock().unwrap_or_else(PoisonError::into_inner);
                let next = part_name(&name, parts.len());
                if !parts.is_empty() && next.exists() {
                    let text = format!("{} is there already: move it first", next.display());
                    return Err(io::Error::other(text));
                }
                let file = NamedTempFile::new_in(&folder)?;
                let out = BufWriter::new(file.reopen()?);
                parts.push(file);
                Ok(Box::new(out))
            }),
        };
        let pages = service
            .exports
            .take_out(topic.as_ref(), &query, format, to, told)
            .await;
        let pages = pages.with_context(writing)?;
        let parts = std::mem::take(&mut *parts.lock().unwrap_or_else(PoisonError::into_inner));
        for file in &parts {
            file.as_file().sync_all().with_context(writing)?;
        }
        let mut files = Vec::new();
        for (number, file) in parts.into_iter().enumerate() {
            let name = part_name(&self.out, number);
            file.persist(&name).with_context(writing)?;
            files.push(name.display().to_string());
        }
        bar.finish_and_clear();
        if self.json {
            let (file, more) = (files.first(), files.get(1..));
            print_json(&json!({ "file": file, "more": more, "pages": pages }))?;
        } else {
            print_line!("{}: {pages} pages", files.join(", "));
        }
        Ok(())
    }
}

/// The name of a part: the first has the name that was given, later ones their number in front of
/// what its endings are.
fn part_name(out: &Path, number: usize) -> PathBuf {
    if number == 0 {
        return out.to_owned();
    }
    let name = out.file_name().unwrap_or_default().to_string_lossy();
    let endings = name.find(".warc").or_else(|| name.rfind('.'));
    let (stem, endings) = name.split_at(endings.unwrap_or(name.len()));
    out.with_file_name(format!("{stem}-{number:05}{endings}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_numbered_in_front_of_their_endings() {
        for (out, number, expected) in [
            ("a/b.warc.gz", 0, "a/b.warc.gz"),
            ("a/b.warc.gz", 1, "a/b-00001.warc.gz"),
            ("b.c.gz", 12, "b.c-00012.gz"),
            ("b", 2, "b-00002"),
        ] {
            assert_eq!(part_name(Path::new(out), number), Path::new(expected));
        }
    }
}
