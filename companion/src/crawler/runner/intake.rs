//! Pages that an archive brings in place of requests: each is taken in as if it had been fetched,
//! with what the archive says of the exchange, and the log tells it again like any other.

use std::path::PathBuf;

use anyhow::{Context, Result};
use linkscent_archive::intake::{Intake, Limits};
use linkscent_archive::page::of_html;
use linkscent_archive::warc::KeptExchange;
use linkscent_core::address::Address;
use linkscent_core::crawl::Outcome;

use super::{Ended, LISTEN_EVERY, Progress, Runner};
use crate::store::Location;

/// An archive whose pages are taken in, as it was looked through.
pub struct Given {
    file: PathBuf,
    intake: Intake,
}

impl Given {
    /// Looks through an archive. Blocks.
    pub fn open(file: PathBuf) -> Result<Self> {
        let intake = Intake::open(&file, Limits::default())?;
        Ok(Self { file, intake })
    }

    /// What is in it.
    pub fn intake(&self) -> &Intake {
        &self.intake
    }
}

impl Runner {
    /// Takes in all pages of an archive, and has the crawl's budget end with them; how it ended
    /// if it was told to end before. What is not taken in is noted.
    pub fn take_in(
        &mut self,
        given: &Given,
        on_progress: &mut impl FnMut(&Progress),
    ) -> Result<Option<Ended>> {
        let mut problems = given.intake.survey().problems.clone();
        let mut ended = None;
        for page in given.intake.pages()? {
            match page {
                Ok(page) => ended = self.take_given(&page)?,
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
        let pages = self.session.stats().pages;
        let ends = self.store.set_budget(self.crawl.id, pages);
        self.handle.block_on(ends)?;
        self.note_intake(given, pages, &problems)?;
        Ok(ended)
    }

    fn note_intake(&self, given: &Given, pages: u64, problems: &[String]) -> Result<()> {
        let passed_over = given.intake.survey().passed_over.iter();
        let passed_over = passed_over.map(|(reason, count)| format!("{count} {}", reason.said()));
        let mut said = format!("{pages} pages were taken in from {}", given.file.display());
        let passed_over: Vec<String> = passed_over.collect();
        if !passed_over.is_empty() {
            said.push_str(&format!("; passed over: {}", passed_over.join(", ")));
        }
        let notices = std::iter::once(&said).chain(problems);
        for said in notices {
            let (topic, crawl) = (self.crawl.topic, Some(self.crawl.id));
            let notice = self.store.notice(topic, crawl, said);
            self.handle.block_on(notice)?;
        }
        Ok(())
    }

    fn take_given(&mut self, given: &KeptExchange) -> Result<Option<Ended>> {
        let address = Address::parse(&given.address).context("a page of the archive")?;
        let (page, digest) = of_html(address.clone(), &given.html(), &given.body);
        let outcome = Outcome::Page(page, digest);
        let Some(record) = self.session.replay(&address, outcome, &mut self.rng) else {
            return Ok(None);
        };
        let mut place = Location::default();
        if record.judgment.is_some() {
            let mut kept = given.kept();
            kept.address = address.as_str();
            place.warc_offset = Some(self.keep_page(&kept)?);
        }
        self.put_down(record, place)
    }
}
