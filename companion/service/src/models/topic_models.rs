//! Topic models of topics, made once for each version of a topic: with thousands of clicks
//! that takes most of a second, and every screen and every browser asks for one.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Result;
use linkscent_core::critics;
use linkscent_core::strategies::{self, Descriptor, HopChain, LearningIteration, PathRepository};
use linkscent_core::topic_model::{Belief, TopicModel};
use linkscent_core::wire::api::EventKind;
use linkscent_core::wire::write_model;
use tokio::runtime::Handle;
use tokio::sync::OnceCell;

use crate::Models;
use crate::ServiceError;
use crate::learning::topic_model;
use linkscent_store::{Store, StoreResult, Topic};

/// Topic models that are kept; those not asked for longest go.
const MOST: usize = 8;
/// Pages and arrivals that a browser is sent with a model.
const MODEL_PAGES: usize = 200;
const MODEL_ARRIVALS: usize = 300;
/// Who looks at a topic waits so long for its topic model, if there was an earlier one.
const SOON: Duration = Duration::from_millis(300);
/// Iterations of learning that are shown.
const ITERATIONS: usize = 8;

/// A topic model and, once asked for, its model file and what it learned.
#[derive(Default)]
struct Made {
    topic_model: OnceCell<Arc<TopicModel>>,
    file: OnceCell<Arc<[u8]>>,
    learned: OnceCell<Arc<Learned>>,
}

/// A confidence that says no more than a guess would, see [`TopicModel::confidence`].
pub const GUESS: f64 = 0.5;

/// What a topic's model has learned, for who looks at the topic.
pub struct Learned {
    /// Name of the critic, or its predicate.
    pub critic: String,
    /// Name of the strategy.
    pub strategy: String,
    /// See [`TopicModel::confidence`].
    pub confidence: Option<f64>,
    /// Whether it was trained on how far links are from targets.
    pub by_distance: bool,
    /// Strategies that have to be trained, and were.
    pub trained: Vec<&'static str>,
    /// Whether pages are judged by the classes of a taxonomy.
    pub by_class: bool,
    /// What the topic is taken for.
    pub belief: Belief,
    /// The newest iterations of a strategy that learns in iterations, newest first.
    pub iterations: Vec<LearningIteration>,
}

impl Learned {
    /// Whether it is the strategy in force, with whatever weights.
    pub fn goes_by(&self, row: &Descriptor) -> bool {
        let chosen = strategies::descriptor(&self.strategy);
        chosen.is_some_and(|chosen| chosen.name == row.name)
    }

    /// What has to be done before a strategy can be chosen; empty if nothing.
    pub fn missing(&self, row: &Descriptor) -> &'static str {
        let Some(make) = row.make else {
            return if self.trained.contains(&row.name) {
                ""
            } else {
                "train it first"
            };
        };
        if make(None).profile().reading.classes && !self.by_class {
            return "it needs a taxonomy";
        }
        ""
    }

    fn by(topic_model: &TopicModel) -> Self {
        let (state, known_terms) = (
            topic_model.knowledge().learned,
            topic_model.graph().vocabulary.len(),
        );
        let is_trained = |name: &str| {
            let resumed = strategies::from_state(name, &state, known_terms);
            resumed.is_ok_and(|resumed| resumed.is_some())
        };
        let trained = strategies::REGISTRY.iter().filter(|row| row.make.is_none());
        let trained = trained.map(|row| row.name).filter(|name| is_trained(name));
        let paths = state.read::<PathRepository>(known_terms).ok().flatten();
        let iterations = paths.map(|paths| paths.iterations).unwrap_or_default();
        Self {
            critic: topic_model.critic().name().to_owned(),
            strategy: topic_model.strategy().full_name(),
            confidence: topic_model.critic().confidence(),
            by_distance: state.has::<HopChain>(),
            trained: trained.collect(),
            by_class: topic_model.critic().taxonomy().is_some(),
            belief: topic_model.belief(),
            iterations: iterations.into_iter().rev().take(ITERATIONS).collect(),
        }
    }
}

