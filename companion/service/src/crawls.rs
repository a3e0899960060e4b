//! Beginning crawls, and pausing, resuming and stopping them: the same rules for whoever
//! asks.

use anyhow::Context as _;
use linkscent_core::crawl::{CrawlSpec, DEFAULT_DELAY, Scope, as_host};
use linkscent_core::topic_model::TopicModel;
use linkscent_core::wire::api::EventKind;
use linkscent_core::wire::write_model;

use super::ServiceError;
use super::context::Context;
use super::{Models, Topics};
use crate::learning::topic_model;
use crate::topics::taxonomies::check_topic_model;
use linkscent_store::{self, Command, CrawlKind, CrawlRow, CrawlState, Order, Topic};
use std::sync::Arc;
pub(super) mod another_strategy;
pub(super) mod answers;
pub(super) mod change;
pub(super) mod dry_run;
pub(super) mod going_on;
pub(super) mod import;

/// Crawls: begun, paused, changed, given pages and answers.
#[derive(Clone)]
pub struct Crawls {
    pub(super) context: Arc<Context>,
    models: Models,
    topics: Topics,
    /// Held while it is settled which crawl takes an archive in.
    imports: Arc<tokio::sync::Mutex<()>>,
}

impl Crawls {
    pub(super) fn new(context: Arc<Context>, models: Models, topics: Topics) -> Self {
        Self {
            context,
            models,
            topics,
            imports: Arc::default(),
        }
    }
}

/// Where a crawl starts. Where nothing is given it starts from the topic's targets.
#[derive(Debug, Clone, Default)]
pub struct Starts {
    /// Pages that are what is looked for; they become targets of the topic.
    pub examples: Vec<String>,
    /// Other pages. Those that are targets of the topic count as examples.
    pub seeds: Vec<String>,
    /// Whether it starts from the topic's targets in any case.
    pub from_targets: bool,
}

/// A crawl as it is asked for.
#[derive(Debug, Clone)]
pub struct NewCrawl {
    /// Where it starts.
    pub starts: Starts,
    /// How it is to go.
    pub spec: CrawlSpec,
    /// The critic (a name or a predicate), where another than the topic's is wanted.
    pub critic: Option<String>,
    /// The strategy, where another than the topic's is wanted.
    pub strategy: Option<String>,
    /// The topic with whose knowledge it begins, where that is wanted.
    pub start_from: Option<String>,
    /// What it is.
    pub kind: CrawlKind,
}

impl NewCrawl {
    /// As usual, from there.
    pub fn new(starts: Starts, budget: u64) -> Self {
        Self {
            starts,
            spec: CrawlSpec::new(budget),
            critic: None,
            strategy: None,
            start_from: None,
            kind: CrawlKind::Usual,
        }
    }
}

/// What a crawl came to so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CrawlCounts {
    /// Pages fetched.
    pub pages: u64,
    /// Those that were not marked before.
    pub scored: u64,
    /// Those of the scored that are relevant.
    pub relevant: u64,
    /// Requests that brought no page.
    pub other: u64,
}

impl CrawlCounts {
    /// Share of the scored pages that is relevant, 0..=1.
    pub fn harvest(&self) -> f64 {
        self.relevant as f64 / self.scored.max(1) as f64
    }
}

impl Crawls {
    /// Begins a crawl for a topic and leaves it to be run by whoever takes it up. Nothing
    /// is kept if it is refused.
    pub async fn prepare_crawl(
        &self,
        topic: &Topic,
        new: &NewCrawl,
    ) -> Result<CrawlRow, ServiceError> {
        let order = self.order(topic, new).await?;
        self.keep_order(topic, new, &order).await
    }

    /// Begins a crawl that is to go as ordered.
    pub(super) async fn keep_order(
        &self,
        topic: &Topic,
        new: &NewCrawl,
        order: &Order,
    ) -> Result<CrawlRow, ServiceError> {
        let (topic_model, begun_with) = self.start_topic_model(topic, new).await?;
        check_share(order, &topic_model)?;
        let start_model = write_model(&topic_model.knowledge()).map_err(anyhow::Error::from)?;
        let marks = self.context.store.marks(topic.id).await?;
        let is_target = |page: &&String| {
            marks
                .iter()
                .any(|mark| mark.target && mark.address == **page)
        };
        let new_targets = new.starts.examples.iter().filter(|page| !is_target(page));
        let marked = new_targets.map(|page| EventKind::mark_unread(page, Some(true)));
        self.models.put_down(topic, marked.collect()).await?;
        let begun = linkscent_store::NewCrawl {
            topic: topic.id,
            order,
            start_model: &start_model,
        };
        let id = self.context.store.begin_crawl(&begun).await?;
        if let Some(said) = begun_with {
            self.context.store.notice(topic.id, Some(id), &said).await?;
        }
        Ok(self.context.crawl(id).await?.0)
    }

