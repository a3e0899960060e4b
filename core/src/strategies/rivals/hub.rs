//! Hub-based crawling: the distillation of the first focused crawler (Chakrabarti, van den
//! Berg and Dom 1999, methods 3.6). The links of the best hubs come first.
//!
//! A good hub links to good authorities, and those are linked to by good hubs; both by
//! relevance: what a hub gets from a page counts by that page's relevance, 0 if it is low,
//! and what a page gets from a hub by the hub's. Only pages that were fetched have a
//! relevance. A page read since it was computed last gets its hub score at once, from the
//! authorities known then. Links of pages that are equally good hubs, as those that are
//! none, go by their page's relevance.
//!
//! Links within a site count too, which the paper leaves out: many a web is one site. The
//! graph is saved with the authorities, since what is known elsewhere names no links.

use crate::strategies::Candidate;
use crate::strategies::Event;
use crate::strategies::Explanation;
use crate::strategies::Known;
use crate::strategies::Learned;
use crate::strategies::LinkScore;
use crate::strategies::Priority;
use crate::strategies::Profile;
use crate::strategies::Rank;
use crate::strategies::Strategy;
use crate::strategies::StrategyState;
use crate::strategies::Subject;
use crate::strategies::rebuilds::Rebuilds;
use crate::strategies::rivals::link_graph::LinkGraph;
use crate::web_graph::Relevance;

/// Times hubs and authorities are computed from each other; after a few nothing much
/// changes in their order.
const ROUNDS: usize = 10;

/// The links that were read and what they make of the pages.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HubScores {
    graph: LinkGraph,
    /// By page: what a hub has of linking to it, where the best hub comes to 1.
    authorities: Vec<f64>,
    /// By page: how good a hub it is.
    hubs: Vec<f64>,
}

impl HubScores {
    /// From links and what each page gives to hubs; `None` if they are not of the same
    /// pages, or a number makes no sense.
    pub fn new(graph: LinkGraph, authorities: Vec<f64>) -> Option<Self> {
        let is_weight = |weight: &f64| weight.is_finite() && *weight >= 0.0;
        if authorities.len() != graph.pages() || !authorities.iter().all(is_weight) {
            return None;
        }
        let mut scores = Self {
            hubs: Vec::new(),
            graph,
            authorities,
        };
        scores.rate_all();
        Some(scores)
    }

    /// The links that were read.
    pub fn graph(&self) -> &LinkGraph {
        &self.graph
    }

    /// By page: what a hub has of linking to it.
    pub fn authorities(&self) -> &[f64] {
        &self.authorities
    }

    /// What a page's links are worth to it as a hub.
    fn hub(&self, page: usize) -> f64 {
        let targets = self.graph.outlinks(page).iter();
        let worth = targets.map(|&target| self.authorities[target as usize]);
        worth.sum()
    }

    fn rate_all(&mut self) {
        self.hubs = (0..self.graph.pages()).map(|page| self.hub(page)).collect();
    }

    /// A page's links changed.
    fn rate(&mut self, page: Option<usize>) {
        self.authorities.resize(self.graph.pages(), 0.0);
        self.hubs.resize(self.graph.pages(), 0.0);
        if let Some(page) = page {
            self.hubs[page] = self.hub(page);
        }
    }

    /// Hubs and authorities by the relevance of the pages now.
    fn compute(&mut self, known: Known<'_>) {
        let relevance = self.graph.relevance(known.graph);
        let value = |relevance: Option<Relevance>| relevance.map_or(0.0, Relevance::value);
        let worth = |page: usize| value(relevance[page].filter(|one| one.is_high()));
        // Every page is as good an authority as any other to begin with.
        self.authorities = (0..self.graph.pages()).map(worth).collect();
        self.rate_all();
        self.scale();
        for _ in 0..ROUNDS {
            let mut gained = vec![0.0; self.graph.pages()];
            for (page, hub) in self.hubs.iter().enumerate() {
                let given = hub * value(relevance[page]);
                if given > 0.0 {
                    for &target in self.graph.outlinks(page) {
                        gained[target as usize] += given;
                    }
                }
            }
            for (page, gain) in gained.iter_mut().enumerate() {
                *gain *= worth(page);
            }
            if gained.iter().all(|&gain| gain == 0.0) {
                return;
            }
            self.authorities = gained;
            self.rate_all();
            self.scale();
        }
    }

