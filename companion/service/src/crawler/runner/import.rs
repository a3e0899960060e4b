//! Pages that an archive brings in place of requests: each is taken in as if it had been fetched,
//! with what the archive says of the exchange, and the log replays it like any other.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use anyhow::{Context, Result};
use linkscent_archive::import::{Import, Limits};
use linkscent_archive::page::of_html;
use linkscent_archive::warc::KeptExchange;
use linkscent_core::address::Address;
use linkscent_core::crawl::Outcome;
use linkscent_core::topic_model::ToForget;

use super::{Ended, LISTEN_EVERY, Progress, Runner};
use linkscent_store::Location;

/// An archive whose pages are taken in, as it was looked through.
pub struct Given {
    file: PathBuf,
    /// Its first page.
    first: Option<Address>,
    import: Import,
    /// What was forgotten since: it is not brought back.
    forgotten: Mutex<Vec<ToForget>>,
}

impl Given {
    /// Looks through an archive. Blocks.
    pub fn open(file: PathBuf) -> Result<Self> {
        let import = Import::open(&file, Limits::default())?;
        let mut pages = import.pages()?.flatten();
        let first = pages.find_map(|page| Address::parse(&page.address).ok());
        Ok(Self {
            file,
            first,
            import,
            forgotten: Mutex::default(),
        })
    }

    /// What is in it.
    pub fn import(&self) -> &Import {
        &self.import
    }

    /// The page that it begins with.
    pub fn first_page(&self) -> Option<&Address> {
        self.first.as_ref()
    }

    /// Leaves out what is to be forgotten, from now on.
    pub fn forget(&self, gone: &ToForget) {
        let mut forgotten = self
            .forgotten
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        forgotten.push(gone.clone());
    }

    fn is_forgotten(&self, page: &Address) -> bool {
        let forgotten = self
            .forgotten
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        forgotten.iter().any(|gone| gone.has_page(page))
    }
}

impl Runner {
    /// Takes in the pages of an archive that the crawl does not have yet, and has its budget end
    /// with them; how it ended, if it was told to before. One that is paused has no budget until it
    /// goes on and has all. What is not taken in is noted.
    pub fn take_in(
        &mut self,
        given: &Given,
        on_progress: &mut impl FnMut(&Progress),
    ) -> Result<Option<Ended>> {
        let mut problems = given.import.survey().problems.clone();
        let mut ended = None;
        for page in given.import.pages()? {
            match page {
                Ok(page) => {
                    let address = Address::parse(&page.address).context("a page of the archive")?;
                    if !self.session.is_seen(&address) && !given.is_forgotten(&address) {
                        ended = self.take_given(address, &page)?;
                    }
                }
                Err(error) => problems.push(error.to_string()),
            }
            if let Ok(message) = self.receiver.try_recv() {
                ended = self.handle(message)?.or(ended);
            }
            if self.listened.elapsed() > LISTEN_EVERY {
                ended = self.listen()?.or(ended);
            }
            if self.batch_is_due() {
                self.commit()?;
                on_progress(&self.progress());
            }
            if ended.is_some() {
                break;
            }
        }
        self.commit()?;
        if matches!(ended, None | Some(Ended::Stopped)) {
            let pages = self.session.stats().pages;
            let ends = self.store.set_budget(self.crawl.id, pages);
            self.handle.block_on(ends)?;
            self.note_import(given, pages, ended.is_none(), &problems)?;
        }
        Ok(ended)
    }

    fn note_import(
        &self,
        given: &Given,
        pages: u64,
        is_whole: bool,
        problems: &[String],
    ) -> Result<()> {
        let survey = given.import.survey();
        let mut said = format!("{pages} pages were taken in from {}", given.file.display());
        if !is_whole {
            said.push_str(&format!(", which has {}; the rest was left", survey.pages));
        }
        let passed_over = survey.passed_over.iter();
        let passed_over = passed_over.map(|(reason, count)| format!("{count} {}", reason.said()));
        let passed_over: Vec<String> = passed_over.collect();
        if !passed_over.is_empty() {
            said.push_str(&format!("; passed over: {}", passed_over.join(", ")));
        }
        for said in std::iter::once(&said).chain(problems) {
            let (topic, crawl) = (self.crawl.topic, Some(self.crawl.id));
            let notice = self.store.notice(topic, crawl, said);
            self.handle.block_on(notice)?;
        }
        Ok(())
    }

    fn take_given(&mut self, address: Address, given: &KeptExchange) -> Result<Option<Ended>> {
        let (mut page, digest) = of_html(address.clone(), &given.html(), &given.body);
        if given.exchange.asks_not_to_follow() {
            page.ask_not_to_follow();
        }
        let outcome = Outcome::Page(page, digest);
        let Some(record) = self.session.replay(&address, outcome, None, &mut self.rng) else {
            return Ok(None);
        };
        // It was read when it was captured.
        let read = humantime::parse_rfc3339_weak(&given.date).ok();
        let read = read.and_then(|read| read.duration_since(UNIX_EPOCH).ok());
        let mut place = Location {
            time: read.map_or(0, |read| read.as_millis() as i64),
            ..Location::default()
        };
        if record.judgment.is_some() {
            let mut kept = given.kept();
            kept.address = address.as_str();
            place.warc_offset = Some(self.keep_page(&kept)?);
        }
        self.put_down(record, place)
    }
}
