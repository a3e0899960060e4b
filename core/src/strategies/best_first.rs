//! Best-first: a link is worth what the page is worth on which it stands
//! (\[A\] 2.1, the baseline; by cosine it is \[C\]'s "BFS").

use super::{Candidate, Explanation, Known, LinkScore, Priority, Profile, Strategy};
use crate::codec::{SaveError, Saver};
use crate::web_graph::{Judgment, Relevance};

/// How the worth of a page becomes the worth of its links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Focus {
    /// By the page's relevance.
    Soft,
    /// Only links of targets are followed, by relevance.
    Hard,
    /// By the page's cosine to the nearest marked target.
    Cosine,
    /// Only links of targets are followed, by that cosine.
    HardCosine,
}

impl Focus {
    fn is_hard(self) -> bool {
        matches!(self, Self::Hard | Self::HardCosine)
    }
}

/// Scores a link by the judgment of the page it stands on.
#[derive(Debug, Clone, Copy)]
pub struct BestFirst(pub Focus);

impl BestFirst {
    fn source(link: &Candidate, known: Known<'_>) -> Judgment {
        link.source()
            .map(|source| known.graph.judgment(source))
            .unwrap_or_default()
    }

    fn worth(self, judgment: &Judgment) -> (&'static str, f64) {
        match self.0 {
            Focus::Soft | Focus::Hard => (
                "relevance of the page with the link",
                judgment.relevance.value(),
            ),
            Focus::Cosine | Focus::HardCosine => (
                "cosine of the page with the link to the nearest target",
                judgment.similarity,
            ),
        }
    }
}

impl Strategy for BestFirst {
    fn profile(&self) -> Profile {
        Profile::new(match self.0 {
            Focus::Soft => "best-first",
            Focus::Hard => "best-first-hard",
            Focus::Cosine => "best-first-cosine",
            Focus::HardCosine => "best-first-cosine-hard",
        })
    }

    fn score(&self, links: &[Candidate], known: Known<'_>) -> Vec<LinkScore> {
        let score = |link: &Candidate| {
            let source = Self::source(link, known);
            if self.0.is_hard() && !source.is_target && !link.trail.is_empty() {
                return LinkScore::Reject;
            }
            LinkScore::Follow(Priority::new(0, self.worth(&source).1))
        };
        links.iter().map(score).collect()
    }

    /// Taken at its word: a link leads to pages like the one it stands on.
    fn expected(&self, link: &Candidate, known: Known<'_>) -> Option<Relevance> {
        Some(Relevance::new(self.worth(&Self::source(link, known)).1))
    }

    fn save(&self, _: &mut Saver<'_>) -> Result<(), SaveError> {
        Ok(())
    }

    fn explain(&self, link: &Candidate, known: Known<'_>) -> Explanation {
        let (label, value) = self.worth(&Self::source(link, known));
        Explanation::given(label, value)
    }
}
