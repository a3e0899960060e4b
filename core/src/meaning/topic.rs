//! What the person means by a topic, as directions: where its targets lie, seen from the mean
//! of all pages, and where the words lie that it is called by.

use super::Meaning;
use crate::features::PageTerms;
use crate::web_graph::{HEAVIEST_TERMS, Mark, WebGraph};

/// Recent unmarked pages that the mean is taken of.
pub const MOST_UNMARKED: usize = 300;
/// Pages without a direction that count towards the mean.
const MEAN_BEFORE: f32 = 1.0;
/// Pages with a greater cosine to the targets or the name do not tell what other pages are
/// like.
const SET_ASIDE: f64 = 0.6;
/// Two targets with a smaller cosine need others between them to be of one facet.
const APART: f32 = -0.3;

/// Directions of length 1, or nothing where nothing is known.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TopicMeaning {
    /// The mean of the pages seen that do not look like targets.
    mean: Meaning,
    /// Of each target, in the order of the marks, with the number of its facet.
    targets: Vec<(Meaning, usize)>,
    not_targets: Vec<Meaning>,
    /// Of the targets of each facet together.
    facets: Vec<Meaning>,
    /// Of the words of all targets as they stand, seen from those of all pages: what the few
    /// words of a link are compared with.
    words: Meaning,
    name: Meaning,
}

impl TopicMeaning {
    /// By the marks, the pages seen and the topic's name.
    pub fn of(known: &WebGraph) -> Self {
        let of_all = unmarked(known).map(|terms| Meaning::of_page(terms, &known.vocabulary));
        let of_all: Vec<Meaning> = of_all.map(|page| page.unit()).collect();
        let first = Self::around(mean_of(of_all.iter()), known);
        let others = of_all.iter().filter(|page| {
            let direction = page.without(&first.mean).unit();
            !first.looks_like_a_target(&direction)
        });
        Self {
            words: direction_of_words(known),
            ..Self::around(mean_of(others), known)
        }
    }

    /// Seen from a mean.
    fn around(mean: Meaning, known: &WebGraph) -> Self {
        let of_page = |terms: &PageTerms| Meaning::of_page(terms, &known.vocabulary).unit();
        let marked = |mark| -> Vec<Meaning> {
            let pages = known.marks.values().filter(|page| page.mark == mark);
            pages
                .map(|page| of_page(&page.terms).without(&mean).unit())
                .collect()
        };
        let not_targets = marked(Mark::NotTarget);
        let targets = with_facets(marked(Mark::Target));
        let mut facets = vec![Meaning::default(); targets.len()];
        for (target, facet) in &targets {
            facets[*facet] += target;
        }
        facets.retain(|facet| *facet != Meaning::default());
        Self {
            facets: facets.iter().map(Meaning::unit).collect(),
            name: Meaning::of_text(&known.topic_name).unit(),
            words: Meaning::default(),
            mean,
            targets,
            not_targets,
        }
    }

    /// Unmarked pages that do not look like targets: what the rest of the web is like.
    pub fn others<'a>(&self, known: &'a WebGraph) -> impl Iterator<Item = &'a PageTerms> {
        unmarked(known).filter(|terms| !self.looks_like_a_target(&self.direction(terms, known)))
    }

    fn looks_like_a_target(&self, direction: &Meaning) -> bool {
        self.to_facet(direction).max(self.to_name(direction)) > SET_ASIDE
    }

    /// Targets that were marked.
    pub fn targets(&self) -> usize {
        self.targets.len()
    }

    /// Whether the topic's name has a meaning.
    pub fn is_named(&self) -> bool {
        self.name != Meaning::default()
    }

    /// Where a page lies, seen from the mean of all.
    pub fn direction(&self, terms: &PageTerms, known: &WebGraph) -> Meaning {
        let page = Meaning::of_page(terms, &known.vocabulary).unit();
        if page == Meaning::default() {
            return page;
        }
        page.without(&self.mean).unit()
    }

    /// Mean cosine of a direction to the targets of the nearest facet, leaving out the target
    /// numbered `left_out`, -1..=1; 0 without any.
    pub fn to_targets(&self, direction: &Meaning, left_out: Option<usize>) -> f64 {
        let mut sums = vec![(0.0, 0.0); self.targets.len()];
        for (number, (target, facet)) in self.targets.iter().enumerate() {
            if Some(number) != left_out {
                sums[*facet].0 += f64::from(direction.dot(target));
                sums[*facet].1 += 1.0;
            }
        }
        let means = sums.into_iter().filter(|(_, count)| *count > 0.0);
        let means = means.map(|(sum, count)| sum / count);
        means.reduce(f64::max).unwrap_or(0.0)
    }

    /// Cosine to the nearest page that was marked as "not this"; -1 without any.
    pub fn to_not_targets(&self, direction: &Meaning) -> f64 {
        let cosines = self.not_targets.iter().map(|page| direction.dot(page));
        f64::from(cosines.fold(-1.0, f32::max))
    }

    /// Cosine of a few words to those of the targets.
    pub fn to_words(&self, direction: &Meaning) -> f64 {
        f64::from(direction.dot(&self.words))
    }

    /// Cosine to the nearest facet, its targets taken together; 0 without any.
    fn to_facet(&self, direction: &Meaning) -> f64 {
        let cosines = self.facets.iter().map(|facet| direction.dot(facet));
        f64::from(cosines.reduce(f32::max).unwrap_or(0.0))
    }

    /// Cosine to the topic's name.
    pub fn to_name(&self, direction: &Meaning) -> f64 {
        f64::from(direction.dot(&self.name))
    }
}

fn direction_of_words(known: &WebGraph) -> Meaning {
    let words = |terms: &PageTerms| {
        let heaviest = terms.heaviest(HEAVIEST_TERMS).damped();
        Meaning::of_terms(heaviest, &known.vocabulary).unit()
    };
    let all: Vec<Meaning> = unmarked(known).map(words).collect();
    let mean = mean_of(all.iter());
    let mut targets = Meaning::default();
    for target in known.targets() {
        targets += &words(&target.terms).without(&mean).unit();
    }
    targets.unit()
}

/// Targets with the numbers of their facets: those that point nearly against each other and
/// against all that is between them are not of one.
fn with_facets(targets: Vec<Meaning>) -> Vec<(Meaning, usize)> {
    let mut facets: Vec<usize> = (0..targets.len()).collect();
    for later in 0..targets.len() {
        for earlier in 0..later {
            let (own, other) = (facets[later], facets[earlier]);
            if own != other && targets[later].dot(&targets[earlier]) > APART {
                for facet in &mut facets {
                    if *facet == own {
                        *facet = other;
                    }
                }
            }
        }
    }
    targets.into_iter().zip(facets).collect()
}

fn mean_of<'a>(pages: impl Iterator<Item = &'a Meaning>) -> Meaning {
    let (mut sum, mut count) = (Meaning::default(), MEAN_BEFORE);
    for page in pages {
        sum += page;
        count += 1.0;
    }
    sum.scaled(1.0 / count)
}

/// The words of pages that were seen lately and not marked.
pub fn unmarked(known: &WebGraph) -> impl Iterator<Item = &PageTerms> {
    let unmarked = known.pages().rev();
    unmarked
        .filter(|page| known.mark(&page.address).is_none())
        .map(|page| &page.terms)
        .filter(|terms| !terms.rows().is_empty())
        .take(MOST_UNMARKED)
}
