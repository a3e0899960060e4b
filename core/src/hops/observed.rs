//! Sequences as a hidden Markov model sees them: whole pages, and of a link one number.

use super::paths::BrowsingPath;
use super::sequences::Walk;
use super::training_web::{SeenLink, TrainingWeb};
use crate::features::PageTerms;

/// A page on the way.
#[derive(Debug, Clone, PartialEq)]
pub struct Observed {
    /// Its distance from a target, below [`super::STATES`].
    pub state: usize,
    /// Its heaviest terms; empty where nobody knows them.
    pub terms: PageTerms,
    /// Whether it is a target.
    pub is_target: bool,
    /// How like the targets the link to it looked, 0..=1; `None` where none is known.
    pub likeness: Option<f64>,
}

impl TrainingWeb {
    /// Paths as they were, see [`TrainingWeb::path_sequences`].
    pub fn observed_paths(&self, paths: &[BrowsingPath]) -> Vec<Vec<Observed>> {
        let distances = self.distances();
        let state = |page: usize| usize::from(distances.state(page));
        let each = paths.iter().map(|path| {
            let steps = path.iter();
            let steps =
                steps.map(|step| self.observed(step.page, state(step.page), step.link.as_ref()));
            steps.collect()
        });
        each.collect()
    }

    /// Walks over the web.
    pub fn observed_walks(&self, walks: &[Walk]) -> Vec<Vec<Observed>> {
        let links: Vec<Vec<(usize, &SeenLink)>> =
            (0..self.len()).map(|page| self.links(page)).collect();
        let each = walks.iter().map(|walk| {
            let steps = walk.iter().enumerate();
            let steps = steps.map(|(at, &(page, state))| {
                let before = at.checked_sub(1).map(|before| walk[before].0);
                let link = before.and_then(|before| links[before].iter().find(|to| to.0 == page));
                self.observed(page, state, link.map(|link| link.1))
            });
            steps.collect()
        });
        each.collect()
    }

    fn observed(&self, page: usize, state: usize, link: Option<&SeenLink>) -> Observed {
        Observed {
            state,
            terms: self.terms(page).clone(),
            is_target: self.is_target(page),
            likeness: link.map(|link| link.likeness),
        }
    }
}
