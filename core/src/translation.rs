//! What is told in the words of one vocabulary, in the words of another. Each numbers its words as
//! it meets them, so a word is told by its term and never by its number.

use crate::candidate::Candidate;
use crate::features::{LinkContext, OffsetTerm, PageTerms};
use crate::text::{TermId, Vocabulary};

/// From one vocabulary into another, which learns the words that it lacks. A word that was
/// forgotten, that the first one does not have, or for which the other has no more room is left out.
pub struct Translation<'a> {
    /// Whose numbers are read.
    pub from: &'a Vocabulary,
    /// Whose numbers are written.
    pub into: &'a mut Vocabulary,
}

impl Translation<'_> {
    /// A word.
    pub fn term(&mut self, id: TermId) -> Option<TermId> {
        let term = self.from.term(id);
        if term.is_empty() || term.starts_with('\u{1}') {
            return None;
        }
        self.into.intern(term, self.from.surface(id))
    }

    /// A word and where it stands.
    pub fn feature(&mut self, feature: OffsetTerm) -> Option<OffsetTerm> {
        let term = self.term(feature.term())?;
        Some(if feature.is_of_page() {
            OffsetTerm::of_page(term)
        } else {
            OffsetTerm::new(term, feature.offset())
        })
    }

    /// The words of a page.
    pub fn terms(&mut self, terms: &PageTerms) -> PageTerms {
        let rows = terms.rows().iter();
        let rows = rows.filter_map(|&(id, count)| Some((self.term(id)?, count)));
        PageTerms::from_rows(rows.collect())
    }

    /// A link with its words.
    pub fn link(&mut self, link: &Candidate) -> Candidate {
        let features = link.context.features().iter();
        let features = features.filter_map(|&feature| self.feature(feature));
        Candidate {
            context: LinkContext::new(features.collect()),
            ..link.clone()
        }
    }
}
