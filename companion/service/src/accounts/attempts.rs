//! Wrong passwords are counted, so that nobody tries many; and hashing them is work, so that one is
//! done at a time. Both by where they come from, so that who tries shuts out nobody but himself, as
//! long as he has one address.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::anyhow;
use tokio::sync::Semaphore;

use crate::ServiceError;

/// Wrong passwords within [`WITHIN`] milliseconds: for a name from a place, from a place, and for a
/// name from everywhere.
const MOST_FOR_A_NAME_FROM: usize = 10;
const MOST_FROM: usize = 30;
const MOST_FOR_A_NAME: usize = 100;
const WITHIN: i64 = 15 * 60_000;
const TOO_MANY: &str = "There were too many tries: try again in a quarter of an hour.";
/// Wrong passwords that are remembered; then the oldest are forgotten.
const MOST_KEPT: usize = 20_000;
/// Passwords that wait to be hashed, from a place and in all.
const MOST_WAITING_FROM: usize = 3;
const MOST_WAITING: usize = 50;

/// A password that was wrong.
struct Wrong {
    time: i64,
    name: String,
    from: String,
}

/// What went wrong of late. Clones are the same.
#[derive(Clone)]
pub struct Attempts {
    /// The oldest first.
    wrong: Arc<Mutex<VecDeque<Wrong>>>,
    /// Where the passwords came from that wait to be hashed.
    waiting: Arc<Mutex<Vec<String>>>,
    hashing: Arc<Semaphore>,
}

impl Default for Attempts {
    fn default() -> Self {
        Self {
            wrong: Arc::default(),
            waiting: Arc::default(),
            hashing: Arc::new(Semaphore::new(1)),
        }
    }
}

/// One that waits, until it is dropped.
struct Waiting<'a> {
    all: &'a Mutex<Vec<String>>,
    from: &'a str,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = all.iter().position(|from| from == self.from) {
            all.swap_remove(place);
        }
    }
}

impl Attempts {
    /// Refused if a name was tried too often, or too much came from there.
    pub(super) fn check(&self, name: &str, from: &str, now: i64) -> Result<(), ServiceError> {
        let mut wrong = self.wrong.lock().unwrap_or_else(PoisonError::into_inner);
        while wrong
            .front()
            .is_some_and(|wrong| now - wrong.time >= WITHIN)
        {
            wrong.pop_front();
        }
        let count = |is: &dyn Fn(&Wrong) -> bool| wrong.iter().filter(|wrong| is(wrong)).count();
        let of_name = count(&|wrong| wrong.name == name);
        let from_there = count(&|wrong| wrong.from == from);
        let of_name_from_there = count(&|wrong| wrong.name == name && wrong.from == from);
        if of_name_from_there >= MOST_FOR_A_NAME_FROM
            || from_there >= MOST_FROM
            || of_name >= MOST_FOR_A_NAME
        {
            return Err(ServiceError::refused(TOO_MANY));
        }
        Ok(())
    }

    /// The same of a place alone.
    pub(super) fn check_from(&self, from: &str, now: i64) -> Result<(), ServiceError> {
        let wrong = self.wrong.lock().unwrap_or_else(PoisonError::into_inner);
        let from_there = wrong
            .iter()
            .filter(|wrong| wrong.from == from && now - wrong.time < WITHIN);
        if from_there.count() >= MOST_FROM {
            return Err(ServiceError::refused(TOO_MANY));
        }
        Ok(())
    }

    pub(super) fn failed(&self, name: &str, from: &str, now: i64) {
        let mut wrong = self.wrong.lock().unwrap_or_else(PoisonError::into_inner);
        if wrong.len() >= MOST_KEPT {
            wrong.pop_front();
        }
        let short = |text: &str| text.chars().take(super::LONGEST_ACCOUNT + 1).collect();
        wrong.push_back(Wrong {
            time: now,
            name: short(name),
            from: short(from),
        });
    }

    /// Who signs in rightly is counted afresh.
    pub(super) fn succeeded(&self, name: &str, from: &str) {
        let mut wrong = self.wrong.lock().unwrap_or_else(PoisonError::into_inner);
        wrong.retain(|wrong| wrong.name != name || wrong.from != from);
    }

