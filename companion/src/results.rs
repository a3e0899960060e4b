//! What a crawl found, and the person's word on it.

use anyhow::Context;
use linkscent_core::address::Address;
use linkscent_core::page::Page;
use linkscent_core::wire::api::{Answer, EventKind, mark_of};

use crate::api::{App, Problem};
use crate::crawler::fetch::build;
use crate::crawler::runner::Command;
use crate::store::{CrawlRow, Topic};
use crate::web::warc::Reader;

/// A page that a crawl kept.
pub async fn kept_page(app: &App, crawl: i64, address: &str) -> Result<Page, Problem> {
    let missing = || Problem::missing("There is no such page in this crawl.");
    let kept = app.store.kept_page(crawl, address).await?;
    let (offset, _) = kept.ok_or_else(missing)?;
    let name = address.to_owned();
    let address = Address::parse(address).map_err(|error| Problem::bad(error.to_string()))?;
    let path = app.store.warc_path(crawl);
    let page = tokio::task::spawn_blocking(move || -> anyhow::Result<Page> {
        let response = Reader::response_at(&path, offset, &name)
            .context("the kept copy of this page cannot be read; fetch it again in a new crawl")?;
        Ok(*build(address, &response.body, response.content_type.as_deref()).0)
    });
    Ok(page.await.map_err(anyhow::Error::from)??)
}

/// Marks a page that a crawl fetched, or takes the mark back: a line in the topic's
/// log, and a word to the crawl if it still runs.
pub async fn mark(
    app: &App,
    crawl: &CrawlRow,
    topic: &Topic,
    address: &str,
    target: Option<bool>,
) -> Result<(), Problem> {
    let page = kept_page(app, crawl.id, address).await?;
    let marked = EventKind::mark(&page, target);
    app.store.note(topic, vec![marked]).await?;
    let mark = Command::Mark(page.address, mark_of(target));
    app.running.send(crawl.id, mark).await?;
    Ok(())
}

/// Takes the answer to a crawl's question in: a mark, unless it is skipped.
pub async fn answer(
    app: &App,
    crawl: &CrawlRow,
    topic: &Topic,
    address: &str,
    answer: Answer,
) -> Result<(), Problem> {
    let open = app.store.questions(crawl.id).await?;
    if open.iter().all(|question| question.address != address) {
        let text = "Nobody asked about this page, or it was answered before.";
        return Err(Problem::missing(text));
    }
    if answer.target().is_some() {
        mark(app, crawl, topic, address, answer.target()).await?;
    }
    app.store.answer(crawl.id, address, answer.code()).await?;
    app.running.say_changed();
    Ok(())
}
