//! `linkscent import archive`: the pages of an archive that others made, as a crawl of a topic.

use std::path::PathBuf;

use anyhow::{Context, Result};
use indicatif::ProgressBar;
use linkscent_archive::import::Survey;
use linkscent_output::print_json;
use serde_json::json;
use tokio::runtime::Handle;

use crate::commands::told_to_end;
use linkscent_service::Services;
use linkscent_service::crawler::fetch::Fetcher;
use linkscent_service::crawler::runner::{Ended, Given, Runner};
use linkscent_service::crawler::way::Way;
use linkscent_store::{Command, CrawlRow, Store};

/// An archive that is to be taken in.
pub(super) struct ArchiveImport {
    pub store: Store,
    pub service: Services,
    pub file: PathBuf,
    /// Name of the topic.
    pub topic: String,
    /// Only what is in it is told.
    pub dry_run: bool,
    pub json: bool,
}

impl ArchiveImport {
    /// Looks through the archive, tells what is in it, and takes it in.
    pub async fn run(self) -> Result<()> {
        let given = self.service.crawls.look_through(self.file.clone()).await?;
        let survey = given.import().survey().clone();
        if !self.json {
            tell(&survey);
        }
        if self.dry_run {
            if self.json {
                print_json(&survey)?;
            }
            return Ok(());
        }
        let topic = self.service.topics.create_topic(&self.topic, &[]).await?;
        let crawl = self.service.crawls.prepare_import(&topic, &given).await?;
        let ended = self.take_in(&crawl, given, survey.pages).await?;
        let counts = self.service.crawls.counts(crawl.id).await?;
        let (pages, relevant) = (counts.pages, counts.relevant);
        let notices = self
            .service
            .crawls
            .notices(topic.id, Some(crawl.id))
            .await?;
        if self.json {
            let whole = !matches!(ended, Ended::Paused);
            print_json(&json!({
                "crawl": crawl.id, "pages": pages, "relevant": relevant, "whole": whole,
                "in_archive": survey, "notices": notices,
            }))?;
            return Ok(());
        }
        print_line!(
            "crawl {} of “{}”: {pages} pages taken in, {relevant} of them relevant",
            crawl.id,
            topic.name
        );
        if matches!(ended, Ended::Paused) {
            print_line!(
                "it was ended before all pages were in: give the command again, and it goes on"
            );
        }
        for notice in notices {
            print_line!("  {notice}");
        }
        Ok(())
    }

    async fn take_in(&self, crawl: &CrawlRow, given: Given, pages: u64) -> Result<Ended> {
        let bar = if self.json {
            ProgressBar::hidden()
        } else {
            ProgressBar::new(pages)
        };
        let (store, crawl, handle) = (self.store.clone(), crawl.clone(), Handle::current());
        let fetcher = Fetcher::new(Way::default())?;
        let taking = tokio::task::spawn_blocking(move || {
            let runner = Runner::resume(store, crawl, fetcher, handle.clone(), |_, _| {})?;
            let control = runner.control();
            handle.spawn(async move {
                told_to_end().await;
                control.send(Command::Pause);
            });
            let ran = runner.run_with(Some(&given), |progress| {
                bar.set_position(progress.stats.pages);
            });
            bar.finish_and_clear();
            anyhow::Ok(ran?.0)
        });
        taking.await.context("taking the archive in")?
    }
}

/// What is in an archive, for people.
fn tell(survey: &Survey) {
    let dates = match (&survey.first, &survey.last) {
        (Some(first), Some(last)) if first != last => format!(", read from {first} to {last}"),
        (Some(first), _) => format!(", read {first}"),
        _ => String::new(),
    };
    message!("{} pages of {} sites{dates}", survey.pages, survey.sites);
    for (site, pages) in &survey.top_sites {
        message!("  {pages:>7} {site}");
    }
    for (reason, count) in survey.passed_over.iter() {
        message!("  passed over: {count} {}", reason.said());
    }
    for problem in &survey.problems {
        message!("  {problem}");
    }
}
