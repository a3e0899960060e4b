//! Sequences of pages to train on: random walks over the crawled web (\[C\] 3.1),
//! or the ways a person went.

use super::STATES;
use super::training_web::{Layers, SeenLink, TrainingWeb};
use crate::models::{Feature, Sequences};
use crate::rng::Rng;

/// Tries for a walk that comes out long enough.
const TRIES: usize = 4;

/// Where walks may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Walks {
    /// Towards the targets or along a layer, never away: \[C\]'s.
    Downhill,
    /// Anywhere. A crawler sees more links that lead away than such as lead
    /// nearer, and has to know them.
    Anywhere,
}

/// How many walks, and how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WalkRules {
    /// Where they may go.
    pub walks: Walks,
    /// How many.
    pub count: usize,
    /// Pages of a walk at most; at least 2.
    pub longest: usize,
}

impl WalkRules {
    /// \[C\]'s lengths of 2 to 10 pages.
    pub fn new(walks: Walks) -> Self {
        Self {
            walks,
            count: 4_000,
            longest: 10,
        }
    }
}

/// A walk: pages by number, with their states.
pub type Walk = Vec<(usize, usize)>;

impl TrainingWeb {
    /// Walks without loops, over pages whose state is known.
    pub fn walks(&self, rules: WalkRules, rng: &mut dyn Rng) -> Vec<Walk> {
        let Layers(distances) = match rules.walks {
            Walks::Downhill => self.layers(),
            Walks::Anywhere => self.distances(),
        };
        let states: Vec<Option<usize>> = distances
            .into_iter()
            .map(|distance| match (distance, rules.walks) {
                (Some(distance), _) => Some(distance.min(STATES - 1)),
                (None, Walks::Downhill) => None,
                (None, Walks::Anywhere) => Some(STATES - 1),
            })
            .collect();
        let mut starts: Vec<Vec<usize>> = vec![Vec::new(); STATES];
        for (page, state) in states.iter().enumerate() {
            if let Some(state) = state {
                starts[*state].push(page);
            }
        }
        starts.retain(|pages| !pages.is_empty());
        let links: Vec<Vec<usize>> = (0..self.len())
            .map(|page| self.links(page).into_iter().map(|link| link.0).collect())
            .collect();
        let mut walks = Vec::new();
        for number in 0..rules.count * usize::from(!starts.is_empty()) {
            // As many from each distance.
            let from = &starts[number % starts.len()];
            let mut tries = (0..TRIES).map(|_| {
                let start = from[pick(from.len(), rng)];
                walk(start, rules, &states, &links, rng)
            });
            walks.extend(tries.find(|walk| walk.len() >= 2));
        }
        walks
    }

    /// Walks as labelled sequences. What is observed at a page is what was known
    /// before it was fetched: nothing at the first one, then the page before and
    /// the link that was followed.
    pub fn sequences(&self, walks: &[Walk]) -> Sequences {
        let links: Vec<Vec<(usize, &SeenLink)>> =
            (0..self.len()).map(|page| self.links(page)).collect();
        let observation = |before: usize, page: usize| -> Vec<Feature> {
            let link = links[before].iter().find(|link| link.0 == page);
            let link = link.map_or(&[][..], |link| link.1.features.as_slice());
            [self.pages[before].features.as_slice(), link].concat()
        };
        let mut sequences = Sequences::default();
        for walk in walks {
            sequences.push(walk.iter().enumerate().map(|(at, &(page, state))| {
                let before = at.checked_sub(1).map(|before| walk[before].0);
                let seen = before.map(|before| observation(before, page));
                (seen.unwrap_or_default(), state as u8)
            }));
        }
        sequences
    }
}

