//! The terms known so far and how often they occur in the pages seen.
//!
//! One vocabulary serves the whole of a topic model: features, critics and
//! explanations all name a term by its [`TermId`]. Its counts are the
//! *collection model*: what words look like on the pages seen, whatever the
//! topic.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::pieces::Pieces;

/// A term's number in its [`Vocabulary`]. Below 2^26, so that a DOM offset
/// fits beside it in 32 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TermId(pub u32);

/// Most terms a vocabulary takes in; terms that come later are not learned.
/// About 60 MB when full.
pub const LARGEST_VOCABULARY: usize = 1 << 20;

/// One term with all that is known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct TermRow {
    /// The term.
    pub term: String,
    /// Its spelling for people; empty where none was met.
    pub surface: String,
    /// Pages counted in which it occurs.
    pub documents: u32,
    /// Sum of its weights over the pages counted.
    pub occurrences: f32,
}

/// Term <-> id, with document and collection counts.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(from = "Columns")]
pub struct Vocabulary {
    #[serde(skip)]
    ids: FxHashMap<Box<str>, TermId>,
    terms: Vec<Box<str>>,
    /// How the term was written where it was met first; empty if just so, or not met yet.
    surfaces: Vec<Box<str>>,
    /// What the table of vectors knows it by.
    pieces: Vec<Pieces>,
    documents: Vec<u32>,
    occurrences: Vec<f32>,
    documents_seen: u32,
    occurrences_seen: f64,
}

/// All of it but what follows from the terms, in the same order.
#[derive(Deserialize)]
struct Columns {
    terms: Vec<Box<str>>,
    surfaces: Vec<Box<str>>,
    pieces: Vec<Pieces>,
    documents: Vec<u32>,
    occurrences: Vec<f32>,
    documents_seen: u32,
    occurrences_seen: f64,
}

impl From<Columns> for Vocabulary {
    fn from(columns: Columns) -> Self {
        let ids = columns.terms.iter().cloned().zip((0..).map(TermId));
        Self {
            ids: ids.collect(),
            terms: columns.terms,
            surfaces: columns.surfaces,
            pieces: columns.pieces,
            documents: columns.documents,
            occurrences: columns.occurrences,
            documents_seen: columns.documents_seen,
            occurrences_seen: columns.occurrences_seen,
        }
    }
}

impl Vocabulary {
    /// The id of `term`, given out now if it is new, with the spelling that
    /// people are shown; `None` once the vocabulary is full.
    pub fn intern(&mut self, term: &str, surface: &str) -> Option<TermId> {
        let id = self.number(term)?;
        let place = id.0 as usize;
        if self.surfaces[place].is_empty() && self.pieces[place] == Pieces::default() {
            self.pieces[place] = Pieces::of(surface);
            if surface != term {
                self.surfaces[place] = surface.into();
            }
        }
        Some(id)
    }

    /// The same for a term whose spelling is not known, such as one that was sent as a term:
    /// what is no word by itself has no pieces until its spelling is met.
    pub fn intern_term(&mut self, term: &str) -> Option<TermId> {
        let is_new = !self.ids.contains_key(term);
        let id = self.number(term)?;
        let pieces = Pieces::of(term);
        if is_new && pieces.rows().len() == 1 {
            self.pieces[id.0 as usize] = pieces;
        }
        Some(id)
    }

    fn number(&mut self, term: &str) -> Option<TermId> {
        if let Some(&id) = self.ids.get(term) {
            return Some(id);
        }
        if self.terms.len() >= LARGEST_VOCABULARY {
            return None;
        }
        let id = TermId(self.terms.len() as u32);
        self.ids.insert(term.into(), id);
        self.terms.push(term.into());
        self.pieces.push(Pieces::default());
        self.surfaces.push("".into());
        self.documents.push(0);
        self.occurrences.push(0.0);
        Some(id)
    }

    /// Takes the letters of a term and its counts away; its id means nothing from then
    /// on.
    pub fn blank(&mut self, TermId(id): TermId) {
        let place = id as usize;
        self.ids.remove(&self.terms[place]);
        // No word has such a letter, and no two blanks are alike.
        let blank = format!("\u{1}{id}");
        self.ids.insert(blank.as_str().into(), TermId(id));
        self.terms[place] = blank.into();
        self.surfaces[place] = "".into();
        self.pieces[place] = Pieces::default();
        self.occurrences_seen -= f64::from(self.occurrences[place]);
        (self.documents[place], self.occurrences[place]) = (0, 0.0);
    }

    /// The id of `term` if it was ever interned.
    pub fn id(&self, term: &str) -> Option<TermId> {
        self.ids.get(term).copied()
    }

    /// The term behind `id`; empty for an id of another vocabulary.
    pub fn term(&self, id: TermId) -> &str {
        self.terms.get(id.0 as usize).map_or("", |term| term)
    }

