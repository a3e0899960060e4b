//! What is said of a crawl's pages once it has ended: by what the whole crawl taught of the
//! rest of the web, and by what the sentence model says of how they begin.

use anyhow::Result;
use linkscent_archive::page::page_at;
use linkscent_core::address::Address;
use linkscent_core::critics::SentenceVectors;
use linkscent_core::meaning::VectorsOf;
use linkscent_sentences::{CHARACTERS, SentenceModel};

use super::{Message, Progress, Runner};

/// Pages that the model reads between two words on how far it is.
const TOGETHER: usize = 10;

impl Runner {
    /// Judges all pages again, and keeps what is said of them now. Told to pause or stop, it
    /// is content with the words.
    pub(super) fn judge_again(&mut self, on_progress: &mut impl FnMut(&Progress)) -> Result<()> {
        let judged = self.session.judge_again();
        self.keep_judgments(&judged)?;
        if !self.session.topic_model().critic().goes_by_meaning() {
            return Ok(());
        }
        let model = SentenceModel::shipped();
        self.judge_by(&|texts| model.vectors(texts), on_progress)
    }

    /// By the vectors that texts have.
    pub(super) fn judge_by(
        &mut self,
        vectors_of: &VectorsOf<'_>,
        on_progress: &mut impl FnMut(&Progress),
    ) -> Result<()> {
        let known = self.session.topic_model().graph();
        let wanted = SentenceVectors::pages_wanted(known);
        let mut vectors = SentenceVectors::of_topic(known, vectors_of);
        for (number, addresses) in wanted.chunks(TOGETHER).enumerate() {
            while let Ok(message) = self.receiver.try_recv() {
                // Pages that were still under way when it was stopped are no part of its log.
                let is_told = matches!(message, Message::Told(_));
                if is_told && self.handle(message)?.is_some() {
                    return Ok(());
                }
            }
            on_progress(&Progress {
                judged_again: Some((number * TOGETHER, wanted.len())),
                ..self.progress()
            });
            let mut texts = Vec::with_capacity(TOGETHER);
            for address in addresses {
                texts.push(self.main_text(address)?.unwrap_or_default());
            }
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let read = addresses.iter().cloned().zip(vectors_of(&texts));
            let read = read.filter_map(|(address, vector)| Some((address, vector?)));
            vectors.pages.extend(read);
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
