//! A topic's model: the model its last crawl left, and on top of it what the
//! person did since, from the log of marks and trails.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context, Result};
use linkscent_core::address::Address;
use linkscent_core::critics::{NamedTopic, NamedTopics, Sources, Taxonomy};
use linkscent_core::forms::FormWords;
use linkscent_core::text::Vocabulary;
use linkscent_core::topic_model::{Knowledge, TopicModel};
use linkscent_core::web_graph::{Judgment, Relevance};
use linkscent_core::wire::api::{Event, EventKind, mark_of, marked_terms};
use linkscent_core::wire::{read_model, read_taxonomy};
use linkscent_core::{critics, strategies};

use crate::learning::distance_model::DistanceModel;
use linkscent_store::{Store, Topic};

/// The other topics that a critic asks for. One that is not there is an error:
/// a predicate that can never hold helps nobody.
pub async fn named_topics(store: &Store, critic: &str) -> Result<NamedTopics> {
    let asked = critics::topics_asked_for(critic).with_context(|| format!("{critic:?}"))?;
    let known = store.topics().await?;
    let mut topics = NamedTopics::new();
    for name in asked {
        let topic = known.iter().find(|topic| topic.name == name);
        // A condition that was written before the topic was renamed goes on.
        let topic = topic.or_else(|| known.iter().find(|topic| topic.key == name));
        // Which others there are is not everybody's to know.
        let topic = topic.with_context(|| format!("there is no topic {name:?} to ask for"))?;
        let knowledge = kept_knowledge(store, topic).await?;
        let none = Sources::default();
        let topic_model = with_critic(store, topic, knowledge, "topic", none, None).await?;
        topics.insert(name, NamedTopic::of(topic_model.graph()));
    }
    Ok(topics)
}

/// What a topic's critic asks for besides pages and marks.
pub async fn sources(store: &Store, topic: &Topic, critic: &str) -> Result<Sources> {
    let taxonomy = match critics::good_nodes(critic) {
        Some(_) => taxonomy(store, topic).await?,
        None => None,
    };
    Ok(Sources {
        topics: named_topics(store, critic).await?,
        taxonomy: taxonomy.map(Arc::new),
    })
}

/// The topic's taxonomy, if it has one.
pub async fn taxonomy(store: &Store, topic: &Topic) -> Result<Option<Taxonomy>> {
    let file = store.taxonomy(topic.id).await?;
    let read = file.map(|file| read_taxonomy(&file)).transpose();
    read.with_context(|| {
        let name = &topic.name;
        format!("the taxonomy of “{name}” cannot be read: import it again")
    })
}

/// The topic model of a topic, with the critic (a name or a predicate) and the strategy
/// named, or those that were chosen for it, or those that its model has, or the
/// default ones.
pub async fn of(
    store: &Store,
    topic: &Topic,
    critic: Option<&str>,
    strategy: Option<&str>,
) -> Result<TopicModel> {
    let knowledge = kept_knowledge(store, topic).await?;
    let critic = match critic {
        Some(critic) => critic.to_owned(),
        None => match store.critic(topic.id).await? {
            Some(critic) => critic,
            // That of the model, or the default one.
            None => knowledge.as_ref().map_or_else(
                || critics::NAMES[0].to_owned(),
                |knowledge| knowledge.critic.clone(),
            ),
        },
    };
    let sources = sources(store, topic, &critic).await?;
    with_critic(store, topic, knowledge, &critic, sources, strategy).await
}

/// What the topic's model knows, if it has one. A model that cannot be read is passed
/// over: all of it can be learned again from the marks, the trails and further crawls.
pub async fn kept_knowledge(store: &Store, topic: &Topic) -> Result<Option<Knowledge>> {
    let Some(model) = store.model(topic.id).await? else {
        return Ok(None);
    };
    match read_model(&model) {
        Ok(knowledge) => Ok(Some(knowledge)),
        Err(error) => {
            message!(
                "linkscent: the model of the topic “{}” cannot be read ({error}); what was marked \
                 stands in for it",
                topic.name
            );
            Ok(None)
        }
    }
}