struct Entry {
    /// Of the topic.
    version: i64,
    /// Of all topics, for a topic model whose condition asks for others.
    versions: Vec<(i64, i64)>,
    made: Arc<Made>,
    /// How often the person had changed something when it was asked for first.
    era: u64,
    /// What topic models of earlier versions had learned, the last that is known, and in which era.
    learned_before: Option<(u64, Arc<Learned>)>,
    /// Grows with each use of any.
    used: u64,
}

impl Entry {
    /// What was learned, the last that is known, and in which era.
    fn last_learned(&self) -> Option<(u64, Arc<Learned>)> {
        let now = self.made.learned.get();
        let now = now.map(|learned| (self.era, Arc::clone(learned)));
        now.or_else(|| self.learned_before.clone())
    }

    /// Whether the topic model's condition asks for other topics; one that is just being made
    /// may.
    fn asks_for_others(&self) -> bool {
        let Some(topic_model) = self.made.topic_model.get() else {
            return true;
        };
        !critics::topics_asked_for(topic_model.critic().name())
            .is_ok_and(|topics| topics.is_empty())
    }
}

/// Topic models by topic and by the version of what is known of it.
#[derive(Clone)]
pub(crate) struct TopicModels {
    store: Store,
    entries: Arc<Mutex<HashMap<i64, Entry>>>,
    /// How often the person changed something.
    era: Arc<AtomicU64>,
}

impl TopicModels {
    pub(crate) fn new(store: Store) -> Self {
        Self {
            store,
            entries: Arc::default(),
            era: Arc::default(),
        }
    }

    /// The person changed something: what was learned before is not what they want to see.
    pub(crate) fn begin_era(&self) {
        self.era.fetch_add(1, Ordering::Relaxed);
    }

    /// Lets go of all, such as when pages were forgotten that they know.
    pub(crate) fn clear(&self) {
        self.lock().clear();
    }

    /// The topic model of a topic. Who asks while it is being made waits for it.
    async fn of(&self, topic: &Topic) -> Result<Arc<TopicModel>> {
        let made = self.made(topic).await?;
        Ok(Arc::clone(self.topic_model(topic, &made).await?))
    }

    /// The topic's model file, as a browser takes it.
    async fn file(&self, topic: &Topic) -> Result<Arc<[u8]>> {
        let made = self.made(topic).await?;
        let topic_model = Arc::clone(self.topic_model(topic, &made).await?);
        let file = made.file.get_or_try_init(|| async {
            tokio::task::spawn_blocking(move || {
                let mut knowledge = topic_model.knowledge();
                // What other strategies learned stays here.
                knowledge.learned = topic_model.strategy().state();
                let knowledge = knowledge.trimmed(MODEL_PAGES, MODEL_ARRIVALS);
                Ok(Arc::from(write_model(&knowledge)?))
            })
            .await?
        });
        file.await.map(Arc::clone)
    }

    /// What the topic's model has learned. Where a topic model takes long to make, as while a crawl that
    /// learned much goes on, it is what an earlier one had learned, if the person has changed nothing
    /// since: the new one is made meanwhile.
    async fn learned(&self, topic: &Topic) -> Result<Arc<Learned>> {
        let (this, of) = (self.clone(), topic.clone());
        let mut making = tokio::spawn(async move { this.learned_now(&of).await });
        if let Ok(learned) = tokio::time::timeout(SOON, &mut making).await {
            return learned?;
        }
        let earlier = self.lock().get(&topic.id).and_then(Entry::last_learned);
        match earlier {
            Some((era, earlier)) if era == self.era.load(Ordering::Relaxed) => Ok(earlier),
            _ => making.await?,
        }
    }

