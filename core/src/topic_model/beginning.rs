//! Beginning with what was learned for another topic (\[B\] 4), and what that was worth.
//!
//! It is kept beside what the topic learns itself: whatever is learned again from the log
//! starts from there. Of a single page nothing can be told in it, so it is dropped whole where
//! pages are forgotten.

use std::cmp::Ordering;
use std::fmt;

use thiserror::Error;

use super::{Beginning, Knowledge, TopicModel};
use crate::strategies::{self, Candidate, Priority, StateError, TaughtCounts};

/// Why a topic model cannot begin with what another topic taught.
#[derive(Debug, Error)]
pub enum BeginningError {
    /// Its strategy takes in nothing of the kind.
    #[error(
        "“{0}” takes in nothing that another topic taught; those do by interest ratios, the \
         apprentices and the ensemble"
    )]
    Strategy(&'static str),
    /// There is nothing.
    #[error("nothing was learned for “{0}” yet that another topic could begin with")]
    Nothing(String),
    /// It names a critic or a strategy that there is not.
    #[error("what is known of “{0}” cannot be used by this version")]
    Unusable(String),
    /// It contradicts itself.
    #[error(transparent)]
    State(#[from] StateError),
}

/// What a beginning tells by itself of the links that were followed, as if nothing had been
/// learned since.
#[derive(Debug, Clone, PartialEq)]
pub struct BeginningWorth {
    /// The topic that taught it.
    pub topic: String,
    /// Links that were followed.
    pub links: usize,
    /// Those that led to a relevant page.
    pub good: usize,
    /// How often a link to a relevant page is put before another: with it, and without.
    /// `None` where there are no two to compare.
    pub order: Option<(f64, f64)>,
}

impl fmt::Display for BeginningWorth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            topic, links, good, ..
        } = self;
        let Some((with, without)) = self.order else {
            return write!(
                f,
                "what “{topic}” taught cannot be judged: {good} of {links} links led to a relevant \
                 page, so no two can be compared"
            );
        };
        let percent = |share: f64| (100.0 * share).round();
        write!(
            f,
            "what “{topic}” taught puts a link to a relevant page before another {} times in 100, \
             by itself; without it {}, and a guess 50 ({good} of {links} links led to a relevant \
             page)",
            percent(with),
            percent(without),
        )
    }
}

impl TopicModel {
    /// What it began with, if that was another topic's.
    pub fn beginning(&self) -> Option<&Beginning> {
        self.beginning.as_ref()
    }

    /// Begins with what was learned for another topic, in place of what it began with before;
    /// what it learned itself is learned again on top. How much that is.
    pub fn begin_with(
        &mut self,
        topic: &str,
        mut known: Knowledge,
    ) -> Result<TaughtCounts, BeginningError> {
        let own = self.strategy.profile().name;
        if !strategies::can_begin(own) {
            return Err(BeginningError::Strategy(own));
        }
        // Whatever its strategy is: ours learns from its log.
        known.strategy = self.strategy.full_name();
        let teacher = Self::with_knowledge(known);
        let teacher = teacher.ok_or_else(|| BeginningError::Unusable(topic.to_owned()))?;
        let (from, into) = (&teacher.graph.vocabulary, &mut self.graph.vocabulary);
        let learned = strategies::carried(&teacher.strategy().state(), from, into)?;
        let taught = TaughtCounts::of(&learned, self.graph.vocabulary.len())?;
        if taught.is_nothing() {
            return Err(BeginningError::Nothing(topic.to_owned()));
        }
        self.beginning = Some(Beginning {
            topic: topic.to_owned(),
            learned,
        });
        self.relearn();
        Ok(taught)
    }

    /// What that tells by itself of the links that were followed since. `None` without a
    /// beginning, and where none was followed.
    pub fn worth_of_beginning(&self) -> Option<BeginningWorth> {
        let beginning = self.beginning.as_ref()?;
        let known = self.known();
        let without = self.strategy.reset(known)?;
        let mut with = self.strategy.reset(known)?;
        let known_terms = self.graph.vocabulary.len();
        with.begin_with(&beginning.learned, known_terms).ok()?;
        let followed: Vec<(&Candidate, bool)> = self
            .log
            .arrivals()
            .filter_map(|past| {
                let link = past.via.first().filter(|link| link.source().is_some())?;
                let page = self.graph.page(&past.address)?;
                Some((link, page.judgment.relevance.is_high()))
            })
            .collect();
        let good = followed.iter().filter(|row| row.1).count();
        if followed.is_empty() {
            return None;
        }
        let can_compare = good > 0 && good < followed.len();
        let auc = |strategy: &dyn strategies::Strategy| {
            let scored = followed.iter().map(|&(link, is_good)| {
                let score = strategy.score(std::slice::from_ref(link), known);
                (score.first().and_then(|score| score.priority()), is_good)
            });
            share_of_pairs(scored.collect())
        };
        Some(BeginningWorth {
            topic: beginning.topic.clone(),
            links: followed.len(),
            good,
            order: can_compare.then(|| (auc(&*with), auc(&*without))),
        })
    }
}

/// How often one of the good has the greater priority, ties counting half: the area under the
/// ROC curve.
fn share_of_pairs(mut scored: Vec<(Option<Priority>, bool)>) -> f64 {
    scored.sort_by_key(|row| row.0);
    let good = scored.iter().filter(|row| row.1).count() as f64;
    let other = scored.len() as f64 - good;
    let (mut below, mut sum) = (0.0, 0.0);
    for ties in scored.chunk_by(|a, b| a.0.cmp(&b.0) == Ordering::Equal) {
        let good_here = ties.iter().filter(|row| row.1).count() as f64;
        let other_here = ties.len() as f64 - good_here;
        sum += good_here * (below + other_here / 2.0);
        below += other_here;
    }
    sum / (good * other)
}

#[cfg(test)]
mod tests;