    /// How a crawl would go, and the topic model it would begin with. Nothing is kept.
    pub(super) async fn unbegun(
        &self,
        topic: &Topic,
        new: &NewCrawl,
    ) -> Result<(Order, TopicModel), ServiceError> {
        let order = self.order(topic, new).await?;
        Ok((order, self.start_topic_model(topic, new).await?.0))
    }

    /// The topic model that a crawl begins with, and what another topic taught of it.
    async fn start_topic_model(
        &self,
        topic: &Topic,
        new: &NewCrawl,
    ) -> Result<(TopicModel, Option<String>), ServiceError> {
        let (critic, strategy) = (new.critic.as_deref(), new.strategy.as_deref());
        if critic.is_none() && strategy.is_none() && new.start_from.is_none() {
            let topic_model = self.models.topic_model(topic).await?;
            check_topic_model(&topic_model)?;
            let copy = TopicModel::with_knowledge(topic_model.knowledge());
            let copy = copy.context("a topic model cannot be made of what it knows")?;
            return Ok((copy, None));
        }
        let topic_model = topic_model::of(&self.context.store, topic, critic, strategy).await;
        let topic_model =
            topic_model.map_err(|error| ServiceError::refused(format!("{error:#}.")))?;
        check_topic_model(&topic_model)?;
        let Some(from) = &new.start_from else {
            return Ok((topic_model, None));
        };
        let teacher = self.models.teacher(topic, from).await?;
        let (topic_model, said) = self.models.begin_with(topic_model, &teacher).await?;
        Ok((topic_model, Some(said)))
    }

    /// Whether a crawl would be refused, and why: for a topic, or for one that is still to be
    /// made and called `name`.
    pub async fn check_crawl(
        &self,
        topic: Option<&Topic>,
        name: &str,
        new: &NewCrawl,
    ) -> Result<(), ServiceError> {
        let unmade = Topic {
            id: 0,
            key: name.to_owned(),
            name: name.to_owned(),
            version: 0,
            is_removed: false,
            is_deleted: false,
        };
        self.order(topic.unwrap_or(&unmade), new).await.map(|_| ())
    }

    /// Begins a crawl for a topic and runs it here.
    pub async fn begin_crawl(
        &self,
        topic: &Topic,
        new: &NewCrawl,
    ) -> Result<CrawlRow, ServiceError> {
        let crawl = self.prepare_crawl(topic, new).await?;
        self.context.supervisor.start(crawl.id);
        Ok(crawl)
    }

    async fn order(&self, topic: &Topic, new: &NewCrawl) -> Result<Order, ServiceError> {
        if let Some(from) = &new.start_from {
            self.models.teacher(topic, from).await?;
        }
        new.spec.check()?;
        let is_replay = self.context.way.is_loopback_proxy();
        if new.spec.delay == Some(0) && !is_replay {
            return Err(ServiceError::refused(
                "A delay of 0 is only for webs replayed on this machine: give a proxy such as \
                 http://127.0.0.1:8080, or a delay.",
            ));
        }
        let usual = if is_replay { 0 } else { DEFAULT_DELAY };
        Ok(Order {
            spec: CrawlSpec {
                delay: Some(new.spec.delay.unwrap_or(usual)),
                // A recrawl goes where the crawl before it went, however that was written.
                scope: if new.kind == CrawlKind::Recrawl {
                    new.spec.scope.clone()
                } else {
                    sound_scope(&new.spec.scope)?
                },
                ..new.spec.clone()
            },
            seeds: self.seeds(topic, &new.starts).await?,
            kind: new.kind,
        })
    }

