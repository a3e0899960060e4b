//! Taxonomies of topics (\[A\] 2.1): taking one in, choosing which of its nodes are good,
//! and the person's word on what class a page is of.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use linkscent_core::critics::taxonomy::is_under;
use linkscent_core::critics::{self, Taxonomy};
use linkscent_core::topic_model::TopicModel;
use linkscent_core::wire::api::{ClassNode, Event, EventKind, EventName};
use linkscent_core::wire::{read_taxonomy, write_taxonomy};

use crate::ServiceError;
use crate::Topics;
use crate::learning::topic_model;
use crate::page_archive;
use linkscent_store::{Command, CrawlRow, ResultRow, Topic};

/// Pages of good classes that a crawl starts at where nothing else is named.
const MOST_STARTS: usize = 50;

/// Pages that are shown at once with their classes.
pub const MOST_CLASSED: i64 = 50;

/// A topic's taxonomy, and which of its nodes are good.
pub struct TopicClasses {
    /// The taxonomy.
    pub taxonomy: Taxonomy,
    /// Good nodes, with all below them.
    pub good: Vec<String>,
    /// Whether the topic's pages are judged by them.
    pub by_class: bool,
}

impl TopicClasses {
    /// The tree: every node before those below it, and these before the next one beside it.
    pub fn nodes(&self) -> Vec<ClassNode> {
        let mut paths: Vec<(&str, u32)> = self.taxonomy.nodes().into_iter().collect();
        // Below a node come its own first: `A/B` before `A-B`.
        paths.sort_by(|a, b| a.0.split('/').cmp(b.0.split('/')));
        let node = |(path, pages): (&str, u32)| ClassNode {
            path: path.to_owned(),
            pages,
            is_class: self.taxonomy.has_class(path),
            is_good: self.good.iter().any(|good| good == path),
        };
        paths.into_iter().map(node).collect()
    }

    /// Pages that stand for good classes.
    fn good_pages(&self) -> impl Iterator<Item = String> {
        let classes = self.taxonomy.classes();
        let is_good = |class: &str| self.good.iter().any(|node| is_under(class, node));
        let examples = self.taxonomy.examples().iter();
        let good = examples.filter(move |page| is_good(&classes[usize::from(page.class)]));
        good.filter_map(|page| page.address.as_ref().map(ToString::to_string))
    }
}

