//! Topic-sensitive `PageRank` as an order of crawling (methods 3.6): the pages that a
//! reader would come to most who follows links at random and now and then starts again at
//! a relevant page. Ordering a crawl by `PageRank` is of Cho, Garcia-Molina and Page (1998),
//! starting again at pages of the topic of Haveliwala (2003).
//!
//! The graph is what was read: pages that were fetched and those they link to, which have
//! no links of their own as yet; whoever comes there starts again. As long as no page is
//! relevant, every page fetched is started at. Between two computations a page that is
//! read passes on what it has to the pages it links to, once.
//!
//! The graph is saved with the ranks, since what is known elsewhere names no links.

use crate::strategies::Candidate;
use crate::strategies::Event;
use crate::strategies::Explanation;
use crate::strategies::Known;
use crate::strategies::Learned;
use crate::strategies::LinkScore;
use crate::strategies::Priority;
use crate::strategies::Profile;
use crate::strategies::Promise;
use crate::strategies::Strategy;
use crate::strategies::StrategyState;
use crate::strategies::Subject;
use crate::strategies::rebuilds::Rebuilds;
use crate::strategies::rivals::link_graph::LinkGraph;
use crate::web_graph::Relevance;

/// Share of clicks that follow a link; the rest starts again.
const DAMPING: f64 = 0.85;
/// It is computed until the ranks change by less in sum, or so many times.
const TOLERANCE: f64 = 1e-6;
const MOST_ROUNDS: usize = 100;
/// Pages read since, as a share of those before, after which it is computed again.
const GROWTH: f64 = 0.05;

/// The links that were read and the ranks they come to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PageRanks {
    graph: LinkGraph,
    /// By page; in sum 1 when they were computed last.
    ranks: Vec<f64>,
}

impl PageRanks {
    /// From links and ranks; `None` if they are not of the same pages, or a number makes
    /// no sense.
    pub fn new(graph: LinkGraph, ranks: Vec<f64>) -> Option<Self> {
        let is_rank = |rank: &f64| rank.is_finite() && *rank >= 0.0;
        let makes_sense = ranks.len() == graph.pages() && ranks.iter().all(is_rank);
        makes_sense.then_some(Self { graph, ranks })
    }

    /// The links that were read.
    pub fn graph(&self) -> &LinkGraph {
        &self.graph
    }

    /// By page: its rank.
    pub fn ranks(&self) -> &[f64] {
        &self.ranks
    }

    /// Where a reader starts again: shares by page, in sum 1, all 0 if no page is known
    /// to have been fetched.
    fn starts(&self, known: Known<'_>) -> Vec<f64> {
        let relevance = self.graph.relevance(known.graph);
        let share =
            |page: &Option<Relevance>| page.filter(|one| one.is_high()).map(Relevance::value);
        let mut starts: Vec<f64> = relevance
            .iter()
            .map(|page| share(page).unwrap_or(0.0))
            .collect();
        if starts.iter().all(|&start| start == 0.0) {
            let fetched = relevance.iter();
            starts = fetched
                .map(|page| f64::from(u8::from(page.is_some())))
                .collect();
        }
        scaled(&mut starts);
        starts
    }

    /// Ranks by the relevance of the pages now, from what they were before.
    fn compute(&mut self, known: Known<'_>) {
        let starts = self.starts(known);
        self.ranks.resize(self.graph.pages(), 0.0);
        if !scaled(&mut self.ranks) {
            self.ranks.clone_from(&starts);
        }
        for _ in 0..MOST_ROUNDS {
            let mut next = vec![0.0; self.ranks.len()];
            let mut ended = 0.0;
            for (page, &rank) in self.ranks.iter().enumerate() {
                let targets = self.graph.outlinks(page);
                if targets.is_empty() {
                    ended += rank;
                    continue;
                }
                let share = DAMPING * rank / targets.len() as f64;
                for &target in targets {
                    next[target as usize] += share;
                }
            }
            let again = 1.0 - DAMPING + DAMPING * ended;
            for (rank, start) in next.iter_mut().zip(&starts) {
                *rank += again * start;
            }
            let changes = self.ranks.iter().zip(&next);
            let change: f64 = changes.map(|(before, after)| (before - after).abs()).sum();
            self.ranks = next;
            if change < TOLERANCE {
                break;
            }
        }
    }

