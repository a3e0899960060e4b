//! The ways a person went, as sequences to train on (\[C\] 3's dream of the user's own
//! browsing): as they were, so order and repetition count.
//!
//! A page's state is its smallest known distance to a target, over everything that is known
//! of the web: crawled pages, and the links of all paths.

use super::STATES;
use super::features::{PageText, page_features};
use super::training_web::{Layers, SeenLink, TrainingPage, TrainingWeb};
use crate::address::Address;
use crate::candidate::Candidate;
use crate::features::PageTerms;
use crate::models::{Feature, Sequences};
use crate::web_graph::{Judgment, WebGraph};

/// Pages before a link that was passed over that its sequence repeats: no more than of the
/// longest walk.
const REPEATED: usize = 9;
/// The state of what leads to no known target.
const FARTHEST: u8 = STATES as u8 - 1;

/// A page of a path.
#[derive(Debug, Clone, PartialEq)]
pub struct PathStep {
    /// The page, by its number in the web.
    pub page: usize,
    /// What was seen of the link that led to it, where one is known.
    pub link: Option<SeenLink>,
    /// Links of the page before that were passed over for it: where they lead, and what was
    /// seen of them.
    pub passed_over: Vec<(Address, SeenLink)>,
}

impl PathStep {
    /// A page that no known link led to.
    pub fn unlinked(page: usize) -> Self {
        Self {
            page,
            link: None,
            passed_over: Vec::new(),
        }
    }
}

/// Pages in the order in which a person went over them.
pub type BrowsingPath = Vec<PathStep>;

impl TrainingWeb {
    /// Adds a page that a person read, by the words that were noted then; its number. A
    /// page that was added whole stays as it is.
    pub fn add_visited(
        &mut self,
        address: &Address,
        text: &PageText,
        terms: &PageTerms,
        judgment: Judgment,
        graph: &WebGraph,
    ) -> usize {
        let number = self.number(address);
        if let Some(number) = number
            && !self.pages[number].terms.rows().is_empty()
        {
            return number;
        }
        let groups = self.groups();
        let index = &mut self.feature_index;
        let features = page_features(address, text, judgment, graph, groups, index);
        let page = TrainingPage {
            address: address.clone(),
            is_target: Self::counts_as_target(judgment),
            terms: terms.clone(),
            features,
            links: Vec::new(),
        };
        match number {
            Some(number) => {
                let links = std::mem::take(&mut self.pages[number].links);
                self.pages[number] = TrainingPage { links, ..page };
                number
            }
            None => self.push(page),
        }
    }

    /// The step over a link to a page, for which others were passed over. They all become
    /// links of the web.
    pub fn step(
        &mut self,
        link: &Candidate,
        passed_over: &[Candidate],
        page: usize,
        graph: &WebGraph,
    ) -> PathStep {
        let link = self.add_click(link, graph);
        let others = passed_over.iter();
        let others =
            others.filter_map(|other| Some((other.target.clone(), self.add_link(other, graph)?)));
        PathStep {
            page,
            link,
            passed_over: others.collect(),
        }
    }

    /// Paths as labelled sequences, in their order. What is observed at a page is what was
    /// known before it was read: nothing at the first one, then the page before and the
    /// link.
    pub fn path_sequences(&self, paths: &[BrowsingPath]) -> Sequences {
        let distances = self.distances();
        let mut sequences = Sequences::default();
        for path in paths {
            let steps = 0..path.len();
            sequences.push(steps.map(|at| self.position(path, at, &distances)));
        }
        sequences
    }

    /// The ways on which the person did not go: for each link that was passed over the path up
    /// to its page, and the link. Where it leads is as far from a target as is known, and far
    /// if nothing is. Only the newest pages of a path are repeated.
    pub fn passed_over_sequences(&self, paths: &[BrowsingPath]) -> Sequences {
        let distances = self.distances();
        let mut sequences = Sequences::default();
        for path in paths {
            for (at, step) in path.iter().enumerate().skip(1) {
                let first = at.saturating_sub(REPEATED);
                for (target, link) in &step.passed_over {
                    let way = (first..at).map(|at| self.position(path, at, &distances));
                    let page = self.number(target);
                    let state = page.map_or(FARTHEST, |page| distances.state(page));
                    let last = self.observation(path[at - 1].page, Some(link));
                    sequences.push(way.chain([(last, state)]));
                }
            }
        }
        sequences
    }