impl Topics {
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
        self.models.keep_taxonomy(topic.id, &file).await?;
        let nodes = taxonomy.nodes();
        let mut kept = before.map(|classes| classes.good).unwrap_or_default();
        kept.retain(|node| nodes.contains_key(node.as_str()));
        let good = good.map_or(kept, <[String]>::to_vec);
        self.context
            .store
            .set_critic(topic.id, &critics::by_class(&good))
            .await?;
        self.context.topic(topic.id).await
    }

    /// The topic's taxonomy with its good nodes, if it has one.
    pub async fn classes(&self, topic: &Topic) -> Result<Option<TopicClasses>, ServiceError> {
        let Some(taxonomy) = topic_model::taxonomy(&self.context.store, topic).await? else {
            return Ok(None);
        };
        let critic = self
            .context
            .store
            .critic(topic.id)
            .await?
            .unwrap_or_default();
        let good = critics::good_nodes(&critic);
        Ok(Some(TopicClasses {
            taxonomy,
            by_class: good.is_some(),
            good: good.and_then(Result::ok).unwrap_or_default(),
        }))
    }

    /// The same, or that the topic has none.
    pub async fn needed_classes(&self, topic: &Topic) -> Result<TopicClasses, ServiceError> {
        let classes = self.classes(topic).await?;
        classes.ok_or_else(|| no_taxonomy(topic))
    }

    /// Chooses which nodes of the topic's taxonomy are good, in place of those that were.
    pub async fn choose_good(&self, topic: &Topic, nodes: &[String]) -> Result<(), ServiceError> {
        let classes = self.needed_classes(topic).await?;
        check_nodes(&classes.taxonomy, nodes)?;
        let mut nodes = nodes.to_vec();
        nodes.sort_unstable();
        nodes.dedup();
        let critic = critics::by_class(&nodes);
        Ok(self.models.keep_critic(topic.id, &critic).await?)
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
        let classes = self.needed_classes(topic).await?;
        if let Some(class) = class.filter(|class| !classes.taxonomy.has_class(class)) {
            return Err(ServiceError::refused(format!(
                "The taxonomy of “{}” has no class “{class}” with pages.",
                topic.name
            )));
        }
        let page = page_archive::page(&self.context.store, crawl.id, address).await?;
        let page = page.ok_or(ServiceError::Missing("page in this crawl"))?;
        let corrected = EventKind::class(&page, class.map(str::to_owned));
        let event = self.context.store.happens(topic, corrected).await?;
        self.take_events(vec![event]).await?;
        Ok(())
    }

    /// Events without those that name a class which their topic's taxonomy does not have, as
    /// one that cannot be read has none.
    pub(crate) async fn with_known_classes(
        &self,
        events: Vec<Event>,
    ) -> Result<Vec<Event>, ServiceError> {
        let mut known: HashMap<String, Option<Taxonomy>> = HashMap::new();
        let mut good = Vec::with_capacity(events.len());
        for event in events {
            if let EventKind::Class {
                class: Some(class), ..
            } = &event.what
            {
                if !known.contains_key(&event.topic) {
                    let topic = self.context.store.find_topic(&event.topic).await?;
                    let file = match topic {
                        Some(topic) => self.context.store.taxonomy(topic.id).await?,
                        None => None,
                    };
                    let taxonomy = file.and_then(|file| read_taxonomy(&file).ok());
                    known.insert(event.topic.clone(), taxonomy);
                }
                let taxonomy = known.get(&event.topic).and_then(Option::as_ref);
                if !taxonomy.is_some_and(|taxonomy| taxonomy.has_class(class)) {
                    continue;
                }
            }
            good.push(event);
        }
        Ok(good)
    }

    /// Tells every crawl that runs, here or elsewhere, that something was said of its topic
    /// itself: what it is called, in words, of classes and subtopics.
    pub(crate) async fn tell_crawls(&self, events: &[Event]) -> Result<(), ServiceError> {
        let said = events.iter().filter(|event| {
            let name = event.what.name();
            matches!(
                name,
                EventName::Class | EventName::Phrase | EventName::Subtopic | EventName::Name
            )
        });
        let topics: BTreeSet<&str> = said.map(|event| event.topic.as_str()).collect();
        for name in topics {
            let Some(topic) = self.context.store.find_topic(name).await? else {
                continue;
            };
            for crawl in self.context.store.crawls(Some(topic.id)).await? {
                if crawl.state.is_running() {
                    self.context
                        .supervisor
                        .send(crawl.id, Command::Said)
                        .await?;
                }
            }
            self.context.say_changed();
        }
        Ok(())
    }

    /// The classes that the person said pages are of, by address.
    pub async fn corrected(&self, topic: &Topic) -> Result<BTreeMap<String, String>, ServiceError> {
        let mut corrected = BTreeMap::new();
        for event in self
            .context
            .store
            .events_of(topic.id, EventName::Class)
            .await?
        {
            if let EventKind::Class { address, class, .. } = event.what {
                match class {
                    Some(class) => corrected.insert(address, class),
                    None => corrected.remove(&address),
                };
            }
        }
        Ok(corrected)
    }

    /// Pages of a crawl, newest first from `skip` on, each with the class that the person says
    /// it is of: those of a node and of all below it as they were judged, or all.
    pub async fn classed_pages(
        &self,
        crawl: &CrawlRow,
        topic: &Topic,
        node: Option<&str>,
        most: i64,
        skip: i64,
    ) -> Result<Vec<(ResultRow, Option<String>)>, ServiceError> {
        let rows = self
            .context
            .store
            .pages_of_class(crawl.id, node, most, skip)
            .await?;
        let corrected = self.corrected(topic).await?;
        let said = |row: ResultRow| {
            let said = corrected.get(&row.address).cloned();
            (row, said)
        };
        Ok(rows.into_iter().map(said).collect())
    }

    /// Where a crawl starts that is told nothing: at pages that stand for good classes.
    pub(crate) async fn good_pages(&self, topic: &Topic) -> Result<Vec<String>, ServiceError> {
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

/// Whether a topic model's strategy has what it reads: classes of pages need a taxonomy.
pub(crate) fn check_strategy(topic_model: &TopicModel) -> Result<(), ServiceError> {
    if topic_model.strategy().profile().reading.classes && topic_model.critic().taxonomy().is_none()
    {
        return Err(ServiceError::refused(format!(
            "“{}” reads the classes of pages, and the topic is not judged by classes: import a \
             taxonomy first, by linkscent import.",
            topic_model.strategy().profile().name
        )));
    }
    Ok(())
}

/// Whether a topic model can crawl: its strategy has what it reads, and where pages are judged by
/// classes some of them are good.
pub(crate) fn check_topic_model(topic_model: &TopicModel) -> Result<(), ServiceError> {
    check_strategy(topic_model)?;
    let good = critics::good_nodes(topic_model.critic().name());
    if good.is_some_and(|good| good.is_ok_and(|nodes| nodes.is_empty())) {
        return Err(ServiceError::refused(
            "No class is good yet: choose some on the topic's page, or by --good NODE.",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
