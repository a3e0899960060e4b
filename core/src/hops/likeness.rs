//! How like the words of the targets those of a link are: numbers that mean the same
//! whatever the topic is.
//!
//! A word of a target weighs `1 + ln(count)`, as a share of that of the target's commonest
//! word. The link counts by the target that it is most like. This is the similarity of
//! texts that \[C\] table 1 has of pages, asked of what is known before a page is fetched.

use rustc_hash::FxHashSet;

use crate::address::Address;
use crate::features::{LinkContext, PageTerms};
use crate::text::TermId;
use crate::web_graph::{Mark, WebGraph};

/// Name of [`Likeness::words`].
pub const LINK_LIKENESS: &str = "link's words in a target";

/// How like the targets a link looks; each 0..=1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Likeness {
    /// Weight of the heaviest of the link's own words.
    pub best_word: f64,
    /// Mean weight of its own words.
    pub words: f64,
    /// Share of its own words that the target has.
    pub shared: f64,
    /// Mean weight of the words near it.
    pub near: f64,
    /// Mean weight of the words of the address it leads to.
    pub address: f64,
}

impl Likeness {
    /// Each with its name.
    pub fn named(self) -> [(&'static str, f64); 5] {
        [
            ("link's best word in a target", self.best_word),
            (LINK_LIKENESS, self.words),
            ("link's words that a target has", self.shared),
            ("words near the link in a target", self.near),
            ("words of the link's address in a target", self.address),
        ]
    }

    /// By how much it is like the target on the whole.
    fn total(self) -> f64 {
        self.best_word + self.words + self.shared + self.near + self.address
    }
}

/// How like the marked targets a link looks: as the most alike of them has it.
pub fn likeness(context: &LinkContext, target: &Address, graph: &WebGraph) -> Likeness {
    let mut own: FxHashSet<TermId> = FxHashSet::default();
    let mut near: FxHashSet<TermId> = FxHashSet::default();
    for (word, _) in context.counts() {
        if word.is_of_page() {
            continue;
        }
        if word.offset().0 == 0 {
            own.insert(word.term());
        } else {
            near.insert(word.term());
        }
    }
    let tokens = target.words();
    let tokens = tokens.iter().filter(|token| !token.is_empty());
    let tokens: Vec<Option<TermId>> = tokens.map(|token| graph.vocabulary.id(token)).collect();
    let marked = graph.marks.values();
    let targets = marked.filter(|page| page.mark == Mark::Target);
    let each = targets.map(|page| {
        let weights = Weights::of(&page.terms);
        let (best_word, words, shared) = weights.sum(own.iter().copied().map(Some));
        Likeness {
            best_word,
            words,
            shared,
            near: weights.sum(near.iter().copied().map(Some)).1,
            address: weights.sum(tokens.iter().copied()).1,
        }
    });
    each.max_by(|a, b| a.total().total_cmp(&b.total()))
        .unwrap_or_default()
}

/// The words of a target, by weight.
struct Weights<'a> {
    terms: &'a PageTerms,
    heaviest: f64,
}

impl<'a> Weights<'a> {
    fn of(terms: &'a PageTerms) -> Self {
        let most = terms.rows().iter().map(|row| row.1).max().unwrap_or(1);
        Self {
            terms,
            heaviest: 1.0 + f64::from(most).ln(),
        }
    }

    fn weight(&self, term: TermId) -> f64 {
        let rows = self.terms.rows();
        let place = rows.binary_search_by_key(&term, |row| row.0);
        place.map_or(0.0, |place| {
            (1.0 + f64::from(rows[place].1).ln()) / self.heaviest
        })
    }

    /// The greatest weight, the mean weight, and the share of words with any.
    fn sum(&self, words: impl Iterator<Item = Option<TermId>>) -> (f64, f64, f64) {
        let (mut best, mut sum, mut shared, mut count) = (0.0_f64, 0.0, 0.0, 0.0_f64);
        for word in words {
            let weight = word.map_or(0.0, |term| self.weight(term));
            best = best.max(weight);
            sum += weight;
            shared += f64::from(u8::from(weight > 0.0));
            count += 1.0;
        }
        let count = count.max(1.0);
        (best, sum / count, shared / count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::DomOffset;
    use crate::features::OffsetTerm;
    use crate::web_graph::MarkedPage;

    #[test]
    fn a_link_is_held_against_the_target_it_is_most_like() {
        let mut graph = WebGraph::default();
        let [kidney, donor, train, other] = ["kidney", "donor", "train", "other"]
            .map(|word| graph.vocabulary.intern(word, word).unwrap());
        let mut mark = |address: &str, rows: Vec<(TermId, u32)>, mark| {
            let terms = PageTerms::from_rows(rows);
            let address = Address::parse(address).unwrap();
            graph.marks.insert(address, MarkedPage { mark, terms });
        };
        mark(
            "http://a.test/1",
            vec![(kidney, 8), (donor, 1)],
            Mark::Target,
        );
        mark("http://a.test/2", vec![(train, 3)], Mark::Target);
        mark("http://a.test/3", vec![(other, 3)], Mark::NotTarget);
        let context = LinkContext::new(vec![
            OffsetTerm::new(kidney, DomOffset(0)),
            OffsetTerm::new(other, DomOffset(0)),
            OffsetTerm::new(donor, DomOffset(2)),
        ]);
        let to = Address::parse("http://b.test/kidney/xyz").unwrap();
        let found = likeness(&context, &to, &graph);
        let donor = 1.0 / (1.0 + 8.0_f64.ln());
        let tokens = to.words().iter().filter(|word| !word.is_empty()).count() as f64;
        assert_eq!(
            (found.best_word, found.words, found.shared),
            (1.0, 0.5, 0.5)
        );
        assert!((found.near - donor).abs() < 1e-12);
        assert!(
            (found.address - 1.0 / tokens).abs() < 1e-12,
            "{}",
            found.address
        );
        let none = likeness(&context, &to, &WebGraph::default());
        assert_eq!(none, Likeness::default());
    }
}