    /// Addresses to start from, each with whether it is an example.
    async fn seeds(
        &self,
        topic: &Topic,
        starts: &Starts,
    ) -> Result<Vec<(String, bool)>, ServiceError> {
        let marks = self.context.store.marks(topic.id).await?;
        let targets: Vec<String> = marks
            .into_iter()
            .filter(|mark| mark.target)
            .map(|mark| mark.address)
            .collect();
        let mut pages: Vec<(String, bool)> = Vec::new();
        if starts.from_targets {
            pages.extend(targets.iter().map(|page| (page.clone(), true)));
        }
        let examples = starts.examples.iter().map(|page| (page.clone(), true));
        let seeds = starts.seeds.iter();
        let seeds = seeds.map(|page| (page.clone(), targets.contains(page)));
        pages.extend(examples.chain(seeds));
        if pages.is_empty() {
            pages.extend(targets.into_iter().map(|page| (page, true)));
        }
        if pages.is_empty() {
            let good = self.topics.good_pages(topic).await?;
            pages.extend(good.into_iter().map(|page| (page, true)));
        }
        let mut known = std::collections::HashSet::new();
        pages.retain(|(page, _)| known.insert(page.clone()));
        if pages.is_empty() {
            return Err(ServiceError::refused(format!(
                "A crawl has to start somewhere: mark a page as a target for “{}”, or name pages \
                 to start at.",
                topic.name
            )));
        }
        Ok(pages)
    }

    /// Pauses a crawl, wherever it runs. One that rests already is left as it is.
    pub async fn pause(&self, crawl: &CrawlRow) -> Result<(), ServiceError> {
        if crawl.state.is_running()
            && !self
                .context
                .supervisor
                .send(crawl.id, Command::Pause)
                .await?
        {
            self.context
                .store
                .set_state(crawl.id, CrawlState::Paused, "")
                .await?;
        }
        Ok(())
    }

    /// Goes on with a crawl that rests, or whose process has died. One that is over is
    /// left as it is.
    pub async fn resume(&self, crawl: &CrawlRow) -> Result<(), ServiceError> {
        if crawl.is_import() && !self.context.supervisor.has_given(crawl.id) {
            return Err(ServiceError::refused(
                "It was taking an archive in: bring that in again, and it goes on where it was.",
            ));
        }
        if !crawl.state.is_over() {
            self.context.supervisor.resume(crawl.id).await?;
        }
        Ok(())
    }

    /// Ends a crawl, wherever it runs. One that is over is left as it is.
    pub async fn stop(&self, crawl: &CrawlRow) -> Result<(), ServiceError> {
        let told = crawl.state.is_running()
            && self
                .context
                .supervisor
                .send(crawl.id, Command::Stop)
                .await?;
        if !told && !crawl.state.is_over() {
            if crawl.is_import() {
                // It is content with what it has.
                let pages = self.counts(crawl.id).await?.pages;
                self.context.store.set_budget(crawl.id, pages).await?;
                self.context.supervisor.drop_given(crawl.id);
            }
            let stopped = CrawlState::Stopped;
            self.context
                .store
                .set_state(crawl.id, stopped, "told_to")
                .await?;
        }
        Ok(())
    }

    /// What a crawl came to so far.
    pub async fn counts(&self, crawl: i64) -> Result<CrawlCounts, ServiceError> {
        let (pages, scored, relevant, other) = self.context.store.counts(crawl).await?;
        Ok(CrawlCounts {
            pages,
            scored,
            relevant,
            other,
        })
    }

    /// Removes a crawl from sight, or brings it back. One that runs is paused.
    pub async fn hide_crawl(&self, crawl: &CrawlRow, removed: bool) -> Result<(), ServiceError> {
        if removed {
            self.pause(crawl).await?;
        }
        self.context.store.hide_crawl(crawl.id, removed).await?;
        // The index has of each page the copy that was read last.
        self.context.forget_index().await?;
        self.context.say_changed();
        Ok(())
    }
}

/// That the strategy of a crawl which is to end with a share of what there is can tell how many there
/// are.
pub(super) fn check_share(order: &Order, topic_model: &TopicModel) -> Result<(), ServiceError> {
    if order.spec.until_recall.is_none() || topic_model.strategy().profile().is_log_odds {
        return Ok(());
    }
    Err(ServiceError::refused(format!(
        "The strategy {:?} does not say how likely a page is relevant, so that it cannot be told how \
         many there are: choose another, such as ensemble, or no share to end by.",
        topic_model.strategy().full_name()
    )))
}

/// The scope with its hosts as addresses have them.
fn sound_scope(scope: &Scope) -> Result<Scope, ServiceError> {
    let sound = |hosts: &[String]| -> Result<Vec<String>, ServiceError> {
        let host = |host: &String| {
            as_host(host).ok_or_else(|| {
                ServiceError::refused(format!(
                    "“{host}” is no host: write it as in an address, like www.example.org."
                ))
            })
        };
        hosts.iter().map(host).collect()
    };
    Ok(Scope {
        hosts: sound(&scope.hosts)?,
        left_out: sound(&scope.left_out)?,
        ..*scope
    })
}

#[cfg(test)]
mod tests;