    /// What a page that was just read has, passed on to those it links to.
    fn pass_on(&mut self, page: usize) {
        self.ranks.resize(self.graph.pages(), 0.0);
        let targets = self.graph.outlinks(page);
        let share = DAMPING * self.ranks[page] / targets.len().max(1) as f64;
        for &target in targets {
            self.ranks[target as usize] += share;
        }
    }

    /// The rank of a page, where 1 is that of a page like any other.
    fn relative(&self, page: usize) -> f64 {
        self.ranks[page] * self.graph.pages() as f64
    }
}

/// Makes the sum 1; false if it is 0.
fn scaled(values: &mut [f64]) -> bool {
    let sum: f64 = values.iter().sum();
    if sum > 0.0 {
        for value in values.iter_mut() {
            *value /= sum;
        }
    }
    sum > 0.0
}

/// Scores links by the topic-sensitive `PageRank` of the pages behind them.
#[derive(Debug, Clone, Default)]
pub struct TopicPageRank {
    ranks: PageRanks,
    rebuilds: Rebuilds,
    /// Pages read, and how many they were when it was computed last.
    read: u32,
    computed_at: u32,
}

impl TopicPageRank {
    /// One that has the frontier scored again after every so many arrivals, and later
    /// more seldom.
    pub fn every(every: u32) -> Self {
        Self {
            rebuilds: Rebuilds::every(every),
            ..Self::default()
        }
    }

    /// One that goes on from links that were read before.
    pub fn with_ranks(ranks: PageRanks) -> Self {
        Self {
            ranks,
            ..Self::default()
        }
    }

    fn compute(&mut self, known: Known<'_>) {
        self.computed_at = self.read;
        self.ranks.compute(known);
    }

    fn join(&mut self, link: &Candidate) {
        if let Some(source) = link.source() {
            self.ranks.graph.link(source, &link.target);
            self.ranks.ranks.resize(self.ranks.graph.pages(), 0.0);
        }
    }

    /// Rank of the page behind a link, where it is known, and 1 by the number of pages.
    fn rank(&self, link: &Candidate) -> f64 {
        let page = self.ranks.graph.number(&link.target);
        page.map_or(0.0, |page| self.ranks.relative(page))
    }
}

impl Strategy for TopicPageRank {
    fn profile(&self) -> Profile {
        Profile::new("topic-pagerank")
    }

    fn score(&self, links: &[Candidate], _: Known<'_>) -> Vec<LinkScore> {
        let score = |link: &Candidate| LinkScore::Follow(Priority::new(0, self.rank(link)));
        links.iter().map(score).collect()
    }

    fn learn(&mut self, event: &Event<'_>, known: Known<'_>) -> Learned {
        match event {
            Event::Page(passing) => {
                let targets = passing.page.outlinks.iter().map(|link| &link.target);
                let page = self.ranks.graph.read(&passing.page.address, targets);
                self.read = self.read.saturating_add(1);
                let due = f64::from(self.computed_at) * (1.0 + GROWTH);
                if f64::from(self.read) > due {
                    self.compute(known);
                } else if let Some(page) = page {
                    self.ranks.pass_on(page);
                }
                Learned::Refined
            }
            Event::KnownLink(link, _) | Event::Click(link, _) => {
                self.join(link);
                Learned::Refined
            }
            Event::Arrival(arrival) => {
                for link in arrival.via {
                    self.join(link);
                }
                let learned = self.rebuilds.arrived();
                if learned == Learned::Rebuilt {
                    self.compute(known);
                }
                learned
            }
        }
    }

    /// Which pages link where hangs on no judgment.
    fn reset(&self, known: Known<'_>) -> Option<Box<dyn Strategy>> {
        let mut again = Self {
            rebuilds: self.rebuilds.afresh(),
            ..self.clone()
        };
        again.compute(known);
        Some(Box::new(again))
    }

    /// A page like any other has 1.
    fn promise(&self, priority: Priority) -> Promise {
        Promise::AboveUsual(priority.value().max(f64::MIN_POSITIVE).ln())
    }