fn walk(
    start: usize,
    rules: WalkRules,
    states: &[Option<usize>],
    links: &[Vec<usize>],
    rng: &mut dyn Rng,
) -> Walk {
    let length = 2 + pick(rules.longest.saturating_sub(1), rng);
    let Some(state) = states[start] else {
        return Vec::new();
    };
    let mut walk = vec![(start, state)];
    while walk.len() < length {
        let (page, here) = walk[walk.len() - 1];
        let ahead: Vec<(usize, usize)> = links[page]
            .iter()
            .filter(|next| walk.iter().all(|passed| passed.0 != **next))
            .filter_map(|&next| Some((next, states[next]?)))
            .filter(|row| rules.walks == Walks::Anywhere || row.1 <= here)
            .collect();
        if ahead.is_empty() {
            break;
        }
        walk.push(ahead[pick(ahead.len(), rng)]);
    }
    walk
}

fn pick(count: usize, rng: &mut dyn Rng) -> usize {
    ((rng.unit() * count as f64) as usize).min(count.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::Address;
    use crate::dom::{Builder, LeafRange};
    use crate::hops::FeatureGroups;
    use crate::page::Page;
    use crate::rng::SplitMix;
    use crate::web_graph::{Judgment, WebGraph};

    /// Page 0 is a target; pages link as given.
    fn web(links: &[(usize, usize)], pages: usize) -> TrainingWeb {
        let mut web = TrainingWeb::new(FeatureGroups::ALL);
        let mut graph = WebGraph::default();
        for page in 0..pages {
            let mut builder = Builder::new();
            for &(_, to) in links.iter().filter(|row| row.0 == page) {
                let first = builder.next_leaf();
                builder.leaf(&format!("page {to}"));
                let leaves = LeafRange {
                    first,
                    end: first + 1,
                };
                builder.link(&format!("/{to}"), leaves);
            }
            let address = Address::parse(&format!("http://a.org/{page}")).unwrap();
            let page_built = Page::new(address, builder.finish().unwrap());
            let judgment = Judgment {
                is_target: page == 0,
                ..Judgment::default()
            };
            web.add(&page_built, judgment, &mut graph);
        }
        web
    }

    #[test]
    fn layers_are_clicks_to_the_nearest_target() {
        let web = web(&[(1, 0), (2, 1), (3, 2), (3, 0), (4, 3), (0, 5)], 6);
        let expected = [Some(0), Some(1), Some(2), Some(1), Some(2), None];
        assert_eq!(web.layers().0, expected);
        assert_eq!(web.distances().0, expected);
    }

    #[test]
    fn a_layer_is_full_at_600_and_backlinks_are_shared_out() {
        // Two pages one click away; the first has 1,000 backlinks, the second 100.
        let mut links = vec![(1, 0), (2, 0)];
        links.extend((3..1_003).map(|page| (page, 1)));
        links.extend((1_003..1_103).map(|page| (page, 2)));
        let layers = web(&links, 1_103).layers().0;
        let in_layer = |range: std::ops::Range<usize>| {
            layers[range]
                .iter()
                .filter(|layer| **layer == Some(2))
                .count()
        };
        assert_eq!(in_layer(1_003..1_103), 100, "all of the poorer one");
        assert_eq!(in_layer(3..1_003), 500);
    }

    #[test]
    fn walks_never_go_uphill_or_round() {
        let mut links = Vec::new();
        for page in 1..60usize {
            links.extend([
                (page, page / 2),
                (page, (page * 7) % 60),
                (page, (page + 1) % 60),
            ]);
        }
        let web = web(&links, 60);
        for walks in [Walks::Downhill, Walks::Anywhere] {
            let rules = WalkRules {
                count: 300,
                ..WalkRules::new(walks)
            };
            let sequences = web.sequences(&web.walks(rules, &mut SplitMix(4)));
            assert!(sequences.len() > 200, "{}", sequences.len());
            let mut uphill = 0;
            for positions in sequences.iter() {
                assert!((2..=10).contains(&positions.len()));
                let states: Vec<usize> = positions.map(|at| sequences.state(at)).collect();
                uphill += states.windows(2).filter(|pair| pair[1] > pair[0]).count();
            }
            assert_eq!(uphill == 0, walks == Walks::Downhill, "{walks:?} {uphill}");
        }
    }
}
