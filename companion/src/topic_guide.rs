//! A topic's guide: the model its last crawl left, and on top of it what the
//! person did since, from the log of marks and trails.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use linkscent_core::address::Address;
use linkscent_core::dom::DomOffset;
use linkscent_core::features::{LinkContext, OffsetTerm, PageTerms};
use linkscent_core::guide::Guide;
use linkscent_core::strategies::{Candidate, Draw, Step, Trail};
use linkscent_core::text::Vocabulary;
use linkscent_core::web_graph::{Judgment, Mark, Relevance};
use linkscent_core::wire::api::Happening;
use linkscent_core::wire::read_model;

use crate::store::{Store, Topic};

/// The guide of a topic, with the strategy named or the default one.
pub async fn of(store: &Store, topic: &Topic, critic: &str, strategy: &str) -> Result<Guide> {
    let mut guide = match store.model(topic.id).await? {
        Some(model) => {
            let mut knowledge = read_model(&model)?;
            if knowledge.strategy != strategy || knowledge.critic != critic {
                strategy.clone_into(&mut knowledge.strategy);
                critic.clone_into(&mut knowledge.critic);
            }
            Guide::with_knowledge(knowledge)
        }
        None => Guide::new(critic, strategy),
    }
    .with_context(|| format!("there is no critic {critic:?} or no strategy {strategy:?}"))?;
    let mut marks = BTreeMap::new();
    for event in store.events(topic.id).await? {
        match event.what {
            Happening::Mark {
                address,
                target,
                words,
                ..
            } => {
                marks.insert(address, (target, words));
            }
            Happening::Trail {
                from,
                to,
                anchor,
                context,
                relevance,
            } => {
                if let Ok(link) = followed(&mut guide, &from, &to, &anchor, &context) {
                    let judgment = Judgment {
                        relevance: Relevance::new(relevance),
                        is_target: relevance >= 0.5,
                        ..Judgment::default()
                    };
                    guide.learn_trail(link, judgment, &mut Zero);
                }
            }
        }
    }
    for (address, (target, words)) in marks {
        let Ok(address) = Address::parse(&address) else {
            continue;
        };
        let terms = terms(guide.vocabulary_mut(), &words);
        let mark = target.map(|target| if target { Mark::Target } else { Mark::NotTarget });
        guide.mark_terms(&address, &terms, mark);
    }
    Ok(guide)
}

fn terms(vocabulary: &mut Vocabulary, words: &[(String, u32)]) -> PageTerms {
    let mut rows: Vec<_> = words
        .iter()
        .filter_map(|(word, count)| Some((vocabulary.intern(word, word)?, *count)))
        .collect();
    rows.sort_unstable();
    rows.dedup_by_key(|row| row.0);
    PageTerms::from_rows(rows)
}

fn followed(
    guide: &mut Guide,
    from: &str,
    to: &str,
    anchor: &str,
    context: &[(String, i32)],
) -> Result<Candidate> {
    let vocabulary = guide.vocabulary_mut();
    let features = context.iter().filter_map(|(word, offset)| {
        let term = vocabulary.intern(word, word)?;
        Some(OffsetTerm::new(term, DomOffset(*offset)))
    });
    let context = LinkContext::new(features.collect());
    let step = Step {
        address: Address::parse(from)?,
        relevance: Relevance::new(0.0),
    };
    Ok(Candidate {
        target: Address::parse(to)?,
        anchor: anchor.into(),
        context,
        trail: Trail::from_oldest([step]),
        tie: 0.0,
    })
}

/// Learning from what is past draws no lots.
struct Zero;

impl Draw for Zero {
    fn bits(&mut self) -> u64 {
        0
    }
}
