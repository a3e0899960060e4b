//! What a page says, as far as it takes to tell whether it says something new: made once, where the
//! page is read, since whoever takes pages in does so one after the other.

mod said;
mod sketch;
mod soft_errors;

pub use said::{Hash, Said};
pub use sketch::Sketch;
pub use soft_errors::{PARKED, SOFT_ERROR};

use crate::dom::Document;
use soft_errors::soft_error;

/// What a page says.
#[derive(Debug, Clone)]
pub struct Content {
    /// Why it is no page, where it says so itself.
    pub soft_error: Option<&'static str>,
    /// To be compared with other pages; none where it has too little running text.
    pub sketch: Option<Sketch>,
    /// To be compared with what its site said before.
    pub said: Said,
}

impl Content {
    /// Of a page with so many links to others.
    pub fn of(document: &Document, links: usize) -> Self {
        let passages = document.passages();
        Self {
            soft_error: soft_error(document, links, &passages),
            sketch: Sketch::of(&passages),
            said: Said::of(&passages),
        }
    }
}
