//! Wrong passwords are counted, so that nobody tries many; and hashing them is work, so that one is
//! done at a time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::anyhow;
use tokio::sync::Semaphore;

use crate::service::ServiceError;

/// Wrong passwords for a name, and for all names together, within [`WITHIN`] milliseconds.
const MOST_FOR_A_NAME: usize = 10;
const MOST: usize = 300;
const WITHIN: i64 = 15 * 60_000;
/// Passwords that wait to be hashed.
const MOST_WAITING: usize = 20;

/// What went wrong of late. Clones are the same.
#[derive(Clone)]
pub struct Attempts {
    /// By name, when it went wrong.
    wrong: Arc<Mutex<HashMap<String, Vec<i64>>>>,
    waiting: Arc<Semaphore>,
    hashing: Arc<Semaphore>,
}

impl Default for Attempts {
    fn default() -> Self {
        Self {
            wrong: Arc::default(),
            waiting: Arc::new(Semaphore::new(MOST_WAITING)),
            hashing: Arc::new(Semaphore::new(1)),
        }
    }
}

impl Attempts {
    /// Refused if a name was tried too often.
    pub(super) fn check(&self, name: &str, now: i64) -> Result<(), ServiceError> {
        let mut wrong = self.wrong.lock().unwrap_or_else(PoisonError::into_inner);
        wrong.retain(|_, times| {
            times.retain(|time| now - time < WITHIN);
            !times.is_empty()
        });
        let of_name = wrong.get(name).map_or(0, Vec::len);
        let of_all: usize = wrong.values().map(Vec::len).sum();
        if of_name >= MOST_FOR_A_NAME || of_all >= MOST {
            return Err(ServiceError::refused(
                "There were too many wrong passwords: try again in a quarter of an hour.",
            ));
        }
        Ok(())
    }

    pub(super) fn failed(&self, name: &str, now: i64) {
        let mut wrong = self.wrong.lock().unwrap_or_else(PoisonError::into_inner);
        // As many as are let through before `check` refuses.
        let name: String = name.chars().take(super::LONGEST_ACCOUNT).collect();
        wrong.entry(name).or_default().push(now);
    }

    pub(super) fn succeeded(&self, name: &str) {
        let mut wrong = self.wrong.lock().unwrap_or_else(PoisonError::into_inner);
        wrong.remove(name);
    }

    /// Does work beside the threads that serve, one at a time; refused if too much waits.
    pub(super) async fn one_at_a_time<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> anyhow::Result<T> + Send + 'static,
    ) -> Result<T, ServiceError> {
        let Ok(_waits) = self.waiting.try_acquire() else {
            return Err(ServiceError::refused(
                "Many people sign in just now: try again in a minute.",
            ));
        };
        let hashing = Arc::clone(&self.hashing).acquire_owned().await;
        let hashing = hashing.map_err(|_| anyhow!("the program ends"))?;
        let done = tokio::task::spawn_blocking(move || {
            let done = work();
            drop(hashing);
            done
        });
        Ok(done.await.map_err(anyhow::Error::from)??)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_not_tried_for_ever() {
        let attempts = Attempts::default();
        for time in 0..10 {
            attempts.check("ida", time).unwrap();
            attempts.failed("ida", time);
        }
        assert!(attempts.check("ida", 10).is_err());
        attempts.check("ada", 10).unwrap();
        assert!(attempts.check("ida", WITHIN - 1).is_err());
        attempts.check("ida", WITHIN).unwrap();
        attempts.succeeded("ida");
        attempts.check("ida", 10).unwrap();
    }

    #[test]
    fn nor_are_many_names() {
        let attempts = Attempts::default();
        for number in 0..MOST {
            let name = format!("name{number}");
            attempts.check(&name, 1).unwrap();
            attempts.failed(&name, 1);
        }
        assert!(attempts.check("another", 2).is_err());
        attempts.check("another", WITHIN + 1).unwrap();
        assert!(
            attempts.wrong.lock().unwrap().is_empty(),
            "what is over is let go of"
        );
    }
}
