//! What a page says, as far as it takes to tell whether it says something new: made once, where the
//! page is read, since whoever takes pages in does so one after the other.

use super::near_duplicates::Sketch;
use super::repetition::Said;
use super::soft_errors::soft_error;
use crate::page::Page;

/// What a page says.
#[derive(Debug, Clone)]
pub struct Content {
    /// Why it is no page, where it says so itself.
    pub(super) soft_error: Option<&'static str>,
    /// To be compared with other pages; none where it has too little running text.
    pub(super) sketch: Option<Sketch>,
    /// To be compared with what its site said before.
    pub(super) said: Said,
}

impl Content {
    /// Of a page.
    pub(crate) fn of(page: &Page) -> Self {
        let passages = page.document().passages();
        Self {
            soft_error: soft_error(page, &passages),
            sketch: Sketch::of(&passages),
            said: Said::of(&passages),
        }
    }
}
