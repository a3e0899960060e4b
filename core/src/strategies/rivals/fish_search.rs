//! Fish search (De Bra and others 1994; as listed by Hersovici and others 1998; methods
//! 3.6): a school of fish that breeds where there is food and dies where there is none.
//!
//! Every link has some clicks left. A relevant page gives its links all of them again,
//! any other one fewer than it had itself; a link without any is not followed. Relevance
//! is yes or no: links of relevant pages come first, those of others after them, and last
//! those beyond the width, that is all but a page's first links, of which relevant pages
//! have half as many more. Of equal links the one with more clicks left comes first.
//!
//! Left out: the limit of time, which is the budget's, and slow servers, which the
//! session knows. It learns nothing and saves nothing: which links come first on a page is
//! of one crawl alone, and where it is not known a link counts as one of them.

use crate::strategies::Candidate;
use crate::strategies::Event;
use crate::strategies::Explanation;
use crate::strategies::Known;
use crate::strategies::Learned;
use crate::strategies::LinkScore;
use crate::strategies::Priority;
use crate::strategies::Profile;
use crate::strategies::Promise;
use crate::strategies::Rank;
use crate::strategies::Step;
use crate::strategies::Strategy;
use crate::strategies::Subject;
use crate::strategies::recent::Recent;

/// Clicks from a seed or a relevant page that are allowed.
const DEPTH: usize = 3;
/// Links of a page that count as its first.
const WIDTH: usize = 10;
/// The same of a relevant page: one and a half times as many.
const WIDTH_OF_RELEVANT: usize = 15;
/// What a link of a relevant page is worth, and of another.
const OF_RELEVANT: f64 = 1.0;
const OF_OTHERS: f64 = 0.5;

/// Follows links near relevant pages and gives up where there are none.
#[derive(Debug, Clone, Default)]
pub struct FishSearch {
    /// By page: hashes of the pages that its first links lead to, in their order.
    first_links: Recent<Box<[u64]>>,
}

/// How a link stands.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Standing {
    /// Pages behind it, newest first, until a relevant one or the seed.
    irrelevant: usize,
    /// Links of its page that count as the first.
    width: usize,
    is_within: bool,
}

impl Standing {
    /// Worth of its page's links, and whether it is one of the first.
    fn factors(self) -> [f64; 2] {
        let of_page = if self.irrelevant == 0 {
            OF_RELEVANT
        } else {
            OF_OTHERS
        };
        [of_page, f64::from(u8::from(self.is_within))]
    }

    fn potential(self) -> f64 {
        self.factors().iter().product()
    }

    /// Clicks left; `None` if it is not to be followed.
    fn clicks_left(self) -> Option<usize> {
        DEPTH.checked_sub(self.irrelevant)
    }
}

impl FishSearch {
    fn standing(&self, link: &Candidate, known: Known<'_>) -> Standing {
        let is_irrelevant = |step: &&Step| {
            let page = known.graph.page(&step.address);
            let relevance = page.map_or(step.relevance, |page| page.judgment.relevance);
            !relevance.is_high()
        };
        let steps = link.trail.steps().take(DEPTH + 1);
        let irrelevant = steps.take_while(is_irrelevant).count();
        let width = if irrelevant == 0 {
            WIDTH_OF_RELEVANT
        } else {
            WIDTH
        };
        let first = link
            .source()
            .and_then(|source| self.first_links.get(source));
        let target = link.target.key();
        let is_within =
            first.is_none_or(|first| first.iter().take(width).any(|&one| one == target));
        Standing {
            irrelevant,
            width,
            is_within,
        }
    }
}

impl Strategy for FishSearch {
    fn profile(&self) -> Profile {
        Profile::new("fish-search")
    }

    fn score(&self, links: &[Candidate], known: Known<'_>) -> Vec<LinkScore> {
        let score = |link: &Candidate| {
            let standing = self.standing(link, known);
            match standing.clicks_left() {
                None => LinkScore::Reject,
                Some(left) => {
                    let rank = Rank::new(&[standing.potential(), left as f64]);
                    LinkScore::Follow(Priority::ranked(0, rank))
                }
            }
        };
        links.iter().map(score).collect()
    }

    fn learn(&mut self, event: &Event<'_>, _: Known<'_>) -> Learned {
        if let Event::Page(passing) = event {
            let mut first: Vec<u64> = Vec::new();
            for link in &passing.page.outlinks {
                let target = link.target.key();
                if !first.contains(&target) {
                    first.push(target);
                }
                if first.len() == WIDTH_OF_RELEVANT {
                    break;
                }
            }
            let address = passing.page.address.clone();
            self.first_links.keep(address, first.into());
        }
        Learned::Nothing
    }