async fn with_critic(
    store: &Store,
    topic: &Topic,
    knowledge: Option<Knowledge>,
    critic: &str,
    sources: Sources,
    strategy: Option<&str>,
) -> Result<TopicModel> {
    let known = if let Some(mut knowledge) = knowledge {
        critic.clone_into(&mut knowledge.critic);
        knowledge.sources = sources;
        if let Some(strategy) = strategy {
            strategy.clone_into(&mut knowledge.strategy);
        }
        TopicModel::with_knowledge(knowledge)
    } else {
        let critic = critics::described(critic, sources)?;
        let strategy = strategies::named(strategy.unwrap_or(strategies::default_name()));
        strategy.map(|strategy| TopicModel::joining(critic, strategy, Vocabulary::default()))
    };
    let mut topic_model = known.with_context(|| match strategy {
        Some(strategy) if strategies::descriptor(strategy).is_some() => format!(
            "“{strategy}” has to be trained for “{}” first: on the topic's page, or by linkscent \
             train --of {:?} --model {}",
            topic.name,
            topic.name,
            DistanceModel::needed_by(strategy)
                .unwrap_or_default()
                .strategy()
        ),
        _ => format!("the strategy {strategy:?} or the critic {critic:?} is unknown"),
    })?;
    topic_model.name_topic(&topic.name);
    let events = store.events(topic.id).await?;
    let mut followed = Vec::new();
    for event in &events {
        if let EventKind::Click { relevance, .. } = &event.what
            && let Some(link) = event.what.followed(topic_model.vocabulary_mut())
        {
            let judgment = Judgment {
                relevance: Relevance::new(*relevance),
                is_target: *relevance >= 0.5,
                ..Judgment::default()
            };
            followed.push((link, judgment));
        }
    }
    topic_model.learn_clicks(followed);
    apply_marks(&mut topic_model, &events);
    Ok(topic_model)
}

/// Brings the newest word on every page into force; a word that is in force
/// already changes nothing.
pub fn apply_marks(topic_model: &mut TopicModel, events: &[Event]) {
    let (mut marks, mut forms) = (BTreeMap::new(), BTreeMap::new());
    for event in events {
        match &event.what {
            EventKind::Mark {
                address,
                target,
                words,
                ..
            } => {
                marks.insert(address, (*target, words));
            }
            EventKind::Form {
                address,
                form,
                wanted,
                words,
                around,
            } => {
                let words = FormWords::new(words.clone(), around.clone());
                forms.insert((address, form), (*wanted, words));
            }
            EventKind::Class { .. }
            | EventKind::Phrase { .. }
            | EventKind::Subtopic { .. }
            | EventKind::Tag { .. }
            | EventKind::Note { .. }
            | EventKind::Name { .. }
            | EventKind::Remove { .. }
            | EventKind::Click { .. }
            | EventKind::Visit(_) => {}
        }
    }
    topic_model.mark_forms(
        forms
            .into_iter()
            .filter_map(|((page, form), (wanted, words))| {
                let page = Address::parse(page).ok()?;
                Some(((page, form.clone()), words, wanted))
            }),
    );
    let mut marked = Vec::new();
    for (address, (target, words)) in marks {
        // A page named on the dashboard has no words yet: it is marked when a
        // crawl fetches it.
        if target.is_some() && words.is_empty() {
            continue;
        }
        if let Ok(address) = Address::parse(address) {
            let terms = marked_terms(words, topic_model.vocabulary_mut());
            marked.push((address, terms, mark_of(target)));
        }
    }
    topic_model.mark_all(&marked);
    apply_classes(topic_model, events);
    topic_model.take_phrases(phrases(events));
    topic_model.take_subtopics(subtopics(events));
}

/// Of which subtopic of the topic the person says pages are, in force now.
pub fn subtopics(events: &[Event]) -> BTreeMap<Address, String> {
    let mut subtopics = BTreeMap::new();
    for event in events {
        if let EventKind::Subtopic { address, subtopic } = &event.what
            && let Ok(page) = Address::parse(address)
        {
            match subtopic {
                Some(subtopic) => subtopics.insert(page, subtopic.clone()),
                None => subtopics.remove(&page),
            };
        }
    }
    subtopics
}

/// What the person said of a topic in words and did not take back, and whether that is what
/// they look for.
pub fn phrases(events: &[Event]) -> BTreeMap<String, bool> {
    let mut phrases = BTreeMap::new();
    for event in events {
        if let EventKind::Phrase { text, wanted } = &event.what {
            match *wanted {
                Some(wanted) => phrases.insert(text.clone(), wanted),
                None => phrases.remove(text),
            };
        }
    }
    phrases
}

/// Brings the newest word on the class of every page into force.
pub fn apply_classes(topic_model: &mut TopicModel, events: &[Event]) {
    let mut classes = BTreeMap::new();
    for event in events {
        if let EventKind::Class {
            address,
            class,
            words,
            ..
        } = &event.what
            && let Ok(page) = Address::parse(address)
        {
            let terms = marked_terms(words, topic_model.vocabulary_mut());
            classes.insert(page, (terms, class.clone()));
        }
    }
    let classes = classes.into_iter();
    topic_model.correct_classes(classes.map(|(page, (terms, class))| (page, terms, class)));
}