    fn describe(&self, subject: Subject<'_>, _: Known<'_>) -> Option<String> {
        let Subject::Link(link) = subject else {
            return None;
        };
        let rank = self.rank(link);
        (rank > 1.0).then(|| format!("as easily reached from relevant pages as {rank:.0} others"))
    }

    fn explain(&self, link: &Candidate, _: Known<'_>) -> Explanation {
        let pages = self.ranks.graph.pages();
        let rank = self.rank(link) / pages.max(1) as f64;
        Explanation::product(
            "PageRank of the page behind the link, where that of a usual page is 1",
            vec![
                Explanation::given(
                    "share of a reader's time who starts at relevant pages",
                    rank,
                ),
                Explanation::given("pages known", pages as f64),
            ],
        )
    }

    fn state(&self) -> StrategyState {
        StrategyState::of(&self.ranks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::critics;
    use crate::strategies::rivals::link_graph::fixture::address;
    use crate::strategies::rivals::link_graph::fixture::judged_pages;
    use crate::web_graph::WebGraph;

    fn web(pages: &[(&str, f64)], links: &[(&str, &str)]) -> (WebGraph, PageRanks) {
        let graph = judged_pages(pages);
        let mut ranks = PageRanks::default();
        for (from, to) in links {
            ranks.graph.link(&address(from), &address(to));
        }
        let critic = critics::Topic::default();
        ranks.compute(Known {
            graph: &graph,
            critic: &critic,
        });
        (graph, ranks)
    }

    fn rank(ranks: &PageRanks, name: &str) -> f64 {
        ranks.ranks[ranks.graph.number(&address(name)).unwrap()]
    }

    /// a links to b and c, b to a; c was not read. Started again is at a alone, which is
    /// relevant: a = 0.15 + 0.85 (b + c) and b = c = 0.85 a / 2, so a = 1 / 1.85.
    #[test]
    fn ranks_by_hand() {
        let pages = [("a", 0.9), ("b", 0.2)];
        let (_, ranks) = web(&pages, &[("a", "b"), ("a", "c"), ("b", "a")]);
        let a = 1.0 / 1.85;
        assert!((rank(&ranks, "a") - a).abs() < 1e-5);
        for name in ["b", "c"] {
            assert!((rank(&ranks, name) - 0.425 * a).abs() < 1e-5);
        }
    }

    /// a and b link to c and to nothing else, and none is relevant: started again is at a
    /// and b alike. a = b = (0.15 + 0.85 c) / 2 and c = 0.85 (a + b), so a + b = 1 / 1.85.
    #[test]
    fn without_relevant_pages_all_fetched_are_started_at() {
        let pages = [("a", 0.1), ("b", 0.2)];
        let (_, ranks) = web(&pages, &[("a", "c"), ("b", "c")]);
        let both = 1.0 / 1.85;
        assert!((rank(&ranks, "a") - both / 2.0).abs() < 1e-5);
        assert!((rank(&ranks, "b") - both / 2.0).abs() < 1e-5);
        assert!((rank(&ranks, "c") - 0.85 * both).abs() < 1e-5);
        assert!((ranks.ranks.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_page_read_since_passes_on_what_it_has() {
        let (_, mut ranks) = web(&[("a", 0.9)], &[("a", "b"), ("a", "c")]);
        let b = rank(&ranks, "b");
        let number = ranks
            .graph
            .read(&address("b"), [&address("d"), &address("e")].into_iter());
        ranks.pass_on(number.unwrap());
        assert!((rank(&ranks, "d") - 0.85 * b / 2.0).abs() < 1e-12);
        assert_eq!(rank(&ranks, "b"), b);
        let again = PageRanks::new(ranks.graph.clone(), ranks.ranks.clone());
        assert_eq!(again.as_ref(), Some(&ranks));
        let mut broken = ranks.ranks.clone();
        broken[0] = f64::NAN;
        assert_eq!(PageRanks::new(ranks.graph.clone(), broken), None);
        assert_eq!(PageRanks::new(ranks.graph.clone(), vec![0.1; 2]), None);
    }
}
