//! All that speaks for a page of the library, for who wants the full explanation: what its
//! topic's model makes of the page, and of the link by which a crawl came to it, as it knows both
//! now. What was known when the link was followed was less, so numbers differ from those of then.

use std::path::Path;

use anyhow::Context;
use linkscent_archive::page::page_at;
use linkscent_core::address::Address;
use linkscent_core::critics::probability;
use linkscent_core::page::Page;
use linkscent_core::strategies::{Explanation, SplitMix};
use linkscent_core::topic_model::TopicModel;
use linkscent_core::web_graph::Judgment;

use crate::Library;
use crate::ServiceError;
use crate::learning::sentences::{of_targets, read_links};
use linkscent_sentences::Meant;
use linkscent_store::{ResultRow, Topic};

/// What speaks for a page.
pub struct Explained {
    /// The topic.
    pub topic: Topic,
    /// The page as its crawl put it down.
    pub row: ResultRow,
    /// What the topic model makes of the page as it was kept.
    pub judgment: Judgment,
    /// How likely it is what is looked for, by that.
    pub probability: f64,
    /// The link that led there; none where the crawl began, and where it does not stand on the
    /// kept page before.
    pub link: Option<ExplainedLink>,
}

/// What speaks for a link.
pub struct ExplainedLink {
    /// The page it stands on.
    pub from: Address,
    /// How likely it leads to a good page; none if it would not be followed.
    pub probability: Option<f64>,
    /// The main reasons, in words.
    pub reason: String,
    /// How its score comes about.
    pub score: Explanation,
}

impl Library {
    /// Explains a page of a crawl.
    pub async fn explain(&self, crawl: i64, number: u64) -> Result<Explained, ServiceError> {
        let missing = || ServiceError::Missing("kept page");
        let row = self.context.store.result_at(crawl, number).await?;
        let row = row.ok_or_else(missing)?;
        let (_, topic) = self.context.crawl(crawl).await?;
        let page = self.kept_page(crawl, number).await?;
        let archive = self.context.store.warc_path(crawl);
        let before = match row.trail.first() {
            Some(before) => {
                let kept = self.context.store.kept_page(crawl, before).await?;
                kept.map(|(offset, _)| (offset, before.clone()))
            }
            None => None,
        };
        let known = self.models.topic_model(&topic).await?;
        let targets = of_targets(&self.context.store, topic.id).await?;
        let explaining = tokio::task::spawn_blocking(move || {
            // Looking at a page teaches, so it is done with a copy that is thrown away.
            let mut topic_model = TopicModel::with_knowledge(known.knowledge())?;
            let judgment = topic_model.judge(&page);
            let probability = probability(topic_model.critic().name(), judgment.relevance);
            let before = before.and_then(|(offset, address)| read(&archive, offset, &address));
            let link = before.and_then(|before| {
                explain_link(&mut topic_model, &before, &page.address, &targets)
            });
            Some((judgment, probability, link))
        });
        let explained = explaining.await.map_err(anyhow::Error::from)?;
        let (judgment, probability, link) =
            explained.context("a topic model cannot be made of what it knows")?;
        Ok(Explained {
            topic,
            row,
            judgment,
            probability,
            link,
        })
    }
}

fn read(archive: &Path, offset: u64, address: &str) -> Option<Page> {
    let address = Address::parse(address).ok()?;
    let (page, _) = page_at(archive, offset, &address).ok()?;
    Some(*page)
}

/// The best link of a page to another.
fn explain_link(
    topic_model: &mut TopicModel,
    page: &Page,
    to: &Address,
    targets: &[Meant],
) -> Option<ExplainedLink> {
    let visit = topic_model.visit(page, &[], None, &mut SplitMix(0));
    let page_links = read_links(topic_model, page, &visit, targets);
    let links = (0..visit.outlinks.len()).filter(|&at| visit.outlinks[at].0.target == *to);
    let (best, probability) = links
        .map(|at| (at, page_links.probability(at)))
        .max_by(|(_, one), (_, other)| one.unwrap_or(-1.0).total_cmp(&other.unwrap_or(-1.0)))?;
    let link = &visit.outlinks[best].0;
    Some(ExplainedLink {
        from: page.address.clone(),
        probability,
        reason: topic_model.reason_on_page(page, &visit, &page_links, best),
        score: topic_model.explain(link),
    })
}

#[cfg(test)]
mod tests;