    /// Makes the best hub come to 1.
    fn scale(&mut self) {
        let best = self.hubs.iter().fold(0.0, |best: f64, &hub| best.max(hub));
        if best > 0.0 {
            for authority in &mut self.authorities {
                *authority /= best;
            }
            self.rate_all();
        }
    }
}

/// Scores links by how good a hub the page is on which they stand.
#[derive(Debug, Clone, Default)]
pub struct Hub {
    scores: HubScores,
    rebuilds: Rebuilds,
}

impl Hub {
    /// One that computes again after every so many arrivals, and later more seldom.
    pub fn every(every: u32) -> Self {
        Self {
            scores: HubScores::default(),
            rebuilds: Rebuilds::every(every),
        }
    }

    /// One that goes on from links that were read before.
    pub fn with_scores(scores: HubScores) -> Self {
        Self {
            scores,
            ..Self::default()
        }
    }

    fn page(&self, link: &Candidate) -> Option<usize> {
        self.scores.graph.number(link.source()?)
    }

    fn hub(&self, link: &Candidate) -> f64 {
        let page = self.page(link);
        page.map_or(0.0, |page| self.scores.hubs[page])
    }

    /// Relevant pages among those that the page with the link links to.
    fn authorities(&self, link: &Candidate) -> usize {
        let targets = self.page(link).map(|page| self.scores.graph.outlinks(page));
        let targets = targets.unwrap_or_default().iter();
        let worth = targets.filter(|&&target| self.scores.authorities[target as usize] > 0.0);
        worth.count()
    }
}

impl Strategy for Hub {
    fn profile(&self) -> Profile {
        Profile::new("hub")
    }

    fn score(&self, links: &[Candidate], known: Known<'_>) -> Vec<LinkScore> {
        let score = |link: &Candidate| {
            let source = link.source();
            let source = source.map(|source| known.graph.judgment(source).relevance);
            let relevance = source.unwrap_or_default().value();
            let rank = Rank::new(&[self.hub(link), relevance]);
            LinkScore::Follow(Priority::ranked(0, rank))
        };
        links.iter().map(score).collect()
    }

    fn learn(&mut self, event: &Event<'_>, known: Known<'_>) -> Learned {
        match event {
            Event::Page(passing) => {
                let targets = passing.page.outlinks.iter().map(|link| &link.target);
                let page = self.scores.graph.read(&passing.page.address, targets);
                self.scores.rate(page);
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
                    self.scores.compute(known);
                }
                learned
            }
        }
    }

    /// Which pages link where hangs on no judgment.
    fn reset(&self, known: Known<'_>) -> Option<Box<dyn Strategy>> {
        let mut scores = self.scores.clone();
        scores.compute(known);
        let rebuilds = self.rebuilds.afresh();
        Some(Box::new(Self { scores, rebuilds }))
    }

    fn describe(&self, subject: Subject<'_>, _: Known<'_>) -> Option<String> {
        let Subject::Link(link) = subject else {
            return None;
        };
        let pages = self.authorities(link);
        let plural = if pages == 1 { "" } else { "s" };
        (pages > 0).then(|| format!("on a page that links to {pages} relevant page{plural}"))
    }

    fn explain(&self, link: &Candidate, _: Known<'_>) -> Explanation {
        let pages = self.authorities(link) as f64;
        let mean = self.hub(link) / f64::max(pages, 1.0);
        Explanation::product(
            "how good a hub its page is, where the best was 1",
            vec![
                Explanation::given("relevant pages that its page links to", pages),
                Explanation::given("their worth as authorities, on average", mean),
            ],
        )
    }

    fn state(&self) -> StrategyState {
        StrategyState::of(&self.scores)
    }
}

