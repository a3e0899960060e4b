//! What is said of a crawl's pages once it has ended: by what the whole crawl taught of the
//! rest of the web, and, with a model of sentences, by what they say in their own sentences.

use anyhow::Result;
use linkscent_archive::page::page_at;
use linkscent_core::address::Address;
use linkscent_core::critics::SentenceVectors;
use linkscent_sentences::CHARACTERS;

use super::{Message, Progress, Runner};
use crate::learning::sentence_model;

/// Pages read by the model between two words on how far it is.
const TOLD_EVERY: usize = 10;

impl Runner {
    /// Judges all pages again, and keeps what is said of them now. Told to pause or stop, it
    /// is content with the words.
    pub(super) fn judge_again(&mut self, on_progress: &mut impl FnMut(&Progress)) -> Result<()> {
        let judged = self.session.judge_again();
        self.keep_judgments(&judged)?;
        if !self.session.topic_model().critic().goes_by_meaning() {
            return Ok(());
        }
        match sentence_model::of(&self.store) {
            None => Ok(()),
            Some(Ok(model)) => self.judge_by(&|text| model.vector(text), on_progress),
            Some(Err(error)) => {
                let said = format!("pages were judged by their words alone: {error}");
                let (topic, crawl) = (self.crawl.topic, Some(self.crawl.id));
                let notice = self.store.notice(topic, crawl, &said);
                Ok(self.handle.block_on(notice)?)
            }
        }
    }

    /// By the vectors that texts have, of length 1.
    pub(super) fn judge_by(
        &mut self,
        vector: &dyn Fn(&str) -> Option<Vec<f32>>,
        on_progress: &mut impl FnMut(&Progress),
    ) -> Result<()> {
        let known = self.session.topic_model().graph();
        let wanted = SentenceVectors::pages_wanted(known);
        let mut vectors = SentenceVectors::of_topic(known, vector);
        for (number, address) in wanted.iter().enumerate() {
            while let Ok(message) = self.receiver.try_recv() {
                // Pages that were still under way when it was stopped are no part of its log.
                let is_told = matches!(message, Message::Told(_));
                if is_told && self.handle(message)?.is_some() {
                    return Ok(());
                }
            }
            if let Some(vector) = self.main_text(address)?.and_then(|text| vector(&text)) {
                vectors.pages.insert(address.clone(), vector);
            }
            if number.is_multiple_of(TOLD_EVERY) {
                on_progress(&Progress {
                    judged_again: Some((number, wanted.len())),
                    ..self.progress()
                });
            }
        }
        let judged = self.session.judge_by_sentences(&vectors);
        self.keep_judgments(&judged)
    }

    /// By the page's kept copy; none where there is no copy, or none that can be read.
    fn main_text(&self, address: &Address) -> Result<Option<String>> {
        let kept = self.store.kept_page(self.crawl.id, address.as_str());
        let Some((offset, _)) = self.handle.block_on(kept)? else {
            return Ok(None);
        };
        let Ok((page, _)) = page_at(&self.store.warc_path(self.crawl.id), offset, address) else {
            return Ok(None);
        };
        Ok(Some(page.document().main_text(CHARACTERS)))
    }
}
