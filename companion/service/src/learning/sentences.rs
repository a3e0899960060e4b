//! What the sentence model says of a topic's marked pages and of the links of a page.

use anyhow::Result;
use linkscent_archive::page::page_at;
use linkscent_core::address::Address;
use linkscent_core::page::Page;
use linkscent_core::topic_model::{PageLinks, TopicModel, Visit};
use linkscent_sentences::{CHARACTERS, Meant, SentenceModel};
use linkscent_store::Store;

/// Marked pages that are read, those marked last.
const MOST_TARGETS: usize = 40;

/// Vectors of how the pages begin that were marked for a topic, as they were kept last. Those of which
/// there is no copy are passed over.
pub async fn of_targets(store: &Store, topic: i64) -> Result<Vec<Meant>> {
    let marks = store.marks(topic).await?.into_iter();
    let targets = marks.filter(|mark| mark.target).map(|mark| mark.address);
    let mut targets: Vec<String> = targets.collect();
    let earlier = targets.len().saturating_sub(MOST_TARGETS);
    targets.drain(..earlier);
    let mut places = Vec::new();
    for address in targets {
        let copies = store.copies(topic, &[address]).await?;
        let Some(copy) = copies.into_iter().max_by_key(|copy| copy.crawl) else {
            continue;
        };
        let kept = store.kept_page(copy.crawl, &copy.address).await?;
        places.extend(kept.map(|(offset, _)| (store.warc_path(copy.crawl), offset, copy.address)));
    }
    let reading = tokio::task::spawn_blocking(move || {
        let texts = places.into_iter().filter_map(|(archive, offset, address)| {
            let address = Address::parse(&address).ok()?;
            let (page, _) = page_at(&archive, offset, &address).ok()?;
            Some(page.document().main_text(CHARACTERS))
        });
        let texts: Vec<String> = texts.collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        SentenceModel::shipped().vectors(&texts)
    });
    Ok(reading.await?.into_iter().flatten().collect())
}

/// How likely the links of a page are that was visited, the likeliest read by the sentence model.
pub fn read_links(
    topic_model: &TopicModel,
    page: &Page,
    visit: &Visit,
    targets: &[Meant],
) -> PageLinks {
    let links = topic_model.page_links(page, visit);
    let vectors_of = |texts: &[&str]| SentenceModel::shipped().vectors(texts);
    topic_model.look_again(page, visit, links, &vectors_of, targets)
}
