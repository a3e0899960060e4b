//! Pages that a topic model has read since it was kept: to write a whole topic model for each page would
//! take the longer the more it knows. They are kept beside it as they were shown, and read
//! again when the topic model is; a topic model that is kept whole needs them no more.
//!
//! A page is kept without what looks like a secret in its addresses, packed.

use linkscent_core::page::Page;
use linkscent_core::strategies::{Candidate, SplitMix};
use linkscent_core::topic_model::{TopicModel, Visit};
use linkscent_core::wire::Snapshot;
use linkscent_core::wire::api::EventKind;
use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;
use serde::{Deserialize, Serialize};

/// How well pages are packed, 1..=10.
const PACKING: u8 = 1;
/// Largest page that is unpacked, in bytes.
const LARGEST: usize = 64 << 20;

/// A page that is read.
#[derive(Debug, Serialize, Deserialize)]
pub struct ModelStep {
    page: Snapshot,
    /// The click that led there.
    #[serde(default)]
    click: Option<EventKind>,
    /// With what the numbers that break ties begin.
    tie_breaks: u64,
}

/// What reading a page brought.
pub(super) struct StepTaken {
    /// Whether the page was read for the first time.
    pub is_new: bool,
    /// The link by which it was reached.
    pub via: Vec<Candidate>,
    /// What the topic model makes of it.
    pub visit: Visit,
}

impl ModelStep {
    /// A page, and the click that led there.
    pub fn new(
        snapshot: &Snapshot,
        page: &Page,
        click: Option<EventKind>,
        tie_breaks: u64,
    ) -> Self {
        Self {
            page: snapshot.without_secrets(page),
            click,
            tie_breaks,
        }
    }

    /// Where the page is, as it is kept.
    pub(super) fn address(&self) -> &str {
        &self.page.url
    }

    /// The topic model reads the page.
    pub(super) fn take(&self, page: &Page, topic_model: &mut TopicModel) -> StepTaken {
        let click = self.click.as_ref();
        let via = click.and_then(|click| click.followed(topic_model.vocabulary_mut()));
        let via: Vec<Candidate> = via.into_iter().collect();
        let is_new = topic_model.graph().page(&page.address).is_none();
        let visit = topic_model.visit(page, &via, None, &mut SplitMix(self.tie_breaks));
        StepTaken { is_new, via, visit }
    }

    /// The same with a page as it was kept. False if it makes no sense.
    fn take_again(&self, topic_model: &mut TopicModel) -> bool {
        let page = self.page.to_page();
        page.is_ok_and(|page| {
            self.take(&page, topic_model);
            true
        })
    }

    /// The page, if it makes sense.
    pub(super) fn page(&self) -> Option<Page> {
        self.page.to_page().ok()
    }

    /// As it is kept.
    pub fn pack(&self) -> Result<Vec<u8>, serde_json::Error> {
        let step = serde_json::to_vec(self)?;
        Ok(compress_to_vec_zlib(&step, PACKING))
    }

    pub(super) fn unpack(bytes: &[u8]) -> Option<Self> {
        let step = decompress_to_vec_zlib_with_limit(bytes, LARGEST).ok()?;
        serde_json::from_slice(&step).ok()
    }
}

/// A topic model reads again what it had read. False if not all of it could be.
pub(super) fn read_again(steps: &[Vec<u8>], topic_model: &mut TopicModel) -> bool {
    let mut steps = steps.iter().map(|bytes| ModelStep::unpack(bytes));
    steps.all(|step| step.is_some_and(|step| step.take_again(topic_model)))
}
