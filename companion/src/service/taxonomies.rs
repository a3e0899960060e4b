//! Taxonomies of topics (\[A\] 2.1): taking one in, choosing which of its nodes are good,
//! and the person's word on what class a page is of.

use std::collections::BTreeMap;

use linkscent_core::critics::taxonomy::is_under;
use linkscent_core::critics::{self, Taxonomy};
use linkscent_core::guide::Guide;
use linkscent_core::wire::api::{EventKind, EventName};
use linkscent_core::wire::write_taxonomy;

use super::{Service, ServiceError};
use crate::page_archive;
use crate::store::{Command, CrawlRow, Topic};
use crate::topic_guide;

/// Pages of good classes that a crawl starts at where nothing else is named.
const MOST_STARTS: usize = 50;

/// A topic's taxonomy, and which of its nodes are good.
pub struct TopicClasses {
    /// The taxonomy.
    pub taxonomy: Taxonomy,
    /// Good nodes, with all below them.
    pub good: Vec<String>,
}

impl TopicClasses {
    /// Pages that stand for good classes.
    fn good_pages(&self) -> impl Iterator<Item = String> {
        let classes = self.taxonomy.classes();
        let is_good = |class: &str| self.good.iter().any(|node| is_under(class, node));
        let examples = self.taxonomy.examples().iter();
        let good = examples.filter(move |page| is_good(&classes[usize::from(page.class)]));
        good.filter_map(|page| page.address.as_ref().map(ToString::to_string))
    }
}

impl Service {
    /// Makes a topic, or finds the one of that name, and gives it a taxonomy in place of
    /// the one it had. Pages are judged by its classes from then on. Where no nodes are
    /// given, those that were good before stay good.
    pub async fn import_taxonomy(
        &self,
        name: &str,
        taxonomy: &Taxonomy,
        good: Option<&[String]>,
    ) -> Result<Topic, ServiceError> {
        if let Some(good) = good {
            check_nodes(taxonomy, good)?;
        }
        let topic = self.create_topic(name, &[]).await?;
        let before = self.classes(&topic).await.ok().flatten();
        let file = write_taxonomy(taxonomy).map_err(anyhow::Error::from)?;
        self.store.set_taxonomy(topic.id, &file).await?;
        let nodes = taxonomy.nodes();
        let mut kept = before.map(|classes| classes.good).unwrap_or_default();
        kept.retain(|node| nodes.contains_key(node.as_str()));
        let good = good.map_or(kept, <[String]>::to_vec);
        self.store
            .set_critic(topic.id, &critics::by_class(&good))
            .await?;
        self.topic(topic.id).await
    }

    /// The topic's taxonomy with its good nodes, if it has one.
    pub async fn classes(&self, topic: &Topic) -> Result<Option<TopicClasses>, ServiceError> {
        let Some(taxonomy) = topic_guide::taxonomy(&self.store, topic).await? else {
            return Ok(None);
        };
        let critic = self.store.critic(topic.id).await?.unwrap_or_default();
        let good = critics::good_nodes(&critic).and_then(Result::ok);
        Ok(Some(TopicClasses {
            taxonomy,
            good: good.unwrap_or_default(),
        }))
    }

    /// Chooses which nodes of the topic's taxonomy are good, in place of those that were.
    pub async fn choose_good(&self, topic: &Topic, nodes: &[String]) -> Result<(), ServiceError> {
        let classes = self.classes(topic).await?;
        let classes = classes.ok_or_else(|| no_taxonomy(topic))?;
        check_nodes(&classes.taxonomy, nodes)?;
        let mut nodes = nodes.to_vec();
        nodes.sort_unstable();
        nodes.dedup();
        let critic = critics::by_class(&nodes);
        Ok(self.store.set_critic(topic.id, &critic).await?)
    }

    /// Says what class a page is of that a crawl fetched, or takes that back (`None`), and
    /// tells the crawl if it still runs.
    pub async fn correct_class(
        &self,
        crawl: &CrawlRow,
        topic: &Topic,
        address: &str,
        class: Option<&str>,
    ) -> Result<(), ServiceError> {
        let classes = self.classes(topic).await?;
        let classes = classes.ok_or_else(|| no_taxonomy(topic))?;
        if let Some(class) = class
            && !classes
                .taxonomy
                .classes()
                .iter()
                .any(|known| known == class)
        {
            return Err(ServiceError::refused(format!(
                "The taxonomy of “{}” has no class “{class}” with pages.",
                topic.name
            )));
        }
        let page = page_archive::page(&self.store, crawl.id, address).await?;
        let page = page.ok_or(ServiceError::Missing("page in this crawl"))?;
        let corrected = EventKind::class(&page, class.map(str::to_owned));
        self.store.note(topic, vec![corrected]).await?;
        self.supervisor.send(crawl.id, Command::Classes).await?;
        Ok(())
    }

    /// The classes that the person said pages are of, by address.
    pub async fn corrected(&self, topic: &Topic) -> Result<BTreeMap<String, String>, ServiceError> {
        let mut corrected = BTreeMap::new();
        for event in self.store.events_of(topic.id, EventName::Class).await? {
            if let EventKind::Class { address, class, .. } = event.what {
                match class {
                    Some(class) => corrected.insert(address, class),
                    None => corrected.remove(&address),
                };
            }
        }
        Ok(corrected)
    }

    /// Where a crawl starts that is told nothing: at pages that stand for good classes.
    pub(super) async fn good_pages(&self, topic: &Topic) -> Result<Vec<String>, ServiceError> {
        let classes = self.classes(topic).await?;
        let pages = classes.iter().flat_map(TopicClasses::good_pages);
        Ok(pages.take(MOST_STARTS).collect())
    }
}

fn no_taxonomy(topic: &Topic) -> ServiceError {
    ServiceError::refused(format!(
        "“{}” has no taxonomy: import one first, by linkscent import.",
        topic.name
    ))
}

fn check_nodes(taxonomy: &Taxonomy, nodes: &[String]) -> Result<(), ServiceError> {
    let known = taxonomy.nodes();
    match nodes.iter().find(|node| !known.contains_key(node.as_str())) {
        Some(node) => Err(ServiceError::refused(format!(
            "The taxonomy has no node “{node}” with pages."
        ))),
        None => Ok(()),
    }
}

/// Whether a guide's strategy has what it reads: classes of pages need a taxonomy.
pub(super) fn check_strategy(guide: &Guide) -> Result<(), ServiceError> {
    if guide.profile().reading.classes && guide.taxonomy().is_none() {
        return Err(ServiceError::refused(format!(
            "“{}” reads the classes of pages, and the topic is not judged by classes: import a \
             taxonomy first, by linkscent import.",
            guide.strategy()
        )));
    }
    Ok(())
}

/// Whether a guide can crawl: its strategy has what it reads, and where pages are judged by
/// classes some of them are good.
pub(super) fn check_guide(guide: &Guide) -> Result<(), ServiceError> {
    check_strategy(guide)?;
    let good = critics::good_nodes(guide.critic());
    if good.is_some_and(|good| good.is_ok_and(|nodes| nodes.is_empty())) {
        return Err(ServiceError::refused(
            "No class is good yet: choose some on the topic's page, or by --good NODE.",
        ));
    }
    Ok(())
}
