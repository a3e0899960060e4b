//! What is known of pages is kept once it was worked out, and worked out again beside who asks: of many
//! pages that takes longer than anybody likes to wait for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::library::standings::KnownPages;
use crate::{Library, ServiceError};
use linkscent_store::Topic;

/// Topics, or all together, of which it is kept.
const MOST_KNOWN: usize = 4;
/// What takes longer to work out is worked out beside who asks, who gets the last meanwhile.
const QUICK: Duration = Duration::from_millis(100);
/// No state of the logs.
const NEVER: u64 = u64::MAX;

type Turn = Arc<tokio::sync::Mutex<()>>;

/// What was worked out last. Clones are the same.
#[derive(Clone, Default)]
pub(super) struct Known {
    kept: Arc<Mutex<Kept>>,
    /// Whose turn it is to work out what is not there, of each.
    turns: Arc<Mutex<HashMap<Option<i64>, Turn>>>,
}

/// By topic, or of all.
#[derive(Default)]
struct Kept {
    of: HashMap<Option<i64>, Worked>,
    /// Grows when the person changes something: what was being worked out then counts no more.
    era: u64,
    /// Grows when pages come.
    pages: u64,
}

/// What was worked out.
struct Worked {
    known: Arc<KnownPages>,
    /// The state of the logs then.
    version: u64,
    took: Duration,
    /// Whether it is being worked out again.
    is_renewed: bool,
}

/// What is there for who asks.
enum There {
    /// It is used as it is.
    Fresh(Arc<KnownPages>),
    /// It is used as it is, and is to be worked out again meanwhile.
    Old(Arc<KnownPages>),
    Nothing,
}

impl Known {
    /// Has all worked out again before it is used: the person changed something.
    pub(super) fn forget(&self) {
        let mut kept = self.lock();
        kept.of.clear();
        kept.era += 1;
    }

    /// Has it worked out again for pages that came.
    pub(super) fn age(&self) {
        let mut kept = self.lock();
        kept.pages += 1;
        for worked in kept.of.values_mut() {
            worked.version = NEVER;
        }
    }

    /// What was worked out, for who asks when the logs stand so.
    fn there(&self, of: Option<i64>, version: u64) -> There {
        let mut kept = self.lock();
        let Some(worked) = kept.of.get_mut(&of) else {
            return There::Nothing;
        };
        let known = Arc::clone(&worked.known);
        if worked.version == version || worked.is_renewed {
            There::Fresh(known)
        } else if worked.took > QUICK {
            worked.is_renewed = true;
            There::Old(known)
        } else {
            There::Nothing
        }
    }

    /// What tells later whether something changed since.
    fn state(&self) -> (u64, u64) {
        let kept = self.lock();
        (kept.era, kept.pages)
    }

    /// Keeps what was worked out since things stood so, if nothing was changed meanwhile.
    fn keep(&self, of: Option<i64>, (era, pages): (u64, u64), mut worked: Worked) {
        let mut kept = self.lock();
        if kept.era != era {
            return;
        }
        if kept.of.len() >= MOST_KNOWN && !kept.of.contains_key(&of) {
            kept.of.clear();
        }
        if kept.pages != pages {
            worked.version = NEVER;
        }
        kept.of.insert(of, worked);
    }

    fn turn(&self, of: Option<i64>) -> Turn {
        let turns = self.turns.lock();
        let mut turns = turns.unwrap_or_else(PoisonError::into_inner);
        Arc::clone(turns.entry(of).or_default())
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Library {
    /// What is known of pages. What was worked out last is used as long as nothing has changed; of many
    /// pages also while it is worked out again for what crawls brought since.
    pub(super) async fn standings(
        &self,
        topic: Option<&Topic>,
    ) -> Result<Arc<KnownPages>, ServiceError> {
        let version = *self.context.supervisor.changes().borrow();
        let of = topic.map(|topic| topic.id);
        let mut turn = None;
        loop {
            match self.context.shelf.known.there(of, version) {
                There::Fresh(known) => return Ok(known),
                There::Old(known) => {
                    let (service, topic) = (self.clone(), topic.cloned());
                    self.context.supervisor.background().spawn(async move {
                        if let Err(error) = service.work_out(topic.as_ref(), version).await {
                            tracing::warn!("what is known of pages is not worked out: {error}");
                            service.context.shelf.known.forget();
                        }
                    });
                    return Ok(known);
                }
                There::Nothing if turn.is_some() => return self.work_out(topic, version).await,
                // Who else asks meanwhile waits for the same.
                There::Nothing => turn = Some(self.context.shelf.known.turn(of).lock_owned().await),
            }
        }
    }

    async fn work_out(
        &self,
        topic: Option<&Topic>,
        version: u64,
    ) -> Result<Arc<KnownPages>, ServiceError> {
        let (begun, state) = (Instant::now(), self.context.shelf.known.state());
        let known = Arc::new(self.known_pages(topic).await?);
        let worked = Worked {
            known: Arc::clone(&known),
            version,
            took: begun.elapsed(),
            is_renewed: false,
        };
        let of = topic.map(|topic| topic.id);
        self.context.shelf.known.keep(of, state, worked);
        Ok(known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOPIC: Option<i64> = Some(7);

    fn worked(version: u64, took: Duration) -> Worked {
        Worked {
            known: Arc::default(),
            version,
            took,
            is_renewed: false,
        }
    }

    fn is_there(known: &Known, version: u64) -> &'static str {
        match known.there(TOPIC, version) {
            There::Fresh(_) => "fresh",
            There::Old(_) => "old",
            There::Nothing => "nothing",
        }
    }

    #[test]
    fn what_took_long_is_used_while_one_works_it_out_again() {
        let known = Known::default();
        assert_eq!(is_there(&known, 1), "nothing");
        known.keep(TOPIC, known.state(), worked(1, QUICK * 2));
        assert_eq!(is_there(&known, 1), "fresh");
        assert_eq!(is_there(&known, 2), "old", "it is worked out again");
        assert_eq!(is_there(&known, 2), "fresh", "by one alone");
        known.keep(TOPIC, known.state(), worked(2, QUICK * 2));
        assert_eq!(is_there(&known, 2), "fresh");
        known.age();
        assert_eq!(is_there(&known, 2), "old");
        known.keep(TOPIC, known.state(), worked(2, QUICK));
        assert_eq!(is_there(&known, 3), "nothing", "that is quick to do");
    }

    #[test]
    fn what_was_worked_out_before_a_change_does_not_count() {
        let known = Known::default();
        let before = known.state();
        known.forget();
        known.keep(TOPIC, before, worked(1, QUICK * 2));
        assert_eq!(is_there(&known, 1), "nothing");
        let before = known.state();
        known.age();
        known.keep(TOPIC, before, worked(1, QUICK * 2));
        assert_eq!(is_there(&known, 1), "old", "pages came meanwhile");
    }

    #[test]
    fn of_few_topics_is_something_kept() {
        let known = Known::default();
        for topic in 0..20 {
            known.keep(Some(topic), known.state(), worked(1, QUICK));
            assert!(known.lock().of.len() <= MOST_KNOWN);
        }
    }
}
