//! Words of a query that stand for many words of the index: all that begin alike, or all that are
//! spelled much the same. How many they may stand for is limited.

use std::io;
use std::sync::Arc;

use linkscent_core::budget::OverBudget;
use tantivy::query::{
    EnableScoring, Explanation, FuzzyTermQuery, Query, RegexQuery, Scorer, Weight,
};
use tantivy::schema::Field;
use tantivy::{DocId, Score, SegmentReader, TantivyError, Term};

/// Most words of one segment of the index that one word of a query may stand for.
pub(crate) const MOST_WORDS: usize = 20_000;

/// A word of a query that stands for many.
#[derive(Debug, Clone)]
pub(crate) struct Expansion {
    field: Field,
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    /// All words that begin so.
    Beginning(String),
    /// All words that differ in few letters.
    Similar(FuzzyTermQuery),
}

impl Expansion {
    /// All words of a field that begin with these letters.
    pub(crate) fn beginning(field: Field, letters: &str) -> Self {
        let kind = Kind::Beginning(letters.to_owned());
        Self { field, kind }
    }

    /// All words of a field that differ from this one in at most `distance` letters, 1 or 2.
    pub(crate) fn similar(field: Field, word: &str, distance: u8) -> Self {
        let term = Term::from_field_text(field, word);
        let kind = Kind::Similar(FuzzyTermQuery::new(term, distance, true));
        Self { field, kind }
    }

    fn inner(&self) -> tantivy::Result<Box<dyn Query>> {
        Ok(match &self.kind {
            Kind::Beginning(letters) => Box::new(RegexQuery::from_pattern(
                &format!("{letters}.*"),
                self.field,
            )?),
            Kind::Similar(similar) => Box::new(similar.clone()),
        })
    }

    /// Fails if more words of a segment are meant than may be.
    fn check(&self, reader: &SegmentReader) -> tantivy::Result<()> {
        let index = reader.inverted_index(self.field)?;
        let mut count = 0;
        match &self.kind {
            Kind::Beginning(letters) => {
                let mut words = index.terms().range().ge(letters).into_stream()?;
                while count <= MOST_WORDS
                    && words.advance()
                    && words.key().starts_with(letters.as_bytes())
                {
                    count += 1;
                }
            }
            Kind::Similar(similar) => {
                let mut words = index.terms().search(similar.automaton()?).into_stream()?;
                while count <= MOST_WORDS && words.advance() {
                    count += 1;
                }
            }
        }
        if count > MOST_WORDS {
            return Err(failed(OverBudget::Items {
                input: "a word that ends in * or ~",
                most: MOST_WORDS,
                item: "words that it stands for",
            }));
        }
        Ok(())
    }
}

impl Query for Expansion {
    fn weight(&self, scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(Counted {
            expansion: self.clone(),
            inner: self.inner()?.weight(scoring)?,
        }))
    }
}

/// The weight of an expansion, which counts its words before it looks for pages.
struct Counted {
    expansion: Expansion,
    inner: Box<dyn Weight>,
}

impl Weight for Counted {
    fn scorer(&self, reader: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        self.expansion.check(reader)?;
        self.inner.scorer(reader, boost)
    }

    fn explain(&self, reader: &SegmentReader, doc: DocId) -> tantivy::Result<Explanation> {
        self.inner.explain(reader, doc)
    }
}

/// A limit that was exceeded, as an error of the index.
pub(crate) fn failed(over: OverBudget) -> TantivyError {
    TantivyError::IoError(Arc::new(io::Error::other(over)))
}

/// The limit that was exceeded, if that is what an error of the index says.
pub(crate) fn over_budget(error: &TantivyError) -> Option<OverBudget> {
    let TantivyError::IoError(error) = error else {
        return None;
    };
    error.get_ref()?.downcast_ref().copied()
}
