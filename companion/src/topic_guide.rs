//! A topic's guide: the model its last crawl left, and on top of it what the
//! person did since, from the log of marks and trails.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use linkscent_core::address::Address;
use linkscent_core::guide::Guide;
use linkscent_core::strategies::SplitMix;
use linkscent_core::web_graph::{Judgment, Relevance};
use linkscent_core::wire::api::{Event, Happening, mark_of, marked_terms};
use linkscent_core::wire::read_model;
use linkscent_core::{critics, strategies};

use crate::store::{Store, Topic};

/// The guide of a topic, with the critic and the strategy named, or those that
/// its model has, or the default ones.
pub async fn of(
    store: &Store,
    topic: &Topic,
    critic: Option<&str>,
    strategy: Option<&str>,
) -> Result<Guide> {
    let known = match store.model(topic.id).await? {
        Some(model) => {
            let mut knowledge = read_model(&model)?;
            if let Some(critic) = critic {
                critic.clone_into(&mut knowledge.critic);
            }
            if let Some(strategy) = strategy {
                strategy.clone_into(&mut knowledge.strategy);
            }
            Guide::with_knowledge(knowledge)
        }
        None => Guide::new(
            critic.unwrap_or(critics::NAMES[0]),
            strategy.unwrap_or(strategies::NAMES[0]),
        ),
    };
    let mut guide = known.with_context(|| {
        format!("there is no critic {critic:?} or no strategy {strategy:?} for this topic")
    })?;
    let events = store.events(topic.id).await?;
    for event in &events {
        if let Happening::Trail { relevance, .. } = &event.what
            && let Some(link) = event.what.followed(guide.vocabulary_mut())
        {
            let judgment = Judgment {
                relevance: Relevance::new(*relevance),
                is_target: *relevance >= 0.5,
                ..Judgment::default()
            };
            guide.learn_trail(link, judgment, &mut SplitMix(0));
        }
    }
    apply_marks(&mut guide, &events);
    Ok(guide)
}

/// Brings the newest word on every page into force; a word that is in force
/// already changes nothing.
pub fn apply_marks(guide: &mut Guide, events: &[Event]) {
    let mut marks = BTreeMap::new();
    for event in events {
        if let Happening::Mark {
            address,
            target,
            words,
            ..
        } = &event.what
        {
            marks.insert(address, (*target, words));
        }
    }
    for (address, (target, words)) in marks {
        let Ok(address) = Address::parse(address) else {
            continue;
        };
        // A page named on the dashboard has no words yet: it is marked when a
        // crawl fetches it.
        if target.is_some() && words.is_empty() {
            continue;
        }
        let terms = marked_terms(words, guide.vocabulary_mut());
        guide.mark_terms(&address, &terms, mark_of(target));
    }
}
