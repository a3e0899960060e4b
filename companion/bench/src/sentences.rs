//! The sentence model, which reads each text once however often a bench asks.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use linkscent_sentences::{Meant, SentenceModel};

/// What the model said of texts.
#[derive(Default)]
pub struct Sentences(Mutex<HashMap<String, Option<Meant>>>);

impl Sentences {
    /// As [`SentenceModel::vectors`].
    pub fn vectors(&self, texts: &[&str]) -> Vec<Option<Meant>> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let unread: Vec<&str> = {
            let known = lock();
            let unread = texts.iter().copied();
            unread.filter(|text| !known.contains_key(*text)).collect()
        };
        // Others may look up what is known in the meantime.
        let vectors = SentenceModel::shipped().vectors(&unread);
        let mut known = lock();
        let read = unread.iter().map(|text| (*text).to_owned());
        known.extend(read.zip(vectors));
        texts.iter().map(|text| known[*text].clone()).collect()
    }
}