    /// What is observed at a page of a path, and its state.
    fn position(&self, path: &[PathStep], at: usize, distances: &Layers) -> (Vec<Feature>, u8) {
        let step = &path[at];
        let before = at.checked_sub(1).map(|before| path[before].page);
        let observed = before.map(|page| self.observation(page, step.link.as_ref()));
        (observed.unwrap_or_default(), distances.state(step.page))
    }

    fn observation(&self, before: usize, link: Option<&SeenLink>) -> Vec<Feature> {
        let page = self.pages[before].features.as_slice();
        let link = link.map_or(&[][..], |link| &link.features);
        [page, link].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidate::{Step, Trail};
    use crate::dom::DomOffset;
    use crate::features::{LinkContext, OffsetTerm};
    use crate::hops::FeatureGroups;
    use crate::web_graph::{Mark, MarkedPage, Relevance};

    fn address(name: &str) -> Address {
        Address::parse(&format!("http://a.test/{name}")).unwrap()
    }

    fn link(from: &str, to: &str, word: &str, graph: &mut WebGraph) -> Candidate {
        let term = graph.vocabulary.intern(word, word).unwrap();
        Candidate {
            context: LinkContext::new(vec![OffsetTerm::new(term, DomOffset(0))]),
            trail: Trail::from_oldest([Step {
                address: address(from),
                relevance: Relevance::default(),
            }]),
            ..Candidate::seed(address(to))
        }
    }

    /// A page by its words, marked if it is the target.
    fn visit(web: &mut TrainingWeb, name: &str, words: &[&str], graph: &mut WebGraph) -> usize {
        let text = PageText {
            title: words.iter().map(ToString::to_string).collect(),
            headings: Vec::new(),
        };
        let terms = words
            .iter()
            .map(|word| graph.vocabulary.intern(word, word).unwrap());
        let terms = PageTerms::counted(terms.collect::<Vec<_>>());
        let judgment = Judgment::default().marked(graph.mark(&address(name)));
        web.add_visited(&address(name), &text, &terms, judgment, graph)
    }

    #[test]
    fn order_and_repetition_count_and_distances_are_the_best_known() {
        let mut graph = WebGraph::default();
        let hive = graph.vocabulary.intern("hive", "hive").unwrap();
        let target = MarkedPage {
            mark: Mark::Target,
            terms: PageTerms::counted([hive]),
        };
        graph.marks.insert(address("hive"), target);
        let mut web = TrainingWeb::new(FeatureGroups::ALL);
        let mut path = |names: &[&str]| -> BrowsingPath {
            let mut steps = Vec::new();
            for (at, name) in names.iter().enumerate() {
                let page = visit(&mut web, name, &[name], &mut graph);
                steps.push(match at.checked_sub(1) {
                    Some(before) => {
                        let link = link(names[before], name, name, &mut graph);
                        web.step(&link, &[], page, &graph)
                    }
                    None => PathStep::unlinked(page),
                });
            }
            steps
        };
        let way = path(&["start", "garden", "hive"]);
        // By another way the start lies one click nearer; the detour has no way to a target.
        let short = path(&["start", "hive", "garden", "quarry"]);
        let sequences = web.path_sequences(&[way.clone(), way, short]);
        let states: Vec<Vec<usize>> = sequences
            .iter()
            .map(|positions| positions.map(|at| sequences.state(at)).collect())
            .collect();
        assert_eq!(states[0], [1, 1, 0]);
        assert_eq!(states[1], states[0], "told twice");
        assert_eq!(states[2], [1, 0, 1, STATES - 1]);
        let of = |position: usize, name: &str| {
            let number = web.feature_index.id(name).unwrap();
            let mut seen = sequences.observation(position).iter();
            seen.find(|feature| feature.0 == number)
                .map(|feature| feature.1)
        };
        assert!(sequences.observation(0).is_empty(), "nothing led there");
        assert_eq!(of(1, "page: start"), Some(1.0), "the page with the link");
        assert_eq!(of(1, "link: garden"), Some(1.0));
        assert_eq!(of(2, "link's words in a target"), Some(1.0));
        assert_eq!(of(1, "link's words in a target"), None, "0 is left out");
        assert_eq!(of(1, "link's words in a target = 0"), Some(1.0));
    }

    #[test]
    fn what_was_passed_over_is_a_way_of_its_own_that_ends_where_it_leads() {
        let mut graph = WebGraph::default();
        let mut web = TrainingWeb::new(FeatureGroups::ALL);
        graph.marks.insert(
            address("hive"),
            MarkedPage {
                mark: Mark::Target,
                terms: PageTerms::default(),
            },
        );
        let pages =
            ["start", "garden", "hive"].map(|name| visit(&mut web, name, &[name], &mut graph));
        let to_garden = link("start", "garden", "garden", &mut graph);
        let aside = [
            link("start", "quarry", "stones", &mut graph),
            link("start", "hive", "bees", &mut graph),
        ];
        let to_hive = link("garden", "hive", "hive", &mut graph);
        let path = vec![
            PathStep::unlinked(pages[0]),
            web.step(&to_garden, &aside, pages[1], &graph),
            web.step(&to_hive, &[], pages[2], &graph),
        ];
        let known = web.len();
        let paths = [path];
        let states = |sequences: &Sequences| -> Vec<Vec<usize>> {
            let each = sequences.iter();
            each.map(|positions| positions.map(|at| sequences.state(at)).collect())
                .collect()
        };
        let asides = web.passed_over_sequences(&paths);
        // The quarry leads nowhere that is known; the hive was in sight from the start.
        assert_eq!(states(&asides), [vec![1, STATES - 1], vec![1, 0]]);
        assert_eq!(states(&web.path_sequences(&paths)), [[1, 1, 0]]);
        let stones = web.feature_index.id("link: stones").unwrap();
        let last = asides.iter().next().unwrap().last().unwrap();
        assert!(asides.observation(last).iter().any(|seen| seen.0 == stones));
        assert_eq!(known, 3, "the quarry is no page that anybody saw");
    }

    #[test]
    fn long_ways_repeat_little_of_themselves_for_what_was_passed_over() {
        let mut graph = WebGraph::default();
        let mut web = TrainingWeb::new(FeatureGroups::ALL);
        let name = |at: usize| format!("p{at}");
        let first = web.add_known(&address(&name(0)), &graph);
        let mut path = vec![PathStep::unlinked(first)];
        for at in 1..2_000 {
            let followed = link(&name(at - 1), &name(at), "next", &mut graph);
            let aside = link(&name(at - 1), &format!("aside{at}"), "aside", &mut graph);
            let page = web.add_known(&address(&name(at)), &graph);
            path.push(web.step(&followed, &[aside], page, &graph));
        }
        let asides = web.passed_over_sequences(&[path]);
        assert_eq!(asides.len(), 1_999);
        assert!(
            asides
                .iter()
                .all(|positions| positions.len() <= REPEATED + 1)
        );
    }

    #[test]
    fn a_page_that_only_a_click_told_of_gets_its_words_when_it_is_visited() {
        let mut graph = WebGraph::default();
        let mut web = TrainingWeb::new(FeatureGroups::ALL);
        let number = web.add_known(&address("garden"), &graph);
        let click = link("garden", "hive", "hive", &mut graph);
        web.step(&click, &[], number, &graph);
        assert!(web.terms(number).rows().is_empty());
        assert_eq!(visit(&mut web, "garden", &["bee"], &mut graph), number);
        assert_eq!(web.terms(number).rows().len(), 1);
        assert_eq!(web.links(number).len(), 1, "its link stayed");
    }
}