    /// The term as a person writes it: the spelling met first.
    pub fn surface(&self, id: TermId) -> &str {
        match self.surfaces.get(id.0 as usize) {
            Some(surface) if !surface.is_empty() => surface,
            _ => self.term(id),
        }
    }

    /// The spelling that was met; empty where none was.
    fn known_surface(&self, place: usize) -> &str {
        let is_met = !self.surfaces[place].is_empty() || self.pieces[place] != Pieces::default();
        if is_met {
            self.surface(TermId(place as u32))
        } else {
            ""
        }
    }

    /// The pieces of its spelling, by which the table of vectors knows it.
    pub fn pieces(&self, id: TermId) -> Pieces {
        self.pieces.get(id.0 as usize).copied().unwrap_or_default()
    }

    /// Number of terms.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether no term is known.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Counts one page into the collection model. `weights` holds each
    /// distinct term once, with its (damped) frequency.
    pub fn count_document(&mut self, weights: &[(TermId, f32)]) {
        self.documents_seen += 1;
        for &(TermId(id), weight) in weights {
            self.documents[id as usize] += 1;
            self.occurrences[id as usize] += weight;
            self.occurrences_seen += f64::from(weight);
        }
    }

    /// Pages counted in which the term occurs.
    pub fn document_count(&self, id: TermId) -> u32 {
        self.documents.get(id.0 as usize).copied().unwrap_or(0)
    }

    /// Sum of the term's weights over the pages counted.
    pub fn occurrences(&self, id: TermId) -> f32 {
        self.occurrences.get(id.0 as usize).copied().unwrap_or(0.0)
    }

    /// Pages counted.
    pub fn documents_seen(&self) -> u32 {
        self.documents_seen
    }

    /// Sum of all weights counted.
    pub fn occurrences_seen(&self) -> f64 {
        self.occurrences_seen
    }

    /// Every term in id order; what [`Self::from_rows`] takes back.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = TermRow> {
        (0..self.terms.len()).map(|id| TermRow {
            term: self.terms[id].to_string(),
            surface: self.known_surface(id).to_owned(),
            documents: self.documents[id],
            occurrences: self.occurrences[id],
        })
    }

    /// Rebuilds a vocabulary from [`Self::rows`] and the number of documents.
    /// `None` if a term is given twice or there are too many.
    pub fn from_rows(documents_seen: u32, rows: impl IntoIterator<Item = TermRow>) -> Option<Self> {
        let mut vocabulary = Self {
            documents_seen,
            ..Self::default()
        };
        for row in rows {
            let next = vocabulary.terms.len();
            let id = if row.surface.is_empty() {
                vocabulary.intern_term(&row.term)?
            } else {
                vocabulary.intern(&row.term, &row.surface)?
            };
            if id.0 as usize != next {
                return None;
            }
            vocabulary.documents[next] = row.documents;
            vocabulary.occurrences[next] = row.occurrences;
            vocabulary.occurrences_seen += f64::from(row.occurrences);
        }
        Some(vocabulary)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_stable_and_counts_add_up() {
        let mut vocabulary = Vocabulary::default();
        let kidney = vocabulary.intern("kidney", "Kidneys").unwrap();
        let train = vocabulary.intern("train", "train").unwrap();
        assert_eq!(vocabulary.intern("kidney", "kidney"), Some(kidney));
        assert_eq!(vocabulary.surface(kidney), "Kidneys");
        // A stem that was sent is no word until it is met.
        let castle = vocabulary.intern_term("castl").unwrap();
        assert!(vocabulary.pieces(castle).rows().is_empty());
        assert_eq!(vocabulary.intern("castl", "castles"), Some(castle));
        assert_eq!(vocabulary.surface(castle), "castles");
        assert_eq!(vocabulary.pieces(castle), Pieces::of("castles"));
        assert_eq!(vocabulary.pieces(train), Pieces::of("train"));
        vocabulary.count_document(&[(kidney, 2.0), (train, 1.0)]);
        vocabulary.count_document(&[(kidney, 1.0)]);
        assert_eq!(vocabulary.document_count(kidney), 2);
        assert_eq!(vocabulary.occurrences(kidney), 3.0);
        assert_eq!(vocabulary.occurrences_seen(), 4.0);
        let moat = vocabulary.intern_term("moatz").unwrap();
        let rows: Vec<_> = vocabulary.rows().collect();
        assert_eq!(rows[moat.0 as usize].surface, "");
        let mut back = Vocabulary::from_rows(2, rows.clone()).unwrap();
        assert_eq!(back.surface(train), "train");
        assert_eq!(back.occurrences_seen(), 4.0);
        assert_eq!(back.intern("moatz", "moatzes"), Some(moat));
        assert_eq!(back.surface(moat), "moatzes", "its spelling is met later");
        let twice = rows.iter().chain(&rows).cloned();
        assert!(Vocabulary::from_rows(2, twice).is_none());
    }
}