    /// Which links come first on a page hangs on no judgment.
    fn reset(&self, _: Known<'_>) -> Option<Box<dyn Strategy>> {
        Some(Box::new(self.clone()))
    }

    /// Links of relevant pages promise something.
    fn promise(&self, priority: Priority) -> Promise {
        Promise::AboveUsual(priority.value() - OF_OTHERS)
    }

    fn describe(&self, subject: Subject<'_>, known: Known<'_>) -> Option<String> {
        let Subject::Link(link) = subject else {
            return None;
        };
        let standing = self.standing(link, known);
        let is_near = standing.irrelevant == 0 && standing.is_within && !link.trail.is_empty();
        is_near.then(|| "among the first links of a relevant page".to_owned())
    }

    fn explain(&self, link: &Candidate, known: Known<'_>) -> Explanation {
        let standing = self.standing(link, known);
        let [of_page, is_first] = standing.factors();
        let of_whom = match standing.irrelevant {
            0 => "a link of a relevant page or a seed".to_owned(),
            clicks => format!("a link {clicks} clicks behind a relevant page or a seed"),
        };
        let first = format!("whether it is among the first {} links", standing.width);
        Explanation::product(
            "potential",
            vec![
                Explanation::given(of_whom, of_page),
                Explanation::given(first, is_first),
            ],
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::Address;
    use crate::critics;
    use crate::dom::{Builder, LeafRange};
    use crate::features::PageTerms;
    use crate::page::Page;
    use crate::strategies::{Passing, Trail};
    use crate::web_graph::{Judgment, Relevance, WebGraph};

    fn address(name: &str) -> Address {
        Address::parse(&format!("http://a.test/{name}")).unwrap()
    }

    /// A link behind pages that were relevant (`+`) or not (`-`), oldest first.
    fn behind(pages: &str, target: &str) -> Candidate {
        let steps = pages.bytes().enumerate().map(|(place, kind)| Step {
            address: address(&format!("{pages}{place}")),
            relevance: Relevance::new(f64::from(u8::from(kind == b'+'))),
        });
        Candidate {
            trail: Trail::from_oldest(steps),
            ..Candidate::seed(address(target))
        }
    }

    fn with_known<T>(then: impl FnOnce(Known<'_>) -> T) -> T {
        let (graph, critic) = (WebGraph::default(), critics::Topic::default());
        then(Known {
            graph: &graph,
            critic: &critic,
        })
    }

    #[test]
    fn depth_is_renewed_by_relevant_pages_and_lost_by_others() {
        let cases = [
            ("", Some((1.0, 3))),
            ("+", Some((1.0, 3))),
            ("-", Some((0.5, 2))),
            ("+--", Some((0.5, 1))),
            ("---", Some((0.5, 0))),
            ("----", None),
            ("+----", None),
            ("-----+", Some((1.0, 3))),
            ("+----+--", Some((0.5, 1))),
        ];
        let fish = FishSearch::default();
        with_known(|known| {
            for (pages, expected) in cases {
                let link = behind(pages, "x");
                let expected = expected.map(|(potential, left)| {
                    Priority::ranked(0, Rank::new(&[potential, f64::from(left)]))
                });
                let score = fish.score(std::slice::from_ref(&link), known)[0];
                assert_eq!(score.priority(), expected, "{pages}");
            }
        });
    }

    /// A page with links to `/0`, `/0`, `/1`, `/2` and so on up to `/18`.
    fn page_with_links(address: Address) -> Page {
        let mut builder = Builder::new();
        for number in 0..20_u32 {
            let first = builder.next_leaf();
            builder.leaf("a link");
            let end = first + 1;
            let target = format!("/{}", number.saturating_sub(1));
            builder.link(&target, LeafRange { first, end });
        }
        Page::new(address, builder.finish().unwrap())
    }

    #[test]
    fn links_beyond_the_width_come_last() {
        let mut fish = FishSearch::default();
        for (kind, width) in [("+", 15), ("-", 10)] {
            let source = behind(kind, "0").source().unwrap().clone();
            let page = page_with_links(source);
            let passing = Passing {
                page: &page,
                terms: &PageTerms::default(),
                via: &[],
                judgment: Judgment::default(),
            };
            with_known(|known| {
                fish.learn(&Event::Page(passing), known);
                for number in 0..19 {
                    let standing = fish.standing(&behind(kind, &number.to_string()), known);
                    assert_eq!(standing.is_within, number < width, "{kind} {number}");
                    assert_eq!(standing.potential() > 0.0, number < width);
                }
                let again = fish.reset(known).unwrap();
                let last = behind(kind, "18");
                let of = |one: &dyn Strategy| one.score(std::slice::from_ref(&last), known);
                assert_eq!(of(&*again), of(&fish));
            });
        }
    }
}