impl Hub {
    /// Takes in a link met by itself.
    fn join(&mut self, link: &Candidate) {
        if let Some(source) = link.source() {
            let changed = self.scores.graph.link(source, &link.target);
            self.scores.rate(changed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::critics;
    use crate::strategies::rivals::link_graph::fixture::address;
    use crate::strategies::rivals::link_graph::fixture::judged_pages;
    use crate::strategies::{Step, Trail};
    use crate::web_graph::WebGraph;

    fn web(pages: &[(&str, f64)], links: &[(&str, &str)]) -> (WebGraph, HubScores) {
        let graph = judged_pages(pages);
        let mut scores = HubScores::default();
        for (from, to) in links {
            let changed = scores.graph.link(&address(from), &address(to));
            scores.rate(changed);
        }
        (graph, scores)
    }

    fn computed(graph: &WebGraph, scores: &mut HubScores) {
        let critic = critics::Topic::default();
        scores.compute(Known {
            graph,
            critic: &critic,
        });
    }

    /// Hubs h (relevance 0.5) and k (1) link to x (1); h to y (1) too, k to z, which is not
    /// relevant, and to u, which was not fetched. In the limit the scores are the leading
    /// eigenvector: with a(x) = 0.5 h + k, a(y) = 0.5 h, h = a(x) + a(y), k = a(x):
    /// h = h + k, k = 0.5 h + k up to scale, so h : k = sqrt 2 : 1.
    #[test]
    fn hubs_and_authorities_by_hand() {
        let pages = [("h", 0.5), ("k", 1.0), ("x", 1.0), ("y", 1.0), ("z", 0.2)];
        let links = [("h", "x"), ("h", "y"), ("k", "x"), ("k", "z"), ("k", "u")];
        let (graph, mut scores) = web(&pages, &links);
        computed(&graph, &mut scores);
        let of = |name: &str| scores.hubs[scores.graph.number(&address(name)).unwrap()];
        assert!((of("h") - 1.0).abs() < 1e-9);
        assert!((of("k") - 0.5f64.sqrt()).abs() < 1e-5, "{}", of("k"));
        assert_eq!((of("x"), of("u")), (0.0, 0.0));
        let place = |name: &str| scores.graph.number(&address(name)).unwrap();
        assert_eq!(scores.authorities[place("z")], 0.0, "of low relevance");
        // x and y share h's 1: 0.5 h + k to 0.5 h.
        let [x, y] = ["x", "y"].map(|name| scores.authorities[place(name)]);
        assert!((x / y - (1.0 + 2.0 / 2f64.sqrt())).abs() < 1e-4, "{x} {y}");
    }

    #[test]
    fn a_page_read_since_is_rated_at_once_and_all_comes_back() {
        let pages = [("h", 1.0), ("x", 1.0)];
        let (graph, mut scores) = web(&pages, &[("h", "x")]);
        computed(&graph, &mut scores);
        let new = address("new");
        let page = scores.graph.read(&new, [&address("x")].into_iter());
        scores.rate(page);
        let hub = Hub::with_scores(scores.clone());
        let link = Candidate {
            trail: Trail::default().then(Step {
                address: new,
                relevance: Relevance::default(),
            }),
            ..Candidate::seed(address("unseen"))
        };
        assert!((hub.hub(&link) - 1.0).abs() < 1e-12);
        assert_eq!(hub.authorities(&link), 1);
        let again = HubScores::new(scores.graph.clone(), scores.authorities.clone());
        assert_eq!(again, Some(scores));
    }

    #[test]
    fn hubs_that_are_not_relevant_themselves_count_where_there_are_no_others() {
        let pages = [("h", 0.0), ("x", 1.0), ("y", 1.0)];
        let (graph, mut scores) = web(&pages, &[("h", "x"), ("h", "y"), ("y", "z")]);
        computed(&graph, &mut scores);
        let of = |name: &str| scores.hubs[scores.graph.number(&address(name)).unwrap()];
        assert_eq!((of("h"), of("y")), (1.0, 0.0));
    }
}
