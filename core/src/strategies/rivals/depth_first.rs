//! Depth-first, a control: the links of the page that was read last come first, so a crawl
//! runs away from its seeds until it can go no farther. It looks at no content.
//!
//! Links of one page are followed in random order; a stack would take the last of them
//! first. It keeps nothing: which page was seen when is known of the web graph.

use crate::codec::{SaveError, Saver};
use crate::strategies::Candidate;
use crate::strategies::Explanation;
use crate::strategies::Known;
use crate::strategies::LinkScore;
use crate::strategies::Priority;
use crate::strategies::Profile;
use crate::strategies::Promise;
use crate::strategies::Strategy;

/// Follows the links that were seen last.
#[derive(Debug, Clone, Copy, Default)]
pub struct DepthFirst;

/// Pages that were first seen before the one with the link; 0 for a seed, and where the
/// page is forgotten.
fn pages_before(link: &Candidate, known: Known<'_>) -> f64 {
    let before = link
        .source()
        .and_then(|source| known.graph.pages_before(source));
    before.unwrap_or(0) as f64
}

impl Strategy for DepthFirst {
    fn profile(&self) -> Profile {
        Profile::new("depth-first")
    }

    fn score(&self, links: &[Candidate], known: Known<'_>) -> Vec<LinkScore> {
        let score =
            |link: &Candidate| LinkScore::Follow(Priority::new(0, pages_before(link, known)));
        links.iter().map(score).collect()
    }

    /// When a link was seen promises nothing.
    fn promise(&self, _: Priority) -> Promise {
        Promise::AboveUsual(0.0)
    }

    fn save(&self, _: &mut Saver<'_>) -> Result<(), SaveError> {
        Ok(())
    }

    fn explain(&self, link: &Candidate, known: Known<'_>) -> Explanation {
        Explanation::given(
            "pages seen before the one with the link",
            pages_before(link, known),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::Address;
    use crate::critics;
    use crate::features::PageTerms;
    use crate::strategies::{Step, Trail};
    use crate::web_graph::{Judgment, KnownPage, Relevance, WebGraph};

    #[test]
    fn links_of_later_pages_come_first() {
        let address = |number: u32| Address::parse(&format!("http://a.test/{number}")).unwrap();
        let mut graph = WebGraph::default();
        for number in [0, 1, 2, 1] {
            graph.remember(KnownPage {
                address: address(number),
                judgment: Judgment::default(),
                unmarked: Judgment::default(),
                counted: false,
                terms: PageTerms::default(),
            });
        }
        let critic = critics::Topic::default();
        let known = Known {
            graph: &graph,
            critic: &critic,
        };
        let on = |number: u32| Candidate {
            trail: Trail::default().then(Step {
                address: address(number),
                relevance: Relevance::default(),
            }),
            ..Candidate::seed(address(number + 100))
        };
        let scores = DepthFirst.score(&[on(0), on(1), on(2), on(9)], known);
        let values: Vec<f64> = scores
            .iter()
            .filter_map(|score| Some(score.priority()?.value()))
            .collect();
        assert_eq!(values, [0.0, 1.0, 2.0, 0.0], "a page read again stays put");
    }
}