    /// Does work beside the threads that serve, one at a time, if `may` allows it when its turn has
    /// come; refused if too much waits.
    pub(super) async fn one_at_a_time<T: Send + 'static>(
        &self,
        from: &str,
        may: impl FnOnce() -> Result<(), ServiceError>,
        work: impl FnOnce() -> anyhow::Result<T> + Send + 'static,
    ) -> Result<T, ServiceError> {
        let _waits = self.wait(from)?;
        let hashing = Arc::clone(&self.hashing).acquire_owned().await;
        let hashing = hashing.map_err(|_| anyhow!("the program ends"))?;
        may()?;
        let done = tokio::task::spawn_blocking(move || {
            let done = work();
            drop(hashing);
            done
        });
        Ok(done.await.map_err(anyhow::Error::from)??)
    }

    fn wait<'a>(&'a self, from: &'a str) -> Result<Waiting<'a>, ServiceError> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let from_there = waiting.iter().filter(|other| *other == from).count();
        if from_there >= MOST_WAITING_FROM || waiting.len() >= MOST_WAITING {
            return Err(ServiceError::refused(
                "Many people sign in just now: try again in a minute.",
            ));
        }
        waiting.push(from.to_owned());
        Ok(Waiting {
            all: &self.waiting,
            from,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tries until it is refused; how often that was.
    fn tries(attempts: &Attempts, place: impl Fn(usize) -> (String, String)) -> usize {
        for number in 0.. {
            let (name, from) = place(number);
            if attempts.check(&name, &from, 1).is_err() {
                return number;
            }
            attempts.failed(&name, &from, 1);
        }
        unreachable!()
    }

    #[test]
    fn nobody_tries_for_ever_and_shuts_out_others() {
        let attempts = Attempts::default();
        let one = |_| ("ida".to_owned(), "here".to_owned());
        assert_eq!(tries(&attempts, one), 10);
        let many_names = |number| (format!("name{number}"), "here".to_owned());
        assert_eq!(tries(&attempts, many_names), 20, "with those of before");
        attempts.check("ida", "there", 2).unwrap();
        attempts.check("ada", "there", 2).unwrap();
        assert!(attempts.check("ada", "here", WITHIN).is_err());
        attempts.check("ada", "here", WITHIN + 1).unwrap();
        assert!(
            attempts.wrong.lock().unwrap().is_empty(),
            "what is over is let go of"
        );
    }

    #[test]
    fn nor_from_everywhere() {
        let attempts = Attempts::default();
        let from = |number| ("ida".to_owned(), format!("place{number}"));
        assert_eq!(tries(&attempts, from), 100);
        attempts.check("ada", "place1", 2).unwrap();
    }

    #[test]
    fn who_is_right_is_counted_afresh() {
        let attempts = Attempts::default();
        for _ in 0..9 {
            attempts.failed("ida", "here", 1);
        }
        attempts.succeeded("ida", "here");
        let one = |_| ("ida".to_owned(), "here".to_owned());
        assert_eq!(tries(&attempts, one), 10);
    }

    #[test]
    fn only_so_many_wait() {
        let attempts = Attempts::default();
        let here: Vec<_> = (0..3).map(|_| attempts.wait("here").unwrap()).collect();
        assert!(attempts.wait("here").is_err());
        let there = attempts.wait("there").unwrap();
        drop(here);
        let _again = attempts.wait("here").unwrap();
        drop(there);
        assert_eq!(*attempts.waiting.lock().unwrap(), ["here"]);
    }

    #[tokio::test]
    async fn who_waited_is_asked_again_whether_he_may() {
        let attempts = Attempts::default();
        let refused = attempts.one_at_a_time(
            "here",
            || Err(ServiceError::refused("no more")),
            || -> anyhow::Result<()> { panic!("it is not done") },
        );
        assert_eq!(refused.await.unwrap_err().to_string(), "no more");
        assert!(attempts.waiting.lock().unwrap().is_empty());
    }
}