    async fn learned_now(&self, topic: &Topic) -> Result<Arc<Learned>> {
        let made = self.made(topic).await?;
        let topic_model = Arc::clone(self.topic_model(topic, &made).await?);
        let learned = made.learned.get_or_try_init(|| async {
            Ok(tokio::task::spawn_blocking(move || Arc::new(Learned::by(&topic_model))).await?)
        });
        learned.await.map(Arc::clone)
    }

    async fn topic_model<'a>(&self, topic: &Topic, made: &'a Made) -> Result<&'a Arc<TopicModel>> {
        let making = made.topic_model.get_or_try_init(|| async {
            let (store, topic, handle) = (self.store.clone(), topic.clone(), Handle::current());
            tokio::task::spawn_blocking(move || {
                let topic_model = topic_model::of(&store, &topic, None, None);
                anyhow::Ok(Arc::new(handle.block_on(topic_model)?))
            })
            .await?
        });
        making.await
    }

    /// The place of the topic model of this version, which may be empty yet.
    async fn made(&self, topic: &Topic) -> Result<Arc<Made>> {
        let topics = self.store.topics().await?;
        let versions: Vec<(i64, i64)> = topics.iter().map(|one| (one.id, one.version)).collect();
        let mut entries = self.lock();
        let used = 1 + entries.values().map(|entry| entry.used).max().unwrap_or(0);
        if let Some(entry) = entries.get_mut(&topic.id)
            && entry.version == topic.version
            && (entry.versions == versions || !entry.asks_for_others())
        {
            entry.used = used;
            return Ok(Arc::clone(&entry.made));
        }
        let made = Arc::<Made>::default();
        if entries
            .get(&topic.id)
            .is_some_and(|entry| entry.version > topic.version)
        {
            return Ok(made); // of a version that is past: nobody else will ask for it
        }
        let entry = Entry {
            version: topic.version,
            versions,
            made: Arc::clone(&made),
            era: self.era.load(Ordering::Relaxed),
            learned_before: entries.get(&topic.id).and_then(Entry::last_learned),
            used,
        };
        entries.insert(topic.id, entry);
        if entries.len() > MOST {
            let oldest = entries.iter().min_by_key(|(_, entry)| entry.used);
            if let Some(oldest) = oldest.map(|(&id, _)| id) {
                entries.remove(&oldest);
            }
        }
        Ok(made)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<i64, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Models {
    /// The topic model of a topic as it is now.
    pub async fn topic_model(&self, topic: &Topic) -> Result<Arc<TopicModel>, ServiceError> {
        Ok(self.context.topic_models.of(topic).await?)
    }

    /// Puts down what the person said of a topic.
    pub(crate) async fn put_down(&self, topic: &Topic, said: Vec<EventKind>) -> StoreResult<()> {
        let noted = self.context.store.note(topic, said).await;
        self.context.topic_models.begin_era();
        noted
    }

    /// Keeps what counts as found for a topic, as the person chose it.
    pub(crate) async fn keep_critic(&self, topic: i64, critic: &str) -> StoreResult<()> {
        let kept = self.context.store.set_critic(topic, critic).await;
        self.context.topic_models.begin_era();
        kept
    }

    /// Keeps a model that the person chose, or brought.
    pub(crate) async fn keep_model(&self, topic: i64, model: &[u8]) -> StoreResult<()> {
        let kept = self.context.store.set_model(topic, model).await;
        self.context.topic_models.begin_era();
        kept
    }

    /// Keeps a taxonomy that the person brought.
    pub(crate) async fn keep_taxonomy(&self, topic: i64, file: &[u8]) -> StoreResult<()> {
        let kept = self.context.store.set_taxonomy(topic, file).await;
        self.context.topic_models.begin_era();
        kept
    }

    /// What the topic model of a topic has learned until now.
    pub async fn learned(&self, topic: &Topic) -> Result<Arc<Learned>, ServiceError> {
        Ok(self.context.topic_models.learned(topic).await?)
    }

    /// The topic's model file for a browser, if it is newer than the version that the
    /// browser has; with its version.
    pub async fn model(
        &self,
        topic: &str,
        known: i64,
    ) -> Result<Option<(i64, Arc<[u8]>)>, ServiceError> {
        let topic = self.context.store.find_topic(topic).await?;
        let Some(topic) = topic.filter(|topic| topic.version > known) else {
            return Ok(None);
        };
        Ok(Some((
            topic.version,
            self.context.topic_models.file(&topic).await?,
        )))
    }
}

#[cfg(test)]
mod tests {
    use linkscent_core::wire::api::Forget;

    use super::*;

    use crate::Services;
    use crate::crawler::way::Way;

    #[tokio::test]
    async fn a_topic_model_is_made_once_for_a_version() {
        let folder = linkscent_store::fixtures::folder();
        let store = Store::open(folder.path()).await.unwrap();
        let topic_models = TopicModels::new(store.clone());
        let topic = store.topic_named("bees").await.unwrap();
        store.set_critic(topic.id, "topic").await.unwrap();
        let now = || async { store.topic(topic.id).await.unwrap().unwrap() };
        let first = topic_models.of(&now().await).await.unwrap();
        assert!(Arc::ptr_eq(
            &first,
            &topic_models.of(&now().await).await.unwrap()
        ));
        let file = topic_models.file(&now().await).await.unwrap();
        assert!(Arc::ptr_eq(
            &file,
            &topic_models.file(&now().await).await.unwrap()
        ));

        let mark = EventKind::mark_unread("http://a.test/", Some(true));
        store.note(&topic, vec![mark]).await.unwrap();
        let second = topic_models.of(&now().await).await.unwrap();
        assert!(!Arc::ptr_eq(&first, &second));
        // Another topic is none of its business, until a condition asks for it.
        let other = store.topic_named("birds").await.unwrap();
        let mark = || vec![EventKind::mark_unread("http://b.test/", Some(true))];
        store.note(&other, mark()).await.unwrap();
        assert!(Arc::ptr_eq(
            &second,
            &topic_models.of(&now().await).await.unwrap()
        ));
        let asks = "topic \"birds\" > 0.5";
        store.set_critic(topic.id, asks).await.unwrap();
        let third = topic_models.of(&now().await).await.unwrap();
        store.note(&other, mark()).await.unwrap();
        assert!(!Arc::ptr_eq(
            &third,
            &topic_models.of(&now().await).await.unwrap()
        ));
    }

    #[tokio::test]
    async fn what_is_forgotten_is_in_no_topic_model_any_more() {
        let folder = linkscent_store::fixtures::folder();
        let store = Store::open(folder.path()).await.unwrap();
        let service = Services::new(store, Way::default());
        let topic = service.topics.create_topic("bees", &[]).await.unwrap();
        let click = EventKind::Click {
            from: "http://a.test/from".to_owned(),
            to: "http://a.test/to".to_owned(),
            anchor: "to".to_owned(),
            context: vec![("hive".to_owned(), 0)],
            relevance: 0.9,
            passed_over: Vec::new(),
        };
        service
            .context
            .store
            .note(&topic, vec![click])
            .await
            .unwrap();
        let forget = Forget {
            pages: vec!["http://a.test/to".to_owned()],
            ..Forget::default()
        };
        let mentions = || async {
            let topic = service.topics.topic(topic.id).await.unwrap();
            let topic_model = service.models.topic_model(&topic).await.unwrap();
            topic_model.knowledge().mentions(&forget.to_forget())
        };
        assert!(mentions().await);
        service.deletion.forget(&forget).await.unwrap();
        assert!(!mentions().await);
    }

    #[tokio::test]
    async fn few_topic_models_are_kept() {
        let folder = linkscent_store::fixtures::folder();
        let store = Store::open(folder.path()).await.unwrap();
        let topic_models = TopicModels::new(store.clone());
        for name in 0..2 * MOST {
            let topic = store.topic_named(&name.to_string()).await.unwrap();
            topic_models.of(&topic).await.unwrap();
        }
        assert_eq!(topic_models.lock().len(), MOST);
    }
}
